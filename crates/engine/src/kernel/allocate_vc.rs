//! Route and allocate virtual channels: every head that waits asks the relation for its ways on,
//! and claims one that is free (Dally & Towles, sections 16.1 and 19.3); if none is, it asks again when one
//! has been freed. The heads of a router are
//! served one after another: first come, first served, as by a queuing arbiter (section 18.6); or at
//! random; or the oldest packet first.

use crate::kernel::bits::ones;
use crate::kernel::engine::Here;
use crate::kernel::partition::Partition;
use crate::kernel::state::{Key, State};
use crate::kernel::vc_allocation::{Front, front_packet, head_of, next_packet, next_vc};
use crate::kernel::wait::Wait;
use crate::kernel::wiring::NONE;
use crate::random::{Purpose, below, draw};
use crate::routing::{Candidate, VcMask};
use crate::selection::{Outputs, select};
use crate::{Allocator, Candidates, Engine, FlowControl, Head, Probe, Routing};
use flitsim_topology::{ChannelId, NodeId};

impl<R: Routing, P: Probe, E: Partition> Engine<'_, R, P, E> {
    /// Gives outputs to the waiting heads of a router.
    #[inline]
    pub(crate) fn allocate_vcs_at(&mut self, here: Here) {
        debug_assert!(self.scratch.heads.is_empty());
        let freed = std::mem::take(&mut self.state.routers[here.first_word].freed);
        let freed = Wait::outputs(freed);
        for word in 0..here.words {
            for bit in ones(self.state.routers[here.first_word + word].waiting) {
                let local = word as u32 * 64 + bit;
                if let Some(turn) = self.turn(here, local, freed) {
                    self.scratch.heads.push((turn, local));
                }
            }
        }
        self.scratch.heads.sort_unstable();
        for index in 0..self.scratch.heads.len() {
            let (_, local) = self.scratch.heads[index];
            self.allocate_vc(here, local);
        }
        self.scratch.heads.clear();
        let words = here.own_words();
        if self.state.routers[words].iter().all(|r| r.waiting == 0) {
            self.waiting.remove(here.router);
        }
    }

    /// When the head at the front of local ivc `local` is served: the least goes first. `None` where it asked
    /// before, and of what it may take nothing is among the outputs `freed` since.
    #[inline]
    fn turn(&mut self, here: Here, local: u32, freed: u16) -> Option<Key> {
        let wait = &mut self.state.waits[here.ivc(local) as usize];
        if wait.wanted() != 0 && wait.wanted() & freed == 0 {
            return None;
        }
        if wait.came() == 0 {
            *wait = Wait::since(self.cycle);
        }
        Some(match self.config.allocator {
            Allocator::Random | Allocator::OldestFirst => {
                self.parts().key(here, local, Purpose::VcOrder)
            }
            Allocator::RoundRobin | Allocator::Islip { .. } => (wait.came(), u64::from(local)),
        })
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
        let State {
            lanes,
            heads,
            buffers,
            ..
        } = &self.state;
        next_packet(lane, lanes, heads, *buffers, self.wiring)
    }

    /// The lane of local ivc `local`.
    #[inline(always)]
    pub(super) fn lane_at(&self, here: Here, local: u32) -> u32 {
        self.state.lane_into(here.ivc(local), self.wiring)
    }

    /// The head at the front of local ivc `local` takes the ejection or claims a virtual channel, if
    /// there is one for it now.
    #[inline]
    fn allocate_vc(&mut self, here: Here, local: u32) {
        let ivc = here.ivc(local);
        let lane = self.lane_at(here, local);
        let slot = self.front_packet(lane);
        let packet = self.packets.get(slot);
        let front = Front::new(local, lane, slot, packet);
        if packet.destination == self.partition.node(here.router) {
            self.vc_allocation().take_ejection(here, front);
            self.waits_no_more(ivc);
            return;
        }
        let head = head_of(here, lane, packet, self.wiring, &self.partition);
        if let Some((channel, available)) = self.choose(head, front, ivc) {
            self.waits_no_more(ivc);
            (self.vc_allocation()).grant(here, front, head, channel, available);
            self.packets.clear_wanted(slot);
        } else if self.state.kept.is_empty() {
            self.rest(here, local, slot);
        }
    }

    /// The head of the packet in `slot`, at the front of local ivc `local`, found no virtual channel free, and needs
    /// nothing else: it need not ask before one is freed of an output that it may take. What a relation
    /// offers a head does not change while it waits.
    #[inline]
    fn rest(&mut self, here: Here, local: u32, slot: u32) {
        let wait = &mut self.state.waits[here.ivc(local) as usize];
        let only = [self.packets.wanted(slot)];
        let candidates = match R::DETERMINISTIC {
            true if only[0].vcs == 0 => &[],
            true => &only[..],
            false => self.scratch.candidates.as_slice(),
        };
        for candidate in candidates {
            self.state.links[candidate.channel.index()].is_wanted = true;
            wait.want(candidate.channel.0 - here.first_channel);
        }
    }

    /// The channel of which `head`, the packet `front`'s at the front of `ivc`, may claim some virtual channels
    /// now, and which; if there are none it keeps one, where packets have to fit.
    #[inline(always)]
    pub(super) fn choose(
        &mut self,
        head: Head,
        front: Front,
        ivc: u32,
    ) -> Option<(ChannelId, VcMask)> {
        if self.config.flow_control == FlowControl::StoreAndForward
            && head.arrived.is_some()
            && self.state.lanes[front.lane as usize].reader.ready() < front.flits
        {
            return None;
        }
        let chosen = if R::DETERMINISTIC {
            self.wanted(front.slot, head)
        } else {
            self.select(head, front.flits, ivc)
        };
        let available = chosen.map_or(0, |c| self.available(c, front.flits, ivc));
        match chosen {
            Some(Candidate { channel, .. }) if available != 0 => Some((channel, available)),
            _ => {
                self.keep(chosen, ivc);
                None
            }
        }
    }

    /// The head at the front of `ivc` has its output.
    #[inline]
    pub(super) fn waits_no_more(&mut self, ivc: u32) {
        if let Some(wait) = self.state.waits.get_mut(ivc as usize) {
            *wait = Wait::default();
        }
        if !self.state.kept.is_empty() {
            self.let_go(ivc);
        }
    }

    /// What the head at the front of `ivc` kept from others, if anything, is free.
    #[inline]
    fn let_go(&mut self, ivc: u32) {
        let kept = std::mem::replace(&mut self.state.kept[ivc as usize], NONE);
        if kept != NONE {
            let link = &mut self.state.links[self.wiring.channel_of(kept).index()];
            link.free_vcs |= 1 << self.wiring.vc_of(kept);
        }
    }

    /// The head at the front of `ivc`, for whose whole packet there is room nowhere, keeps a free
    /// virtual channel from others until it has claimed one: shorter packets would never let it be
    /// emptied. The last candidate is its escape, if it has one.
    #[inline(always)]
    fn keep(&mut self, only: Option<Candidate>, ivc: u32) {
        let Some(&before) = self.state.kept.get(ivc as usize) else {
            return;
        };
        let candidates = match R::DETERMINISTIC {
            true => only.as_slice(),
            false => self.scratch.candidates.as_slice(),
        };
        let links = &self.state.links;
        let is_free = |c: &&Candidate| c.vcs & links[c.channel.index()].free_vcs != 0;
        let Some(&Candidate { channel, vcs, .. }) = candidates.iter().rfind(is_free) else {
            return;
        };
        let (link, lanes) = (links[channel.index()], &self.state.lanes);
        let vc = next_vc(link.free_vcs & vcs, link, channel, lanes, self.wiring);
        let kept = self.wiring.ovc(channel, vc);
        let credits = |ovc: u32| lanes[ovc as usize].sender.credits();
        if before == NONE || credits(kept) > credits(before) {
            self.let_go(ivc);
            self.state.links[channel.index()].free_vcs &= !(1 << vc);
            self.state.kept[ivc as usize] = kept;
        }
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

    /// The virtual channels of `candidate` that the head at the front of `ivc`, of a packet of `flits`
    /// flits, may claim now.
    #[inline]
    fn available(&self, candidate: Candidate, flits: u32, ivc: u32) -> VcMask {
        let free = self.state.links[candidate.channel.index()].free_vcs;
        let Some(&kept) = self.state.kept.get(ivc as usize) else {
            return free & candidate.vcs;
        };
        let mut rest = free;
        if kept != NONE && self.wiring.channel_of(kept) == candidate.channel {
            rest |= 1 << self.wiring.vc_of(kept);
        }
        rest &= candidate.vcs;
        let mut fitting = 0;
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

    /// All that `head` may take, by the numbers of channels here.
    #[inline(always)]
    pub(super) fn find_candidates(&self, head: Head, candidates: &mut Candidates) {
        candidates.clear();
        self.routing.route(head, candidates);
        if E::IS_PART {
            candidates.renumber(|channel| self.partition.local_id(channel));
        }
    }

    /// The candidate that an adaptive head prefers, of those with a virtual channel to claim.
    #[inline(always)]
    fn select(&mut self, head: Head, flits: u32, ivc: u32) -> Option<Candidate> {
        let mut candidates = std::mem::take(&mut self.scratch.candidates);
        self.find_candidates(head, &mut candidates);
        let outputs = View {
            engine: self,
            node: head.node,
            flits,
            ivc,
        };
        let best = select(candidates.as_slice(), self.config.selection, &outputs);
        self.scratch.candidates = candidates;
        best
    }
}

/// The outputs as the head sees them that is at the front of `ivc`, at `node`, of a packet of `flits` flits.
struct View<'a, 'n, R, P, E> {
    engine: &'a Engine<'n, R, P, E>,
    node: NodeId,
    flits: u32,
    ivc: u32,
}

impl<R: Routing, P: Probe, E: Partition> Outputs for View<'_, '_, R, P, E> {
    #[inline(always)]
    fn available(&self, candidate: Candidate) -> VcMask {
        self.engine.available(candidate, self.flits, self.ivc)
    }

    #[inline(always)]
    fn free(&self, channel: ChannelId) -> VcMask {
        self.engine.state.links[channel.index()].free_vcs
    }

    #[inline(always)]
    fn credits(&self, channel: ChannelId, vcs: VcMask) -> u32 {
        ones(vcs).map(|vc| self.engine.credits(channel, vc)).sum()
    }

    #[inline(always)]
    fn draw(&self, bound: u32) -> u32 {
        let Engine {
            wiring,
            seed,
            cycle,
            ..
        } = *self.engine;
        let local = wiring.local_of(self.ivc);
        below(
            draw(seed, Purpose::Selection, self.node.0, cycle, local),
            bound,
        )
    }
}
