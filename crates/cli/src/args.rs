//! The command line.

mod desk;
mod look;

pub use desk::{CompletionsArguments, ManArguments, NewArguments, SchemaArguments};
pub use look::{PlotArguments, ReportArguments, WatchArguments};

use anstream::ColorChoice;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
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
  flitsim saturate scenarios/saturation.toml
  flitsim model scenarios/model.toml
  flitsim topology torus:radix=8,dimensions=2
  flitsim new mesh -o mesh.toml

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
    /// How to tell progress, on standard error; `json` writes a line for each event, see
    /// docs/progress.md
    #[arg(long, global = true, value_enum, value_name = "HOW", default_value_t = ProgressForm::Auto)]
    pub progress: ProgressForm,
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
    /// Bars on terminals, unless --quiet
    Auto,
    /// A line of JSON for each event, terminal or not, under --quiet too
    Json,
    /// Not at all
    None,
}

/// What to do.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Simulate one operating point and print its statistics
    Run(RunArguments),
    /// Simulate every point of every series and write tables, curves and a report
    Sweep(SweepArguments),
    /// Find the saturation throughput of every series by search, with an interval
    Saturate(SaturateArguments),
    /// Evaluate the analytical model that fits each series over the same loads
    Model(ModelArguments),
    /// Build networks and print their properties, their graph or their picture
    Topology(TopologyArguments),
    /// Prove a routing free of deadlock, or show the cycle in which packets can wait for ever
    Verify(VerifyArguments),
    /// Draw curves of one or several CSV files
    Plot(PlotArguments),
    /// Write one self-contained HTML page from the folder of a sweep or of a reproduction
    Report(ReportArguments),
    /// Reproduce papers: their tables and figures computed or simulated, their claims checked
    Reproduce(ReproduceArguments),
    /// Watch a network at work in the terminal: channels, buffers, load and latency as they change
    Watch(WatchArguments),
    /// Write a commented starter scenario for a network
    New(NewArguments),
    /// Print the JSON Schema of scenario files, for editors
    Schema(SchemaArguments),
    /// Print completions for a shell
    Completions(CompletionsArguments),
    /// Print a manual page
    Man(ManArguments),
}

impl Command {
    /// Its name on the command line.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Run(_) => "run",
            Self::Sweep(_) => "sweep",
            Self::Saturate(_) => "saturate",
            Self::Model(_) => "model",
            Self::Topology(_) => "topology",
            Self::Verify(_) => "verify",
            Self::Plot(_) => "plot",
            Self::Report(_) => "report",
            Self::Reproduce(_) => "reproduce",
            Self::Watch(_) => "watch",
            Self::New(_) => "new",
            Self::Schema(_) => "schema",
            Self::Completions(_) => "completions",
            Self::Man(_) => "man",
        }
    }
}

/// `flitsim reproduce`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim reproduce --list
  flitsim reproduce dally-k-ary-n-cubes fig8
  flitsim reproduce --full --out out/papers

Writes DIR/<paper>/<item>.csv and .svg for each table and figure, DIR/claims.csv with a verdict for
each claim of the papers, the same as a page into DIR/<paper>/claims.md, and a file for each simulated
point into DIR/points/. A run that is stopped checks what is done, and goes on with the same command. Exit code 1 where a verdict is not the one that claims.toml foresees.")]
pub struct ReproduceArguments {
    /// The paper; the default is every paper
    pub paper: Option<String>,
    /// One table or figure of it; the default is all
    pub item: Option<String>,
    /// The folder of the results
    #[arg(long, value_name = "DIR", default_value = "out/reproduce")]
    pub out: PathBuf,
    /// Small networks, few loads and coarse intervals: minutes; the default
    #[arg(long, conflicts_with = "full")]
    pub quick: bool,
    /// The papers' sizes: hours
    #[arg(long)]
    pub full: bool,
    /// Only list papers, their tables and figures
    #[arg(long)]
    pub list: bool,
    /// Points simulated at once; the default is one for each core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
}

/// `flitsim run`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim run scenarios/first-curve.toml
  flitsim run scenarios/first-curve.toml --load 0.3
  flitsim run scenarios/first-curve.toml --load 0.3 --seed 2 --format json

A scenario with one series prints one JSON object, one with several an array of them. The keys are
the columns of points.csv, and wall_seconds, flit_hops, flit_hops_per_second; with `details` in the
scenario's [measure], these too.")]
pub struct RunArguments {
    /// The scenario file (TOML)
    pub scenario: PathBuf,
    /// Offered load, in the unit of the scenario's `load_unit`; the default is the scenario's first.
    /// Of a closed loop or a batch, its `outstanding` or `packets`
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub load: Option<f64>,
    /// Seed of every random number, instead of the scenario's
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// How to print the statistics
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Threads for each point; the default is one, and for large networks all cores where there are
    /// fewer points than cores. The results are the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
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
  flitsim sweep scenarios/first-curve.toml --resume

Writes points.csv, curves.svg, report.html and manifest.json, a file for each of `details` in the
scenario's [measure], such as channels.csv, and what is known of each point into points/ as it
finishes. After Ctrl-C, a kill or an edit of the scenario, --resume simulates only what is
missing: a point is known by a hash of all that defines it. The files have the same bytes whatever
the number of jobs, interrupted or not.")]
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
    /// Go on with the results that the folder holds: simulate only what is missing in them
    #[arg(long, conflicts_with = "overwrite")]
    pub resume: bool,
    /// Replace the results that the folder holds
    #[arg(long)]
    pub overwrite: bool,
    /// Threads for each point; the default is one, and for large networks all cores where there are
    /// fewer points than cores. The results are the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Run even where the routing can deadlock: a deadlock ends its point and is reported
    #[arg(long)]
    pub allow_deadlock: bool,
}

