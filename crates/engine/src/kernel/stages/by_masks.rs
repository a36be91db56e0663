//! Switch allocation where all input virtual channels of a router fit two words and its inputs are its
//! ports: the separable allocators and iSLIP of `switch`, with round-robin arbiters, on bids as bits. No
//! pointer ever stands within a port, so the first bit from a pointer on is of the first input. Ways that packets keep are
//! masks, too.

use super::mask::Mask;
use super::switch::{CYCLE_BITS, has_got_room};
use super::ways::Ways;
use crate::Probe;
use crate::config::Matching;
use crate::kernel::active::{ActiveSet, for_each_member};
use crate::kernel::bits::{Ports, cyclic_distance, ones};
use crate::kernel::engine::Here;
use crate::kernel::lane::Lane;
use crate::kernel::partition::Partition;
use crate::kernel::parts::Parts;
use crate::kernel::staged::Stages;
use crate::kernel::state::{Router, lane_into};
use crate::kernel::wiring::Wiring;

impl<P: Probe, E: Partition> Parts<'_, P, E> {
    /// In every router where flits bid, the winners leave. All are found first: what leaves one router decides nothing
    /// in another.
    pub(super) fn switch_in_stages_by_masks(mut self, stages: &mut Stages) {
        let mut moves = std::mem::take(&mut stages.scratch.moves);
        self.switch_allocation().find_all(stages, &mut moves);
        self.all_depart(stages, moves);
    }

    #[inline(always)]
    pub(super) fn switch_allocation(&mut self) -> SwitchAllocation<'_> {
        let ways = self.ways();
        SwitchAllocation {
            ways,
            wiring: self.wiring,
            ports: self.ports,
            lanes: self.lanes,
            inputs: self.inputs,
            routers: self.routers,
            out_pointers: self.out_pointers,
            served: self.served,
            requesting: self.requesting,
            progress: self.progress,
        }
    }
}

/// What finding the winners touches, each part by a reference of its own: see `parts`. Neither probes nor parts of a
/// network are in it, so that it is compiled once.
pub(super) struct SwitchAllocation<'a> {
    pub(super) wiring: Wiring,
    ports: &'a Ports,
    lanes: &'a [Lane],
    inputs: &'a [u32],
    pub(super) routers: &'a mut [Router],
    pub(super) out_pointers: &'a mut [u16],
    served: &'a mut [u64],
    pub(super) ways: Ways,
    pub(super) requesting: &'a mut ActiveSet,
    progress: &'a mut bool,
}

