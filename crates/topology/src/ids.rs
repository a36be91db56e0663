//! Identifiers: 32-bit newtypes, so that a node is never taken for a channel.

use std::fmt;

/// A router, with its terminal where it has one. Nodes `0..terminals` have a terminal (a source
/// and a sink of packets); the rest are switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct NodeId(pub u32);

/// A unidirectional channel between two routers. Channels are numbered by source node, so those
/// that leave one node are consecutive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ChannelId(pub u32);

crate::archived!(newtype NodeId, ChannelId);

impl NodeId {
    /// The identifier as an index into arrays.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl ChannelId {
    /// The identifier as an index into arrays.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for ChannelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
