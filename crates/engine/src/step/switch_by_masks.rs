//! Allocate the switch and traverse, where all input virtual channels of a router fit a word: the
//! round-robin allocator of `allocate_switch`, with the requests of an output as bits.
//!
//! An output finds the winner with two shifts, however many ask. Masks hold local ivcs, not inputs:
//! an input is one port or one virtual channel and puts one bid forward, and no pointer ever stands
//! within a port that is one input, so the first bit from a pointer on is that of the first input.

use crate::bits::first_from;
use crate::engine::Here;
use crate::wiring::NONE;
use crate::{Engine, Port, Probe, Routing};

impl<R: Routing, P: Probe> Engine<'_, R, P> {
    /// The switch allocation of one router, and the flits that it lets go.
    #[inline(always)]
    pub(crate) fn switch_by_masks<const PLAIN: bool>(&mut self, here: Here) {
        let router = self.state.routers[here.first_word];
        let (mut bidding, mut ahead) = (router.bidding, router.ahead);
        let bids = if PLAIN { bidding } else { self.bids(here, 0) };
        let shares_inputs = self.ways.single_input != 0;
        let chosen = if shares_inputs && self.ports.beyond_first(bids) != 0 {
            self.ports.one_each(bids, ahead)
        } else {
            bids
        };
        let mut outputs = self.request(here, chosen);
        // An unlimited ejection takes all: it comes up again while it has requests.
        let unlimited = match self.config.ejection {
            Port::Channel => NONE,
            Port::Unlimited => here.ejection,
        };
        let mut waiting = 0;
        let mut is_vacant = false;
        while outputs != 0 {
            let output = outputs.trailing_zeros();
            let requests = &mut self.scratch.requests[output as usize & 63];
            let local = if output == unlimited {
                let local = requests.trailing_zeros();
                *requests &= *requests - 1;
                outputs &= !(u64::from(*requests == 0) << output);
                local
            } else {
                outputs &= outputs - 1;
                let pointer = &mut self.state.out_pointers[(here.first_pointer + output) as usize];
                let local = first_from(std::mem::take(requests), u32::from(*pointer) & 63);
                *pointer = (local | self.ways.single_input) as u16 + 1;
                local
            };
            ahead = self.ports.after_turn(ahead, local);
            let moved = self.move_flit::<PLAIN>(here, here.first_ivc | local);
            if moved.is_tail {
                bidding &= !(1 << local);
                waiting |= u64::from(moved.has_flit) << local;
                is_vacant |= moved.is_injection;
            } else if !(moved.has_flit & moved.has_room) {
                bidding &= !(1 << local);
            }
        }
        let router = &mut self.state.routers[here.first_word];
        self.progress = true;
        router.bidding = bidding;
        router.ahead = ahead;
        router.waiting |= waiting;
        if bidding == 0 {
            self.bidding.remove(here.router);
        }
        if waiting != 0 {
            self.waiting.insert(here.router);
        }
        if is_vacant {
            self.fill_injection(here.router, self.cycle + 1);
        }
    }

    /// Puts the local ivcs `chosen` to their outputs. The outputs that were asked, as bits.
    #[inline(always)]
    fn request(&mut self, here: Here, chosen: u64) -> u64 {
        let mut outputs = 0;
        let mut rest = chosen;
        while rest != 0 {
            let local = rest.trailing_zeros();
            let output = self.local_output(here, local);
            self.scratch.requests[output as usize & 63] |= rest & rest.wrapping_neg();
            rest &= rest - 1;
            outputs |= 1 << (output & 63);
        }
        outputs
    }
}
