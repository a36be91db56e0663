//! Who decides when a run ends: a state machine that is shown what was recorded at the cycles that
//! it asks for.

use super::controller::{Controller, Decision, Outcome};
use super::recorder::Recorder;
use crate::point::Status;

/// The decisions of one run.
pub trait Decide {
    /// The first cycle at which to ask [`Decide::decide`].
    fn first_checkpoint(&self) -> u64;

    /// What to do when the next cycle is `now`.
    fn decide(&mut self, now: u64, recorder: &mut Recorder) -> Decision;

    /// Half-width over mean of the latency as last estimated; `None` where there is no estimate.
    fn relative_half_width(&self) -> Option<f64> {
        None
    }

    /// The outcome of a run that ends by itself when the next cycle is `now`: everything has
    /// arrived and nothing will come any more, or (`Status::Deadlock`) nothing can move.
    fn stop(&mut self, status: Status, now: u64, recorder: &mut Recorder) -> Outcome;
}

impl Decide for Controller {
    fn first_checkpoint(&self) -> u64 {
        self.first_checkpoint()
    }

    fn decide(&mut self, now: u64, recorder: &mut Recorder) -> Decision {
        self.decide(now, recorder)
    }

    fn relative_half_width(&self) -> Option<f64> {
        self.relative_half_width()
    }

    fn stop(&mut self, status: Status, now: u64, recorder: &mut Recorder) -> Outcome {
        self.stop(status, now, recorder)
    }
}
