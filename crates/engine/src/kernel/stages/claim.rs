//! Virtual-channel allocation: heads ask, and are served one after another or matched.

use crate::config::Arbiter;
use crate::kernel::active::for_each_member;
use crate::kernel::ask::Ask;
use crate::kernel::bits::{after_vc, ones};
use crate::kernel::deliver::{has_room, requests};
use crate::kernel::engine::Here;
use crate::kernel::lane::Lane;
use crate::kernel::partition::Partition;
use crate::kernel::parts::Parts;
use crate::kernel::staged::Stages;
use crate::kernel::state::{Buffers, Key, Link, NO_OWNER, State, lane_into};
use crate::kernel::vc_allocation::{Front, VcAllocation, head_of, next_vc};
use crate::kernel::wiring::{EJECT, NONE, Wiring};
use crate::random::{Purpose, draw};
use crate::routing::{Candidate, VcMask};
use crate::{Engine, Head, Probe, Routing};
use flitsim_topology::ChannelId;

impl<R: Routing, P: Probe, E: Partition> Engine<'_, R, P, E> {
    /// In every router where heads ask, they get virtual channels.
    pub(super) fn claim_in_stages(&mut self, stages: &mut Stages) {
        if self.tells_uncontested(stages) {
            match self.wiring.words {
                1 => self.vc_allocation().claim_uncontested::<1>(stages),
                _ => self.vc_allocation().claim_uncontested::<2>(stages),
            }
            while let Some(router) = stages.scratch.contested.pop() {
                self.claim_at(stages, self.here(router));
            }
            return;
        }
        for_each_member!(self.waiting, router => self.claim_at(stages, self.here(router)));
    }

    fn claim_at(&mut self, stages: &mut Stages, here: Here) {
        match stages.vc_matching {
            None => self.claim_in_turn(stages, here),
            Some(matching) => {
                if R::DETERMINISTIC {
                    self.vc_allocation().ask_for_only(stages, here);
                } else {
                    let asks_for_all = self.config.asks_for_all();
                    for word in 0..here.words {
                        for bit in ones(self.state.routers[here.first_word + word].waiting) {
                            let local = word as u32 * 64 + bit;
                            match asks_for_all {
                                true => self.ask_for_all(stages, here, local),
                                false => self.ask(stages, here, local),
                            }
                        }
                    }
                }
                if !stages.scratch.asks.is_empty() {
                    self.parts().match_vcs(stages, here, matching);
                    let mut granted = std::mem::take(&mut stages.scratch.granted_vcs);
                    for (ask, vc) in granted.drain(..) {
                        self.vc_allocation().hand_over(stages, here, ask, vc);
                    }
                    stages.scratch.granted_vcs = granted;
                }
            }
        }
        let words = here.own_words();
        if self.state.routers[words].iter().all(|r| r.waiting == 0) {
            self.waiting.remove(here.router);
        }
    }

    /// Heads are served one after another.
    fn claim_in_turn(&mut self, stages: &mut Stages, here: Here) {
        let mut heads = std::mem::take(&mut self.scratch.heads);
        for word in 0..here.words {
            for bit in ones(self.state.routers[here.first_word + word].waiting) {
                let local = word as u32 * 64 + bit;
                heads.push((self.turn_in_stages(stages, here, local), local));
            }
        }
        heads.sort_unstable();
        for &(_, local) in &heads {
            self.ask(stages, here, local);
        }
        heads.clear();
        self.scratch.heads = heads;
    }

    /// When the head at the front of local ivc `local` is served: the least goes first.
    fn turn_in_stages(&mut self, stages: &Stages, here: Here, local: u32) -> Key {
        match stages.vc_arbiter {
            Arbiter::RoundRobin | Arbiter::Matrix => {
                // Who came first may ask first: the time between is the same for all.
                let asks = stages.acts_from[here.ivc(local) as usize];
                (asks, u64::from(local))
            }
            Arbiter::OldestFirst => self.parts().age(stages, here, local),
            Arbiter::Random => {
                let router = self.partition.node(here.router).0;
                let word = draw(self.seed, Purpose::VcOrder, router, stages.now, local);
                (word, u64::from(local))
            }
        }
    }

    /// The packet whose head is at the front of `lane`.
    pub(crate) fn head_in_front(&self, stages: &Stages, lane: u32) -> u32 {
        let State {
            lanes,
            heads,
            buffers,
            ..
        } = &self.state;
        head_in_front(stages, lane, lanes, heads, *buffers, self.wiring)
    }

    /// Whether `lane` is an injection virtual channel that has its packets as a whole.
    pub(crate) fn holds_whole(&self, lane: u32) -> bool {
        let has_buffers = self
            .stages
            .as_ref()
            .is_some_and(|stages| stages.has_buffers());
        self.wiring.is_injection(lane) && !has_buffers
    }

    /// The packet of the flit at the front of `lane`, which has one, in any router.
    pub(crate) fn first_packet(&self, lane: u32) -> u32 {
        match &self.stages {
            Some(stages) if self.state.lanes[lane as usize].output == NONE => {
                self.head_in_front(stages, lane)
            }
            _ => self.next_packet(lane),
        }
    }

    /// The head at the front of local ivc `local` asks for what is free of all that it may take.
    fn ask_for_all(&mut self, stages: &mut Stages, here: Here, local: u32) {
        let (front, head) = self.vc_allocation().front_in_stages(stages, here, local);
        if head.node == head.destination {
            return self.ask(stages, here, local);
        }
        let mut candidates = std::mem::take(&mut self.scratch.candidates);
        self.find_candidates(head, &mut candidates);
        let by_class = self.config.goes_by_class();
        let mut last = match self.config.asks_for_first_class() {
            true => None,
            false => Some(u8::MAX),
        };
        for candidate in candidates.as_slice() {
            let &Candidate {
                channel,
                vcs,
                priority,
            } = candidate;
            if last.is_some_and(|last| priority > last) {
                break;
            }
            let free = vcs & self.state.links[channel.index()].free_vcs;
            if let Some(ask) = self.vc_allocation().ask(stages, here, front, channel, free) {
                last.get_or_insert(priority);
                let class = if by_class { priority } else { 0 };
                stages.scratch.asks.push(Ask { class, ..ask });
            }
        }
        self.scratch.candidates = candidates;
    }

    /// The head at the front of local ivc `local` takes what is free for it or, where heads are matched,
    /// says what it would take.
    fn ask(&mut self, stages: &mut Stages, here: Here, local: u32) {
        let ivc = here.ivc(local);
        let (front, head) = self.vc_allocation().front_in_stages(stages, here, local);
        let (channel, vcs) = if head.node == head.destination {
            let Some(ejection) = self.wiring.ejection_of(here.router) else {
                self.waits_no_more(ivc);
                let mut allocation = self.vc_allocation();
                return allocation.take(stages, here, front, EJECT, here.ejection);
            };
            (ejection, self.state.links[ejection.index()].free_vcs)
        } else {
            let Some(chosen) = self.choose(head, front, ivc) else {
                return;
            };
            chosen
        };
        let Some(ask) = self.vc_allocation().ask(stages, here, front, channel, vcs) else {
            return;
        };
        if stages.vc_matching.is_some() {
            return stages.scratch.asks.push(ask);
        }
        let link = self.state.links[channel.index()];
        let vc = next_vc(vcs, link, channel, &self.state.lanes, self.wiring);
        self.waits_no_more(ivc);
        self.vc_allocation().claim(stages, here, ask, vc);
    }
}

