//! The express cube's rule: every pair delivered over as many channels as the formula says, no cycle
//! of dependencies with a single virtual channel, and the latency of the paper's equations and
//! figure 4 from simulated packets.

use crate::common;
use crate::common::any::expected;
use crate::tier;

use common::any::Any;
use common::dependencies::Dependencies;
use common::loaded::{Delivered, run_uniform};
use common::routes::hops_of_all_routes;
use flitsim_analysis::zero_load_latency_cycles;
use flitsim_engine::routing::{DimensionOrder, Express, Tie};
use flitsim_engine::{
    ChannelDelay, ConfigError, Engine, EngineConfig, FlowControl, NewPacket, Port, Routing,
};
use flitsim_topology::express::{
    Decomposition, ExpressChannel, Interchanges, level_share, line_hops,
};
use flitsim_topology::{
    ChannelId, Direction, Ends, ExpressCube, ExpressParameters, Grid, Network, NodeId,
};
use std::collections::BTreeSet;

pub fn network(parameters: ExpressParameters) -> Network {
    ExpressCube::new(parameters).unwrap().into_network()
}

pub fn line(radix: u32, interval: u32, levels: u32) -> Network {
    network(ExpressParameters::new(radix, 1, interval, levels))
}

pub fn express(network: &Network, virtual_channels: u32) -> Express<'_> {
    Express::new(network.express_cube().unwrap(), virtual_channels).unwrap()
}

/// Small cubes of every kind: levels, dimensions, parallel and interleaved channels, and
/// decompositions.
pub fn variants() -> Vec<ExpressParameters> {
    let mut all = Vec::new();
    for (radix, dimensions, i, l) in [(40, 1, 2, 4), (11, 2, 2, 3), (7, 2, 3, 1), (5, 3, 2, 2)] {
        let plain = ExpressParameters::new(radix, dimensions, i, l);
        for decomposition in [
            Decomposition::LevelOne,
            Decomposition::WithoutAscending,
            Decomposition::TopOnly,
        ] {
            all.push(ExpressParameters {
                decomposition,
                ..plain.clone()
            });
        }
        if dimensions < 3 {
            all.push(ExpressParameters {
                channels_per_level: (1..=l + 1).map(|q| 1 + q % 3).collect(),
                ..plain.clone()
            });
        }
        all.push(plain);
    }
    for (radix, i, m) in [(12, 4, 2), (11, 3, 3), (9, 4, 4)] {
        all.push(ExpressParameters {
            interleaved: m,
            ..ExpressParameters::new(radix, 2, i, 1)
        });
    }
    all.push(ExpressParameters {
        radices: vec![9, 4, 6],
        ..ExpressParameters::new(9, 1, 2, 3)
    });
    for (radices, i, l, m) in [
        (vec![11, 9], 2, 3, 1),
        (vec![5, 4, 5], 2, 2, 1),
        (vec![9, 8], 4, 1, 2),
    ] {
        all.push(ExpressParameters {
            radices,
            interleaved: m,
            channels_per_level: (1..=l + 1).map(|q| 1 + q % 2).collect(),
            interchanges: Interchanges::Interleaved,
            ..ExpressParameters::new(9, 1, i, l)
        });
    }
    all
}

#[test]
fn every_route_has_the_hops_of_the_cube() {
    for parameters in variants() {
        let network = network(parameters.clone());
        let cube = network.express_cube().unwrap();
        let routing = express(&network, 1);
        for source in (0..network.terminals()).map(NodeId) {
            for destination in (0..network.terminals()).map(NodeId) {
                let taken = hops_of_all_routes(&network, &routing, (source, destination), 0);
                let expected = cube.hops(source, destination);
                assert_eq!(taken, BTreeSet::from([expected]), "{parameters:?}");
            }
        }
    }
}

#[test]
fn hops_in_several_dimensions_add_up() {
    let network = network(ExpressParameters {
        radices: vec![9, 17],
        ..ExpressParameters::new(9, 2, 2, 3)
    });
    let cube = network.express_cube().unwrap();
    let routing = express(&network, 2);
    for source in (0..network.terminals()).map(NodeId) {
        for destination in (0..network.terminals()).map(NodeId) {
            let (a, b) = (cube.coordinates(source), cube.coordinates(destination));
            let sum = (0..2).map(|d| line_hops(2, 3, u32::from(a[d]), u32::from(b[d])));
            let taken = hops_of_all_routes(&network, &routing, (source, destination), 0);
            assert_eq!(taken, BTreeSet::from([sum.sum()]));
        }
    }
}

