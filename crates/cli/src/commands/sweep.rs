//! `flitsim sweep`: every point of every series, into a folder.

use crate::console::Console;
use crate::error::CommandError;
use crate::interrupt;
use crate::progress::search::SearchBar;
use crate::progress::sweep::SweepBar;
use crate::workers::{in_pool, with_room};
use clap::Args;
use flitsim_measure::measurement::details::Details;
use flitsim_measure::point::PointResult;
use flitsim_report::chart;
use flitsim_report::figure::Figure;
use flitsim_report::frame::Size;
use flitsim_report::page::Page;
use flitsim_report::prospect::Prospect;
use flitsim_scenario::Overrides;
use flitsim_scenario::plan::Plan;
use flitsim_scenario::proof::ProvedPlan;
use flitsim_sweep::results::details::file;
use flitsim_sweep::results::folder::{CURVES, FolderError, MANIFEST, OutputFolder, POINTS, REPORT};
use flitsim_sweep::results::number::brief;
use flitsim_sweep::results::{
    self, Existing, Finished, Manifest, PointState, SweepState, keys_of, points_of,
};
use flitsim_sweep::saturation::auto;
use flitsim_sweep::threads::Workers;
use flitsim_sweep::{Kernel, Outcome, SweepError, summary};
use std::path::Path;
use std::path::PathBuf;

/// Simulate every point of every series and write tables, curves and a report
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
pub struct Sweep {
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

/// Simulates and writes.
///
/// # Errors
/// A scenario that cannot be run, a folder that holds results or cannot be written to; points that
/// failed or ran into a deadlock, after all others are done.
pub fn run(arguments: &Sweep, console: &Console) -> Result<(), CommandError> {
    let overrides = Overrides {
        seed: arguments.seed,
        load: None,
        allow_deadlock: arguments.allow_deadlock,
    };
    let workers = Workers::new(arguments.jobs, arguments.threads, arguments.allow_deadlock);
    let jobs = workers.jobs_asked();
    let mut plan = in_pool(jobs, || {
        let plan = console.read_plan(&arguments.scenario, overrides)?;
        Ok::<_, CommandError>(console.prove(plan, arguments.allow_deadlock)?)
    })??;
    let workers = with_room(workers, &plan, points_of(&plan).count(), console);
    let path = match &arguments.out {
        Some(path) => path.clone(),
        None => Path::new("out").join(&plan.scenario),
    };
    let existing = match (arguments.resume, arguments.overwrite) {
        (true, _) => Existing::Resume,
        (false, true) => Existing::Replace,
        (false, false) => Existing::Refuse,
    };
    let mut folder = OutputFolder::create(&path, existing)?;
    place_loads(&mut plan, workers, console)?;
    let allows_deadlock = arguments.allow_deadlock;
    let outcome = simulate(&plan, &mut folder, workers, allows_deadlock, console)?;

    let prospects = in_pool(jobs, || Prospect::of_each(&plan))?;
    let results = Results {
        plan: &plan,
        allows_deadlock,
        outcome: &outcome,
        prospects: &prospects,
    };
    write_details(&folder, &plan, &outcome)?;
    write_results(&folder, &results)?;
    let files = [POINTS, CURVES, REPORT, MANIFEST].into_iter();
    let files: Vec<&str> = files.chain(details_of(&plan).iter().map(file)).collect();
    console.note(format_args!(
        "{}\nResults are in {}: {}",
        summary::table(&plan, &outcome.rows, &Prospect::zero_loads(&prospects)),
        folder.path().display(),
        files.join(", "),
    ));
    match outcome.pending() {
        0 => verdict(&plan, &outcome),
        pending => Err(CommandError::Failed(format!(
            "stopped before {pending} of {} points; the others are kept in {}, and the same command \
             with --resume simulates the rest",
            outcome.points.len(),
            folder.path().display(),
        ))),
    }
}

/// Simulates the points that `folder` does not hold yet.
fn simulate(
    plan: &ProvedPlan,
    folder: &mut OutputFolder,
    workers: Workers,
    allows_deadlock: bool,
    console: &Console,
) -> Result<Outcome, CommandError> {
    let keys = keys_of(plan);
    let restored: Vec<Option<Finished>> = points_of(plan)
        .zip(&keys)
        .map(|((series, load), key)| folder.store().get(key, plan, series, load))
        .collect();
    folder.restore(restored.iter().flatten())?;
    let manifest = Manifest {
        plan,
        allows_deadlock,
        state: SweepState::Running,
        points: &[],
    };
    folder.replace(MANIFEST, manifest.to_json().as_bytes())?;
    match restored.iter().flatten().count() {
        0 => {}
        count => console.note(format_args!(
            "{count} of {} points are kept from earlier runs",
            keys.len()
        )),
    }
    let bar = SweepBar::new(plan, console.progress()).with_lines(console.lines());
    interrupt::listen();
    let points: Vec<_> = points_of(plan).collect();
    let sink = |index: usize, point: &Finished, result: &PointResult| {
        folder.append_details(&keys[index], points[index].0, result)?;
        folder.append(&keys[index], point)
    };
    let missing = restored.iter().filter(|point| point.is_none()).count();
    let kernel = Kernel {
        threads: workers.among(missing),
    };
    let swept = flitsim_sweep::run(plan, &kernel, workers.jobs(), restored, &bar, sink);
    bar.finish();
    let outcome = swept?;
    if outcome.pending() == 0 {
        folder.keep_only(&keys)?;
    }
    Ok(outcome)
}

/// Searches for the loads of the series that leave them to flitsim.
fn place_loads(
    plan: &mut ProvedPlan,
    workers: Workers,
    console: &Console,
) -> Result<(), CommandError> {
    if plan.series.iter().all(|series| series.loads_auto.is_none()) {
        return Ok(());
    }
    let searched = plan
        .series
        .iter()
        .filter(|s| s.loads_auto.is_some())
        .count();
    let bar = SearchBar::new(console.progress()).with_lines(console.lines(), searched);
    let found = in_pool(workers.jobs(), || {
        auto::place(plan, workers.among(searched), &bar)
    });
    bar.finish();
    let found = found?.map_err(|error| CommandError::Failed(error.to_string()))?;
    for (series, found) in plan.series.iter().zip(&found) {
        let Some(found) = found else { continue };
        let in_unit = |flits: f64| brief(flits / series.load_scale.flits_per_unit, 3);
        console.detail(format_args!(
            "series {}: saturation at {} – {} {}, found in {} cycles",
            series.name,
            in_unit(found.low),
            in_unit(found.high),
            series.load_unit,
            found.cycles,
        ));
    }
    Ok(())
}

/// A sweep that has ended, one way or the other.
struct Results<'a> {
    plan: &'a Plan,
    allows_deadlock: bool,
    outcome: &'a Outcome,
    prospects: &'a [Option<Prospect>],
}

