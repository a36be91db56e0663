//! What automorphisms leave alone, and so tells nodes and channels apart.

use super::Orbit;
use super::check::ChannelClasses;
use crate::search::{Search, UNREACHABLE, distances_from, distances_to};
use crate::{ChannelId, Network, NodeId};

/// Channels that may be passed in search of a difference.
const VISITS_MAX: u64 = 200_000_000;

/// How many orbits to compare with the first.
fn samples(network: &Network) -> usize {
    let one = 2 * u64::from(network.channels()).max(1);
    (VISITS_MAX / one).clamp(2, 64) as usize
}

/// At most `count` of the items, evenly spread.
fn spread<T>(items: &[T], count: usize) -> impl Iterator<Item = &T> {
    items.iter().step_by(items.len().div_ceil(count).max(1))
}

/// Whether two of the terminals differ in degree, or in how many terminals are how far there and
/// back.
pub(super) fn terminals_differ(network: &Network, orbits: &[Orbit<NodeId>]) -> bool {
    let degrees = |node| (network.outgoing(node).len(), network.in_degree(node));
    let nodes: Vec<NodeId> = orbits.iter().map(|orbit| orbit.representative).collect();
    if nodes.iter().any(|&node| degrees(node) != degrees(nodes[0])) {
        return true;
    }
    let profile = |node| {
        let (there, back) = (distances_from(network, node), distances_to(network, node));
        let pairs = there.into_iter().zip(back);
        let mut profile: Vec<_> = pairs.take(network.terminals() as usize).collect();
        profile.sort_unstable();
        profile
    };
    let mut profiles = spread(&nodes, samples(network)).map(|&node| profile(node));
    let first = profiles.next();
    profiles.any(|profile| Some(profile) != first)
}

/// Whether two of the channels differ: in the degrees of their ends, whether these have terminals,
/// or in how many nodes are how far from both.
pub(super) fn channels_differ(network: &Network, orbits: &[Orbit<ChannelId>]) -> bool {
    let end = |node: NodeId| {
        (
            node.0 < network.terminals(),
            network.outgoing(node).len(),
            network.in_degree(node),
        )
    };
    let channels: Vec<ChannelId> = orbits.iter().map(|orbit| orbit.representative).collect();
    let ends = |&c: &ChannelId| (end(network.source(c)), end(network.target(c)));
    if channels.iter().any(|c| ends(c) != ends(&channels[0])) {
        return true;
    }
    let profile = |&channel: &ChannelId| {
        let from_source = distances_from(network, network.source(channel));
        let from_target = distances_from(network, network.target(channel));
        let mut profile: Vec<_> = from_source.into_iter().zip(from_target).collect();
        profile.sort_unstable();
        profile
    };
    let mut profiles = spread(&channels, samples(network)).map(profile);
    let first = profiles.next();
    profiles.any(|profile| Some(profile) != first)
}

/// Whether more shortest paths between terminals lead over a channel of one orbit than over one of
/// another. Paths from one terminal of each orbit are enough: those from the others lead over as
/// many channels of each orbit.
///
/// The numbers are huge, and counted modulo 2^64: where those differ, so do the true ones.
pub(super) fn paths_differ(
    network: &Network,
    orbits: &[Orbit<NodeId>],
    classes: &mut ChannelClasses,
) -> bool {
    if orbits.len() > samples(network) / 2 {
        return false;
    }
    let mut search = Search::new(network);
    let mut over = vec![0u64; classes.sizes().len()];
    for orbit in orbits {
        search.forward(network, orbit.representative);
        let Search {
            distances, queue, ..
        } = &search;
        let follows = |node: NodeId, to: NodeId| {
            let distance = distances[node.index()];
            distance != UNREACHABLE && distances[to.index()] == distance + 1
        };
        // Shortest paths to each node, and from it on to terminals that it is on the way to.
        let mut to_here = vec![0u64; distances.len()];
        let mut from_here = vec![0u64; distances.len()];
        to_here[orbit.representative.index()] = 1;
        for &node in queue {
            for &to in network
                .targets(node)
                .iter()
                .filter(|&&to| follows(node, to))
            {
                to_here[to.index()] = to_here[to.index()].wrapping_add(to_here[node.index()]);
            }
        }
        for &node in queue.iter().rev() {
            let mut onward = u64::from(node.0 < network.terminals());
            for (slot, &to) in network.targets(node).iter().enumerate() {
                if follows(node, to) {
                    let beyond = from_here[to.index()];
                    onward = onward.wrapping_add(beyond);
                    let paths = to_here[node.index()].wrapping_mul(beyond);
                    let paths = paths.wrapping_mul(u64::from(orbit.size));
                    let over = &mut over[classes.of(node, slot)];
                    *over = over.wrapping_add(paths);
                }
            }
            from_here[node.index()] = onward;
        }
    }
    // Means over the orbits, compared without a division.
    let mut means = over
        .iter()
        .zip(classes.sizes())
        .filter(|&(_, &size)| size > 0);
    let Some((&first, &of_first)) = means.next() else {
        return false;
    };
    means.any(|(&paths, &size)| {
        paths.wrapping_mul(u64::from(of_first)) != first.wrapping_mul(u64::from(size))
    })
}
