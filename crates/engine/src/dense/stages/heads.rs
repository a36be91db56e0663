//! What is done one by one in a block of routers in stages: sources send, heads are routed and get virtual
//! channels, heads and tails leave.

use super::block::{StagedBlock, StagedScratch};
use super::bytes::of_byte;
use super::rules::Rules;
use crate::config::Matching;
use crate::dense::around::Around;
use crate::dense::border::{EJECT, is_beyond};
use crate::dense::links::{Inlet, Links};
use crate::dense::row::{Places, Word, ones};
use crate::flit::Flit;
use crate::kernel::bits::first_from;
use crate::kernel::staged::Feed;
use crate::kernel::wheel::Wheel;
use crate::packet::Queue;
use crate::{FlitKind, Head, Packet, Probe, Routing};
use flitsim_topology::{ChannelId, NodeId, archived};

/// The packets in an input virtual channel. Two of them are a line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Ivc {
    /// Those whose heads are in the buffer behind the front packet.
    pub(super) heads: Queue,
    /// The front packet.
    packet: u32,
    /// The input virtual channel that it goes on to, [`EJECT`] at its destination.
    end: u32,
    /// The virtual channel that it goes on over.
    end_vc: u8,
    /// The slot and the virtual channels that its head wants.
    output: u8,
    vcs: u8,
    /// The virtual channel that comes first at it, and of which slot.
    turn: u8,
    turn_output: u8,
    /// Where its flits come in, and over which virtual channel.
    inlet: Inlet,
    vc: u8,
}

archived! { Ivc { heads, packet, end, end_vc, output, vcs, turn, turn_output; rebuilt inlet, vc } }

impl Ivc {
    /// Empty.
    pub(super) const fn new(inlet: Inlet, vc: u8) -> Self {
        Self {
            heads: Queue::EMPTY,
            packet: 0,
            end: EJECT,
            end_vc: 0,
            output: 0,
            vcs: 0,
            turn: 0,
            turn_output: 0,
            inlet,
            vc,
        }
    }

    /// Of the virtual channels `vcs` of the output that it wants the next in turn.
    #[inline(always)]
    fn next_in_turn(&self, vcs: u64) -> usize {
        let is_same = u32::from(self.turn_output == self.output);
        first_from(vcs, u32::from(self.turn) * is_same) as usize
    }
}

/// A channel's end at its sender, or a terminal's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outlet<const V: usize> {
    channel: ChannelId,
    /// The first input virtual channel at its other end.
    end: u32,
    /// By virtual channel: the bit of the input virtual channel that it last took, and one; 0 of none.
    turns: [u8; V],
}

archived! { Outlet<V> where [const V: usize] { turns; rebuilt channel, end } }

impl<const V: usize> Outlet<V> {
    pub(super) const NONE: Self = Self::new(ChannelId(u32::MAX), 0);

    pub(super) const fn new(channel: ChannelId, end: u32) -> Self {
        Self {
            channel,
            end,
            turns: [0; V],
        }
    }
}

/// A block, and what its routers have besides.
pub(super) struct Site<'a, W: Word, const V: usize> {
    pub(super) rules: Rules,
    pub(super) block: StagedBlock<'a, W, V>,
    pub(super) scratch: &'a mut StagedScratch<W>,
    pub(super) links: &'a Links<W, V>,
    /// Its first router in the network, and its place in the lists by router.
    pub(super) node: usize,
    pub(super) place: usize,
    pub(super) ivcs: &'a mut [Ivc],
    pub(super) outlets: &'a mut [Outlet<V>],
    pub(super) leaving: &'a mut Wheel,
}

/// A router of a block, and where what it has begins.
#[derive(Clone, Copy)]
struct Here {
    lane: usize,
    node: usize,
    place: usize,
    first_ivc: usize,
    first_outlet: usize,
}

