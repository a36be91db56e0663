//! Traverse: the flits that won leave their router.

use crate::flit::Flit;
use crate::kernel::engine::Here;
use crate::kernel::partition::Partition;
use crate::kernel::partition::{REMOTE, RemoteFlit};
use crate::kernel::parts::Parts;
use crate::kernel::state::{NO_OWNER, end_of, lane_into};
use crate::kernel::wiring::{EJECT, NONE};
use crate::{FlitKind, Probe, VcReallocation};
use flitsim_topology::ChannelId;

/// What changes in a word of a router's masks while its flits leave.
#[derive(Clone, Copy, Debug)]
pub(super) struct Changes {
    /// What requests in the next cycle.
    pub(super) requesting: u64,
    /// The heads that came to the front.
    pub(super) waiting: u64,
    /// Whether an injection virtual channel is free again.
    pub(super) is_vacant: bool,
}

/// When a flit that has won the switch leaves over its channel.
#[derive(Debug)]
pub(super) enum Leaves<'a> {
    /// In this cycle.
    Now,
    /// In this cycle, with all others of it, over wires that are alike.
    With(&'a mut Vec<u32>),
    /// When the channel takes it, behind others, not before cycle `from`.
    Queued { from: u64 },
}

impl<P: Probe, E: Partition> Parts<'_, P, E> {
    /// Moves the front flits of the ivcs in `moves`.
    #[inline(never)]
    pub(crate) fn traverse<const PLAIN: bool>(&mut self, here: Here) {
        let mut is_vacant = false;
        for index in 0..self.moves.len() {
            let ivc = self.moves[index];
            let local = self.wiring.local_of(ivc);
            let word = here.first_word + (local >> 6) as usize;
            let mut changes = Changes {
                requesting: self.routers[word].requesting,
                waiting: 0,
                is_vacant: false,
            };
            self.note_served(ivc);
            self.move_flit::<PLAIN>(here, local, &mut changes);
            is_vacant |= changes.is_vacant;
            let masks = &mut self.routers[word];
            masks.ahead = self.ports.after_turn(masks.ahead, local & 63);
            masks.requesting = changes.requesting;
            masks.waiting |= changes.waiting;
            if changes.waiting != 0 {
                self.waiting.insert(here.router);
            }
            *self.progress = true;
        }
        self.moves.clear();
        if is_vacant {
            self.vacant.push(here.router);
        }
        let words = here.own_words();
        if self.routers[words].iter().all(|r| r.requesting == 0) {
            self.requesting.remove(here.router);
        }
    }

    /// A flit leaves `ivc` in this cycle, for arbiters that must know.
    #[inline(always)]
    pub(super) fn note_served(&mut self, ivc: u32) {
        if let Some(served) = self.served.get_mut(ivc as usize) {
            *served = self.cycle + 1;
        }
    }

    /// Moves the front flit of local ivc `local`.
    #[inline(always)]
    pub(super) fn move_flit<const PLAIN: bool>(
        &mut self,
        here: Here,
        local: u32,
        changes: &mut Changes,
    ) {
        let lane_id = lane_into(self.inputs, here.ivc(local), self.wiring);
        let bit = 1 << (local & 63);
        let is_injection = self.wiring.is_injection(lane_id);
        let lane = &mut self.lanes[lane_id as usize];
        let output = lane.output;
        let flit = lane.take_next();
        let is_tail = flit.kind.tail;
        if is_injection {
            (self.probe).flit_drawn(self.cycle, self.partition.node(here.router));
            if is_tail {
                // The one flit that the port showed stood for all of its packet.
                lane.reader = lane.reader.without_front();
                lane.output = NONE;
                self.sources[here.router as usize].free |= 1 << self.wiring.vc_of(lane_id);
                changes.requesting &= !bit;
                changes.is_vacant = true;
            }
        } else {
            lane.reader = lane.reader.without_front();
            let has_flit = lane.reader.ready() > 0;
            if is_tail {
                lane.output = NONE;
                changes.waiting |= if has_flit { bit } else { 0 };
                changes.requesting &= !bit;
            }
            // No branch: no predictor foresees which flit has another behind it.
            changes.requesting &= !(u64::from(!has_flit) << (local & 63));
            let channel = self.partition.global_id(self.wiring.channel_of(lane_id));
            let vc = self.wiring.vc_of(lane_id);
            self.probe.flit_unbuffered(self.cycle, channel, vc);
            self.return_credit::<PLAIN>(lane_id, None, 0);
        }
        if output == EJECT {
            self.eject(here.router, flit);
        } else if !self.send::<PLAIN>(here.router, output, flit, Leaves::Now) {
            changes.requesting &= !bit;
        }
    }

    /// The place of a flit that has left `lane_id` goes back to the sender as a credit, `wait` cycles from now; or
    /// into `returned`, which go together.
    #[inline(always)]
    pub(super) fn return_credit<const PLAIN: bool>(
        &mut self,
        lane_id: u32,
        returned: Option<&mut Vec<u32>>,
        wait: u64,
    ) {
        let crosses = E::IS_PART && self.partition.border().comes_in(lane_id);
        if !crosses && let Some(returned) = returned {
            return returned.push(lane_id);
        }
        if PLAIN && !crosses {
            return self.credit_back(lane_id);
        }
        let wire = self.wire(self.wiring.channel_of(lane_id));
        let due = self.cycle + wait + u64::from(self.config.credit_delay) + wire;
        if crosses {
            let border = self.partition.border();
            border.return_credit(lane_id, self.wiring, due);
        } else {
            self.credits_due.push(due, lane_id);
        }
    }

    /// One more credit for `lane_id`, where all delays are one.
    #[inline(always)]
    pub(super) fn credit_back(&mut self, lane_id: u32) {
        let sender = &mut self.lanes[lane_id as usize].sender;
        *sender = sender.with_credit();
        let credits = sender.credits();
        debug_assert!(
            credits <= self.config.buffer_flits,
            "more credits than buffer"
        );
        if credits == 1 || credits == self.fast_paths.emptied_at {
            self.first_or_last_credit(lane_id, credits);
        }
    }

    /// With its first credit the lane that holds `lane_id` requests again; with its last, under atomic
    /// reallocation, `lane_id` may be claimed.
    #[inline(never)]
    fn first_or_last_credit(&mut self, lane_id: u32, credits: u32) {
        let channel = self.partition.global_id(self.wiring.channel_of(lane_id));
        let source = self.partition.router(self.network.source(channel));
        let owner = self.owners[lane_id as usize];
        if owner != NO_OWNER && credits == 1 {
            let ivc = self.wiring.first_ivc(source) + u32::from(owner);
            let lane = lane_into(self.inputs, ivc, self.wiring);
            // A flit that comes later in this cycle finds the credit.
            if self.lanes[lane as usize].reader.ready() > 0 {
                self.requests_next.push(ivc);
            }
        }
        if owner == NO_OWNER && credits == self.fast_paths.emptied_at {
            self.free(source, lane_id);
        }
    }

    /// Hands `flit` to the terminal, which consumes it at the start of the next cycle.
    #[inline(always)]
    pub(super) fn eject(&mut self, router: u32, flit: Flit) {
        self.counters.flits_ejected += 1;
        if let Some(packet) = self.packets.peek(flit.packet) {
            let node = self.partition.node(router);
            debug_assert_eq!(packet.destination, node, "a packet went astray");
            self.probe.flit_ejected(self.cycle, node, flit.kind, packet);
        }
        if flit.kind.tail {
            self.counters.packets_delivered += 1;
            let packet = self.packets.get(flit.packet);
            self.probe.packet_delivered(self.cycle + 1, packet);
            (self.probe).packet_retired(self.cycle + 1, packet, flit.packet);
            self.packets.remove(flit.packet);
        }
    }

    /// Router `router` sends `flit` over the lane `lane_id`. Whether a credit is left.
    #[inline(always)]
    pub(super) fn send<const PLAIN: bool>(
        &mut self,
        router: u32,
        lane_id: u32,
        flit: Flit,
        leaves: Leaves<'_>,
    ) -> bool {
        let kind = flit.kind;
        if kind.head {
            self.packets.get_mut(flit.packet).hops += 1;
        }
        self.counters.flit_hops += 1;
        if let Some(packet) = self.packets.peek(flit.packet) {
            let channel = self.partition.global_id(self.wiring.channel_of(lane_id));
            let vc = self.wiring.vc_of(lane_id);
            self.probe.flit_sent(self.cycle, channel, vc, kind, packet);
        }
        let lane = &mut self.lanes[lane_id as usize];
        let back = lane.sender.back();
        lane.sender = lane.sender.after_flit();
        let has_room = lane.sender.credits() > 0;
        if kind.tail {
            self.owners[lane_id as usize] = NO_OWNER;
        }
        let mark = if E::IS_PART {
            self.ends[self.wiring.channel_of(lane_id).index()]
        } else {
            0
        };
        let is_remote = E::IS_PART && mark >= REMOTE;
        // Whether it comes into an empty buffer, of which its router changes nothing more in this cycle.
        let mut comes_to_front = false;
        if PLAIN && !is_remote {
            lane.reader = lane.reader.with_flit();
            comes_to_front = lane.reader.ready() == 1;
        }
        let onward = lane.output;
        if kind.head {
            if !is_remote {
                self.heads[self.buffers.place(lane_id, back)] = flit.packet;
            }
            if comes_to_front {
                self.waits_next
                    .push(end_of(self.ends, lane_id, self.wiring));
            }
        } else if comes_to_front
            && (onward == EJECT || self.lanes[onward as usize].sender.credits() > 0)
        {
            self.requests_next
                .push(end_of(self.ends, lane_id, self.wiring));
        }
        let queued = match leaves {
            Leaves::Queued { from } => Some(from),
            Leaves::Now | Leaves::With(_) => None,
        };
        if is_remote {
            let due = self.due(lane_id, kind, queued);
            self.send_remote(lane_id, mark, back, flit, due);
        } else if let Leaves::With(sent) = leaves {
            sent.push(lane_id);
        } else if !PLAIN {
            let due = self.due(lane_id, kind, queued);
            self.flits_due.push(due, lane_id);
        }
        if kind.tail && self.config.vc_reallocation == VcReallocation::NonAtomic {
            self.free(router, lane_id);
        }
        has_room
    }

    /// The flit that leaves over the lane `lane_id` goes to another part, into place `place` of the
    /// buffer there in cycle `due`. The packet lives on where its head is; this part forgets it with the tail.
    #[inline(never)]
    fn send_remote(&mut self, lane_id: u32, mark: u32, place: u16, flit: Flit, due: u64) {
        let kind = flit.kind;
        let packet = kind.head.then(|| *self.packets.get(flit.packet));
        let remote = RemoteFlit {
            lane: lane_id,
            place,
            kind,
            due,
        };
        let vc = self.wiring.vc_of(lane_id);
        self.partition.border().send(mark, vc, remote, packet);
        if kind.tail {
            self.packets.remove(flit.packet);
        }
    }

    /// When the flit that leaves over the lane `lane_id` in this cycle is ready at its end; or as soon as the channel
    /// takes it, `queued` from a cycle on. From then on the channel is taken for its period.
    #[inline]
    fn due(&mut self, lane_id: u32, kind: FlitKind, queued: Option<u64>) -> u64 {
        let channel = self.wiring.channel_of(lane_id);
        let mut leaves = queued.unwrap_or(self.cycle);
        if !self.next_free.is_empty() {
            let global = self.partition.global_id(channel);
            let period = u64::from(self.config.channel_period_of(global));
            let free = &mut self.next_free[channel.index()];
            if queued.is_some() {
                leaves = leaves.max(*free);
            }
            *free = leaves + period;
        }
        let mut due = leaves + self.wire(channel) + self.router_cycles[kind.index()];
        if !self.last_ready.is_empty() {
            // A flit never overtakes the one before it.
            let last = &mut self.last_ready[lane_id as usize];
            *last = due.max(*last);
            due = *last;
        }
        due
    }

    /// The lane `lane_id`, out of the router `source`, may be claimed again.
    #[inline(always)]
    fn free(&mut self, source: u32, lane_id: u32) {
        let channel = self.wiring.channel_of(lane_id);
        let link = &mut self.links[channel.index()];
        link.free_vcs |= 1 << self.wiring.vc_of(lane_id);
        if link.is_wanted {
            link.is_wanted = false;
            self.call(source, channel);
        }
    }

    /// The heads that want `channel`, out of the router `source`, may try again.
    #[inline(never)]
    fn call(&mut self, source: u32, channel: ChannelId) {
        self.routers[source as usize * self.wiring.words].note_freed(channel);
        self.waiting.insert(source);
    }

    /// The wire delay of `channel`.
    #[inline]
    fn wire(&self, channel: ChannelId) -> u64 {
        let channel = self.partition.global_id(channel);
        u64::from(self.config.channel_delay_of(channel))
    }

    /// Of the requests `requesting` of word `word` of a router those that their channel can take now.
    pub(super) fn requests_in_time(&self, here: Here, word: usize, requesting: u64) -> u64 {
        let mut requests = requesting;
        let mut rest = requesting;
        while rest != 0 {
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            let ivc = here.ivc(word as u32 * 64 + bit);
            let output = self.lanes[lane_into(self.inputs, ivc, self.wiring) as usize].output;
            if output != EJECT {
                let channel = self.wiring.channel_of(output).index();
                if self.next_free[channel] > self.cycle {
                    requests &= !(1 << bit);
                }
            }
        }
        requests
    }
}
