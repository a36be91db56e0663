//! The channel dependency graph of a relation, by enumeration: where each packet may come, what it
//! may hold there and ask for, and whether these dependencies have an order.

use flitsim_engine::{Candidates, Head, Routing};
use flitsim_topology::{Network, NodeId};
use std::collections::BTreeSet;

/// Every virtual channel that a packet may hold, as channel × 64 + virtual channel, and every pair
/// of one held and one asked for.
///
/// # Panics
/// If a packet has no way on.
pub fn dependencies(network: &Network, routing: &impl Routing) -> BTreeSet<(u32, u32)> {
    let mut edges = BTreeSet::new();
    let mut candidates = Candidates::default();
    for destination in (0..network.terminals()).map(NodeId) {
        let mut seen = BTreeSet::new();
        let mut heads: Vec<Head> = Vec::new();
        for source in (0..network.terminals()).map(NodeId) {
            heads.extend(
                (0..routing.choices(source, destination)).map(|choice| Head {
                    node: source,
                    arrived: None,
                    destination,
                    state: routing.initial(source, destination, choice),
                }),
            );
        }
        while let Some(head) = heads.pop() {
            if head.node == destination {
                continue;
            }
            candidates.clear();
            routing.route(head, &mut candidates);
            assert!(!candidates.as_slice().is_empty(), "no way on: {head:?}");
            for candidate in candidates.as_slice() {
                assert_eq!(network.source(candidate.channel), head.node);
                for vc in (0..64).filter(|vc| candidate.vcs >> vc & 1 == 1) {
                    let asked = candidate.channel.0 * 64 + vc;
                    let held = head.arrived.map(|(channel, vc)| channel.0 * 64 + vc);
                    edges.extend(held.map(|held| (held, asked)));
                    let state = routing.advance(head, candidate.channel, vc);
                    if seen.insert((asked, state)) {
                        heads.push(Head {
                            node: network.target(candidate.channel),
                            arrived: Some((candidate.channel, vc)),
                            destination,
                            state,
                        });
                    }
                }
            }
        }
    }
    edges
}

/// Whether the pairs have an order: vertices that nothing leads to are taken away until none is
/// left, or none can be taken.
pub fn is_acyclic(edges: &BTreeSet<(u32, u32)>) -> bool {
    let mut ahead = std::collections::BTreeMap::new();
    for &(_, to) in edges {
        *ahead.entry(to).or_insert(0u32) += 1;
    }
    let mut free: BTreeSet<u32> = edges.iter().map(|&(from, _)| from).collect();
    free.retain(|vertex| !ahead.contains_key(vertex));
    let mut taken = 0;
    while let Some(vertex) = free.pop_first() {
        for &(_, to) in edges.range((vertex, 0)..=(vertex, u32::MAX)) {
            taken += 1;
            let left = ahead.get_mut(&to).expect("every target was counted");
            *left -= 1;
            if *left == 0 {
                free.insert(to);
            }
        }
    }
    taken == edges.len()
}

/// A connected network of links in random order: a tree, and `more` links; node 0 and those whose
/// bit is set in `terminals` are terminals.
pub fn links(parents: &[usize], more: &[(usize, usize)], terminals: u64) -> String {
    let n = parents.len() + 1;
    let tree = parents
        .iter()
        .enumerate()
        .map(|(i, &p)| (i + 1, p % (i + 1)));
    let more = more.iter().map(|&(a, b)| (a % n, b % n));
    let mut text = String::from("from,to,parallel\n");
    for (number, (a, b)) in tree.chain(more).filter(|(a, b)| a != b).enumerate() {
        text += &format!("{a},{b},{number}\n{b},{a},{number}\n");
    }
    text += "\nnode,kind\n";
    for node in 0..n {
        let is_terminal = node == 0 || terminals >> (node % 64) & 1 == 1;
        let kind = if is_terminal { "terminal" } else { "switch" };
        text += &format!("{node},{kind}\n");
    }
    text
}
