//! What a routing may see of queues, and when: once, at the source.

use flitsim_topology::{ChannelId, NodeId};

/// A set of virtual channels of one physical channel: bit v is virtual channel v.
pub type VcMask = u64;

/// What is queued for channels, to be looked at: in a cycle before any head is given anything.
pub trait Queues {
    /// The flits queued for those virtual channels of `channel` that `vcs` says. Before the channel: those yet
    /// to come of the packets that hold one, and those of the packets whose heads ask, each counted at the first
    /// virtual channel that the relation offers it; with [global](super::Knowledge::Global) knowledge also those of the
    /// packets whose heads are in a buffer behind others and have decided. Behind it: the places taken in the buffers, as far as the sender
    /// knows by its credits.
    fn flits(&self, channel: ChannelId, vcs: VcMask) -> u64;
}

/// Nothing waits anywhere.
#[derive(Clone, Copy, Debug)]
pub struct Empty;

impl Queues for Empty {
    fn flits(&self, _: ChannelId, _: VcMask) -> u64 {
        0
    }
}

/// A packet whose initial state is not decided yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undecided {
    /// The router where its head asks for a virtual channel for the first time.
    pub node: NodeId,
    /// The terminal that sent it.
    pub source: NodeId,
    /// The terminal that it goes to.
    pub destination: NodeId,
    /// Its length.
    pub flits: u32,
    /// Which of its initial states was drawn for it.
    pub choice: u32,
}

/// Marks the state of a packet that has only drawn the number of an initial state: the rest is that.
const UNDECIDED: u64 = 1 << 63;

/// The state of a packet that has drawn `choice` and has not decided.
pub(crate) const fn undecided(choice: u32) -> u64 {
    UNDECIDED | choice as u64
}

/// What a packet in `state` has drawn, where it has not decided.
#[inline]
pub(crate) const fn drawn(state: u64) -> Option<u32> {
    if state & UNDECIDED == 0 {
        None
    } else {
        Some(state as u32)
    }
}
