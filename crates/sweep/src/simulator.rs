//! Points of a series, simulated by code compiled for its algorithm.

use crate::threads::Threads;
use flitsim_measure::measurement::MeasureSettings;
use flitsim_measure::point::PointResult;
use flitsim_measure::simulate::{Monitor, SimulateError};
use flitsim_measure::workload::Work;
use flitsim_measure::{EngineChoice, Offered, OperatingPoint};
use flitsim_scenario::plan::Load;
use flitsim_scenario::proof::ProvedSeries;
use std::error::Error;
use std::num::NonZeroUsize;

/// Why a point could not be simulated.
pub type PointError = Box<dyn Error + Send + Sync>;

/// Simulates points; called from several threads at once.
pub trait Simulator: Sync {
    /// The point of `series` at `load`, from random streams addressed by `seed`, its replicas
    /// pooled. The same arguments give the same result.
    ///
    /// # Errors
    /// Whatever keeps the point from being simulated; saturation and deadlock are results.
    fn simulate(
        &self,
        series: &ProvedSeries<'_>,
        load: Load,
        seed: u64,
        monitor: &dyn Monitor,
    ) -> Result<PointResult, PointError>;
}

/// The simulator itself.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// How many threads a point gets.
    pub threads: Threads,
    /// Which engine simulates it.
    pub engine: EngineChoice,
}

impl Simulator for Kernel {
    fn simulate(
        &self,
        series: &ProvedSeries<'_>,
        load: Load,
        seed: u64,
        monitor: &dyn Monitor,
    ) -> Result<PointResult, PointError> {
        let (threads, engine) = (self.threads.of(series), self.engine);
        Ok(simulate(series, load, seed, threads, engine, monitor)?)
    }
}

/// Simulates the point of `series` at `load`, on one thread, from random streams addressed by `seed`.
/// Loads and latencies of the result are in reference cycles: those simulated are `cycle_time` long.
///
/// # Errors
/// As [`OperatingPoint::simulate`], and if the algorithm does not fit; none for a series of a resolved
/// plan.
pub fn simulate_point(
    series: &ProvedSeries<'_>,
    load: Load,
    seed: u64,
    monitor: &dyn Monitor,
) -> Result<PointResult, SimulateError> {
    let (threads, engine) = (NonZeroUsize::MIN, EngineChoice::Auto);
    simulate(series, load, seed, threads, engine, monitor)
}

/// As [`simulate_point`], on `threads` threads and on the `engine` asked for.
pub(crate) fn simulate(
    series: &ProvedSeries<'_>,
    load: Load,
    seed: u64,
    threads: NonZeroUsize,
    engine: EngineChoice,
    monitor: &dyn Monitor,
) -> Result<PointResult, SimulateError> {
    let point = OperatingPoint {
        threads,
        engine,
        ..operating_point(series, load, seed)
    };
    let result = point.simulate_under(series.relation()?, monitor)?;
    let result = result.in_cycles_of(series.cycle_time);
    if series.workload.is_some() {
        return Ok(result);
    }
    Ok(PointResult {
        offered_flits: load.flits * series.traffic.sending_share(&series.network)?,
        ..result
    })
}

/// The point of `series` at `load`, in its own cycles, which are `cycle_time` reference cycles long.
pub fn operating_point<'s>(
    series: &'s ProvedSeries<'_>,
    load: Load,
    seed: u64,
) -> OperatingPoint<'s> {
    let cycle_time = series.cycle_time;
    let offered = match &series.workload {
        Some(workload) => Offered::Work(Work {
            workload,
            // A whole number, as the scenario's reader has it.
            amount: load.in_unit as u64,
            cycle_time,
        }),
        // A load that meets the limit of the process may have been rounded past it.
        None => Offered::Flits((load.flits * cycle_time).min(series.traffic.load_most())),
    };
    OperatingPoint {
        settings: MeasureSettings {
            latency_limit: series.measure.latency_limit / cycle_time,
            ..series.measure
        },
        replicas: series.replicas,
        seed,
        is_minimal: series.takes_shortest_paths(),
        is_proved: series.is_proved,
        ..OperatingPoint::new(&series.network, &series.engine, &series.traffic, offered)
    }
}
