//! Packets of a relation that looks at queues decide on their initial state, each once, before any head of the
//! cycle is given anything: so all of them see the queues as they are at its start.

use crate::kernel::active::for_each_member;
use crate::kernel::bits::ones;
use crate::kernel::engine::Here;
use crate::kernel::lane::Lane;
use crate::kernel::partition::Partition;
use crate::kernel::staged::Stages;
use crate::kernel::state::{Looks, NO_OWNER, State};
use crate::kernel::vc_allocation::head_of;
use crate::kernel::wiring::{NONE, Wiring};
use crate::routing::{Queues, Undecided, VcMask, drawn, vc_range};
use crate::{Candidates, Engine, FlowControl, Head, Packet, Probe, Routing};
use flitsim_topology::{ChannelId, Network, NodeId};

/// The queues of a network whose engine has all of it.
struct Queued<'a, const SHARED: bool> {
    network: &'a Network,
    state: &'a State,
    stages: Option<&'a Stages>,
    asking: &'a [u64],
    wiring: Wiring,
    buffer_flits: u32,
    all: VcMask,
}

impl<const SHARED: bool> Queues for Queued<'_, SHARED> {
    fn flits(&self, channel: ChannelId, vcs: VcMask) -> u64 {
        let mut sum = 0;
        for vc in ones(vcs & self.all) {
            let ovc = self.wiring.ovc(channel, vc);
            let lane = ovc as usize;
            sum += self.asking[lane];
            sum += u64::from(match self.stages {
                Some(stages) if SHARED => stages.sharing.used(ovc).unwrap_or(0),
                _ => self.buffer_flits - self.state.lanes[lane].sender.credits(),
            });
            let owner = self.state.owners[lane];
            if owner != NO_OWNER {
                let router = self.network.source(channel).0;
                let ivc = self.wiring.first_ivc(router) + u32::from(owner);
                let from = self.state.lane_into(ivc, self.wiring);
                sum += u64::from(self.state.lanes[from as usize].remaining());
            }
        }
        sum
    }
}

impl<R: Routing, P: Probe, E: Partition> Engine<'_, R, P, E> {
    /// Those that ask for a virtual channel for the first time decide.
    #[inline(never)]
    pub(super) fn decide(&mut self, stages: Option<&Stages>) {
        let mut looks = std::mem::take(&mut self.scratch.looks);
        if looks.asking.is_empty() {
            return;
        }
        for_each_member!(self.waiting, router => self.look_at(self.here(router), stages, &mut looks));
        if looks.has_behind && !looks.undecided.is_empty() {
            self.look_behind(&mut looks);
        }
        match stages.filter(|stages| stages.sharing.is_on()) {
            Some(_) => self.decide_all::<true>(stages, &mut looks),
            None => self.decide_all::<false>(stages, &mut looks),
        }
        for lane in looks.asked.drain(..) {
            looks.asking[lane as usize] = 0;
        }
        self.scratch.looks = looks;
    }

    /// The heads of a router that ask: those that are to decide, and what the others ask for, counted at the
    /// first virtual channel that the relation offers.
    fn look_at(&mut self, here: Here, stages: Option<&Stages>, looks: &mut Looks) {
        for word in 0..here.words {
            for bit in ones(self.state.routers[here.first_word + word].waiting) {
                let local = word as u32 * 64 + bit;
                let lane = self.lane_at(here, local);
                let slot = match stages {
                    Some(stages) => self.head_in_front(stages, lane),
                    None => self.front_packet(lane),
                };
                let packet = self.packets.get(slot);
                let head = head_of(here, lane, packet, self.wiring, &self.partition);
                let waits_for_tail = self.config.flow_control == FlowControl::StoreAndForward
                    && head.arrived.is_some()
                    && self.state.lanes[lane as usize].reader.ready() < packet.flits;
                if head.node == head.destination || waits_for_tail {
                    continue;
                }
                if let Some(choice) = drawn(head.state) {
                    let ivc = here.ivc(local);
                    looks.undecided.push((slot, ivc, head.node, choice));
                    continue;
                }
                self.count(head, packet.flits, looks);
            }
        }
    }

    /// The heads that are in a buffer behind others, as if they asked.
    fn look_behind(&mut self, looks: &mut Looks) {
        for lane in 0..self.wiring.first_injection {
            let Lane { reader, output, .. } = self.state.lanes[lane as usize];
            if reader.ready() == 0 {
                continue;
            }
            let channel = self.wiring.channel_of(lane);
            let mut behind = match output {
                NONE => self.packet_at(lane, 0).flits,
                _ => self.state.lanes[lane as usize].remaining(),
            };
            while behind < reader.ready() {
                let packet = self.packet_at(lane, behind);
                behind += packet.flits;
                let head = Head {
                    node: self.network.target(channel),
                    arrived: Some((channel, self.wiring.vc_of(lane))),
                    destination: packet.destination,
                    state: packet.state,
                };
                if drawn(head.state).is_none() && head.node != head.destination {
                    self.count(head, packet.flits, looks);
                }
            }
        }
    }

    /// The packet whose head is `behind` flits behind the front of `lane`.
    fn packet_at(&self, lane: u32, behind: u32) -> Packet {
        let front = self.state.lanes[lane as usize].reader.front();
        let place = front.wrapping_add(behind as u16);
        *self
            .packets
            .get(self.state.heads[self.state.buffers.place(lane, place)])
    }

    /// Counts `flits` for what `head` asks for first.
    fn count(&mut self, head: Head, flits: u32, looks: &mut Looks) {
        let candidates = &mut self.scratch.candidates;
        candidates.clear();
        self.routing.route(head, candidates);
        if let Some(first) = candidates.as_slice().first() {
            let channel = self.partition.local_id(first.channel);
            let lane = self.wiring.ovc(channel, first.vcs.trailing_zeros());
            if looks.asking[lane as usize] == 0 {
                looks.asked.push(lane);
            }
            looks.asking[lane as usize] += u64::from(flits);
        }
    }

    /// Those that are to decide do.
    fn decide_all<const SHARED: bool>(&mut self, stages: Option<&Stages>, looks: &mut Looks) {
        let mut candidates = std::mem::take(&mut self.scratch.candidates);
        for undecided in looks.undecided.drain(..) {
            self.decide_on::<SHARED>(stages, undecided, &looks.asking, &mut candidates);
        }
        self.scratch.candidates = candidates;
    }

    #[inline]
    fn decide_on<const SHARED: bool>(
        &mut self,
        stages: Option<&Stages>,
        (slot, ivc, node, choice): (u32, u32, NodeId, u32),
        asking: &[u64],
        candidates: &mut Candidates,
    ) {
        let packet = self.packets.get_mut(slot);
        let (source, destination) = (packet.source, packet.destination);
        let undecided = Undecided {
            node,
            source,
            destination,
            flits: packet.flits,
            choice,
        };
        let queues = Queued::<SHARED> {
            network: self.network,
            state: &self.state,
            stages,
            asking,
            wiring: self.wiring,
            buffer_flits: self.config.buffer_flits,
            all: vc_range(0, self.config.virtual_channels),
        };
        if let Some(choice) = self.routing.decide(undecided, &queues, candidates) {
            // Whatever a relation says, only what has been proved is done.
            let is_known = choice < self.routing.choices(source, destination);
            let choice = if is_known { choice } else { undecided.choice };
            packet.state = self.routing.initial(source, destination, choice);
            debug_assert!(
                self.state
                    .waits
                    .get(ivc as usize)
                    .is_none_or(|w| w.wanted() == 0),
                "decided where it was for a later router to say"
            );
        }
    }
}
