//! A sequential test of whether a network delivers an offered load, in as few cycles as it takes to tell.
//!
//! At checkpoints, each half as late again, the [drift](super::drift) of the backlog over the second
//! half of the run is estimated with its standard error, and the run ends as
//!
//! - **unstable**, where the drift is more than 3 standard errors above 0 at two checkpoints in a
//!   row, at the second not less than 3/4 of what it was before, and the backlog is worth more than
//!   a few traversals of the network;
//! - **stable**, where the drift plus 3 standard errors is below the resolution of the test, and the
//!   resolution is above 1.5 standard errors of the arrivals of what would pile up: in a shorter run a
//!   network with that drift need not have filled up yet;
//! - **undecided**, where neither holds at the limit of cycles.
//!
//! One of the first two holds sooner or later whatever the load, because the error shrinks as the
//! run grows: there is no load at which the test must run for ever.
//!
//! Errors. At one checkpoint, in a network that has filled up, a drift at the resolution passes for
//! stable with the probability that Student's t with 30 degrees of freedom is below -3: 0.3 %, and a
//! larger drift with less. Early in a run queues still run empty now and then: in the queue of the
//! tests below a drift at the resolution passes in one run of twelve, twice that in hardly any.

use super::drift::drift;
use super::outcome::{Decide, Decision, Outcome, Status};
use super::pace::Pace;
use crate::measurement::backlog::{GROWTH_T, judged_from};
use crate::measurement::intervals::accepted_of_second_half;
use crate::measurement::recorder::Recorder;

/// Zero-load traversals, cycles and packets created before the first checkpoint.
const TRAVERSALS_MIN: u64 = 40;
const CYCLES_MIN: u64 = 2_000;
const PACKETS_MIN: f64 = 1_000.0;

/// Zero-load traversals of offered load that the backlog of a network must be worth before it is
/// taken as overloaded: a network on its way from empty holds its packets for one or two.
const BACKLOG_TRAVERSALS: u64 = 8;

/// Standard errors of the arrivals that the resolution must exceed for a load to be called stable.
const ARRIVALS_MOST: f64 = 1.5;

/// What a test is to tell, and by when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StabilitySettings {
    /// The drift that must not be mistaken for none, in flits per node per cycle.
    pub resolution_flits: f64,
    /// The share of the traffic, above 0 and at most 1, that piles up where the network is slightly
    /// overloaded.
    pub share: f64,
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

