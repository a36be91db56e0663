//! A sweep: every point of every series, each on its own core, in whatever order they finish.
//!
//! Invariant: a point is a function of its series, its load and the scenario's seed. Nothing that
//! a point computes depends on another, so the rows in scenario order are the same for every number
//! of jobs. A point that fails takes no other with it.

mod compare;
pub mod order;
pub mod summary;

use crate::checkpoint::{Checkpoint, Checkpoints};
use crate::claims::Claims;
use crate::progress::SweepProgress;
use crate::results::{Finished, PointState, Row, SweepState, points_of};
use crate::simulator::Simulator;
use flitsim_measure::point::{DeadlockReport, PointResult};
use flitsim_measure::simulate::{Keeper, Monitor, Progress, SimulateError};
use flitsim_scenario::SeriesPlan;
use flitsim_scenario::hash::point_key;
use flitsim_scenario::plan::{Load, Plan};
use flitsim_scenario::proof::{ProvedPlan, ProvedSeries};
use flitsim_topology::memory::Memory;
use std::error::Error;
use std::io;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// A sweep that is given up when whoever watches says so, or when a row could not be kept.
struct Cancellable<'s> {
    progress: &'s dyn SweepProgress,
    cancelled: AtomicBool,
}

impl Cancellable<'_> {
    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) || self.progress.is_cancelled()
    }
}

/// A point of it.
struct Point<'s> {
    monitor: Box<dyn Monitor + 's>,
    sweep: &'s Cancellable<'s>,
    checkpoint: Option<Checkpoint<'s>>,
}

