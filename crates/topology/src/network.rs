//! The immutable graph: nodes, channels, and both adjacency lists.
//!
//! Invariant: channels are sorted by source node, so `outgoing(n)` is a range of identifiers; the
//! channels into a node come in ascending order.
//!
//! Most of a large network is arithmetic: see `rows`.

use crate::error::CHANNELS_LIMIT;
use crate::memory::{Memory, bytes_of};
use crate::properties::{UNREACHABLE, distances_from, distances_to};
use crate::rows::{Incoming, Into, Lengths, OutOf};
use crate::{
    Annotations, ChannelId, Damage, ExpressCube, FatTree, Grid, NodeId, NodeNames, SparseTorus,
    Star, TopologyError,
};
use std::borrow::Cow;
use std::ops::Range;

/// One unidirectional channel, as a builder describes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Channel {
    /// The router that the channel leaves.
    pub source: NodeId,
    /// The router that the channel enters.
    pub target: NodeId,
    /// Wire length in node pitches of the network's layout.
    pub length_pitches: f32,
}

/// The channels of a network, a list for each thing that is known of them, sorted by source.
pub(crate) struct Columns {
    pub(crate) source: Vec<NodeId>,
    pub(crate) target: Vec<NodeId>,
    pub(crate) length_pitches: Vec<f32>,
}

/// What is known of a network beyond its graph: the coordinates that routing relies on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Shape {
    /// A torus, mesh or hypercube, of any radices.
    Grid(Grid),
    /// A butterfly fat-tree or fat-pyramid.
    FatTree(FatTree),
    /// The user's own, from a file or from code: nothing is known but the graph.
    File,
    /// A mesh with express channels.
    ExpressCube(ExpressCube),
    /// A star graph.
    Star(Star),
    /// A pruned torus, a Manhattan torus, or a pruned Manhattan torus.
    SparseTorus(SparseTorus),
    /// What is left of a network where something has failed: nothing is known but the graph. Behind
    /// a pointer: few networks are damaged.
    Damaged(Box<Damage>),
}

/// An immutable network of routers and unidirectional channels.
#[derive(Clone, Debug)]
pub struct Network {
    nodes: u32,
    terminals: u32,
    out_of: OutOf,
    target: Vec<NodeId>,
    length_pitches: Lengths,
    into: Into,
    shape: Shape,
    /// Behind a pointer: most networks have none.
    annotations: Option<Box<Annotations>>,
}

impl Network {
    /// Builds the network of `nodes` routers, of which the first `terminals` have a terminal.
    ///
    /// # Panics
    /// If the channels are not sorted by source, name a node that is not there, or if there are
    /// more terminals than nodes. Builders guarantee all three.
    pub(crate) fn new(nodes: u32, terminals: u32, channels: &[Channel], shape: Shape) -> Self {
        assert!(terminals <= nodes, "more terminals than nodes");
        assert!(
            channels.is_sorted_by_key(|c| c.source),
            "channels must be sorted by source"
        );
        let columns = Columns {
            source: channels.iter().map(|c| c.source).collect(),
            target: channels.iter().map(|c| c.target).collect(),
            length_pitches: channels.iter().map(|c| c.length_pitches).collect(),
        };
        Self::from_columns(nodes, terminals, columns, shape)
    }

