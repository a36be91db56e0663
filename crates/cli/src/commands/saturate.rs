//! `flitsim saturate`: the saturation throughput of every series.

use crate::console::Console;
use crate::error::CommandError;
use crate::interrupt::{self, Haste};
use crate::output::{print, print_json};
use crate::progress::search::SearchBar;
use crate::series;
use crate::survey::ThroughputMethod;
use crate::workers::{in_pool, tell_capped, tell_short};
use clap::{Args, ValueEnum};
use flitsim_measure::simulate::SimulateError;
use flitsim_scenario::error::Fault;
use flitsim_scenario::proof::{ProvedPlan, ProvedSeries};
use flitsim_scenario::{Overrides, Plan, ScenarioError, SeriesPlan};
use flitsim_sweep::results::number::{brief, field, rounded};
use flitsim_sweep::saturation::{Ending, Saturation, SearchSettings, Searches, cycles_least, find};
use flitsim_sweep::summary::aligned;
use flitsim_sweep::threads::{Threads, Workers};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Find the saturation throughput of every series by search, with an interval
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim saturate scenarios/saturation.toml
  flitsim saturate scenarios/saturation.toml --format json
  flitsim saturate scenarios/first-curve.toml --series torus
  flitsim saturate scenarios/saturation.toml --format csv > saturation.csv
  flitsim saturate scenarios/first-curve.toml --tolerance 0.01 --seed 2

Saturation is the highest offered load that the network accepts without its source queues growing. The
loads and replicas of the scenario do not matter. Prints the interval that holds the saturation load,
the ratio of this load to the ideal bound (what the busiest channel can carry), and the load accepted at
full overload.

JSON is an array with an object for each series, with loads in its load_unit. CSV has a row for each series;
its last columns are the keys in which the series differ. `flitsim plot` draws the CSV with
`--y saturation_load --interval half_width`. The results are the same whatever the number of jobs. Ctrl-C
prints the series found so far and gives up the rest.")]
pub struct Saturate {
    /// The scenario file (TOML)
    pub scenario: PathBuf,
    /// Search only this series: its name, its number, or a part of its name that no other has
    #[arg(long, value_name = "SERIES")]
    pub series: Option<String>,
    /// How to print the results
    #[arg(long, value_enum, default_value_t = Form::Table)]
    pub format: Form,
    /// Width of the interval as a fraction of the ideal bound; half of it is the error of the saturation
    /// load
    #[arg(long, value_name = "T", default_value_t = flitsim_sweep::saturation::TOLERANCE)]
    #[arg(value_parser = tolerance)]
    pub tolerance: f64,
    /// Seed of every random number, instead of the scenario's
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub seed: Option<u64>,
    /// Series searched at once; the default is one for each core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// The most threads for a point. The default is one; for large networks, if there are fewer points
    /// than cores, the points share all cores. The results are the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Search even if the routing can deadlock; a load that ends in a deadlock is not stable
    #[arg(long)]
    pub allow_deadlock: bool,
}

/// How to print what was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// Aligned columns for people
    Table,
    /// JSON for programs
    Json,
    /// A row for each series
    Csv,
}

fn tolerance(text: &str) -> Result<f64, String> {
    // What is no number is no tolerance either.
    within_tolerances(text.parse().unwrap_or(f64::NAN))
}

/// `tolerance`, where a search can have it.
///
/// # Errors
/// Which it can have.
pub fn within_tolerances(tolerance: f64) -> Result<f64, String> {
    match (0.001..=0.5).contains(&tolerance) {
        true => Ok(tolerance),
        false => Err(
            "a tolerance is a number from 0.001 to 0.5; 0.02 means an interval of 2 % of the \
                  ideal bound"
                .to_owned(),
        ),
    }
}

/// Channels of a deadlock that a line names.
const CHANNELS_NAMED_MOST: usize = 32;

