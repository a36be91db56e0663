//! Traverse: the flits that won leave their router.

use crate::engine::Here;
use crate::flit::Flit;
use crate::wiring::{EJECT, NONE};
use crate::{Engine, FlitKind, Probe, Routing, VcReallocation};
use flitsim_topology::NodeId;

/// What left, and what it left behind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moved {
    /// Whether it was the tail of its packet.
    pub(super) is_tail: bool,
    /// Whether another flit is ready behind it.
    pub(super) has_flit: bool,
    /// Whether that flit, of the same packet, could follow in the next cycle.
    pub(super) has_room: bool,
    /// Whether it came from an injection port.
    pub(super) is_injection: bool,
}

impl<R: Routing, P: Probe> Engine<'_, R, P> {
    /// Moves the front flits of the ivcs in `scratch.moves`.
    #[inline]
    pub(crate) fn traverse<const PLAIN: bool>(&mut self, here: Here) {
        let mut is_vacant = false;
        for index in 0..self.scratch.moves.len() {
            let ivc = self.scratch.moves[index];
            let moved = self.move_flit::<PLAIN>(here, ivc);
            is_vacant |= moved.is_tail & moved.is_injection;
            let (word, bit) = self.mask_place(ivc);
            let masks = &mut self.state.routers[word];
            masks.ahead = self.ports.after_turn(masks.ahead, ivc & 63);
            if moved.is_tail || !moved.has_flit || !moved.has_room {
                masks.bidding &= !bit;
            }
            if moved.is_tail && moved.has_flit {
                masks.waiting |= bit;
                self.waiting.insert(here.router);
            }
            self.progress = true;
        }
        self.scratch.moves.clear();
        if is_vacant {
            self.fill_injection(here.router, self.cycle + 1);
        }
        let words = here.first_word..here.first_word + self.wiring.words;
        if self.state.routers[words].iter().all(|r| r.bidding == 0) {
            self.bidding.remove(here.router);
        }
    }

    /// Moves the front flit of `ivc`.
    #[inline(always)]
    pub(super) fn move_flit<const PLAIN: bool>(&mut self, here: Here, ivc: u32) -> Moved {
        let input = self.state.inputs[ivc as usize];
        let upstream = self.state.upstream[ivc as usize];
        let is_injection = upstream == NONE;
        let (flit, rest) = if is_injection {
            let flit = self.take_injected(ivc);
            let is_done = flit.kind().tail;
            (
                flit,
                if is_done {
                    input.without_flits()
                } else {
                    input
                },
            )
        } else {
            let place = self.state.buffers.place(upstream, input.front());
            let flit = self.state.flits[place];
            self.return_credit::<PLAIN>(upstream);
            (flit, input.without_front())
        };
        let is_tail = flit.kind().tail;
        self.state.inputs[ivc as usize] = rest.without_output_if(is_tail);
        let has_room = if input.output() == EJECT {
            self.eject(here.router, flit);
            true
        } else {
            self.send::<PLAIN>(here, input.output(), flit)
        };
        Moved {
            is_tail,
            has_flit: rest.ready() > 0,
            has_room,
            is_injection,
        }
    }

    /// The place of a flit that has left goes back to the sender, of `ovc`, as a credit.
    #[inline(always)]
    fn return_credit<const PLAIN: bool>(&mut self, ovc: u32) {
        if !PLAIN {
            let wire = self.wire(self.wiring.channel_of(ovc));
            let due = self.cycle + u64::from(self.config.credit_delay) + wire;
            self.credits_due.push(due, ovc);
        } else if self.credit_back(ovc) == 1 {
            let owner = self.state.owners[ovc as usize];
            if owner != NONE {
                self.wakes.push(owner);
            }
        }
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
    fn send<const PLAIN: bool>(&mut self, here: Here, ovc: u32, flit: Flit) -> bool {
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
        let before = *output;
        let after = before.after_flit();
        *output = after;
        let place = self.state.buffers.place(ovc, before.back());
        self.state.flits[place] = flit;
        if kind.tail {
            self.state.owners[ovc as usize] = NONE;
            if self.config.vc_reallocation == VcReallocation::NonAtomic {
                self.free(here, ovc);
            }
        }
        if PLAIN {
            if self.flit_in(before.far()) == 1 {
                self.wakes.push(before.far());
            }
        } else {
            self.send_later(ovc, before.far(), kind);
        }
        after.credits() > 0
    }

    /// The flit that leaves over `ovc` is on its way to `far`.
    #[inline]
    fn send_later(&mut self, ovc: u32, far: u32, kind: FlitKind) {
        if !self.state.next_free.is_empty() {
            let channel = self.wiring.channel_of(ovc);
            self.state.next_free[channel.index()] =
                self.cycle + u64::from(self.config.channel_period_of(channel));
        }
        let due = self.due(ovc, kind);
        self.flits_due.push(due, far);
    }

    /// `ovc`, out of the router at hand, may be claimed again.
    #[inline]
    fn free(&mut self, here: Here, ovc: u32) {
        let channel = self.wiring.channel_of(ovc);
        let link = &mut self.state.links[channel.index()];
        link.free_vcs |= 1 << self.wiring.vc_of(ovc);
        if link.parked != 0 {
            self.state.routers[here.first_word].freed |= 1 << (channel.0 - here.first_channel);
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
