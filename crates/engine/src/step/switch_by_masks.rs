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
        let mut bidding = self.state.bidding[here.first_word];
        let bids = if PLAIN { bidding } else { self.bids(here, 0) };
        let mut outputs = self.request(here, self.one_an_input(here, bids));
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
            let left = self.move_flit::<PLAIN>(here, here.first_ivc | local);
            bidding &= !(u64::from(!left.bids) << local);
            waiting |= u64::from(left.waits) << local;
            is_vacant |= left.is_vacant;
            self.progress = true;
        }
        self.state.bidding[here.first_word] = bidding;
        if bidding == 0 {
            self.bidding.remove(here.router);
        }
        if waiting != 0 {
            self.state.waiting[here.first_word] |= waiting;
            self.waiting.insert(here.router);
        }
        if is_vacant {
            self.fill_injection(here.router, self.cycle + 1);
        }
    }

    /// Of the bids of every input, the one that it puts forward.
    #[inline(always)]
    fn one_an_input(&self, here: Here, bids: u64) -> u64 {
        if self.ways.single_input == 0 {
            return bids;
        }
        // All but the first bid of every port: forcing a port's last bit keeps the subtraction
        // from borrowing of the next.
        let wiring = self.wiring;
        let mut others = bids & ((bids | wiring.port_lasts) - wiring.port_firsts);
        let mut chosen = bids;
        while others != 0 {
            let port = others.trailing_zeros() & !self.ways.single_input;
            let all = wiring.port_mask << port;
            others &= !all;
            let place = wiring.port_of(here.first_ivc | port) as usize;
            let pointer = u32::from(self.state.ports[place].pointer);
            let vc = first_from((bids & all) >> port, pointer);
            chosen = chosen & !all | 1 << (port + vc);
        }
        chosen
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