#[test]
fn one_virtual_channel_closes_no_cycle_of_dependencies() {
    for parameters in variants() {
        let network = network(parameters.clone());
        let found = Dependencies::of(&network, &express(&network, 1));
        assert!(found.is_acyclic(), "{parameters:?}");
        assert!(!found.edges.is_empty());
    }
}

#[test]
fn every_channel_of_a_whole_interchange_is_used() {
    for parameters in [
        ExpressParameters::new(40, 1, 2, 4),
        ExpressParameters::new(9, 2, 2, 2),
        ExpressParameters {
            channels_per_level: vec![2, 3, 1],
            ..ExpressParameters::new(9, 2, 2, 2)
        },
        ExpressParameters {
            // Not 9: the way down to the last node of a line from its own interchange is that of the
            // last dimension, and nothing goes further in the others.
            interchanges: Interchanges::Interleaved,
            ..ExpressParameters::new(10, 2, 2, 2)
        },
    ] {
        let network = network(parameters);
        let found = Dependencies::of(&network, &express(&network, 1));
        assert_eq!(found.vertices.len() as u32, network.channels());
    }
}

#[test]
fn parallel_channels_are_candidates_alike() {
    let network = network(ExpressParameters {
        channels_per_level: vec![2, 3],
        ..ExpressParameters::new(16, 1, 4, 1)
    });
    let routing = express(&network, 2);
    let loads = expected(
        &network,
        &routing,
        &EngineConfig::default(),
        |source, share| {
            if source == NodeId(0) {
                share(NodeId(15), 1.0);
            }
        },
    )
    .unwrap();
    // Four local channels to the first interchange, two express, four local: two or three of each.
    let cube = network.express_cube().unwrap();
    let mut used = [0; 2];
    for channel in (0..network.channels()).map(ChannelId) {
        let (kind, way) = cube.channel(network.source(channel), channel).unwrap();
        let load = loads.channel_loads[channel.index()];
        if load > 0.0 {
            let express = matches!(kind, ExpressChannel::Express(_));
            used[usize::from(express)] += 1;
            assert_eq!(way, Direction::Up);
            assert!((load - if express { 1.0 / 3.0 } else { 0.5 }).abs() < 1e-12);
        }
    }
    assert_eq!(used, [16, 6]);
    assert_eq!(loads.hops_mean, f64::from(line_hops(4, 1, 0, 15)));
}

#[test]
fn virtual_channels_out_of_range_are_refused() {
    let network = line(16, 4, 1);
    let cube = network.express_cube().unwrap();
    for vcs in [0, 65] {
        assert!(matches!(
            Express::new(cube, vcs),
            Err(ConfigError::OutOfRange { .. })
        ));
    }
    assert!(Express::new(cube, 1).is_ok());
}

#[test]
fn shares_of_the_levels_across_the_middle_are_as_corrected() {
    // Just below the interchange in the middle, upward, under uniform traffic.
    for (k, i, l) in [
        (64, 2, 3),
        (64, 2, 1),
        (128, 4, 2),
        (256, 2, 6),
        (64, 16, 1),
    ] {
        let network = line(k, i, l);
        let routing = express(&network, 1);
        let config = EngineConfig::default();
        let each = 1.0 / f64::from(k);
        let loads = expected(&network, &routing, &config, |_, share| {
            (0..k).for_each(|d| share(NodeId(d), each));
        })
        .unwrap()
        .channel_loads;
        let cube = network.express_cube().unwrap();
        let middle = |router: &NodeId| {
            cube.interchange(*router)
                .is_some_and(|at| at.boundary == k / 2)
        };
        let interchange = (k..network.nodes()).map(NodeId).find(middle).unwrap();
        let mut shares = vec![0.0; l as usize + 1];
        for &channel in network.incoming(interchange).iter() {
            let (kind, way) = cube.channel(network.source(channel), channel).unwrap();
            if way == Direction::Up {
                let level = match kind {
                    ExpressChannel::Express(level) => level,
                    _ => 0,
                };
                shares[level as usize] += loads[channel.index()];
            }
        }
        let total: f64 = shares.iter().sum();
        for (level, share) in shares.into_iter().enumerate() {
            let closed = level_share(k, i, l, level as u32);
            assert!(
                (share / total - closed).abs() < 1e-12,
                "{k} {i} {l} {level}"
            );
        }
    }
}

