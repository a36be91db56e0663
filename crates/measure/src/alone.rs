//! Packets that cross an empty network one after another.

pub use crate::live::Sent;

use crate::live::Gauge;
use flitsim_engine::routing::Relation;
use flitsim_engine::{ConfigError, Engine, EngineConfig, NewPacket};
use flitsim_topology::{Network, NodeId};

/// Cycles after a packet in which its credits come home.
const REST_CYCLES: u64 = 1024;

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
    // That of a simulation to look at, for no other engine is compiled then.
    let gauge = Gauge::of_all_sent(network, &config);
    let mut engine = Engine::new(network, routing, config, 1, gauge)?;
    let mut latencies_cycles = Vec::new();
    let mut before_cycles = 0;
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
        let all_cycles = engine.probe().recent().latency_cycles;
        latencies_cycles.push(all_cycles - before_cycles);
        before_cycles = all_cycles;
    }
    Ok(Alone {
        latencies_cycles,
        sent: engine.probe_mut().take_all_sent(),
    })
}
