//! Switch allocation: flits bid, and are matched with the ways out; among them the heads that bid before
//! they have a virtual channel.

use crate::config::{Arbiter, Matching};
use crate::kernel::active::for_each_member;
use crate::kernel::bits::{cyclic_distance, ones};
use crate::kernel::cells::Cell;
use crate::kernel::engine::Here;
use crate::kernel::partition::Partition;
use crate::kernel::staged::{Best, Bid, Stages};
use crate::kernel::wiring::NONE;
use crate::random::{Purpose, draw};
use crate::{Crossbar, Engine, Port, Probe, Routing};

/// A cycle fits so many bits: it goes behind what is compared first, or before a local ivc.
const CYCLE_BITS: u32 = 46;
const LOCAL_BITS: u32 = 16;

impl<R: Routing, P: Probe, E: Partition> Engine<'_, R, P, E> {
    /// In every router where flits bid, the winners leave.
    pub(super) fn switch_in_stages(&mut self, stages: &mut Stages) {
        for_each_member!(self.requesting, router => self.switch_at(stages, self.here(router)));
    }

    fn switch_at(&mut self, stages: &mut Stages, here: Here) {
        self.match_bids(stages, here);
        let words = here.first_word..here.first_word + here.words;
        if stages.timing.speculates_after.is_some() {
            stages.speculating[words.clone()].fill(0);
        }
        let mut winners = std::mem::take(&mut stages.scratch.winners);
        for &local in &winners {
            if self.has_guessed_right(here, local) {
                self.depart(stages, here, local);
            }
        }
        winners.clear();
        stages.scratch.winners = winners;
        if self.state.routers[words].iter().all(|r| r.requesting == 0) {
            self.requesting.remove(here.router);
        }
    }

    /// Whether the flit at the front of local ivc `local`, which won the switch, can go: the head that bid
    /// before it had a virtual channel, only if it has got one with room.
    fn has_guessed_right(&self, here: Here, local: u32) -> bool {
        let output = self.state.lanes[self.lane_at(here, local) as usize].output;
        output != NONE && self.has_room(output)
    }

    /// Matches the bids.
    fn match_bids(&mut self, stages: &mut Stages, here: Here) {
        let mut bids = std::mem::take(&mut stages.scratch.bids);
        self.collect_bids(stages, here, &mut bids);
        if stages.switch_matching.looks_at_all() {
            self.match_at_once(stages, here, &bids);
            bids.clear();
        }
        let rounds = match stages.switch_matching {
            Matching::Islip { iterations } | Matching::Pim { iterations } => iterations,
            _ => 1,
        };
        let input_first = stages.switch_matching == Matching::SeparableInputFirst;
        for round in 0..rounds {
            if bids.is_empty() {
                break;
            }
            if input_first {
                self.keep_one_each(&mut bids);
            }
            self.match_once(stages, here, &bids, round == 0);
            let winners = &stages.scratch.winners;
            bids.retain(|bid| {
                winners.iter().all(|&winner| {
                    let output = stages.out[(here.first_ivc | winner) as usize];
                    let is_input = (bid.position..bid.next).contains(&winner);
                    let is_output = u32::from(output) == bid.output;
                    !is_input && (!is_output || self.takes_all(here, bid.output))
                })
            });
        }
        bids.clear();
        stages.scratch.bids = bids;
    }

    /// Matches `bids` by an allocator that looks at all of them: who was served longest ago has waited
    /// longest.
    fn match_at_once(&mut self, stages: &mut Stages, here: Here, bids: &[Bid]) {
        let cells = &mut stages.scratch.cells;
        let vc_bits = self.wiring.vcs() - 1;
        let row_of = |position: u32| match self.config.crossbar {
            Crossbar::Vc => position,
            Crossbar::Port => self.wiring.port_of(position) + (position & vc_bits),
        };
        for bid in bids {
            let row = row_of(bid.position);
            let served = self.state.served[(here.first_ivc | bid.local) as usize];
            cells.all.push(Cell {
                order: [bid.is_guess, served, u64::from(bid.local)],
                row,
                column: match self.takes_all(here, bid.output) {
                    true => self.wiring.degree_max as u32 + 1 + row,
                    false => bid.output,
                },
                diagonal: row + bid.output,
                place: bid.local,
            });
        }
        match stages.switch_matching {
            Matching::Maximum => cells.maximum(true),
            _ => {
                let last = (self.ports_at(here) << self.wiring.vc_shift) - 1;
                let last = match self.config.injection {
                    Port::Unlimited => last,
                    Port::Channel if self.config.crossbar == Crossbar::Vc => last,
                    Port::Channel => last & !vc_bits,
                };
                cells.wavefront(row_of(last) + 1);
            }
        }
        std::mem::swap(&mut cells.chosen, &mut stages.scratch.winners);
    }

    /// Whether `output` takes any number of flits a cycle.
    fn takes_all(&self, here: Here, output: u32) -> bool {
        output == here.ejection && self.config.ejection == Port::Unlimited
    }

    fn collect_bids(&mut self, stages: &Stages, here: Here, bids: &mut Vec<Bid>) {
        let vcs = self.wiring.vcs();
        for word in 0..here.words {
            let speculating = stages.speculating[here.first_word + word];
            let requesting = self.state.routers[here.first_word + word].requesting;
            for bit in ones(requesting | speculating) {
                let local = word as u32 * 64 + bit;
                let ivc = here.first_ivc | local;
                let output = u32::from(stages.out[ivc as usize]);
                if output != here.ejection
                    && let Some(&free) = self
                        .state
                        .next_free
                        .get((here.first_channel + output) as usize)
                    && free > self.cycle
                {
                    self.progress = true;
                    continue;
                }
                let port = local & !(vcs - 1);
                let (position, next) = match self.has_way_for_each_vc(here, port) {
                    true => (local, local + 1),
                    false => (port, port + vcs),
                };
                let bid = Bid {
                    local,
                    position,
                    next,
                    output,
                    is_guess: speculating >> (local & 63) & 1,
                    at_input: [0; 2],
                    at_output: [0; 4],
                };
                bids.push(self.with_keys(stages, here, bid));
            }
        }
    }

    /// `bid` with what its input and its output compare it by. Bids that are no guess come first wherever
    /// arbiters know priorities; those of iSLIP and PIM do not.
    fn with_keys(&self, stages: &Stages, here: Here, bid: Bid) -> Bid {
        let local = u64::from(bid.local);
        let served = self.state.served[(here.first_ivc | bid.local) as usize];
        let last = match stages.switch_matching {
            Matching::Islip { .. } | Matching::Pim { .. } => 0,
            _ => bid.is_guess << 63,
        };
        let drawn = |purpose| {
            let router = self.partition.node(here.router).0;
            let word = draw(self.seed, purpose, router, self.cycle, bid.local);
            [last | word >> 1, local]
        };
        let (at_input, at_output) = match stages.switch_arbiter {
            Arbiter::RoundRobin => {
                let pointer = self.state.out_pointers[(here.first_pointer + bid.output) as usize];
                let ahead = cyclic_distance(u32::from(pointer), bid.position);
                let turn = stages.input_turns[(here.first_ivc | bid.position) as usize];
                // A turn passes outputs that are busy: where some are every other cycle, it could be the
                // same ones each time.
                let output = match self.state.next_free.is_empty() {
                    true => u64::from(cyclic_distance(u32::from(turn), bid.output)),
                    false => 0,
                };
                // The output, and of its virtual channels the one served longest ago.
                let of_output = bid.is_guess << CYCLE_BITS | served;
                let at_input = last | output << (CYCLE_BITS + 1) | of_output;
                ([at_input, local], [last | u64::from(ahead), 0])
            }
            Arbiter::Matrix => {
                let taken = last | stages.switch_taken[self.switch_place(here, bid)];
                let of_output = bid.is_guess << 63 | served << LOCAL_BITS | local;
                ([taken, of_output], [taken, u64::from(bid.position)])
            }
            Arbiter::OldestFirst => {
                let (created, source) = self.age(stages, here, bid.local);
                ([last | created, source], [last | created, source])
            }
            Arbiter::Random => (drawn(Purpose::SwitchInput), drawn(Purpose::SwitchOutput)),
        };
        let ([a, b], [c, d]) = (at_output, at_input);
        Bid {
            at_input,
            at_output: [a, b, c, d],
            ..bid
        }
    }

    /// Where a matrix arbiter keeps when `bid`'s input was taken by its output.
    fn switch_place(&self, here: Here, bid: Bid) -> usize {
        let output = (here.first_pointer + bid.output) as usize;
        output << self.wiring.router_shift | bid.position as usize
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
                target: bid.output,
            };
            let scratch = &mut stages.scratch;
            if scratch.best[bid.output as usize].offer(offered) {
                scratch.touched.push(bid.output);
            }
        }
        while let Some(output) = stages.scratch.touched.pop() {
            let best = std::mem::replace(&mut stages.scratch.best[output as usize], Best::NONE);
            stages.scratch.grant(&bids[best.place as usize], best.place);
        }
        while let Some(position) = stages.scratch.accepting.pop() {
            let scratch = &mut stages.scratch;
            let accepted = std::mem::replace(&mut scratch.granted[position as usize], Best::NONE);
            let bid = bids[accepted.place as usize];
            scratch.winners.push(bid.local);
            if move_turns {
                let pointer =
                    &mut self.state.out_pointers[(here.first_pointer + bid.output) as usize];
                *pointer = bid.next as u16;
                stages.input_turns[(here.first_ivc | position) as usize] = bid.output as u16 + 1;
                let place = self.switch_place(here, bid);
                if let Some(taken) = stages.switch_taken.get_mut(place) {
                    *taken = self.cycle + 1;
                }
            }
        }
    }
}
