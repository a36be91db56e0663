//! What every command line may have: words and colours, and how progress is told.

use anstream::ColorChoice;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use flitsim_scenario::topology::TOPOLOGY;
use std::ffi::{OsStr, OsString};

/// Flags of every command.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub struct Globals {
    /// Results only: no progress, no notes, no warnings
    #[arg(long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say more about what is being done
    #[arg(long, global = true)]
    pub verbose: bool,
    /// When to use colour; `auto` uses it on terminals, unless NO_COLOR is set
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = Colour::Auto)]
    pub color: Colour,
    /// How to show progress, on standard error; `json` writes a line for each event (see
    /// docs/progress.md)
    #[arg(long, global = true, value_enum, value_name = "HOW", default_value_t = ProgressForm::Auto)]
    pub progress: ProgressForm,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On terminals, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Colour {
    /// What `arguments` ask for: help, and errors about the command line itself, are printed before there
    /// are any [`Arguments`].
    pub fn of_command_line(arguments: impl Iterator<Item = OsString>) -> Self {
        let words = arguments.map(|argument| argument.to_string_lossy().into_owned());
        let words: Vec<String> = words.take_while(|word| word != "--").collect();
        let next = words.iter().skip(1).map(Some).chain([None]);
        let asked = words.iter().zip(next).filter_map(|(word, next)| {
            let value = match word.strip_prefix("--color") {
                Some("") => next?.as_str(),
                Some(value) => value.strip_prefix('=')?,
                None => return None,
            };
            Self::from_str(value, false).ok()
        });
        asked.last().unwrap_or(Self::Auto)
    }

    /// Makes it the choice of the whole program.
    pub fn set(self) {
        match self {
            Self::Auto => ColorChoice::Auto,
            Self::Always => ColorChoice::Always,
            Self::Never => ColorChoice::Never,
        }
        .write_global();
    }
}

/// How to tell progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProgressForm {
    /// Bars on terminals, now and then a line elsewhere, unless --quiet
    Auto,
    /// A line of JSON for each event, on a terminal or not, even with --quiet
    Json,
    /// Not at all
    None,
}

/// How to print results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Aligned columns for people
    Table,
    /// JSON for programs
    Json,
}

/// A value that may be anything, of which a shell completes some.
#[derive(Clone)]
pub struct Suggested(pub fn() -> Vec<&'static str>);

impl TypedValueParser for Suggested {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.0)().into_iter().map(PossibleValue::new)))
    }
}

/// The kinds of networks.
pub fn kinds() -> Vec<&'static str> {
    let choices = TOPOLOGY.choices.iter();
    let variants = choices.flat_map(|choice| (choice.variants)());
    variants.map(|variant| variant.word).collect()
}
