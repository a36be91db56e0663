//! The nearest common ancestor: every route a shortest path of the fat-tree, no cycle of
//! dependencies, loads as counted, and the zero-load latencies of Greenberg & Guan's networks.

use crate::common;
use crate::common::any::expected;
use crate::tier;

use common::any::Any;
use common::dependencies::Dependencies;
use common::loaded::{Delivered, run_uniform};
use common::routes::hops_of_all_routes;
use flitsim_analysis::Expected;
use flitsim_engine::routing::{DimensionOrder, FatPyramid, NearestCommonAncestor, Tie};
use flitsim_engine::{
    ConfigError, Engine, EngineConfig, FlowControl, NewPacket, Routing, Selection,
};
use flitsim_topology::cost::{Constraint, UnitCost, nearest_width_bits};
use flitsim_topology::{ChannelId, Ends, FatTree, FatTreeKind, Grid, Network, NodeId};
use std::collections::BTreeSet;

fn network(levels: u32, kind: FatTreeKind) -> Network {
    FatTree::new(4u32.pow(levels), kind).unwrap().into_network()
}

fn routing(network: &Network, vcs: u32) -> NearestCommonAncestor<'_> {
    NearestCommonAncestor::new(network.fat_tree().unwrap(), vcs).unwrap()
}

fn expected_uniform(network: &Network, routing: &impl Routing) -> Expected {
    let terminals = network.terminals();
    expected(
        network,
        routing,
        &EngineConfig::default(),
        |source, send| {
            for destination in (0..terminals).map(NodeId).filter(|&d| d != source) {
                send(destination, 1.0 / f64::from(terminals - 1));
            }
        },
    )
    .unwrap()
}

#[test]
fn every_route_is_as_long_as_the_distance_in_the_fat_tree() {
    for kind in [FatTreeKind::Butterfly, FatTreeKind::Pyramid] {
        for levels in 1..=3 {
            let network = network(levels, kind);
            let routing = routing(&network, 2);
            let tree = FatTree::butterfly(network.terminals()).unwrap();
            for source in (0..network.terminals()).map(NodeId) {
                for destination in (0..network.terminals()).map(NodeId) {
                    assert_eq!(routing.choices(source, destination), 1);
                    let pair = (source, destination);
                    let hops = hops_of_all_routes(&network, &routing, pair, 0);
                    assert_eq!(hops, BTreeSet::from([tree.distance(source, destination)]));
                }
            }
        }
    }
}

#[test]
fn dependencies_are_as_many_as_counted_and_acyclic_with_one_virtual_channel() {
    for levels in 1..=3u32 {
        let network = network(levels, FatTreeKind::Butterfly);
        for vcs in [1, 2] {
            let found = Dependencies::of(&network, &routing(&network, vcs));
            assert!(found.is_acyclic());
            // At a switch of level h < top every channel from below may be followed by both up; at
            // any, one from a child by those down to the other three, one from a parent by those
            // down to all four.
            let per_switch = |level: u32| match level + 1 < levels {
                true => 4 * 2 + 4 * 3 + 2 * 4,
                false => 4 * 3,
            };
            let switches = |level: u32| 4usize.pow(levels - 1) >> level;
            let edges: usize = (0..levels).map(|h| switches(h) * per_switch(h)).sum();
            let v = vcs as usize;
            let channels = network.channels() as usize;
            assert_eq!(found.counts(), (v * channels, v * v * edges));
        }
    }
}

#[test]
fn channel_loads_under_uniform_traffic_are_the_closed_form() {
    for levels in 1..=4u32 {
        let network = network(levels, FatTreeKind::Butterfly);
        let tree = network.fat_tree().unwrap();
        let found = expected_uniform(&network, &routing(&network, 2));
        let n = f64::from(network.terminals());
        for channel in (0..network.channels()).map(ChannelId) {
            let (from, to) = (network.source(channel), network.target(channel));
            // 4^b processors below share 2^b channels up, and as many down.
            let b = match (tree.switch(from), tree.switch(to)) {
                (Some(from), Some(to)) => from.level.min(to.level) + 1,
                _ => 0,
            };
            let below = f64::from(4u32.pow(b));
            let load = below * (n - below) / (n - 1.0) / f64::from(2u32.pow(b));
            assert!((found.channel_loads[channel.index()] - load).abs() < 1e-9);
        }
        let mean = tree.distances().mean_without_self;
        assert!((found.hops_mean - mean).abs() < 1e-9);
        // The links of the highest level carry three quarters of all, or the processors' links all.
        let busiest = (3.0 * n * n.sqrt() / (8.0 * (n - 1.0))).max(1.0);
        assert!((found.ideal_throughput - 1.0 / busiest).abs() < 1e-9);
    }
}

