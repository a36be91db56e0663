//! What is simulated: one load of each series, every load, or the search for the saturation.

use crate::error::Failure;
use crate::scenario::Source;
use crate::wait::away;
use flitsim::EngineChoice;
use flitsim::point::DeadlockReport;
use flitsim::report::prospect::Prospect;
use flitsim::results::details::{self, table as table_of};
use flitsim::results::{Existing, Row, columns_of, points_of};
use flitsim::scenario::{Overrides, Plan, SeriesPlan};
use flitsim::statistics::Timed;
use flitsim::sweep::{
    Kernel, Options, Outcome, Share, Simulator, SweepProgress, Swept, into_folder,
};
use flitsim::threads::Workers;
use flitsim_measure::threads::in_pool;
use pyo3::prelude::*;
use serde_json::{Map, Value, json};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Instant;

/// Channels of a deadlock that a message names.
const CHANNELS_NAMED_MOST: usize = 32;

/// What the calls share that simulate.
#[derive(Clone, Copy, FromPyObject)]
#[pyo3(from_item_all)]
pub struct How {
    seed: Option<u64>,
    jobs: Option<u16>,
    threads: Option<u16>,
    allow_deadlock: bool,
}

impl How {
    const fn overrides(self, load: Option<f64>) -> Overrides {
        Overrides {
            seed: self.seed,
            load,
            allow_deadlock: self.allow_deadlock,
            are_loads_optional: false,
        }
    }

    fn workers(self) -> Workers {
        Workers::new(self.jobs, self.threads, self.allow_deadlock)
    }
}

fn deadlock(series: &str, load: f64, report: &DeadlockReport) -> String {
    let sentence = report.sentence(CHANNELS_NAMED_MOST);
    format!("series {series}, load {load}: {sentence}")
}

/// Simulates one load of each series: `{"rows", "columns", "columns_of_details", "title", "latency_limit",
/// "warnings"}`, the columns in the order of the files of a sweep.
#[pyfunction]
pub fn run(
    py: Python<'_>,
    source: Source,
    load: Option<f64>,
    how: How,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    away(py, progress, how.jobs, move |told| {
        let mut warnings = Vec::new();
        let plan = source.plan(how.overrides(load), &mut |warning| warnings.push(warning))?;
        if plan.series.iter().any(|series| series.loads_auto.is_some()) {
            let message =
                "`load = \"auto\"` names no load to run: give one, as in `load=0.1`, or sweep";
            return Err(Failure::Other(message.to_owned()));
        }
        let plan = Source::prove(plan, how.allow_deadlock, &mut |warning| {
            warnings.push(warning)
        })?;
        let kernel = Kernel {
            threads: how.workers().among(1),
            engine: EngineChoice::Auto,
        };
        told.begin(plan.series.len());
        let mut rows = Vec::new();
        for series in plan.proved_series() {
            let load = series.loads[0];
            let start = Instant::now();
            let monitor = SweepProgress::started(told, &series, load);
            let result = kernel.simulate(&series, load, plan.seed, &*monitor);
            let result = result
                .map_err(|error| Failure::Other(format!("series {}: {error}", series.name)))?;
            warnings.extend(
                (result.deadlock.as_ref())
                    .map(|report| deadlock(&series.name, load.in_unit, report)),
            );
            let point = Timed {
                row: Row::new(&plan, &series, load, &result),
                details: (series.measure.details.iter())
                    .filter_map(|detail| Some((detail, table_of(detail, &series, &result)?)))
                    .collect(),
                result,
                wall: start.elapsed(),
            };
            rows.push(point.to_json());
        }
        Ok(found(&plan, rows, json!(columns_of(&plan)), &warnings))
    })
}

fn found(plan: &Plan, rows: Vec<Value>, columns: Value, warnings: &[String]) -> String {
    let asked = details::asked(plan);
    let details = asked
        .iter()
        .map(|detail| (detail.name().to_owned(), details::columns(detail).into()));
    let details: Map<String, Value> = details.collect();
    let limits = plan.series.iter().map(|s| s.measure.latency_limit);
    json!({
        "rows": rows,
        "columns": columns,
        "columns_of_details": details,
        "title": plan.title,
        "latency_limit": limits.fold(0.0, f64::max),
        "warnings": warnings,
    })
    .to_string()
}

