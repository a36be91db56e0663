//! `flitsim new`: a commented starter scenario.

use super::{CommandError, Console};
use crate::args::NewArguments;
use flitsim_scenario::proof::ProvedPlan;
use flitsim_scenario::starter::{NETWORK_FILE, Starter};
use flitsim_scenario::{Overrides, Plan};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Prints a starter, or writes it to a file that is not there yet.
///
/// # Errors
/// A network that is not known or cannot be built, a file that is there or cannot be written.
pub fn run(arguments: &NewArguments, console: &Console) -> Result<(), CommandError> {
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
        let mut out = std::io::stdout().lock();
        out.write_all(starter.text.as_bytes())?;
        return Ok(out.flush()?);
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
