//! Deliver: flits become ready in their input virtual channel, credits reach their sender, and what
//! has now a flit, or room for one, waits or bids.

use crate::active::ActiveSet;
use crate::state::{Router, State};
use crate::wiring::{EJECT, NONE, Wiring};
use crate::words::{Input, Output};
use crate::{Engine, Probe, Routing};

impl<R: Routing, P: Probe> Engine<'_, R, P> {
    /// What is due in this cycle.
    #[inline(never)]
    pub(crate) fn deliver(&mut self) {
        if self.ways.is_plain {
            self.wake_all();
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

    /// Wakes what is noted in `wakes`.
    fn wake_all(&mut self) {
        let State {
            inputs,
            outputs,
            routers,
            ..
        } = &mut self.state;
        let (wiring, waiting, bidding) = (self.wiring, &mut self.waiting, &mut self.bidding);
        self.wakes.take(&mut self.woken);
        for &ivc in self.woken.as_slice() {
            wake(ivc, inputs, outputs, routers, wiring, waiting, bidding);
        }
        self.woken.clear();
    }

    /// The front flit of `ivc`, if there is one, waits for an output or, with an output and room at
    /// its far end, bids.
    pub(crate) fn wake(&mut self, ivc: u32) {
        let State {
            inputs,
            outputs,
            routers,
            ..
        } = &mut self.state;
        let (waiting, bidding) = (&mut self.waiting, &mut self.bidding);
        wake(ivc, inputs, outputs, routers, self.wiring, waiting, bidding);
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

/// See [`Engine::wake`].
#[inline(always)]
fn wake(
    ivc: u32,
    inputs: &[Input],
    outputs: &[Output],
    routers: &mut [Router],
    wiring: Wiring,
    waiting: &mut ActiveSet,
    bidding: &mut ActiveSet,
) {
    let input = inputs[ivc as usize];
    if input.ready() == 0 {
        return;
    }
    let (router, local) = (wiring.router_of(ivc), wiring.local_of(ivc));
    let word = router as usize * wiring.words + (local >> 6) as usize;
    let masks = &mut routers[word];
    let bit = 1 << (local & 63);
    let output = input.output();
    if output == NONE {
        masks.waiting |= bit;
        waiting.insert(router);
    } else if output == EJECT || outputs[output as usize].credits() > 0 {
        let is_first = masks.bidding == 0;
        masks.bidding |= bit;
        if is_first {
            bidding.insert(router);
        }
    }
}
