//! Deliver: flits become ready in their input virtual channel, credits reach their sender.

use crate::wiring::{EJECT, NONE};
use crate::{Engine, Probe, Routing};

impl<R: Routing, P: Probe> Engine<'_, R, P> {
    pub(crate) fn deliver_flits(&mut self) {
        let mut events = std::mem::take(&mut self.scratch.events);
        self.flits_due.take(self.cycle, &mut events);
        for &ivc in &events {
            self.flit_ready(ivc);
        }
        events.clear();
        self.scratch.events = events;
    }

    pub(crate) fn deliver_credits(&mut self) {
        let mut events = std::mem::take(&mut self.scratch.events);
        self.credits_due.take(self.cycle, &mut events);
        for &ovc in &events {
            self.credit_back(ovc);
        }
        events.clear();
        self.scratch.events = events;
    }

    /// One more flit is ready in `ivc`; in an injection virtual channel, its packet is.
    #[inline]
    pub(crate) fn flit_ready(&mut self, ivc: u32) {
        let input = &mut self.state.inputs[ivc as usize];
        input.ready += 1;
        if input.ready > 1 {
            return;
        }
        let output = input.output;
        if output == NONE {
            self.set_waiting(ivc);
        } else if output == EJECT || self.state.outputs[output as usize].credits > 0 {
            self.set_bidding(ivc);
        }
    }

    #[inline]
    fn credit_back(&mut self, ovc: u32) {
        let output = &mut self.state.outputs[ovc as usize];
        output.credits += 1;
        debug_assert!(
            u32::from(output.credits) <= self.config.buffer_flits,
            "more credits than buffer"
        );
        if output.owner == NONE {
            if u32::from(output.credits) == self.config.buffer_flits {
                let channel = self.wiring.channel_of(ovc);
                self.state.links[channel.index()].free_vcs |= 1 << self.wiring.vc_of(ovc);
            }
        } else if output.credits == 1 {
            let owner = output.owner;
            if self.state.inputs[owner as usize].ready > 0 {
                self.set_bidding(owner);
            }
        }
    }

    #[inline]
    fn set_waiting(&mut self, ivc: u32) {
        let (word, bit) = self.mask_place(ivc);
        self.state.masks[word].waiting |= bit;
        self.active.insert(self.wiring.router_of(ivc));
    }

    #[inline]
    fn set_bidding(&mut self, ivc: u32) {
        let (word, bit) = self.mask_place(ivc);
        self.state.masks[word].bidding |= bit;
        self.active.insert(self.wiring.router_of(ivc));
    }

    /// The word and the bit that stand for `ivc` in its router's masks.
    #[inline]
    pub(crate) fn mask_place(&self, ivc: u32) -> (usize, u64) {
        let local = self.wiring.local_of(ivc);
        let word = self.wiring.router_of(ivc) as usize * self.wiring.words;
        (word + (local >> 6) as usize, 1 << (local & 63))
    }
}
