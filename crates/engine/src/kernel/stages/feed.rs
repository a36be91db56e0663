//! Sources that send flit by flit, one packet after another, into buffers like those of a channel.

use crate::kernel::active::for_each_member;
use crate::kernel::partition::Partition;
use crate::kernel::staged::Stages;
use crate::{Engine, Probe, Routing};

impl<R: Routing, P: Probe, E: Partition> Engine<'_, R, P, E> {
    /// Every source that has a packet sends a flit, if there is room.
    pub(super) fn feed(&mut self, stages: &mut Stages) {
        for_each_member!(stages.feeding, terminal => self.feed_from(stages, terminal));
    }

    fn feed_from(&mut self, stages: &mut Stages, terminal: u32) {
        let first = self.wiring.first_injection + (terminal << self.wiring.vc_shift);
        let mut feed = stages.feeds[terminal as usize];
        let credits = |vc: u8| {
            let lane = &self.state.lanes[(first | u32::from(vc)) as usize];
            lane.sender.credits()
        };
        if !feed.is_under_way {
            // The next in turn that has room.
            let vcs = self.config.injection_vcs as u8;
            let mut in_turn = (1..=vcs).map(|ahead| (feed.vc + ahead) % vcs);
            let Some(vc) = in_turn.find(|&vc| credits(vc) > 0) else {
                return;
            };
            feed.vc = vc;
        } else if credits(feed.vc) == 0 {
            return;
        }
        let name = first | u32::from(feed.vc);
        let lane = &mut self.state.lanes[name as usize];
        let place = self.state.buffers.place(name, lane.sender.back());
        lane.sender = lane.sender.after_flit();
        if !feed.is_under_way {
            feed.is_under_way = true;
            self.state.heads[place] = feed.slot;
            self.packets.get_mut(feed.slot).entered = self.cycle;
            self.counters.packets_entered += 1;
            let packet = self.packets.get(feed.slot);
            self.probe.packet_entered(self.cycle, packet);
        }
        feed.left -= 1;
        if feed.left == 0 {
            stages.feeding.remove(terminal);
            self.state.sources[terminal as usize].free = 1;
            self.scratch.vacant.push(terminal);
        }
        stages.feeds[terminal as usize] = feed;
        self.progress = true;
        if self.flit_in(name) == 1 {
            self.comes_to_front(stages, name);
        }
    }
}
