//! Good halvings of graphs that are too large to try all: descents by single moves, the best one
//! first, each node once a pass (Fiduccia & Mattheyses, "A linear-time heuristic for improving
//! network partitions", 1982).

use super::cut::{Cut, Links};
use flitsim_random::Pcg64Mcg;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use std::collections::BinaryHeap;

/// Links that passes may look at, all descents together: half a second or so.
const WORK_MAX: u64 = 6_000_000;

/// Passes that a descent takes, about.
const PASSES: u64 = 10;

/// The most descents: small graphs show their best cut long before.
const DESCENTS_MAX: u64 = 2_000;

/// The best of several descents.
pub(super) struct Best {
    pub(super) channels: u64,
    pub(super) descents: u64,
}

/// The best halving that descents reach from those given, and from random ones: as many as a
/// second allows, counted by the size of the graph.
pub(super) fn best(graph: &Links, straight: &[Cut]) -> Best {
    let affordable = WORK_MAX / (PASSES * graph.ends()).max(1);
    let given = straight.len() as u64;
    let descents = affordable.clamp(given + 1, DESCENTS_MAX.max(given + 1));
    let of_descent = |index: usize| {
        let sides = match straight.get(index) {
            Some(cut) => cut.sides.clone(),
            None => random_halves(graph, index as u64),
        };
        Descent::new(graph, sides).run()
    };
    let all = crate::parallel::map(descents as usize, of_descent);
    Best {
        channels: all.into_iter().min().unwrap_or(u64::MAX),
        descents,
    }
}

/// Half of the terminals, drawn evenly, and switches by a coin.
fn random_halves(graph: &Links, seed: u64) -> Vec<bool> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut order: Vec<u32> = (0..graph.terminals).collect();
    order.shuffle(&mut rng);
    let mut sides: Vec<bool> = (0..graph.nodes()).map(|_| rng.random()).collect();
    for (place, &node) in order.iter().enumerate() {
        sides[node as usize] = place < order.len() / 2;
    }
    sides
}

/// A halving on its way down.
struct Descent<'g> {
    graph: &'g Links,
    sides: Vec<bool>,
    /// Channels that a node's move would take off the cut.
    gains: Vec<i64>,
    locked: Vec<bool>,
    /// Moves not made yet, the best first, of equal ones the latest: terminals on either side, and
    /// switches. Those whose gain has changed since are out of date.
    moves: [BinaryHeap<(i64, u32, u32)>; 3],
    stamp: u32,
    /// Terminals on side `true` less those on side `false`.
    excess: i64,
    cut: i64,
}

impl<'g> Descent<'g> {
    fn new(graph: &'g Links, sides: Vec<bool>) -> Self {
        let terminals = &sides[..graph.terminals as usize];
        let excess = terminals.iter().map(|&side| if side { 1 } else { -1 });
        Self {
            excess: excess.sum(),
            cut: graph.across(&sides) as i64,
            gains: vec![0; sides.len()],
            locked: vec![false; sides.len()],
            moves: Default::default(),
            stamp: 0,
            graph,
            sides,
        }
    }

    /// Passes until one finds nothing better; the channels across.
    fn run(mut self) -> u64 {
        loop {
            let before = self.cut;
            self.pass();
            if self.cut >= before {
                return before as u64;
            }
        }
    }

    /// Moves every node once and goes back to where the cut was smallest.
    fn pass(&mut self) {
        self.locked.fill(false);
        self.moves.iter_mut().for_each(BinaryHeap::clear);
        self.stamp = 0;
        for node in 0..self.graph.nodes() {
            let own = self.sides[node as usize];
            let links = self.graph.of(node).iter();
            self.gains[node as usize] = links
                .map(|&(to, channels)| {
                    if self.sides[to as usize] == own {
                        -i64::from(channels)
                    } else {
                        i64::from(channels)
                    }
                })
                .sum();
            self.offer(node);
        }
        let allowed = i64::from(self.graph.terminals % 2);
        let mut moved = Vec::with_capacity(self.sides.len());
        let (mut best, mut kept) = (self.cut, 0);
        while let Some(node) = self.choose() {
            self.apply(node);
            moved.push(node);
            if self.excess.abs() <= allowed && self.cut < best {
                (best, kept) = (self.cut, moved.len());
            }
        }
        for &node in &moved[kept..] {
            let side = &mut self.sides[node as usize];
            *side = !*side;
            if node < self.graph.terminals {
                self.excess += if *side { 2 } else { -2 };
            }
        }
        self.cut = best;
    }

    /// Notes the move of a node at its present gain.
    fn offer(&mut self, node: u32) {
        let queue = match (node < self.graph.terminals, self.sides[node as usize]) {
            (true, side) => side as usize,
            (false, _) => 2,
        };
        self.stamp = self.stamp.wrapping_add(1);
        self.moves[queue].push((self.gains[node as usize], self.stamp, node));
    }

    /// The best move that keeps the halves equal, or as nearly as one terminal allows.
    fn choose(&mut self) -> Option<u32> {
        for queue in &mut self.moves {
            while let Some(&(gain, _, node)) = queue.peek() {
                if !self.locked[node as usize] && self.gains[node as usize] == gain {
                    break;
                }
                queue.pop();
            }
        }
        let allowed = [self.excess <= 0, self.excess >= 0, true];
        let queues = (0..3).filter(|&queue| allowed[queue]);
        let best = queues.max_by_key(|&queue| self.moves[queue].peek())?;
        self.moves[best].pop().map(|(_, _, node)| node)
    }

    fn apply(&mut self, node: u32) {
        let index = node as usize;
        self.locked[index] = true;
        self.cut -= self.gains[index];
        let side = !self.sides[index];
        self.sides[index] = side;
        if node < self.graph.terminals {
            self.excess += if side { 2 } else { -2 };
        }
        for &(to, channels) in self.graph.of(node) {
            let change = 2 * i64::from(channels);
            let joined = self.sides[to as usize] == side;
            self.gains[to as usize] += if joined { -change } else { change };
            if !self.locked[to as usize] {
                self.offer(to);
            }
        }
    }
}
