//! `flitsim import`: scenarios from what other simulators read.

use crate::console::Console;
use crate::error::CommandError;
use crate::output::print;
use clap::{Args, Subcommand};
use flitsim_scenario::{Overrides, Plan, booksim};
use flitsim_sweep::results::file::write_new;
use flitsim_topology::file::read_text;
use std::path::{Path, PathBuf};

/// Turn the input of another simulator into a scenario
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim import booksim scenarios/booksim/torus.cfg
  flitsim import booksim scenarios/booksim/torus.cfg num_vcs=4 injection_rate=0.3 -o torus.toml

Every setting of the input is in the scenario, with its original name in a comment, or has no effect on
results. What a scenario cannot say is refused with exit code 2; the message shows the line and says what
would come close.")]
pub struct Import {
    /// Of which simulator
    #[command(subcommand)]
    pub from: From,
}

/// The simulators.
#[derive(Clone, Debug, Subcommand)]
pub enum From {
    /// Import a configuration of BookSim2, with its overrides
    #[command(after_help = "Examples:
  flitsim import booksim scenarios/booksim/torus.cfg
  flitsim import booksim scenarios/booksim/torus.cfg num_vcs=4 injection_rate=0.3 -o torus.toml")]
    Booksim(Booksim),
}

/// A configuration of BookSim2.
#[derive(Clone, Debug, Args)]
pub struct Booksim {
    /// The configuration file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Settings that override those of the file, as BookSim2 takes them
    #[arg(value_name = "KEY=VALUE")]
    pub overrides: Vec<String>,
    /// The scenario file to write; without it, the scenario is printed
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Reads and writes.
///
/// # Errors
/// A file that cannot be read, or says what a scenario cannot; a file that is there or cannot be written.
pub fn run(arguments: &Import, console: &Console) -> Result<(), CommandError> {
    let From::Booksim(Booksim {
        file,
        overrides,
        output,
    }) = &arguments.from;
    let text = read_text(file).map_err(|error| CommandError::Input(error.to_string()))?;
    let place = output
        .clone()
        .unwrap_or_else(|| file.with_extension("toml"));
    let into = place.parent().unwrap_or(Path::new(""));
    let imported = booksim::import(file, &text, overrides, into)?;
    let scenario = imported.text;
    // Each key can be said, and all together still be no scenario.
    if let Err(error) = Plan::parse(&place, scenario.clone(), Overrides::default()) {
        return Err(booksim::refused(&error, file, &text, overrides).into());
    }
    let warn = || imported.notes.iter().for_each(|note| console.warn(note));
    let Some(path) = output else {
        warn();
        return Ok(print(scenario.as_bytes())?);
    };
    write_new(path, scenario.as_bytes()).map_err(|error| CommandError::unwritable(path, &error))?;
    warn();
    console.note(format_args!(
        "{} is written; `flitsim run {}` simulates it",
        path.display(),
        path.display()
    ));
    Ok(())
}
