//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

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

Exit codes: 0 done, 1 a run failed, 2 bad input. A saturated point is a result, not a failure.
docs/scenario-format.md lists every key of a scenario file."
)]
pub struct Arguments {
    /// Results only: no progress, no notes, no warnings
    #[arg(long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say more about what is being done
    #[arg(long, global = true)]
    pub verbose: bool,
    /// When to use colour; `auto` uses it on terminals, unless NO_COLOR is set
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = Colour::Auto)]
    pub color: Colour,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
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

/// What to do.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Simulate one operating point and print its statistics
    Run(RunArguments),
    /// Simulate every point of every series and write tables, curves and a report
    Sweep(SweepArguments),
}

/// `flitsim run`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim run scenarios/first-curve.toml
  flitsim run scenarios/first-curve.toml --load 0.3
  flitsim run scenarios/first-curve.toml --load 0.3 --seed 2 --format json

A scenario with one series prints one JSON object, one with several an array of them. The keys are
the columns of points.csv, and wall_seconds, flit_hops, flit_hops_per_second.")]
pub struct RunArguments {
    /// The scenario file (TOML)
    pub scenario: PathBuf,
    /// Offered load, in the unit of the scenario's `load_unit`; the default is the scenario's first
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub load: Option<f64>,
    /// Seed of every random number, instead of the scenario's
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// How to print the statistics
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Run even where the routing can deadlock: a deadlock ends its point and is reported
    #[arg(long)]
    pub allow_deadlock: bool,
}

/// How to print results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Aligned columns for people
    Table,
    /// JSON for programs
    Json,
}

/// `flitsim sweep`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim sweep scenarios/first-curve.toml
  flitsim sweep scenarios/first-curve.toml --out out/mine --jobs 2 --overwrite

Writes points.csv, curves.svg, report.html and manifest.json. The files have the same bytes whatever
the number of jobs.")]
pub struct SweepArguments {
    /// The scenario file (TOML)
    pub scenario: PathBuf,
    /// The folder of the results; the default is out/ and the scenario file's stem
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Points simulated at once; the default is one for each core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Seed of every random number, instead of the scenario's
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Replace the results that the folder holds
    #[arg(long)]
    pub overwrite: bool,
    /// Run even where the routing can deadlock: a deadlock ends its point and is reported
    #[arg(long)]
    pub allow_deadlock: bool,
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
