//! iSLIP (McKeown 1999): outputs grant, inputs accept, again and again; pointers move only for
//! matches of the first iteration, which keeps the outputs out of step with one another. An input
//! accepts for the virtual channel that it served longest ago: of two that want one output, a pointer
//! would find the same one each time, were it moved by matches with others in between.

use crate::kernel::bits::{cyclic_distance, ones};
use crate::kernel::engine::Here;
use crate::kernel::partition::Partition;
use crate::kernel::parts::Parts;
use crate::kernel::state::Request;
use crate::kernel::wiring::NONE;
use crate::{Port, Probe};

impl<P: Probe, E: Partition> Parts<'_, P, E> {
    pub(super) fn allocate_islip(&mut self, here: Here, iterations: u32) {
        self.collect_requests(here);
        for iteration in 0..iterations {
            if self.switch.requests.is_empty() {
                break;
            }
            self.grant(here);
            self.accept(here, iteration == 0);
        }
        self.switch.requests.clear();
    }

    /// Every request of the router, with the input that it belongs to.
    fn collect_requests(&mut self, here: Here) {
        let vcs = self.wiring.vcs();
        for word in 0..here.words {
            for bit in ones(self.requests(here, word)) {
                let local = word as u32 * 64 + bit;
                let port = local & !(vcs - 1);
                let (position, next) = if self.has_way_for_each_vc(here, port) {
                    (local, local + 1)
                } else {
                    (port, port + vcs)
                };
                let output = self.local_output(here, local);
                self.switch.requests.push(Request {
                    key: (0, 0),
                    local,
                    output,
                    position,
                    next,
                });
            }
        }
    }

    /// Every output that is still wanted grants one input; an unlimited ejection grants all. Then
    /// every input keeps the grant that it would accept.
    fn grant(&mut self, here: Here) {
        for index in 0..self.switch.requests.len() {
            let request = self.switch.requests[index];
            if self.is_unlimited(here, request.output) {
                self.offer_grant(here, request);
                continue;
            }
            let pointer = u32::from(*self.output_pointer(here, request.output));
            let key = (u64::from(cyclic_distance(pointer, request.position)), 0);
            let switch = &mut *self.switch;
            let best = &mut switch.best[request.output as usize];
            if best.local == NONE {
                switch.touched.push(request.output as u16);
            }
            if key < best.key {
                *best = Request { key, ..request };
            }
        }
        while let Some(output) = self.switch.touched.pop() {
            let best = &mut self.switch.best[usize::from(output)];
            let granted = std::mem::replace(best, Request::NONE);
            self.offer_grant(here, granted);
        }
    }

    fn offer_grant(&mut self, here: Here, granted: Request) {
        let input = here.ivc(granted.position);
        let vc = self.next_in_turn(here, granted.position, self.matching(granted));
        let key = (self.served[(input + vc) as usize], u64::from(vc));
        let switch = &mut *self.switch;
        let best = &mut switch.grants[granted.position as usize];
        if best.local == NONE {
            switch.granted.push(granted.position as u16);
        }
        if key < best.key {
            *best = Request { key, ..granted };
        }
    }

    /// The virtual channels of an input that request the output that grants it.
    fn matching(&self, granted: Request) -> u64 {
        let requests = self.switch.requests.iter();
        let of_both =
            requests.filter(|r| r.position == granted.position && r.output == granted.output);
        of_both.fold(0, |vcs, r| vcs | 1 << (r.local - granted.position))
    }

    /// Every input with a grant takes it; what it and its output still wanted is withdrawn.
    fn accept(&mut self, here: Here, move_pointers: bool) {
        while let Some(position) = self.switch.granted.pop() {
            let grant = &mut self.switch.grants[usize::from(position)];
            let accepted = std::mem::replace(grant, Request::NONE);
            let unlimited = self.is_unlimited(here, accepted.output);
            if move_pointers && !unlimited {
                *self.output_pointer(here, accepted.output) = accepted.next as u16;
            }
            let vc = self.next_in_turn(here, accepted.position, self.matching(accepted));
            self.leave(here, accepted.position + vc);
            self.switch.requests.retain(|request| {
                request.position != accepted.position
                    && (unlimited || request.output != accepted.output)
            });
        }
    }

    /// Whether `output` takes any number of flits a cycle.
    fn is_unlimited(&self, here: Here, output: u32) -> bool {
        self.config.ejection == Port::Unlimited && output == here.ejection
    }
}