impl SwitchAllocation<'_> {
    /// The ivcs that win in every router where flits bid.
    fn find_all(mut self, stages: &mut Stages, moves: &mut Vec<u32>) {
        // Whether a bid may be a guess, or an input keep its way.
        let may_fail = stages.timing.speculates_after.is_some() || !stages.holding.is_empty();
        match (self.wiring.words, may_fail) {
            (1, false) => self.find_winners::<u64, false>(stages, moves),
            (1, true) => self.find_winners::<u64, true>(stages, moves),
            (_, false) => self.find_winners::<u128, false>(stages, moves),
            (_, true) => self.find_winners::<u128, true>(stages, moves),
        }
    }

    #[inline(never)]
    fn find_winners<M: Mask, const MAY_FAIL: bool>(
        &mut self,
        stages: &mut Stages,
        moves: &mut Vec<u32>,
    ) {
        debug_assert_eq!(self.wiring.words, M::WORDS);
        let rounds = match stages.switch_matching {
            Matching::Islip { iterations } => iterations,
            _ => 1,
        };
        for_each_member!(self.requesting, router => {
            let first_word = router as usize * M::WORDS;
            let here = Here {
                words: M::WORDS,
                ..Here::new(router, first_word, self.wiring, &self.routers[first_word])
            };
            if MAY_FAIL && self.has_any_that_may_fail::<M>(stages, here) {
                self.find_winners_of::<M>(stages, here, rounds, moves);
                continue;
            }
            let bids = M::of_words(|word| self.routers[first_word + word].requesting);
            if MAY_FAIL && bids == M::NONE {
                self.requesting.remove(router);
                continue;
            }
            // Whoever matches the bids, one alone wins.
            let others = bids.beyond_first();
            if others == M::NONE {
                self.wins_in_first_round(stages, here, bids.first(), moves);
                continue;
            }
            if others.beyond_first() == M::NONE {
                let both = [bids.first(), others.first()];
                let one = self.one_of_two(stages, here, both);
                debug_assert!(one.map_or(bids, M::bit) == self.round(stages, here, bids, M::NONE));
                for local in both {
                    if one.is_none_or(|one| one == local) {
                        self.wins_in_first_round(stages, here, local, moves);
                    }
                }
                continue;
            }
            let winners = self.match_rounds(stages, here, [bids, M::NONE, M::NONE], rounds);
            moves.extend(winners.ones().map(|local| here.ivc(local)));
        });
    }

    /// Whether a head guesses here, or an input keeps its way.
    #[inline(always)]
    fn has_any_that_may_fail<M: Mask>(&self, stages: &Stages, here: Here) -> bool {
        let guesses = M::of_words(|word| stages.speculating[here.first_word + word]);
        guesses != M::NONE || stages.keeps_ways(here.own_words())
    }

    /// Local ivc `local`, which is no guess, has won in the first round.
    #[inline(always)]
    fn wins_in_first_round(
        &mut self,
        stages: &mut Stages,
        here: Here,
        local: u32,
        moves: &mut Vec<u32>,
    ) {
        debug_assert!(self.has_got_room(here, local));
        self.has_had_its_turn_by_masks(stages, here, local);
        moves.push(here.ivc(local));
    }

    /// The winner of two bids, lower number first, neither a guess; `None` if both win. All allocators
    /// that work on masks agree.
    #[inline(always)]
    fn one_of_two(&self, stages: &Stages, here: Here, both: [u32; 2]) -> Option<u32> {
        let [out, other_out] = both.map(|local| u32::from(stages.out[here.ivc(local) as usize]));
        let [port, other_port] = both.map(|local| local & !(self.wiring.vcs() - 1));
        let is_second = match (port == other_port, out == other_out) {
            (false, false) => return None,
            (false, true) => {
                let pointer = u32::from(self.out_pointers[(here.first_pointer + out) as usize]);
                both[0] < pointer && pointer <= both[1]
            }
            (true, true) => {
                let [first, second] = both.map(|local| self.turn_of(here, local));
                second < first
            }
            (true, false) => {
                let turn = u32::from(stages.input_turns[here.ivc(port) as usize]);
                cyclic_distance(turn, other_out) < cyclic_distance(turn, out)
            }
        };
        Some(both[usize::from(is_second)])
    }

    /// The winners of a router where heads may guess, or inputs keep their ways.
    #[inline(always)]
    fn find_winners_of<M: Mask>(
        &mut self,
        stages: &mut Stages,
        here: Here,
        rounds: u32,
        moves: &mut Vec<u32>,
    ) {
        let first_word = here.first_word;
        let guesses = M::of_words(|word| stages.speculating[first_word + word]);
        let bids = guesses | M::of_words(|word| self.routers[first_word + word].requesting);
        stages.speculating[here.own_words()].fill(0);
        // Who keeps a way has it, and others bid for its input or its output in vain.
        let kept = self.take_kept(stages, here);
        let winners = self.match_rounds(stages, here, [bids, guesses, kept], rounds);
        // A guess leaves only if it got a virtual channel with room, a kept way only if there is room; other bids
        // have it.
        let has_room = |&local: &u32| self.has_got_room(here, local);
        let may_fail = winners & (guesses | kept);
        let leave = winners & !may_fail | M::union(may_fail.ones().filter(has_room));
        debug_assert!(leave.ones().all(|local| has_room(&local)));
        // Who guessed and is still there bids like any other from now on. Those that leave keep their bits until they
        // have left, so that the router becomes idle only after the last.
        let left = M::union((guesses & !leave).ones().filter(has_room));
        for local in (winners & guesses & !leave).ones() {
            self.guessed_in_vain(stages, here, local);
        }
        let requesting = bids & !guesses | leave | left;
        for word in 0..M::WORDS {
            self.routers[first_word + word].requesting = requesting.word(word);
        }
        if requesting == M::NONE {
            self.requesting.remove(here.router);
        }
        moves.extend(leave.ones().map(|local| here.ivc(local)));
    }

    /// Of `bids`, of which some are guesses, and ways that are kept, those that win.
    #[inline(always)]
    fn match_rounds<M: Mask>(
        &mut self,
        stages: &mut Stages,
        here: Here,
        [bids, guesses, kept]: [M; 3],
        rounds: u32,
    ) -> M {
        let put = match kept == M::NONE {
            true => bids,
            false => self.rest_of(stages, here, bids, kept),
        };
        // Those of the first round have had their turn.
        let first = match put.beyond_first() == M::NONE {
            true => put,
            false => self.round::<M>(stages, here, put, guesses),
        };
        for local in first.ones() {
            self.has_had_its_turn_by_masks(stages, here, local);
        }
        let mut winners = first | kept;
        for _ in 1..rounds {
            let rest = self.rest_of(stages, here, bids, winners);
            winners |= self.round::<M>(stages, here, rest, guesses);
        }
        winners
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

    /// Local ivc `local` has won with a guess and got nothing: it has had its turn, as in BookSim2.
    pub(super) fn guessed_in_vain(&mut self, stages: &Stages, here: Here, local: u32) {
        self.ways
            .has_had_its_turn(self.served, here.ivc(local), stages.now);
    }

    /// The least of an input's virtual channels goes first.
    fn turn_of(&self, here: Here, local: u32) -> u64 {
        self.ways.turn_of(self.served, here.ivc(local))
    }

    pub(super) fn has_got_room(&self, here: Here, local: u32) -> bool {
        has_got_room(
            lane_into(self.inputs, here.ivc(local), self.wiring),
            self.lanes,
        )
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
    fn round<M: Mask>(&self, stages: &Stages, here: Here, bids: M, guesses: M) -> M {
        let last = match stages.switch_matching {
            Matching::Islip { .. } => M::NONE,
            _ => guesses,
        };
        let input_first = stages.switch_matching == Matching::SeparableInputFirst;
        let put = match input_first {
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
            let of_input = match input_first {
                true => M::bit(first),
                false => best & M::port(self.ports, first),
            };
            taken &= !bids;
            taken |= match of_input.beyond_first() == M::NONE {
                true => of_input,
                false => self.least(of_input, |local| self.waited(here, local, guesses)),
            };
        }
        match input_first {
            true => taken,
            false => self.one_of_each_input(stages, here, taken, guesses, last),
        }
    }

    /// Of each input, the bid for the output next in turn; of the virtual channels that bid for it the
    /// one that goes first.
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

    /// The least of an input's goes first; who guesses comes last.
    fn waited<M: Mask>(&self, here: Here, local: u32, guesses: M) -> u64 {
        u64::from(guesses.has(local)) << CYCLE_BITS | self.turn_of(here, local)
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
