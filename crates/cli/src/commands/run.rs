//! `flitsim run`: one operating point of every series.

use crate::args::Format;
use crate::console::Console;
use crate::error::CommandError;
use crate::interrupt;
use crate::output::{print, print_json};
use crate::progress::point::Spinner;
use crate::series;
use crate::statistics::{Timed, details_text, memory_text, table};
use crate::workers::tell_capped;
use clap::{Args, ValueEnum};
use flitsim_measure::EngineChoice;
use flitsim_measure::point::{PointResult, Status};
use flitsim_scenario::plan::Load;
use flitsim_scenario::proof::{ProvedPlan, ProvedSeries};
use flitsim_scenario::{Overrides, SeriesPlan};
use flitsim_sweep::checkpoint::{Checkpoint, Every};
use flitsim_sweep::results::Row;
use flitsim_sweep::results::details::table as table_of;
use flitsim_sweep::threads::Workers;
use flitsim_sweep::{Kernel, PointError, Simulator};
use serde_json::Value;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Simulate one operating point and print its statistics
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim run scenarios/first-curve.toml
  flitsim run scenarios/first-curve.toml --load 0.3 --series mesh
  flitsim run scenarios/first-curve.toml --load 0.3 --seed 2 --format json
  flitsim run scenarios/first-curve.toml --load 0.3 --series mesh --checkpoint mesh.state

With --checkpoint, a run that is killed continues from FILE when the same command is given again, and
ends with the same statistics. At Ctrl-C or SIGTERM, its state at that moment is saved. FILE is refused
if it belongs to another simulation or another version, or is damaged. With several series, Ctrl-C prints
those simulated so far and gives up the rest.

With --format json, one series is printed as one object, several as an array of objects. The keys are the
columns of points.csv, and wall_seconds, flit_hops and flit_hops_per_second. If the scenario's [measure]
has `details`, these are added.")]
pub struct Run {
    /// The scenario file (TOML)
    pub scenario: PathBuf,
    /// Offered load, in the scenario's `load_unit`; the default is the scenario's first load. For a closed
    /// loop its `outstanding`, for a batch its `packets`
    #[arg(long, value_name = "X")]
    pub load: Option<f64>,
    /// Simulate only this series: its name, its number, or a part of its name that no other has
    #[arg(long, value_name = "SERIES")]
    pub series: Option<String>,
    /// Seed of every random number, instead of the scenario's
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub seed: Option<u64>,
    /// How to print the statistics
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// The most threads for a point. The default is one; for large networks, if there are fewer points
    /// than cores, the points share all cores. The results are the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// The engine: the one that is expected to be faster, or the one asked for, where it can. The
    /// results are the same
    #[arg(long, hide = true, value_enum, default_value_t = Engine::Auto)]
    pub engine: Engine,
    /// Save the state of the simulation in FILE, and continue from FILE if it exists; for one series only
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// How often to save the state: simulated cycles, or a time such as 10min
    #[arg(
        long,
        value_name = "PERIOD",
        default_value = "60s",
        requires = "checkpoint"
    )]
    pub checkpoint_every: Every,
    /// Continue from FILE, which is not written to
    #[arg(long, value_name = "FILE")]
    pub restart: Option<PathBuf>,
    /// Run even if the routing can deadlock; a deadlock ends its point and is reported
    #[arg(long)]
    pub allow_deadlock: bool,
}

const IS_DAMAGED: &str =
    "holds a state that no simulation is in; without that file the run begins anew";

/// Series that are named one by one.
const NAMED_MOST: usize = 8;

const ONE_SERIES: &str = "a checkpoint is of one simulation: choose a series with --series";

/// Which engine simulates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// The one that is expected to be faster
    Auto,
    /// Router by router, those that are busy
    Sparse,
    /// Passes over all routers, where it can
    Dense,
}

impl From<Engine> for EngineChoice {
    fn from(engine: Engine) -> Self {
        match engine {
            Engine::Auto => Self::Auto,
            Engine::Sparse => Self::Sparse,
            Engine::Dense => Self::Dense,
        }
    }
}

/// Simulates and prints.
///
/// # Errors
/// A scenario that cannot be run, a run that fails or ends in a deadlock, an output that cannot be
/// written.
pub fn run(arguments: &Run, console: &Console) -> Result<(), CommandError> {
    let overrides = Overrides {
        seed: arguments.seed,
        load: arguments.load,
        allow_deadlock: arguments.allow_deadlock,
        are_loads_optional: arguments.series.is_some(),
    };
    let plan = console.read_plan(&arguments.scenario, overrides)?;
    let only = series::wanted_of(&plan, arguments.series.as_deref())?;
    console.check_loads(&plan, only)?;
    let plan = console.prove(plan, arguments.allow_deadlock)?;
    let workers = Workers::new(None, arguments.threads, arguments.allow_deadlock);
    let kernel = Kernel {
        threads: tell_capped(console, workers).among(1),
        engine: arguments.engine.into(),
    };
    let series = plan.proved_series().enumerate();
    let chosen = series.filter(|(index, _)| only.is_none_or(|only| only == *index));
    let chosen: Vec<ProvedSeries<'_>> = chosen.map(|(_, series)| series).collect();
    if arguments.is_kept() && chosen.len() > 1 {
        return Err(CommandError::Input(ONE_SERIES.to_owned()));
    }
    let mut points = Vec::with_capacity(chosen.len());
    let mut faults = Vec::new();
    for series in &chosen {
        match arguments.simulate(console, &plan, series, kernel) {
            Ok(point) => points.push(point),
            Err(error) if points.is_empty() => return Err(error),
            Err(error) => {
                faults.extend((!interrupt::is_asked_for()).then(|| error.to_string()));
                faults.push(stopped(&chosen[points.len()..], chosen.len()));
                break;
            }
        }
        if points.len() < chosen.len() {
            // What is finished is printed at the end, which Ctrl-C must get to.
            interrupt::listen();
        }
    }
    match arguments.format {
        Format::Table => {
            let details: String = points.iter().map(details_text).collect();
            print((table(&points) + &details).as_bytes())?;
        }
        Format::Json if chosen.len() == 1 => print_json(&points[0].to_json())?,
        Format::Json => print_json(&Value::Array(points.iter().map(Timed::to_json).collect()))?,
    }
    let deadlocked = points.iter().filter(|p| p.row.status == Status::Deadlock);
    faults.splice(..0, deadlocked.map(deadlock));
    if faults.is_empty() {
        return Ok(());
    }
    Err(CommandError::Failed(faults.join("\n")))
}