/// `flitsim saturate`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim saturate scenarios/saturation.toml
  flitsim saturate scenarios/saturation.toml --format json
  flitsim saturate scenarios/first-curve.toml --tolerance 0.01 --seed 2

Saturation is the highest offered load that the network accepts, its source queues not growing. The
loads of the scenario do not matter, nor do its replicas. Prints the interval that holds it, its
ratio to the ideal bound (what the busiest channel can carry), and what is accepted at full
overload. JSON is an array with an object for each series, loads in its load_unit. The results are
the same whatever the number of jobs.")]
pub struct SaturateArguments {
    /// The scenario file (TOML)
    pub scenario: PathBuf,
    /// How to print what was found
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Width of the interval over the ideal bound; half of it is the error of the saturation load
    #[arg(long, value_name = "T", default_value_t = flitsim_sweep::saturation::TOLERANCE)]
    #[arg(value_parser = tolerance)]
    pub tolerance: f64,
    /// Seed of every random number, instead of the scenario's
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Series searched at once; the default is one for each core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Threads for each point; the default is one, and for large networks all cores where there are
    /// fewer points than cores. The results are the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Search even where the routing can deadlock: a load that ends in a deadlock is not stable
    #[arg(long)]
    pub allow_deadlock: bool,
}

fn tolerance(text: &str) -> Result<f64, String> {
    let range = 0.001..=0.5;
    match text.parse() {
        Ok(tolerance) if range.contains(&tolerance) => Ok(tolerance),
        _ => Err(
            "a tolerance is a number from 0.001 to 0.5; 0.02 means an interval of 2 % of the \
                  ideal bound"
                .to_owned(),
        ),
    }
}

/// `flitsim model`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim model scenarios/model.toml
  flitsim model scenarios/model.toml --format json

Nothing is simulated. One row for each load of each series, its columns: scenario, series, model,
load_unit, load, latency (empty above saturation), saturation_load, uncounted_cycles (what a
simulated latency has more without load). Series that no model fits are named in a warning; where
none fits, that is an error. `load = \"auto\"` is placed by the model's own saturation.
docs/models.md says which models there are, what they assume and what they leave out.")]
pub struct ModelArguments {
    /// The scenario file (TOML)
    pub scenario: PathBuf,
    /// How to print the curves
    #[arg(long, value_enum, default_value_t = ModelFormat::Csv)]
    pub format: ModelFormat,
}

/// How to print a model's curves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModelFormat {
    /// Columns with a header
    Csv,
    /// An array with an object for each row
    Json,
}

/// `flitsim topology`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim topology torus:radix=8,dimensions=2
  flitsim topology star:symbols=5 hypercube:dimensions=7
  flitsim topology express-cube:radix=16,dimensions=1,interval=4,levels=2 --format svg > cube.svg
  flitsim topology butterfly-fat-tree:processors=64 --format csv > tree.csv
  flitsim topology scenarios/first-curve.toml --series torus --format json

A topology in one word is kind:key=value,key=value with the keys of a scenario's [topology]; a list
has x between its numbers, as in radices=8x4x2. A scenario stands for the networks of its series.

One network prints one listing or one JSON object; several print a line each, or an array. What
csv and graphml write, `kind = \"file\"` reads back as the same network.")]
pub struct TopologyArguments {
    /// A topology in one word, or a scenario file (TOML); several are compared
    #[arg(required = true, value_name = "SPEC_OR_SCENARIO")]
    pub networks: Vec<String>,
    /// What to print
    #[arg(long, value_enum, default_value_t = TopologyFormat::Table)]
    pub format: TopologyFormat,
    /// Of a scenario with several series, the network of this one alone
    #[arg(long, value_name = "NAME")]
    pub series: Option<String>,
}

/// How to print a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TopologyFormat {
    /// Its properties, for people
    Table,
    /// Its properties, for programs
    Json,
    /// Its channels, and its nodes where there is more to say of them than a number
    Csv,
    /// Its graph as a GraphML document
    Graphml,
    /// Its graph in Graphviz's language
    Dot,
    /// Its picture
    Svg,
}

/// `flitsim verify`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim verify torus:radix=8,dimensions=2
  flitsim verify scenarios/first-curve.toml
  flitsim verify scenarios/first-curve.toml --series torus --format json
  flitsim verify scenarios/first-curve.toml --series torus --format svg > torus.svg

Exit codes: 0 where every routing is proved free of deadlock, 1 where one is not, 2 for a file that
cannot be read or a network that cannot be built. A topology in one word is proved under its default
routing.")]
pub struct VerifyArguments {
    /// A topology in one word, or a scenario file (TOML)
    #[arg(required = true, value_name = "SPEC_OR_SCENARIO")]
    pub networks: Vec<String>,
    /// How to print the proof
    #[arg(long, value_enum, default_value_t = VerifyFormat::Table)]
    pub format: VerifyFormat,
    /// Of a scenario with several series, this one alone
    #[arg(long, value_name = "NAME")]
    pub series: Option<String>,
}

/// How to print a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum VerifyFormat {
    /// For people
    Table,
    /// For programs
    Json,
    /// The network, with the cycle on it
    Svg,
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
