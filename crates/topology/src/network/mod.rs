//! The network: its graph, what is known of its family, and what of it has failed.

mod concentrated;
mod damage;
mod shape;

pub use concentrated::Concentrated;
pub use damage::Damage;
pub use shape::Shape;

use crate::error::CHANNELS_LIMIT;
use crate::families::*;
use crate::memory::Memory;
use crate::search::{Distances, UNREACHABLE, distances_from, distances_to};
use crate::{Annotations, Channel, ChannelId, Course, Graph, NodeId, TopologyError};
use std::ops::Deref;

/// An immutable network of routers and unidirectional channels: a [`Graph`], of which is known what
/// family it belongs to.
#[derive(Clone, Debug)]
pub struct Network {
    graph: Graph,
    shape: Shape,
    /// Behind a pointer: few networks are damaged.
    damage: Option<Box<Damage>>,
}

/// All that the graph tells: a network is one of which more is known.
impl Deref for Network {
    type Target = Graph;

    #[inline]
    fn deref(&self) -> &Graph {
        &self.graph
    }
}

/// The user's own: nothing is known but the graph.
impl From<Graph> for Network {
    fn from(graph: Graph) -> Self {
        Self::of_family(graph, Shape::File(UserNetwork::default()))
    }
}

impl Network {
    /// The network of a family whose graph is `graph`.
    pub(crate) fn of_family(graph: Graph, shape: Shape) -> Self {
        Self {
            graph,
            shape,
            damage: None,
        }
    }

    /// The user's own network: `nodes` routers, of which the first `terminals` have a terminal, and
    /// `channels` in any order; a link is two of them. Channels are numbered by source, those of one
    /// source in the order of the list.
    ///
    /// ```
    /// use flitsim_topology::{Channel, Network, NodeId, properties};
    ///
    /// // Five routers in a one-way ring.
    /// let channels: Vec<Channel> = (0..5)
    ///     .map(|node| Channel {
    ///         source: NodeId(node),
    ///         target: NodeId((node + 1) % 5),
    ///         length_pitches: 1.0,
    ///     })
    ///     .collect();
    /// let network = Network::from_channels(5, 5, &channels)?;
    /// assert_eq!(properties::distances(&network).map(|d| d.diameter), Some(4));
    /// # Ok::<(), flitsim_topology::TopologyError>(())
    /// ```
    ///
    /// # Errors
    /// [`TopologyError::NotANetwork`] unless there is a terminal, no more terminals than nodes, every
    /// channel joins two different nodes that are there and has a length, and every node reaches every
    /// other.
    pub fn from_channels(
        nodes: u32,
        terminals: u32,
        channels: &[Channel],
    ) -> Result<Self, TopologyError> {
        let wrong = |reason: String| Err(TopologyError::NotANetwork { reason });
        if terminals == 0 || terminals > nodes {
            return wrong(format!(
                "{terminals} of {nodes} nodes cannot have a terminal; at least one must, and at most all"
            ));
        }
        let (count, limit) = (channels.len() as u128, CHANNELS_LIMIT);
        if count > limit {
            return wrong(format!(
                "{count} channels are more than the {limit} there may be"
            ));
        }
        for Channel {
            source,
            target,
            length_pitches: length,
        } in channels
        {
            if source.0.max(target.0) >= nodes {
                return wrong(format!(
                    "channel {source}->{target}: the last of {nodes} nodes is {}",
                    nodes - 1
                ));
            }
            if source == target {
                return wrong(format!(
                    "channel {source}->{target} leads to where it comes from"
                ));
            }
            if !(length.is_finite() && *length >= 0.0) {
                return wrong(format!(
                    "channel {source}->{target} is {length} pitches long; a length is 0 or more"
                ));
            }
        }
        let mut sorted = channels.to_vec();
        sorted.sort_by_key(|channel| channel.source);
        // Before there is memory for nodes that no channel joins.
        if nodes > 1 && count < u128::from(nodes) {
            let mut sources: Vec<u32> = sorted.iter().map(|channel| channel.source.0).collect();
            sources.dedup();
            let ends = (0..).zip(&sources).find(|(node, source)| node != *source);
            let node = ends.map_or(sources.len() as u32, |(node, _)| node);
            return wrong(format!("no channel leads out of node {node}"));
        }
        let graph = Graph::new(nodes, terminals, &sorted);
        let first = NodeId(0);
        let unreachable = |distances: Vec<u32>| distances.iter().position(|&d| d == UNREACHABLE);
        if let Some(node) = unreachable(distances_from(&graph, first)) {
            return wrong(format!("no channels lead from node 0 to node {node}"));
        }
        if let Some(node) = unreachable(distances_to(&graph, first)) {
            return wrong(format!("no channels lead from node {node} to node 0"));
        }
        Ok(graph.into())
    }

