//! Allocate the switch: which of the flits that request leave in this cycle, at most one an output
//! channel, and one an input port where the crossbar has one way in for each.
//!
//! Separable and input first (Dally & Towles, section 19.3): each input puts one request forward, each
//! output takes one of those put to it.

use crate::kernel::active::for_each_member;
use crate::kernel::bits::cyclic_distance;
use crate::kernel::engine::Here;
use crate::kernel::partition::Partition;
use crate::kernel::parts::Parts;
use crate::kernel::state::{Nearest, Request, lane_into};
use crate::kernel::wiring::{NONE, Wiring};
use crate::random::Purpose;
use crate::{Allocator, Crossbar, Port, Probe};

impl<P: Probe, E: Partition> Parts<'_, P, E> {
    /// In every router where flits request, the winners leave. What they change elsewhere decides nothing
    /// before the next cycle: see the README beside the phases.
    #[inline(never)]
    pub(super) fn switch<const PLAIN: bool>(mut self) {
        for_each_member!(self.requesting, router => {
            let here = self.here(router);
            self.allocate_switch(here);
            self.traverse::<PLAIN>(here);
        });
    }

    /// Fills `moves` with the ivcs of a router whose front flit leaves.
    #[inline]
    fn allocate_switch(&mut self, here: Here) {
        debug_assert!(self.moves.is_empty());
        match self.config.allocator {
            Allocator::Islip { iterations } => self.allocate_islip(here, iterations),
            Allocator::RoundRobin => self.allocate_separable::<true>(here),
            Allocator::Random | Allocator::OldestFirst => self.allocate_separable::<false>(here),
        }
    }

    #[inline]
    fn allocate_separable<const ROUND_ROBIN: bool>(&mut self, here: Here) {
        let vcs = self.wiring.vcs();
        for word in 0..here.words {
            let mut requests = self.requests(here, word);
            while requests != 0 {
                let first = requests.trailing_zeros() & !(vcs - 1);
                let port_requests = requests >> first & self.wiring.port_mask;
                requests &= !(self.wiring.port_mask << first);
                let position = word as u32 * 64 + first;
                if self.has_way_for_each_vc(here, position) {
                    let mut rest = port_requests;
                    while rest != 0 {
                        let local = position + rest.trailing_zeros();
                        rest &= rest - 1;
                        self.put_forward::<ROUND_ROBIN>(here, local, local, local + 1);
                    }
                } else {
                    let vc = self.pick_vc::<ROUND_ROBIN>(here, position, port_requests);
                    self.put_forward::<ROUND_ROBIN>(here, position + vc, position, position + vcs);
                }
            }
        }
        while let Some(output) = self.switch.touched.pop() {
            let output = u32::from(output);
            if ROUND_ROBIN {
                let nearest = &mut self.switch.nearest[output as usize];
                let winner = std::mem::replace(nearest, Nearest::NONE);
                *self.output_pointer(here, output) = winner.next();
                self.leave(here, winner.local());
            } else {
                let best = &mut self.switch.best[output as usize];
                let winner = std::mem::replace(best, Request::NONE);
                self.leave(here, winner.local);
            }
        }
    }

    /// The requests of word `word` of the router that their channel can take in this cycle.
    #[inline]
    pub(crate) fn requests(&mut self, here: Here, word: usize) -> u64 {
        let requesting = self.routers[here.first_word + word].requesting;
        if self.next_free.is_empty() {
            return requesting;
        }
        let requests = self.requests_in_time(here, word, requesting);
        *self.progress |= requests != requesting;
        requests
    }

    /// Whether each virtual channel of the port at local ivc `position` is an input of the switch.
    #[inline]
    pub(crate) fn has_way_for_each_vc(&self, here: Here, position: u32) -> bool {
        self.config.crossbar == Crossbar::Vc
            || self.config.injection == Port::Unlimited && {
                let lane = lane_into(self.inputs, here.ivc(position), self.wiring);
                self.wiring.is_injection(lane)
            }
    }

    /// The virtual channel that the port at `position` puts forward, of those that request.
    #[inline]
    fn pick_vc<const ROUND_ROBIN: bool>(&self, here: Here, position: u32, requests: u64) -> u32 {
        if ROUND_ROBIN {
            return self.next_in_turn(here, position, requests);
        }
        let mut rest = requests;
        let mut best = (Request::NONE.key, 0);
        while rest != 0 {
            let vc = rest.trailing_zeros();
            rest &= rest - 1;
            best = best.min((self.key(here, position + vc, Purpose::SwitchInput), vc));
        }
        best.1
    }

    /// Of the virtual channels `requests` of the port at `position`, the next in turn.
    #[inline]
    pub(crate) fn next_in_turn(&self, here: Here, position: u32, requests: u64) -> u32 {
        if !self.served.is_empty() {
            return least_recent(self.served, here.ivc(position), requests);
        }
        let word = here.first_word + (position >> 6) as usize;
        let ahead = requests & self.routers[word].ahead >> (position & 63);
        (if ahead != 0 { ahead } else { requests }).trailing_zeros()
    }

    /// The input at `position` puts the request of local ivc `local` to its output.
    #[inline(always)]
    fn put_forward<const ROUND_ROBIN: bool>(
        &mut self,
        here: Here,
        local: u32,
        position: u32,
        next: u32,
    ) {
        let output = self.local_output(here, local);
        if output == here.ejection && self.config.ejection == Port::Unlimited {
            self.leave(here, local);
            return;
        }
        if ROUND_ROBIN {
            let pointer = u32::from(*self.output_pointer(here, output));
            let request = Nearest::new(cyclic_distance(pointer, position), local, next);
            let switch = &mut *self.switch;
            let nearest = &mut switch.nearest[output as usize];
            if *nearest == Nearest::NONE {
                switch.touched.push(output as u16);
            }
            *nearest = request.min(*nearest);
            return;
        }
        let key = self.key(here, local, Purpose::SwitchOutput);
        let switch = &mut *self.switch;
        let best = &mut switch.best[output as usize];
        if best.local == NONE {
            switch.touched.push(output as u16);
        }
        if key < best.key {
            *best = Request {
                key,
                local,
                output,
                position,
                next,
            };
        }
    }

    /// The front flit of local ivc `local` leaves in this cycle.
    #[inline]
    pub(crate) fn leave(&mut self, here: Here, local: u32) {
        self.moves.push(here.ivc(local));
    }

    /// The output that local ivc `local` holds: a channel out by its order, or the ejection.
    #[inline]
    pub(crate) fn local_output(&self, here: Here, local: u32) -> u32 {
        let lane = lane_into(self.inputs, here.ivc(local), self.wiring);
        let output = self.lanes[lane as usize].output;
        debug_assert_ne!(output, NONE, "only what has an output requests");
        local_output(here, self.wiring, output)
    }

    /// The round-robin pointer of a router's local output.
    #[inline]
    pub(crate) fn output_pointer(&mut self, here: Here, output: u32) -> &mut u16 {
        &mut self.out_pointers[(here.first_pointer + output) as usize]
    }
}

/// Of the virtual channels `requests` of the port whose first ivc is `first`, the least recently served.
///
/// A pointer passes who does not request at the moment. Where channels take a flit every few cycles only,
/// that can be the same whenever the pointer comes by: the turns of a port are by age there.
pub(super) fn least_recent(served: &[u64], first: u32, mut requests: u64) -> u32 {
    let mut best = (u64::MAX, 0);
    while requests != 0 {
        let vc = requests.trailing_zeros();
        requests &= requests - 1;
        best = best.min((served[(first + vc) as usize], vc));
    }
    best.1
}

/// The number of `output` at its router.
#[inline(always)]
pub(super) fn local_output(here: Here, wiring: Wiring, output: u32) -> u32 {
    // The name of the ejection is past all channels.
    (wiring.channel_of(output).0 - here.first_channel).min(here.ejection)
}
