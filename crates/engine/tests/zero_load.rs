//! Zero-load latency equals the formula to the cycle: the time of every packet that meets no other.
//!
//! Wormhole and virtual cut-through: (H + 1) t_r + Σ t_c + (F − 1) p. Store-and-forward:
//! Σ (t_r + t_c + (F − 1) p) + t_r over the H channels.

use crate::common::any::{Any, expected};
use crate::common::loaded::Delivered;
use flitsim_engine::routing::{DimensionOrder, Tie};
use flitsim_engine::{
    Allocator, ChannelDelay, Engine, EngineConfig, FlowControl, NewPacket, Pipeline, Routing,
};
use flitsim_topology::{Ends, Grid, Network, NodeId};

fn check_every_pair(grid: Grid, config: &EngineConfig, flits: u32) {
    let network = grid.into_network();
    let all = || (0..network.terminals()).map(NodeId);
    let pairs = all().flat_map(|source| all().map(move |destination| (source, destination)));
    check_pairs(&network, config, flits, pairs);
}

fn check_pairs(
    network: &Network,
    config: &EngineConfig,
    flits: u32,
    pairs: impl Iterator<Item = (NodeId, NodeId)>,
) {
    let grid = network.grid().unwrap();
    let routing = DimensionOrder::new(grid, config.virtual_channels, Tie::Random, true).unwrap();
    let relation = Any::<true>::new(&routing);
    let mut engine =
        Engine::new(network, relation, config.clone(), 1, Delivered::default()).unwrap();
    for (source, destination) in pairs {
        for choice in 0..routing.choices(source, destination) {
            let hops = u64::from(grid.distance(source, destination));
            engine.offer(NewPacket {
                source,
                destination,
                flits,
                entropy: u64::MAX / u64::from(routing.choices(source, destination))
                    * u64::from(choice),
            });
            while !engine.is_idle() {
                engine.step();
            }
            let wire = u64::from(config.channel_delay_of(flitsim_topology::ChannelId(0)));
            let router = u64::from(config.head_cycles());
            let rest = u64::from(flits - 1) * u64::from(config.flit_cycles());
            let expected = match config.flow_control {
                // Without a channel, only the terminal's own port spaces the flits.
                _ if hops == 0 => {
                    let stage = config.pipeline.map_or(1, |stages| stages.switch_allocation);
                    let stage = stage.div_ceil(config.internal_speedup);
                    router + u64::from(flits - 1) * u64::from(stage)
                }
                FlowControl::StoreAndForward => hops * (router + wire + rest) + router,
                _ => (hops + 1) * router + hops * wire + rest,
            };
            let (latency, taken) = engine.probe_mut().only();
            assert_eq!(u64::from(taken), hops);
            assert_eq!(
                latency, expected,
                "{source} to {destination}, {flits} flits, {config:?}"
            );
            // Let the credits come home: the next packet too shall meet an empty network.
            engine.skip_to(engine.cycle() + 2 * wire + 16);
        }
    }
    engine.check_invariants();
}

fn networks() -> [Grid; 3] {
    [
        Grid::new(&[5, 4, 3], Ends::Open).unwrap(),
        Grid::uniform(4, 3, Ends::Ring).unwrap(),
        Grid::hypercube(6).unwrap(),
    ]
}

fn config(delay: u32, wire: u32, flits: u32, flow_control: FlowControl) -> EngineConfig {
    let round_trip = delay + 2 * wire + 1;
    EngineConfig {
        virtual_channels: 2,
        injection_vcs: 2,
        buffer_flits: match flow_control {
            FlowControl::Wormhole => round_trip,
            _ => round_trip.max(flits),
        },
        flow_control,
        delay,
        body_delay: delay,
        channel_delay: ChannelDelay::Uniform(wire),
        ..EngineConfig::default()
    }
}

fn check(flow_control: FlowControl) {
    for flits in [1, 2, 16] {
        for delay in [1, 2, 3] {
            for wire in [0, 1, 5] {
                for grid in networks() {
                    check_every_pair(grid, &config(delay, wire, flits, flow_control), flits);
                }
            }
        }
    }
}

#[test]
fn wormhole() {
    check(FlowControl::Wormhole);
}

/// The sets of routers at work are words of 64, of which a word tells the 64 that are not empty: here are more
/// of each than one tells of.
#[test]
fn beyond_4096_routers() {
    let network = Grid::uniform(70, 2, Ends::Open).unwrap().into_network();
    let ends = [(0, 4_899), (4_899, 4_095), (4_200, 4_100), (4_096, 63)];
    let plain = config(1, 0, 4, FlowControl::Wormhole);
    let by_age = EngineConfig {
        allocator: Allocator::OldestFirst,
        ..plain.clone()
    };
    let slow = config(2, 1, 4, FlowControl::VirtualCutThrough);
    for config in [plain, by_age, slow] {
        let pairs = ends.map(|(source, destination)| (NodeId(source), NodeId(destination)));
        check_pairs(&network, &config, 4, pairs.into_iter());
    }
}

