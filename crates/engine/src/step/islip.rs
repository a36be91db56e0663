//! iSLIP (McKeown 1999): outputs grant, inputs accept, again and again; pointers move only for
//! matches of the first iteration, which keeps the outputs out of step with one another.

use super::allocate_switch::cyclic_distance;
use crate::bits::first_from;
use crate::state::Request;
use crate::{Engine, Probe, Routing};

impl<R: Routing, P: Probe> Engine<'_, R, P> {
    pub(super) fn allocate_islip(&mut self, router: u32, iterations: u32) {
        self.collect_bids(router);
        for iteration in 0..iterations {
            if self.scratch.switch.bids.is_empty() {
                break;
            }
            self.grant(router);
            self.accept(router, iteration == 0);
        }
        self.scratch.switch.bids.clear();
    }

    /// Every bid of the router, with the input that it belongs to.
    fn collect_bids(&mut self, router: u32) {
        let vcs = 1u32 << self.wiring.vc_shift;
        for word in 0..self.wiring.words {
            let mut bids = self.bids(router, word);
            while bids != 0 {
                let ivc = word as u32 * 64 + bids.trailing_zeros();
                bids &= bids - 1;
                let port_ivc = ivc & !(vcs - 1);
                let (position, next) = if self.has_way_for_each_vc(router, port_ivc) {
                    (ivc, ivc + 1)
                } else {
                    (port_ivc, port_ivc + vcs)
                };
                let output = self.local_output(router, ivc);
                self.scratch.switch.bids.push(Request {
                    key: (0, 0),
                    ivc,
                    output,
                    position,
                    next,
                });
            }
        }
    }

    /// Every output that is still wanted grants one input; an unlimited ejection grants all. Then
    /// every input keeps the grant that it would accept.
    fn grant(&mut self, router: u32) {
        for index in 0..self.scratch.switch.bids.len() {
            let bid = self.scratch.switch.bids[index];
            if self.is_unlimited(router, bid.output) {
                self.offer_grant(router, bid);
                continue;
            }
            let pointer = u32::from(*self.output_pointer(router, bid.output));
            let key = (u64::from(cyclic_distance(pointer, bid.position)), 0);
            let switch = &mut self.scratch.switch;
            let best = &mut switch.best[bid.output as usize];
            if best.ivc == Request::NONE.ivc {
                switch.touched.push(bid.output as u16);
            }
            if key < best.key {
                *best = Request { key, ..bid };
            }
        }
        while let Some(output) = self.scratch.switch.touched.pop() {
            let best = &mut self.scratch.switch.best[usize::from(output)];
            let granted = std::mem::replace(best, Request::NONE);
            self.offer_grant(router, granted);
        }
    }

    fn offer_grant(&mut self, router: u32, granted: Request) {
        let input = (self.wiring.first_ivc(router) + granted.position) as usize;
        let pointer = u32::from(self.state.pointers.accepts[input]);
        let key = (u64::from(cyclic_distance(pointer, granted.output)), 0);
        let switch = &mut self.scratch.switch;
        let best = &mut switch.grants[granted.position as usize];
        if best.ivc == Request::NONE.ivc {
            switch.granted.push(granted.position as u16);
        }
        if key < best.key {
            *best = Request { key, ..granted };
        }
    }

    /// Every input with a grant takes it; what it and its output still wanted is withdrawn.
    fn accept(&mut self, router: u32, move_pointers: bool) {
        while let Some(position) = self.scratch.switch.granted.pop() {
            let grant = &mut self.scratch.switch.grants[usize::from(position)];
            let accepted = std::mem::replace(grant, Request::NONE);
            let input = self.wiring.first_ivc(router) + accepted.position;
            let unlimited = self.is_unlimited(router, accepted.output);
            if move_pointers {
                self.state.pointers.accepts[input as usize] = accepted.output as u16 + 1;
                if !unlimited {
                    *self.output_pointer(router, accepted.output) = accepted.next as u16;
                }
            }
            let mut vcs = 0;
            for bid in &self.scratch.switch.bids {
                if bid.position == accepted.position && bid.output == accepted.output {
                    vcs |= 1 << (bid.ivc - accepted.position);
                }
            }
            let pointer = self.state.pointers.inputs[self.wiring.port_of(input) as usize];
            self.leave(
                router,
                accepted.position + first_from(vcs, u32::from(pointer)),
            );
            self.scratch.switch.bids.retain(|bid| {
                bid.position != accepted.position && (unlimited || bid.output != accepted.output)
            });
        }
    }
}
