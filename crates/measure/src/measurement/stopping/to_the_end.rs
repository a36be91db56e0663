//! Runs that end by themselves: a trace, a batch, a closed loop of so many requests. Every packet
//! counts from cycle 0 on; nothing is estimated, and a mean has an interval only over replicas.

use super::outcome::{Decide, Decision, Outcome, Status};
use crate::measurement::recorder::Recorder;
use crate::measurement::statistics::Estimate;

/// Lets a run go on until everything has arrived, or the limit of cycles comes.
#[derive(Clone, Copy, Debug)]
pub struct ToTheEnd {
    max_cycles: u64,
    terminals: u32,
    has_begun: bool,
}

flitsim_topology::archived! { ToTheEnd { has_begun; rebuilt max_cycles, terminals } }

impl ToTheEnd {
    /// The decisions of a run of at most `max_cycles` cycles on a network of `terminals` terminals, at
    /// least one.
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
        sampled: mean,
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
