//! The automorphisms of a star graph that keep a node, and what they take to each other.
//!
//! An automorphism renames the symbols by a permutation a and moves the positions 2 to n by a
//! permutation σ: the node π becomes a ∘ π ∘ σ⁻¹, and the channel i out of it the channel σ(i) out of
//! its image. Seen from a destination d, a node is the permutation r = d⁻¹ ∘ π that is still to be
//! undone. What keeps d has a = d ∘ σ ∘ d⁻¹, so it takes r to σ ∘ r ∘ σ⁻¹: the cycles of r, with
//! position 1 where it was, and the labels of all others anew. Colours are kept, for a and σ are both
//! even or both odd.
//!
//! A relation that respects an automorphism offers a head's image, in the same state, the images of
//! what it offers the head. So of all that automorphisms take to each other one configuration is
//! enough: whatever may follow it follows the others, moved. A path through such orbits begins at
//! any member of the first, but what stands for each is no path.
//!
//! So (n − 1)! automorphisms keep a destination, and of the nodes they leave as many as there are
//! lengths of a cycle for position 1 with partitions of the rest: 97 of the 3,628,800 of S_10.

use flitsim_topology::{ChannelId, NodeId, Star};

/// More than a star graph has positions.
const POSITIONS: usize = 16;

/// Positions from 0 on, or where their symbols belong.
type Places = [u8; POSITIONS];

/// Nodes and channels of a star graph, up to the automorphisms that keep a destination.
#[derive(Clone, Copy)]
pub(crate) struct Orbits<'n> {
    star: &'n Star,
}

impl<'n> Orbits<'n> {
    pub fn new(star: &'n Star) -> Self {
        Self { star }
    }

    fn positions(self) -> usize {
        self.star.symbols() as usize
    }

    /// The automorphisms that keep a node: (n − 1)!.
    pub fn automorphisms(self) -> u64 {
        factorial(self.positions() - 1)
    }

    /// One node of each orbit, and how many there are in it.
    pub fn nodes(self, destination: NodeId) -> Vec<(NodeId, u64)> {
        let n = self.positions();
        let mut found = Vec::new();
        for first in 1..=n {
            for_each_partition(n - first, &mut |others| {
                let mut places: Places = [0; POSITIONS];
                let mut start = 0;
                for &length in std::iter::once(&first).chain(others) {
                    for at in 0..length {
                        places[start + at] = (start + (at + 1) % length) as u8;
                    }
                    start += length;
                }
                let node = self.node(destination, &places);
                found.push((node, self.automorphisms() / fixers(others)));
            });
        }
        found
    }

    /// The channel that stands for all that automorphisms which keep `destination` take `channel` to,
    /// and how many these are.
    pub fn channel(self, destination: NodeId, channel: ChannelId) -> (ChannelId, u64) {
        let n = self.positions();
        let ways = self.star.symbols() - 1;
        let places = self.places(destination, NodeId(channel.0 / ways));
        let marked = (channel.0 % ways + 1) as usize;
        // The cycles of position 1 and of the one marked come first, then the longest.
        let mut cycles = vec![cycle(&places, 0)];
        if !cycles[0].contains(&marked) {
            cycles.push(cycle(&places, marked));
        }
        let named = cycles.len();
        for position in 1..n {
            if !cycles.iter().any(|cycle| cycle.contains(&position)) {
                cycles.push(cycle(&places, position));
            }
        }
        cycles[named..].sort_by_key(|cycle| std::cmp::Reverse(cycle.len()));
        let others: Vec<usize> = cycles[named..].iter().map(Vec::len).collect();
        // Positions get new labels in that order.
        let mut label: Places = [0; POSITIONS];
        for (position, new) in cycles.into_iter().flatten().zip(0..) {
            label[position] = new;
        }
        let mut labelled: Places = [0; POSITIONS];
        for position in 0..n {
            labelled[label[position] as usize] = label[places[position] as usize];
        }
        let node = self.node(destination, &labelled);
        let way = u32::from(label[marked]) + 1;
        let count = self.automorphisms() / fixers(&others);
        (self.star.channel(node, way), count)
    }

    /// Where the symbols of `node` belong in `destination`, by position.
    fn places(self, destination: NodeId, node: NodeId) -> Places {
        let mut home: Places = [0; POSITIONS];
        for (symbol, position) in self.star.permutation(destination).zip(0..) {
            home[symbol as usize - 1] = position;
        }
        let mut places: Places = [0; POSITIONS];
        for (place, symbol) in places.iter_mut().zip(self.star.permutation(node)) {
            *place = home[symbol as usize - 1];
        }
        places
    }

