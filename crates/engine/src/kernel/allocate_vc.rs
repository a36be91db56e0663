//! Route and allocate virtual channels: every head that waits asks the relation for its ways on,
//! and claims one that is free (Dally & Towles, sections 16.1 and 19.3).

use crate::kernel::allocate_switch::cyclic_distance;
use crate::kernel::engine::Here;
use crate::kernel::partition::Partition;
use crate::kernel::state::{Key, State};
use crate::kernel::vc_allocation::{Front, front_packet, head_of};
use crate::kernel::wiring::NONE;
use crate::random::{Purpose, below, draw};
use crate::routing::{Candidate, VcMask};
use crate::{Allocator, Engine, FlowControl, Head, Packet, Probe, Routing, Selection};
use flitsim_topology::ChannelId;

impl<R: Routing, P: Probe, E: Partition> Engine<'_, R, P, E> {
    /// Gives outputs to the waiting heads of a router.
    #[inline]
    pub(crate) fn allocate_vcs_at(&mut self, here: Here) {
        debug_assert!(self.scratch.heads.is_empty());
        match self.config.allocator {
            Allocator::RoundRobin | Allocator::Islip { .. } => self.allocate_in_turn(here),
            Allocator::Random | Allocator::OldestFirst => self.allocate_by_key(here),
        }
        self.scratch.heads.clear();
        let words = here.first_word..here.first_word + self.wiring.words;
        if self.state.routers[words].iter().all(|r| r.waiting == 0) {
            self.waiting.remove(here.router);
        }
    }

    /// Separable, input first: every head puts itself to one channel; each channel serves the heads
    /// put to it from where it left off. A pointer for each channel, for one that serves all of a
    /// router's channels can starve a head: a claim on another channel would move it past.
    #[inline]
    fn allocate_in_turn(&mut self, here: Here) {
        for word in 0..self.wiring.words {
            let mut waiting = self.state.routers[here.first_word + word].waiting;
            while waiting != 0 {
                let local = word as u32 * 64 + waiting.trailing_zeros();
                waiting &= waiting - 1;
                if let Some(candidate) = self.choose(here, local) {
                    let channel = candidate.channel;
                    let pointer = self.state.links[channel.index()].claim_pointer;
                    let distance = cyclic_distance(u32::from(pointer), local);
                    let turn = u64::from(channel.0) << 32 | u64::from(distance);
                    self.scratch.heads.push(((turn, candidate.vcs), local));
                }
            }
        }
        if self.scratch.heads.len() > 1 {
            self.scratch.heads.sort_unstable();
        }
        for index in 0..self.scratch.heads.len() {
            let ((turn, vcs), local) = self.scratch.heads[index];
            let channel = ChannelId((turn >> 32) as u32);
            if self.claim(here, local, channel, vcs) {
                self.state.links[channel.index()].claim_pointer = local as u16 + 1;
            }
        }
    }

    fn allocate_by_key(&mut self, here: Here) {
        for word in 0..self.wiring.words {
            let mut waiting = self.state.routers[here.first_word + word].waiting;
            while waiting != 0 {
                let local = word as u32 * 64 + waiting.trailing_zeros();
                waiting &= waiting - 1;
                let key = self.key(here, local, Purpose::VcOrder);
                self.scratch.heads.push((key, local));
            }
        }
        self.scratch.heads.sort_unstable();
        for index in 0..self.scratch.heads.len() {
            let (_, local) = self.scratch.heads[index];
            if let Some(candidate) = self.choose(here, local) {
                self.claim(here, local, candidate.channel, candidate.vcs);
            }
        }
    }

    /// What the random and oldest-first allocators compare: the least goes first.
    #[inline]
    pub(crate) fn key(&self, here: Here, local: u32, purpose: Purpose) -> Key {
        if self.config.allocator == Allocator::Random {
            let router = self.partition.node(here.router).0;
            let word = draw(self.seed, purpose, router, self.cycle, local);
            return (word, u64::from(local));
        }
        let packet = self
            .packets
            .get(self.next_packet(self.lane_at(here, local)));
        let source = u64::from(packet.source.0);
        (packet.created, source << 32 | u64::from(local))
    }

    /// The packet whose head is at the front of `lane`, ready and without an output.
    #[inline(always)]
    pub(crate) fn front_packet(&self, lane: u32) -> u32 {
        let State {
            lanes,
            heads,
            buffers,
            ..
        } = &self.state;
        front_packet(lane, lanes, heads, *buffers, self.wiring)
    }

    /// The packet of the flit at the front of `lane`, which has a flit ready.
    #[inline]
    pub(crate) fn next_packet(&self, lane: u32) -> u32 {
        let state = &self.state.lanes[lane as usize];
        match state.output {
            NONE => self.front_packet(lane),
            _ => state.packet(),
        }
    }

    /// The lane of local ivc `local`.
    #[inline(always)]
    pub(super) fn lane_at(&self, here: Here, local: u32) -> u32 {
        self.state.lane_into(here.first_ivc | local, self.wiring)
    }

    /// The channel that the head at the front of local ivc `local` would claim a virtual channel of
    /// now, if there is one. A head at its destination takes the ejection instead.
    #[inline]
    fn choose(&mut self, here: Here, local: u32) -> Option<Candidate> {
        let lane = self.lane_at(here, local);
        let slot = self.front_packet(lane);
        let packet = self.packets.get(slot);
        if packet.destination == self.partition.node(here.router) {
            let front = Front::new(local, lane, slot, packet);
            self.vc_allocation().take_ejection(here, front);
            return None;
        }
        let flits = packet.flits;
        let head = self.head(here, lane, packet);
        if self.config.flow_control == FlowControl::StoreAndForward
            && head.arrived.is_some()
            && self.state.lanes[lane as usize].reader.ready() < flits
        {
            return None;
        }
        if R::DETERMINISTIC {
            let wanted = self.wanted(slot, head)?;
            (self.available(wanted, flits) != 0).then_some(wanted)
        } else {
            self.select(head, flits, local)
        }
    }

    #[inline]
    fn head(&self, here: Here, lane: u32, packet: &Packet) -> Head {
        head_of(here, lane, packet, self.wiring, &self.partition)
    }

    /// VcAllocation one of the virtual channels `vcs` of `channel` for the head at the front of local ivc
    /// `local`. False where none is left.
    #[inline]
    fn claim(&mut self, here: Here, local: u32, channel: ChannelId, vcs: VcMask) -> bool {
        let lane = self.lane_at(here, local);
        let slot = self.front_packet(lane);
        let packet = self.packets.get(slot);
        let head = self.head(here, lane, packet);
        let candidate = Candidate {
            channel,
            vcs,
            priority: 0,
        };
        let available = self.available(candidate, packet.flits);
        if available == 0 {
            return false;
        }
        let front = Front::new(local, lane, slot, packet);
        self.vc_allocation()
            .grant(here, front, head, channel, available);
        self.packets.clear_wanted(slot);
        true
    }

    /// Asks a deterministic relation once for as long as the head of the packet in `slot` waits.
    #[inline]
    fn wanted(&mut self, slot: u32, head: Head) -> Option<Candidate> {
        let wanted = self.packets.wanted(slot);
        if wanted.vcs != 0 {
            return Some(wanted);
        }
        let wanted = self.routing.only(head, &mut self.scratch.candidates)?;
        let wanted = wanted.at(self.partition.local_id(wanted.channel));
        self.packets.set_wanted(slot, wanted);
        Some(wanted)
    }

    /// The virtual channels of `candidate` that a packet of `flits` flits may claim now.
    #[inline]
    fn available(&self, candidate: Candidate, flits: u32) -> VcMask {
        let free = self.state.links[candidate.channel.index()].free_vcs & candidate.vcs;
        if self.config.flow_control == FlowControl::Wormhole {
            return free;
        }
        let mut fitting = 0;
        let mut rest = free;
        while rest != 0 {
            let vc = rest.trailing_zeros();
            rest &= rest - 1;
            if self.credits(candidate.channel, vc) >= flits {
                fitting |= 1 << vc;
            }
        }
        fitting
    }

    #[inline]
    fn credits(&self, channel: ChannelId, vc: u32) -> u32 {
        self.state.lanes[self.wiring.ovc(channel, vc) as usize]
            .sender
            .credits()
    }

    /// The candidate that an adaptive head prefers, of those with a virtual channel to claim.
    fn select(&mut self, head: Head, flits: u32, local: u32) -> Option<Candidate> {
        let mut candidates = std::mem::take(&mut self.scratch.candidates);
        candidates.clear();
        self.routing.route(head, &mut candidates);
        if E::IS_PART {
            candidates.renumber(|channel| self.partition.local_id(channel));
        }
        let mut best = None;
        let mut best_score = 0;
        let mut equals = 0;
        // Two passes over a class: find the best score and how many have it, then draw among them.
        for class in candidates
            .as_slice()
            .chunk_by(|a, b| a.priority == b.priority)
        {
            for &candidate in class {
                let vcs = self.available(candidate, flits);
                if vcs == 0 {
                    continue;
                }
                let score = self.score(candidate.channel, vcs);
                if equals == 0 || score > best_score {
                    (best_score, equals) = (score, 0);
                }
                equals += u32::from(score == best_score);
            }
            if equals == 0 {
                continue;
            }
            let mut skip = match self.config.selection {
                Selection::Zigzag => 0,
                _ if equals == 1 => 0,
                _ => {
                    let router = head.node.0;
                    let word = draw(self.seed, Purpose::Selection, router, self.cycle, local);
                    below(word, equals)
                }
            };
            for &candidate in class {
                let vcs = self.available(candidate, flits);
                if vcs != 0 && self.score(candidate.channel, vcs) == best_score {
                    if skip == 0 {
                        best = Some(candidate);
                        break;
                    }
                    skip -= 1;
                }
            }
            break;
        }
        self.scratch.candidates = candidates;
        best
    }

    /// What the selection function prefers: the most.
    #[inline]
    fn score(&self, channel: ChannelId, vcs: VcMask) -> u32 {
        match self.config.selection {
            // Zigzag takes the first of all, random any.
            Selection::Random | Selection::Zigzag => 0,
            Selection::LeastLoaded => self.state.links[channel.index()].free_vcs.count_ones(),
            Selection::MostCredits => {
                let mut rest = vcs;
                let mut sum = 0;
                while rest != 0 {
                    sum += self.credits(channel, rest.trailing_zeros());
                    rest &= rest - 1;
                }
                sum
            }
        }
    }
}