    /// The same network, which knows more of its nodes and channels.
    ///
    /// # Panics
    /// If a list has not one entry for each node, or each channel.
    #[must_use]
    pub fn with_annotations(self, annotations: Annotations) -> Self {
        Self {
            graph: self.graph.with_annotations(annotations),
            ..self
        }
    }

    /// What is known of the network beyond its graph; nothing where something has failed.
    #[inline]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The network with `each` terminals at every router: itself where that is 1.
    ///
    /// # Errors
    /// As [`Concentrated::new`].
    pub fn concentrated(self, each: u32) -> Result<Self, TopologyError> {
        if each == 1 {
            return Ok(self);
        }
        let family = Concentrated::new(self, each)?;
        Ok(Self::of_family(family.graph(), Shape::Concentrated(family)))
    }

    /// The network as one with several terminals at every router; `None` for any other.
    #[inline]
    pub fn concentration(&self) -> Option<&Concentrated> {
        match &self.shape {
            Shape::Concentrated(family) => Some(family),
            _ => None,
        }
    }

    /// The network between routers: itself, unless each router has several terminals.
    #[inline]
    pub fn routers(&self) -> &Self {
        self.concentration().map_or(self, Concentrated::routers)
    }

    /// The hops of a route that lead between its terminals and their routers and do not count: 2 where
    /// terminals are nodes of their own, but for those kinds whose papers count their links.
    pub fn hops_at_terminals(&self) -> u32 {
        self.whole().family().hops_at_terminals()
    }

    /// What its family tells; of a damaged network, nothing.
    pub(crate) fn family(&self) -> &dyn Family {
        self.shape.family()
    }

    /// The distances along the routes of the family's default routing, where they have a closed form.
    pub fn route_distances(&self) -> Option<Distances> {
        self.family().route_distances()
    }

    /// The coordinates of `node`, dimension 0 first; those of a switch between nodes are the ones of the
    /// node that it belongs to. `None` where nodes do not stand in lines.
    pub fn coordinates(&self, node: NodeId) -> Option<&[u16]> {
        self.family().coordinates(node)
    }

    /// Where `channel` leads within the family.
    pub fn course(&self, channel: ChannelId) -> Course {
        let (source, target) = (self.source(channel), self.target(channel));
        self.family().course(channel, source, target)
    }

    /// The largest diameter that fewer failing nodes than the connectivity leave at the most, where a
    /// theorem says so.
    pub fn fault_diameter_bound(&self) -> Option<u32> {
        self.family().fault_diameter_bound()
    }

    /// The bytes that it keeps, part by part; names and the like not counted.
    pub fn memory(&self) -> Memory {
        let mut memory = self.graph.memory();
        let damage = self.damage().map_or(0, Damage::bytes);
        memory.add("coordinates", self.family().bytes() + damage);
        memory
    }
}

macro_rules! of_families {
    ($($(#[$doc:meta])* $family:ident, $name:ident, $definition:ident;)*) => {
        $(impl $family {
            /// The network of this family.
            pub fn into_network(self) -> Network {
                Network::of_family(self.graph(), Shape::$family(self))
            }
        }

        impl From<$family> for Network {
            fn from(family: $family) -> Self {
                family.into_network()
            }
        })*

        impl Network {
            $(
                $(#[$doc])*
                ///
                /// `None` for any other network.
                #[inline]
                pub fn $name(&self) -> Option<&$family> {
                    match &self.shape {
                        Shape::$family(family) => Some(family),
                        _ => None,
                    }
                }
            )*
        }
    };
}
families!(of_families);
