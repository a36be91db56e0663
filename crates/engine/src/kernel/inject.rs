//! Inject: packets move from a source queue into free injection virtual channels.

use crate::kernel::partition::Partition;
use crate::{Engine, Probe, Routing};

impl<R: Routing, P: Probe, E: Partition> Engine<'_, R, P, E> {
    /// Fills what became vacant in this cycle, for the next.
    pub(crate) fn refill(&mut self) {
        let mut vacant = std::mem::take(&mut self.scratch.vacant);
        for &node in &vacant {
            self.fill_injection(node, self.cycle + 1);
        }
        vacant.clear();
        self.scratch.vacant = vacant;
    }

    /// Fills the free injection virtual channels of terminal `node` from its queue, as of cycle
    /// `entered`: the current one, or the next when a tail has just left.
    ///
    /// A packet's time in the router counts from its creation: what it waited in the queue, it
    /// need not wait again.
    pub(crate) fn fill_injection(&mut self, node: u32, entered: u64) {
        match self.fast_paths.is_plain {
            true => self.fill::<true>(node, entered),
            false => self.fill::<false>(node, entered),
        }
    }

    #[inline(always)]
    fn fill<const PLAIN: bool>(&mut self, node: u32, entered: u64) {
        let first_lane = self.wiring.first_injection + (node << self.wiring.vc_shift);
        loop {
            let source = &mut self.state.sources[node as usize];
            if source.free == 0 {
                return;
            }
            let Some(slot) = self.packets.dequeue(&mut source.queue) else {
                return;
            };
            let vc = source.free.trailing_zeros();
            source.free &= source.free - 1;
            let packet = self.packets.get_mut(slot);
            if !PLAIN
                && let Some(stages) = &mut self.stages
                && stages.has_buffers()
            {
                stages.begin_feed(node, slot, packet.flits);
                return;
            }
            packet.entered = entered;
            let lane = first_lane + vc;
            self.state.lanes[lane as usize].begin(slot, packet.flits);
            self.counters.packets_entered += 1;
            self.probe.packet_entered(entered, self.packets.get(slot));
            if !PLAIN {
                let routed = self.packets.get(slot).created + self.source_cycles;
                self.flits_due.push(entered.max(routed), lane);
                continue;
            }
            self.flit_in(lane);
            if entered == self.cycle {
                self.wake(lane);
            } else {
                self.waits_next.push(self.state.end_of(lane, self.wiring));
            }
        }
    }
}
