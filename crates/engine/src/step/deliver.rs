//! Deliver: flits become ready in their input virtual channel, credits reach their sender, and what
//! has now a flit, or room for one, waits or bids.

use crate::wiring::{EJECT, NONE};
use crate::{Engine, Probe, Routing};

impl<R: Routing, P: Probe> Engine<'_, R, P> {
    /// What is due in this cycle.
    #[inline(never)]
    pub(crate) fn deliver(&mut self) {
        if self.ways.is_plain {
            for index in 0..self.wakes.as_slice().len() {
                self.wake(self.wakes.as_slice()[index]);
            }
            self.wakes.clear();
            return;
        }
        let mut events = std::mem::take(&mut self.scratch.events);
        self.credits_due.take(self.cycle, &mut events);
        for &ovc in &events {
            if self.credit_back(ovc) == 1 && self.state.owners[ovc as usize] != NONE {
                self.wake(self.state.owners[ovc as usize]);
            }
        }
        events.clear();
        self.flits_due.take(self.cycle, &mut events);
        for &ivc in &events {
            if self.flit_in(ivc) == 1 {
                self.wake(ivc);
            }
        }
        events.clear();
        self.scratch.events = events;
    }

    /// One more flit in `ivc`; in an injection virtual channel, a packet. How many are there now.
    #[inline]
    pub(crate) fn flit_in(&mut self, ivc: u32) -> u32 {
        let input = &mut self.state.inputs[ivc as usize];
        *input = input.with_flit();
        input.ready()
    }

    /// One more credit for `ovc`. How many it has now.
    #[inline]
    pub(crate) fn credit_back(&mut self, ovc: u32) -> u32 {
        let output = &mut self.state.outputs[ovc as usize];
        *output = output.with_credit();
        let credits = output.credits();
        debug_assert!(
            credits <= self.config.buffer_flits,
            "more credits than buffer"
        );
        if credits == self.ways.emptied_at && self.state.owners[ovc as usize] == NONE {
            self.free_empty(ovc);
        }
        credits
    }

    /// Atomic reallocation: `ovc` may be claimed again, for its buffer is empty.
    #[cold]
    fn free_empty(&mut self, ovc: u32) {
        let channel = self.wiring.channel_of(ovc);
        let link = &mut self.state.links[channel.index()];
        link.free_vcs |= 1 << self.wiring.vc_of(ovc);
        if link.parked != 0 {
            let source = self.network.source(channel).0;
            let router = &mut self.state.routers[source as usize];
            router.freed |= 1 << (channel.0 - router.first_channel);
            self.waiting.insert(source);
        }
    }

    /// The front flit of `ivc`, if there is one, waits for an output or, with an output and room at
    /// its far end, bids.
    #[inline(always)]
    pub(crate) fn wake(&mut self, ivc: u32) {
        let input = self.state.inputs[ivc as usize];
        if input.ready() == 0 {
            return;
        }
        let (word, bit) = self.mask_place(ivc);
        let router = self.wiring.router_of(ivc);
        if input.output() == NONE {
            self.state.routers[word].waiting |= bit;
            self.waiting.insert(router);
        } else if self.has_room(input.output()) {
            self.state.routers[word].bidding |= bit;
            self.bidding.insert(router);
        }
    }

    /// Whether a flit can go to `output`, an ovc or the ejection.
    #[inline]
    pub(crate) fn has_room(&self, output: u32) -> bool {
        output == EJECT || self.state.outputs[output as usize].credits() > 0
    }

    /// The word and the bit that stand for `ivc` in its router's masks.
    #[inline]
    pub(crate) fn mask_place(&self, ivc: u32) -> (usize, u64) {
        let local = self.wiring.local_of(ivc);
        let word = self.wiring.router_of(ivc) as usize * self.wiring.words;
        (word + (local >> 6) as usize, 1 << (local & 63))
    }
}
