//! Switch allocation: the oracle's fourth phase.

use super::Oracle;
use super::router::{InputPort, Output};
use flitsim_engine::random::{Purpose, draw};
use flitsim_engine::{Allocator, Crossbar, Port};

/// A flit that could move in this cycle.
#[derive(Clone, Copy, Debug)]
struct Bid {
    port: usize,
    vc: u32,
    local: u32,
    output: usize,
    /// (created, source, local): the least is the oldest.
    age: (u64, u32, u32),
    input: Input,
}

/// A way into the switch: a port, or one virtual channel of it. Ordered by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Input {
    position: u32,
    next: u32,
    whole_port: bool,
}

/// A flit that moves in the current cycle: from an input virtual channel to its output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    pub router: usize,
    pub port: usize,
    pub vc: u32,
    /// A head that bid for the switch while it asked for a virtual channel.
    pub is_guess: bool,
}

impl Oracle<'_> {
    /// The flits of a router that move in this cycle.
    pub(super) fn allocate_switch(&mut self, router: usize) -> Vec<Move> {
        let bids = self.bids(router);
        let winners = match self.config.allocator {
            Allocator::Islip { iterations } => self.islip(router, &bids, iterations),
            _ => self.separable(router, &bids),
        };
        let moves = winners.iter().map(|bid| Move {
            router,
            port: bid.port,
            vc: bid.vc,
            is_guess: false,
        });
        moves.collect()
    }

    fn bids(&self, router: usize) -> Vec<Bid> {
        let r = &self.routers[router];
        let mut bids = Vec::new();
        for (port, vc) in r.input_vcs() {
            let input = r.vc(port, vc);
            let (Some(flit), Some(output)) = (input.front(self.cycle), input.output) else {
                continue;
            };
            if let Output::Channel(channel, next_vc) = output {
                let sender = &self.senders[channel.index()];
                if sender.credits(next_vc) == 0 || self.cycle < sender.next_free {
                    continue;
                }
            }
            let identity = self.packets[flit.packet].identity;
            let local = r.local(port, vc);
            bids.push(Bid {
                port,
                vc,
                local,
                output: r.output_index(output),
                age: (identity.created, identity.source, local),
                input: self.input_of(&r.ports[port], port as u32 * r.stride, r.stride, vc),
            });
        }
        bids
    }

    fn input_of(&self, port: &InputPort, first_local: u32, stride: u32, vc: u32) -> Input {
        let unlimited = port.channel.is_none() && self.config.injection == Port::Unlimited;
        let whole_port = self.config.crossbar == Crossbar::Port && !unlimited;
        if whole_port {
            Input {
                position: first_local,
                next: first_local + stride,
                whole_port,
            }
        } else {
            Input {
                position: first_local + vc,
                next: first_local + vc + 1,
                whole_port,
            }
        }
    }

    /// Whether the output takes every flit that is offered.
    fn grants_all(&self, router: usize, output: usize) -> bool {
        let is_ejection = self.routers[router].outputs[output].channel.is_none();
        is_ejection && self.config.ejection == Port::Unlimited
    }

    /// Every input puts one bid forward, then every output takes one of those.
    fn separable(&mut self, router: usize, bids: &[Bid]) -> Vec<Bid> {
        // Bids stand in the order of their inputs.
        let of_inputs = bids.chunk_by(|a, b| a.input == b.input);
        let mut picked: Vec<Bid> = of_inputs
            .map(|bids| self.pick_at_input(router, bids))
            .collect();
        picked.sort_by_key(|bid| bid.output);
        let mut winners = Vec::new();
        for bids in picked.chunk_by(|a, b| a.output == b.output) {
            let output = bids[0].output;
            if self.grants_all(router, output) {
                winners.extend_from_slice(bids);
            } else {
                winners.push(self.pick_at_output(router, output, bids));
            }
        }
        if self.config.allocator == Allocator::RoundRobin {
            for bid in &winners {
                self.turn_input(router, bid);
                self.turn_output(router, bid);
            }
        }
        winners
    }

    fn pick_at_input(&self, router: usize, bids: &[Bid]) -> Bid {
        let r = &self.routers[router];
        let at = (r.node.0, self.cycle);
        let least = match self.config.allocator {
            Allocator::RoundRobin | Allocator::Islip { .. } => {
                bids.iter().min_by_key(|b| self.turn_at_input(router, b))
            }
            Allocator::Random => bids.iter().min_by_key(|b| {
                let word = draw(self.seed, Purpose::SwitchInput, at.0, at.1, b.local);
                (word, b.local)
            }),
            Allocator::OldestFirst => bids.iter().min_by_key(|b| b.age),
        };
        *least.expect("an input with a bid")
    }

    /// A pointer passes whoever does not bid at the moment, or not for an output that grants. Where
    /// channels take a flit every few cycles, and with iSLIP, that can be the same each time: there,
    /// the least recently served goes first.
    fn turn_at_input(&self, router: usize, bid: &Bid) -> (u64, u32) {
        let port = &self.routers[router].ports[bid.port];
        let is_islip = matches!(self.config.allocator, Allocator::Islip { .. });
        if is_islip || self.has_slow_channels {
            (port.served[bid.vc as usize], bid.vc)
        } else {
            (u64::from(bid.vc < port.in_pointer), bid.vc)
        }
    }

    fn pick_at_output(&self, router: usize, output: usize, bids: &[Bid]) -> Bid {
        let r = &self.routers[router];
        let at = (r.node.0, self.cycle);
        let pointer = r.outputs[output].out_pointer;
        let least = match self.config.allocator {
            Allocator::RoundRobin | Allocator::Islip { .. } => bids
                .iter()
                .min_by_key(|b| (b.input.position < pointer, b.input.position)),
            Allocator::Random => bids.iter().min_by_key(|b| {
                let word = draw(self.seed, Purpose::SwitchOutput, at.0, at.1, b.local);
                (word, b.local)
            }),
            Allocator::OldestFirst => bids.iter().min_by_key(|b| b.age),
        };
        *least.expect("an output with a bid")
    }

    fn turn_input(&mut self, router: usize, bid: &Bid) {
        if bid.input.whole_port {
            let port = &mut self.routers[router].ports[bid.port];
            port.in_pointer = bid.vc + 1;
            port.served[bid.vc as usize] = self.cycle + 1;
        }
    }

    fn turn_output(&mut self, router: usize, bid: &Bid) {
        if !self.grants_all(router, bid.output) {
            self.routers[router].outputs[bid.output].out_pointer = bid.input.next;
        }
    }

    /// Rounds of request, grant and accept (McKeown 1999).
    fn islip(&mut self, router: usize, bids: &[Bid], iterations: u32) -> Vec<Bid> {
        let mut winners: Vec<Bid> = Vec::new();
        for iteration in 1..=iterations {
            let grants = self.grants(router, bids, &winners);
            for granted in grants.chunk_by(|a, b| a.0 == b.0) {
                let input = granted[0].0;
                let accepted = self.accept(router, bids, granted);
                let of_match: Vec<Bid> = bids
                    .iter()
                    .filter(|b| b.input == input && b.output == accepted)
                    .copied()
                    .collect();
                let bid = self.pick_at_input(router, &of_match);
                self.turn_input(router, &bid);
                if iteration == 1 {
                    self.turn_output(router, &bid);
                }
                winners.push(bid);
            }
        }
        winners
    }

    /// Inputs with the outputs that grant them, each once, in ascending order.
    fn grants(&self, router: usize, bids: &[Bid], matched: &[Bid]) -> Vec<(Input, usize)> {
        let mut grants = Vec::new();
        for output in 0..self.routers[router].outputs.len() {
            let all = self.grants_all(router, output);
            if !all && matched.iter().any(|m| m.output == output) {
                continue;
            }
            let input_is_free = |b: &Bid| matched.iter().all(|m| m.input != b.input);
            let wanting: Vec<Bid> = bids
                .iter()
                .filter(|b| b.output == output && input_is_free(b))
                .copied()
                .collect();
            if all {
                grants.extend(wanting.iter().map(|bid| (bid.input, output)));
            } else if !wanting.is_empty() {
                let input = self.pick_at_output(router, output, &wanting).input;
                grants.push((input, output));
            }
        }
        grants.sort_unstable();
        grants.dedup();
        grants
    }

    /// Which of the outputs that grant it an input takes: that of the virtual channel served
    /// longest ago.
    fn accept(&self, router: usize, bids: &[Bid], granted: &[(Input, usize)]) -> usize {
        let is_granted = |b: &&Bid| granted.contains(&(b.input, b.output));
        let could_move = bids.iter().filter(is_granted);
        let first = could_move.min_by_key(|b| self.turn_at_input(router, b));
        first.expect("an input with a grant").output
    }
}