/// Simulates every load of every series into the folder `out`, as the command does: what `run` gives, and
/// the latency of each series without load.
#[pyfunction]
pub fn sweep(
    py: Python<'_>,
    source: Source,
    out: PathBuf,
    existing: &str,
    how: How,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let options = Options {
        existing: match existing {
            "resume" => Existing::Resume,
            "replace" => Existing::Replace,
            _ => Existing::Refuse,
        },
        share: Share::All,
        workers: how.workers(),
        checkpoint_every: None,
        allows_deadlock: how.allow_deadlock,
    };
    away(py, progress, how.jobs, move |told| {
        let mut warnings = Vec::new();
        let plan = source.proved(how.overrides(None), &mut |warning| warnings.push(warning))?;
        let swept = into_folder(plan, &out, options, told).map_err(Failure::of)?;
        let Swept {
            plan,
            outcome,
            folder,
        } = swept;
        let prospects = Prospect::of_each(&plan, &|_, _| {});
        flitsim::write_pictures(&folder, &plan, &outcome, &prospects, options)
            .map_err(Failure::of)?;
        refuse_failures(&plan, &outcome)?;
        let points: Vec<_> = points_of(&plan).collect();
        warnings.extend(outcome.deadlocks.iter().map(|(index, report)| {
            let (series, load) = points[*index];
            deadlock(&series.name, load.in_unit, report)
        }));
        let zero_load: Map<String, Value> = plan
            .series
            .iter()
            .zip(Prospect::zero_loads(&prospects))
            .map(|(series, cycles)| (series.name.clone(), cycles.into()))
            .collect();
        let rows = outcome.rows.iter().map(|row| Value::Object(row.to_json()));
        Ok((
            found(&plan, rows.collect(), json!(columns_of(&plan)), &warnings),
            Value::Object(zero_load).to_string(),
        ))
    })
    .map(|(found, zero_load)| format!("[{found},{zero_load}]"))
}

/// Points that could not be simulated are told all at once; the others are in the folder.
fn refuse_failures(plan: &Plan, outcome: &Outcome) -> Result<(), Failure> {
    let points: Vec<_> = points_of(plan).collect();
    let failures = outcome.failures().map(|(index, error)| {
        let (series, load): (&SeriesPlan, _) = points[index];
        format!("series {}, load {}: {error}", series.name, load.in_unit)
    });
    let failures: Vec<String> = failures.collect();
    match failures.is_empty() {
        true => Ok(()),
        false => Err(Failure::Other(failures.join("\n"))),
    }
}

/// Searches the saturation of every series: what `run` gives, a row a series.
#[pyfunction]
pub fn saturate(
    py: Python<'_>,
    source: Source,
    tolerance: f64,
    how: How,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    away(py, progress, how.jobs, move |told| {
        let tolerance = flitsim::within_tolerances(tolerance).map_err(Failure::Argument)?;
        let mut warnings = Vec::new();
        let mut warn = |warning| warnings.push(warning);
        let overrides = Overrides {
            are_loads_optional: true,
            ..how.overrides(None)
        };
        let plan = source.plan(overrides, &mut warn)?;
        flitsim::refuse_workloads(&plan)?;
        let plan = Source::prove(plan, how.allow_deadlock, &mut warn)?;
        let count = plan.series.len();
        let workers = how.workers().within_memory(&plan, count, |_, _| {});
        told.begin(count);
        let jobs = workers.jobs().map_or(0, NonZeroUsize::get);
        let searched = in_pool(jobs, || {
            flitsim::search_all(&plan, tolerance, workers.among(count), told)
        });
        let searched = searched.map_err(Failure::of)?.into_iter();
        let searched: Vec<_> = searched.collect::<Result<_, _>>().map_err(Failure::of)?;
        let series = plan.series.iter().zip(&searched);
        for (series, found) in series.clone() {
            warnings.extend((found.deadlock.as_ref()).map(|(load, report)| {
                deadlock(
                    &series.name,
                    load / series.load_scale.flits_per_unit,
                    report,
                )
            }));
        }
        let rows = series.map(|(series, found)| flitsim::saturation_json(series, found));
        let rows: Vec<Value> = rows.collect();
        let columns = rows.first().map(flitsim::saturation_columns);
        Ok(found(&plan, rows, json!(columns), &warnings))
    })
}