/// Searches and prints.
///
/// # Errors
/// A scenario that cannot be run, a search that fails or meets a deadlock, an output that cannot be
/// written.
pub fn run(arguments: &Saturate, console: &Console) -> Result<(), CommandError> {
    let overrides = Overrides {
        seed: arguments.seed,
        allow_deadlock: arguments.allow_deadlock,
        are_loads_optional: true,
        ..Overrides::default()
    };
    let workers = Workers::new(arguments.jobs, arguments.threads, arguments.allow_deadlock);
    let jobs = tell_capped(console, workers).jobs_asked();
    let plan = in_pool(jobs, || {
        let mut plan = console.read_plan(&arguments.scenario, overrides)?;
        if let Some(only) = series::wanted_of(&plan, arguments.series.as_deref())? {
            plan.series = vec![plan.series.swap_remove(only)];
        }
        refuse_workloads(&plan)?;
        Ok::<_, CommandError>(console.prove(plan, arguments.allow_deadlock)?)
    })??;
    let series = plan.series.len();
    let workers = workers.within_memory(&plan, series, |points, bytes| {
        tell_short(console, points, bytes);
    });
    let bar = SearchBar::new(console.shown(), series);
    // What is found is printed at the end, which Ctrl-C must get to once there is something.
    interrupt::end(Haste::Soon(stopped(series, series)));
    interrupt::listen();
    let searched = in_pool(workers.jobs(), || {
        search(&plan, arguments.tolerance, workers.among(series), &bar)
    });
    bar.finish();
    let (mut found, mut failed, mut stopped) = (Vec::new(), Vec::new(), 0);
    for (series, searched) in plan.series.iter().zip(searched?) {
        match searched {
            Ok(saturation) => found.push((series, saturation)),
            Err(SimulateError::Cancelled) => stopped += 1,
            Err(error) => failed.push(format!("series \"{}\": {error}", series.name)),
        }
    }
    for (series, found) in &found {
        if let Some(remark) = remark(series, found) {
            console.warn(format_args!("series \"{}\": {remark}", series.name));
        }
    }
    let objects = || found.iter().map(|(series, found)| object(series, found));
    match arguments.format {
        Form::Table if found.is_empty() => {}
        Form::Table => print(table(&found).as_bytes())?,
        Form::Json => print_json(&Value::Array(objects().collect()))?,
        Form::Csv => print(&csv(objects()))?,
    }
    failed.extend(found.iter().filter_map(|(series, found)| {
        let (load, report) = found.deadlock.as_ref()?;
        let load = in_unit(series, *load);
        let sentence = report.sentence(CHANNELS_NAMED_MOST);
        Some(format!("series {}, load {load}: {sentence}", series.name))
    }));
    if stopped > 0 {
        failed.push(self::stopped(stopped, plan.series.len()));
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(CommandError::Failed(failed.join("\n"))),
    }
}

/// What a user is told who does not wait for `stopped` of `all` series.
fn stopped(stopped: usize, all: usize) -> String {
    format!("stopped before the saturation of {stopped} of {all} series was found")
}

/// A saturation is that of an open loop.
///
/// # Errors
/// A series that is none.
pub fn refuse_workloads(plan: &Plan) -> Result<(), ScenarioError> {
    for series in &plan.series {
        if let Some(workload) = &series.workload {
            let message = format!(
                "`flitsim saturate` searches the load that saturates an open loop, and series \
                 \"{}\" is {}",
                series.name,
                workload.name()
            );
            let fault = Fault::new(series.workload_place.clone(), message)
                .label("not an open loop")
                .help(
                    "`flitsim run` and `flitsim sweep` simulate it; a closed loop with many \
                     requests outstanding shows what the network can deliver",
                );
            return Err(ScenarioError::new(&plan.path, &plan.text, fault));
        }
    }
    Ok(())
}

/// Searches all series side by side, in the pool that it is called in; `searches` watches. One that fails or is given up
/// does not end the others.
pub fn search(
    plan: &ProvedPlan,
    tolerance: f64,
    threads: Threads,
    searches: &dyn Searches,
) -> Vec<Result<Saturation, SimulateError>> {
    let series: Vec<ProvedSeries<'_>> = plan.proved_series().collect();
    let of = |series: &ProvedSeries<'_>| {
        let settings = SearchSettings {
            threads: threads.of(series),
            ..SearchSettings::new(tolerance, plan.seed)
        };
        find(series, settings, &*searches.started(series))
    };
    flitsim_topology::parallel::map(series.len(), |index| of(&series[index]))
}

/// A load in the unit of `series`, to the digits of results.
fn in_unit(series: &SeriesPlan, flits: f64) -> Value {
    let load = flits / series.load_scale.flits_per_unit;
    rounded(load).map_or(Value::Null, Value::from)
}

/// How the ideal bound of `series` is found. An adaptive routing may do better than with an even split.
fn method(series: &SeriesPlan) -> ThroughputMethod {
    ThroughputMethod::of_loads(&series.routing, &series.network)
}

