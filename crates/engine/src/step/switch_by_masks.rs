//! Allocate the switch and traverse, where all input virtual channels of a router fit a word: the
//! round-robin allocator of `allocate_switch`, with the requests of an output as bits.
//!
//! An output finds the winner with two shifts, however many ask. Masks hold local ivcs, not inputs:
//! an input is one port or one virtual channel and puts one bid forward, and no pointer ever stands
//! within a port that is one input, so the first bit from a pointer on is that of the first input.

use crate::bits::{after_vc, first_from};
use crate::engine::Here;
use crate::{Engine, Port, Probe, Routing};

impl<R: Routing, P: Probe> Engine<'_, R, P> {
    /// The switch allocation of one router, and the flits that it lets go.
    #[inline]
    pub(crate) fn switch_by_masks<const PROMPT: bool>(&mut self, here: Here) {
        let bids = self.bids(here, 0);
        let outputs = self.put_bids_forward(here, bids);
        let mut after = After {
            bidding: self.state.bidding[here.first_word],
            waiting: 0,
            is_vacant: false,
        };
        let limited = match self.config.ejection {
            Port::Channel => outputs,
            Port::Unlimited => outputs & !(1 << here.ejection),
        };
        if limited != outputs {
            let mut rest = std::mem::take(&mut self.scratch.requests[here.ejection as usize & 63]);
            while rest != 0 {
                let local = rest.trailing_zeros();
                rest &= rest - 1;
                self.leave_by_masks::<PROMPT>(here, local, &mut after);
            }
        }
        let mut rest = limited;
        while rest != 0 {
            let output = rest.trailing_zeros();
            rest &= rest - 1;
            let requests = std::mem::take(&mut self.scratch.requests[output as usize & 63]);
            let place = (here.first_pointer + output) as usize;
            let pointer = u32::from(self.state.out_pointers[place]);
            let local = first_from(requests, pointer & 63);
            self.state.out_pointers[place] = self.after_input(here, local);
            self.leave_by_masks::<PROMPT>(here, local, &mut after);
        }
        self.settle(here, after);
    }

    /// Every input puts one of its bids to its output. The outputs that were asked, as bits.
    #[inline]
    fn put_bids_forward(&mut self, here: Here, bids: u64) -> u64 {
        let vcs = self.wiring.vcs();
        let mut outputs = 0;
        let mut bids = bids;
        while bids != 0 {
            let first = bids.trailing_zeros();
            let port = first & !(vcs - 1);
            let port_bids = bids >> port & self.wiring.port_mask;
            let local = if self.has_way_for_each_vc(here, port) {
                bids &= bids - 1;
                first
            } else {
                bids &= !(self.wiring.port_mask << port);
                let place = self.wiring.port_of(here.first_ivc | port) as usize;
                port + first_from(port_bids, u32::from(self.state.ports[place].pointer))
            };
            let output = self.local_output(here, local);
            self.scratch.requests[output as usize & 63] |= 1 << local;
            outputs |= 1 << output;
        }
        outputs
    }

    /// Where the input after that of local ivc `local` stands.
    #[inline]
    fn after_input(&self, here: Here, local: u32) -> u16 {
        let last = self.wiring.vcs() - 1;
        let port = local & !last;
        let is_alone = self.has_way_for_each_vc(here, port);
        (if is_alone { local } else { port | last }) as u16 + 1
    }

    #[inline(always)]
    fn leave_by_masks<const PROMPT: bool>(&mut self, here: Here, local: u32, after: &mut After) {
        let ivc = here.first_ivc | local;
        let port = self.wiring.port_of(ivc) as usize;
        self.state.ports[port].pointer = after_vc(self.wiring.vc_of(ivc));
        let left = self.move_flit::<PROMPT>(here, ivc);
        after.bidding &= !(u64::from(!left.bids) << local);
        after.waiting |= u64::from(left.waits) << local;
        after.is_vacant |= left.is_vacant;
    }

    /// Writes down what bids and waits now that the winners have left.
    #[inline]
    fn settle(&mut self, here: Here, after: After) {
        self.progress = true;
        self.state.bidding[here.first_word] = after.bidding;
        if after.bidding == 0 {
            self.bidding.remove(here.router);
        }
        if after.waiting != 0 {
            self.state.waiting[here.first_word] |= after.waiting;
            self.waiting.insert(here.router);
        }
        if after.is_vacant {
            self.fill_injection(here.router, self.cycle + 1);
        }
    }
}

/// What changes in a router while its flits leave.
#[derive(Clone, Copy, Debug)]
struct After {
    bidding: u64,
    waiting: u64,
    is_vacant: bool,
}
