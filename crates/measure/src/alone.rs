//! Packets that cross an empty network one after another.

use crate::watching::{Lone, WatchedEngine, Watching};
use flitsim_engine::routing::Relation;
use flitsim_engine::{ConfigError, EngineConfig, NewPacket};
use flitsim_topology::{Network, NodeId};

pub use crate::watching::Sent;

/// Cycles after a packet in which its credits come home.
const REST_CYCLES: u64 = 1024;

/// What was measured of lone packets.
#[derive(Clone, Debug)]
pub struct Alone {
    /// The latency of each, in cycles, in the order of the pairs.
    pub latencies_cycles: Vec<u64>,
    /// Every flit sent over a channel, in the order of the cycles.
    pub sent: Vec<Sent>,
}

/// Sends a packet of `flits` flits for each of `pairs`, from a source to a destination, each through an
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
    let watching = Watching::Lone(Lone::new());
    let mut engine = WatchedEngine::new(network, routing, config, 1, watching)?;
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
        latencies_cycles.push(engine.probe().lone().latency_cycles);
    }
    Ok(Alone {
        latencies_cycles,
        sent: std::mem::take(&mut engine.probe_mut().lone_mut().sent),
    })
}
