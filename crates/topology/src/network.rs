//! The immutable graph: nodes, channels, and both adjacency lists in compressed sparse rows.
//!
//! Invariant: channels are sorted by source node, so `outgoing(n)` is a range of identifiers; the
//! channels into a node are listed in ascending order.

use crate::{
    Annotations, ChannelId, Damage, ExpressCube, FatTree, Grid, NodeId, NodeNames, SparseTorus,
    Star,
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
    /// The user's own, from a file: nothing is known but the graph.
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
    terminals: u32,
    out_start: Vec<u32>,
    source: Vec<NodeId>,
    target: Vec<NodeId>,
    length_pitches: Vec<f32>,
    in_start: Vec<u32>,
    incoming: Vec<ChannelId>,
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
        let mut out_start = vec![0u32; nodes as usize + 1];
        let mut in_start = vec![0u32; nodes as usize + 1];
        for (from, to) in source.iter().zip(&target) {
            out_start[from.index() + 1] += 1;
            in_start[to.index() + 1] += 1;
        }
        for n in 0..nodes as usize {
            out_start[n + 1] += out_start[n];
            in_start[n + 1] += in_start[n];
        }
        let mut fill = in_start.clone();
        let mut incoming = vec![ChannelId(0); target.len()];
        for (id, to) in (0..).map(ChannelId).zip(&target) {
            let slot = &mut fill[to.index()];
            incoming[*slot as usize] = id;
            *slot += 1;
        }
        Self {
            terminals,
            out_start,
            source,
            target,
            length_pitches,
            in_start,
            incoming,
            shape,
            annotations: None,
        }
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
        (self.out_start.len() - 1) as u32
    }

    /// Number of routers that have a terminal: the nodes `0..terminals()`.
    #[inline]
    pub fn terminals(&self) -> u32 {
        self.terminals
    }

    /// Number of unidirectional channels.
    #[inline]
    pub fn channels(&self) -> u32 {
        self.source.len() as u32
    }

    /// The channels that leave `node`, consecutive.
    #[inline]
    pub fn outgoing(&self, node: NodeId) -> Range<u32> {
        self.out_start[node.index()]..self.out_start[node.index() + 1]
    }

    /// Where the channels that leave `node` lead, in the order of [`Network::outgoing`].
    #[inline]
    pub fn targets(&self, node: NodeId) -> &[NodeId] {
        let range = self.outgoing(node);
        &self.target[range.start as usize..range.end as usize]
    }

    /// The channels that enter `node`, in ascending order.
    #[inline]
    pub fn incoming(&self, node: NodeId) -> &[ChannelId] {
        let range = self.in_start[node.index()]..self.in_start[node.index() + 1];
        &self.incoming[range.start as usize..range.end as usize]
    }

    /// The router that `channel` leaves.
    #[inline]
    pub fn source(&self, channel: ChannelId) -> NodeId {
        self.source[channel.index()]
    }

    /// The router that `channel` enters.
    #[inline]
    pub fn target(&self, channel: ChannelId) -> NodeId {
        self.target[channel.index()]
    }

    /// The wire length of `channel`, in node pitches of the network's layout.
    #[inline]
    pub fn length_pitches(&self, channel: ChannelId) -> f32 {
        self.length_pitches[channel.index()]
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
            && self.out_start == other.out_start
            && self.target == other.target
            && self.length_pitches == other.length_pitches
            && self.annotations == other.annotations
    }

    /// The nodes by name, for whoever looks up many; takes time in proportion to the nodes where
    /// they have names.
    pub fn node_names(&self) -> NodeNames<'_> {
        NodeNames::new(self.annotations(), self.nodes())
    }
}
