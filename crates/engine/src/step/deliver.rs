//! Deliver: flits become ready in their input virtual channel, credits reach their sender, and what
//! has now a flit, or room for one, waits or bids.

use crate::wiring::{EJECT, NONE};
use crate::{Engine, Probe, Routing};

impl<R: Routing, P: Probe> Engine<'_, R, P> {
    /// What is due in this cycle.
    pub(crate) fn deliver(&mut self) {
        let mut events = std::mem::take(&mut self.scratch.events);
        if self.ways.is_prompt {
            std::mem::swap(&mut self.wakes, &mut events);
            for &ivc in &events {
                self.wake(ivc);
            }
        } else {
            self.credits_due.take(self.cycle, &mut events);
            for &ovc in &events {
                if let Some(owner) = self.credit_back(ovc) {
                    self.wake(owner);
                }
            }
            events.clear();
            self.flits_due.take(self.cycle, &mut events);
            for &ivc in &events {
                if self.flit_in(ivc) {
                    self.wake(ivc);
                }
            }
        }
        events.clear();
        self.scratch.events = events;
    }

    /// One more flit in `ivc`; in an injection virtual channel, a packet. True where there was none.
    #[inline]
    pub(crate) fn flit_in(&mut self, ivc: u32) -> bool {
        let input = &mut self.state.inputs[ivc as usize];
        input.ready += 1;
        input.ready == 1
    }

    /// One more credit for `ovc`. The ivc that holds it, where it had none left.
    #[inline]
    pub(crate) fn credit_back(&mut self, ovc: u32) -> Option<u32> {
        let output = &mut self.state.outputs[ovc as usize];
        output.credits += 1;
        let (credits, owner) = (u32::from(output.credits), output.owner);
        debug_assert!(
            credits <= self.config.buffer_flits,
            "more credits than buffer"
        );
        if owner == NONE {
            if self.is_atomic() && credits == self.config.buffer_flits {
                self.free_empty(ovc);
            }
            return None;
        }
        (credits == 1).then_some(owner)
    }

    /// Atomic reallocation: `ovc` may be claimed again, for its buffer is empty.
    fn free_empty(&mut self, ovc: u32) {
        let channel = self.wiring.channel_of(ovc);
        let link = &mut self.state.links[channel.index()];
        link.free_vcs |= 1 << self.wiring.vc_of(ovc);
        if link.parked != 0 {
            let router = self.network.source(channel).0;
            let first = self.state.routers[router as usize].first_channel;
            self.state.freed[router as usize] |= 1 << (channel.0 - first);
            self.waiting.insert(router);
        }
    }

    /// The front flit of `ivc`, if there is one, waits for an output or, with an output and room at
    /// its far end, bids.
    #[inline]
    pub(crate) fn wake(&mut self, ivc: u32) {
        let input = self.state.inputs[ivc as usize];
        if input.ready == 0 {
            return;
        }
        let (word, bit) = self.mask_place(ivc);
        let router = self.wiring.router_of(ivc);
        if input.output == NONE {
            self.state.waiting[word] |= bit;
            self.waiting.insert(router);
        } else if input.output == EJECT || self.state.outputs[input.output as usize].credits > 0 {
            self.state.bidding[word] |= bit;
            self.bidding.insert(router);
        }
    }

    /// The word and the bit that stand for `ivc` in its router's masks.
    #[inline]
    pub(crate) fn mask_place(&self, ivc: u32) -> (usize, u64) {
        let local = self.wiring.local_of(ivc);
        let word = self.wiring.router_of(ivc) as usize * self.wiring.words;
        (word + (local >> 6) as usize, 1 << (local & 63))
    }
}
