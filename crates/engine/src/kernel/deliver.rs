//! Deliver: flits become ready in their input virtual channel, credits reach their sender, and what
//! has now a flit, or room for one, waits or requests.

use crate::kernel::active::ActiveSet;
use crate::kernel::lane::Lane;
use crate::kernel::partition::Partition;
use crate::kernel::state::{NO_OWNER, Router};
use crate::kernel::wiring::{EJECT, NONE, Wiring};
use crate::{Engine, Probe, Routing};

impl<R: Routing, P: Probe, E: Partition> Engine<'_, R, P, E> {
    /// What is due in this cycle.
    #[inline(never)]
    pub(crate) fn deliver(&mut self) {
        if self.fast_paths.is_plain {
            self.wake_all();
            return;
        }
        let mut events = std::mem::take(&mut self.scratch.events);
        self.credits_due.take(self.cycle, &mut events);
        for &lane in &events {
            self.credit_back(lane);
        }
        events.clear();
        self.flits_due.take(self.cycle, &mut events);
        for &lane in &events {
            if self.flit_in(lane) == 1 {
                self.wake(lane);
            }
        }
        events.clear();
        self.scratch.events = events;
    }

    /// One more flit in `lane`; in an injection virtual channel, a packet. How many are there now.
    #[inline]
    pub(crate) fn flit_in(&mut self, lane: u32) -> u32 {
        let reader = &mut self.state.lanes[lane as usize].reader;
        *reader = reader.with_flit();
        reader.ready()
    }

    /// One more credit for `lane`.
    #[inline]
    fn credit_back(&mut self, lane: u32) {
        let sender = &mut self.state.lanes[lane as usize].sender;
        *sender = sender.with_credit();
        let credits = sender.credits();
        debug_assert!(
            credits <= self.config.buffer_flits,
            "more credits than buffer"
        );
        if credits == 1
            && let Some(owner) = self.owner_of(lane)
        {
            self.wake(self.state.lane_into(owner, self.wiring));
        }
        if credits == self.fast_paths.emptied_at && self.state.owners[lane as usize] == NO_OWNER {
            self.free_empty(lane);
        }
    }

    /// Atomic reallocation: `lane` may be claimed again, for its buffer is empty.
    #[cold]
    fn free_empty(&mut self, lane: u32) {
        let channel = self.wiring.channel_of(lane);
        let link = &mut self.state.links[channel.index()];
        link.free_vcs |= 1 << self.wiring.vc_of(lane);
        if link.is_wanted {
            link.is_wanted = false;
            let source = self.network.source(self.partition.global_id(channel));
            let source = self.partition.router(source);
            self.state.routers[source as usize * self.wiring.words].note_freed(channel);
            self.waiting.insert(source);
        }
    }

    /// What was noted in the last cycle waits or requests.
    fn wake_all(&mut self) {
        let (wiring, routers) = (self.wiring, &mut self.state.routers);
        for &ivc in self.waits_next.as_slice() {
            waits(ivc, routers, wiring, &mut self.waiting);
        }
        self.waits_next.clear();
        for &ivc in self.requests_next.as_slice() {
            requests(ivc, routers, wiring, &mut self.requesting);
        }
        self.requests_next.clear();
    }

    /// The front flit of `lane`, if there is one, waits for an output or, with an output and room at
    /// its far end, requests.
    pub(crate) fn wake(&mut self, lane: u32) {
        let Lane { reader, output, .. } = self.state.lanes[lane as usize];
        if reader.ready() == 0 {
            return;
        }
        let ivc = self.state.end_of(lane, self.wiring);
        let routers = &mut self.state.routers;
        if output == NONE {
            waits(ivc, routers, self.wiring, &mut self.waiting);
        } else if output == EJECT || self.state.lanes[output as usize].sender.credits() > 0 {
            requests(ivc, routers, self.wiring, &mut self.requesting);
        }
    }

    /// Whether a flit can go to `output`, a lane or the ejection.
    #[inline]
    pub(crate) fn has_room(&self, output: u32) -> bool {
        has_room(output, &self.state.lanes)
    }

    /// The ivc whose packet holds the lane `ovc`.
    #[inline]
    pub(crate) fn owner_of(&self, ovc: u32) -> Option<u32> {
        let owner = self.state.owners[ovc as usize];
        if owner == NO_OWNER {
            return None;
        }
        let channel = self.partition.global_id(self.wiring.channel_of(ovc));
        let source = self.partition.router(self.network.source(channel));
        Some(self.wiring.first_ivc(source) + u32::from(owner))
    }

    /// How many ivcs there is room for.
    pub(crate) fn ivcs(&self) -> usize {
        self.wiring.ivcs(self.partition.routers(self.network))
    }

    /// The word and the bit that stand for `ivc` in its router's masks.
    #[inline]
    pub(crate) fn mask_place(&self, ivc: u32) -> (usize, u64) {
        self.wiring.word_of(ivc)
    }
}

/// Whether `output` takes a flit: the ejection always does, a lane that has a credit.
#[inline(always)]
pub(super) fn has_room(output: u32, lanes: &[Lane]) -> bool {
    output == EJECT || lanes[output as usize].sender.credits() > 0
}

/// The head at the front of `ivc` waits for an output.
#[inline(always)]
pub(super) fn waits(ivc: u32, routers: &mut [Router], wiring: Wiring, waiting: &mut ActiveSet) {
    let (word, bit) = wiring.word_of(ivc);
    routers[word].waiting |= bit;
    // Whether it is there already no branch predicts.
    waiting.insert(wiring.router_of(ivc));
}

/// The flit at the front of `ivc`, which has an output with room at its far end, requests.
#[inline(always)]
pub(super) fn requests(
    ivc: u32,
    routers: &mut [Router],
    wiring: Wiring,
    requesting: &mut ActiveSet,
) {
    let (word, bit) = wiring.word_of(ivc);
    routers[word].requesting |= bit;
    // Whether it is there already no branch predicts.
    requesting.insert(wiring.router_of(ivc));
}
