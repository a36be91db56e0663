//! Switch allocation where all input virtual channels of a router fit a word and its inputs are its
//! ports: the separable allocators and iSLIP of `switch`, with round-robin arbiters, on bids as bits. No
//! pointer ever stands within a port, so the first bit from a pointer on is of the first input.

use super::switch::CYCLE_BITS;
use crate::Probe;
use crate::config::Matching;
use crate::kernel::active::for_each_member;
use crate::kernel::bits::{cyclic_distance, first_from, ones};
use crate::kernel::engine::Here;
use crate::kernel::partition::Partition;
use crate::kernel::parts::Parts;
use crate::kernel::staged::Stages;
use crate::kernel::state::lane_into;
use crate::kernel::wiring::{EJECT, NONE};

impl<P: Probe, E: Partition> Parts<'_, P, E> {
    /// In every router where flits bid, the winners leave.
    pub(super) fn switch_in_stages_by_masks(self, stages: &mut Stages) {
        match stages.switch_matching {
            Matching::SeparableInputFirst => self.switch_all_in_stages::<true>(stages),
            _ => self.switch_all_in_stages::<false>(stages),
        }
    }

    #[inline(never)]
    fn switch_all_in_stages<const INPUT_FIRST: bool>(mut self, stages: &mut Stages) {
        let rounds = match stages.switch_matching {
            Matching::Islip { iterations } => iterations,
            _ => 1,
        };
        for_each_member!(self.requesting, router => {
            self.switch_router_in_stages::<INPUT_FIRST>(stages, router, rounds);
        });
    }

    #[inline(always)]
    fn switch_router_in_stages<const INPUT_FIRST: bool>(
        &mut self,
        stages: &mut Stages,
        router: u32,
        rounds: u32,
    ) {
        let state = &self.routers[router as usize];
        let here = Here::new(router, router as usize, self.wiring, state);
        let guesses = std::mem::take(&mut stages.speculating[router as usize]);
        let bids = state.requesting | guesses;
        // Those of the first round have had their turn. Whoever matches them, one alone wins.
        let first = match bids & bids.wrapping_sub(1) {
            0 => bids,
            _ => self.round::<INPUT_FIRST>(stages, here, bids, guesses),
        };
        let mut winners = first;
        let [mut requesting, mut left] = [bids & !guesses, 0];
        for _ in 1..rounds {
            let rest = self.rest_of(stages, here, bids, winners);
            winners |= self.round::<INPUT_FIRST>(stages, here, rest, guesses);
        }
        for local in ones(winners) {
            if first >> local & 1 == 1 {
                self.has_had_its_turn_by_masks(stages, here, local);
            }
            // Who guessed has to have got a virtual channel, with room; who did not has it.
            let is_guess = guesses >> local & 1 == 1;
            debug_assert!(is_guess || self.has_got_room(here, local));
            if !is_guess || self.has_got_room(here, local) {
                left |= 1 << local;
                requesting &= !(1 << local);
                requesting |= u64::from(self.depart(stages, here, local)) << local;
            }
        }
        // Who guessed and is still there bids like any other from now on.
        for local in ones(guesses & !left) {
            requesting |= u64::from(self.has_got_room(here, local)) << local;
        }
        if stages.sharing.is_on() {
            requesting &= !stages.sharing.take_withdrawn();
        }
        self.routers[router as usize].requesting = requesting;
        if requesting == 0 {
            self.requesting.remove(router);
        }
    }

    /// Whether the front flit of local ivc `local` has an output with room.
    pub(super) fn has_got_room(&self, here: Here, local: u32) -> bool {
        let lane = lane_into(self.inputs, here.ivc(local), self.wiring);
        match self.lanes[lane as usize].output {
            NONE => false,
            EJECT => true,
            output => self.lanes[output as usize].sender.credits() > 0,
        }
    }

    /// Of `bids` those whose input and output none of `winners` has.
    fn rest_of(&self, stages: &Stages, here: Here, bids: u64, winners: u64) -> u64 {
        let out = |local: u32| stages.out[here.ivc(local) as usize];
        let outputs = ones(winners).fold(0u64, |outputs, local| outputs | 1 << out(local));
        let is_left =
            |local: u32| winners & self.ports.of(local) == 0 && outputs >> out(local) & 1 == 0;
        ones(bids).fold(0, |rest, local| rest | u64::from(is_left(local)) << local)
    }

    /// Every output takes one of the bids put to it, and every input one of those taken, or the other way
    /// round. Bids that are no guess come first, but with iSLIP.
    #[inline(always)]
    fn round<const INPUT_FIRST: bool>(
        &self,
        stages: &Stages,
        here: Here,
        bids: u64,
        guesses: u64,
    ) -> u64 {
        let last = match stages.switch_matching {
            Matching::Islip { .. } => 0,
            _ => guesses,
        };
        let put = match INPUT_FIRST {
            true => self.one_of_each_input(stages, here, bids, guesses, last),
            false => bids,
        };
        let out = |local: u32| stages.out[here.ivc(local) as usize] & 63;
        let [mut wanted, mut contested] = [0u64; 2];
        for local in ones(put) {
            let output = 1 << out(local);
            contested |= wanted & output;
            wanted |= output;
        }
        let mut taken = put;
        for output in ones(contested) {
            let bids = ones(put).filter(|&local| u32::from(out(local)) == output);
            let bids = bids.fold(0, |bids, local| bids | 1 << local);
            let pointer = self.out_pointers[(here.first_pointer + output) as usize];
            debug_assert_eq!(u32::from(pointer) & (self.wiring.vcs() - 1), 0);
            let best = sooner(bids, last);
            let first = first_from(best, u32::from(pointer) & 63);
            let of_input = match INPUT_FIRST {
                true => 1 << first,
                false => best & self.ports.of(first),
            };
            taken &= !bids;
            taken |= match of_input & (of_input - 1) {
                0 => of_input,
                _ => self.least(of_input, |local| self.waited(here, local, guesses)),
            };
        }
        match INPUT_FIRST {
            true => taken,
            false => self.one_of_each_input(stages, here, taken, guesses, last),
        }
    }

    /// Of each input, the bid for the output next in turn; of the virtual channels that bid for it the
    /// one served longest ago.
    #[inline(always)]
    fn one_of_each_input(
        &self,
        stages: &Stages,
        here: Here,
        bids: u64,
        guesses: u64,
        last: u64,
    ) -> u64 {
        let mut several = self.ports.beyond_first(bids);
        let mut chosen = bids;
        while several != 0 {
            let port = self.ports.of(several.trailing_zeros());
            several &= !port;
            let turn = stages.input_turns[here.ivc(port.trailing_zeros()) as usize];
            let key = |local: u32| {
                let out = stages.out[here.ivc(local) as usize];
                let ahead = cyclic_distance(u32::from(turn), u32::from(out));
                u64::from(ahead) << (CYCLE_BITS + 1) | self.waited(here, local, guesses)
            };
            chosen = chosen & !port | self.least(sooner(bids & port, last), key);
        }
        chosen
    }

    /// The bit of `bids` of which `key` is least.
    fn least(&self, bids: u64, key: impl Fn(u32) -> u64) -> u64 {
        let least = ones(bids).min_by_key(|&local| key(local));
        least.map_or(0, |local| 1 << local)
    }

    /// The least of these has waited longest; who guesses comes last.
    fn waited(&self, here: Here, local: u32, guesses: u64) -> u64 {
        let served = self.served[here.ivc(local) as usize];
        (guesses >> local & 1) << CYCLE_BITS | served
    }

    /// Local ivc `local` has won in the first round.
    #[inline(always)]
    fn has_had_its_turn_by_masks(&mut self, stages: &mut Stages, here: Here, local: u32) {
        let out = stages.out[here.ivc(local) as usize];
        let port = local & !(self.wiring.vcs() - 1);
        let pointer = &mut self.out_pointers[(here.first_pointer + u32::from(out)) as usize];
        *pointer = (port + self.wiring.vcs()) as u16;
        stages.input_turns[here.ivc(port) as usize] = out + 1;
    }
}

/// Of `bids` those that are not `last`; all where none are.
fn sooner(bids: u64, last: u64) -> u64 {
    match bids & !last {
        0 => bids,
        sooner => sooner,
    }
}
