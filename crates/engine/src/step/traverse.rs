//! Traverse: the flits that won leave their router.

use crate::engine::Here;
use crate::flit::Flit;
use crate::wiring::{EJECT, NONE};
use crate::{Engine, FlitKind, Probe, Routing, VcReallocation};
use flitsim_topology::{ChannelId, NodeId};

impl<R: Routing, P: Probe> Engine<'_, R, P> {
    /// Moves the front flits of the ivcs in `scratch.moves`.
    #[inline]
    pub(crate) fn traverse(&mut self, here: Here) {
        let mut injected = false;
        for index in 0..self.scratch.moves.len() {
            injected |= self.move_flit(here, self.scratch.moves[index]);
            self.progress = true;
        }
        self.scratch.moves.clear();
        if injected {
            self.fill_injection(here.router, self.cycle + 1);
        }
    }

    /// Moves one flit. True where it freed an injection virtual channel.
    #[inline]
    fn move_flit(&mut self, here: Here, ivc: u32) -> bool {
        let channel_in = self.state.ports[self.wiring.port_of(ivc) as usize].channel;
        let is_injection = channel_in == NONE;
        let flit = if is_injection {
            self.take_injected(ivc)
        } else {
            self.take_buffered(ivc, ChannelId(channel_in))
        };
        let output = self.state.inputs[ivc as usize].output;
        let out_of_credit = if output == EJECT {
            self.eject(here.router, flit);
            false
        } else {
            self.send(output, flit)
        };
        let (word, bit) = self.mask_place(ivc);
        let masks = &mut self.state.masks[word];
        let input = &mut self.state.inputs[ivc as usize];
        if flit.kind().tail {
            input.output = NONE;
            masks.bidding &= !bit;
            if input.ready > 0 {
                masks.waiting |= bit;
            }
        } else if input.ready == 0 || out_of_credit {
            masks.bidding &= !bit;
        }
        is_injection && flit.kind().tail
    }

    /// The front flit of a channel's ivc; its place goes back to the sender as a credit.
    #[inline]
    fn take_buffered(&mut self, ivc: u32, channel: ChannelId) -> Flit {
        let ovc = self.wiring.ovc(channel, self.wiring.vc_of(ivc));
        let due = self.cycle + u64::from(self.config.credit_delay) + self.wire(channel);
        self.credits_due.push(due, ovc);
        self.probe
            .flit_unbuffered(self.cycle, channel, self.wiring.vc_of(ivc));
        let front = self.state.inputs[ivc as usize].front;
        let flit = self.state.flits[self.state.place(ovc, front)];
        let after = self.state.after(front);
        let input = &mut self.state.inputs[ivc as usize];
        debug_assert!(input.ready > 0);
        input.front = after;
        input.ready -= 1;
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
        let packet = self.packets.get(flit.packet());
        debug_assert_eq!(packet.destination.0, router, "a packet went astray");
        self.probe
            .flit_ejected(self.cycle, NodeId(router), flit.kind(), packet);
        if flit.kind().tail {
            self.counters.packets_delivered += 1;
            self.probe.packet_delivered(self.cycle + 1, packet);
            (self.probe).packet_retired(self.cycle + 1, packet, flit.packet());
            self.packets.remove(flit.packet());
        }
    }

    /// Sends `flit` over `ovc`. True where no credit is left.
    #[inline]
    fn send(&mut self, ovc: u32, flit: Flit) -> bool {
        let kind = flit.kind();
        let channel = self.wiring.channel_of(ovc);
        let vc = self.wiring.vc_of(ovc);
        if kind.head {
            self.packets.get_mut(flit.packet()).hops += 1;
        }
        self.counters.flit_hops += 1;
        let packet = self.packets.get(flit.packet());
        self.probe.flit_sent(self.cycle, channel, vc, kind, packet);

        let after_back = {
            let back = self.state.outputs[ovc as usize].back;
            let place = self.state.place(ovc, back);
            self.state.flits[place] = flit;
            self.state.after(back)
        };
        let output = &mut self.state.outputs[ovc as usize];
        debug_assert!(output.credits > 0, "a flit was sent without a credit");
        output.back = after_back;
        output.credits -= 1;
        let out_of_credit = output.credits == 0;
        if kind.tail {
            output.owner = NONE;
            if self.config.vc_reallocation == VcReallocation::NonAtomic {
                self.state.links[channel.index()].free_vcs |= 1 << vc;
            }
        }
        if !self.state.next_free.is_empty() {
            self.state.next_free[channel.index()] =
                self.cycle + u64::from(self.config.channel_period_of(channel));
        }
        let due = self.due(ovc, kind);
        let downstream = self.state.links[channel.index()].downstream;
        self.flits_due.push(due, downstream | vc);
        out_of_credit
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
