//! Traffic that drives packets into a deadlock, where one can be reached.

use super::any::{Any, erased};
use flitsim_engine::random::{Purpose, below, draw};
use flitsim_engine::{
    Deadlock, Engine, EngineConfig, NewPacket, Probe, Routing, Selection, Watchdog,
};
use flitsim_topology::properties::distances_from;
use flitsim_topology::{Network, NodeId};

/// By source: the terminals farthest from it, the next in the order of identifiers first.
fn farthest(network: &Network) -> Vec<Vec<NodeId>> {
    let count = network.terminals();
    let terminals = || (0..count).map(NodeId);
    let farthest_from = |source: NodeId| {
        let distances = distances_from(network, source);
        let most = terminals().map(|to| distances[to.index()]).max();
        let is_far = |to: &NodeId| Some(distances[to.index()]) == most;
        let mut far: Vec<NodeId> = terminals().filter(is_far).collect();
        far.sort_by_key(|to| (to.0 + count - source.0) % count);
        far
    };
    terminals().map(farthest_from).collect()
}

/// More traffic than the network takes, packets much longer than the buffers, from the first cycle
/// on at every source, until the watchdog finds a deadlock; `None` if `cycles` are over before.
///
/// With any packets `aimed` (source, destination and choice) these alone, or as every second; else:
///
/// Of six seeds that follow one another each is another kind of traffic: to all destinations, to the
/// farthest ones, or to one of these, as where only packets of the last hops close a cycle; and with
/// heads that go where credits are, or anywhere.
///
/// What the probe `P` sees does not matter: it is one for which the engine is compiled anyway.
pub fn crowd<P: Probe + Default, R: Routing>(
    network: &Network,
    routing: R,
    config: EngineConfig,
    seed: u64,
    cycles: u64,
    aimed: &[(NodeId, NodeId, u32)],
) -> Option<Deadlock> {
    erased!(routing: R => any_crowd::<P>(network, routing, config, seed, cycles, aimed))
}

fn any_crowd<P: Probe + Default>(
    network: &Network,
    routing: impl Routing + Copy,
    mut config: EngineConfig,
    seed: u64,
    cycles: u64,
    aimed: &[(NodeId, NodeId, u32)],
) -> Option<Deadlock> {
    let (buffer_flits, flits, selection) = match seed % 2 {
        0 => (2, 16, Selection::MostCredits),
        _ => (1, 32, Selection::Random),
    };
    (config.buffer_flits, config.selection) = (buffer_flits, selection);
    let everyone: Vec<NodeId> = (0..network.terminals()).map(NodeId).collect();
    let far = farthest(network);
    let mut engine = Engine::new(network, routing, config, seed, P::default()).unwrap();
    let mut watchdog = Watchdog::new();
    while engine.cycle() < cycles {
        for &source in &everyone {
            let cycle = engine.cycle();
            let word = draw(seed, Purpose::Route, source.0, cycle, 0);
            if cycle > 0 && !word.is_multiple_of(16) {
                continue;
            }
            let pick = |among: usize| below(word, among as u32) as usize;
            let entropy = |at| draw(seed, Purpose::Route, source.0, cycle, at);
            let is_aimed =
                !aimed.is_empty() && ((seed / 6).is_multiple_of(2) || word >> 60 & 1 == 0);
            let (destination, entropy) = if !is_aimed {
                let to = match seed % 3 {
                    0 => &everyone[..],
                    1 => &far[source.index()],
                    _ => &far[source.index()][..1],
                };
                (to[pick(to.len())], entropy(1))
            } else {
                let own: Vec<_> = aimed.iter().filter(|(from, ..)| *from == source).collect();
                let Some(&&(_, to, choice)) = own.get(pick(own.len().max(1))) else {
                    continue;
                };
                let choices = routing.choices(source, to);
                let mut words = (1..).map(entropy);
                let chosen = words.find(|&word| below(word, choices) == choice);
                (to, chosen.expect("chance"))
            };
            if destination != source {
                engine.offer(NewPacket {
                    source,
                    destination,
                    flits,
                    entropy,
                });
            }
        }
        engine.step();
        let found = watchdog.look(&engine);
        if found.is_some() {
            return found;
        }
    }
    None
}