impl Monitor for Point<'_> {
    fn progress(&self, progress: Progress) {
        self.monitor.progress(progress);
    }

    fn is_cancelled(&self) -> bool {
        self.sweep.is_cancelled() || self.monitor.is_cancelled()
    }

    fn keeper(&self) -> Option<&dyn Keeper> {
        self.checkpoint.as_ref().map(|checkpoint| checkpoint as _)
    }

    fn memory(&self, memory: &Memory) {
        self.monitor.memory(memory);
    }
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
    /// What became of points that are done, have failed, or neither, and which of them were to be
    /// simulated; all in scenario order.
    fn new(done: Vec<Option<Finished>>, failed: Vec<Option<String>>, takes: &[bool]) -> Self {
        let states = done.iter().zip(failed).zip(takes);
        let points = states.map(|((done, failed), &takes)| match (done, failed) {
            (Some(point), _) => PointState::Done(point.row.status),
            (None, Some(error)) => PointState::Failed(error),
            (None, None) if takes => PointState::Pending,
            (None, None) => PointState::Elsewhere,
        });
        let points = points.collect();
        let (mut rows, mut deadlocks) = (Vec::new(), Vec::new());
        for (index, point) in done.into_iter().enumerate() {
            let Some(Finished { row, deadlock, .. }) = point else {
                continue;
            };
            rows.push(row);
            deadlocks.extend(deadlock.map(|report| (index, report)));
        }
        Self {
            rows,
            points,
            deadlocks,
        }
    }

    /// Whether every point has its row.
    pub fn state(&self) -> SweepState {
        let is_here = |point: &&PointState| **point != PointState::Elsewhere;
        let mut here = self.points.iter().filter(is_here);
        if !here.all(|point| matches!(point, PointState::Done(_))) {
            SweepState::Incomplete
        } else if self.elsewhere() > 0 {
            SweepState::Part
        } else {
            SweepState::Complete
        }
    }

    /// Points that are not for this part of the sweep to simulate.
    pub fn elsewhere(&self) -> usize {
        let elsewhere = |point: &&PointState| **point == PointState::Elsewhere;
        self.points.iter().filter(elsewhere).count()
    }

    /// Points that were not simulated: the sweep was stopped before.
    pub fn pending(&self) -> usize {
        let pending = |point: &&PointState| matches!(point, PointState::Pending);
        self.points.iter().filter(pending).count()
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

/// What came of simulating a point.
#[derive(Debug)]
pub struct Simulated {
    /// What was measured, but for what its [`Finished`] has.
    pub result: PointResult,
    /// How long it took, with the runs before that it went on from.
    pub took: Duration,
}

/// What of a sweep is to be done, and how.
#[derive(Debug)]
pub struct Todo {
    /// What earlier runs finished, in scenario order; points beyond its end are simulated.
    pub restored: Vec<Option<Finished>>,
    /// Which points are simulated where they are not restored; points beyond its end are.
    pub takes: Vec<bool>,
    /// Where other parts simulate these points too: which of them this one takes.
    pub claims: Option<Claims>,
    /// Where points under way are kept, if they are.
    pub checkpoints: Option<Checkpoints>,
    /// Points at once; all cores where `None`.
    pub jobs: Option<NonZeroUsize>,
}

impl Todo {
    /// Everything, `jobs` points at once.
    pub fn all(jobs: Option<NonZeroUsize>) -> Self {
        Self {
            restored: Vec::new(),
            takes: Vec::new(),
            claims: None,
            checkpoints: None,
            jobs,
        }
    }
}

/// A sweep that ended early.
#[derive(Debug, thiserror::Error)]
pub enum SweepError<E: Error + 'static> {
    /// The threads could not be started.
    #[error("cannot start the worker threads: {0}")]
    Threads(#[from] rayon_core::ThreadPoolBuildError),
    /// A finished row could not be kept.
    #[error(transparent)]
    Sink(E),
}

/// Simulates the points of `plan` that are `todo` and hands each to `sink`, with its index in scenario
/// order and all that came of it, as it finishes, in the calling thread.
///
/// When `progress` is cancelled, points under way are given up and stay pending.
///
/// # Errors
/// [`SweepError::Sink`] with the first error of `sink`: points under way are given up.
pub fn run<S: Simulator, E: Error + 'static>(
    plan: &ProvedPlan,
    simulator: &S,
    todo: Todo,
    progress: &dyn SweepProgress,
    mut sink: impl FnMut(usize, &Finished, &Simulated) -> Result<(), E>,
) -> Result<Outcome, SweepError<E>> {
    let sweep = &Cancellable {
        progress,
        cancelled: AtomicBool::new(false),
    };
    let points: Vec<(&SeriesPlan, Load)> = points_of(plan).collect();
    let proved: Vec<ProvedSeries<'_>> = plan
        .proved_series()
        .flat_map(|series| vec![series.clone(); series.loads.len()])
        .collect();
    let pool = pool(todo.jobs)?;
    let (sender, results) = mpsc::channel();
    let (mut done, mut takes) = (todo.restored, todo.takes);
    let (claims, checkpoints) = (todo.claims.as_ref(), todo.checkpoints.as_ref());
    done.resize(points.len(), None);
    takes.resize(points.len(), true);
    let mut failed: Vec<Option<String>> = vec![None; points.len()];
    pool.in_place_scope(|scope| {
        for index in order::costliest_first(&points) {
            let (series, (_, load)) = (&proved[index], points[index]);
            if done[index].is_some() || !takes[index] {
                progress.restored(series, load);
                continue;
            }
            let sender = sender.clone();
            // Tasks that come from outside the pool start in the order of these calls.
            scope.spawn(move |_| {
                if sweep.is_cancelled() {
                    return;
                }
                let simulate =
                    || simulate_caught(simulator, series, load, plan.seed, sweep, checkpoints);
                let result = claimed(claims, index, simulate);
                // Nobody listens after a row could not be kept.
                let _ = sender.send((index, result));
            });
        }
        drop(sender);
        for (index, result) in results {
            let (series, load) = points[index];
            match result {
                Ok(None) => {
                    takes[index] = false;
                    progress.restored(series, load);
                }
                Ok(Some(mut simulated)) => {
                    let point = finished(plan, series, load, &mut simulated.result);
                    if let Err(error) = sink(index, &point, &simulated) {
                        sweep.cancelled.store(true, Ordering::Relaxed);
                        return Err(SweepError::Sink(error));
                    }
                    checkpoints.inspect(|kept| kept.remove(&point_key(series, load, plan.seed)));
                    done[index] = Some(point);
                }
                Err(_) if sweep.is_cancelled() => {}
                Err(error) => failed[index] = Some(error),
            }
        }
        Ok(())
    })?;
    compare::fill(&points, &mut done);
    Ok(Outcome::new(done, failed, &takes))
}

