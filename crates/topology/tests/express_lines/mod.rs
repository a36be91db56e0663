//! Lines of express cubes, and the ways along them.
#![allow(dead_code, reason = "either test program takes what it needs")]

use flitsim_topology::express::{Decomposition, ExpressChannel};
use flitsim_topology::{ChannelId, ExpressCube, ExpressParameters, Network, NodeId};

/// One dimension of whole interchanges.
pub fn line(radix: u32, interval: u32, levels: u32) -> ExpressParameters {
    ExpressParameters::new(radix, 1, interval, levels)
}

/// One dimension of interchanges made of level-one interchanges.
pub fn decomposed(radix: u32, i: u32, l: u32, decomposition: Decomposition) -> ExpressParameters {
    ExpressParameters {
        decomposition,
        ..line(radix, i, l)
    }
}

/// Hops between two nodes of a line.
pub fn hops(cube: &ExpressCube, from: u32, to: u32) -> u32 {
    cube.hops(NodeId(from), NodeId(to))
}

/// The routers and the kinds of channels on the way between two nodes, by the rule.
pub fn route(network: &Network, from: u32, to: u32) -> Vec<(ChannelId, ExpressChannel)> {
    let cube = network.express_cube().unwrap();
    let mut at = NodeId(from);
    let mut taken = Vec::new();
    while let Some(way) = cube.way(at, NodeId(to)) {
        let (kind, _) = cube.channel(at, way.first).unwrap();
        taken.push((way.first, kind));
        assert_eq!(network.source(way.first), at);
        at = network.target(way.first);
        assert!(taken.len() <= network.nodes() as usize, "an endless way");
    }
    assert_eq!(at, NodeId(to));
    taken
}
