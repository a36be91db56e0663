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

/// Automorphisms that were checked, with what they take to each other: for whoever enumerates one of what is
/// alike.
#[derive(Clone, Debug)]
pub struct Automorphisms {
    images: Vec<Vec<NodeId>>,
    terminals: Vec<Orbit<NodeId>>,
    /// By channel.
    class_of: Vec<u32>,
    /// By class: how many channels it has.
    sizes: Vec<u32>,
}

impl Automorphisms {
    /// Those that the family of `network` suggests, with `keep_dimensions` those alone that take every channel
    /// to one of the same dimension; `None` where there are none.
    pub fn of(network: &Network, keep_dimensions: bool) -> Option<Self> {
        let guesses = network.family().guesses().into_iter();
        let images = guesses.map(|guess| check::images(network, &guess.image));
        let is_fit = |images: &Vec<NodeId>| {
            check::kind(network, images) != Kind::Neither
                && (!keep_dimensions || check::keeps_dimensions(network, images))
        };
        let images: Vec<_> = images.filter(is_fit).collect();
        if images.is_empty() {
            return None;
        }
        let mut nodes = Classes::new(network.nodes() as usize);
        images.iter().for_each(|images| nodes.join(images));
        let orbits = nodes.into_orbits().into_iter();
        let terminals = orbits.filter(|orbit| orbit.representative < network.terminals());
        let alone = Classes::new(network.nodes() as usize);
        let mut classes = ChannelClasses::new(network, alone, &images);
        let mut numbers = vec![u32::MAX; classes.sizes().len()];
        let mut sizes = Vec::new();
        for (number, &size) in numbers.iter_mut().zip(classes.sizes()) {
            if size > 0 {
                *number = sizes.len() as u32;
                sizes.push(size);
            }
        }
        let mut class_of = Vec::with_capacity(network.channels() as usize);
        for node in (0..network.nodes()).map(NodeId) {
            let slots = 0..network.outgoing(node).len();
            class_of.extend(slots.map(|slot| numbers[classes.of(node, slot)]));
        }
        Some(Self {
            images,
            terminals: terminals
                .map(|orbit| Orbit {
                    representative: NodeId(orbit.representative),
                    size: orbit.size,
                })
                .collect(),
            class_of,
            sizes,
        })
    }

    /// Whether the permutation that takes each node to its image is an automorphism of `network` that takes
    /// terminals to terminals: the check that every symmetry passes before it is believed.
    pub fn is_one(network: &Network, images: &[NodeId]) -> bool {
        images.len() == network.nodes() as usize && check::kind(network, images) != Kind::Neither
    }

    /// By node, its image under each of them.
    pub fn images(&self) -> &[Vec<NodeId>] {
        &self.images
    }

    /// The orbits of the terminals.
    pub fn terminals(&self) -> &[Orbit<NodeId>] {
        &self.terminals
    }

    /// By channel: the number of the class that it is in with all its images.
    pub fn class_of(&self) -> &[u32] {
        &self.class_of
    }

    /// By class: how many channels it has.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
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
