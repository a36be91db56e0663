//! Sources that send flit by flit, one packet after another, into buffers like those of a channel.

use crate::kernel::active::for_each_member;
use crate::kernel::partition::Partition;
use crate::kernel::staged::{Feed, Stages};
use crate::routing::{VcMask, drawn};
use crate::{Engine, FlitKind, Head, Probe, Routing, VcReallocation};

impl<R: Routing, P: Probe, E: Partition> Engine<'_, R, P, E> {
    /// Every source that has a packet sends a flit, if there is room.
    pub(super) fn feed(&mut self, stages: &mut Stages) {
        for_each_member!(stages.feeding, terminal => self.feed_from(stages, terminal));
    }

    fn feed_from(&mut self, stages: &mut Stages, terminal: u32) {
        let has_port = stages.has_ports();
        let port = match has_port {
            // A terminal has one channel, and so its own number.
            true => 0,
            false => self.wiring.first_injection,
        };
        let first = port + (terminal << self.wiring.vc_shift);
        let mut feed = stages.feeds[terminal as usize];
        if !feed.is_under_way {
            let Some(vc) = self.next_in_turn(stages, first, feed) else {
                return;
            };
            feed.vc = vc;
        } else if self.lane_credits(first, feed.vc) == 0 {
            return;
        }
        let is_head = !feed.is_under_way;
        let name = first | u32::from(feed.vc);
        let lane = &mut self.state.lanes[name as usize];
        let place = self.state.buffers.place(name, lane.sender.back());
        lane.sender = lane.sender.after_flit();
        if stages.sharing.is_on() {
            self.parts().place_taken(stages, name);
        }
        if is_head {
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
        if has_port {
            let kind = FlitKind {
                head: is_head,
                tail: feed.left == 0,
            };
            self.sent_into_port(name, kind, feed.slot);
            let wire = self.config.channel_delay_of(self.wiring.channel_of(name));
            if wire > 0 {
                self.flits_due.push(self.cycle + u64::from(wire), name);
                return;
            }
        }
        self.parts().flit_in_stages(stages, name);
    }

    fn lane_credits(&self, first: u32, vc: u8) -> u32 {
        let lane = (first | u32::from(vc)) as usize;
        self.state.lanes[lane].sender.credits()
    }

    /// Of the lanes from `first` on the next in turn that has room for the packet of `feed`, and under atomic
    /// reallocation nothing but room.
    fn next_in_turn(&mut self, stages: &Stages, first: u32, feed: Feed) -> Option<u8> {
        let (vcs, offered) = match stages.has_ports() {
            true => (self.config.virtual_channels, self.offered(feed.slot)),
            false => (self.config.injection_vcs, VcMask::MAX),
        };
        let vcs = vcs as u8;
        let is_atomic = self.config.vc_reallocation == VcReallocation::Atomic;
        let is_free = |&vc: &u8| {
            let credits = self.lane_credits(first, vc);
            let used = stages.sharing.used(first | u32::from(vc));
            let is_empty = used.unwrap_or_else(|| self.config.buffer_flits - credits) == 0;
            offered >> vc & 1 == 1 && credits > 0 && (is_empty || !is_atomic)
        };
        let mut in_turn = (1..=vcs).map(|ahead| (feed.vc + ahead) % vcs);
        in_turn.find(is_free)
    }

    /// The virtual channels that the packet in `slot` may take from its terminal into a port.
    fn offered(&mut self, slot: u32) -> VcMask {
        let Some(head) = self.head_at_port(slot) else {
            return VcMask::MAX;
        };
        let candidates = &mut self.scratch.candidates;
        candidates.clear();
        self.routing.route(head, candidates);
        let all = candidates.as_slice().iter();
        all.fold(0, |vcs, candidate| vcs | candidate.vcs)
    }

    /// The head of the packet in `slot` as the relation sees it at its terminal; `None` where it asks nothing
    /// there: for its own terminal, or with all to be decided at the router.
    fn head_at_port(&self, slot: u32) -> Option<Head> {
        let packet = self.packets.get(slot);
        let is_asked =
            packet.source != packet.destination && !(R::LOOKS && drawn(packet.state).is_some());
        is_asked.then_some(Head {
            node: packet.source,
            arrived: None,
            destination: packet.destination,
            state: packet.state,
        })
    }

    /// A flit of the packet in `slot` goes over `lane` from its terminal into a port.
    fn sent_into_port(&mut self, lane: u32, kind: FlitKind, slot: u32) {
        let (channel, vc) = (self.wiring.channel_of(lane), self.wiring.vc_of(lane));
        if kind.head {
            if let Some(head) = self.head_at_port(slot) {
                self.packets.get_mut(slot).state = self.routing.advance(head, channel, vc);
            }
            self.packets.get_mut(slot).hops += 1;
        }
        self.counters.flit_hops += 1;
        let packet = self.packets.get(slot);
        self.probe.flit_sent(self.cycle, channel, vc, kind, packet);
    }
}
