//! `flitsim new`: a commented starter scenario.

use crate::args::{Suggested, kinds};
use crate::console::Console;
use crate::error::CommandError;
use crate::output::print;
use clap::Args;
use flitsim_scenario::proof::ProvedPlan;
use flitsim_scenario::starter::{NETWORK_FILE, Starter};
use flitsim_scenario::{Overrides, Plan};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::path::PathBuf;

/// Write a commented starter scenario for a network
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim new torus
  flitsim new mesh -o mesh.toml
  flitsim new express-cube:radix=16,dimensions=2,interval=4 -o cube.toml
  flitsim new file -o mine.toml

A starter says everything that one usually changes, each key with a comment: it runs as it stands,
its routing is proved free of deadlock, and its loads suit the network. It is printed, or with -o
written to a file, never over one that is there. `flitsim new file` writes an example of a channel
list, network.csv, beside it.

Kinds: torus, mesh, hypercube, express-cube, butterfly-fat-tree, fat-pyramid, star, pruned-torus,
manhattan-torus, pruned-manhattan-torus, file.")]
pub struct New {
    /// A kind of network, or a topology in one word
    #[arg(value_name = "KIND_OR_SPEC", value_parser = Suggested(kinds), hide_possible_values = true)]
    pub network: String,
    /// The file to write; without it the scenario is printed
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
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
    let starter = Starter::of(&arguments.network, output)?;
    if starter.network.is_none() {
        let path = output.unwrap_or(Path::new("scenario.toml"));
        let plan = Plan::parse(path, starter.text.clone(), Overrides::default())?;
        // What is written here runs.
        ProvedPlan::prove(plan, false, &|_, _| {}, |_| {})?;
    }
    let Some(path) = output else {
        return Ok(print(starter.text.as_bytes())?);
    };
    if let Some(network) = starter.network {
        let beside = path.with_file_name(NETWORK_FILE);
        create(&beside, network).map_err(|error| match error.kind() {
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
    create(path, &starter.text).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => CommandError::Input(format!(
            "{} is there already, and is not written over; choose another name with -o FILE",
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
            "{} is there already, and is not written over; choose another name with -o FILE",
            path.display()
        )));
    }
    Ok(())
}

fn create(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| file.sync_all());
    if written.is_err() {
        // Half a scenario is worse than none.
        let _ = std::fs::remove_file(path);
    }
    written
}
