//! Whether a network delivers an offered load, in as few cycles as tell: a sequential test.
//!
//! The *drift* is the rate at which the backlog (flits created less flits ejected) grows. At
//! checkpoints, each half as late again, the drift over the second half of the run is estimated
//! from 32 spans, with its standard error, and the run ends as
//!
//! - **unstable**, where the drift is more than 3 standard errors above 0 at two checkpoints in a
//!   row, at the second not less than 3/4 of what it was before, and the backlog is worth more than
//!   a few traversals of the network;
//! - **stable**, where the drift plus 3 standard errors is below the resolution of the test, and
//!   growth in neighbouring spans is not positively correlated;
//! - **undecided**, where neither holds at the limit of cycles.
//!
//! One of the first two holds sooner or later whatever the load, because the error shrinks as the
//! run grows: there is no load at which the test must run for ever.
//!
//! Errors. A load of drift at the resolution or above is called stable, at one checkpoint, with
//! the probability that Student's t with 31 degrees of freedom is below -3: 0.3 %. Where the
//! network is overloaded growth in one span is independent of that in another, and the error is
//! estimated without bias. A stable load is called unstable with at most that probability, less for
//! the second checkpoint; a stable backlog returns to where it was, and the error is overestimated.

use super::controller::{Decision, Outcome, Pace};
use super::decide::Decide;
use super::estimates::accepted_of_second_half;
use super::recorder::Recorder;
use super::stability::{GROWTH_T, growth};
use crate::point::Status;

/// Zero-load traversals, cycles and packets created before the first checkpoint.
const TRAVERSALS_MIN: u64 = 20;
const CYCLES_MIN: u64 = 1_000;
const PACKETS_MIN: f64 = 500.0;

/// Zero-load traversals of offered load that the backlog of a network must be worth before it is
/// taken as overloaded: a network on its way from empty holds its packets for one or two.
const BACKLOG_TRAVERSALS: u64 = 4;

/// What a test is to tell, and until when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StabilitySettings {
    /// The drift that must not be taken for none, flits per node per cycle.
    pub resolution_flits: f64,
    /// Cycles after which the test ends in any case.
    pub max_cycles: u64,
}

/// The test of one run.
#[derive(Clone, Debug)]
pub struct StabilityTest {
    settings: StabilitySettings,
    pace: Pace,
    /// Whether the backlog was growing at the checkpoint before.
    was_growing: bool,
}

impl StabilityTest {
    /// A test under `settings` of a run at `pace`.
    pub fn new(settings: StabilitySettings, pace: Pace) -> Self {
        Self {
            settings,
            pace,
            was_growing: false,
        }
    }

    /// `None` where the run is too short to tell.
    fn verdict(&mut self, now: u64, recorder: &Recorder) -> Option<Status> {
        let growth = growth(recorder.run(), now)?;
        let patience = (BACKLOG_TRAVERSALS * self.pace.traversal_cycles) as f64;
        let was_growing = std::mem::replace(&mut self.was_growing, growth.significant);
        if growth.significant && was_growing && growth.linear && growth.backlog_cycles > patience {
            return Some(Status::Saturated);
        }
        let drift_most = growth.rate_flits + GROWTH_T * growth.error_flits;
        let resolution = self.settings.resolution_flits * f64::from(self.pace.terminals);
        (drift_most < resolution && !growth.correlated).then_some(Status::Converged)
    }

    fn outcome(&self, status: Status, now: u64, recorder: &Recorder) -> Outcome {
        Outcome {
            status,
            warmup_cycles: now / 2,
            cycles: now,
            accepted: accepted_of_second_half(recorder, self.pace.terminals, now),
            latency: None,
        }
    }
}

impl Decide for StabilityTest {
    fn first_checkpoint(&self) -> u64 {
        (TRAVERSALS_MIN * self.pace.traversal_cycles)
            .max(CYCLES_MIN)
            .max(self.pace.cycles_for(PACKETS_MIN))
            .min(self.settings.max_cycles)
    }

    fn decide(&mut self, now: u64, recorder: &mut Recorder) -> Decision {
        recorder.reach(now);
        let verdict = self.verdict(now, recorder);
        let limit = self.settings.max_cycles;
        match verdict {
            None if now < limit => Decision::Continue {
                until: (now + now / 2).clamp(now + 1, limit),
            },
            verdict => {
                let status = verdict.unwrap_or(Status::MaxCycles);
                Decision::Done(self.outcome(status, now, recorder))
            }
        }
    }

    fn stop(&mut self, status: Status, now: u64, recorder: &mut Recorder) -> Outcome {
        recorder.reach(now);
        self.outcome(status, now, recorder)
    }
}
