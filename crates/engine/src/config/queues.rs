//! Queues between the switch and the channels: where there are any, and how long a flit may wait in one.

use super::{Contradiction, EngineConfig, Pipeline, Port};

/// Longest wait, in cycles: what is under way waits in a list for each.
const WAIT_MOST: u64 = 100_000;

impl EngineConfig {
    /// Whether a flit that has won the switch may wait for its channel.
    pub fn has_output_queues(&self) -> bool {
        self.queues_to_terminals() || self.output_queues && self.channel_period_max() > 1
    }

    /// Whether several flits may win the way to a terminal, or to a channel, in a cycle.
    pub(crate) fn queues_to_terminals(&self) -> bool {
        self.output_speedup > 1 || self.internal_speedup > 1
    }

    /// No flit waits longer in an output queue: each in it has taken a place in the buffers at the channel's end. With
    /// internal cycles, its way there counts.
    pub(crate) fn queue_cycles_max(&self) -> u32 {
        if self.has_output_queues() {
            self.wait_max().min(WAIT_MOST) as u32 + self.crossing_max()
        } else {
            0
        }
    }

    /// Where a router has internal cycles, most cycles of a channel in which a flit crosses the switch.
    fn crossing_max(&self) -> u32 {
        let crossing = |stages: Pipeline| match self.internal_speedup {
            1 => 0,
            internal => stages.traversal.div_ceil(internal),
        };
        self.pipeline.map_or(0, crossing)
    }

    /// What it waits at most, unbounded.
    fn wait_max(&self) -> u64 {
        let vcs = u64::from(self.virtual_channels) * u64::from(self.channel_period_max());
        let most = vcs.max(u64::from(self.ejection_vcs));
        // Credits wait too, from sources' buffers as well.
        let of_sources = if self.internal_speedup > 1 {
            self.injection_vcs
        } else {
            0
        };
        most.max(u64::from(of_sources)) * u64::from(self.buffer_flits)
    }

    /// What does not go together with output queues.
    pub(super) fn contradictions_of_queues(&self) -> [Option<Contradiction>; 5] {
        let found =
            |wrong: bool, key, message, help| wrong.then_some(Contradiction { key, message, help });
        let is_bounded = self.ejection_vcs > 0 || self.terminal_ports;
        let has_queue = self.ejection == Port::Channel;
        let is_fast = self.internal_speedup > 1;
        let is_long = |stages: Pipeline| stages.switch_allocation > self.internal_speedup;
        let key = match (self.internal_speedup, self.output_speedup) {
            (1, 1) => "output_queues",
            (1, _) => "output_speedup",
            _ => "internal_speedup",
        };
        [
            found(
                !is_bounded && (is_fast || self.output_speedup > 1 && has_queue),
                key,
                "the queue to a terminal is bounded by the credits of its virtual channels",
                if is_fast {
                    "`ejection_vcs` or `terminal_ports`, and no `ejection = \"unlimited\"`"
                } else {
                    "add `ejection_vcs` or `terminal_ports`, or `ejection = \"unlimited\"`"
                },
            ),
            found(
                is_fast && self.pipeline.is_none(),
                "internal_speedup",
                "internal cycles are those of stages",
                "add `pipeline = {}`, or leave `internal_speedup` out",
            ),
            found(
                is_fast && !self.injection_buffers,
                "internal_speedup",
                "a source sends one flit in a cycle of its channel, into a buffer",
                "add `injection_buffers = true`, or leave `internal_speedup` out",
            ),
            found(
                is_fast && self.pipeline.is_some_and(is_long),
                "internal_speedup",
                "switch allocation would take longer than a cycle of a channel",
                "`switch_allocation` of at most `internal_speedup`",
            ),
            found(
                self.has_output_queues() && self.wait_max() > WAIT_MOST,
                key,
                "a flit could wait more than 100,000 cycles in an output queue, or a credit behind others: virtual \
                 channels times `buffer_flits` times a channel's period",
                "less `buffer_flits`, fewer `virtual_channels`, `injection_vcs` and `ejection_vcs`, or faster channels",
            ),
        ]
    }
}
