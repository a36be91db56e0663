//! The commands, a file each: its arguments with their help, and what it does. Here only the list of them.

pub mod completions;
pub mod man;
pub mod merge;
pub mod model;
pub mod new;
pub mod plot;
pub mod report;
pub mod reproduce;
pub mod run;
pub mod saturate;
pub mod schema;
pub mod status;
pub mod submit;
pub mod sweep;
pub mod topology;
pub mod verify;
pub mod watch;

use crate::args::{Colour, Globals};
use crate::console::Console;
use crate::error::CommandError;
use crate::interrupt;
use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// flitsim: a cycle-accurate, flit-level simulator of wormhole-routed interconnection networks
#[derive(Clone, Debug, Parser)]
#[command(
    name = "flitsim",
    version,
    propagate_version = true,
    max_term_width = 100,
    after_help = "Examples:
  flitsim sweep scenarios/first-curve.toml
  flitsim run scenarios/first-curve.toml --load 0.3
  flitsim saturate scenarios/saturation.toml
  flitsim model scenarios/model.toml
  flitsim topology torus:radix=8,dimensions=2
  flitsim new mesh -o mesh.toml

Exit codes: 0 done, 1 a run failed, 2 bad input. A saturated point is a result, not a failure.
docs/scenario-format.md lists every key of a scenario file."
)]
pub struct Arguments {
    /// What every command takes.
    #[command(flatten)]
    pub globals: Globals,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// A command is a file: a type of its arguments, whose documentation is its line in `flitsim --help`, and
/// a function `run`.
macro_rules! commands {
    ($($file:ident::$Arguments:ident),* $(,)?) => {
        /// What to do.
        #[derive(Clone, Debug, Subcommand)]
        pub enum Command {
            $(#[doc = concat!("`flitsim ", stringify!($file), "`.")]
            $Arguments($file::$Arguments)),*
        }

        impl Command {
            const fn name(&self) -> &'static str {
                match self {
                    $(Self::$Arguments(_) => stringify!($file)),*
                }
            }

            fn run(&self, console: &Console) -> Result<(), CommandError> {
                match self {
                    $(Self::$Arguments(arguments) => $file::run(arguments, console)),*
                }
            }
        }
    };
}

// In the order of `flitsim --help`.
commands! {
    run::Run,
    sweep::Sweep,
    merge::Merge,
    submit::Submit,
    status::Status,
    saturate::Saturate,
    model::Model,
    topology::Topology,
    verify::Verify,
    plot::Plot,
    report::Report,
    reproduce::Reproduce,
    watch::Watch,
    new::New,
    schema::Schema,
    completions::Completions,
    man::Man,
}

/// The program: reads the command line, does what it says, and returns 0 (done), 1 (a run failed) or
/// 2 (bad input).
pub fn main() -> ExitCode {
    interrupt::survive_full_files();
    Colour::of_command_line(std::env::args_os()).set();
    let arguments = Arguments::parse();
    let console = Console::new(arguments.globals, arguments.command.name());
    match arguments.command.run(&console) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            error.report();
            error.exit_code()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_command_shows_an_example() {
        for command in Arguments::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string);
            assert!(
                help.is_some_and(|help| help.contains("Examples:\n  flitsim")),
                "{}",
                command.get_name()
            );
        }
    }

    #[test]
    fn a_negative_load_is_a_value_and_not_a_flag() {
        let parsed = Arguments::try_parse_from(["flitsim", "run", "a.toml", "--load", "-1"]);
        assert!(parsed.is_ok(), "{parsed:?}");
    }
}
