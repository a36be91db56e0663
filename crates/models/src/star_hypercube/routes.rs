//! The shortest paths of the star graph, by kinds of permutations instead of permutations.
//!
//! How far a node is from the identity, and by how many channels it comes nearer, depends on the
//! cycles of its permutation alone: on the length of the one that symbol 1 is in, and on the lengths
//! of the others. So a kind is those lengths; S_12 has 195 kinds and 479,001,600 nodes.
//!
//! Invariant: every shortest path counts the same, as the sum over paths in the appendix has it.

use std::collections::BTreeMap;

/// The cycles of a permutation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    /// Symbols in the cycle of symbol 1; 1 where it is at home.
    first: u32,
    /// Lengths of the other cycles of two symbols or more, the longest first.
    others: Vec<u32>,
}

impl Kind {
    /// m + c − (0 if symbol 1 is home, else 2), m misplaced symbols in c cycles.
    fn distance(&self) -> u32 {
        let others: u32 = self.others.iter().map(|length| length + 1).sum();
        let first = if self.first == 1 {
            0
        } else {
            self.first + 1 - 2
        };
        others + first
    }

    /// The kinds one hop nearer, each with the number of channels that lead there: the symbol in the
    /// first place goes home, or the cycle of symbol 1 takes in another, at any of its symbols.
    fn nearer(&self) -> Vec<(Self, u32)> {
        let mut found = Vec::new();
        if self.first > 1 {
            let mut home = self.clone();
            home.first -= 1;
            found.push((home, 1));
        }
        let mut i = 0;
        while i < self.others.len() {
            let length = self.others[i];
            let alike = self.others[i..]
                .iter()
                .take_while(|&&l| l == length)
                .count();
            let mut joined = self.clone();
            joined.others.remove(i);
            joined.first += length;
            found.push((joined, length * alike as u32));
            i += alike;
        }
        found
    }

    /// Channels that lead nearer: f.
    fn profitable(&self) -> u32 {
        self.others.iter().sum::<u32>() + u32::from(self.first > 1)
    }

    /// Permutations of this kind among the n! of `symbols` = n symbols:
    /// (n − 1)! / (Π L^m_L m_L! · fixed!), m_L the number of the other cycles of length L.
    fn permutations(&self, symbols: u32) -> f64 {
        let factorial = |n: u32| (2..=n).map(f64::from).product::<f64>();
        let moved: u32 = self.first + self.others.iter().sum::<u32>();
        let mut same = factorial(symbols - moved);
        for (i, &length) in self.others.iter().enumerate() {
            let alike = self.others[..=i].iter().filter(|&&l| l == length).count();
            same *= f64::from(length) * alike as f64;
        }
        factorial(symbols - 1) / same
    }

    /// All kinds of permutations of `symbols` symbols but the identity.
    fn all(symbols: u32) -> Vec<Self> {
        let mut found = Vec::new();
        for first in 1..=symbols {
            // Partitions of what is left into lengths of at least 2, the longest first; the rest of
            // the symbols is fixed.
            let mut open = vec![(Vec::new(), symbols - first, symbols - first)];
            while let Some((others, left, longest)) = open.pop() {
                for length in 2..=left.min(longest) {
                    let mut more: Vec<u32> = others.clone();
                    more.push(length);
                    open.push((more, left - length, length));
                }
                found.push(Self { first, others });
            }
        }
        found.retain(|kind| kind.distance() > 0);
        found
    }
}

/// Destinations whose shortest paths look alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Destinations {
    /// How many of the n! − 1 others they are.
    pub count: f64,
    /// Hops to them.
    pub distance: u32,
    /// For each hop, from the first: how many channels are profitable, f, and the share of the
    /// shortest paths where that is so.
    pub profitable: Vec<Vec<(u32, f64)>>,
}

/// The destinations of a node of S_n, n = `symbols`, alike ones together.
pub fn destinations(symbols: u32) -> Vec<Destinations> {
    let mut kinds = Kind::all(symbols);
    kinds.sort_by_key(Kind::distance);
    // Shortest paths from each kind to the identity, the nearest first.
    let mut paths: BTreeMap<Kind, f64> = BTreeMap::new();
    let identity = Kind {
        first: 1,
        others: Vec::new(),
    };
    paths.insert(identity, 1.0);
    for kind in &kinds {
        let ways = |(nearer, channels): &(Kind, u32)| f64::from(*channels) * paths[nearer];
        let count = kind.nearer().iter().map(ways).sum();
        paths.insert(kind.clone(), count);
    }
    kinds
        .iter()
        .map(|kind| Destinations {
            count: kind.permutations(symbols),
            distance: kind.distance(),
            profitable: profitable_by_hop(kind, &paths),
        })
        .collect()
}

fn profitable_by_hop(from: &Kind, paths: &BTreeMap<Kind, f64>) -> Vec<Vec<(u32, f64)>> {
    let mut here = BTreeMap::from([(from.clone(), 1.0)]);
    let mut hops = Vec::with_capacity(from.distance() as usize);
    for _ in 0..from.distance() {
        let mut shares: BTreeMap<u32, f64> = BTreeMap::new();
        let mut next: BTreeMap<Kind, f64> = BTreeMap::new();
        for (kind, share) in &here {
            *shares.entry(kind.profitable()).or_default() += share;
            for (nearer, channels) in kind.nearer() {
                let part = f64::from(channels) * paths[&nearer] / paths[kind];
                *next.entry(nearer).or_default() += share * part;
            }
        }
        hops.push(shares.into_iter().collect());
        here = next;
    }
    hops
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_hold_every_permutation_once() {
        for symbols in 2..=9 {
            let all: f64 = Kind::all(symbols)
                .iter()
                .map(|kind| kind.permutations(symbols))
                .sum();
            let factorial: f64 = (1..=symbols).map(f64::from).product();
            assert_eq!(all, factorial - 1.0, "S_{symbols}");
        }
        assert_eq!(Kind::all(12).len() + 1, 195);
    }

    #[test]
    fn a_hop_nearer_is_one_hop_nearer() {
        for kind in Kind::all(8) {
            let mut channels = 0;
            for (nearer, ways) in kind.nearer() {
                assert_eq!(nearer.distance() + 1, kind.distance(), "{kind:?}");
                channels += ways;
            }
            assert_eq!(channels, kind.profitable());
        }
    }
}
