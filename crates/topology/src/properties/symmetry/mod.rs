//! Automorphisms that are known, and which nodes and channels they show to be alike.
//!
//! An automorphism is a permutation of the nodes that takes terminals to terminals and the channels
//! between any two nodes to as many channels between their images; lengths of wires do not count.
//! The family suggests some. Every one is checked on the network, node by node; one that fails is
//! dropped. So what follows from them holds, whatever the family's definition claims: all nodes of
//! an orbit see the same distances.
//!
//! Orbits of more automorphisms can only be larger: one orbit proves symmetry, several prove
//! nothing. Against symmetry speaks an invariant that differs: degrees, or distances.

mod check;
mod invariant;

use crate::{ChannelId, Network, NodeId};
use check::{ChannelClasses, Classes, Kind};

/// Nodes, or channels, that automorphisms take to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Orbit<T> {
    /// The lowest of them.
    pub representative: T,
    /// How many there are.
    pub size: u32,
}

/// The automorphisms that are known of a network, and what follows.
#[derive(Clone, Debug)]
pub struct Symmetry {
    generators: Vec<String>,
    terminals: Vec<Orbit<NodeId>>,
    nodes: u32,
    channels: Vec<Orbit<ChannelId>>,
    node_symmetric: Option<bool>,
    channel_symmetric: Option<bool>,
}

impl Symmetry {
    /// What is known of the symmetry of `network`: in time of a few passes over the channels for
    /// each automorphism, and a few searches.
    pub fn of(network: &Network) -> Self {
        let mut generators = Vec::new();
        let mut ordered = Vec::new();
        let mut others = Vec::new();
        for guess in network.family().guesses() {
            let images = check::images(network, &guess.image);
            match check::kind(network, &images) {
                Kind::KeepsOrder => ordered.push(images),
                Kind::Automorphism => others.push(images),
                Kind::Neither => continue,
            }
            generators.push(guess.name);
        }
        let alike = check::orbits_in_order(network, &ordered);
        let mut nodes = alike.clone();
        for images in &others {
            nodes.join(images);
        }
        let mut classes = ChannelClasses::new(network, alike, &others);
        let channels = classes.orbits();
        let all_nodes = nodes.into_orbits();
        let is_terminal = |orbit: &Orbit<u32>| orbit.representative < network.terminals();
        let terminals: Vec<Orbit<NodeId>> = all_nodes
            .iter()
            .filter(|orbit| is_terminal(orbit))
            .map(|orbit| Orbit {
                representative: NodeId(orbit.representative),
                size: orbit.size,
            })
            .collect();
        let node_symmetric = match terminals.len() {
            0 => None,
            1 => Some(true),
            _ => invariant::terminals_differ(network, &terminals).then_some(false),
        };
        let channel_symmetric = match channels.len() {
            0 => None,
            1 => Some(true),
            _ => (invariant::channels_differ(network, &channels)
                || invariant::paths_differ(network, &terminals, &mut classes))
            .then_some(false),
        };
        Self {
            generators,
            terminals,
            nodes: all_nodes.len() as u32,
            channels,
            node_symmetric,
            channel_symmetric,
        }
    }

    /// What each of the automorphisms does; together they generate all that are known.
    pub fn generators(&self) -> &[String] {
        &self.generators
    }

    /// The orbits of the nodes that have terminals.
    pub fn terminal_orbits(&self) -> &[Orbit<NodeId>] {
        &self.terminals
    }

    /// The number of orbits of all nodes, with or without terminals.
    pub fn node_orbits(&self) -> u32 {
        self.nodes
    }

    /// The orbits of the channels.
    pub fn channel_orbits(&self) -> &[Orbit<ChannelId>] {
        &self.channels
    }

    /// Whether the network looks the same from every terminal: an automorphism takes any node that
    /// has a terminal to any other. Switches without a terminal do not count, so that a fat-tree is
    /// node-symmetric where its processors are alike. `None` where neither is proved.
    pub fn is_node_symmetric(&self) -> Option<bool> {
        self.node_symmetric
    }

    /// Whether an automorphism takes any channel to any other, those of switches included. `None`
    /// where neither is proved.
    pub fn is_channel_symmetric(&self) -> Option<bool> {
        self.channel_symmetric
    }

    /// Whether one orbit holds every node, so that any node may stand for any other.
    pub(super) fn is_transitive(&self) -> bool {
        self.nodes == 1
    }
}

impl Classes {
    /// The classes as orbits, by their lowest member.
    fn into_orbits(mut self) -> Vec<Orbit<u32>> {
        let sizes = self.sizes();
        let sized = (0..).zip(sizes).filter(|&(_, size)| size > 0);
        sized
            .map(|(representative, size)| Orbit {
                representative,
                size,
            })
            .collect()
    }
}