    /// As [`Network::new`], from what the network keeps: for the largest ones.
    pub(crate) fn from_columns(nodes: u32, terminals: u32, columns: Columns, shape: Shape) -> Self {
        let Columns {
            source,
            target,
            length_pitches,
        } = columns;
        let out_of = OutOf::new(nodes, source);
        let into = Into::new(nodes, &out_of, &target);
        Self {
            nodes,
            terminals,
            out_of,
            target,
            length_pitches: Lengths::new(length_pitches),
            into,
            shape,
            annotations: None,
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
        let network = Self::new(nodes, terminals, &sorted, Shape::File);
        let first = NodeId(0);
        let unreachable = |distances: Vec<u32>| distances.iter().position(|&d| d == UNREACHABLE);
        if let Some(node) = unreachable(distances_from(&network, first)) {
            return wrong(format!("no channels lead from node 0 to node {node}"));
        }
        if let Some(node) = unreachable(distances_to(&network, first)) {
            return wrong(format!("no channels lead from node {node} to node 0"));
        }
        Ok(network)
    }

    /// The same network, which knows more of its nodes and channels.
    ///
    /// # Panics
    /// If a list has not one entry for each node, or each channel.
    #[must_use]
    pub fn with_annotations(self, annotations: Annotations) -> Self {
        assert!(
            annotations.fits(self.nodes() as usize, self.channels() as usize),
            "annotations of another network"
        );
        Self {
            annotations: (!annotations.is_empty()).then(|| Box::new(annotations)),
            ..self
        }
    }

    /// Number of routers.
    #[inline]
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// Number of routers that have a terminal: the nodes `0..terminals()`.
    #[inline]
    pub fn terminals(&self) -> u32 {
        self.terminals
    }

    /// Number of unidirectional channels.
    #[inline]
    pub fn channels(&self) -> u32 {
        self.target.len() as u32
    }

    /// The channels that leave `node`, consecutive.
    #[inline]
    pub fn outgoing(&self, node: NodeId) -> Range<u32> {
        self.out_of.range(node)
    }

    /// Where the channels that leave `node` lead, in the order of [`Network::outgoing`].
    #[inline]
    pub fn targets(&self, node: NodeId) -> &[NodeId] {
        let range = self.outgoing(node);
        &self.target[range.start as usize..range.end as usize]
    }

    /// The channels that enter `node`, in ascending order.
    #[inline]
    pub fn incoming(&self, node: NodeId) -> Incoming<'_> {
        self.into.of(node, &self.out_of, &self.target)
    }

    /// How many channels enter `node`.
    #[inline]
    pub fn in_degree(&self, node: NodeId) -> usize {
        self.into.count(node, &self.out_of)
    }

    /// The router that `channel` leaves.
    #[inline]
    pub fn source(&self, channel: ChannelId) -> NodeId {
        debug_assert!(channel.0 < self.channels());
        self.out_of.source(channel)
    }

    /// The router that `channel` enters.
    #[inline]
    pub fn target(&self, channel: ChannelId) -> NodeId {
        self.target[channel.index()]
    }

    /// The wire length of `channel`, in node pitches of the network's layout.
    #[inline]
    pub fn length_pitches(&self, channel: ChannelId) -> f32 {
        self.length_pitches.of(channel)
    }

    /// What is known of the network beyond its graph.
    #[inline]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The coordinates of a torus, mesh or hypercube; `None` for any other network.
    #[inline]
    pub fn grid(&self) -> Option<&Grid> {
        match &self.shape {
            Shape::Grid(grid) => Some(grid),
            _ => None,
        }
    }

    /// The permutations of a star graph; `None` for any other network.
    #[inline]
    pub fn star(&self) -> Option<&Star> {
        match &self.shape {
            Shape::Star(star) => Some(star),
            _ => None,
        }
    }

    /// The coordinates of a pruned or one-way torus; `None` for any other network.
    #[inline]
    pub fn sparse_torus(&self) -> Option<&SparseTorus> {
        match &self.shape {
            Shape::SparseTorus(torus) => Some(torus),
            _ => None,
        }
    }

    /// The coordinates and interchanges of an express cube; `None` for any other network.
    #[inline]
    pub fn express_cube(&self) -> Option<&ExpressCube> {
        match &self.shape {
            Shape::ExpressCube(cube) => Some(cube),
            _ => None,
        }
    }

    /// The addresses of a butterfly fat-tree or fat-pyramid; `None` for any other network.
    #[inline]
    pub fn fat_tree(&self) -> Option<&FatTree> {
        match &self.shape {
            Shape::FatTree(tree) => Some(tree),
            _ => None,
        }
    }

