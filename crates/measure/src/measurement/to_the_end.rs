//! Runs that end by themselves: a trace, a batch, a closed loop of so many requests. Every packet
//! counts from cycle 0 on; nothing is estimated, and a mean has an interval only over replicas.

use super::controller::{Decision, Outcome};
use super::decide::Decide;
use super::recorder::Recorder;
use super::statistics::{Estimate, mean_of_independent};
use crate::point::{Mean, PointResult, Status};

/// Lets a run go on until everything has arrived, or the limit of cycles comes.
#[derive(Clone, Copy, Debug)]
pub struct ToTheEnd {
    max_cycles: u64,
    terminals: u32,
    has_begun: bool,
}

impl ToTheEnd {
    /// The decisions of a run of at most `max_cycles` cycles on a network of `terminals` terminals,
    /// which is not to be 0.
    pub fn new(max_cycles: u64, terminals: u32) -> Self {
        Self {
            max_cycles,
            terminals,
            has_begun: false,
        }
    }

    /// What there is at the start of cycle `now`. Latencies only where every packet has arrived: a
    /// mean without the slowest would be too low.
    fn outcome(&self, status: Status, now: u64, recorder: &Recorder) -> Outcome {
        let node_cycles = now as f64 * f64::from(self.terminals);
        let all = recorder.run().total();
        let accepted = match now {
            0 => 0.0,
            _ => all.ejected_flits as f64 / node_cycles,
        };
        let packets = recorder.tagged().packets();
        let latency = (status == Status::Converged && packets > 0)
            .then(|| recorder.window().total().latency_cycles as f64 / packets as f64);
        Outcome {
            status,
            warmup_cycles: 0,
            cycles: now,
            accepted: exactly(accepted),
            latency: latency.map(exactly),
        }
    }
}

/// A value of which no other is known to compare it with.
fn exactly(mean: f64) -> Estimate {
    Estimate {
        mean,
        half_width: f64::INFINITY,
        batches: 1,
        trusted: true,
    }
}

impl Decide for ToTheEnd {
    fn first_checkpoint(&self) -> u64 {
        0
    }

    fn decide(&mut self, now: u64, recorder: &mut Recorder) -> Decision {
        if !self.has_begun {
            self.has_begun = true;
            recorder.begin_window(now, u64::MAX);
            return Decision::Continue {
                until: self.max_cycles,
            };
        }
        Decision::Done(self.outcome(Status::MaxCycles, now, recorder))
    }

    fn stop(&mut self, status: Status, now: u64, recorder: &mut Recorder) -> Outcome {
        self.outcome(status, now, recorder)
    }
}

/// The mean of one value a replica, and its interval where there are several.
pub fn mean_of_replicas(values: &[f64]) -> Option<Mean> {
    match *values {
        [] => None,
        [mean] => Some(Mean {
            mean,
            ci95: f64::INFINITY,
        }),
        _ => {
            let estimate = mean_of_independent(values);
            Some(Mean {
                mean: estimate.mean,
                ci95: estimate.half_width,
            })
        }
    }
}

/// `point`, pooled from `outcomes`, with the intervals that the replicas give; and the mean cycle in
/// which they ended, if all did by themselves.
pub fn with_intervals(point: &mut PointResult, outcomes: &[Outcome]) -> Option<Mean> {
    let each = |of: &dyn Fn(&Outcome) -> Option<f64>| {
        let values: Option<Vec<f64>> = outcomes.iter().map(of).collect();
        mean_of_replicas(&values?)
    };
    if let Some(accepted) = each(&|outcome| Some(outcome.accepted.mean)) {
        point.accepted_flits = accepted.mean;
        point.accepted_ci95 = accepted.ci95;
    }
    let latency = each(&|outcome| outcome.latency.map(|latency| latency.mean));
    point.latency = point.latency.zip(latency).map(|(mut summary, latency)| {
        summary.mean = latency.mean;
        summary.ci95 = latency.ci95;
        summary
    });
    each(&|outcome| (outcome.status == Status::Converged).then_some(outcome.cycles as f64))
}