/// What a user is told of `rest`, which were not simulated of `all` series.
fn stopped(rest: &[ProvedSeries<'_>], all: usize) -> String {
    let named = rest.iter().take(NAMED_MOST);
    let named: Vec<String> = named.map(|series| format!("\"{}\"", series.name)).collect();
    let more = match rest.len().saturating_sub(NAMED_MOST) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "stopped before {} of {all} series were simulated: {}{more}",
        rest.len(),
        named.join(", ")
    )
}

/// What `simulate` says, which goes on from the state in the file `begun`.
fn going_on(
    begun: Option<&Path>,
    simulate: impl FnOnce() -> Result<PointResult, PointError>,
) -> Result<PointResult, PointError> {
    catch_unwind(AssertUnwindSafe(simulate)).unwrap_or_else(|panic| match begun {
        // A state that no simulation is in, whatever its hash says.
        Some(file) => Err(format!("{} {IS_DAMAGED}", file.display()).into()),
        None => resume_unwind(panic),
    })
}

impl Run {
    /// Whether there is a state to be read or kept.
    fn is_kept(&self) -> bool {
        self.checkpoint.is_some() || self.restart.is_some()
    }

    /// Simulates `series` of `plan`.
    fn simulate(
        &self,
        console: &Console,
        plan: &ProvedPlan,
        series: &ProvedSeries<'_>,
        kernel: Kernel,
    ) -> Result<Timed, CommandError> {
        let load = series.loads[0];
        let checkpoint = self.checkpoint(console, series, load, plan.seed)?;
        let before = checkpoint.as_ref().map_or(0.0, Checkpoint::seconds_before);
        let begun = checkpoint.as_ref().and_then(Checkpoint::goes_on_from);
        let begun = begun.map(Path::to_owned);
        let spinner = Spinner::new(console.shown(), &series.name, load.in_unit, checkpoint);
        let start = Instant::now();
        let simulate = || kernel.simulate(series, load, plan.seed, &spinner);
        let result =
            going_on(begun.as_deref(), simulate).map_err(|error| self.failed(series, &error))?;
        let wall = start.elapsed() + Duration::from_secs_f64(before);
        if let Some(engine) = spinner.engine() {
            console.detail(format_args!("{}: {engine}", series.name));
        }
        console.detail(memory_text(series, &spinner.finish()).trim_end());
        Ok(Timed {
            row: Row::new(plan, series, load, &result),
            // What is always known, the histogram, is for the report; here it is asked for.
            details: (series.measure.details.iter())
                .filter_map(|detail| Some((detail, table_of(detail, series, &result)?)))
                .collect(),
            result,
            wall,
        })
    }

    /// `error` has ended the point of `series`.
    fn failed(&self, series: &SeriesPlan, error: &PointError) -> CommandError {
        CommandError::Failed(match &self.checkpoint {
            Some(file) if interrupt::is_asked_for() && file.exists() => {
                format!("stopped; the same command goes on from {}", file.display())
            }
            _ => format!("series {}: {error}", series.name),
        })
    }

    /// Where the point of `series` at `load` is kept and goes on from, if it is to.
    fn checkpoint<'c>(
        &self,
        console: &'c Console,
        series: &SeriesPlan,
        load: Load,
        seed: u64,
    ) -> Result<Option<Checkpoint<'c>>, CommandError> {
        if !self.is_kept() {
            return Ok(None);
        }
        let mut checkpoint = Checkpoint::of(series, load, seed);
        let kept = self.checkpoint.as_ref();
        // What is kept is further than what it was restarted from.
        let begun = kept.filter(|file| file.exists());
        if let Some(file) = begun.or(self.restart.as_ref()) {
            checkpoint = checkpoint
                .going_on_from(file)
                .map_err(|error| CommandError::Input(error.to_string()))?;
            console.detail(format_args!("going on from {}", file.display()));
        }
        if let Some(file) = kept {
            Checkpoint::can_be_kept_in(file).map_err(|error| {
                let file = file.display();
                CommandError::Input(format!(
                    "cannot keep the state of the simulation in {file}: {error}"
                ))
            })?;
            checkpoint = checkpoint.kept_in(file, self.checkpoint_every, |file, error| {
                tell_not_kept(console, file, error);
            });
            interrupt::listen();
        }
        Ok(Some(checkpoint))
    }
}

/// The state of a point could not be kept in `file`.
pub fn tell_not_kept(console: &Console, file: &Path, error: &io::Error) {
    console.warn(format_args!(
        "cannot keep the state of the simulation in {}: {error}; it goes on",
        file.display()
    ));
}

fn deadlock(point: &Timed) -> String {
    let what = point.result.deadlock.as_ref().map_or_else(
        || "deadlock: packets wait on one another for ever".to_owned(),
        |report| report.sentence(usize::MAX),
    );
    format!("series {}: {what}", point.row.series)
}
