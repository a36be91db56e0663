//! The command line of what is looked at: plots, reports, and a network at work.

use clap::Args;
use std::path::PathBuf;

/// `flitsim plot`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim plot out/first-curve/points.csv -o curves.svg
  flitsim plot before/points.csv after/points.csv -o compared.png --title \"Before and after\"
  flitsim plot out/mine/points.csv -o accepted.svg --x offered_flits --y accepted_flits
  flitsim plot out/mine/points.csv -o p99.svg --y latency_p99 --log-y

Each value of the column `series` is a curve; of several files, each with the name of its file.
Curves differ in colour, marker and dashes. A point without a value breaks its curve.")]
pub struct PlotArguments {
    /// The files: points.csv of sweeps, or any CSV with a header
    #[arg(required = true, value_name = "CSV")]
    pub files: Vec<PathBuf>,
    /// The picture: .svg or .png
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// The column along the horizontal axis
    #[arg(long, value_name = "COLUMN", default_value = "load")]
    pub x: String,
    /// The column along the vertical axis
    #[arg(long, value_name = "COLUMN", default_value = "latency_mean")]
    pub y: String,
    /// The column of the half-widths of intervals; the default is that of --y, where there is one
    #[arg(long, value_name = "COLUMN")]
    pub interval: Option<String>,
    /// Columns whose values tell curves apart, with commas between
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub series: Vec<String>,
    /// A logarithmic horizontal axis
    #[arg(long)]
    pub log_x: bool,
    /// A logarithmic vertical axis
    #[arg(long)]
    pub log_y: bool,
    /// Above the plot; the default is the first file's name
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Below the horizontal axis
    #[arg(long, value_name = "TEXT")]
    pub x_label: Option<String>,
    /// Beside the vertical axis
    #[arg(long, value_name = "TEXT")]
    pub y_label: Option<String>,
}

/// `flitsim report`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim report out/first-curve
  flitsim report out/reproduce

Writes DIR/report.html: one page that needs no network. Of a sweep (points.csv and manifest.json) it is
the page that the sweep wrote: curves to point at, the network coloured by the load of its channels,
histograms, tables, the scenario. Of a reproduction (claims.csv) it has every table and figure, and the
claims by verdict.")]
pub struct ReportArguments {
    /// The folder
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The scenario file of the sweep, where it reads other files: they are found from there
    #[arg(long, value_name = "FILE")]
    pub scenario: Option<PathBuf>,
}

/// `flitsim watch`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim watch scenarios/first-curve.toml
  flitsim watch scenarios/first-curve.toml --load 0.4 --series mesh

Networks of one or two dimensions are drawn as a heat map of channel use and queue lengths; of
others, how many channels are how busy. Keys: q or Ctrl-C to leave, space to pause, s to step a
cycle and S 256 of them, + and - for the speed, up and down for the load, v for buffers or source
queues, tab for the next series. What is simulated is what `flitsim run` simulates.")]
pub struct WatchArguments {
    /// The scenario file (TOML)
    pub scenario: PathBuf,
    /// Offered load at the start, in the unit of the scenario's `load_unit`; the default is the
    /// scenario's first. Of a closed loop or a batch, its `outstanding` or `packets`
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub load: Option<f64>,
    /// The series to begin with; the default is the first
    #[arg(long, value_name = "NAME")]
    pub series: Option<String>,
    /// Seed of every random number, instead of the scenario's
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Run even where the routing can deadlock: a deadlock is shown when it is there
    #[arg(long)]
    pub allow_deadlock: bool,
}
