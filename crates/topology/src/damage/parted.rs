//! Which terminals a network keeps apart.

use crate::search::{UNREACHABLE, distances_from, distances_to, unpaired_channel};
use crate::{Network, NodeId};

/// Pairs of living terminals of which the second cannot be reached from the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartedPairs {
    /// How many ordered pairs.
    pub count: u64,
    /// The first of them, in ascending order.
    pub first: Vec<(NodeId, NodeId)>,
}

impl PartedPairs {
    /// The pairs that `network` keeps apart, the first `named_most` of them by name; `None` where
    /// every living terminal reaches every other.
    pub fn of(network: &Network, named_most: usize) -> Option<Self> {
        let root = network.living_terminals().next()?;
        let ways = [distances_from(network, root), distances_to(network, root)];
        let all_reached = |ways: &Vec<u32>| {
            let mut living = network.living_terminals();
            living.all(|node| ways[node.index()] != UNREACHABLE)
        };
        if ways.iter().all(all_reached) {
            return None;
        }
        Some(match unpaired_channel(network) {
            None => Self::of_parts(network, named_most),
            Some(_) => Self::by_search(network, named_most),
        })
    }

    /// Of a network of links: it falls into parts, and pairs are apart that are in two of them.
    fn of_parts(network: &Network, named_most: usize) -> Self {
        let mut part = vec![u32::MAX; network.nodes() as usize];
        let mut sizes = Vec::new();
        let mut queue = Vec::new();
        for root in network.living_terminals() {
            if part[root.index()] != u32::MAX {
                continue;
            }
            let number = sizes.len() as u32;
            part[root.index()] = number;
            queue.push(root);
            let mut size = 0u64;
            while let Some(node) = queue.pop() {
                size += u64::from(node.0 < network.terminals());
                for &next in network.targets(node) {
                    if part[next.index()] == u32::MAX {
                        part[next.index()] = number;
                        queue.push(next);
                    }
                }
            }
            sizes.push(size);
        }
        let living = u64::from(network.living_terminals_count());
        let together: u64 = sizes.iter().map(|size| size * size).sum();
        let pairs = network.living_terminals().flat_map(|from| {
            let to = network.living_terminals();
            to.map(move |to| (from, to))
        });
        let apart = pairs.filter(|(from, to)| part[from.index()] != part[to.index()]);
        Self {
            count: living * living - together,
            first: apart.take(named_most).collect(),
        }
    }

    /// Of any network: a search from every terminal.
    fn by_search(network: &Network, named_most: usize) -> Self {
        let sources: Vec<NodeId> = network.living_terminals().collect();
        let out_of_reach = |source: usize| {
            let from = sources[source];
            let hops = distances_from(network, from);
            let living = network.living_terminals();
            let apart = living.filter(|to| hops[to.index()] == UNREACHABLE);
            let mut count = 0;
            let mut first = Vec::new();
            for to in apart {
                count += 1;
                if first.len() < named_most {
                    first.push((from, to));
                }
            }
            (count, first)
        };
        let found: Vec<(u64, Vec<_>)> = crate::parallel::map(sources.len(), out_of_reach);
        Self {
            count: found.iter().map(|(count, _)| count).sum(),
            first: found
                .into_iter()
                .flat_map(|(_, first)| first)
                .take(named_most)
                .collect(),
        }
    }
}
