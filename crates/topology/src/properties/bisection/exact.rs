//! The best halving of a small graph: branch and bound over the side of one node after another.
//!
//! Below a partial halving lies no cut smaller than the channels across so far, plus for each node
//! left the fewer of its channels to either side, plus what it costs to keep the halves equal, plus
//! the least cut among the nodes left themselves: that of the same search on fewer nodes, done
//! before ("Russian doll search", Verfaillie, Lemaître & Schiex 1996).

use super::cut::Links;

/// The most terminals, and the most nodes.
const TERMINALS_MAX: u32 = 32;
const NODES_MAX: u32 = 48;

/// Partial halvings that may be looked at: about two seconds.
const STEPS_MAX: u64 = 10_000_000;

/// The fewest channels across a halving; `None` where the search is too long. `known` is the
/// number of some halving.
pub(super) fn least(graph: &Links, known: u64) -> Option<u64> {
    if graph.terminals > TERMINALS_MAX || graph.nodes() > NODES_MAX {
        return None;
    }
    let mut search = Search::new(graph);
    let terminals = graph.terminals;
    let nodes = search.order.len();
    // The suffixes of the order, from the last node on: the least cut among them alone, by how many
    // of their terminals are on side 0.
    for first in (1..nodes).rev() {
        let here = search.terminals_from[first];
        let mut row = vec![u64::MAX; here as usize + 1];
        for left in 0..=here / 2 {
            let least = search.run(first, [left, here - left], u64::MAX)?;
            // The sides may be exchanged.
            row[left as usize] = least;
            row[(here - left) as usize] = least;
        }
        search.suffix[first] = row;
    }
    let half = terminals / 2;
    Some(search.run(0, [half, terminals - half], known)?.min(known))
}

struct Search<'g> {
    graph: &'g Links,
    /// Nodes in the order of their branching.
    order: Vec<u32>,
    /// By place in the order: terminals there and behind.
    terminals_from: Vec<u32>,
    /// By place in the order: the least cut among the nodes there and behind, by how many terminals
    /// of them are on side 0; empty where not known yet.
    suffix: Vec<Vec<u64>>,
    /// By node: channels to nodes placed on either side.
    pull: Vec<[i64; 2]>,
    steps: u64,
}

impl<'g> Search<'g> {
    fn new(graph: &'g Links) -> Self {
        // Each next node is one with the most channels to those before: the nodes behind stay
        // together, and so does what is known of them.
        let nodes = graph.nodes();
        let mut order = Vec::with_capacity(nodes as usize);
        let mut placed = vec![false; nodes as usize];
        let mut channels = vec![0u32; nodes as usize];
        for _ in 0..nodes {
            let next = (0..nodes)
                .filter(|&node| !placed[node as usize])
                .max_by_key(|&node| (channels[node as usize], std::cmp::Reverse(node)));
            let Some(next) = next else { break };
            placed[next as usize] = true;
            order.push(next);
            for &(to, count) in graph.of(next) {
                channels[to as usize] += count;
            }
        }
        let mut terminals_from = vec![0; order.len() + 1];
        for place in (0..order.len()).rev() {
            let terminal = u32::from(order[place] < graph.terminals);
            terminals_from[place] = terminals_from[place + 1] + terminal;
        }
        Self {
            graph,
            suffix: vec![Vec::new(); order.len() + 1],
            pull: vec![[0; 2]; nodes as usize],
            order,
            terminals_from,
            steps: 0,
        }
    }

    /// The least cut among the nodes from place `first` on, with so many terminals on either side,
    /// if it is below `known`, else `known`; `None` where the search is too long.
    fn run(&mut self, first: usize, mut left: [u32; 2], known: u64) -> Option<u64> {
        let mut best = known;
        let mut cut = 0u64;
        // By depth: the side that the node is on, and the side to try next.
        let mut sides: Vec<usize> = Vec::with_capacity(self.order.len());
        let mut next_side = vec![0usize; self.order.len() + 1];
        // Of two halves of one size, the first node may choose.
        next_side[first] = usize::from(left[0] == left[1]);
        self.pull.fill([0; 2]);
        loop {
            let place = first + sides.len();
            if place == self.order.len() {
                best = best.min(cut);
            } else if next_side[place] < 2 {
                let side = next_side[place];
                next_side[place] += 1;
                let node = self.order[place];
                let terminal = node < self.graph.terminals;
                if terminal && left[side] == 0 {
                    continue;
                }
                self.steps += 1;
                if self.steps > STEPS_MAX {
                    return None;
                }
                cut += self.pull[node as usize][1 - side] as u64;
                left[side] -= u32::from(terminal);
                self.place(node, side, 1);
                sides.push(side);
                next_side[place + 1] = 0;
                if self.bound(place + 1, left, cut) < best {
                    continue;
                }
            }
            // Back to the node before, and on to its other side.
            let Some(side) = sides.pop() else {
                return Some(best);
            };
            let node = self.order[first + sides.len()];
            self.place(node, side, -1);
            cut -= self.pull[node as usize][1 - side] as u64;
            left[side] += u32::from(node < self.graph.terminals);
        }
    }

    fn place(&mut self, node: u32, side: usize, sign: i64) {
        for &(to, channels) in self.graph.of(node) {
            self.pull[to as usize][side] += sign * i64::from(channels);
        }
    }

    /// No cut of this partial halving is smaller.
    fn bound(&self, place: usize, left: [u32; 2], cut: u64) -> u64 {
        let mut forced = 0;
        // How much more each terminal costs on side 1 than on side 0.
        let mut excess = [0i64; TERMINALS_MAX as usize];
        let mut terminals = 0;
        for &node in &self.order[place..] {
            let [zero, one] = self.pull[node as usize];
            if node < self.graph.terminals {
                // On side 0 for now: it cuts the channels to side 1.
                forced += one;
                excess[terminals] = zero - one;
                terminals += 1;
            } else {
                forced += zero.min(one);
            }
        }
        let excess = &mut excess[..terminals];
        excess.sort_unstable();
        forced += excess[..left[1] as usize].iter().sum::<i64>();
        let among = self.suffix[place].get(left[0] as usize).copied();
        cut + forced as u64 + among.unwrap_or(0)
    }
}
