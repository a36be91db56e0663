//! The immutable graph: nodes, channels, and both adjacency lists.
//!
//! Invariant: channels are sorted by source node, so `outgoing(n)` is a range of identifiers; the
//! channels into a node come in ascending order.
//!
//! Most of a large network is arithmetic: see `rows`.

mod rows;

pub use rows::Incoming;

use crate::memory::{Memory, bytes_of};
use crate::{Annotations, ChannelId, NodeId, NodeNames};
use rows::{Into, Lengths, OutOf};
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

impl Columns {
    pub(crate) fn with_capacity(channels: usize) -> Self {
        Self {
            source: Vec::with_capacity(channels),
            target: Vec::with_capacity(channels),
            length_pitches: Vec::with_capacity(channels),
        }
    }

    pub(crate) fn push(&mut self, source: NodeId, target: NodeId, length_pitches: f32) {
        self.source.push(source);
        self.target.push(target);
        self.length_pitches.push(length_pitches);
    }
}

/// Routers and unidirectional channels: a [`Network`](crate::Network) without what is known of its
/// family.
#[derive(Clone, Debug)]
pub struct Graph {
    nodes: u32,
    terminals: u32,
    out_of: OutOf,
    target: Vec<NodeId>,
    length_pitches: Lengths,
    into: Into,
    /// Behind a pointer: most networks have none.
    annotations: Option<Box<Annotations>>,
}

impl Graph {
    /// Builds the graph of `nodes` routers, of which the first `terminals` have a terminal.
    ///
    /// # Panics
    /// If the channels are not sorted by source, name a node that is not there, or if there are
    /// more terminals than nodes. Builders guarantee all three.
    pub(crate) fn new(nodes: u32, terminals: u32, channels: &[Channel]) -> Self {
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
        Self::from_columns(nodes, terminals, columns)
    }

    /// As [`Graph::new`], from what the graph keeps: for the largest ones.
    pub(crate) fn from_columns(nodes: u32, terminals: u32, columns: Columns) -> Self {
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
            annotations: None,
        }
    }

    /// The same graph, which knows more of its nodes and channels.
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

    /// Where the channels that leave `node` lead, in the order of [`Graph::outgoing`].
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

    /// Names, places, widths and delays, where the graph has any.
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
    /// included.
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
        memory
    }
}
