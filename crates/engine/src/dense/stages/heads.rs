//! What is done one by one in a block of routers in stages: sources send, heads are routed (and get virtual
//! channels: `claim`), heads and tails leave.

use super::block::{StagedBlock, StagedScratch};
use super::rules::Rules;
use crate::dense::around::Around;
use crate::dense::border::EJECT;
use crate::dense::counts::{count_at, count_of};
use crate::dense::links::Links;
use crate::dense::row::{Places, Word, ones};
use crate::dense::wiring::Inlet;
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
    pub(super) end: u32,
    /// The virtual channel that it goes on over, which `end`, counted in bits, does not say by itself.
    pub(super) end_vc: u8,
    /// The slot and the virtual channels that its head wants.
    pub(super) output: u8,
    pub(super) vcs: u8,
    /// The virtual channel that comes first at it, and of which slot.
    pub(super) turn: u8,
    pub(super) turn_output: u8,
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
    pub(super) fn next_in_turn(&self, vcs: u64) -> usize {
        let is_same = u32::from(self.turn_output == self.output);
        first_from(vcs, u32::from(self.turn) * is_same) as usize
    }
}

/// A channel's end at its sender, or a terminal's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outlet<const V: usize> {
    channel: ChannelId,
    /// The first input virtual channel at its other end.
    pub(super) end: u32,
    /// By virtual channel: the bit of the input virtual channel that last had its turn, and one; 0 of none.
    pub(super) turns: [u8; V],
    /// The same: heads in a row that declined it.
    pub(super) declined: [u8; V],
}

archived! { Outlet<V> where [const V: usize] { turns, declined; rebuilt channel, end } }

impl<const V: usize> Outlet<V> {
    pub(super) const NONE: Self = Self::new(ChannelId(u32::MAX), 0);

    pub(super) const fn new(channel: ChannelId, end: u32) -> Self {
        Self {
            channel,
            end,
            turns: [0; V],
            declined: [0; V],
        }
    }
}

/// A block, and what its routers have besides.
pub(in crate::dense) struct Site<'a, W: Word, const V: usize> {
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
pub(super) struct Here {
    pub(super) lane: usize,
    node: usize,
    place: usize,
    pub(super) first_ivc: usize,
    pub(super) first_outlet: usize,
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
    pub(super) fn here(&self, lane: usize) -> Here {
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
        probe: &mut P,
        around: &mut Around<'_, R>,
    ) {
        for lane in ones(u64::from(*feeding)) {
            let here = self.here(lane);
            let feed = &mut feeds[here.place];
            let room = |vc: u8| count_of::<W, V>(self.block.masks.room.get(lane), vc as usize % V);
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
            room.set(lane, room.get(lane) - count_at::<W, V>(1, vc));
            let slots = self.block.slots.len() - 1;
            let flits = &mut self.block.slots[slots].flits;
            flits.set(lane, flits.get(lane) + count_at::<W, V>(1, vc));
            if !feed.is_under_way {
                feed.is_under_way = true;
                let bit = slots * V + usize::from(self.links.bit_of[vc]);
                let ivc = &mut self.ivcs[here.first_ivc + bit];
                around.packets.enqueue(&mut ivc.heads, feed.slot);
                let packet = around.packets.get_mut(feed.slot);
                packet.entered = around.cycle;
                around.counters.packets_entered += 1;
                probe.packet_entered(around.cycle, packet);
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
    pub(super) fn route_fresh<R: Routing>(&mut self, around: &mut Around<'_, R>) {
        if around.tells_flits {
            around.forget_crossed(&self.scratch.common.fresh, self.ivcs.len(), |lane, bit| {
                let ivc = &self.ivcs[self.here(lane).first_ivc + bit];
                (ivc.end, ivc.packet)
            });
        }
        let mut places = Places::of(&self.scratch.common.fresh);
        while let Some((lane, bit)) = places.next(&self.scratch.common.fresh) {
            self.route(self.here(lane), bit, around);
        }
    }

    #[inline(always)]
    fn route<R: Routing>(&mut self, here: Here, bit: usize, around: &mut Around<'_, R>) {
        let ivc = &mut self.ivcs[here.first_ivc + bit];
        let packet;
        (ivc.packet, packet) = around.packets.take_first(&mut ivc.heads);
        let slot = &mut self.block.slots[ivc.inlet.slot as usize];
        slot.begin(here.lane, usize::from(ivc.vc) % V, u64::from(packet.flits));
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

    /// Heads that left over a channel are queued at its end, in the state that the relation gives them.
    #[inline(never)]
    pub(super) fn move_heads<R: Routing>(&mut self, around: &mut Around<'_, R>) {
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
    pub(super) fn end_tails(&mut self, cycle: u64) {
        let kind = FlitKind {
            head: false,
            tail: true,
        };
        for lane in self.scratch.common.delivered.lanes() {
            let bit = self.scratch.common.delivered.only(lane);
            self.leaves(self.here(lane), bit, kind, cycle);
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
    pub(super) fn tell_flits<R, P: Probe>(&mut self, probe: &mut P, around: &Around<'_, R>) {
        let slots = self.block.slots.len() - 1;
        for lane in 0..W::LANES {
            let here = self.here(lane);
            for bit in ones(self.scratch.common.won.get(lane)) {
                let ivc = self.ivcs[here.first_ivc + bit];
                let packet = around.packets.get(ivc.packet);
                let vc = u32::from(ivc.vc);
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
