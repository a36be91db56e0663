//! `flitsim new`: a commented starter scenario.

use crate::args::{Suggested, kinds};
use crate::console::Console;
use crate::error::CommandError;
use crate::output::print;
use crate::progress::clock::{TIME_LIMIT, time};
use crate::survey::Stages;
use clap::Args;
use flitsim_scenario::proof::ProvedPlan;
use flitsim_scenario::starter::{NETWORK_FILE, Starter};
use flitsim_scenario::{Overrides, Plan};
use flitsim_sweep::results::file::write_new;
use std::io;
use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;

/// Write a commented starter scenario for a network
#[derive(Clone, Debug, Args)]
#[command(after_help = format!("Examples:
  flitsim new torus
  flitsim new mesh -o mesh.toml
  flitsim new express-cube:radix=16,dimensions=2,interval=4 -o cube.toml
  flitsim new file -o mine.toml

A starter has every key that is usually changed, each with a comment. It runs as it stands: its
routing is proved free of deadlock, and its loads suit the network. It is printed, or with -o
written to a file; an existing file is never overwritten. With -o, `flitsim new file` also writes an
example of a channel list, network.csv, beside the scenario.

Kinds: {}.", kinds().join(", ")))]
pub struct New {
    /// A kind of network, or a topology in one word (see `flitsim topology --help`)
    #[arg(value_name = "KIND_OR_SPEC", value_parser = Suggested(kinds), hide_possible_values = true)]
    pub network: String,
    /// The file to write; without it, the scenario is printed
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The longest that the proof may take, such as 30s, 10min or 2h; after that, the exit code is 1
    #[arg(long, value_name = "TIME", value_parser = time, default_value = TIME_LIMIT)]
    pub time_limit: Duration,
}

/// Prints a starter, or writes it to a file that is not there yet.
///
/// # Errors
/// A network that is not known or cannot be built, a file that is there or cannot be written.
pub fn run(arguments: &New, console: &Console) -> Result<(), CommandError> {
    let output = arguments.output.as_deref();
    if let Some(path) = output {
        refuse_folder(path)?;
    }
    let bar = console.stages(Some(arguments.time_limit));
    bar.title(&arguments.network);
    bar.stage("building");
    let starter = Starter::of(&arguments.network, output)?;
    if starter.network.is_none() {
        let path = output.unwrap_or(Path::new("scenario.toml"));
        let plan = Plan::parse(path, starter.text.clone(), Overrides::default())?;
        // What is written here runs.
        bar.stage("proof that the routing cannot deadlock");
        ProvedPlan::prove(plan, false, &|done, of| bar.done(done, of), |_| {})?;
    }
    bar.finish();
    let Some(path) = output else {
        return Ok(print(starter.text.as_bytes())?);
    };
    if let Some(network) = starter.network {
        let beside = path.with_file_name(NETWORK_FILE);
        write_new(&beside, network.as_bytes()).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => CommandError::Input(format!(
                "{} is there already; to use it, write `flitsim new file:path={} -o {}`",
                beside.display(),
                beside.display(),
                path.display(),
            )),
            _ => CommandError::unwritable(&beside, &error),
        })?;
        console.note(format_args!(
            "{} is an example of a channel list",
            beside.display()
        ));
    }
    write_new(path, starter.text.as_bytes()).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => CommandError::Input(format!(
            "{} already exists and is not overwritten; choose another name with -o FILE",
            path.display()
        )),
        _ => CommandError::unwritable(path, &error),
    })?;
    console.note(format_args!(
        "{} is written; `flitsim sweep {}` runs it",
        path.display(),
        path.display()
    ));
    Ok(())
}

fn refuse_folder(path: &Path) -> Result<(), CommandError> {
    if path.is_dir() {
        return Err(CommandError::Input(format!(
            "{} is a folder; name a file in it, such as {}",
            path.display(),
            path.join("scenario.toml").display()
        )));
    }
    if path.exists() {
        return Err(CommandError::Input(format!(
            "{} already exists and is not overwritten; choose another name with -o FILE",
            path.display()
        )));
    }
    Ok(())
}