/// Node delay α in units of T_w, the delay of a wire of one pitch.
const ALPHA: u32 = 64;

/// T_n = α, T_w = 1: a cycle is T_w.
fn figure_4(network: &Network) -> EngineConfig {
    let delays = (0..network.channels())
        .map(|c| network.length_pitches(ChannelId(c)) as u32)
        .collect();
    EngineConfig {
        virtual_channels: 1,
        injection_vcs: 1,
        delay: ALPHA,
        body_delay: 1,
        channel_delay: ChannelDelay::PerChannel(delays),
        ..EngineConfig::default()
    }
}

/// The latency that the paper counts of a lone packet of one flit, for every distance: from the
/// engine's, the time in the source's router is taken, which the paper does not count.
fn latencies(
    network: &Network,
    routing: impl Routing,
    pairs: impl Iterator<Item = (u32, u32)>,
) -> Vec<u32> {
    let config = figure_4(network);
    let routing = Any::<true>::new(&routing);
    let mut engine = Engine::new(network, routing, config, 1, Delivered::default()).unwrap();
    let latencies = pairs.map(|(source, destination)| {
        engine.offer(NewPacket {
            source: NodeId(source),
            destination: NodeId(destination),
            flits: 1,
            entropy: 0,
        });
        while !engine.is_idle() {
            engine.step();
        }
        // The credits come home, so that the next packet too meets an empty network.
        engine.skip_to(engine.cycle() + 256);
        engine.probe().last_latency_cycles as u32 - ALPHA
    });
    latencies.collect()
}

#[test]
fn figure_4_comes_out_of_simulated_packets() {
    let distances = 1..=320;
    let plain = Grid::uniform(512, 1, Ends::Open).unwrap().into_network();
    let by_dimension = DimensionOrder::new(plain.grid().unwrap(), 1, Tie::Positive, true).unwrap();
    let from = |source| distances.clone().map(move |d| (source, source + d));
    // A conventional array: equation 2.
    let found = latencies(&plain, by_dimension, from(24));
    let formula: Vec<u32> = distances.clone().map(|d| (ALPHA + 1) * d).collect();
    assert_eq!(found, formula);
    assert_eq!(found[255], 16640);
    // Sources midway between two interchanges, and some that are not, in both directions.
    for (i, l, sources) in [
        (16, 1, vec![24, 16, 31, 90]),
        (4, 3, vec![106, 64, 127, 85, 40]),
    ] {
        let network = line(512, i, l);
        for source in sources {
            let found = latencies(&network, express(&network, 1), from(source));
            let formula: Vec<u32> = distances
                .clone()
                .map(|d| line_hops(i, l, source, source + d) * ALPHA + d)
                .collect();
            assert_eq!(found, formula, "i = {i}, l = {l}, from {source}");
            let back = distances.clone().map(|d| (source + d, source));
            assert_eq!(latencies(&network, express(&network, 1), back), formula);
            // At D = 256 it is the same from every source; the wire alone takes T_w a pitch.
            assert_eq!(found[255], if l == 1 { 2304 } else { 1152 });
            let alone = expected(
                &network,
                &express(&network, 1),
                &figure_4(&network),
                |origin, share| {
                    if origin == NodeId(source) {
                        share(NodeId(source + 256), 1.0);
                    }
                },
            );
            assert_eq!(alone.unwrap().wire_cycles_mean, 256.0);
        }
    }
}

#[test]
fn the_flat_cube_leaves_the_plain_array_at_distance_24() {
    // Each interchange on the way costs a node delay; the first express channel saves 15 hops.
    let network = line(128, 16, 1);
    let found = latencies(
        &network,
        express(&network, 1),
        (1..64).map(|d| (24, 24 + d)),
    );
    let local = |d: u32| (d + u32::from(d >= 8) + u32::from(d >= 24)) * ALPHA + d;
    for d in 1..64u32 {
        let saves = found[d as usize - 1] < local(d);
        assert_eq!(saves, d >= 24, "distance {d}");
    }
}

