//! Routers in stages: whatever the allocators and arbiters, nobody who competes for a channel is starved.

use crate::common::any::Any;
use crate::common::loaded::Delivered;
use crate::oracle::relation::Ordered;
use flitsim_engine::routing::{DimensionOrder, Tie};
use flitsim_engine::{Arbiter, BufferSharing, Engine, EngineConfig, Matching, NewPacket, Pipeline};
use flitsim_topology::{Ends, Grid, Network, NodeId};

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
                hold_switch: number % 4 > 2,
                buffer_sharing: match number % 5 {
                    0 => BufferSharing::Shared,
                    _ => BufferSharing::Private,
                },
                arbiter: Some(arbiter),
                ejection_vcs: number % 4,
                output_speedup: if number % 4 > 0 { 1 + number % 3 } else { 1 },
                injection_buffers: number % 2 == 0,
                internal_speedup: if number % 4 == 2 { 2 + number % 3 } else { 1 },
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
    let routing = Any::<true>::new(&routing);
    let mut engine =
        Engine::new(network, routing, config.clone(), 1, Delivered::default()).expect("an engine");
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
    let delivered = flows.iter().map(|&(source, _)| engine.probe().from(source));
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

/// What is still on its way to the terminal has left a channel's buffer, and none of the injection buffers of its
/// destination, which sends nothing.
#[test]
fn energy_of_flits_on_their_way_to_the_terminal() {
    let line = Grid::uniform(2, 1, Ends::Open).unwrap();
    let network = line.clone().into_network();
    let config = EngineConfig {
        pipeline: Some(Pipeline {
            routing: 1,
            vc_allocation: 1,
            switch_allocation: 1,
            traversal: 4,
        }),
        ..EngineConfig::default()
    };
    let routing = DimensionOrder::new(&line, config.virtual_channels, Tie::Random, true).unwrap();
    let counted = Delivered::everything(&network);
    let routing = Ordered::<_, true>(routing);
    let routing = Any::<true>::new(&routing);
    let mut engine = Engine::new(&network, routing, config.clone(), 1, counted).unwrap();
    let [source, destination] = [0, 1].map(NodeId);
    engine.offer(NewPacket {
        source,
        destination,
        flits: 20,
        entropy: 0,
    });
    let mut sent = 0;
    while !engine.is_idle() {
        engine.step();
        let [from, to] =
            [source, destination].map(|node| engine.probe_mut().activity.of_node(node, &config));
        assert_eq!(to.buffer_reads, 0, "in cycle {}", engine.cycle());
        assert!(sent <= from.buffer_reads && to.crossbar_traversals <= from.buffer_reads);
        sent = from.buffer_reads;
    }
    assert_eq!(sent, 20);
}
