//! `flitsim schema`, `flitsim completions` and `flitsim man`: what shells, editors and readers of manual
//! pages want, on standard output.

use super::CommandError;
use crate::args::{Arguments, CompletionsArguments, ManArguments};
use clap::CommandFactory;
use clap_mangen::Man;
use flitsim_scenario::error::{list, nearest};
use flitsim_scenario::schema;
use std::io::Write;

/// Prints the JSON Schema of scenario files.
///
/// # Errors
/// An output that cannot be written.
pub fn schema() -> Result<(), CommandError> {
    print(schema::text().as_bytes())
}

/// Prints completions for a shell.
///
/// # Errors
/// An output that cannot be written.
pub fn completions(arguments: CompletionsArguments) -> Result<(), CommandError> {
    let mut script = Vec::new();
    let mut program = Arguments::command();
    clap_complete::generate(arguments.shell, &mut program, "flitsim", &mut script);
    print(&script)
}

/// Prints the manual page of the program, or of one of its commands.
///
/// # Errors
/// A command that is not known, an output that cannot be written.
pub fn man(arguments: &ManArguments) -> Result<(), CommandError> {
    let mut program = Arguments::command();
    // Names of pages and usage lines then hold those of the program and the command.
    program.build();
    let command = match &arguments.command {
        None => program,
        Some(name) => match program.find_subcommand(name) {
            Some(command) => command.clone(),
            None => return Err(unknown(name, &program)),
        },
    };
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    print(&page)
}

fn unknown(name: &str, program: &clap::Command) -> CommandError {
    let names: Vec<&str> = program.get_subcommands().map(|c| c.get_name()).collect();
    let help = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("commands are {}", list(&names, "`")),
    };
    CommandError::Input(format!("flitsim has no command `{name}`; {help}"))
}

fn print(text: &[u8]) -> Result<(), CommandError> {
    let mut out = std::io::stdout().lock();
    out.write_all(text)?;
    Ok(out.flush()?)
}