#[test]
fn equation_1_holds_with_message_length_and_period() {
    // T = H T_n + D T_w + (L/W) T_p: the engine's constant is T_n − T_p, the source's router less
    // the last flit's period.
    let network = line(64, 4, 2);
    let cube = network.express_cube().unwrap();
    for (flits, period) in [(1, 1), (5, 1), (5, 3), (20, 2)] {
        let config = EngineConfig {
            body_delay: ALPHA,
            channel_period: period,
            buffer_flits: 512,
            ..figure_4(&network)
        };
        let routing = express(&network, 1);
        let routing = Any::<true>::new(&routing);
        let mut engine =
            Engine::new(&network, routing, config.clone(), 1, Delivered::default()).unwrap();
        for (source, destination) in [(0, 63), (5, 38), (50, 3), (17, 18), (40, 39)] {
            engine.offer(NewPacket {
                source: NodeId(source),
                destination: NodeId(destination),
                flits,
                entropy: 0,
            });
            while !engine.is_idle() {
                engine.step();
            }
            engine.skip_to(engine.cycle() + 256);
            let hops = cube.hops(NodeId(source), NodeId(destination));
            let distance = source.abs_diff(destination);
            let paper = u64::from(hops * ALPHA + distance + flits * period);
            let found = engine.probe().last_latency_cycles;
            assert_eq!(found, paper + u64::from(ALPHA) - u64::from(period));
            let closed = zero_load_latency_cycles(&config, hops, u64::from(distance), flits);
            assert_eq!(found, closed);
        }
    }
}

#[test]
fn uniform_load_is_carried_and_drains() {
    if tier::is_left_out() {
        return;
    }
    for parameters in variants() {
        for flow_control in [FlowControl::Wormhole, FlowControl::VirtualCutThrough] {
            let network = network(parameters.clone());
            let config = EngineConfig {
                virtual_channels: 1,
                injection_vcs: 2,
                flow_control,
                ..EngineConfig::default()
            };
            let uniform = 1.0 / f64::from(network.terminals() - 1);
            let cube = network.express_cube().unwrap();
            let bound = expected(&network, &express(&network, 1), &config, |source, share| {
                (0..network.terminals())
                    .map(NodeId)
                    .filter(|&destination| destination != source)
                    .for_each(|destination| share(destination, uniform));
            })
            .unwrap();
            let mean = cube.route_distances().mean_without_self;
            assert!((bound.hops_mean - mean).abs() < 1e-9);
            // Well below the bound, it is carried; far above it, nothing locks up.
            for (part, cycles) in [(0.3, 1200), (2.0, 200)] {
                let load = f64::min(part * bound.ideal_throughput, 1.0);
                let routing = express(&network, 1);
                let (counters, delivered) =
                    run_uniform(&network, routing, config.clone(), 4, load, cycles);
                assert_eq!(delivered.packets, counters.packets_offered);
                if part > 1.0 {
                    continue;
                }
                let mean = delivered.hops as f64 / delivered.packets as f64;
                assert!(
                    (mean / bound.hops_mean - 1.0).abs() < 0.15,
                    "{parameters:?} {mean}"
                );
                let carried = counters.flits_ejected as f64 / counters.flits_offered as f64;
                assert!(carried > 0.95, "{parameters:?} {load} {carried}");
            }
        }
    }
}

#[test]
fn parallel_channels_carry_what_one_cannot() {
    // Most of the packets across the middle are on express channels: these limit.
    let accepted = |parallel| {
        let network = network(ExpressParameters {
            channels_per_level: vec![1, parallel],
            ..ExpressParameters::new(64, 1, 4, 1)
        });
        let config = EngineConfig {
            injection: Port::Unlimited,
            ..EngineConfig::default()
        };
        let (counters, _) = run_uniform(&network, express(&network, 4), config, 4, 0.3, 4000);
        counters.flits_ejected as f64 / (4000.0 * 64.0)
    };
    let (one, three) = (accepted(1), accepted(3));
    assert!(three > 1.5 * one, "{one} {three}");
}