impl Here {
    /// The head of `packet` in `ivc`, as the relation sees it.
    #[inline(always)]
    fn head(self, ivc: &Ivc, packet: &Packet) -> Head {
        let vc = u32::from(ivc.vc);
        Head {
            node: NodeId(self.node as u32),
            arrived: ivc.inlet.channel().map(|channel| (channel, vc)),
            destination: packet.destination,
            state: packet.state,
        }
    }
}

impl<W: Word, const V: usize> Site<'_, W, V> {
    #[inline(always)]
    fn here(&self, lane: usize) -> Here {
        let place = self.place + lane;
        let first_outlet = place * self.block.slots.len();
        Here {
            lane,
            node: self.node + lane,
            place,
            first_ivc: first_outlet * V,
            first_outlet,
        }
    }

    /// Every source that has a packet sends a flit, if there is room.
    #[inline(never)]
    pub(super) fn feed<R, P: Probe>(
        &mut self,
        feeding: &mut u32,
        feeds: &mut [Feed],
        around: &mut Around<'_, R, P>,
    ) {
        for lane in ones(u64::from(*feeding)) {
            let here = self.here(lane);
            let feed = &mut feeds[here.place];
            let room = |vc: u8| of_byte(self.block.masks.room.get(lane), vc as usize % V);
            if !feed.is_under_way {
                // The next in turn that has room, and under atomic reallocation nothing but room.
                let most = around.emptied_at.unwrap_or(1);
                let is_free = |vc: u8| room(vc) >= most;
                let vcs = self.rules.injection_vcs;
                let after = |vc: u8| if vc + 1 >= vcs { 0 } else { vc + 1 };
                let mut vc = after(feed.vc);
                while !is_free(vc) && vc != feed.vc {
                    vc = after(vc);
                }
                if !is_free(vc) {
                    continue;
                }
                feed.vc = vc;
            } else if room(feed.vc) == 0 {
                continue;
            }
            let vc = feed.vc as usize % V;
            let room = &mut self.block.masks.room;
            room.set(lane, room.get(lane) - (1 << (8 * vc)));
            let slots = self.block.slots.len() - 1;
            let flits = &mut self.block.slots[slots].flits;
            flits.set(lane, flits.get(lane) + (1 << (8 * vc)));
            if !feed.is_under_way {
                feed.is_under_way = true;
                let bit = slots * V + usize::from(self.links.bit_of[vc]);
                let ivc = &mut self.ivcs[here.first_ivc + bit];
                around.packets.enqueue(&mut ivc.heads, feed.slot);
                let packet = around.packets.get_mut(feed.slot);
                packet.entered = around.cycle;
                around.counters.packets_entered += 1;
                around.probe.packet_entered(around.cycle, packet);
            }
            feed.left -= 1;
            if feed.left == 0 {
                *feeding &= !(1 << lane);
                around.vacant.push((here.place as u32, 0));
            }
        }
    }

    /// Heads that came to the front ask the relation where to go.
    #[inline(never)]
    pub(super) fn route_fresh<R: Routing, P: Probe>(&mut self, around: &mut Around<'_, R, P>) {
        let mut places = Places::of(&self.scratch.common.fresh);
        while let Some((lane, bit)) = places.next(&self.scratch.common.fresh) {
            self.route(self.here(lane), bit, around);
        }
    }

    #[inline(always)]
    fn route<R: Routing, P: Probe>(
        &mut self,
        here: Here,
        bit: usize,
        around: &mut Around<'_, R, P>,
    ) {
        let own = self.ivcs.len();
        let ivc = &mut self.ivcs[here.first_ivc + bit];
        if P::EACH_FLIT && is_beyond(ivc.end, own) {
            around.packets.remove(ivc.packet);
        }
        let packet;
        (ivc.packet, packet) = around.packets.take_first(&mut ivc.heads);
        // Nothing is left of the packet before.
        let left = &mut self.block.slots[ivc.inlet.slot as usize].left;
        let vc = usize::from(ivc.vc) % V;
        debug_assert_eq!(of_byte(left.get(here.lane), vc), 0);
        left.insert(here.lane, u64::from(packet.flits) << (8 * vc));
        if packet.flits == 1 {
            self.block.masks.last.insert(here.lane, 1 << bit);
        }
        let (output, vcs) = if packet.destination.0 == here.node as u32 {
            (self.block.slots.len() - 1, self.rules.ejection_vcs)
        } else {
            let head = here.head(ivc, packet);
            // A relation that answers nothing leaves its head where it is.
            let Some((way, vcs)) = around.routing.way(head, around.candidates) else {
                return;
            };
            (self.links.slot_of(way), vcs & around.all)
        };
        (ivc.output, ivc.vcs) = (output as u8, vcs as u8);
        let wanted = &mut self.block.slots[output].wanted;
        wanted.insert(here.lane, 1 << bit);
    }

    /// Heads that ask get virtual channels, for which they bid from the next cycle on: a head alone at an
    /// output what it prefers, several as they are matched.
    #[inline(always)]
    pub(super) fn claim(&mut self) {
        match self.rules.ways {
            1 => self.claim_by::<1>(),
            _ => self.claim_by::<2>(),
        }
    }

    #[inline(never)]
    fn claim_by<const WAYS: usize>(&mut self) {
        let mut places = Places::of(&self.scratch.alone);
        while let Some((lane, bit)) = places.next(&self.scratch.alone) {
            self.claim_alone::<WAYS>(self.here(lane), bit);
        }
        if self.scratch.contesting.is_any() {
            self.claim_contested::<WAYS>();
        }
    }

    /// The head at `bit` takes what it prefers of what is free.
    #[inline(always)]
    fn claim_alone<const WAYS: usize>(&mut self, here: Here, bit: usize) {
        let ivc = &self.ivcs[here.first_ivc + bit];
        let output = usize::from(ivc.output);
        let free = self.scratch.common.free.get(here.lane) >> (output * V);
        let vcs = u64::from(ivc.vcs) & free;
        if vcs != 0 {
            let vc = ivc.next_in_turn(vcs);
            self.guess(here, bit, output, vcs);
            self.give::<WAYS>(here, bit, output, vc, true);
        }
    }

    /// Where heads speculate, the one at `bit` bids if any of `vcs`, which are free for it, has room.
    #[inline(always)]
    fn guess(&mut self, here: Here, bit: usize, output: usize, vcs: u64) {
        if !self.rules.speculates {
            return;
        }
        let credits = self.block.slots[output].credits.get(here.lane);
        if ones(vcs).any(|vc| of_byte(credits, vc % V) > 0) {
            self.scratch.guesses.insert(here.lane, 1 << bit);
        }
    }

    /// Heads that ask for one output are matched with its virtual channels.
    #[inline(never)]
    fn claim_contested<const WAYS: usize>(&mut self) {
        for lane in self.scratch.contesting.lanes() {
            let mut heads = self.scratch.contesting.row.get(lane);
            let here = self.here(lane);
            while heads != 0 {
                let ivcs = &self.ivcs[here.first_ivc..];
                let output = ivcs[heads.trailing_zeros() as usize].output;
                let output = usize::from(output);
                let wanted = self.block.slots[output].wanted.get(lane);
                let free = self.scratch.common.free.get(lane) >> (output * V);
                // Only those that may have one that is free.
                let may = |&bit: &usize| u64::from(ivcs[bit].vcs) & free != 0;
                let asks = ones(heads & wanted).filter(may);
                let asks = asks.fold(0u64, |heads, bit| heads | 1 << bit);
                heads &= !wanted;
                match asks & asks.wrapping_sub(1) {
                    0 if asks == 0 => {}
                    0 => self.claim_alone::<WAYS>(here, asks.trailing_zeros() as usize),
                    _ => {
                        for bit in ones(asks) {
                            let vcs = u64::from(self.ivcs[here.first_ivc + bit].vcs) & free;
                            self.guess(here, bit, output, vcs);
                        }
                        self.match_heads::<WAYS>(here, output, asks, free);
                    }
                }
            }
        }
    }

    /// Several heads ask for virtual channels `free` of `output`: the rounds of a separable allocator.
    #[inline(never)]
    fn match_heads<const WAYS: usize>(
        &mut self,
        here: Here,
        output: usize,
        mut heads: u64,
        mut free: u64,
    ) {
        let matching = self.rules.vc_matching;
        let rounds = match matching {
            Matching::Islip { iterations } => iterations,
            _ => 1,
        };
        for round in 0..rounds {
            // By virtual channel: the heads that it is asked by, as bits in the order of arbiters.
            let mut asked = [0u64; V];
            for bit in ones(heads) {
                let ivc = &self.ivcs[here.first_ivc + bit];
                let vcs = u64::from(ivc.vcs) & free;
                let put_to = match matching {
                    Matching::SeparableInputFirst if vcs != 0 => 1 << ivc.next_in_turn(vcs),
                    _ => vcs,
                };
                let local = self.local_of::<WAYS>(bit);
                for (vc, heads) in asked.iter_mut().enumerate() {
                    *heads |= (put_to >> vc & 1) << local;
                }
            }
            // By virtual channel: the head that it takes; they are served from the lowest up.
            let turns = &self.outlets[here.first_outlet + output].turns;
            let takes = |vc: usize| {
                let last = usize::from(turns[vc]);
                let next = match WAYS {
                    1 => last,
                    _ => last
                        .checked_sub(1)
                        .map_or(0, |bit| self.local_of::<WAYS>(bit) + 1),
                };
                let ahead = asked[vc] & u64::MAX << (next & 63);
                let first = if ahead == 0 { asked[vc] } else { ahead };
                first & first.wrapping_neg()
            };
            let taken: [u64; V] = std::array::from_fn(takes);
            let served = taken.iter().fold(0, |all, head| all | head);
            if served == 0 {
                return;
            }
            for local in ones(served) {
                let granted = (0..V).fold(0, |vcs, vc| vcs | (taken[vc] >> local & 1) << vc);
                let bit = self.bit_of::<WAYS>(local);
                let vc = self.ivcs[here.first_ivc + bit].next_in_turn(granted);
                self.give::<WAYS>(here, bit, output, vc, round == 0);
                free &= !(1 << vc);
                heads &= !(1 << bit);
            }
        }
    }

    /// The number of the input virtual channel at `bit`, as arbiters have them: those of a port in order.
    #[inline(always)]
    fn local_of<const WAYS: usize>(&self, bit: usize) -> usize {
        match WAYS {
            1 => bit,
            _ => bit - bit % V + usize::from(self.links.vc_of[bit % V]),
        }
    }

    /// The bit of the input virtual channel `local`.
    #[inline(always)]
    fn bit_of<const WAYS: usize>(&self, local: usize) -> usize {
        match WAYS {
            1 => local,
            _ => local - local % V + usize::from(self.links.bit_of[local % V]),
        }
    }

    /// The head at `bit` gets virtual channel `vc` of `output`.
    #[inline(always)]
    fn give<const WAYS: usize>(
        &mut self,
        here: Here,
        bit: usize,
        output: usize,
        vc: usize,
        move_turns: bool,
    ) {
        let slots = self.block.slots.len() - 1;
        let slot = &mut self.block.slots[output];
        debug_assert_eq!(slot.owners[vc % V].get(here.lane), 0);
        slot.owners[vc % V].set(here.lane, 1 << bit);
        slot.holders.insert(here.lane, 1 << bit);
        let held = &mut self.block.masks.held;
        held.insert(here.lane, 1 << (output * V + vc));
        slot.wanted.remove(here.lane, 1 << bit);
        self.block.masks.asking.remove(here.lane, 1 << bit);
        if self.rules.speculates {
            self.scratch.given.insert(here.lane, 1 << bit);
        }
        let place = self.bit_of::<WAYS>(vc);
        let ivc = &mut self.ivcs[here.first_ivc + bit];
        let outlet = &mut self.outlets[here.first_outlet + output];
        if move_turns {
            (ivc.turn, ivc.turn_output) = ((vc + 1) as u8, output as u8);
            outlet.turns[vc % V] = (bit + 1) as u8;
        }
        let end = outlet.end + place as u32;
        ivc.end = if output == slots { EJECT } else { end };
        ivc.end_vc = vc as u8;
    }

    /// Heads that left over a channel are queued at its end, in the state that the relation gives them.
    #[inline(never)]
    pub(super) fn move_heads<R: Routing, P: Probe>(&mut self, around: &mut Around<'_, R, P>) {
        let mut places = Places::of(&self.scratch.common.moving);
        while let Some((lane, bit)) = places.next(&self.scratch.common.moving) {
            let here = self.here(lane);
            let ivc = self.ivcs[here.first_ivc + bit];
            let vc = u32::from(ivc.end_vc);
            let outlet = &self.outlets[here.first_outlet + usize::from(ivc.output)];
            let packet = around.packets.get_mut(ivc.packet);
            let head = here.head(&ivc, packet);
            packet.state = around.routing.advance(head, outlet.channel, vc);
            match self.ivcs.get_mut(ivc.end as usize) {
                Some(end) => around.packets.pass_on(&mut end.heads, ivc.packet),
                None => around.send(ivc.end as usize - self.ivcs.len(), V, ivc.packet),
            }
        }
    }

    /// Tails that left for the terminal.
    #[inline(never)]
    pub(super) fn end_tails<R, P>(&mut self, around: &mut Around<'_, R, P>) {
        let kind = FlitKind {
            head: false,
            tail: true,
        };
        let mut places = Places::of(&self.scratch.common.ended);
        while let Some((lane, bit)) = places.next(&self.scratch.common.ended) {
            self.leaves(self.here(lane), bit, kind, around.cycle);
        }
    }

    /// The flit at `bit` has left for the terminal.
    fn leaves(&mut self, here: Here, bit: usize, kind: FlitKind, cycle: u64) {
        let packet = self.ivcs[here.first_ivc + bit].packet;
        let due = cycle + self.rules.to_terminal;
        self.leaving.push(due, Flit { packet, kind }.word());
    }

    /// Tells the probe of every flit that left a buffer.
    #[inline(never)]
    pub(super) fn tell_flits<R, P: Probe>(&mut self, around: &mut Around<'_, R, P>) {
        let slots = self.block.slots.len() - 1;
        for lane in 0..W::LANES {
            let here = self.here(lane);
            for bit in ones(self.scratch.common.won.get(lane)) {
                let ivc = self.ivcs[here.first_ivc + bit];
                let packet = around.packets.get(ivc.packet);
                let (probe, vc) = (&mut *around.probe, u32::from(ivc.vc));
                match ivc.inlet.channel() {
                    Some(channel) => probe.flit_unbuffered(around.cycle, channel, vc),
                    None => probe.flit_drawn(around.cycle, NodeId(here.node as u32)),
                }
                let kind = FlitKind {
                    head: self.scratch.common.led.get(lane) >> bit & 1 == 1,
                    tail: self.scratch.common.tails.get(lane) >> bit & 1 == 1,
                };
                if ivc.end == EJECT {
                    self.leaves(here, bit, kind, around.cycle);
                    continue;
                }
                let first = ivc.end - ivc.end % V as u32;
                let outlets = &self.outlets[here.first_outlet..][..slots];
                let leads = |outlet: &&Outlet<V>| outlet.end == first;
                let outlet = outlets.iter().find(leads).expect("a channel");
                let vc = u32::from(ivc.end_vc);
                probe.flit_sent(around.cycle, outlet.channel, vc, kind, packet);
            }
        }
    }
}
