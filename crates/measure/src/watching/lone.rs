//! What lone packets do.

use crate::measurement::recorder::Recorder;
use crate::simulate::Observer;
use flitsim_engine::{FlitKind, Packet, Probe};
use flitsim_topology::ChannelId;
use flitsim_traffic::Arrival;

/// The latency of the last packet, and every flit over every channel.
#[derive(Debug)]
pub(crate) struct Lone {
    pub(crate) latency_cycles: u64,
    pub(crate) sent: Vec<Sent>,
    /// Counts nothing.
    recorder: Recorder,
}

/// A flit that left its router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The cycle.
    pub cycle: u64,
    /// The channel that it took.
    pub channel: ChannelId,
    /// The virtual channel.
    pub vc: u32,
}

impl Lone {
    pub(crate) fn new() -> Self {
        Self {
            latency_cycles: 0,
            sent: Vec::new(),
            recorder: Recorder::new(),
        }
    }
}

impl Probe for Lone {
    fn flit_sent(&mut self, cycle: u64, channel: ChannelId, vc: u32, _: FlitKind, _: &Packet) {
        self.sent.push(Sent { cycle, channel, vc });
    }

    fn packet_delivered(&mut self, arrived: u64, packet: &Packet) {
        self.latency_cycles = arrived - packet.created;
    }
}

impl Observer for Lone {
    fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    fn recorder_mut(&mut self) -> &mut Recorder {
        &mut self.recorder
    }

    fn created(&mut self, _: u64, _: &Arrival) {}
}