impl<R: Routing, E: Partition> VcAllocation<'_, R, E> {
    /// The packet at the front of local ivc `local`, and its head as the relation sees it.
    #[inline(always)]
    fn front_in_stages(&self, stages: &Stages, here: Here, local: u32) -> (Front, Head) {
        let lane = lane_into(self.inputs, here.ivc(local), self.wiring);
        let slot = head_in_front(
            stages,
            lane,
            self.lanes,
            self.heads,
            self.buffers,
            self.wiring,
        );
        let packet = self.packets.get(slot);
        let head = head_of(here, lane, packet, self.wiring, self.partition);
        (Front::new(local, lane, slot, packet), head)
    }

    /// Heads that wait, of a relation that has one way for each, ask for it.
    #[inline(always)]
    pub(super) fn ask_for_only(&mut self, stages: &mut Stages, here: Here) {
        for word in 0..here.words {
            for bit in ones(self.routers[here.first_word + word].waiting) {
                let ask = self.only(stages, here, word as u32 * 64 + bit);
                stages.scratch.asks.extend(ask);
            }
        }
    }

    /// What the head at the front of local ivc `local` asks for, of a relation that has one way for each; `None` if it takes
    /// the ejection at once, has no way, or none of its virtual channels is free.
    #[inline(always)]
    pub(super) fn only(&mut self, stages: &mut Stages, here: Here, local: u32) -> Option<Ask> {
        let (front, head) = self.front_in_stages(stages, here, local);
        let (channel, vcs) = if head.node == head.destination {
            let Some(ejection) = self.wiring.ejection_of(here.router) else {
                self.take(stages, here, front, EJECT, here.ejection);
                return None;
            };
            (ejection, VcMask::MAX)
        } else {
            let mut wanted = self.packets.wanted(front.slot);
            if wanted.vcs == 0 {
                let only = self.routing.only(head, self.candidates)?;
                wanted = only.at(self.partition.local_id(only.channel));
                self.packets.set_wanted(front.slot, wanted);
            }
            (wanted.channel, wanted.vcs)
        };
        let free = self.links[channel.index()].free_vcs;
        self.ask(stages, here, front, channel, vcs & free)
    }

    /// The head of the packet `front` asks for one of the free virtual channels `vcs` of `channel`, if there are
    /// any; and bids as well, where it is time and one of them has room.
    #[inline(always)]
    fn ask(
        &mut self,
        stages: &mut Stages,
        here: Here,
        front: Front,
        channel: ChannelId,
        vcs: VcMask,
    ) -> Option<Ask> {
        if vcs == 0 {
            return None;
        }
        let Front {
            local,
            lane,
            slot,
            flits,
        } = front;
        let ivc = here.ivc(local) as usize;
        let out = match channel.0.checked_sub(here.first_channel) {
            Some(out) if out < here.ejection => out,
            _ => here.ejection,
        };
        // `acts_from` is when it may ask.
        if let Some(after) = stages.timing.speculates_after
            && stages.now + stages.timing.asks_after >= stages.acts_from[ivc] + after
        {
            let has_room = |vc| {
                self.lanes[self.wiring.ovc(channel, vc) as usize]
                    .sender
                    .credits()
                    > 0
            };
            if ones(vcs).any(has_room) {
                stages.out[ivc] = out as u16;
                let word = here.first_word + (local >> 6) as usize;
                stages.speculating[word] |= 1 << (local & 63);
                self.requesting.insert(here.router);
            }
        }
        Some(Ask {
            local,
            lane,
            slot,
            flits,
            channel,
            out,
            vcs,
            class: 0,
        })
    }

    /// The head that asks gets virtual channel `vc`.
    #[inline(always)]
    pub(super) fn claim(&mut self, stages: &mut Stages, here: Here, ask: Ask, vc: u32) {
        reserve(self.links, stages, ask.channel, vc);
        self.hand_over(stages, here, ask, vc);
    }

    /// The head that asked has virtual channel `vc`, which is reserved for it.
    #[inline(always)]
    fn hand_over(&mut self, stages: &mut Stages, here: Here, ask: Ask, vc: u32) {
        let Ask { channel, out, .. } = ask;
        let front = Front {
            local: ask.local,
            lane: ask.lane,
            slot: ask.slot,
            flits: ask.flits,
        };
        let output = self.wiring.ovc(channel, vc);
        let owner = &mut self.owners[output as usize];
        debug_assert_eq!(*owner, NO_OWNER);
        *owner = front.local as u16;
        self.take(stages, here, front, output, out);
        *self.progress = true;
        if self.wiring.is_ejection(output) {
            return;
        }
        let packet = self.packets.get(front.slot);
        let head = head_of(here, front.lane, packet, self.wiring, self.partition);
        let global = self.partition.global_id(channel);
        let state = self.routing.advance(head, global, vc);
        // Most relations never change it: nothing is left of this for them.
        if state != head.state {
            self.packets.get_mut(front.slot).state = state;
        }
        self.packets.clear_wanted(front.slot);
    }

    /// The packet `front` has its output, local output `out`; it bids when its time comes.
    #[inline(always)]
    fn take(&mut self, stages: &mut Stages, here: Here, front: Front, output: u32, out: u32) {
        let ivc = here.ivc(front.local);
        let lane = &mut self.lanes[front.lane as usize];
        lane.output = output;
        lane.begin(front.slot, front.flits);
        stages.out[ivc as usize] = out as u16;
        let word = here.first_word + (front.local >> 6) as usize;
        self.routers[word].waiting &= !(1 << (front.local & 63));
        let (timing, now) = (stages.timing, stages.now);
        let acts_from = &mut stages.acts_from[ivc as usize];
        *acts_from = match timing.speculates_after {
            None => now + timing.bids_after_claim,
            Some(after) => {
                let came = *acts_from - timing.asks_after;
                // Who needed no virtual channel has not guessed.
                let next = now + u64::from(output != EJECT);
                next.max(came + after)
            }
        };
        let has_room = has_room(output, self.lanes);
        if *acts_from <= now {
            if has_room {
                requests(ivc, self.routers, self.wiring, self.requesting);
            }
        } else if has_room && timing.speculates_after.is_none() && !stages.sharing.is_on() {
            // Nobody else takes credits of what it holds.
            stages.bidding.push(*acts_from, ivc);
        } else {
            // The switch looks after those that guess in this cycle.
            let is_guess = stages.speculating[word] >> (front.local & 63) & 1 == 1;
            if !(stages.by_masks && is_guess) {
                stages.timers.push(*acts_from, ivc);
            }
        }
    }
}

