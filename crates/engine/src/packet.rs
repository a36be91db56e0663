//! Packets: what a terminal offers, and what the network remembers of each while it lives.

use flitsim_topology::NodeId;

/// A packet that a terminal hands to the network in the current cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewPacket {
    /// The terminal that sends it.
    pub source: NodeId,
    /// The terminal that receives it; it may be the source.
    pub destination: NodeId,
    /// Its length, at least 1.
    pub flits: u32,
    /// A random word from the source's own stream: it decides what the routing algorithm leaves
    /// to chance at the source.
    pub entropy: u64,
}

/// A packet in the source queue or in the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// The cycle in which the source created it.
    pub created: u64,
    /// The cycle in which its head flit entered the source router's injection buffer; `u64::MAX`
    /// while it waits in the source queue.
    pub entered: u64,
    /// The state that the routing algorithm carries with it.
    pub state: u64,
    /// The terminal that sent it.
    pub source: NodeId,
    /// The terminal that receives it.
    pub destination: NodeId,
    /// Its length.
    pub flits: u32,
    /// Router-to-router channels that its head has taken so far.
    pub hops: u32,
}
