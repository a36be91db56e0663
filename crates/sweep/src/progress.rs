//! Who watches a sweep.

use crate::saturation::{NoWatch, Saturation, Watch};
use flitsim_measure::simulate::{Monitor, NoMonitor};
use flitsim_scenario::SeriesPlan;
use flitsim_scenario::plan::{Load, Plan};
use std::io;
use std::path::Path;

/// Watches a sweep, from any thread. All methods are optional.
pub trait SweepProgress: Sync {
    /// Memory lets only `points` points run at a time, each of which takes about `bytes` bytes.
    fn short_of_memory(&self, _points: usize, _bytes: u128) {}

    /// The search for the loads of `series` begins; it is over when what is returned is dropped.
    fn searching<'s>(&'s self, _series: &'s SeriesPlan) -> Box<dyn Watch + 's> {
        Box::new(NoWatch)
    }

    /// The searches are over, and the one in `series` found this.
    fn searched(&self, _series: &SeriesPlan, _found: &Saturation) {}

    /// `file`, which an earlier run kept, is not as it was written; what it held is made again.
    fn damaged(&self, _file: &Path) {}

    /// The points of `plan` begin, all loads known, `kept` of them kept from earlier runs.
    fn begins(&self, _plan: &Plan, _kept: usize) {}

    /// The point of `series` at `load` was finished by an earlier run.
    fn restored(&self, _series: &SeriesPlan, _load: Load) {}

    /// The point of `series` at `load` goes on from where an earlier run was stopped.
    fn goes_on(&self, _series: &SeriesPlan, _load: Load) {}

    /// The state of a point could not be kept in `file`; it goes on.
    fn not_kept(&self, _file: &Path, _error: &io::Error) {}

    /// The point of `series` at `load` begins; it is done when what is returned is dropped.
    fn started<'s>(&'s self, _series: &SeriesPlan, _load: Load) -> Box<dyn Monitor + 's> {
        Box::new(NoMonitor)
    }

    /// No more points are under way.
    fn ended(&self) {}

    /// Whether to give up the points under way and to begin no more.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Progress that nobody sees.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl SweepProgress for Silent {}