    /// The node whose symbols belong in `places` of `destination`.
    fn node(self, destination: NodeId, places: &Places) -> NodeId {
        let n = self.positions();
        let symbols: Vec<u32> = self.star.permutation(destination).collect();
        let own: Vec<u32> = places[..n].iter().map(|&p| symbols[p as usize]).collect();
        self.star.node_at(&own)
    }
}

/// The positions of the cycle that `start` is on, from it on.
fn cycle(places: &Places, start: usize) -> Vec<usize> {
    let next = |&position: &usize| {
        let next = places[position] as usize;
        (next != start).then_some(next)
    };
    std::iter::successors(Some(start), next).collect()
}

/// How many permutations of their positions leave cycles of the given lengths as they are, equal
/// lengths side by side: each may be turned, and those of one length may change places.
fn fixers(lengths: &[usize]) -> u64 {
    let turns = lengths.iter().map(|&length| length as u64);
    let exchanges = lengths
        .chunk_by(|a, b| a == b)
        .map(|equal| factorial(equal.len()));
    turns.chain(exchanges).product()
}

fn factorial(n: usize) -> u64 {
    (1..=n as u64).product()
}

/// Calls `visit` with every way to write `whole` as a sum, the greatest part first.
fn for_each_partition(whole: usize, visit: &mut impl FnMut(&[usize])) {
    fn rest(left: usize, most: usize, parts: &mut Vec<usize>, visit: &mut impl FnMut(&[usize])) {
        if left == 0 {
            return visit(parts);
        }
        for part in (1..=left.min(most)).rev() {
            parts.push(part);
            rest(left - part, part, parts, visit);
            parts.pop();
        }
    }
    rest(whole, whole, &mut Vec::new(), visit);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Destinations of both colours.
    const DESTINATIONS: [NodeId; 2] = [NodeId(0), NodeId(31)];

    #[test]
    fn orbits_of_nodes_are_a_partition() {
        let star = Star::new(5).unwrap();
        let orbits = Orbits::new(&star);
        for destination in DESTINATIONS {
            let nodes = orbits.nodes(destination);
            assert_eq!(nodes.iter().map(|&(_, count)| count).sum::<u64>(), 120);
            // Lengths of the cycle of position 1 with partitions of the rest: 5 + 3 + 2 + 1 + 1.
            assert_eq!(nodes.len(), 12);
        }
        let large = Star::new(8).unwrap();
        let nodes = Orbits::new(&large).nodes(NodeId(7));
        assert_eq!(nodes.iter().map(|&(_, count)| count).sum::<u64>(), 40_320);
    }

    /// Against all 24 automorphisms of S_5 that keep a destination, applied one by one.
    #[test]
    fn orbits_of_channels_are_those_of_the_automorphisms() {
        let star = Star::new(5).unwrap();
        let orbits = Orbits::new(&star);
        for destination in DESTINATIONS {
            let mut members: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
            for channel in 0..480 {
                let (stands, _) = orbits.channel(destination, ChannelId(channel));
                members.entry(stands.0).or_default().push(channel);
            }
            for (&stands, members) in &members {
                let (own, count) = orbits.channel(destination, ChannelId(stands));
                assert_eq!((own.0, count), (stands, members.len() as u64));
                let mut images: Vec<u32> = all_orders()
                    .map(|order| image(&star, destination, &order, stands))
                    .collect();
                images.sort_unstable();
                images.dedup();
                assert_eq!(&images, members);
            }
        }
    }

    /// The permutations of the positions 1 to 5 that leave 1 where it is.
    fn all_orders() -> impl Iterator<Item = Vec<u32>> {
        let four = Star::new(4).unwrap();
        let orders: Vec<Vec<u32>> = (0..24)
            .map(|rank| {
                let moved = four.permutation(NodeId(rank)).map(|p| p + 1);
                std::iter::once(1).chain(moved).collect()
            })
            .collect();
        orders.into_iter()
    }

    fn image(star: &Star, destination: NodeId, order: &[u32], channel: u32) -> u32 {
        let moved = |node| star.move_positions(order, node);
        // The renaming that brings the destination back.
        let by = (0..120)
            .map(NodeId)
            .find(|&by| star.translate(by, moved(destination)) == destination)
            .unwrap();
        let node = star.translate(by, moved(NodeId(channel / 4)));
        star.channel(node, order[channel as usize % 4 + 1]).0
    }
}
