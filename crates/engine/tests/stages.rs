//! Routers in stages: whatever the allocators and arbiters, nobody who competes for a channel is starved.

use flitsim_engine::routing::{DimensionOrder, Tie};
use flitsim_engine::{Arbiter, Engine, EngineConfig, Matching, NewPacket, Packet, Pipeline, Probe};
use flitsim_topology::{Ends, Grid, Network, NodeId};

/// Packets delivered, by source.
#[derive(Default)]
struct BySource([u64; 9]);

impl Probe for BySource {
    fn packet_delivered(&mut self, _: u64, packet: &Packet) {
        self.0[packet.source.index()] += 1;
    }
}

/// Every pair of allocators that has the same name, with every arbiter, with speculation and without.
fn routers() -> impl Iterator<Item = EngineConfig> {
    let matchings = [
        None,
        Some(Matching::SeparableInputFirst),
        Some(Matching::SeparableOutputFirst),
        Some(Matching::Islip { iterations: 2 }),
        Some(Matching::Pim { iterations: 1 }),
        Some(Matching::Wavefront),
        Some(Matching::Maximum),
    ];
    let arbiters = [
        Arbiter::RoundRobin,
        Arbiter::Matrix,
        Arbiter::OldestFirst,
        Arbiter::Random,
    ];
    let all = matchings.into_iter().zip(0u32..);
    all.flat_map(move |(matching, number)| {
        arbiters
            .into_iter()
            .zip(number..)
            .map(move |(arbiter, number)| EngineConfig {
                pipeline: Some(Pipeline {
                    routing: number % 2,
                    vc_allocation: 1,
                    switch_allocation: 1,
                    traversal: 1,
                }),
                speculative: number % 3 > 0,
                vc_allocator: matching,
                switch_allocator: matching,
                hold_switch: number % 4 > 1,
                arbiter: Some(arbiter),
                ejection_vcs: number % 4,
                injection_buffers: number % 2 == 0,
                ..EngineConfig::default()
            })
    })
}

/// How much of what all `flows` (source and destination) get the least favoured gets, where every source
/// always has a packet.
fn least_share(network: &Network, config: &EngineConfig, flows: &[(u32, u32)], flits: u32) -> f64 {
    let grid = network.grid().expect("a grid");
    let vcs = config.virtual_channels;
    let routing = DimensionOrder::new(grid, vcs, Tie::Random, true).expect("enough VCs");
    let mut engine =
        Engine::new(network, routing, config.clone(), 1, BySource::default()).expect("an engine");
    for cycle in 0..8_000 {
        if cycle % u64::from(flits) == 0 {
            for &(source, destination) in flows {
                engine.offer(NewPacket {
                    source: NodeId(source),
                    destination: NodeId(destination),
                    flits,
                    entropy: 0,
                });
            }
        }
        engine.step();
    }
    engine.check_invariants();
    let delivered = flows
        .iter()
        .map(|&(source, _)| engine.probe().0[source as usize]);
    let all: u64 = delivered.clone().sum();
    delivered.min().unwrap_or(0) as f64 / all as f64
}

#[test]
fn who_competes_for_a_channel_gets_a_share_of_it() {
    let mesh = Grid::uniform(3, 2, Ends::Open)
        .expect("a mesh")
        .into_network();
    let ring = Grid::new(&[8], Ends::DirectedRing)
        .expect("a ring")
        .into_network();
    for router in routers() {
        for (virtual_channels, flits) in [(1, 1), (2, 2), (4, 16)] {
            let mut config = EngineConfig {
                virtual_channels,
                injection_vcs: virtual_channels,
                ..router.clone()
            };
            // All for the channel from 4 to 7, and for the terminal there.
            let share = least_share(&mesh, &config, &[(1, 7), (3, 7), (5, 7)], flits);
            assert!(share > 0.2, "{share} of a third: {flits} flits, {config:?}");
            if virtual_channels > 1 {
                // The first may take half of the virtual channels, the second all.
                let share = least_share(&ring, &config, &[(7, 2), (1, 3)], flits);
                assert!(share > 0.1, "{share} of a half: {flits} flits, {config:?}");
            }
            if config.vc_allocator.is_none() {
                config.interleave_flits = false;
                let share = least_share(&mesh, &config, &[(1, 7), (3, 7), (5, 7)], flits);
                assert!(share > 0.2, "{share} of a third: {flits} flits, {config:?}");
            }
        }
    }
}
