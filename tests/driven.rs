//! One virtual channel fewer than each algorithm needs, on every family that it claims: traffic comes
//! to the deadlock that the proof foretells. (That with one more the same does not happen, and what
//! the program says of it: `refused.rs`. Algorithms that one virtual channel is enough for: the
//! engine's `twins.rs`.)

mod proofs;

use flitsim::dispatch::{WithRouting, with_any_routing};
use flitsim::scenario::{Overrides, Plan, SeriesPlan};
use flitsim_engine::random::{Purpose, below, draw};
use flitsim_engine::verify::{VerifyOptions, verify};
use flitsim_engine::{Deadlock, Engine, NewPacket, NoProbe, Routing, Watchdog};
use flitsim_topology::properties::distances_from;
use flitsim_topology::{Network, NodeId};
use proofs::Series;
use proofs::families::FAMILIES;
use std::path::Path;

/// Packets much longer than a buffer, and heads that go wherever they may.
fn crowded(topology: &str, virtual_channels: u32, algorithm: &str) -> SeriesPlan {
    let series = Series {
        router: "buffer_flits = 1\nselection = 'random'".to_owned(),
        ..Series::new(topology, virtual_channels, algorithm)
    };
    let overrides = Overrides {
        allow_deadlock: true,
        ..Overrides::default()
    };
    let plan = Plan::parse(Path::new("a.toml"), series.alone(), overrides);
    plan.unwrap_or_else(|error| panic!("{error}"))
        .series
        .remove(0)
}

/// By source: the destinations farthest from it. The classes that fall together are those of long
/// routes.
fn farthest(network: &Network) -> Vec<Vec<NodeId>> {
    let terminals = || (0..network.terminals()).map(NodeId);
    let farthest_from = |source| {
        let distances = distances_from(network, source);
        let most = terminals().map(|to| distances[to.index()]).max();
        let is_far = |to: &NodeId| Some(distances[to.index()]) == most;
        terminals().filter(is_far).collect()
    };
    terminals().map(farthest_from).collect()
}

/// More traffic than the network takes, until the watchdog finds a deadlock or `cycles` are over.
fn crowd<R: Routing>(series: &SeriesPlan, routing: R, seed: u64, cycles: u64) -> Option<Deadlock> {
    let network = &*series.network;
    let everyone: Vec<NodeId> = (0..network.terminals()).map(NodeId).collect();
    let far = farthest(network);
    let mut engine = Engine::new(network, routing, series.engine.clone(), seed, NoProbe).unwrap();
    let mut watchdog = Watchdog::new();
    while engine.cycle() < cycles {
        for &source in &everyone {
            let draw = |index| draw(seed, Purpose::Route, source.0, engine.cycle(), index);
            let to = match seed % 2 {
                0 => &everyone,
                _ => &far[source.index()],
            };
            let destination = to[below(draw(0), to.len() as u32) as usize];
            if draw(0).is_multiple_of(16) && destination != source {
                engine.offer(NewPacket {
                    source,
                    destination,
                    flits: 32,
                    entropy: draw(1),
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

/// The seed whose traffic deadlocks.
struct Drive<'p>(&'p SeriesPlan);

impl WithRouting for Drive<'_> {
    type Output = Option<u64>;

    fn call<R: Routing + Clone>(self, routing: R) -> Option<u64> {
        let proof = verify(
            &self.0.network,
            &routing,
            &VerifyOptions::of(&self.0.engine),
        );
        assert!(!proof.is_free() && !proof.cycle().is_empty());
        let seeds = std::env::var("SEEDS").map_or(6, |s| s.parse().unwrap());
        (1..=seeds).find(|&seed| {
            let deadlock = crowd(self.0, routing.clone(), seed, 3_072);
            deadlock.is_some_and(|found| !found.circle.is_empty())
        })
    }
}

#[test]
fn one_virtual_channel_fewer_comes_to_a_deadlock() {
    for family in &FAMILIES {
        for &(algorithm, least) in family.least {
            if least == 1 || family.without_cycle.contains(&algorithm) {
                continue;
            }
            let start = std::time::Instant::now();
            let series = crowded(family.topology, least - 1, algorithm);
            let driven = with_any_routing(
                &series.routing,
                &series.network,
                least - 1,
                Drive(&series),
            );
            println!("{} {algorithm} {}: {:?} {:?}", family.topology.replace('\n', " "), least - 1, driven.unwrap(), start.elapsed());
        }
    }
}