/// Threads for as many points at once.
fn pool(
    jobs: Option<NonZeroUsize>,
) -> Result<rayon_core::ThreadPool, rayon_core::ThreadPoolBuildError> {
    rayon_core::ThreadPoolBuilder::new()
        .num_threads(jobs.map_or(0, NonZeroUsize::get))
        .thread_name(|index| format!("point-{index}"))
        .build()
}

/// What `simulate` says of point `index`, if it is this part's.
fn claimed(
    claims: Option<&Claims>,
    index: usize,
    simulate: impl FnOnce() -> Result<Simulated, String>,
) -> Result<Option<Simulated>, String> {
    match claims.map(|claims| claims.take(index)) {
        None | Some(Ok(true)) => simulate().map(Some),
        Some(Ok(false)) => Ok(None),
        Some(Err(error)) => Err(format!("cannot claim the point: {error}")),
    }
}

/// What is kept of `result`.
fn finished(plan: &Plan, series: &SeriesPlan, load: Load, result: &mut PointResult) -> Finished {
    Finished {
        row: Row::new(plan, series, load, result),
        deadlock: result.deadlock.take(),
        spans: std::mem::take(&mut result.spans),
    }
}

/// One point; an error or a panic of the simulator becomes a text.
fn simulate_caught<S: Simulator>(
    simulator: &S,
    series: &ProvedSeries<'_>,
    load: Load,
    seed: u64,
    sweep: &Cancellable<'_>,
    checkpoints: Option<&Checkpoints>,
) -> Result<Simulated, String> {
    let (progress, begun) = (sweep.progress, Instant::now());
    let checkpoint = checkpoints.map(|checkpoints| {
        let fails = |file: &Path, error: &io::Error| progress.not_kept(file, error);
        let (checkpoint, unfit) = checkpoints.of(series, load, seed, fails);
        if let Some(file) = unfit {
            progress.damaged(&file);
        }
        if checkpoint.goes_on_from().is_some() {
            progress.goes_on(series, load);
        }
        checkpoint
    });
    let mut point = Point {
        monitor: progress.started(series, load),
        sweep,
        checkpoint,
    };
    // Nothing of a panicked simulation is looked at again.
    let simulate = |point: &Point<'_>| {
        catch_unwind(AssertUnwindSafe(|| {
            simulator.simulate(series, load, seed, point)
        }))
    };
    let mut result = simulate(&point);
    let from = point.checkpoint.as_ref().and_then(Checkpoint::goes_on_from);
    let is_its_fault = match &result {
        Ok(Ok(_)) => false,
        Ok(Err(error)) => matches!(error.downcast_ref(), Some(SimulateError::Checkpoint(_))),
        Err(_) => true,
    };
    if let Some(file) = from
        && is_its_fault
        && !point.is_cancelled()
    {
        // A state that no simulation is in, whatever its hash says.
        progress.damaged(file);
        point.checkpoint = point.checkpoint.map(Checkpoint::anew);
        result = simulate(&point);
    }
    match result {
        Ok(Ok(result)) => {
            let before = point.checkpoint.as_ref().map(Checkpoint::seconds_before);
            let before = before.map_or(Duration::ZERO, Duration::from_secs_f64);
            let took = begun.elapsed() + before;
            Ok(Simulated { result, took })
        }
        Ok(Err(error)) => Err(error.to_string()),
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
