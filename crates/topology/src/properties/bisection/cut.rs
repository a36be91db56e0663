//! Halvings along an order of the terminals, and the graph that searches work on.

use crate::search::distances_from;
use crate::{ChannelId, Network, NodeId};

/// A network without directions: for each node its neighbours and the channels to and from each.
pub(super) struct Links {
    start: Vec<u32>,
    links: Vec<(u32, u32)>,
    pub(super) terminals: u32,
}

impl Links {
    pub(super) fn new(network: &Network) -> Self {
        let mut start = vec![0];
        let mut links = Vec::new();
        let mut here = Vec::new();
        for node in (0..network.nodes()).map(NodeId) {
            here.clear();
            here.extend(network.targets(node).iter().map(|to| to.0));
            here.extend(network.incoming(node).iter().map(|&c| network.source(c).0));
            here.retain(|&other| other != node.0);
            here.sort_unstable();
            let same = here.chunk_by(|a, b| a == b);
            links.extend(same.map(|same| (same[0], same.len() as u32)));
            start.push(links.len() as u32);
        }
        Self {
            start,
            links,
            terminals: network.terminals(),
        }
    }

    pub(super) fn nodes(&self) -> u32 {
        self.start.len() as u32 - 1
    }

    /// Neighbours of a node, each with the number of channels, both ways together.
    pub(super) fn of(&self, node: u32) -> &[(u32, u32)] {
        let range = self.start[node as usize]..self.start[node as usize + 1];
        &self.links[range.start as usize..range.end as usize]
    }

    /// How many links there are, each counted at both ends.
    pub(super) fn ends(&self) -> u64 {
        self.links.len() as u64
    }

    /// Channels between the sides.
    pub(super) fn across(&self, sides: &[bool]) -> u64 {
        let of_node = |node: u32| {
            let links = self.of(node).iter();
            let crossing = links.filter(|&&(to, _)| sides[to as usize] != sides[node as usize]);
            crossing
                .map(|&(_, channels)| u64::from(channels))
                .sum::<u64>()
        };
        (0..self.nodes()).map(of_node).sum::<u64>() / 2
    }
}

/// A halving.
pub(super) struct Cut {
    /// The side of every node.
    pub(super) sides: Vec<bool>,
    /// Channels across.
    pub(super) channels: u64,
}

impl Cut {
    /// The halving whose first half are the terminals that come first in `order`; each switch is
    /// where more of its neighbours are.
    pub(super) fn of_order(network: &Network, order: &[u32]) -> Self {
        let sides = sides_of_order(network, order);
        let crosses = |&channel: &ChannelId| {
            sides[network.source(channel).index()] != sides[network.target(channel).index()]
        };
        let all = (0..network.channels()).map(ChannelId);
        let channels = all.filter(crosses).count() as u64;
        Self { sides, channels }
    }
}

/// The side of every node: the terminals by their order, the switches by their neighbours.
fn sides_of_order(network: &Network, order: &[u32]) -> Vec<bool> {
    // 1 and -1 for the sides, 0 for a switch that has none yet.
    let mut sides = vec![0i8; network.nodes() as usize];
    for (place, &node) in order.iter().enumerate() {
        sides[node as usize] = if place < order.len() / 2 { -1 } else { 1 };
    }
    let switches = network.terminals()..network.nodes();
    let mut changes = true;
    // Sides spread from the terminals; switches that still change after many rounds may stay.
    for _ in 0..64 {
        if !std::mem::take(&mut changes) {
            break;
        }
        for switch in switches.clone() {
            let node = NodeId(switch);
            let out = network.targets(node).iter().map(|to| sides[to.index()]);
            let into = network.incoming(node);
            let into = into
                .iter()
                .map(|&channel| sides[network.source(channel).index()]);
            let sum: i32 = out.chain(into).map(i32::from).sum();
            let side = sum.signum() as i8;
            if side != 0 && side != sides[switch as usize] {
                sides[switch as usize] = side;
                changes = true;
            }
        }
    }
    sides.into_iter().map(|side| side > 0).collect()
}

/// Orders of the terminals whose first halves are worth a try: by each coordinate in turn, where
/// the family has them, and as they are numbered; else by distance from the first, too.
pub(super) fn starts(network: &Network) -> Vec<Vec<u32>> {
    let terminals = network.terminals();
    let natural: Vec<u32> = (0..terminals).collect();
    let family = network.family();
    let mut starts = Vec::new();
    let coordinates = |node: u32| family.coordinates(NodeId(node));
    if let Some(dimensions) = coordinates(0).map(<[u16]>::len) {
        for dimension in 0..dimensions {
            let mut order = natural.clone();
            // A stable sort: where the middle is within a layer, it is cut as it is numbered.
            order.sort_by_key(|&node| coordinates(node).map(|all| all[dimension]));
            starts.push(order);
        }
    } else {
        let hops = distances_from(network, NodeId(0));
        let mut order = natural.clone();
        order.sort_by_key(|&node| hops[node as usize]);
        starts.push(order);
    }
    starts.push(natural);
    starts
}