#[test]
fn virtual_cut_through() {
    check(FlowControl::VirtualCutThrough);
}

#[test]
fn store_and_forward() {
    check(FlowControl::StoreAndForward);
}

/// Routing, both allocations and traversal, in cycles.
fn pipeline([routing, vc_allocation, switch_allocation, traversal]: [u32; 4]) -> Pipeline {
    Pipeline {
        routing,
        vc_allocation,
        switch_allocation,
        traversal,
    }
}

/// Routing, allocations, traversal and a cycle on the channel; two allocations at once where the head
/// speculates.
#[test]
fn in_stages() {
    for (stages, once, at_once) in [
        ([1, 1, 1, 1], 5, 4),
        ([0, 1, 1, 1], 4, 3),
        ([0, 1, 1, 0], 3, 2),
        ([2, 2, 1, 0], 6, 5),
        ([0, 1, 2, 3], 7, 6),
    ] {
        for (speculative, ejection_vcs, injection_buffers, flits) in [
            (false, 0, false, 5),
            (true, 0, true, 1),
            (true, 2, false, 4),
            (false, 1, true, 12),
        ] {
            let config = EngineConfig {
                pipeline: Some(pipeline(stages)),
                speculative,
                ejection_vcs,
                injection_buffers,
                ..config(6, 1, flits, FlowControl::Wormhole)
            };
            assert_eq!(
                config.head_cycles(),
                if speculative { at_once } else { once }
            );
            for grid in networks() {
                check_every_pair(grid, &config, flits);
            }
        }
    }
}

/// Of a router's stages, in internal cycles, whole cycles of the channel are counted to the queue behind the switch,
/// and two from there.
#[test]
fn in_internal_cycles() {
    for (internal_speedup, stages, cycles) in [
        (2, [1, 1, 1, 1], 3),
        (2, [0, 1, 1, 1], 3),
        (2, [0, 1, 1, 0], 2),
        (3, [1, 1, 1, 1], 3),
        (4, [1, 1, 1, 1], 2),
        (2, [2, 1, 2, 3], 5),
        (3, [4, 3, 3, 5], 6),
    ] {
        for (flits, wire) in [(1, 0), (2, 1), (12, 0)] {
            let config = EngineConfig {
                pipeline: Some(pipeline(stages)),
                internal_speedup,
                ejection_vcs: 2,
                injection_buffers: true,
                ..config(9, wire, flits, FlowControl::Wormhole)
            };
            assert_eq!(config.head_cycles(), cycles, "{stages:?}");
            for grid in networks() {
                check_every_pair(grid, &config, flits);
            }
        }
    }
    // Longer through the switch than anything could wait in a queue.
    for traversal in 0..300 {
        let config = EngineConfig {
            pipeline: Some(pipeline([1, 1, 1, traversal])),
            internal_speedup: 2,
            ejection_vcs: 1,
            injection_buffers: true,
            ..config(1, 0, 1, FlowControl::Wormhole)
        };
        check_every_pair(Grid::uniform(3, 1, Ends::Open).unwrap(), &config, 1);
    }
}

/// Dally's directed 16-ary 2-cube, 25 flits from a node to each of the others, simulated: 39.06 hops
/// and flits less 1, and the router of the source, which the simulator counts as well.
#[test]
fn a_directed_torus_without_load() {
    let network = Grid::uniform(16, 2, Ends::DirectedRing)
        .unwrap()
        .into_network();
    let routing = DimensionOrder::new(network.grid().unwrap(), 2, Tie::Random, true).unwrap();
    let config = config(1, 0, 25, FlowControl::Wormhole);
    let relation = Any::<true>::new(&routing);
    let mut engine = Engine::new(&network, relation, config, 1, Delivered::default()).unwrap();
    let mut cycles = 0;
    for destination in (1..network.terminals()).map(NodeId) {
        engine.offer(NewPacket {
            source: NodeId(0),
            destination,
            flits: 25,
            entropy: 0,
        });
        while !engine.is_idle() {
            engine.step();
        }
        cycles += engine.probe_mut().only().0;
        engine.skip_to(engine.cycle() + 8);
    }
    let mean = cycles as f64 / 255.0;
    // Half a cycle is asked for.
    assert!((mean - 1.0 - 39.06).abs() < 0.005, "{mean}");
}

#[test]
fn a_slow_channel_spaces_the_flits() {
    for flow_control in [FlowControl::Wormhole, FlowControl::StoreAndForward] {
        for channel_period in [2, 3] {
            let config = EngineConfig {
                channel_period,
                ..config(2, 1, 8, flow_control)
            };
            check_every_pair(Grid::uniform(4, 2, Ends::Ring).unwrap(), &config, 8);
        }
    }
}

