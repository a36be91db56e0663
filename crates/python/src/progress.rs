//! Progress, told by many threads and heard by one; and the word to stop, the other way.

use flitsim::results::points_of;
use flitsim::saturation::{Searches, Watch};
use flitsim::scenario::{Load, Plan, SeriesPlan};
use flitsim::simulate::{Monitor, Progress};
use flitsim::sweep::SweepProgress;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How far a call is.
#[derive(Default)]
pub struct Told {
    is_cancelled: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    done: usize,
    total: usize,
    is_new: bool,
    next: u64,
    running: Vec<Running>,
}

/// A point, or the load that a search tries.
struct Running {
    id: u64,
    series: String,
    /// In the series' unit; not known yet of a search.
    load: Option<f64>,
    cycles: u64,
    relative_half_width: Option<f64>,
}

impl Told {
    /// Asks the work to end.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Sets what `done` counts up to.
    pub fn begin(&self, total: usize) {
        self.change(|state| (state.done, state.total) = (0, total));
    }

    /// How far the work is, where that has changed since the last call; the fields are those of
    /// docs/progress.md.
    pub fn news(&self) -> Option<Value> {
        let mut state = self.lock();
        let is_new = std::mem::take(&mut state.is_new);
        let points = state.running.iter().map(|point| {
            json!({
                "series": point.series,
                "load": point.load,
                "cycles": point.cycles,
                "relative_half_width": point.relative_half_width,
            })
        });
        is_new.then(|| {
            let points: Vec<Value> = points.collect();
            json!({
                "done": state.done,
                "running": points.len(),
                "total": state.total,
                "points": points,
            })
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Numbers are usable whoever panicked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        state.is_new = true;
        change(&mut state);
    }

    /// A point, or a search, begins; it is over when what is returned is dropped.
    fn start(&self, series: &SeriesPlan, load: Option<f64>) -> Begun<'_> {
        let mut id = 0;
        self.change(|state| {
            id = state.next;
            state.next += 1;
            state.running.push(Running {
                id,
                series: series.name.clone(),
                load,
                cycles: 0,
                relative_half_width: None,
            });
        });
        Begun {
            told: self,
            id,
            flits_per_unit: series.load_scale.flits_per_unit,
        }
    }
}

impl SweepProgress for Told {
    fn searching<'s>(&'s self, series: &'s SeriesPlan) -> Box<dyn Watch + 's> {
        Box::new(self.start(series, None))
    }

    fn begins(&self, plan: &Plan, _: usize) {
        self.begin(points_of(plan).count());
    }

    fn restored(&self, _: &SeriesPlan, _: Load) {
        self.change(|state| state.done += 1);
    }

    fn started<'s>(&'s self, series: &SeriesPlan, load: Load) -> Box<dyn Monitor + 's> {
        Box::new(self.start(series, Some(load.in_unit)))
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }
}

impl Searches for Told {
    fn started<'s>(&'s self, series: &'s SeriesPlan) -> Box<dyn Watch + 's> {
        Box::new(self.start(series, None))
    }
}

/// A point or a search under way.
struct Begun<'t> {
    told: &'t Told,
    id: u64,
    flits_per_unit: f64,
}

impl Begun<'_> {
    fn note(&self, note: impl FnOnce(&mut Running)) {
        self.told.change(|state| {
            if let Some(point) = state.running.iter_mut().find(|point| point.id == self.id) {
                note(point);
            }
        });
    }
}

impl Monitor for Begun<'_> {
    fn progress(&self, progress: Progress) {
        self.note(|point| {
            point.cycles = progress.cycles;
            point.relative_half_width = progress.relative_half_width.map(|(now, _)| now);
        });
    }

    fn is_cancelled(&self) -> bool {
        SweepProgress::is_cancelled(self.told)
    }
}

impl Watch for Begun<'_> {
    fn trying(&self, load: f64, _: f64, _: f64) {
        self.note(|point| point.load = Some(load / self.flits_per_unit));
    }

    fn cycles(&self, cycles: u64) {
        self.note(|point| point.cycles = cycles);
    }

    fn is_cancelled(&self) -> bool {
        SweepProgress::is_cancelled(self.told)
    }
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        self.told.change(|state| {
            state.running.retain(|point| point.id != self.id);
            state.done += 1;
        });
    }
}
