//! Switch allocation: flits bid, and are matched with the ways out; among them the heads that bid before
//! they have a virtual channel.

use super::ways::Ways;
use crate::config::{Arbiter, Begins, Matching};
use crate::kernel::active::for_each_member;
use crate::kernel::best::Best;
use crate::kernel::bits::{cyclic_distance, ones};
use crate::kernel::cells::{Cell, Start};
use crate::kernel::deliver::{has_room, requests};
use crate::kernel::engine::Here;
use crate::kernel::lane::Lane;
use crate::kernel::partition::Partition;
use crate::kernel::parts::Parts;
use crate::kernel::rotation::Requests;
use crate::kernel::staged::{Bid, Scratch, Stages};
use crate::kernel::state::lane_into;
use crate::kernel::wiring::NONE;
use crate::random::{Purpose, draw};
use crate::{Crossbar, Port, Probe};
use std::ops::Range;

/// A cycle fits so many bits: it goes behind what is compared first, or before a local ivc.
pub(super) const CYCLE_BITS: u32 = 46;
const LOCAL_BITS: u32 = 16;

impl<P: Probe, E: Partition> Parts<'_, P, E> {
    /// In every router where flits bid, the winners leave.
    pub(super) fn switch_in_stages(mut self, stages: &mut Stages) {
        if stages.by_masks {
            return self.switch_in_stages_by_masks(stages);
        }
        if !self.tells_who_meets(stages) {
            for_each_member!(self.requesting, router => self.switch_at(stages, self.here(router)));
            return;
        }
        // All are found first: what leaves one router decides nothing in another.
        let Scratch {
            moves, contested, ..
        } = &mut stages.scratch;
        let [mut moves, mut contested] = [moves, contested].map(std::mem::take);
        let rotates = stages.switch_begins == Begins::OneFurther;
        let rows_a_port = rotates.then(|| self.rows_a_port());
        let allocation = self.switch_allocation();
        allocation.find_uncontested(stages, rows_a_port, &mut moves, &mut contested);
        for router in contested.drain(..) {
            self.find_winners_at(stages, self.here(router), &mut moves);
        }
        stages.scratch.contested = contested;
        self.all_depart(stages, moves);
    }

    /// The winners of a router leave.
    fn switch_at(&mut self, stages: &mut Stages, here: Here) {
        let mut winners = self.match_bids(stages, here);
        for &local in &winners {
            if self.can_leave(stages, here, local) {
                self.depart::<false>(stages, here.ivc(local));
            } else {
                self.won_in_vain(stages, here, local);
            }
        }
        stages.end_guesses(here);
        winners.clear();
        stages.scratch.winners = winners;
        self.rest_if_idle(stages, here);
    }

    /// The winners of a router that can leave are added to `moves`.
    fn find_winners_at(&mut self, stages: &mut Stages, here: Here, moves: &mut Vec<u32>) {
        let mut winners = self.match_bids(stages, here);
        let found = moves.len();
        for &local in &winners {
            if self.can_leave(stages, here, local) {
                // Also one that was a guess: until it has left its router does not rest.
                requests(here.ivc(local), self.routers, self.wiring, self.requesting);
                moves.push(here.ivc(local));
            } else {
                self.won_in_vain(stages, here, local);
            }
        }
        stages.end_guesses(here);
        winners.clear();
        stages.scratch.winners = winners;
        if moves.len() == found {
            self.rest_if_idle(stages, here);
        }
    }

    /// Local ivc `local` has won and cannot leave.
    fn won_in_vain(&mut self, stages: &Stages, here: Here, local: u32) {
        let word = here.first_word + (local >> 6) as usize;
        if stages.speculating[word] >> (local & 63) & 1 == 1 {
            let mut allocation = self.switch_allocation();
            allocation.guessed_in_vain(stages, here, local);
        }
    }

    /// A router where nothing bids any more is not looked at.
    fn rest_if_idle(&mut self, stages: &Stages, here: Here) {
        let words = here.own_words();
        let is_idle = self.routers[words.clone()]
            .iter()
            .all(|r| r.requesting == 0);
        if is_idle && !stages.keeps_ways(words) {
            self.requesting.remove(here.router);
        }
    }

    /// Whether the flit at the front of local ivc `local`, which has the switch, can go: the head that bid
    /// before it had a virtual channel, only if it has got one with room; one for which the way was kept,
    /// if there is room and the channel takes it.
    fn can_leave(&self, stages: &Stages, here: Here, local: u32) -> bool {
        let out = u32::from(stages.out[here.ivc(local) as usize]);
        has_got_room(
            lane_into(self.inputs, here.ivc(local), self.wiring),
            self.lanes,
        ) && self.is_in_time(stages, here, out)
    }

    /// Whether a flit can leave by `output` in this cycle: its channel takes it, or the queue before that.
    fn is_in_time(&self, stages: &Stages, here: Here, output: u32) -> bool {
        let channel = (here.first_channel + output) as usize;
        output == here.ejection
            || stages.has_queues
            || self
                .next_free
                .get(channel)
                .is_none_or(|&free| free <= self.cycle)
    }

    /// Who keeps a way through the switch has it; other bids for its input or its output are in vain: in this
    /// cycle, so that it is not one of those in which nothing can ever move again.
    fn keep_ways(&mut self, stages: &mut Stages, here: Here, bids: &mut Vec<Bid>) {
        for word in 0..here.words {
            let Some(holding) = stages.holding.get_mut(here.first_word + word) else {
                return;
            };
            let locals = ones(std::mem::take(holding)).map(|bit| word as u32 * 64 + bit);
            stages.scratch.winners.extend(locals);
        }
        *self.progress |= !stages.scratch.winners.is_empty();
        self.withdraw_bids(stages, here, bids);
    }

    /// Leaves the bids whose input and output no winner has.
    fn withdraw_bids(&self, stages: &Stages, here: Here, bids: &mut Vec<Bid>) {
        let winners = &stages.scratch.winners;
        bids.retain(|bid| {
            winners.iter().all(|&winner| {
                let output = u32::from(stages.out[here.ivc(winner) as usize]);
                let won = self.bid_of(here, winner, output);
                let is_output = won.way_out == bid.way_out;
                won.position != bid.position && (!is_output || self.takes_all(here, bid.output))
            })
        });
    }

    /// Matches the bids: the local ivcs that win.
    fn match_bids(&mut self, stages: &mut Stages, here: Here) -> Vec<u32> {
        let mut bids = std::mem::take(&mut stages.scratch.bids);
        self.collect_bids(stages, here, &mut bids);
        if !stages.holding.is_empty() {
            self.keep_ways(stages, here, &mut bids);
        }
        self.take_uncontested(stages, here, &mut bids);
        if stages.switch_matching.looks_at_all() {
            self.match_at_once(stages, here, &bids);
            bids.clear();
        }
        let draws_starts = stages.switch_begins == Begins::AtDrawnPlaces;
        let rounds = match stages.switch_matching {
            Matching::Islip { iterations } | Matching::Pim { iterations } => iterations,
            _ => 1,
        };
        let input_first = stages.switch_matching == Matching::SeparableInputFirst;
        for round in 0..rounds {
            if bids.is_empty() {
                break;
            }
            // Who draws places draws others in every round.
            if round == 0 || draws_starts {
                for bid in &mut bids {
                    *bid = self.with_keys(stages, here, *bid, round);
                }
            }
            if input_first {
                if self.config.input_speedup > 1 {
                    bids.sort_unstable_by_key(|bid| (bid.position, bid.local));
                }
                self.keep_one_each(&mut bids);
            }
            self.match_once(stages, here, &bids, round == 0);
            if round + 1 < rounds {
                self.withdraw_bids(stages, here, &mut bids);
            }
        }
        bids.clear();
        stages.scratch.bids = bids;
        let mut winners = std::mem::take(&mut stages.scratch.winners);
        if self.config.output_speedup > 1 {
            // In this order they stand in the queues.
            winners.sort_unstable();
        }
        winners
    }

    /// Whoever matches `bids`, one that no other meets at its input or its output wins: the others are left.
    fn take_uncontested(&mut self, stages: &mut Stages, here: Here, bids: &mut Vec<Bid>) {
        let wiring = self.wiring;
        // Inputs, and outputs, that share a bit count as one.
        let bits_of = |bid: &Bid| {
            let input = wiring.port_of(bid.position) + 8 * wiring.vc_of(bid.position);
            [input, bid.way_out].map(|place| 1u64 << (place & 63))
        };
        let [mut met, mut contested] = [[0u64; 2]; 2];
        for bid in &*bids {
            for (side, bit) in bits_of(bid).into_iter().enumerate() {
                contested[side] |= met[side] & bit;
                met[side] |= bit;
            }
        }
        // An allocator that looks at all goes by where it begins, whoever meets whom.
        let looks_at_all = stages.switch_matching.looks_at_all();
        if looks_at_all && (contested != [0; 2] || stages.switch_begins == Begins::OneFurther) {
            return;
        }
        bids.retain(|&bid| {
            let [input, output] = bits_of(&bid);
            let is_met = contested[0] & input | contested[1] & output != 0;
            if !is_met {
                stages.scratch.winners.push(bid.local);
                self.ways()
                    .move_turns(self.out_pointers, stages, here, &bid);
            }
            is_met
        });
    }

    /// Matches `bids` by an allocator that looks at all of them: who was served longest ago, or is next of its input, has
    /// waited longest.
    fn match_at_once(&mut self, stages: &mut Stages, here: Here, bids: &[Bid]) {
        let turns = self.ways();
        let matching = stages.switch_matching;
        let rotates = stages.switch_begins == Begins::OneFurther;
        let vc_bits = self.wiring.vcs() - 1;
        let ways = self.config.input_speedup.min(vc_bits + 1);
        let ways_out = self.config.output_speedup;
        let row_of = |position: u32| match self.config.crossbar {
            Crossbar::Vc => position,
            Crossbar::Port => self.wiring.port_of(position) * ways + (position & vc_bits),
        };
        for bid in bids {
            let row = row_of(bid.position);
            let waited = turns.turn_of(self.served, here.ivc(bid.local));
            let numbers = match rotates {
                false => [row, bid.way_out],
                true => self.numbers_of_ways(stages, here, bid),
            };
            stages.scratch.cells.all.push(Cell {
                order: [bid.is_guess << 63 | waited, u64::from(bid.local)],
                row,
                column: match self.takes_all(here, bid.output) {
                    true => self.wiring.degree_max as u32 * ways_out + row,
                    false => bid.way_out,
                },
                numbers,
                class: 0,
                place: bid.local,
            });
        }
        let start = match rotates {
            _ if bids.is_empty() => return,
            true => {
                let each = self.rows_a_port();
                Start::At(stages.rotation.begin(here.router, Requests::Flits, each))
            }
            false => {
                let last = (self.ports_at(here) << self.wiring.vc_shift) - 1;
                let last = match self.config.injection {
                    Port::Unlimited => last,
                    Port::Channel if self.config.crossbar == Crossbar::Vc => last,
                    Port::Channel => (last & !vc_bits) + ways - 1,
                };
                Start::Oldest((row_of(last) + 1).max(self.ports_at(here) * ways_out))
            }
        };
        let Scratch { cells, winners, .. } = &mut stages.scratch;
        cells.choose_by(matching, start, true);
        winners.append(&mut cells.chosen);
    }

    /// Ports in or out of the router, whatever are more.
    pub(super) fn ports_at(&self, here: Here) -> u32 {
        let into = self.network.in_degree(self.partition.node(here.router));
        (into as u32).max(here.ejection) + 1
    }

    /// Whether `output` takes any number of flits a cycle.
    fn takes_all(&self, here: Here, output: u32) -> bool {
        output == here.ejection && self.config.ejection == Port::Unlimited
    }

    fn collect_bids(&mut self, stages: &Stages, here: Here, bids: &mut Vec<Bid>) {
        for word in 0..here.words {
            let speculating = stages.speculating[here.first_word + word];
            let requesting = self.routers[here.first_word + word].requesting;
            for bit in ones(requesting | speculating) {
                let local = word as u32 * 64 + bit;
                let ivc = here.ivc(local);
                let output = u32::from(stages.out[ivc as usize]);
                if !self.is_in_time(stages, here, output) {
                    *self.progress = true;
                    continue;
                }
                let bid = Bid {
                    is_guess: speculating >> (local & 63) & 1,
                    ..self.bid_of(here, local, output)
                };
                bids.push(bid);
            }
        }
    }

    pub(super) fn ways(&self) -> Ways {
        Ways::of(self.config, self.wiring)
    }

    /// The bid of local ivc `local` for local output `output`.
    fn bid_of(&self, here: Here, local: u32, output: u32) -> Bid {
        let bid = self.ways().bid(local, output);
        let port = local & !(self.wiring.vcs() - 1);
        match self.has_way_for_each_vc(here, port) {
            true => Bid {
                position: local,
                next: local + 1,
                ..bid
            },
            false => bid,
        }
    }

    /// `bid` with what its input and its output compare it by in `round`. Bids that are no guess come first wherever
    /// arbiters know priorities; those of iSLIP and PIM do not.
    fn with_keys(&self, stages: &Stages, here: Here, bid: Bid, round: u32) -> Bid {
        let local = u64::from(bid.local);
        let served = self.ways().turn_of(self.served, here.ivc(bid.local));
        let last = match stages.switch_matching {
            Matching::Islip { .. } | Matching::Pim { .. } => 0,
            _ => bid.is_guess << 63,
        };
        // Of an input's bids for one output.
        let of_output = (bid.is_guess << 63) + (served << LOCAL_BITS) + local;
        // An input puts one bid to an output, however many of its virtual channels bid.
        let drawn = |purpose| {
            let router = self.partition.node(here.router).0;
            let ends = bid.output << LOCAL_BITS | bid.position;
            last + (draw(self.seed, purpose, router, stages.now, ends) >> 1)
        };
        let (at_input, at_output) = match stages.switch_arbiter {
            Arbiter::RoundRobin => {
                let pointer = self.out_pointers[self.ways().pointer_of(here, &bid)];
                let ahead = cyclic_distance(u32::from(pointer), bid.position);
                let turn = stages.input_turns[here.ivc(bid.position) as usize];
                // A turn passes outputs that are busy: where some are every other cycle, it could be the
                // same ones each time.
                let output = match self.next_free.is_empty() || stages.has_queues {
                    true => u64::from(cyclic_distance(u32::from(turn), bid.output)),
                    false => 0,
                };
                // The output, and of its virtual channels the one that goes first.
                let waited = (bid.is_guess << CYCLE_BITS) + served;
                let at_input = last + (output << (CYCLE_BITS + 1)) + waited;
                ([at_input, local], [last + u64::from(ahead), 0])
            }
            Arbiter::Matrix => {
                let taken = last + stages.switch_taken[self.ways().switch_place(here, &bid)];
                ([taken, of_output], [taken, u64::from(bid.position)])
            }
            Arbiter::OldestFirst => {
                let (created, source) = self.age(stages, here, bid.local);
                ([last + created, source], [last + created, source])
            }
            Arbiter::Random if stages.switch_begins == Begins::AtDrawnPlaces => {
                let [at_input, at_output] = self.ways_behind_drawn(stages, here, &bid, round);
                ([at_input, of_output], [at_output, u64::from(bid.position)])
            }
            Arbiter::Random => (
                [drawn(Purpose::SwitchInput), of_output],
                [drawn(Purpose::SwitchOutput), u64::from(bid.position)],
            ),
        };
        let ([a, b], [c, d]) = (at_output, at_input);
        Bid {
            at_input,
            at_output: [a, b, c, d],
            ..bid
        }
    }

    /// Of each input leaves the bid that it puts forward. Those of an input stand side by side.
    fn keep_one_each(&self, bids: &mut Vec<Bid>) {
        bids.dedup_by(|next, kept| {
            let same = next.position == kept.position;
            if same && next.at_input < kept.at_input {
                *kept = *next;
            }
            same
        });
    }

    /// Every output takes one of the bids put to it, and every input one of those taken.
    fn match_once(&mut self, stages: &mut Stages, here: Here, bids: &[Bid], move_turns: bool) {
        for (bid, place) in bids.iter().zip(0u32..) {
            if self.takes_all(here, bid.output) {
                stages.scratch.grant(bid, place);
                continue;
            }
            let offered = Best {
                key: bid.at_output,
                place,
                target: bid.way_out,
            };
            let scratch = &mut stages.scratch;
            if scratch.best[bid.way_out as usize].offer(offered) {
                scratch.touched.push(bid.way_out);
            }
        }
        while let Some(way) = stages.scratch.touched.pop() {
            let best = std::mem::replace(&mut stages.scratch.best[way as usize], Best::NONE);
            stages.scratch.grant(&bids[best.place as usize], best.place);
        }
        while let Some(position) = stages.scratch.accepting.pop() {
            let scratch = &mut stages.scratch;
            let accepted = std::mem::replace(&mut scratch.granted[position as usize], Best::NONE);
            let bid = bids[accepted.place as usize];
            scratch.winners.push(bid.local);
            if move_turns {
                self.ways()
                    .move_turns(self.out_pointers, stages, here, &bid);
            }
        }
    }
}

/// Whether the front flit of `lane` has an output with room.
#[inline]
pub(super) fn has_got_room(lane: u32, lanes: &[Lane]) -> bool {
    let output = lanes[lane as usize].output;
    output != NONE && has_room(output, lanes)
}

impl Stages {
    /// Nobody at a router guesses any more in this cycle.
    fn end_guesses(&mut self, here: Here) {
        if self.timing.speculates_after.is_some() {
            self.speculating[here.own_words()].fill(0);
        }
    }

    /// Whether one of the ivcs of `words` keeps its way through the switch.
    #[inline(always)]
    pub(in crate::kernel) fn keeps_ways(&self, words: Range<usize>) -> bool {
        let holding = self.holding.get(words);
        holding.is_some_and(|words| words.iter().any(|&kept| kept != 0))
    }
}