flitsim_topology::archived! { StabilityTest { was_growing; rebuilt settings, pace } }

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
        if now < judged_from(self.pace.correlation_cycles) {
            return None;
        }
        let terminals = f64::from(self.pace.terminals);
        let offered = self.pace.offered_flits * terminals;
        let drift = drift(recorder.run(), now, offered)?;
        let margin = GROWTH_T * drift.error_flits;
        let is_growing = drift.rate_flits > margin;
        let was_growing = std::mem::replace(&mut self.was_growing, is_growing);
        let patience = offered * (BACKLOG_TRAVERSALS * self.pace.traversal_cycles) as f64;
        if is_growing && was_growing && drift.is_linear && drift.backlog_flits > patience {
            return Some(Status::Saturated);
        }
        let resolution = self.settings.resolution_flits * terminals;
        let is_small = drift.rate_flits + margin < resolution;
        // Else even an overloaded network may not have filled up yet.
        let arrivals_error = drift.arrivals_error_flits * self.settings.share.sqrt();
        let is_telling = resolution >= ARRIVALS_MOST * arrivals_error;
        (is_small && is_telling && !self.pace.is_excessive()).then_some(Status::Converged)
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
            .max(judged_from(self.pace.correlation_cycles))
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
                let undecided = match self.pace.is_excessive() {
                    true => Status::Saturated,
                    false => Status::MaxCycles,
                };
                let status = verdict.unwrap_or(undecided);
                Decision::Done(self.outcome(status, now, recorder))
            }
        }
    }

    fn stop(&mut self, status: Status, now: u64, recorder: &mut Recorder) -> Outcome {
        recorder.reach(now);
        self.outcome(status, now, recorder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitsim_random::Pcg64Mcg;
    use rand::{RngExt, SeedableRng};

    const CAPACITY: f64 = 0.5;

    /// Of 16 nodes, packets of 4 flits.
    fn test(offered: f64, max_cycles: u64) -> StabilityTest {
        let settings = StabilitySettings {
            resolution_flits: 0.01,
            share: 1.0,
            max_cycles,
        };
        let pace = Pace {
            terminals: 16,
            offered_flits: offered,
            packet_flits: 4.0,
            hottest_flits: 0.0,
            traversal_cycles: 10,
            correlation_cycles: 0,
        };
        StabilityTest::new(settings, pace)
    }

    /// The verdict on `offered` flits per node per cycle, and its cycles, of a network that passes half a
    /// flit a node a cycle.
    fn verdict(seed: u64, offered: f64, max_cycles: u64) -> (Status, u64) {
        let mut test = test(offered, max_cycles);
        let mut recorder = Recorder::new();
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let (mut until, mut backlog) = (test.first_checkpoint(), 0);
        for cycle in 0.. {
            if cycle >= until {
                match test.decide(cycle, &mut recorder) {
                    Decision::Continue { until: next } => until = next,
                    Decision::Done(outcome) => return (outcome.status, outcome.cycles),
                }
            }
            for _ in 0..16 {
                if rng.random_bool(offered / 4.0) {
                    recorder.created(cycle, 4);
                    backlog += 4;
                }
            }
            let passed = backlog.min((16.0 * CAPACITY) as u32);
            recorder.ejected(cycle, passed);
            backlog -= passed;
        }
        unreachable!("the test ends")
    }

    /// How many of 60 runs at `offered` end as `status`, and the longest of them.
    fn count(offered: f64, status: Status) -> (usize, u64) {
        let runs: Vec<_> = (0..60)
            .map(|seed| verdict(seed, offered, 1 << 20))
            .collect();
        let longest = runs.iter().map(|run| run.1).max().unwrap_or(0);
        (runs.iter().filter(|run| run.0 == status).count(), longest)
    }

    #[test]
    fn loads_on_both_sides_are_told_in_few_cycles() {
        let (stable, longest) = count(0.4, Status::Converged);
        assert!(stable >= 59 && longest < 20_000, "{stable}, {longest}");
        let (unstable, longest) = count(0.6, Status::Saturated);
        assert!(unstable >= 59 && longest < 20_000, "{unstable}, {longest}");
    }

    #[test]
    fn a_drift_at_the_resolution_hardly_ever_passes_for_none() {
        let (stable, _) = count(CAPACITY + 0.01, Status::Converged);
        assert!(stable <= 8, "{stable} of 60");
        let (stable, _) = count(CAPACITY + 0.02, Status::Converged);
        assert!(stable <= 1, "{stable} of 60 with twice the drift");
    }

    /// Packets come like clockwork, and leave in bursts: the drift is known late.
    #[test]
    fn nothing_is_said_before_the_noise_is_below_the_resolution() {
        let (mut test, mut recorder) = (test(0.25, 1 << 20), Recorder::new());
        let mut rng = Pcg64Mcg::seed_from_u64(3);
        let first = test.first_checkpoint();
        let (mut until, mut backlog) = (first, 0);
        for cycle in 0..=4 * first {
            if cycle >= until {
                match test.decide(cycle, &mut recorder) {
                    Decision::Continue { until: next } => until = next,
                    Decision::Done(outcome) => panic!("{outcome:?}"),
                }
            }
            recorder.created(cycle, 4);
            backlog += 4;
            if rng.random_bool(0.01) {
                recorder.ejected(cycle, std::mem::take(&mut backlog));
            }
        }
    }

    #[test]
    fn the_limit_leaves_a_load_undecided() {
        assert_eq!(verdict(1, CAPACITY, 3_000), (Status::MaxCycles, 3_000));
    }
}
