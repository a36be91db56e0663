//! Faults drawn at random, the same for a seed everywhere.
//!
//! Invariant: of two draws from the same network with the same seed, the shorter one is the
//! beginning of the longer: more faults are the fewer ones and others, so that what happens as
//! faults grow in number is not blurred by where they are.

use crate::links::links;
use crate::properties::draw;
use crate::{ChannelId, Network, NodeId};

/// Told apart from links of the same seed.
const NODES: u64 = 0x6e6f_6465;

/// `count` of the nodes of `network` that have not failed, terminals and switches alike, each set as
/// likely as another; `Err` of how many there are, where they are fewer.
///
/// # Errors
/// The number of nodes there are to choose from.
pub fn random_nodes(network: &Network, count: u32, seed: u64) -> Result<Vec<NodeId>, u32> {
    let nodes = (0..network.nodes()).map(NodeId);
    let nodes = nodes.filter(|&node| network.is_living(node)).collect();
    drawn(nodes, count, seed ^ NODES)
}

/// `count` of the links of `network`, each set as likely as another, and of each the channels both
/// ways: the j-th channel from one node to another and the j-th one back are a link, a channel
/// without one back is a link by itself.
///
/// # Errors
/// The number of links there are to choose from, where they are fewer.
pub fn random_links(network: &Network, count: u32, seed: u64) -> Result<Vec<ChannelId>, u32> {
    let all = links(network).into_iter();
    let all = all.map(|link| (link.channel, link.opposite)).collect();
    let drawn = drawn(all, count, seed)?;
    let channels = drawn.into_iter();
    Ok(channels
        .flat_map(|(channel, opposite)| [Some(channel), opposite])
        .flatten()
        .collect())
}

/// The first `count` of `all` in an order drawn by `seed` (Durstenfeld, "Algorithm 235: Random
/// permutation", CACM 7(7), 1964, from the front).
fn drawn<T>(mut all: Vec<T>, count: u32, seed: u64) -> Result<Vec<T>, u32> {
    let there = all.len() as u32;
    if count > there {
        return Err(there);
    }
    for place in 0..count as usize {
        let left = (all.len() - place) as u64;
        all.swap(place, place + draw(seed, place as u64, left) as usize);
    }
    all.truncate(count as usize);
    Ok(all)
}