#[test]
fn zero_load_latencies_at_equal_bisection_with_1024_processors() {
    if tier::is_left_out() {
        return;
    }
    // Packets of 320 bits, channel widths of Greenberg & Guan's table 1, uniform traffic to the
    // others. With a router of one cycle and no wire delay a packet takes H + F cycles: (H + 1) for
    // the routers of its way, the source's included, and F − 1 for the flits behind the head. In the
    // trees processors are routers of their own, and H counts their links; in mesh and hypercube H
    // counts the links between processors.
    const PACKET_BITS: u32 = 320;
    const PROCESSORS: u32 = 1024;
    let reference = UnitCost::mesh(PROCESSORS).unwrap();
    let flits = |cost: UnitCost| {
        let width = cost.width_bits(Constraint::Bisection, &reference, 32);
        PACKET_BITS.div_ceil(nearest_width_bits(width))
    };
    let check = |network: &Network, routing: &dyn Fn() -> Expected, cost, mean: f64| {
        assert_eq!(network.terminals(), PROCESSORS);
        let found = routing().zero_load_latency_mean(flits(cost));
        assert!((found - mean).abs() <= 0.05, "{found} is not {mean}");
    };

    let tree = network(5, FatTreeKind::Butterfly);
    let ancestor = || expected_uniform(&tree, &routing(&tree, 1));
    let cost = UnitCost::butterfly_fat_tree(PROCESSORS).unwrap();
    check(&tree, &ancestor, cost, 19.34);

    let pyramid = network(5, FatTreeKind::Pyramid);
    let cheapest = FatPyramid::new(pyramid.fat_tree().unwrap(), 1, 0).unwrap();
    let over_cheapest = || expected_uniform(&pyramid, &cheapest);
    let cost = UnitCost::fat_pyramid(PROCESSORS).unwrap();
    check(&pyramid, &over_cheapest, cost, 38.01);

    let mesh = Grid::uniform(32, 2, Ends::Open).unwrap().into_network();
    let cube = Grid::hypercube(10).unwrap().into_network();
    for (network, cost, mean) in [
        (&mesh, reference, 31.33),
        (&cube, UnitCost::hypercube(PROCESSORS).unwrap(), 165.00),
    ] {
        let grid = network.grid().unwrap();
        let routing = DimensionOrder::new(grid, 1, Tie::Random, true).unwrap();
        check(network, &|| expected_uniform(network, &routing), cost, mean);
    }
}

#[test]
fn a_lone_packet_takes_hops_plus_flits_cycles() {
    let network = network(3, FatTreeKind::Butterfly);
    let tree = network.fat_tree().unwrap();
    let config = EngineConfig::default();
    let routing = routing(&network, config.virtual_channels);
    let relation = Any::<false>::new(&routing);
    let mut engine = Engine::new(&network, relation, config, 1, Delivered::default()).unwrap();
    for source in (0..network.terminals()).step_by(7).map(NodeId) {
        for destination in (0..network.terminals()).map(NodeId) {
            engine.offer(NewPacket {
                source,
                destination,
                flits: 5,
                entropy: 0,
            });
            while !engine.is_idle() {
                engine.step();
            }
            let hops = u64::from(tree.distance(source, destination));
            let delivered = std::mem::take(engine.probe_mut());
            assert_eq!((delivered.packets, delivered.hops), (1, hops));
            assert_eq!(delivered.last_latency_cycles, hops + 5);
            engine.skip_to(engine.cycle() + 10);
        }
    }
}

#[test]
fn uniform_traffic_flows_below_saturation_and_drains_above() {
    if tier::is_left_out() {
        return;
    }
    let network = network(3, FatTreeKind::Butterfly);
    let mean = network.fat_tree().unwrap().distances().mean_without_self;
    let ideal = expected_uniform(&network, &routing(&network, 1)).ideal_throughput;
    for (vcs, flow_control) in [
        (1, FlowControl::Wormhole),
        (4, FlowControl::Wormhole),
        (2, FlowControl::VirtualCutThrough),
        (2, FlowControl::StoreAndForward),
    ] {
        for selection in [Selection::Random, Selection::MostCredits] {
            let config = EngineConfig {
                virtual_channels: vcs,
                injection_vcs: vcs,
                flow_control,
                selection,
                ..EngineConfig::default()
            };
            let run = |load| {
                let routing = routing(&network, vcs);
                run_uniform(&network, routing, config.clone(), 4, load, 3_000)
            };
            let (counters, delivered) = run(0.3 * ideal);
            let waiting = counters.flits_offered - counters.flits_ejected;
            assert!(
                waiting * 20 < counters.flits_offered,
                "{waiting} flits behind"
            );
            let hops = delivered.hops as f64 / delivered.packets as f64;
            assert!((hops - mean).abs() < 0.03 * mean, "{hops} is not {mean}");
            let (counters, _) = run(3.0 * ideal);
            let accepted = counters.flits_ejected as f64 / (3_000.0 * 64.0);
            assert!(accepted < ideal, "{accepted} is more than {ideal}");
            assert!(accepted > 0.4 * ideal, "{accepted} is little of {ideal}");
        }
    }
}

#[test]
fn numbers_of_virtual_channels_out_of_range_are_refused() {
    let tree = FatTree::butterfly(16).unwrap();
    let new = |vcs| NearestCommonAncestor::new(&tree, vcs).map(|_| ());
    for vcs in [0, 65] {
        assert!(matches!(new(vcs), Err(ConfigError::OutOfRange { .. })));
    }
    assert_eq!((new(1), new(64)), (Ok(()), Ok(())));
}