/// What was found in `series`, as JSON.
pub fn object(series: &SeriesPlan, found: &Saturation) -> Value {
    let load = |flits| in_unit(series, flits);
    let ratio = found.ideal_bound.zip(headline(found));
    let ratio = ratio.and_then(|(bound, saturation)| rounded(saturation / bound));
    let mut object = json!({
        "series": series.name,
        "saturation_load": headline(found).map_or(Value::Null, load),
        "low": load(found.low),
        "high": load(found.high),
        "half_width": load((found.high - found.low) / 2.0),
        "load_unit": series.load_unit,
        "ideal_bound": found.ideal_bound.map_or(Value::Null, load),
        "ideal_bound_method": found.ideal_bound.map(|_| method(series).name()),
        "ratio_to_ideal": ratio.map_or(Value::Null, Value::from),
        "overload": load(found.overload),
        "accepted_at_overload": load(found.accepted_at_overload),
        "cycles": found.cycles,
        "points": found.points,
        "status": found.ending.as_str(),
    });
    for parameter in &series.parameters {
        object[&parameter.name] = parameter.value.clone();
    }
    object
}

/// The columns of CSV, before the keys in which series differ.
const COLUMNS: [&str; 14] = [
    "series",
    "saturation_load",
    "low",
    "high",
    "half_width",
    "load_unit",
    "ideal_bound",
    "ideal_bound_method",
    "ratio_to_ideal",
    "overload",
    "accepted_at_overload",
    "cycles",
    "points",
    "status",
];

/// The columns of `object`, in order.
pub fn columns_of(object: &Value) -> Vec<String> {
    let keys = object.as_object().into_iter().flat_map(|of| of.keys());
    let keys = keys.filter(|key| !COLUMNS.contains(&key.as_str()));
    let own = COLUMNS.map(str::to_owned).into_iter();
    own.chain(keys.cloned()).collect()
}

/// A row for each of `objects`, which have the same keys.
fn csv(objects: impl Iterator<Item = Value>) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut columns: Vec<String> = Vec::new();
    for object in objects {
        if columns.is_empty() {
            columns = columns_of(&object);
            writer.write_record(&columns).expect("written to memory");
        }
        let fields = columns.iter().map(|column| field(&object[column]));
        writer.write_record(fields).expect("written to memory");
    }
    writer.into_inner().expect("written to memory")
}

/// The saturation, where the search has found one: the middle of what is not decided is no answer.
fn headline(found: &Saturation) -> Option<f64> {
    (found.ending != Ending::Undecided).then_some(found.load)
}

/// What a user should know of how a search ended.
fn remark(series: &SeriesPlan, found: &Saturation) -> Option<String> {
    let unit = &series.load_unit;
    match found.ending {
        Ending::Found => None,
        Ending::NotSaturated => Some(format!(
            "the network delivers {} {unit}, the most that its sources offer",
            in_unit(series, found.overload)
        )),
        Ending::Undecided => Some(undecided(series, found)),
    }
}

fn undecided(series: &SeriesPlan, found: &Saturation) -> String {
    let (least, limit) = (cycles_least(series), series.measure.max_cycles);
    if least > limit {
        return format!(
            "undecided: under such bursts no load is judged before cycle {least}, and `max_cycles` is {limit}"
        );
    }
    let whole = found
        .ideal_bound
        .unwrap_or(found.overload)
        .min(found.overload);
    let width = (100.0 * (found.high - found.low) / whole).ceil() / 100.0;
    let or = match within_tolerances(width) {
        Ok(_) => format!(", or `--tolerance {width}`, for which the interval is narrow enough"),
        Err(_) => String::new(),
    };
    format!(
        "undecided: `max_cycles` {limit} are too few to tell whether it delivers the loads between {} and {} {}; \
         give more{or}",
        in_unit(series, found.low),
        in_unit(series, found.high),
        series.load_unit
    )
}

fn table(found: &[(&SeriesPlan, Saturation)]) -> String {
    let titles = [
        "series",
        "saturation",
        "interval",
        "status",
        "of the ideal bound",
        "accepted at overload",
        "cycles",
    ];
    let mut lines = vec![titles.map(str::to_owned)];
    for (series, found) in found {
        let load = |flits: f64| brief(flits / series.load_scale.flits_per_unit, 4);
        let none = || "–".to_owned();
        let saturation = headline(found);
        let split = match method(series) {
            ThroughputMethod::EvenSplit => " (even split)",
            _ => "",
        };
        let ideal = found
            .ideal_bound
            .map_or_else(none, |bound| match saturation {
                Some(found) => format!("{:.1} % of {}{split}", 100.0 * found / bound, load(bound)),
                None => load(bound) + split,
            });
        lines.push([
            series.name.clone(),
            saturation.map_or_else(none, |flits| {
                format!("{} {}", load(flits), series.load_unit)
            }),
            format!("{} – {}", load(found.low), load(found.high)),
            found.ending.as_str().to_owned(),
            ideal,
            format!(
                "{} at {}",
                load(found.accepted_at_overload),
                load(found.overload)
            ),
            found.cycles.to_string(),
        ]);
    }
    aligned(&lines)
}
