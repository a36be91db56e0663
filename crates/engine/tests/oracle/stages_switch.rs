//! The switch of routers in stages: the oracle's fourth phase for them, from the sentences of `docs/flow.md`.

use super::Oracle;
use super::at_once::{Cell, Wave, choose};
use super::router::Output;
use super::stages::Guess;
use super::switch::Move;
use flitsim_engine::random::{Purpose, draw};
use flitsim_engine::{Allocator, Arbiter, Crossbar, InputArbiter, Matching, Port};

/// What an input compares bids by: the least is taken.
type InputOrder = (bool, [u64; 5]);

/// A flit that could leave in this cycle.
#[derive(Clone, Copy, Debug)]
struct Bid {
    port: usize,
    vc: u32,
    local: u32,
    output: usize,
    /// The way of that output: by its port.
    way: u32,
    /// Where its input of the switch begins, and where the next one does.
    input: (u32, u32),
    packet: usize,
    /// Whether its head has no virtual channel yet.
    is_guess: bool,
}

impl Bid {
    fn is_over_way_of(&self, other: &Self) -> bool {
        (self.output, self.way) == (other.output, other.way)
    }
}

/// Each of `all` once, ascending.
fn distinct<T: Ord>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = all.collect();
    all.sort_unstable();
    all.dedup();
    all
}

