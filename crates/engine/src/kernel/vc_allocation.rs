//! What a head touches that gets its output, each part by a reference of its own: see `parts`.

use crate::kernel::active::ActiveSet;
use crate::kernel::bits::{after_vc, first_from};
use crate::kernel::engine::Here;
use crate::kernel::lane::Lane;
use crate::kernel::partition::Partition;
use crate::kernel::state::{Buffers, Link, NO_OWNER, Router};
use crate::kernel::wiring::{EJECT, NONE, Wiring};
use crate::packet::Packets;
use crate::routing::VcMask;
use crate::{Candidates, Engine, Head, Packet, Routing};
use flitsim_topology::ChannelId;

/// The engine's parts; see [`State`] and [`Engine`] for what each is.
pub(crate) struct VcAllocation<'a, R, E> {
    pub(super) routing: &'a R,
    pub(super) partition: &'a E,
    pub(super) wiring: Wiring,
    pub(super) reads_ahead: bool,
    pub(super) lanes: &'a mut [Lane],
    pub(super) owners: &'a mut [u16],
    pub(super) inputs: &'a [u32],
    pub(super) out_of: &'a mut [u8],
    pub(super) links: &'a mut [Link],
    pub(super) heads: &'a [u32],
    pub(super) buffers: Buffers,
    pub(super) routers: &'a mut [Router],
    pub(super) packets: &'a mut Packets,
    pub(super) waiting: &'a mut ActiveSet,
    pub(super) requesting: &'a mut ActiveSet,
    pub(super) candidates: &'a mut Candidates,
    pub(super) progress: &'a mut bool,
}

/// A packet at the front of an input virtual channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Front {
    /// Its local ivc and its lane.
    pub(super) local: u32,
    pub(super) lane: u32,
    /// The packet's slot and length.
    pub(super) slot: u32,
    pub(super) flits: u32,
}

impl Front {
    #[inline(always)]
    pub(super) fn new(local: u32, lane: u32, slot: u32, packet: &Packet) -> Self {
        Self {
            local,
            lane,
            slot,
            flits: packet.flits,
        }
    }
}

impl<R: Routing, P, E: Partition> Engine<'_, R, P, E> {
    /// The parts.
    #[inline(always)]
    pub(crate) fn vc_allocation(&mut self) -> VcAllocation<'_, R, E> {
        VcAllocation {
            routing: &self.routing,
            partition: &self.partition,
            wiring: self.wiring,
            reads_ahead: self.fast_paths.reads_ahead,
            lanes: &mut self.state.lanes,
            owners: &mut self.state.owners,
            inputs: &self.state.inputs,
            out_of: &mut self.state.out_of,
            links: &mut self.state.links,
            heads: &self.state.heads,
            buffers: self.state.buffers,
            routers: &mut self.state.routers,
            packets: &mut self.packets,
            waiting: &mut self.waiting,
            requesting: &mut self.requesting,
            candidates: &mut self.scratch.candidates,
            progress: &mut self.progress,
        }
    }
}

