//! Allocate the switch and traverse, where all input virtual channels of a router fit a word: the
//! round-robin allocator of `allocate_switch`, with the requests of an output as bits.
//!
//! An output finds the winner with two shifts, however many ask. Masks hold local ivcs, not inputs:
//! an input is one port or one virtual channel and puts one bid forward, and no pointer ever stands
//! within a port that is one input, so the first bit from a pointer on is that of the first input.

use super::allocate_switch::local_output;
use super::parts::Parts;
use crate::bits::first_from;
use crate::engine::Here;
use crate::wiring::NONE;
use crate::{Port, Probe};

impl<P: Probe> Parts<'_, P> {
    /// In every router where flits bid, the winners leave. What they change elsewhere, nobody looks
    /// at before the next cycle: see the README beside the phases.
    #[inline(never)]
    pub(crate) fn switch_by_masks<const PLAIN: bool>(mut self) {
        for s in 0..self.bidding.summaries() {
            let mut summary = self.bidding.summary(s);
            while summary != 0 {
                let word = s * 64 + summary.trailing_zeros() as usize;
                summary &= summary - 1;
                let mut routers = self.bidding.word(word);
                while routers != 0 {
                    let router = word as u32 * 64 + routers.trailing_zeros();
                    routers &= routers - 1;
                    self.switch_router::<PLAIN>(router);
                }
            }
        }
    }

    /// The switch allocation of one router, and the flits that it lets go.
    #[inline(always)]
    fn switch_router<const PLAIN: bool>(&mut self, router: u32) {
        let state = &self.routers[router as usize];
        let here = Here::new(router, router as usize, self.wiring, state);
        let (mut bidding, mut ahead) = (state.bidding, state.ahead);
        let bids = if PLAIN || self.next_free.is_empty() {
            bidding
        } else {
            self.bids_in_time(here, 0, bidding)
        };
        let shares_inputs = self.ways.single_input != 0;
        let chosen = if shares_inputs && self.ports.beyond_first(bids) != 0 {
            self.ports.one_each(bids, ahead)
        } else {
            bids
        };
        let mut outputs = self.request(here, chosen);
        let mut waiting = 0;
        let mut is_vacant = false;
        while outputs != 0 {
            let output = outputs.trailing_zeros();
            outputs &= outputs - 1;
            let local = self.take_winner(here, output);
            if self.config.ejection == Port::Unlimited && output == here.ejection {
                // It takes all: it comes up again while it has requests.
                outputs |= u64::from(self.requests[output as usize & 63] != 0) << output;
            }
            ahead = self.ports.after_turn(ahead, local);
            let moved = self.move_flit::<PLAIN>(here, here.first_ivc | local);
            if moved.is_tail {
                bidding &= !(1 << local);
                waiting |= u64::from(moved.has_flit) << local;
                is_vacant |= moved.is_injection;
            } else if !moved.has_flit || !moved.has_room {
                bidding &= !(1 << local);
            }
        }
        // Where a channel's period holds a bid back, time will help.
        *self.progress = true;
        let state = &mut self.routers[router as usize];
        state.bidding = bidding;
        state.ahead = ahead;
        if bidding == 0 {
            self.bidding.remove(router);
        }
        if waiting != 0 {
            state.waiting |= waiting;
            self.waiting.insert(router);
        }
        if is_vacant {
            self.vacant.push(router);
        }
    }

    /// Takes the local ivc that `output` lets go from its requests, and forgets the others; an
    /// unlimited ejection keeps them.
    #[inline(always)]
    fn take_winner(&mut self, here: Here, output: u32) -> u32 {
        let requests = &mut self.requests[output as usize & 63];
        if self.config.ejection == Port::Unlimited && output == here.ejection {
            let local = requests.trailing_zeros();
            *requests &= *requests - 1;
            return local;
        }
        let pointer = &mut self.out_pointers[(here.first_pointer + output) as usize];
        let local = first_from(std::mem::take(requests), u32::from(*pointer) & 63);
        *pointer = (local | self.ways.single_input) as u16 + 1;
        local
    }

    /// Puts the local ivcs `chosen` to their outputs. The outputs that were asked, as bits.
    #[inline(always)]
    fn request(&mut self, here: Here, chosen: u64) -> u64 {
        let mut outputs = 0;
        let mut rest = chosen;
        while rest != 0 {
            let ivc = here.first_ivc | rest.trailing_zeros();
            let output = self.lanes[self.lane_of[ivc as usize] as usize].output;
            debug_assert_ne!(output, NONE, "only what has an output bids");
            let output = local_output(here, self.wiring, output);
            self.requests[output as usize & 63] |= rest & rest.wrapping_neg();
            rest &= rest - 1;
            outputs |= 1 << (output & 63);
        }
        outputs
    }
}
