//! Packets that cross an empty network one after another.

use flitsim_engine::routing::Relation;
use flitsim_engine::{ConfigError, Engine, EngineConfig, FlitKind, NewPacket, Packet, Probe};
use flitsim_topology::{ChannelId, Network, NodeId};

/// Cycles after a packet in which its credits come home.
const REST_CYCLES: u64 = 1024;

/// The latency of the last packet, and every flit over every channel.
#[derive(Default)]
struct Seen {
    latency_cycles: u64,
    sent: Vec<Sent>,
}

impl Probe for Seen {
    fn flit_sent(&mut self, cycle: u64, channel: ChannelId, vc: u32, _: FlitKind, _: &Packet) {
        self.sent.push(Sent { cycle, channel, vc });
    }

    fn packet_delivered(&mut self, arrived: u64, packet: &Packet) {
        self.latency_cycles = arrived - packet.created;
    }
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

/// What lone packets measured.
#[derive(Clone, Debug)]
pub struct Alone {
    /// The latency of each, in cycles, in the order of the pairs.
    pub latencies_cycles: Vec<u64>,
    /// Every flit over every channel, in the order of the cycles.
    pub sent: Vec<Sent>,
}

/// Sends a packet of `flits` flits between each of `pairs`, source and destination, each through an
/// empty network.
///
/// # Errors
/// A router that cannot be built.
pub fn alone<'n>(
    network: &'n Network,
    routing: Relation<'n>,
    config: EngineConfig,
    flits: u32,
    pairs: &[(u32, u32)],
) -> Result<Alone, ConfigError> {
    let mut engine = Engine::new(network, routing, config, 1, Seen::default())?;
    let mut latencies_cycles = Vec::new();
    for &(source, destination) in pairs {
        engine.offer(NewPacket {
            source: NodeId(source),
            destination: NodeId(destination),
            flits,
            entropy: 0,
        });
        while !engine.is_idle() {
            engine.step();
        }
        engine.skip_to(engine.cycle() + REST_CYCLES);
        latencies_cycles.push(engine.probe().latency_cycles);
    }
    Ok(Alone {
        latencies_cycles,
        sent: std::mem::take(&mut engine.probe_mut().sent),
    })
}
