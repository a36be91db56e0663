//! What happens to heads and tails in a block, one by one.

use super::around::Around;
use super::block::{Block, Layout, Scratch, Slots};
use super::border::EJECT;
use super::links::Links;
use super::row::{Noted, ones};
use super::wiring::Inlet;
use crate::packet::Queue;
use crate::random::{Purpose, below, draw};
use crate::routing::{Candidate, VcMask, Way};
use crate::selection::{Outputs, select};
use crate::{FlitKind, Head, Packet, Probe, Routing};
use flitsim_topology::{ChannelId, NodeId, archived};
use std::hint::{black_box, select_unpredictable};

/// The packets in an input virtual channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ivc {
    /// Those whose heads are in the buffer behind the front packet.
    pub(super) heads: Queue,
    /// The front packet.
    packet: u32,
    /// The input virtual channel that it goes on to, [`EJECT`] at its destination. While its head waits
    /// under a deterministic relation: the slot that it wants, and above 8 bits the virtual channels.
    end: u32,
    /// Where its flits come in.
    inlet: Inlet,
}

archived! { Ivc { heads, packet, end; rebuilt inlet } }

impl Ivc {
    /// Empty.
    pub(super) const fn new(inlet: Inlet) -> Self {
        Self {
            heads: Queue::EMPTY,
            packet: 0,
            end: EJECT,
            inlet,
        }
    }

    /// The packet in `slot` comes from the terminal, alone.
    pub(super) fn put(&mut self, slot: u32) {
        self.heads = Queue::of(slot);
    }
}

/// A channel's end at its sender.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outlet {
    pub(super) channel: ChannelId,
    /// The first input virtual channel at its other end.
    pub(super) end: u32,
    /// The virtual channel preferred among equals.
    pub(super) vc_turn: u32,
}

archived! { Outlet { vc_turn; rebuilt channel, end } }

impl Outlet {
    pub(super) const NONE: Self = Self {
        channel: ChannelId(u32::MAX),
        end: 0,
        vc_turn: 0,
    };
}

/// A block, and what its routers have besides.
pub(super) struct Site<'a, W: Layout<V>, const V: usize> {
    pub(super) block: Block<'a, W, V>,
    pub(super) scratch: &'a mut Scratch<W>,
    pub(super) links: &'a Links<W, V>,
    /// Its first router in the network, and its place in the lists by router.
    pub(super) node: usize,
    pub(super) place: usize,
    pub(super) ivcs: &'a mut [Ivc],
    pub(super) came: &'a mut [u32],
    pub(super) outlets: &'a mut [Outlet],
}

/// A router of a block, and where what it has begins.
#[derive(Clone, Copy)]
struct Here {
    lane: usize,
    node: usize,
    place: usize,
    first_ivc: usize,
    /// Its first channel out.
    first_slot: usize,
}

impl Here {
    /// The head of `packet` at `bit`, which came in over `inlet`, as the relation sees it.
    #[inline(always)]
    fn head<const V: usize>(self, bit: usize, inlet: Inlet, packet: &Packet) -> Head {
        Head {
            node: NodeId(self.node as u32),
            arrived: inlet.channel().map(|channel| (channel, (bit % V) as u32)),
            destination: packet.destination,
            state: packet.state,
        }
    }
}

/// The outputs as the head at `bit` sees them.
struct View<'a, 'b, W: Layout<V>, const V: usize> {
    site: &'a Site<'b, W, V>,
    here: Here,
    bit: usize,
    /// The virtual channels of a channel.
    all: VcMask,
    seed: u64,
    cycle: u64,
}

impl<W: Layout<V>, const V: usize> Outputs for View<'_, '_, W, V> {
    #[inline(always)]
    fn available(&self, candidate: Candidate) -> VcMask {
        self.free(candidate.channel) & candidate.vcs
    }

    #[inline(always)]
    fn free(&self, channel: ChannelId) -> VcMask {
        let output = self.site.links.slot_of(Way::Channel(channel));
        self.site.scratch.free.get(self.here.lane) >> (output * V) & self.all
    }