fn write_results(folder: &OutputFolder, results: &Results) -> Result<(), FolderError> {
    let Results { plan, outcome, .. } = *results;
    folder.rewrite_points(&outcome.rows)?;
    let figure = Figure::of(plan, &outcome.rows, results.prospects);
    let curves = chart::latency(&figure, Size::WIDE, "plot");
    folder.replace(CURVES, curves.as_bytes())?;
    let extras = results::read::extras(folder.path(), plan, &keys_of(plan), &outcome.rows);
    let page = Page {
        plan,
        rows: &outcome.rows,
        extras: &extras,
        prospects: results.prospects,
        figure: &figure,
        failed: outcome.failures().count(),
        pending: outcome.pending(),
        allows_deadlock: results.allows_deadlock,
        version: env!("CARGO_PKG_VERSION"),
    };
    folder.replace(REPORT, page.to_html().as_bytes())?;
    let manifest = Manifest {
        plan,
        allows_deadlock: results.allows_deadlock,
        state: outcome.state(),
        points: &outcome.points,
    };
    folder.replace(MANIFEST, manifest.to_json().as_bytes())
}

/// The details that some series asks for.
fn details_of(plan: &Plan) -> Details {
    let details = plan.series.iter().map(|series| series.measure.details);
    details.fold(Details::default(), Details::union)
}

fn write_details(folder: &OutputFolder, plan: &Plan, outcome: &Outcome) -> Result<(), FolderError> {
    let keys = keys_of(plan);
    let points = points_of(plan).zip(&keys).zip(&outcome.points);
    let done = points.filter(|(_, state)| matches!(state, PointState::Done(_)));
    let done: Vec<_> = done
        .zip(&outcome.rows)
        .map(|((((series, _), key), _), row)| (row, key.as_str(), series))
        .collect();
    for detail in details_of(plan).iter() {
        folder.write_details(detail, done.iter().copied())?;
    }
    Ok(())
}

/// Channels of a deadlock that a line names.
const CHANNELS_NAMED_MOST: usize = 32;

/// Whether every point ran, and none into a deadlock.
fn verdict(plan: &Plan, outcome: &Outcome) -> Result<(), CommandError> {
    let points: Vec<_> = points_of(plan).collect();
    let mut faults: Vec<(usize, String)> = outcome
        .failures()
        .map(|(index, error)| (index, error.to_owned()))
        .collect();
    let deadlocks = outcome.deadlocks.iter();
    faults.extend(deadlocks.map(|(index, report)| (*index, report.sentence(CHANNELS_NAMED_MOST))));
    if faults.is_empty() {
        return Ok(());
    }
    faults.sort();
    let lines: Vec<String> = faults
        .iter()
        .map(|(index, fault)| {
            let (series, load) = points[*index];
            format!("series {}, load {}: {fault}", series.name, load.in_unit)
        })
        .collect();
    Err(CommandError::Failed(lines.join("\n")))
}

impl From<FolderError> for CommandError {
    fn from(error: FolderError) -> Self {
        match error.exit_code() {
            2 => Self::Input(error.to_string()),
            _ => Self::Failed(error.to_string()),
        }
    }
}

impl From<SweepError<FolderError>> for CommandError {
    fn from(error: SweepError<FolderError>) -> Self {
        match error {
            SweepError::Sink(error) => error.into(),
            SweepError::Threads(_) => Self::Failed(error.to_string()),
        }
    }
}
