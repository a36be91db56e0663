//! Allocate the switch: which of the flits that bid leave in this cycle, at most one an output
//! channel, and one an input port where the crossbar has one way in for each.
//!
//! Separable and input first (Dally & Towles, section 19.3): each input puts one bid forward, each
//! output takes one of those put to it.

use crate::bits::first_from;
use crate::random::Purpose;
use crate::state::Request;
use crate::wiring::EJECT;
use crate::{Allocator, Crossbar, Engine, Port, Probe, Routing};

impl<R: Routing, P: Probe> Engine<'_, R, P> {
    /// Fills `scratch.moves` with the local ivcs of `router` whose front flit leaves.
    #[inline]
    pub(crate) fn allocate_switch(&mut self, router: u32) {
        debug_assert!(self.scratch.moves.is_empty());
        let words = router as usize * self.wiring.words..(router as usize + 1) * self.wiring.words;
        if self.state.bidding[words].iter().all(|&word| word == 0) {
            return;
        }
        match self.config.allocator {
            Allocator::Islip { iterations } => self.allocate_islip(router, iterations),
            _ => self.allocate_separable(router),
        }
    }

    fn allocate_separable(&mut self, router: u32) {
        let vcs = 1 << self.wiring.vc_shift;
        for word in 0..self.wiring.words {
            let mut bids = self.bids(router, word);
            while bids != 0 {
                let first = bids.trailing_zeros() & !(vcs - 1);
                let port_bids = bids >> first & self.wiring.vc_mask();
                bids &= !(self.wiring.vc_mask() << first);
                let port_ivc = word as u32 * 64 + first;
                if self.has_way_for_each_vc(router, port_ivc) {
                    let mut rest = port_bids;
                    while rest != 0 {
                        let local = port_ivc + rest.trailing_zeros();
                        rest &= rest - 1;
                        self.put_forward(router, local, local, local + 1);
                    }
                } else {
                    let local = self.pick_vc(router, port_ivc, port_bids);
                    self.put_forward(router, local, port_ivc, port_ivc + vcs);
                }
            }
        }
        while let Some(output) = self.scratch.switch.touched.pop() {
            let best = &mut self.scratch.switch.best[usize::from(output)];
            let winner = std::mem::replace(best, Request::NONE);
            *self.output_pointer(router, u32::from(output)) = winner.next as u16;
            self.leave(router, winner.ivc);
        }
    }

    /// The bids of word `word` of `router` that their channel can take in this cycle.
    #[inline]
    pub(crate) fn bids(&mut self, router: u32, word: usize) -> u64 {
        let bidding = self.state.bidding[router as usize * self.wiring.words + word];
        if self.state.next_free.is_empty() {
            return bidding;
        }
        let first = self.wiring.first_ivc(router) + word as u32 * 64;
        let mut bids = bidding;
        let mut rest = bidding;
        while rest != 0 {
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            let output = self.state.inputs[(first + bit) as usize].output;
            if output != EJECT {
                let channel = self.wiring.channel_of(output).index();
                if self.state.next_free[channel] > self.cycle {
                    bids &= !(1 << bit);
                    self.progress = true;
                }
            }
        }
        bids
    }

    /// Whether each virtual channel of the port at local ivc `port_ivc` is an input of the switch.
    #[inline]
    pub(crate) fn has_way_for_each_vc(&self, router: u32, port_ivc: u32) -> bool {
        self.config.crossbar == Crossbar::Vc
            || self.config.injection == Port::Unlimited && {
                let port = self
                    .wiring
                    .port_of(self.wiring.first_ivc(router) + port_ivc);
                self.wiring.channel_into(port).is_none()
            }
    }

    /// The local ivc that a port puts forward, of those that bid.
    #[inline]
    fn pick_vc(&self, router: u32, port_ivc: u32, bids: u64) -> u32 {
        if self.config.allocator == Allocator::RoundRobin {
            let port = self
                .wiring
                .port_of(self.wiring.first_ivc(router) + port_ivc);
            let pointer = self.state.pointers.inputs[port as usize];
            return port_ivc + first_from(bids, u32::from(pointer));
        }
        let mut rest = bids;
        let mut best = (Request::NONE.key, port_ivc);
        while rest != 0 {
            let local = port_ivc + rest.trailing_zeros();
            rest &= rest - 1;
            best = best.min((self.key(router, local, Purpose::SwitchInput), local));
        }
        best.1
    }

    /// Input `position` puts the bid of local ivc `local` to its output.
    #[inline]
    fn put_forward(&mut self, router: u32, local: u32, position: u32, next: u32) {
        let output = self.local_output(router, local);
        if self.is_unlimited(router, output) {
            self.leave(router, local);
            return;
        }
        let key = if self.config.allocator == Allocator::RoundRobin {
            let pointer = u32::from(*self.output_pointer(router, output));
            (u64::from(cyclic_distance(pointer, position)), 0)
        } else {
            self.key(router, local, Purpose::SwitchOutput)
        };
        let best = &mut self.scratch.switch.best[output as usize];
        if best.ivc == Request::NONE.ivc {
            self.scratch.switch.touched.push(output as u16);
        }
        if key < best.key {
            *best = Request {
                key,
                ivc: local,
                output,
                position,
                next,
            };
        }
    }

    /// The front flit of local ivc `local` leaves in this cycle.
    #[inline]
    pub(crate) fn leave(&mut self, router: u32, local: u32) {
        let ivc = self.wiring.first_ivc(router) + local;
        let port = self.wiring.port_of(ivc) as usize;
        self.state.pointers.inputs[port] = self.wiring.vc_of(ivc) as u8 + 1;
        self.scratch.moves.push(local);
    }

    /// The output that local ivc `local` holds: a channel out by its order, or the ejection after
    /// the last.
    #[inline]
    pub(crate) fn local_output(&self, router: u32, local: u32) -> u32 {
        let ivc = self.wiring.first_ivc(router) + local;
        let output = self.state.inputs[ivc as usize].output;
        let channels = self.network.outgoing(flitsim_topology::NodeId(router));
        if output == EJECT {
            channels.end - channels.start
        } else {
            self.wiring.channel_of(output).0 - channels.start
        }
    }

    /// Whether `output` takes any number of flits a cycle.
    #[inline]
    pub(crate) fn is_unlimited(&self, router: u32, output: u32) -> bool {
        self.config.ejection == Port::Unlimited && {
            let channels = self.network.outgoing(flitsim_topology::NodeId(router));
            output == channels.end - channels.start
        }
    }

    /// The round-robin pointer of a router's local output.
    #[inline]
    pub(crate) fn output_pointer(&mut self, router: u32, output: u32) -> &mut u16 {
        let channels = self.network.outgoing(flitsim_topology::NodeId(router));
        &mut self.state.pointers.outputs[(channels.start + router + output) as usize]
    }
}

/// How far `position` is ahead of `pointer`, going round: smaller comes first.
#[inline]
pub(crate) fn cyclic_distance(pointer: u32, position: u32) -> u32 {
    const ROUND: u32 = 1 << 16;
    if position >= pointer {
        position - pointer
    } else {
        position + ROUND - pointer
    }
}
