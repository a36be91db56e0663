//! What a simulator is asked to tell: one [`Event`] for each thing that happens to a packet.
//!
//! The oracle writes its log itself; the engine's is written by [`Recorder`], a probe. Two logs
//! agree when they hold the same events, whatever the order within a cycle.

use super::relation::ORDER;
use flitsim_engine::{FlitKind, Packet, Probe};
use flitsim_topology::{ChannelId, NodeId};

/// Which packet: the `order`-th (from 0) of those that `source` created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    /// The terminal that sent it.
    pub source: u32,
    /// The cycle in which it was created.
    pub created: u64,
    /// How many packets the source had created before it.
    pub order: u32,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// The packet entered an injection virtual channel.
    Entered,
    /// A flit left its router on a channel.
    Sent {
        /// The channel.
        channel: u32,
        /// The virtual channel.
        vc: u32,
        /// Whether it is the packet's first flit.
        head: bool,
        /// Whether it is the packet's last flit.
        tail: bool,
    },
    /// A flit left its router for the terminal.
    Ejected {
        /// The router.
        node: u32,
        /// Whether it is the packet's first flit.
        head: bool,
        /// Whether it is the packet's last flit.
        tail: bool,
    },
    /// The tail was consumed; the event's cycle is the one at whose start that happened.
    Delivered {
        /// Cycles since the creation.
        latency: u64,
        /// Cycles since the packet entered the network.
        network_latency: u64,
        /// Channels that the head took.
        hops: u32,
    },
}

/// One line of a log. Sorts by cycle first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// When.
    pub cycle: u64,
    /// What.
    pub what: What,
    /// To which packet.
    pub packet: Identity,
}

/// How far the per-source order stands to the left in the routing state of a packet whose
/// relation is [`super::relation::Ordered`].
pub const ORDER_SHIFT: u32 = 32;

/// Writes down what the engine does.
#[derive(Default)]
pub struct Recorder {
    /// The events, in the order of the calls.
    pub log: Vec<Event>,
}

impl Recorder {
    fn write(&mut self, cycle: u64, what: What, packet: &Packet) {
        // A packet that has not decided on its initial state has only the number of one.
        let order = match packet.state >> 63 {
            0 => (packet.state >> ORDER_SHIFT) as u32,
            _ => packet.state as u32 & ORDER,
        };
        let packet = Identity {
            source: packet.source.0,
            created: packet.created,
            order,
        };
        self.log.push(Event {
            cycle,
            what,
            packet,
        });
    }
}

/// One that is told of packets alone: the engine then keeps less of them.
#[derive(Default)]
pub struct Deliveries {
    recorder: Recorder,
    is_deaf: bool,
}

impl Deliveries {
    /// One that writes nothing, and so takes no memory.
    pub fn nothing() -> Self {
        Self {
            is_deaf: true,
            ..Self::default()
        }
    }
}

impl Probe for Deliveries {
    const EACH_FLIT: bool = false;

    fn packet_entered(&mut self, cycle: u64, packet: &Packet) {
        if !self.is_deaf {
            self.recorder.packet_entered(cycle, packet);
        }
    }

    fn packet_delivered(&mut self, arrived: u64, packet: &Packet) {
        if !self.is_deaf {
            self.recorder.packet_delivered(arrived, packet);
        }
    }
}

impl AsMut<Recorder> for Deliveries {
    fn as_mut(&mut self) -> &mut Recorder {
        &mut self.recorder
    }
}

impl AsMut<Recorder> for Recorder {
    fn as_mut(&mut self) -> &mut Recorder {
        self
    }
}

impl Probe for Recorder {
    fn packet_entered(&mut self, cycle: u64, packet: &Packet) {
        assert_eq!(packet.entered, cycle, "{packet:?}");
        self.write(cycle, What::Entered, packet);
    }

    fn flit_sent(&mut self, cycle: u64, channel: ChannelId, vc: u32, kind: FlitKind, p: &Packet) {
        let (channel, FlitKind { head, tail }) = (channel.0, kind);
        let what = What::Sent {
            channel,
            vc,
            head,
            tail,
        };
        self.write(cycle, what, p);
    }

    fn flit_ejected(&mut self, cycle: u64, node: NodeId, kind: FlitKind, p: &Packet) {
        assert_eq!(p.destination, node, "ejected at the wrong terminal: {p:?}");
        let (node, FlitKind { head, tail }) = (node.0, kind);
        self.write(cycle, What::Ejected { node, head, tail }, p);
    }

    fn packet_delivered(&mut self, arrived: u64, packet: &Packet) {
        let what = What::Delivered {
            latency: arrived - packet.created,
            network_latency: arrived - packet.entered,
            hops: packet.hops,
        };
        self.write(arrived, what, packet);
    }
}
