//! Points of a series, simulated by code compiled for its algorithm.

use flitsim_engine::Routing;
use flitsim_measure::measurement::MeasureSettings;
use flitsim_measure::point::PointResult;
use flitsim_measure::simulate::{Monitor, SimulateError, simulate, simulate_in_detail};
use flitsim_measure::workload::{Job, Workload};
use flitsim_scenario::SeriesPlan;
use flitsim_scenario::dispatch::{WithRouting, with_any_routing, with_routing};
use flitsim_scenario::plan::Load;
use flitsim_scenario::proof::ProvedSeries;

/// Simulates the point of `series` at `load`, from random streams addressed by `seed`. Loads and
/// latencies of the result are in reference cycles: those simulated are `cycle_time` long.
///
/// With details, the point is the same and the relation that routes has no type: one more cycle loop
/// for each algorithm would double the program.
///
/// # Errors
/// As [`simulate`], and if the algorithm does not fit; none for a series of a resolved plan.
pub fn simulate_point(
    series: &ProvedSeries<'_>,
    load: Load,
    seed: u64,
    monitor: &dyn Monitor,
) -> Result<PointResult, SimulateError> {
    let cycle_time = series.cycle_time;
    let vcs = series.engine.virtual_channels;
    if let Some(workload) = &series.workload {
        let point = OfWorkload {
            job: job_of(series, workload, load),
            replicas: series.replicas,
            seed,
            monitor,
        };
        let result = match series.measure.details.is_empty() {
            true => with_routing(&series.routing, &series.network, vcs, point),
            false => with_any_routing(&series.routing, &series.network, vcs, InDetail(point)),
        };
        return Ok(result??.in_cycles_of(cycle_time));
    }
    let point = Point {
        series,
        // A load that meets the limit of the process may have been rounded past it.
        flits: (load.flits * cycle_time).min(series.traffic.load_most()),
        settings: MeasureSettings {
            latency_limit: series.measure.latency_limit / cycle_time,
            ..series.measure
        },
        seed,
        monitor,
    };
    let result = match series.measure.details.is_empty() {
        true => with_routing(&series.routing, &series.network, vcs, point),
        false => with_any_routing(&series.routing, &series.network, vcs, InDetail(point)),
    };
    let share = series.traffic.sending_share(&series.network)?;
    Ok(PointResult {
        offered_flits: load.flits * share,
        ..result??.in_cycles_of(cycle_time)
    })
}

/// The point of `series` at `load`, whose workload is `workload`.
pub fn job_of<'a>(series: &'a SeriesPlan, workload: &'a Workload, load: Load) -> Job<'a> {
    Job {
        network: &series.network,
        config: &series.engine,
        traffic: &series.traffic,
        workload,
        // A whole number, as the scenario's reader has it.
        amount: load.in_unit as u64,
        cycle_time: series.cycle_time,
        settings: &series.measure,
    }
}

/// A point to simulate, in its own cycles.
struct Point<'a> {
    series: &'a SeriesPlan,
    flits: f64,
    settings: MeasureSettings,
    seed: u64,
    monitor: &'a dyn Monitor,
}

impl WithRouting for Point<'_> {
    type Output = Result<PointResult, SimulateError>;

    fn call<R: Routing + Clone>(self, routing: R) -> Self::Output {
        simulate(
            &self.series.network,
            routing,
            &self.series.engine,
            &self.series.traffic,
            self.flits,
            &self.settings,
            self.seed,
            self.series.replicas,
            self.monitor,
        )
    }
}

/// The same, in detail.
struct InDetail<P>(P);

impl WithRouting for InDetail<Point<'_>> {
    type Output = Result<PointResult, SimulateError>;

    fn call<R: Routing + Clone>(self, routing: R) -> Self::Output {
        let Self(point) = self;
        simulate_in_detail(
            &point.series.network,
            routing,
            &point.series.engine,
            &point.series.traffic,
            point.flits,
            &point.settings,
            point.seed,
            point.series.replicas,
            point.monitor,
        )
    }
}

/// A point of traffic that is no open loop.
struct OfWorkload<'a> {
    job: Job<'a>,
    replicas: u32,
    seed: u64,
    monitor: &'a dyn Monitor,
}

impl WithRouting for OfWorkload<'_> {
    type Output = Result<PointResult, SimulateError>;

    fn call<R: Routing + Clone>(self, routing: R) -> Self::Output {
        self.job
            .simulate(&routing, self.seed, self.replicas, self.monitor)
    }
}

impl WithRouting for InDetail<OfWorkload<'_>> {
    type Output = Result<PointResult, SimulateError>;

    fn call<R: Routing + Clone>(self, routing: R) -> Self::Output {
        let Self(point) = self;
        point
            .job
            .simulate_in_detail(&routing, point.seed, point.replicas, point.monitor)
    }
}
