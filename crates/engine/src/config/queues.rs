//! Queues between the switch and the channels: where there are any, and how long a flit may wait in one.

use super::{Contradiction, EngineConfig, Port};

/// Longest wait, in cycles: what is under way waits in a list for each.
const WAIT_MOST: u64 = 100_000;

impl EngineConfig {
    /// Whether a flit that has won the switch may wait for its channel.
    pub fn has_output_queues(&self) -> bool {
        self.output_speedup > 1 || self.output_queues && self.channel_period_max() > 1
    }

    /// No flit waits longer in an output queue: each in it has taken a place in the buffers at the channel's end.
    pub(crate) fn queue_cycles_max(&self) -> u32 {
        if self.has_output_queues() {
            self.wait_max().min(WAIT_MOST) as u32
        } else {
            0
        }
    }

    /// The same, unbounded.
    fn wait_max(&self) -> u64 {
        let vcs = u64::from(self.virtual_channels) * u64::from(self.channel_period_max());
        vcs.max(u64::from(self.ejection_vcs)) * u64::from(self.buffer_flits)
    }

    /// What does not go together with output queues.
    pub(super) fn contradictions_of_queues(&self) -> [Option<Contradiction>; 2] {
        let found =
            |wrong: bool, key, message, help| wrong.then_some(Contradiction { key, message, help });
        let is_bounded =
            self.ejection_vcs > 0 || self.terminal_ports || self.ejection == Port::Unlimited;
        let key = match self.output_speedup {
            1 => "output_queues",
            _ => "output_speedup",
        };
        [
            found(
                self.output_speedup > 1 && !is_bounded,
                "output_speedup",
                "the queue to a terminal is bounded by the credits of its virtual channels",
                "add `ejection_vcs`, or `ejection = \"unlimited\"`",
            ),
            found(
                self.has_output_queues() && self.wait_max() > WAIT_MOST,
                key,
                "a flit could wait more than 100,000 cycles in an output queue: virtual channels times \
                 `buffer_flits` times a channel's period",
                "less `buffer_flits`, fewer virtual channels, or faster channels",
            ),
        ]
    }
}
