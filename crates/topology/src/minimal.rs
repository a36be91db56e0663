//! Shortest paths hop by hop: what adaptive minimal routing asks of a network, whatever its family.
//!
//! Invariant: `for_each_minimal_channel` visits exactly the channels that lead one hop closer, and
//! where the network is bipartite every channel joins two colours.

use crate::{ChannelId, NodeId};

/// A network that knows its shortest paths from one node to another, where the last is a terminal.
pub trait MinimalPaths: Send + Sync {
    /// Hops from `from` to `to` along shortest paths.
    fn distance(&self, from: NodeId, to: NodeId) -> u32;

    /// The largest distance between two terminals, in hops.
    fn diameter(&self) -> u32;

    /// Whether the nodes have two colours such that every channel joins one to the other.
    fn is_bipartite(&self) -> bool;

    /// Which of the two colours `node` has; no meaning unless the network is bipartite.
    fn colour(&self, node: NodeId) -> bool;

    /// Visits the channels out of `from` that shortest paths to `to` begin with, in ascending
    /// order; none where `from` is `to`.
    fn for_each_minimal_channel(&self, from: NodeId, to: NodeId, visit: impl FnMut(ChannelId));

    /// The same channels, each with the hops of a shortest path in its dimension; 1 where a network has no
    /// dimensions in which hops add up.
    #[inline]
    fn for_each_minimal_hop(
        &self,
        from: NodeId,
        to: NodeId,
        mut visit: impl FnMut(ChannelId, u32),
    ) {
        self.for_each_minimal_channel(from, to, |channel| visit(channel, 1));
    }
}

impl<M: MinimalPaths> MinimalPaths for &M {
    #[inline]
    fn distance(&self, from: NodeId, to: NodeId) -> u32 {
        (**self).distance(from, to)
    }

    fn diameter(&self) -> u32 {
        (**self).diameter()
    }

    fn is_bipartite(&self) -> bool {
        (**self).is_bipartite()
    }

    #[inline]
    fn colour(&self, node: NodeId) -> bool {
        (**self).colour(node)
    }

    #[inline]
    fn for_each_minimal_channel(&self, from: NodeId, to: NodeId, visit: impl FnMut(ChannelId)) {
        (**self).for_each_minimal_channel(from, to, visit);
    }

    #[inline]
    fn for_each_minimal_hop(&self, from: NodeId, to: NodeId, visit: impl FnMut(ChannelId, u32)) {
        (**self).for_each_minimal_hop(from, to, visit);
    }
}