#[test]
fn wires_of_different_lengths_add_up() {
    let network: Network = Grid::uniform(5, 1, Ends::Open).unwrap().into_network();
    let delays: Vec<u32> = (0..network.channels()).map(|c| 3 * c % 7).collect();
    let config = EngineConfig {
        buffer_flits: 20,
        channel_delay: ChannelDelay::PerChannel(delays.clone()),
        ..EngineConfig::default()
    };
    let grid = network.grid().unwrap();
    let routing = DimensionOrder::new(grid, 4, Tie::Random, true).unwrap();
    let relation = Any::<true>::new(&routing);
    let mut engine = Engine::new(&network, relation, config, 1, Delivered::default()).unwrap();
    engine.offer(NewPacket {
        source: NodeId(0),
        destination: NodeId(4),
        flits: 5,
        entropy: 0,
    });
    while !engine.is_idle() {
        engine.step();
    }
    let wires: u32 = (0..network.channels())
        .filter(|&c| {
            let channel = flitsim_topology::ChannelId(c);
            network.target(channel) > network.source(channel)
        })
        .map(|c| delays[c as usize])
        .sum();
    let (latency, hops) = engine.probe_mut().only();
    assert_eq!((latency, hops), (u64::from(5 + wires + 4), 4));
}

#[test]
fn the_slowest_channel_on_the_way_sets_the_pace() {
    const FLITS: u32 = 5;
    let network: Network = Grid::uniform(5, 1, Ends::Open).unwrap().into_network();
    let periods: Vec<u32> = (0..network.channels()).map(|c| 1 + 3 * c % 5).collect();
    for flow_control in [
        FlowControl::Wormhole,
        FlowControl::VirtualCutThrough,
        FlowControl::StoreAndForward,
    ] {
        let config = EngineConfig {
            buffer_flits: 20,
            flow_control,
            channel_periods: periods.clone(),
            ..EngineConfig::default()
        };
        let grid = network.grid().unwrap();
        let routing = DimensionOrder::new(grid, 4, Tie::Random, true).unwrap();
        let relation = Any::<true>::new(&routing);
        let mut engine =
            Engine::new(&network, relation, config.clone(), 1, Delivered::default()).unwrap();
        let mut sum = 0;
        for (source, destination) in (0..25).map(|pair| (NodeId(pair / 5), NodeId(pair % 5))) {
            engine.offer(NewPacket {
                source,
                destination,
                flits: FLITS,
                entropy: 0,
            });
            while !engine.is_idle() {
                engine.step();
            }
            engine.skip_to(engine.cycle() + 10);
            let (low, high) = (source.min(destination), source.max(destination));
            let upward = source < destination;
            let way = (0..network.channels()).map(flitsim_topology::ChannelId);
            let way = way.filter(|&c| {
                let ends = (network.source(c), network.target(c));
                let (from, to) = if upward { ends } else { (ends.1, ends.0) };
                from < to && low <= from && to <= high
            });
            let rest = |p: u32| u64::from((FLITS - 1) * p);
            let way: Vec<u64> = way.map(|c| rest(periods[c.index()])).collect();
            let hops = way.len() as u64;
            let expected = match flow_control {
                _ if hops == 0 => 1 + rest(1),
                FlowControl::StoreAndForward => hops + way.iter().sum::<u64>() + 1,
                _ => hops + 1 + way.iter().max().unwrap(),
            };
            let (latency, _) = engine.probe_mut().only();
            assert_eq!(
                latency, expected,
                "{source} to {destination}, {flow_control:?}"
            );
            sum += expected;
        }
        let expected = expected(&network, &routing, &config, |_, visit| {
            (0..5).for_each(|node| visit(NodeId(node), 0.2));
        });
        let expected = expected.unwrap();
        let mean = expected.zero_load_latency_mean(FLITS);
        assert!((mean - sum as f64 / 25.0).abs() < 1e-9, "{mean}");
        let busiest = expected.channel_loads.iter().zip(&periods);
        let busiest = busiest
            .map(|(load, &p)| load * f64::from(p))
            .fold(0.0, f64::max);
        assert!((expected.ideal_throughput * busiest - 1.0).abs() < 1e-12);
    }
}

#[test]
fn periods_of_another_network_are_refused() {
    let network: Network = Grid::uniform(5, 1, Ends::Open).unwrap().into_network();
    for periods in [vec![1; 3], vec![0; 8]] {
        let config = EngineConfig {
            channel_periods: periods,
            ..EngineConfig::default()
        };
        assert!(config.validate(&network).is_err());
    }
}
