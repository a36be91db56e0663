//! What takes energy in a router and on its wires, counted (Wang, Peh & Malik, "Power-driven design of
//! router microarchitectures in on-chip networks", MICRO 2003, section 2).
//!
//! A flit that leaves a router is read from its buffer, is granted the switch, and crosses it. Over a
//! channel it then takes the wires and is written into the buffer at their far end; all of it counts in
//! the cycle in which the flit leaves. A flit that its source sends was written once, into the injection buffer
//! from which it is read. A head is given a virtual channel for every channel that it takes, and where there are
//! [`ejection_vcs`](crate::EngineConfig::ejection_vcs), for the way to its terminal. Terminals that are
//! [ports](crate::EngineConfig::terminal_ports) have no buffers and no switches.

use crate::{EngineConfig, FlitKind, Packet, Probe};
use flitsim_topology::{ChannelId, Network, NodeId, archived};

/// Flits that left, over a channel or to a terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Moved {
    flits: u64,
    heads: u64,
    /// Flits that left the buffer at the far end of the channel, or the injection buffers of the node.
    reads: u64,
}

archived! { Moved { flits, heads, reads } }

/// How often what takes energy was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Actions {
    /// Flits written into buffers.
    pub buffer_writes: u64,
    /// Flits read from them.
    pub buffer_reads: u64,
    /// Flits that crossed a switch.
    pub crossbar_traversals: u64,
    /// Flits that crossed a channel.
    pub link_traversals: u64,
    /// Heads that were given a virtual channel.
    pub vc_allocations: u64,
    /// Flits that were granted the switch.
    pub switch_allocations: u64,
}

impl Actions {
    /// These and those of `other`.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            buffer_writes: self.buffer_writes + other.buffer_writes,
            buffer_reads: self.buffer_reads + other.buffer_reads,
            crossbar_traversals: self.crossbar_traversals + other.crossbar_traversals,
            link_traversals: self.link_traversals + other.link_traversals,
            vc_allocations: self.vc_allocations + other.vc_allocations,
            switch_allocations: self.switch_allocations + other.switch_allocations,
        }
    }
}

/// A probe that counts them, for each channel and each node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    channels: Vec<Moved>,
    /// By node: what left for its terminal, and what its terminal sent.
    ejected: Vec<Moved>,
}

archived! { Activity { channels, ejected } }

impl Activity {
    /// Memory of a channel, or of a node.
    pub const BYTES_EACH: u64 = size_of::<Moved>() as u64;

    /// Nothing yet, of `network`.
    pub fn new(network: &Network) -> Self {
        Self {
            channels: vec![Moved::default(); network.channels() as usize],
            ejected: vec![Moved::default(); network.nodes() as usize],
        }
    }

    /// What was done for the flits of `channel`: at the switch before it, on it, and in the buffer behind it.
    pub fn of_channel(
        &self,
        network: &Network,
        channel: ChannelId,
        config: &EngineConfig,
    ) -> Actions {
        let Moved {
            flits,
            heads,
            reads,
        } = self.channels[channel.index()];
        let is_switched = !config.is_from_port(network, channel);
        let is_buffered = !config.is_to_port(network, channel);
        let if_so = |is: bool, count: u64| if is { count } else { 0 };
        Actions {
            buffer_writes: if_so(is_buffered, flits),
            buffer_reads: reads,
            crossbar_traversals: if_so(is_switched, flits),
            link_traversals: flits,
            vc_allocations: if_so(is_switched, heads),
            switch_allocations: if_so(is_switched, flits),
        }
    }

    /// What was done at `node` for its terminals: in the injection buffers, and on the way to them.
    pub fn of_node(&self, node: NodeId, config: &EngineConfig) -> Actions {
        if config.terminal_ports {
            return Actions::default();
        }
        let Moved {
            flits,
            heads,
            reads,
        } = self.ejected[node.index()];
        Actions {
            buffer_writes: reads,
            buffer_reads: reads,
            crossbar_traversals: flits,
            link_traversals: 0,
            vc_allocations: if config.ejection_vcs > 0 { heads } else { 0 },
            switch_allocations: flits,
        }
    }

    /// Packets whose head left for its terminal.
    pub fn packets(&self) -> u64 {
        self.ejected.iter().map(|ejected| ejected.heads).sum()
    }

    /// Adds what `other`, of the same network, has counted.
    pub fn merge(&mut self, other: &Self) {
        let mine = self.channels.iter_mut().chain(&mut self.ejected);
        for (mine, theirs) in mine.zip(other.channels.iter().chain(&other.ejected)) {
            mine.flits += theirs.flits;
            mine.heads += theirs.heads;
            mine.reads += theirs.reads;
        }
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.channels.fill(Moved::default());
        self.ejected.fill(Moved::default());
    }
}

impl Probe for Activity {
    #[inline]
    fn flit_sent(&mut self, _: u64, channel: ChannelId, _: u32, kind: FlitKind, _: &Packet) {
        let moved = &mut self.channels[channel.index()];
        moved.flits += 1;
        moved.heads += u64::from(kind.head);
    }

    #[inline]
    fn flit_unbuffered(&mut self, _: u64, channel: ChannelId, _: u32) {
        self.channels[channel.index()].reads += 1;
    }

    #[inline]
    fn flit_drawn(&mut self, _: u64, node: NodeId) {
        self.ejected[node.index()].reads += 1;
    }

    #[inline]
    fn flit_ejected(&mut self, _: u64, node: NodeId, kind: FlitKind, _: &Packet) {
        let moved = &mut self.ejected[node.index()];
        moved.flits += 1;
        moved.heads += u64::from(kind.head);
    }
}
