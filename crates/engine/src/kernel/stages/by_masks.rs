//! Switch allocation where all input virtual channels of a router fit two words and its inputs are its
//! ports: the separable allocators and iSLIP of `switch`, with round-robin arbiters, on bids as bits. No
//! pointer ever stands within a port, so the first bit from a pointer on is of the first input. Ways that packets keep are
//! masks, too.

use super::mask::Mask;
use super::switch::CYCLE_BITS;
use crate::Probe;
use crate::config::Matching;
use crate::kernel::active::for_each_member;
use crate::kernel::bits::{cyclic_distance, ones};
use crate::kernel::engine::Here;
use crate::kernel::partition::Partition;
use crate::kernel::parts::Parts;
use crate::kernel::staged::Stages;
use crate::kernel::state::lane_into;
use crate::kernel::wiring::{EJECT, NONE};

impl<P: Probe, E: Partition> Parts<'_, P, E> {
    /// In every router where flits bid, the winners leave.
    pub(super) fn switch_in_stages_by_masks(self, stages: &mut Stages) {
        let input_first = stages.switch_matching == Matching::SeparableInputFirst;
        match (self.wiring.words, input_first) {
            (1, true) => self.switch_all_in_stages::<u64, true>(stages),
            (1, false) => self.switch_all_in_stages::<u64, false>(stages),
            (_, true) => self.switch_all_in_stages::<u128, true>(stages),
            (_, false) => self.switch_all_in_stages::<u128, false>(stages),
        }
    }

    #[inline(never)]
    fn switch_all_in_stages<M: Mask, const INPUT_FIRST: bool>(mut self, stages: &mut Stages) {
        debug_assert_eq!(self.wiring.words, M::WORDS);
        let rounds = match stages.switch_matching {
            Matching::Islip { iterations } => iterations,
            _ => 1,
        };
        for_each_member!(self.requesting, router => {
            self.switch_router_in_stages::<M, INPUT_FIRST>(stages, router, rounds);
        });
    }

    #[inline(always)]
    fn switch_router_in_stages<M: Mask, const INPUT_FIRST: bool>(
        &mut self,
        stages: &mut Stages,
        router: u32,
        rounds: u32,
    ) {
        let first_word = router as usize * M::WORDS;
        let here = Here {
            words: M::WORDS,
            ..Here::new(router, first_word, self.wiring, &self.routers[first_word])
        };
        let guesses = M::of_words(|word| stages.speculating[first_word + word]);
        let bids = guesses | M::of_words(|word| self.routers[first_word + word].requesting);
        stages.speculating[here.own_words()].fill(0);
        // Who keeps a way has it, and others bid for its input or its output in vain.
        let kept = self.take_kept(stages, here);
        let put = match kept == M::NONE {
            true => bids,
            false => self.rest_of(stages, here, bids, kept),
        };
        // Those of the first round have had their turn. Whoever matches them, one alone wins.
        let first = match put.beyond_first() == M::NONE {
            true => put,
            false => self.round::<M, INPUT_FIRST>(stages, here, put, guesses),
        };
        let mut winners = first | kept;
        for _ in 1..rounds {
            let rest = self.rest_of(stages, here, bids, winners);
            winners |= self.round::<M, INPUT_FIRST>(stages, here, rest, guesses);
        }
        for word in 0..M::WORDS {
            let masks = [bids, guesses, first, winners, kept].map(|mask| mask.word(word));
            self.routers[first_word + word].requesting = self.let_leave(stages, here, word, masks);
        }
        let words = here.own_words();
        if stages.sharing.is_on() {
            let withdrawn = M::of_wide(stages.sharing.take_withdrawn());
            for (word, router) in self.routers[words.clone()].iter_mut().enumerate() {
                router.requesting &= !withdrawn.word(word);
            }
        }
        let is_idle = self.routers[words.clone()]
            .iter()
            .all(|r| r.requesting == 0);
        if is_idle && !stages.keeps_ways(words) {
            self.requesting.remove(router);
        }
    }

    /// Of the local ivcs of a word, the winners leave. Those that request then.
    #[inline(always)]
    fn let_leave(
        &mut self,
        stages: &mut Stages,
        here: Here,
        word: usize,
        [bids, guesses, first, winners, kept]: [u64; 5],
    ) -> u64 {
        let [mut requesting, mut left] = [bids & !guesses, 0u64];
        for bit in ones(winners) {
            let local = word as u32 * 64 + bit;
            if first >> bit & 1 == 1 {
                self.has_had_its_turn_by_masks(stages, here, local);
            }
            // A guess leaves only if it got a virtual channel with room, a kept way only if there is room; other bids
            // have it.
            let may_fail = (guesses | kept) >> bit & 1 == 1;
            debug_assert!(may_fail || self.has_got_room(here, local));
            if !may_fail || self.has_got_room(here, local) {
                left |= 1 << bit;
                requesting &= !(1 << bit);
                requesting |= u64::from(self.depart(stages, here, local)) << bit;
            }
        }
        // Who guessed and is still there bids like any other from now on.
        for bit in ones(guesses & !left) {
            let has_room = self.has_got_room(here, word as u32 * 64 + bit);
            requesting |= u64::from(has_room) << bit;
        }
        requesting
    }

    /// Those that keep their way through the switch, this once.
    #[inline(always)]
    fn take_kept<M: Mask>(&mut self, stages: &mut Stages, here: Here) -> M {
        let Some(holding) = stages.holding.get_mut(here.own_words()) else {
            return M::NONE;
        };
        let kept = M::of_words(|word| holding[word]);
        holding.fill(0);
        *self.progress |= kept != M::NONE;
        kept
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
    fn rest_of<M: Mask>(&self, stages: &Stages, here: Here, bids: M, winners: M) -> M {
        let out = |local: u32| stages.out[here.ivc(local) as usize];
        let outputs = winners
            .ones()
            .fold(0u64, |outputs, local| outputs | 1 << out(local));
        let is_left = |&local: &u32| {
            winners & M::port(self.ports, local) == M::NONE && outputs >> out(local) & 1 == 0
        };
        M::union(bids.ones().filter(is_left))
    }

    /// Every output takes one of the bids put to it, and every input one of those taken, or the other way
    /// round. Bids that are no guess come first, but with iSLIP.
    #[inline(always)]
    fn round<M: Mask, const INPUT_FIRST: bool>(
        &self,
        stages: &Stages,
        here: Here,
        bids: M,
        guesses: M,
    ) -> M {
        let last = match stages.switch_matching {
            Matching::Islip { .. } => M::NONE,
            _ => guesses,
        };
        let put = match INPUT_FIRST {
            true => self.one_of_each_input(stages, here, bids, guesses, last),
            false => bids,
        };
        let out = |local: u32| stages.out[here.ivc(local) as usize] & 63;
        let [mut wanted, mut contested] = [0u64; 2];
        for local in put.ones() {
            let output = 1 << out(local);
            contested |= wanted & output;
            wanted |= output;
        }
        let mut taken = put;
        for output in ones(contested) {
            let bids = M::union(put.ones().filter(|&local| u32::from(out(local)) == output));
            let pointer = self.out_pointers[(here.first_pointer + output) as usize];
            debug_assert_eq!(u32::from(pointer) & (self.wiring.vcs() - 1), 0);
            let best = sooner(bids, last);
            let first = best.first_from(u32::from(pointer));
            let of_input = match INPUT_FIRST {
                true => M::bit(first),
                false => best & M::port(self.ports, first),
            };
            taken &= !bids;
            taken |= match of_input.beyond_first() == M::NONE {
                true => of_input,
                false => self.least(of_input, |local| self.waited(here, local, guesses)),
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
    fn one_of_each_input<M: Mask>(
        &self,
        stages: &Stages,
        here: Here,
        bids: M,
        guesses: M,
        last: M,
    ) -> M {
        let mut several = bids.beyond_first_of_ports(self.ports);
        let mut chosen = bids;
        while several != M::NONE {
            let port = M::port(self.ports, several.first());
            several &= !port;
            let turn = stages.input_turns[here.ivc(port.first()) as usize];
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
    fn least<M: Mask>(&self, bids: M, key: impl Fn(u32) -> u64) -> M {
        let least = bids.ones().min_by_key(|&local| key(local));
        least.map_or(M::NONE, M::bit)
    }

    /// The least of these has waited longest; who guesses comes last.
    fn waited<M: Mask>(&self, here: Here, local: u32, guesses: M) -> u64 {
        let served = self.served[here.ivc(local) as usize];
        u64::from(guesses.has(local)) << CYCLE_BITS | served
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
fn sooner<M: Mask>(bids: M, last: M) -> M {
    match bids & !last {
        none if none == M::NONE => bids,
        sooner => sooner,
    }
}
