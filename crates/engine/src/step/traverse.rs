//! Traverse: the flits that won leave their router.

use crate::engine::Here;
use crate::flit::Flit;
use crate::wiring::{EJECT, NONE};
use crate::{Engine, FlitKind, Probe, Routing, VcReallocation};
use flitsim_topology::NodeId;

/// What is left where a flit was.
#[derive(Clone, Copy, Debug)]
pub(super) struct Left {
    /// Whether the next flit bids in the next cycle.
    pub(super) bids: bool,
    /// Whether it is a head, which waits for an output.
    pub(super) waits: bool,
    /// Whether an injection virtual channel is free now.
    pub(super) is_vacant: bool,
}

impl<R: Routing, P: Probe> Engine<'_, R, P> {
    /// Moves the front flits of the ivcs in `scratch.moves`.
    #[inline]
    pub(crate) fn traverse<const PROMPT: bool>(&mut self, here: Here) {
        let mut is_vacant = false;
        for index in 0..self.scratch.moves.len() {
            let ivc = self.scratch.moves[index];
            let left = self.move_flit::<PROMPT>(here, ivc);
            is_vacant |= left.is_vacant;
            let (word, bit) = self.mask_place(ivc);
            if !left.bids {
                self.state.bidding[word] &= !bit;
            }
            if left.waits {
                self.state.waiting[word] |= bit;
                self.waiting.insert(here.router);
            }
            self.progress = true;
        }
        self.scratch.moves.clear();
        if is_vacant {
            self.fill_injection(here.router, self.cycle + 1);
        }
        let words = here.first_word..here.first_word + self.wiring.words;
        if self.state.bidding[words].iter().all(|&bids| bids == 0) {
            self.bidding.remove(here.router);
        }
    }

    /// Moves the front flit of `ivc`.
    #[inline(always)]
    pub(super) fn move_flit<const PROMPT: bool>(&mut self, here: Here, ivc: u32) -> Left {
        let vc = self.wiring.vc_of(ivc);
        let ovc_in = self.state.ports[self.wiring.port_of(ivc) as usize].ovc;
        let is_injection = ovc_in == NONE;
        let flit = if is_injection {
            self.take_injected(ivc)
        } else {
            self.take_buffered::<PROMPT>(ivc, ovc_in | vc)
        };
        let kind = flit.kind();
        let input = self.state.inputs[ivc as usize];
        let has_room = if input.output == EJECT {
            self.eject(here.router, flit);
            true
        } else {
            self.send::<PROMPT>(here, input.output, flit)
        };
        if kind.tail {
            self.state.inputs[ivc as usize].output = NONE;
        }
        Left {
            bids: !kind.tail && input.ready > 0 && has_room,
            waits: kind.tail && input.ready > 0,
            is_vacant: kind.tail && is_injection,
        }
    }

    /// The front flit of a channel's ivc; its place goes back to the sender as a credit.
    #[inline(always)]
    fn take_buffered<const PROMPT: bool>(&mut self, ivc: u32, ovc: u32) -> Flit {
        let input = &mut self.state.inputs[ivc as usize];
        debug_assert!(input.ready > 0);
        let front = input.front;
        input.ready -= 1;
        input.front = self.state.buffers.after(front);
        let flit = self.state.flits[self.state.buffers.place(ovc, front)];
        if PROMPT {
            if let Some(owner) = self.credit_back(ovc) {
                self.wakes.push(owner);
            }
        } else {
            let wire = self.wire(self.wiring.channel_of(ovc));
            let due = self.cycle + u64::from(self.config.credit_delay) + wire;
            self.credits_due.push(due, ovc);
        }
        flit
    }

    /// The next flit of the packet in an injection virtual channel.
    #[inline]
    fn take_injected(&mut self, ivc: u32) -> Flit {
        let index = self.injecting_index(ivc);
        let injecting = &mut self.state.injecting[index];
        let kind = FlitKind {
            head: injecting.remaining == self.packets.get(injecting.packet).flits,
            tail: injecting.remaining == 1,
        };
        injecting.remaining -= 1;
        let flit = Flit::new(injecting.packet, kind);
        if kind.tail {
            self.state.inputs[ivc as usize].ready = 0;
            let terminal = self.wiring.router_of(ivc) as usize;
            self.state.sources[terminal].free |= 1 << self.wiring.vc_of(ivc);
        }
        flit
    }

    /// Hands `flit` to the terminal, which consumes it at the start of the next cycle.
    #[inline]
    fn eject(&mut self, router: u32, flit: Flit) {
        self.counters.flits_ejected += 1;
        if let Some(packet) = self.packets.peek(flit.packet()) {
            debug_assert_eq!(packet.destination.0, router, "a packet went astray");
            self.probe
                .flit_ejected(self.cycle, NodeId(router), flit.kind(), packet);
        }
        if flit.kind().tail {
            self.counters.packets_delivered += 1;
            self.probe
                .packet_delivered(self.cycle + 1, self.packets.get(flit.packet()));
            self.packets.remove(flit.packet());
        }
    }

    /// Sends `flit` over `ovc`. Whether a credit is left.
    #[inline(always)]
    fn send<const PROMPT: bool>(&mut self, here: Here, ovc: u32, flit: Flit) -> bool {
        let kind = flit.kind();
        if kind.head {
            self.packets.get_mut(flit.packet()).hops += 1;
        }
        self.counters.flit_hops += 1;
        if let Some(packet) = self.packets.peek(flit.packet()) {
            let (channel, vc) = (self.wiring.channel_of(ovc), self.wiring.vc_of(ovc));
            self.probe.flit_sent(self.cycle, channel, vc, kind, packet);
        }
        let output = &mut self.state.outputs[ovc as usize];
        debug_assert!(output.credits > 0, "a flit was sent without a credit");
        let (far, back) = (output.far, output.back);
        output.back = self.state.buffers.after(back);
        output.credits -= 1;
        let has_credit = output.credits > 0;
        if kind.tail {
            output.owner = NONE;
            if self.config.vc_reallocation == VcReallocation::NonAtomic {
                self.free(here, ovc);
            }
        }
        let place = self.state.buffers.place(ovc, back);
        self.state.flits[place] = flit;
        if !self.state.next_free.is_empty() {
            let channel = self.wiring.channel_of(ovc);
            self.state.next_free[channel.index()] =
                self.cycle + u64::from(self.config.channel_period_of(channel));
        }
        if PROMPT {
            if self.flit_in(far) {
                self.wakes.push(far);
            }
        } else {
            let due = self.due(ovc, kind);
            self.flits_due.push(due, far);
        }
        has_credit
    }

    /// `ovc`, out of the router at hand, may be claimed again.
    #[inline]
    fn free(&mut self, here: Here, ovc: u32) {
        let channel = self.wiring.channel_of(ovc);
        let link = &mut self.state.links[channel.index()];
        link.free_vcs |= 1 << self.wiring.vc_of(ovc);
        if link.parked != 0 {
            self.state.freed[here.router as usize] |= 1 << (channel.0 - here.first_channel);
            self.waiting.insert(here.router);
        }
    }

    /// The cycle in which a flit that leaves now over `ovc` is ready at the next router.
    #[inline]
    fn due(&mut self, ovc: u32, kind: FlitKind) -> u64 {
        let wire = self.wire(self.wiring.channel_of(ovc));
        let due = self.cycle + wire + self.router_cycles[kind.index()];
        if self.state.last_ready.is_empty() {
            return due;
        }
        // A flit never overtakes the one before it.
        let last = &mut self.state.last_ready[ovc as usize];
        *last = due.max(*last);
        *last
    }
}