impl Oracle<'_> {
    fn switch_matching(&self) -> Matching {
        let default = match self.config.allocator {
            Allocator::Islip { iterations } => Matching::Islip { iterations },
            _ => Matching::SeparableInputFirst,
        };
        self.config.switch_allocator.unwrap_or(default)
    }

    /// The flits of a router that leave in this cycle; `guesses` are the heads that bid while they ask.
    pub(super) fn switch_in_stages(&mut self, router: usize, guesses: &[Guess]) -> Vec<Move> {
        let mut bids = self.certain_bids(router);
        let r = &self.routers[router];
        for guess in guesses {
            let front = r.vc(guess.port, guess.vc).flits.front().expect("a head");
            let bid = self.bid(router, guess.port, guess.vc, guess.output, front.packet);
            if self.is_in_time(router, &bid) {
                bids.push(Bid {
                    is_guess: true,
                    ..bid
                });
            }
        }
        bids.sort_by_key(|bid| bid.local);
        let held = self.held(router);
        bids.retain(|bid| {
            held.iter().all(|held| {
                let is_output = held.is_over_way_of(bid) && !self.ejects_all(router, bid.output);
                held.input != bid.input && !is_output
            })
        });
        let mut winners = self.match_flits(router, &bids);
        winners.extend(held.iter().filter(|bid| self.is_in_time(router, bid)));
        if self.config.output_speedup > 1 {
            // By port they stand in the queues.
            winners.sort_by_key(|bid| bid.local);
        }
        let moves = winners.iter().map(|bid| Move {
            router,
            port: bid.port,
            vc: bid.vc,
            is_guess: bid.is_guess,
        });
        // Of those that guessed, the ones go that have got a virtual channel with room; the others have had their turn.
        let (leave, stay): (Vec<Move>, Vec<Move>) = moves.partition(|flit| {
            let output = self.routers[router].vc(flit.port, flit.vc).output;
            output.is_some_and(|output| self.has_credit(router, output))
        });
        for flit in stay.iter().filter(|flit| flit.is_guess) {
            self.has_its_turn(flit);
        }
        leave
    }

    /// In stages, a virtual channel that has won the switch is the last to win it again, also if its flit cannot leave
    /// because it was a guess.
    pub(super) fn has_its_turn(&mut self, flit: &Move) {
        let port = &mut self.routers[flit.router].ports[flit.port];
        port.served[flit.vc as usize] = self.cycle + 1;
        port.last
            .insert(flit.vc % self.config.input_speedup, flit.vc);
    }

    /// The flits for which the way through the switch was kept: in this cycle it is for nobody else.
    fn held(&mut self, router: usize) -> Vec<Bid> {
        let held = std::mem::take(&mut self.routers[router].held);
        let r = &self.routers[router];
        let bid = |&(port, vc): &(usize, u32)| {
            let input = r.vc(port, vc);
            let output = r.output_index(input.output.expect("a way"));
            let packet = input.flits.front().expect("a flit").packet;
            self.bid(router, port, vc, output, packet)
        };
        held.iter().map(bid).collect()
    }

    fn has_credit(&self, router: usize, output: Output) -> bool {
        match output {
            Output::Channel(channel, vc) => self.credits(router, Some(channel), vc) > 0,
            Output::Terminal(vc) => self.credits(router, None, vc) > 0,
            Output::Ejection => true,
        }
    }

    fn ejects_all(&self, router: usize, output: usize) -> bool {
        let is_ejection = self.routers[router].outputs[output].channel.is_none();
        is_ejection && self.config.ejection == Port::Unlimited
    }

    fn bid(&self, router: usize, port: usize, vc: u32, output: usize, packet: usize) -> Bid {
        let r = &self.routers[router];
        let first = port as u32 * r.stride;
        let is_injection = r.ports[port].channel.is_none();
        let own_way = self.config.crossbar == Crossbar::Vc
            || is_injection && self.config.injection == Port::Unlimited;
        Bid {
            port,
            vc,
            local: first + vc,
            output,
            way: port as u32 % self.config.output_speedup,
            input: match (own_way, self.config.input_speedup) {
                (true, _) => (first + vc, first + vc + 1),
                (false, 1) => (first, first + r.stride),
                (false, ways) => (first + vc % ways, first + vc % ways + 1),
            },
            packet,
            is_guess: false,
        }
    }

    fn is_in_time(&self, router: usize, bid: &Bid) -> bool {
        let channel = self.routers[router].outputs[bid.output].channel;
        self.has_queues()
            || channel.is_none_or(|channel| self.senders[channel.index()].next_free <= self.cycle)
    }

    /// The bids of flits whose packet has its output, with room, and whose stages are over.
    fn certain_bids(&self, router: usize) -> Vec<Bid> {
        let r = &self.routers[router];
        let mut bids = Vec::new();
        for (port, vc) in r.input_vcs() {
            let input = r.vc(port, vc);
            let (Some(flit), Some(output)) = (input.front(self.cycle), input.output) else {
                continue;
            };
            let from = match self.config.pipeline {
                None => 0,
                Some(s) if flit.number > 0 => {
                    input.front_since() + u64::from(s.switch_allocation) - 1
                }
                Some(s) if self.config.speculative => {
                    let both = input.fronted + u64::from(s.routing + s.switch_allocation) - 1;
                    // Where there are no virtual channels, none had to be asked for first.
                    both.max(input.claimed + u64::from(output != Output::Ejection))
                }
                Some(s) => input.claimed + u64::from(s.switch_allocation),
            };
            if self.cycle < from || !self.has_credit(router, output) {
                continue;
            }
            bids.push(self.bid(router, port, vc, r.output_index(output), flit.packet));
        }
        bids.retain(|bid| self.is_in_time(router, bid));
        bids
    }

    /// Rounds in which outputs take bids, and inputs outputs.
    fn match_flits(&mut self, router: usize, bids: &[Bid]) -> Vec<Bid> {
        let matching = self.switch_matching();
        if matches!(matching, Matching::Wavefront | Matching::Maximum) {
            return self.match_flits_at_once(router, bids, matching);
        }
        let rounds = match matching {
            Matching::Islip { iterations } | Matching::Pim { iterations } => iterations,
            _ => 1,
        };
        let is_matrix = self.arbiter_of(Some(matching)) == Arbiter::Matrix;
        let mut left = bids.to_vec();
        if matching == Matching::SeparableInputFirst {
            let inputs = distinct(left.iter().map(|bid| bid.input));
            let chosen = inputs.iter().map(|&input| {
                let of_input = left.iter().filter(|bid| bid.input == input);
                let order = |bid: &&Bid| self.order_at_input(router, bid);
                *of_input.min_by_key(order).expect("a bid")
            });
            left = chosen.collect();
        }
        let mut winners: Vec<Bid> = Vec::new();
        for round in 1..=rounds {
            self.routers[router].round = round;
            let outputs = distinct(left.iter().map(|bid| (bid.output, bid.way)));
            let mut taken: Vec<Bid> = Vec::new();
            for &(output, way) in &outputs {
                let of_output = left.iter();
                let of_output = of_output.filter(|bid| (bid.output, bid.way) == (output, way));
                if self.ejects_all(router, output) {
                    taken.extend(of_output);
                } else {
                    let order = |bid: &&Bid| self.order_at_output(router, bid);
                    taken.push(*of_output.min_by_key(order).expect("a bid"));
                }
            }
            let inputs = distinct(taken.iter().map(|bid| bid.input));
            let mut matched = Vec::new();
            for &input in &inputs {
                let of_input = taken.iter().filter(|bid| bid.input == input);
                let order = |bid: &&Bid| self.order_at_input(router, bid);
                matched.push(*of_input.min_by_key(order).expect("a bid"));
            }
            for bid in &matched {
                if round == 1 {
                    let r = &mut self.routers[router];
                    r.outputs[bid.output].way_pointers[bid.way as usize] = bid.input.1;
                    r.turns[bid.input.0 as usize] = bid.output + 1;
                    if is_matrix {
                        r.taken.insert((bid.output, bid.input.0), self.cycle + 1);
                    }
                }
            }
            winners.extend(matched);
            left.retain(|bid| {
                winners.iter().all(|w| {
                    let same = w.is_over_way_of(bid) && !self.ejects_all(router, w.output);
                    w.input != bid.input && !same
                })
            });
        }
        self.assert_matching(router, bids, &winners, rounds);
        winners
    }

    /// All bids at once, who was served longest ago before others. Inputs of the switch are numbered port by
    /// port; the virtual channels of the last, where each has its own way.
    fn match_flits_at_once(&self, router: usize, bids: &[Bid], matching: Matching) -> Vec<Bid> {
        let r = &self.routers[router];
        let own_ways = self.config.crossbar == Crossbar::Vc;
        let ways = self.config.input_speedup.min(r.stride);
        let ways_out = self.config.output_speedup;
        let row = |bid: &Bid| match own_ways {
            true => bid.local,
            false => bid.port as u32 * ways + bid.input.0 % r.stride,
        };
        let cell = |bid: &Bid| Cell {
            age: (self.turn_of(router, bid), u64::from(bid.local), 0),
            is_guess: bid.is_guess,
            lateness: 0,
            row: row(bid),
            column: bid.output as u32 * ways_out + bid.way,
            numbers: match self.is_rotated(matching) {
                false => (row(bid), bid.output as u32 * ways_out + bid.way),
                true => self.numbers_of_ways(router, bid),
            },
            is_shared: self.ejects_all(router, bid.output),
        };
        let cells: Vec<Cell> = bids.iter().map(cell).collect();
        let side = match (own_ways, self.config.injection) {
            (true, _) => self.ports_at(router) * r.stride,
            (false, Port::Channel) => self.ports_at(router) * ways,
            (false, Port::Unlimited) => (self.ports_at(router) - 1) * ways + r.stride,
        };
        let side = side.max(self.ports_at(router) * ways_out);
        let each = match matching {
            Matching::Maximum => self.config.input_speedup,
            _ => self.config.input_speedup.max(ways_out),
        };
        let wave = match cells.is_empty() {
            true => None,
            false => self.rotated(router, matching, 1, each),
        };
        let chosen = choose(
            &cells,
            matching,
            wave.unwrap_or(Wave::FromOldest { side }),
            true,
        );
        chosen.iter().map(|&index| bids[index]).collect()
    }

    fn numbers_of_ways(&self, router: usize, bid: &Bid) -> (u32, u32) {
        let stride = self.routers[router].stride;
        let (ways, ways_out) = (self.config.input_speedup, self.config.output_speedup);
        (
            self.number_in(router, bid.port) * ways + bid.input.0 % stride,
            self.number_out(router, bid.output) * ways_out + bid.way,
        )
    }

    /// No input and no output is taken twice and, in as many rounds as there are inputs, nobody is left
    /// whose input and output are both free.
    fn assert_matching(&self, router: usize, bids: &[Bid], winners: &[Bid], rounds: u32) {
        let inputs = distinct(winners.iter().map(|bid| bid.input));
        let single = winners.iter().map(|bid| (bid.output, bid.way));
        let single: Vec<_> = single
            .filter(|&(output, _)| !self.ejects_all(router, output))
            .collect();
        let outputs = distinct(single.iter().copied());
        assert_eq!((inputs.len(), outputs.len()), (winners.len(), single.len()));
        let all = distinct(bids.iter().map(|bid| bid.input));
        let is_taken =
            |bid: &Bid| inputs.contains(&bid.input) || outputs.contains(&(bid.output, bid.way));
        assert!((rounds as usize) < all.len() || bids.iter().all(is_taken));
        assert_eq!(winners.is_empty(), bids.is_empty());
    }

    /// Guesses come last where arbiters know priorities: iSLIP's and PIM's do not.
    fn is_last(&self, bid: &Bid) -> bool {
        let matching = self.switch_matching();
        bid.is_guess && !matches!(matching, Matching::Islip { .. } | Matching::Pim { .. })
    }

    /// What an input and an output draw for each other, whichever of its virtual channels bid.
    fn drawn(&self, router: usize, bid: &Bid, purpose: Purpose) -> u64 {
        if self.draws_places(self.config.switch_allocator) {
            let (number, number_out) = self.numbers_of_ways(router, bid);
            let [ways, ways_out] = [self.config.input_speedup, self.config.output_speedup];
            let (is_passed, number) = match purpose {
                Purpose::SwitchInput => {
                    self.drawn_turn(router, (purpose, bid.input.0), number_out, ways_out)
                }
                _ => {
                    let way_out = bid.output as u32 * ways_out + bid.way;
                    self.drawn_turn(router, (purpose, way_out), number, ways)
                }
            };
            return u64::from(is_passed) << 32 | u64::from(number);
        }
        let node = self.routers[router].node.0;
        let ends = (bid.output as u32) << 16 | bid.input.0;
        draw(self.seed, purpose, node, self.cycle, ends) >> 1
    }

    /// By which an input's virtual channels go, the least first.
    fn turn_of(&self, router: usize, bid: &Bid) -> u64 {
        let port = &self.routers[router].ports[bid.port];
        match self.config.input_arbiter {
            InputArbiter::LeastRecentlyServed => port.served[bid.vc as usize],
            // Those behind the last one come first, then those before it, then itself.
            InputArbiter::RoundRobin => {
                let last = port.last.get(&(bid.vc % self.config.input_speedup));
                u64::from(last.is_some_and(|&last| bid.vc <= last))
            }
        }
    }

    /// An input takes outputs in turn and, for one output, or for any where channels are slow, no guess if
    /// it can, and the virtual channel served longest ago.
    fn order_at_input(&self, router: usize, bid: &Bid) -> InputOrder {
        let r = &self.routers[router];
        let served = self.turn_of(router, bid);
        let local = u64::from(bid.local);
        let guess = u64::from(bid.is_guess);
        let [a, b, c, d, e] = match self.arbiter_of(Some(self.switch_matching())) {
            Arbiter::RoundRobin if self.has_slow_channels && !self.has_queues() => {
                [guess, served, local, 0, 0]
            }
            Arbiter::RoundRobin => {
                let is_passed = u64::from(bid.output < r.turns[bid.input.0 as usize]);
                [is_passed, bid.output as u64, guess, served, local]
            }
            Arbiter::Matrix => {
                let taken = r.taken.get(&(bid.output, bid.input.0));
                [taken.copied().unwrap_or(0), guess, served, local, 0]
            }
            Arbiter::OldestFirst => {
                let identity = self.packets[bid.packet].identity;
                [identity.created, u64::from(identity.source), local, 0, 0]
            }
            Arbiter::Random => {
                let drawn = self.drawn(router, bid, Purpose::SwitchInput);
                [drawn, guess, served, local, 0]
            }
        };
        (self.is_last(bid), [a, b, c, d, e])
    }

    /// At an output that takes turns, inputs do; among the bids of one, the input decides.
    fn order_at_output(&self, router: usize, bid: &Bid) -> (bool, u64, u32, InputOrder) {
        let r = &self.routers[router];
        let position = bid.input.0;
        let at_input = self.order_at_input(router, bid);
        let (first, second) = match self.arbiter_of(Some(self.switch_matching())) {
            Arbiter::RoundRobin => {
                let pointer = r.outputs[bid.output].way_pointers[bid.way as usize];
                let is_passed = position < pointer;
                (u64::from(is_passed), position)
            }
            Arbiter::Matrix => {
                let taken = r.taken.get(&(bid.output, position));
                (taken.copied().unwrap_or(0), position)
            }
            Arbiter::OldestFirst => (0, 0),
            Arbiter::Random => (self.drawn(router, bid, Purpose::SwitchOutput), position),
        };
        (self.is_last(bid), first, second, at_input)
    }
}
