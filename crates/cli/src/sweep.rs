//! A sweep: every point of every series, each on its own core, in whatever order they finish.
//!
//! Invariant: a point is a function of its series, its load and the scenario's seed. Nothing that
//! a point computes depends on another, so the rows in scenario order are the same for every number
//! of jobs. A point that fails takes no other with it.

mod order;
pub mod progress;
pub mod summary;

use crate::point::{DeadlockReport, PointResult};
use crate::results::{PointState, Row, SweepState, points_of};
use crate::scenario::SeriesPlan;
use crate::scenario::plan::{Load, Plan};
use crate::simulate::Monitor;
use progress::SweepBar;
use std::error::Error;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;

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
        series: &SeriesPlan,
        load: Load,
        seed: u64,
        monitor: &dyn Monitor,
    ) -> Result<PointResult, PointError>;
}

/// What became of a sweep.
#[derive(Debug)]
pub struct Outcome {
    /// The rows there are, in scenario order.
    pub rows: Vec<Row>,
    /// What became of every point, in scenario order.
    pub points: Vec<PointState>,
    /// The points that ran into a deadlock, as indices in scenario order, and what waits on what.
    pub deadlocks: Vec<(usize, DeadlockReport)>,
}

impl Outcome {
    /// Whether every point has its row.
    pub fn state(&self) -> SweepState {
        let done = |point: &PointState| matches!(point, PointState::Done(_));
        if self.points.iter().all(done) {
            SweepState::Complete
        } else {
            SweepState::Incomplete
        }
    }

    /// The points that failed, as indices in scenario order, and why.
    pub fn failures(&self) -> impl Iterator<Item = (usize, &str)> {
        self.points
            .iter()
            .enumerate()
            .filter_map(|(index, point)| match point {
                PointState::Failed(error) => Some((index, error.as_str())),
                _ => None,
            })
    }
}

/// A sweep that ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SweepError<E: Error + 'static> {
    /// The threads could not be started.
    #[error("cannot start the worker threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// A finished row could not be kept.
    #[error(transparent)]
    Sink(E),
}

/// Simulates every point of `plan` on `jobs` threads (all cores where `None`) and hands each to `sink`
/// as it finishes, in the calling thread: its index in scenario order, its row and all of its result.
///
/// # Errors
/// [`SweepError::Sink`] with the first error of `sink`: points under way are given up.
pub fn run<S: Simulator, E: Error + 'static>(
    plan: &Plan,
    simulator: &S,
    jobs: Option<NonZeroUsize>,
    bar: &SweepBar,
    mut sink: impl FnMut(usize, &Row, &PointResult) -> Result<(), E>,
) -> Result<Outcome, SweepError<E>> {
    let points: Vec<(&SeriesPlan, Load)> = points_of(plan).collect();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(jobs.map_or(0, NonZeroUsize::get))
        .thread_name(|index| format!("point-{index}"))
        .build()?;
    let (sender, finished) = mpsc::channel();
    let mut states = vec![PointState::Pending; points.len()];
    let mut rows: Vec<Option<Row>> = vec![None; points.len()];
    let mut deadlocks = Vec::new();
    pool.in_place_scope(|scope| {
        for index in order::costliest_first(&points) {
            let (series, load) = points[index];
            let sender = sender.clone();
            // Tasks that come from outside the pool start in the order of these calls.
            scope.spawn(move |_| {
                if bar.is_cancelled() {
                    return;
                }
                let result = simulate_point(simulator, series, load, plan.seed, bar);
                // Nobody listens after a row could not be kept.
                let _ = sender.send((index, result));
            });
        }
        drop(sender);
        for (index, result) in finished {
            let (series, load) = points[index];
            match result {
                Ok(result) => {
                    let row = Row::new(plan, series, load, &result);
                    if let Err(error) = sink(index, &row, &result) {
                        bar.cancel();
                        return Err(SweepError::Sink(error));
                    }
                    states[index] = PointState::Done(result.status);
                    rows[index] = Some(row);
                    deadlocks.extend(result.deadlock.map(|report| (index, report)));
                }
                Err(error) => states[index] = PointState::Failed(error),
            }
        }
        Ok(())
    })?;
    deadlocks.sort_by_key(|(index, _)| *index);
    Ok(Outcome {
        rows: rows.into_iter().flatten().collect(),
        points: states,
        deadlocks,
    })
}

/// One point; an error or a panic of the simulator becomes a text.
fn simulate_point<S: Simulator>(
    simulator: &S,
    series: &SeriesPlan,
    load: Load,
    seed: u64,
    bar: &SweepBar,
) -> Result<PointResult, String> {
    let point = bar.start(series, load);
    // Nothing of a panicked simulation is looked at again.
    let result = catch_unwind(AssertUnwindSafe(|| {
        simulator.simulate(series, load, seed, &point)
    }));
    match result {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Err(format!(
                "a fault in flitsim: {}",
                text.unwrap_or("no reason given")
            ))
        }
    }
}

#[cfg(test)]
mod tests;
