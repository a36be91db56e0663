//! The commands, a file each: its arguments with their help, and what it does. Here only the list of them.

pub mod completions;
pub mod import;
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
#[cfg(test)]
mod testing;
pub mod topology;
pub mod verify;
pub mod watch;

use crate::args::{Colour, Globals};
use crate::console::Console;
use crate::error::CommandError;
use crate::{interrupt, program};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueHint};
use std::ffi::OsString;
use std::io::{self, Write};
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
        #[expect(clippy::large_enum_variant, reason = "there is one, and it is read once")]
        #[derive(Clone, Debug, Subcommand)]
        pub enum Command {
            $(#[doc = concat!("`flitsim ", stringify!($file), "`.")]
            $Arguments($file::$Arguments)),*
        }

        impl Command {
            /// What the commands are called.
            pub const NAMES: &[&str] = &[$(stringify!($file)),*];

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
    import::Import,
    schema::Schema,
    completions::Completions,
    man::Man,
}

/// The command line of the program. Paragraphs of its help are one line each: whoever prints them wraps them.
/// A number below 0 behind an option is its value, and no option: what the option takes is told.
pub fn command_line() -> clap::Command {
    let takes_numbers = |option: &clap::Arg| {
        let is_file = option.get_value_hint() == ValueHint::AnyPath;
        option.get_action().takes_values() && !option.is_positional() && !is_file
    };
    let with_numbers = |option: clap::Arg| match takes_numbers(&option) {
        true => option.allow_negative_numbers(true),
        false => option,
    };
    let unwrapped = |command: clap::Command| {
        let help = command.get_after_help().map(|help| help.ansi().to_string());
        match help {
            Some(help) => command.after_help(unwrapped(&help)),
            None => command,
        }
    };
    let whole = |command: clap::Command| unwrapped(command).mut_args(with_numbers);
    whole(Arguments::command()).mut_subcommands(whole)
}

/// `text` with the lines of a paragraph joined; what is indented, and the line before it, stays.
fn unwrapped(text: &str) -> String {
    let mut joined = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        joined.push_str(line);
        let is_prose = |line: &str| !line.is_empty() && !line.starts_with(' ');
        match lines.peek() {
            Some(next) if is_prose(line) && is_prose(next) => joined.push(' '),
            Some(_) => joined.push('\n'),
            None => {}
        }
    }
    joined
}

/// The program: reads the command line, does what it says, and returns 0 (done), 1 (a run failed) or
/// 2 (bad input).
pub fn main() -> ExitCode {
    main_of(std::env::args_os().collect()).into()
}

/// The program with these words as its command line, its own name the first; returns its exit code.
pub fn main_of(words: Vec<OsString>) -> u8 {
    interrupt::survive_full_files();
    program::learn(&words);
    Colour::of_command_line(words.iter().cloned()).set();
    let matches = command_line().try_get_matches_from(words);
    let arguments = match matches.and_then(|matches| Arguments::from_arg_matches(&matches)) {
        Ok(arguments) => arguments,
        Err(error) => return told(&error),
    };
    let console = Console::new(arguments.globals, arguments.command.name());
    match arguments.command.run(&console) {
        Ok(()) => 0,
        Err(error) => {
            error.report();
            error.exit_code()
        }
    }
}

/// Prints help, or what is wrong with the command line; its exit code.
fn told(error: &clap::Error) -> u8 {
    let printed = error.print().and_then(|()| io::stdout().flush());
    match printed {
        // A closed standard error is no reason to say anything else.
        Err(why) if !error.use_stderr() => {
            let why = CommandError::Output(why);
            why.report();
            why.exit_code()
        }
        _ => error.exit_code() as u8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_command_shows_an_example() {
        for command in Arguments::command().get_subcommands() {
            let help = command.get_after_help().map(|help| help.ansi().to_string());
            assert!(
                help.is_some_and(|help| help.contains("Examples:\n  flitsim")),
                "{}",
                command.get_name()
            );
        }
    }

    #[test]
    fn paragraphs_are_joined_and_examples_are_not() {
        let text = "Examples:\n  one\n  two\n\nA paragraph\nof two lines.\n\nKinds:\n  a\nand b";
        let wanted = "Examples:\n  one\n  two\n\nA paragraph of two lines.\n\nKinds:\n  a\nand b";
        assert_eq!(unwrapped(text), wanted);
    }

    #[test]
    fn a_negative_number_is_a_value_and_not_a_flag() {
        command_line().debug_assert();
        let told = |words: &str| {
            let words = words.split(' ');
            let parsed = command_line().try_get_matches_from(words);
            parsed.map_or_else(|error| error.to_string(), |_| String::new())
        };
        assert_eq!(told("flitsim run a.toml --load -1"), "");
        for (words, wanted) in [
            (
                "run a.toml --seed -1",
                "invalid value '-1' for '--seed <N>'",
            ),
            ("run a.toml --color -1", "[possible values: auto"),
            ("run a.toml --threads -1", "-1 is not in 1..="),
            ("sweep a.toml --jobs -1", "-1 is not in 1..="),
            ("saturate a.toml --tolerance -1", "from 0.001 to 0.5"),
            ("plot a.csv -o a.svg --width -5", "-5 is not in 200..="),
        ] {
            let told = told(&format!("flitsim {words}"));
            assert!(told.contains(wanted) && !told.contains("'-- -"), "{told}");
        }
        // A file whose name begins so is more often a slip.
        assert!(told("flitsim sweep a.toml --out -1").contains("unexpected argument '-1'"));
    }
}