impl<R: Routing, E: Partition> VcAllocation<'_, R, E> {
    /// The head `head`, of the packet `front`, gets one of the virtual channels `available` of
    /// `channel`.
    #[inline(always)]
    pub(super) fn grant(
        &mut self,
        here: Here,
        front: Front,
        head: Head,
        channel: ChannelId,
        available: VcMask,
    ) {
        let link = &mut self.links[channel.index()];
        let vc = next_vc(available, *link, channel, self.lanes, self.wiring);
        link.vc_pointer = after_vc(vc);
        link.free_vcs &= !(1 << vc);
        let output = self.wiring.ovc(channel, vc);
        let owner = &mut self.owners[output as usize];
        debug_assert_eq!(*owner, NO_OWNER);
        *owner = front.local as u16;
        let has_room = self.lanes[output as usize].sender.credits() > 0;
        let out = channel.0 - here.first_channel;
        self.take_output(here, front, output, out, has_room);
        *self.progress = true;
        let global = self.partition.global_id(channel);
        let state = self.routing.advance(head, global, vc);
        // Most relations never change it: nothing is left of this for them.
        if state != head.state {
            self.packets.get_mut(front.slot).state = state;
        }
    }

    /// The packet `front` has arrived: it takes the ejection.
    #[inline(always)]
    pub(super) fn take_ejection(&mut self, here: Here, front: Front) {
        self.take_output(here, front, EJECT, here.ejection, true);
    }

    /// The packet `front` has its output, the `out`-th of the router: its head stops waiting, and requests
    /// where it can.
    #[inline(always)]
    fn take_output(&mut self, here: Here, front: Front, output: u32, out: u32, has_room: bool) {
        let Front {
            local,
            lane,
            slot,
            flits,
        } = front;
        let ivc = here.ivc(local);
        if let Some(place) = self.out_of.get_mut(ivc as usize) {
            *place = out as u8;
        }
        let lane = &mut self.lanes[lane as usize];
        lane.output = output;
        lane.begin(slot, flits);
        let masks = &mut self.routers[here.first_word + (local >> 6) as usize];
        let bit = 1 << (local & 63);
        masks.waiting &= !bit;
        if has_room {
            let is_first = masks.requesting == 0;
            masks.requesting |= bit;
            if is_first {
                self.requesting.insert(here.router);
            }
        }
    }

    /// The packet whose head is at the front of `lane`, ready and without an output.
    #[inline(always)]
    pub(super) fn front_packet(&self, lane: u32) -> u32 {
        front_packet(lane, self.lanes, self.heads, self.buffers, self.wiring)
    }
}

/// The packet whose head is at the front of the lane `lane_id`, ready and without an output.
#[inline(always)]
pub(super) fn front_packet(
    lane_id: u32,
    lanes: &[Lane],
    heads: &[u32],
    buffers: Buffers,
    wiring: Wiring,
) -> u32 {
    let lane = &lanes[lane_id as usize];
    debug_assert_eq!(lane.output, NONE);
    if wiring.is_injection(lane_id) {
        return lane.packet();
    }
    heads[buffers.place(lane_id, lane.reader.front())]
}

/// The packet of the flit at the front of the lane `lane_id`, which has a flit ready.
#[inline(always)]
pub(super) fn next_packet(
    lane_id: u32,
    lanes: &[Lane],
    heads: &[u32],
    buffers: Buffers,
    wiring: Wiring,
) -> u32 {
    let lane = &lanes[lane_id as usize];
    match lane.output {
        NONE => front_packet(lane_id, lanes, heads, buffers, wiring),
        _ => lane.packet(),
    }
}

/// The head of `packet`, at the front of `lane`, as the relation sees it.
#[inline(always)]
pub(super) fn head_of(
    here: Here,
    lane: u32,
    packet: &Packet,
    wiring: Wiring,
    partition: &impl Partition,
) -> Head {
    let arrived = || {
        (
            partition.global_id(wiring.channel_of(lane)),
            wiring.vc_of(lane),
        )
    };
    Head {
        node: partition.node(here.router),
        arrived: (!wiring.is_injection(lane)).then(arrived),
        destination: packet.destination,
        state: packet.state,
    }
}

/// Of the virtual channels `vcs` of `channel` the one with the most credits; among equals the next
/// in turn.
#[inline(always)]
pub(super) fn next_vc(
    vcs: VcMask,
    link: Link,
    channel: ChannelId,
    lanes: &[Lane],
    wiring: Wiring,
) -> u32 {
    let pointer = u32::from(link.vc_pointer);
    let credits = |vc| lanes[wiring.ovc(channel, vc) as usize].sender.credits();
    let mut best = first_from(vcs, pointer);
    let mut rest = vcs & !(1 << best);
    if rest != 0 {
        let mut most = credits(best);
        while rest != 0 {
            let vc = first_from(rest, pointer);
            rest &= !(1 << vc);
            let credits = credits(vc);
            if credits > most {
                (best, most) = (vc, credits);
            }
        }
    }
    best
}
