//! Faults drawn at random, the same for a seed everywhere.
//!
//! Invariant: of two draws from the same network with the same seed, the shorter one is the
//! beginning of the longer: more faults are the fewer ones and others, so that what happens as
//! faults grow in number is not blurred by where they are.

use crate::links::links;
use crate::{ChannelId, Network, NodeId};
use flitsim_random::Address;
use rand::seq::SliceRandom;

/// Nodes and links of one seed are drawn apart from each other, and from all else of the seed.
const NODES: u64 = u64::from_be_bytes(*b"nodes\0\0\0");
const LINKS: u64 = u64::from_be_bytes(*b"links\0\0\0");

/// `count` of the nodes of `network` that have not failed, terminals and switches alike, each set as
/// likely as another; `Err` of how many there are, where they are fewer.
///
/// # Errors
/// The number of nodes there are to choose from.
pub fn random_nodes(network: &Network, count: u32, seed: u64) -> Result<Vec<NodeId>, u32> {
    let nodes = (0..network.nodes()).map(NodeId);
    let nodes = nodes.filter(|&node| network.is_living(node)).collect();
    drawn(nodes, count, Address::new(seed).with(NODES))
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
    let drawn = drawn(all, count, Address::new(seed).with(LINKS))?;
    let channels = drawn.into_iter();
    Ok(channels
        .flat_map(|(channel, opposite)| [Some(channel), opposite])
        .flatten()
        .collect())
}

/// The first `count` of `all` in the order of `address`. All are shuffled, however few are wanted: the
/// order must not depend on how many.
fn drawn<T>(mut all: Vec<T>, count: u32, address: Address) -> Result<Vec<T>, u32> {
    let there = all.len() as u32;
    if count > there {
        return Err(there);
    }
    all.shuffle(&mut address.generator());
    all.truncate(count as usize);
    Ok(all)
}