impl<P: Probe, E: Partition> Parts<'_, P, E> {
    /// When the packet at the front of local ivc `local` was created, and by whom.
    pub(super) fn age(&self, stages: &Stages, here: Here, local: u32) -> Key {
        let lane = lane_into(self.inputs, here.ivc(local), self.wiring);
        let slot = match self.lanes[lane as usize].output {
            NONE => head_in_front(
                stages,
                lane,
                self.lanes,
                self.heads,
                self.buffers,
                self.wiring,
            ),
            _ => self.lanes[lane as usize].packet(),
        };
        let packet = self.packets.get(slot);
        let source = u64::from(packet.source.0);
        (packet.created, source << 32 | u64::from(local))
    }
}

/// Nobody else gets virtual channel `vc` of `channel`.
#[inline(always)]
pub(super) fn reserve(links: &mut [Link], stages: &mut Stages, channel: ChannelId, vc: u32) {
    let link = &mut links[channel.index()];
    link.vc_pointer = after_vc(vc);
    link.free_vcs &= !(1 << vc);
    if let Some(others) = stages.others.get_mut(channel.index()) {
        *others = std::mem::take(&mut link.free_vcs);
    }
}

/// The packet whose head is at the front of the lane `lane_id`.
#[inline(always)]
fn head_in_front(
    stages: &Stages,
    lane_id: u32,
    lanes: &[Lane],
    heads: &[u32],
    buffers: Buffers,
    wiring: Wiring,
) -> u32 {
    let lane = &lanes[lane_id as usize];
    let is_whole = wiring.is_injection(lane_id) && !stages.has_buffers();
    match is_whole {
        true => lane.packet(),
        false => heads[buffers.place(lane_id, lane.reader.front())],
    }
}
