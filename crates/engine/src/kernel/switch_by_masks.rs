//! Allocate the switch and traverse, where all input virtual channels of a router fit a word: the
//! round-robin allocator of `allocate_switch`, with the requests of an output as bits.
//!
//! An output finds the winner with two shifts, however many ask. Masks hold local ivcs, not inputs:
//! an input is one port or one virtual channel and puts one request forward, and no pointer ever stands
//! within a port that is one input, so the first bit from a pointer on is that of the first input.

use super::allocate_switch::least_recent;
use super::parts::Parts;
use super::traverse::Changes;
use crate::kernel::bits::first_from;
use crate::kernel::engine::Here;
use crate::kernel::partition::Partition;
use crate::{Port, Probe};

impl<P: Probe, E: Partition> Parts<'_, P, E> {
    /// In every router where flits request, the winners leave. What they change elsewhere decides nothing
    /// before the next cycle: see the README beside the phases.
    pub(crate) fn switch_by_masks<const PLAIN: bool>(self) {
        match self.config.ejection {
            Port::Channel => self.switch_all::<PLAIN, false>(),
            Port::Unlimited => self.switch_all::<PLAIN, true>(),
        }
    }

    /// `TAKES_ALL`: whether the ejection does.
    #[inline(never)]
    fn switch_all<const PLAIN: bool, const TAKES_ALL: bool>(mut self) {
        // A flit moves in every router where some request, or waits for its channel's period.
        *self.progress |= (0..self.requesting.summaries()).any(|s| self.requesting.summary(s) != 0);
        for s in 0..self.requesting.summaries() {
            let mut summary = self.requesting.summary(s);
            while summary != 0 {
                let word = s * 64 + summary.trailing_zeros() as usize;
                summary &= summary - 1;
                let mut routers = self.requesting.word(word);
                while routers != 0 {
                    let router = word as u32 * 64 + routers.trailing_zeros();
                    routers &= routers - 1;
                    self.switch_router::<PLAIN, TAKES_ALL>(router);
                }
            }
        }
    }

    /// The switch allocation of one router, and the flits that it lets go.
    #[inline(always)]
    fn switch_router<const PLAIN: bool, const TAKES_ALL: bool>(&mut self, router: u32) {
        let state = &self.routers[router as usize];
        let here = Here::new(router, router as usize, self.wiring, state);
        let (requesting, mut ahead) = (state.requesting, state.ahead);
        let requests = if PLAIN || self.next_free.is_empty() {
            requesting
        } else {
            self.requests_in_time(here, 0, requesting)
        };
        let shares_inputs = self.fast_paths.single_input != 0;
        let chosen = if shares_inputs && self.ports.beyond_first(requests) != 0 {
            if PLAIN || self.served.is_empty() {
                self.ports.one_each(requests, ahead)
            } else {
                self.least_recent_each(here, requests)
            }
        } else {
            requests
        };
        let mut outputs = self.request_outputs(here, chosen);
        let mut changes = Changes {
            requesting,
            waiting: 0,
            is_vacant: false,
        };
        while outputs != 0 {
            let output = outputs.trailing_zeros();
            let requests = &mut self.requests_of[output as usize & 63];
            let local;
            if TAKES_ALL && output == here.ejection {
                // It comes up again while it has requests.
                local = requests.trailing_zeros();
                *requests &= *requests - 1;
                outputs &= !(u64::from(*requests == 0) << output);
            } else {
                let pointer = &mut self.out_pointers[(here.first_pointer + output) as usize];
                local = first_from(std::mem::take(requests), u32::from(*pointer) & 63);
                *pointer = (local | self.fast_paths.single_input) as u16 + 1;
                outputs &= outputs - 1;
            }
            ahead = self.ports.after_turn(ahead, local);
            if !PLAIN {
                self.note_served(here.ivc(local));
            }
            self.move_flit::<PLAIN>(here, local, &mut changes);
        }
        self.settle(router, ahead, changes);
    }

    /// Of every port, the least recently served of `requests`.
    fn least_recent_each(&self, here: Here, requests: u64) -> u64 {
        let mut chosen = 0;
        let mut rest = requests;
        while rest != 0 {
            let port = self.ports.of(rest.trailing_zeros());
            let first = here.ivc(port.trailing_zeros());
            let vc = least_recent(self.served, first, (rest & port) >> port.trailing_zeros());
            chosen |= 1 << (port.trailing_zeros() + vc);
            rest &= !port;
        }
        chosen
    }

    /// Writes down what has changed in a router.
    #[inline(always)]
    fn settle(&mut self, router: u32, ahead: u64, changes: Changes) {
        let state = &mut self.routers[router as usize];
        state.requesting = changes.requesting;
        state.ahead = ahead;
        if changes.requesting == 0 {
            self.requesting.remove(router);
        }
        if changes.waiting != 0 {
            state.waiting |= changes.waiting;
            self.waiting.insert(router);
        }
        if changes.is_vacant {
            self.vacant.push(router);
        }
    }

    /// Puts the local ivcs `chosen` to their outputs. The outputs that were asked, as bits.
    #[inline(always)]
    fn request_outputs(&mut self, here: Here, chosen: u64) -> u64 {
        let mut outputs = 0;
        let mut rest = chosen;
        while rest != 0 {
            let ivc = here.ivc(rest.trailing_zeros());
            let output = self.out_of[ivc as usize];
            debug_assert!(u32::from(output) <= here.ejection);
            let bit = rest & rest.wrapping_neg();
            self.requests_of[output as usize & 63] |= bit;
            rest ^= bit;
            outputs |= 1 << (output & 63);
        }
        outputs
    }
}
