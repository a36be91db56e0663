//! `flitsim man`: what readers of manual pages want.

use super::{Command, command_line};
use crate::args::Suggested;
use crate::console::Console;
use crate::error::CommandError;
use crate::output::print;
use clap::Args;
use flitsim_scenario::error::{list, nearest};

/// Print a manual page
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim man > flitsim.1
  flitsim man sweep > flitsim-sweep.1
  flitsim man sweep | man -l -

Prints the page of the program, or of one of its commands, as roff.")]
pub struct Man {
    /// The command; without one, the page is that of the program
    #[arg(value_parser = Suggested(commands), hide_possible_values = true)]
    pub command: Option<String>,
}

fn commands() -> Vec<&'static str> {
    Command::NAMES.to_vec()
}

/// Prints the manual page of the program, or of one of its commands.
///
/// # Errors
/// A command that is not known, an output that cannot be written.
pub fn run(arguments: &Man, _: &Console) -> Result<(), CommandError> {
    let mut program = command_line();
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
    clap_mangen::Man::new(command).render(&mut page)?;
    Ok(print(&page)?)
}

fn unknown(name: &str, program: &clap::Command) -> CommandError {
    let names: Vec<&str> = program.get_subcommands().map(|c| c.get_name()).collect();
    let help = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("commands are {}", list(&names, "`")),
    };
    CommandError::Input(format!("flitsim has no command `{name}`; {help}"))
}