    #[inline(always)]
    fn credits(&self, channel: ChannelId, vcs: VcMask) -> u32 {
        let output = self.site.links.slot_of(Way::Channel(channel));
        let slot = &self.site.block.slots[output];
        // No branch: no predictor foresees which there are.
        let of = |vc: usize| slot.credits(self.here.lane, vc) * (vcs >> vc & 1);
        (0..V).map(of).sum::<u64>() as u32
    }

    #[inline(always)]
    fn draw(&self, bound: u32) -> u32 {
        let local = self.site.links.local_of(self.here.node, self.bit) as u32;
        let (node, cycle) = (self.here.node as u32, self.cycle);
        below(
            draw(self.seed, Purpose::Selection, node, cycle, local),
            bound,
        )
    }
}

impl<W: Layout<V>, const V: usize> Site<'_, W, V> {
    #[inline(always)]
    fn here(&self, lane: usize) -> Here {
        let place = self.place + lane;
        let first_slot = place * self.block.slots.len();
        Here {
            lane,
            node: self.node + lane,
            place,
            first_ivc: first_slot * V,
            first_slot,
        }
    }

    /// Heads that waited claim what has become free, in the order in which they came.
    #[inline(never)]
    pub(super) fn serve_waiting<R: Routing>(&mut self, around: &mut Around<'_, R>) {
        for lane in self.scratch.called.lanes() {
            let (heads, free) = (
                self.scratch.called.row.get(lane),
                self.scratch.free.get(lane),
            );
            let (slots, held) = (&*self.block.slots, &*self.block.held);
            let mut heads = W::Slot::called(slots, held, free, lane, heads);
            let here = self.here(lane);
            while heads != 0 {
                let bit = self.earliest(here, heads, around.cycle);
                heads &= !(1 << bit);
                let ivc = &self.ivcs[here.first_ivc + bit];
                let (packet, end, inlet) = (ivc.packet, ivc.end, ivc.inlet);
                let head = here.head::<V>(bit, inlet, around.packets.get(packet));
                if !R::DETERMINISTIC {
                    if self.claim_any(here, bit, head, around) {
                        self.want(here, bit, around, false);
                    }
                    continue;
                }
                let (output, vcs) = (end as usize % 256, u64::from(end >> 8));
                if self.claim(here, bit, head, output, vcs, around) {
                    self.block.slots[output].unwant(lane, bit);
                }
            }
        }
    }

    /// Asks an adaptive relation, and claims what the head at `bit` prefers of what is free. False where
    /// nothing is.
    #[inline(always)]
    fn claim_any<R: Routing>(
        &mut self,
        here: Here,
        bit: usize,
        head: Head,
        around: &mut Around<'_, R>,
    ) -> bool {
        around.candidates.clear();
        around.routing.route(head, around.candidates);
        let outputs = View {
            site: self,
            here,
            bit,
            all: around.all,
            seed: around.seed,
            cycle: around.cycle,
        };
        let candidates = around.candidates.as_slice();
        let Some(best) = select(candidates, around.selection, &outputs) else {
            return false;
        };
        let output = self.links.slot_of(Way::Channel(best.channel));
        self.claim(here, bit, head, output, best.vcs & around.all, around)
    }

    /// Notes that the head at `bit` waits for any of the candidates, or that it does no more.
    #[inline(always)]
    fn want<R>(&mut self, here: Here, bit: usize, around: &Around<'_, R>, waits: bool) {
        for candidate in around.candidates.as_slice() {
            let output = self.links.slot_of(Way::Channel(candidate.channel));
            let (slot, vcs) = (&mut self.block.slots[output], candidate.vcs & around.all);
            match waits {
                true => slot.want(here.lane, vcs, bit),
                false => slot.unwant(here.lane, bit),
            }
        }
    }

    /// The head of `heads` that came first; of those that came together, the lowest.
    #[inline(always)]
    fn earliest(&self, here: Here, heads: u64, now: u64) -> usize {
        let mut rest = ones(heads);
        let mut earliest = rest.next().expect("a head that waits");
        let age = |bit: usize| (now as u32).wrapping_sub(self.came[here.first_ivc + bit]);
        for bit in rest {
            if age(bit) > age(earliest) {
                earliest = bit;
            }
        }
        earliest
    }

    /// Brings what `look` reads for each of `heads` into the cache: nothing that one of them does lies between their
    /// loads, so that the processor has many of them under way at a time.
    #[inline(always)]
    fn fetch(&self, heads: &Noted<W>, look: impl Fn(Here, &Ivc) -> u32) {
        let mut read = 0;
        for lane in heads.lanes() {
            let here = self.here(lane);
            for bit in heads.bits(lane) {
                read ^= look(here, &self.ivcs[here.first_ivc + bit]);
            }
        }
        black_box(read);
    }

    /// Heads that came to the front ask where to go, and claim what is free.
    #[inline(never)]
    pub(super) fn route_fresh<R: Routing>(&mut self, around: &mut Around<'_, R>) {
        if around.tells_flits {
            around.forget_crossed(&self.scratch.fresh, self.ivcs.len(), |lane, bit| {
                let ivc = &self.ivcs[self.here(lane).first_ivc + bit];
                (ivc.end, ivc.packet)
            });
        }
        if around.fetches {
            self.fetch(&self.scratch.fresh, |here, ivc| {
                let outlet = self.outlets[here.first_slot].end;
                outlet ^ around.packets.get(ivc.heads.front().slot).flits
            });
        }
        for lane in self.scratch.fresh.lanes() {
            for bit in self.scratch.fresh.bits(lane) {
                self.route(self.here(lane), bit, around);
            }
        }
    }

    #[inline(always)]
    fn route<R: Routing>(&mut self, here: Here, bit: usize, around: &mut Around<'_, R>) {
        let ivc = &mut self.ivcs[here.first_ivc + bit];
        let inlet = ivc.inlet;
        let packet;
        (ivc.packet, packet) = around.packets.take_first(&mut ivc.heads);
        let slot = &mut self.block.slots[inlet.slot as usize];
        slot.begin(here.lane, bit % V, u64::from(packet.flits));
        if packet.flits == 1 {
            self.block.masks.last.insert(here.lane, 1 << bit);
        }
        if packet.destination.0 == here.node as u32 {
            ivc.end = EJECT;
            self.block.masks.ejecting.insert(here.lane, 1 << bit);
            return;
        }
        let head = here.head::<V>(bit, inlet, packet);
        if !R::DETERMINISTIC {
            if !self.claim_any(here, bit, head, around) {
                self.came[here.first_ivc + bit] = around.cycle as u32;
                self.want(here, bit, around, true);
            }
            return;
        }
        // A relation that answers nothing leaves its head where it is.
        let Some((way, vcs)) = around.routing.way(head, around.candidates) else {
            return;
        };
        let (output, vcs) = (self.links.slot_of(way), vcs & around.all);
        if !self.claim(here, bit, head, output, vcs, around) {
            self.came[here.first_ivc + bit] = around.cycle as u32;
            self.ivcs[here.first_ivc + bit].end = (output | (vcs as usize) << 8) as u32;
            self.block.slots[output].want(here.lane, vcs, bit);
        }
    }

    /// Claims, of the virtual channels `vcs` of `output` that are free, the one with the most credits,
    /// of equals the next in turn. False where none is free.
    #[inline(always)]
    fn claim<R: Routing>(
        &mut self,
        here: Here,
        bit: usize,
        head: Head,
        output: usize,
        vcs: u64,
        around: &mut Around<'_, R>,
    ) -> bool {
        let free = self.scratch.free.get(here.lane);
        let available = free >> (output * V) & vcs;
        if available == 0 {
            return false;
        }
        let outlet = &mut self.outlets[here.first_slot + output];
        let slot = &mut self.block.slots[output];
        let mut vc = available.trailing_zeros() as usize % V;
        let rest = available & (available - 1);
        if V == 2 {
            // No branch: whether both are free, no predictor foresees.
            let [one, other] = [0, V - 1].map(|vc| slot.credits(here.lane, vc));
            let preferred = usize::from(other + u64::from(outlet.vc_turn) > one);
            vc = select_unpredictable(rest != 0, preferred, vc);
        } else if rest != 0 {
            // The most credits, then the least ahead of the turn.
            let ahead = |vc: usize| (vc + V - outlet.vc_turn as usize) % V;
            let rank = |vc: usize| (slot.credits(here.lane, vc), V - ahead(vc));
            for other in ones(rest) {
                if rank(other % V) > rank(vc) {
                    vc = other % V;
                }
            }
        }
        outlet.vc_turn = ((vc + 1) % V) as u32;
        let (end, channel) = (outlet.end + vc as u32, outlet.channel);
        slot.hold(self.block.held, here.lane, bit, output, vc);
        let free = free & !(1 << (output * V + vc));
        self.scratch.free.set(here.lane, free);
        let ivc = &mut self.ivcs[here.first_ivc + bit];
        ivc.end = end;
        let state = around.routing.advance(head, channel, vc as u32);
        if state != head.state {
            around.packets.get_mut(ivc.packet).state = state;
        }
        true
    }

    /// Heads that left over a channel are queued at its end.
    #[inline(never)]
    pub(super) fn move_heads<R>(&mut self, around: &mut Around<'_, R>) {
        if around.fetches {
            self.fetch(&self.scratch.moving, |_, ivc| {
                let end = self.ivcs.get(ivc.end as usize);
                end.map_or(0, |end| end.packet) ^ around.packets.get(ivc.packet).flits
            });
        }
        for lane in self.scratch.moving.lanes() {
            for bit in self.scratch.moving.bits(lane) {
                let Ivc { packet, end, .. } = self.ivcs[self.here(lane).first_ivc + bit];
                match self.ivcs.get_mut(end as usize) {
                    Some(end) => around.packets.pass_on(&mut end.heads, packet),
                    None => around.send(end as usize - self.ivcs.len(), V, packet),
                }
            }
        }
    }

    /// Tails that left for the terminal or from it.
    #[inline(never)]
    pub(super) fn end_tails<R, P: Probe>(&mut self, probe: &mut P, around: &mut Around<'_, R>) {
        for lane in self.scratch.delivered.lanes() {
            let bit = self.scratch.delivered.only(lane);
            let slot = self.ivcs[self.here(lane).first_ivc + bit].packet;
            let packet = around.packets.get(slot);
            around.counters.packets_delivered += 1;
            probe.packet_delivered(around.cycle + 1, packet);
            probe.packet_retired(around.cycle + 1, packet, slot);
            around.packets.remove(slot);
        }
        let injection = (self.block.slots.len() - 1) * V;
        for lane in self.scratch.injected.lanes() {
            let vc = (self.scratch.injected.only(lane) - injection) as u8;
            around.vacant.push((self.here(lane).place as u32, vc));
        }
    }

    /// Tells the probe of every flit that left.
    #[inline(never)]
    pub(super) fn tell_flits<R, P: Probe>(&mut self, probe: &mut P, around: &Around<'_, R>) {
        let slots = self.block.slots.len() - 1;
        for lane in 0..W::LANES {
            let here = self.here(lane);
            for bit in ones(self.scratch.won.get(lane)) {
                let Ivc {
                    packet, end, inlet, ..
                } = self.ivcs[here.first_ivc + bit];
                let packet = around.packets.get(packet);
                let vc = (bit % V) as u32;
                match inlet.channel() {
                    Some(channel) => probe.flit_unbuffered(around.cycle, channel, vc),
                    None => probe.flit_drawn(around.cycle, NodeId(here.node as u32)),
                }
                let kind = FlitKind {
                    head: self.scratch.led.get(lane) >> bit & 1 == 1,
                    tail: self.scratch.tails.get(lane) >> bit & 1 == 1,
                };
                if end == EJECT {
                    let node = NodeId(here.node as u32);
                    probe.flit_ejected(around.cycle, node, kind, packet);
                    continue;
                }
                let vc = end % V as u32;
                let outlets = &self.outlets[here.first_slot..][..slots];
                // Where there is no channel, no end is.
                let are = outlets
                    .iter()
                    .filter(|outlet| outlet.channel != Outlet::NONE.channel);
                let outlet = { are }.find(|outlet| outlet.end == end - vc);
                let outlet = outlet.expect("a channel");
                probe.flit_sent(around.cycle, outlet.channel, vc, kind, packet);
            }
        }
    }
}