    /// Names, places, widths and delays, where the network has any.
    #[inline]
    pub fn annotations(&self) -> Option<&Annotations> {
        self.annotations.as_deref()
    }

    /// The name of `node`: its number where nodes have no names.
    pub fn name(&self, node: NodeId) -> Cow<'_, str> {
        match &self.annotations {
            Some(annotations) => annotations.name(node),
            None => Cow::Owned(node.to_string()),
        }
    }

    /// Whether `other` has the same nodes and channels, identifiers, wire lengths and annotations
    /// included; what is known of their shapes does not count.
    pub fn is_same_graph(&self, other: &Self) -> bool {
        self.terminals == other.terminals
            && self.nodes == other.nodes
            && self.out_of == other.out_of
            && self.target == other.target
            && self.length_pitches == other.length_pitches
            && self.annotations == other.annotations
    }

    /// The nodes by name, for whoever looks up many; takes time in proportion to the nodes where
    /// they have names.
    pub fn node_names(&self) -> NodeNames<'_> {
        NodeNames::new(self.annotations(), self.nodes())
    }

    /// The bytes that it keeps, part by part; names and the like not counted.
    pub fn memory(&self) -> Memory {
        let mut memory = Memory::default();
        memory.add(
            "ends of channels",
            bytes_of(&self.target) + self.out_of.bytes(),
        );
        memory.add("channels in", self.into.bytes());
        memory.add("wire lengths", self.length_pitches.bytes());
        memory.add("coordinates", self.shape.bytes());
        memory
    }
}

impl Shape {
    fn bytes(&self) -> u64 {
        match self {
            Self::Grid(grid) => grid.bytes(),
            Self::Star(star) => star.bytes(),
            Self::SparseTorus(torus) => torus.bytes(),
            Self::FatTree(_) | Self::File => 0,
            Self::ExpressCube(cube) => cube.bytes(),
            Self::Damaged(damage) => damage.bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channels(pairs: &[(u32, u32)]) -> Vec<Channel> {
        let channel = |&(source, target)| Channel {
            source: NodeId(source),
            target: NodeId(target),
            length_pitches: 1.0,
        };
        pairs.iter().map(channel).collect()
    }

    #[test]
    fn channels_in_any_order_make_a_network() {
        let list = channels(&[(2, 0), (0, 2), (1, 2), (0, 1), (2, 1)]);
        let network = Network::from_channels(3, 2, &list).unwrap();
        assert_eq!(
            (network.nodes(), network.terminals(), network.channels()),
            (3, 2, 5)
        );
        // Those of node 0 in the order of the list.
        assert_eq!(network.targets(NodeId(0)), [NodeId(2), NodeId(1)]);
        assert_eq!(network.targets(NodeId(2)), [NodeId(0), NodeId(1)]);
    }

    #[test]
    fn what_is_no_network_is_refused_with_its_place() {
        let ring = channels(&[(0, 1), (1, 0)]);
        let long = [
            ring[0],
            Channel {
                length_pitches: f32::NAN,
                ..ring[1]
            },
        ];
        for (nodes, terminals, list, said) in [
            (2, 0, &ring[..], "0 of 2 nodes"),
            (2, 3, &ring[..], "3 of 2 nodes"),
            (0, 0, &[][..], "0 of 0 nodes"),
            (
                2,
                2,
                &channels(&[(0, 2)])[..],
                "0->2: the last of 2 nodes is 1",
            ),
            (
                2,
                2,
                &channels(&[(1, 1)])[..],
                "1->1 leads to where it comes from",
            ),
            (2, 2, &long[..], "1->0 is NaN pitches long"),
            (2, 2, &channels(&[(0, 1)])[..], "from node 1 to node 0"),
            (3, 2, &ring[..], "from node 0 to node 2"),
        ] {
            let error = Network::from_channels(nodes, terminals, list)
                .unwrap_err()
                .to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
