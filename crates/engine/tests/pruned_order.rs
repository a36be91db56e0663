//! X Z X′ Z′ on pruned tori: minimal for every pair and every choice, free of cycles of
//! dependencies, and channel loads as counted.

use crate::common;
use crate::common::any::expected;
use crate::tier;

use common::dependencies::Dependencies;
use common::loaded::run_uniform;
use common::routes::hops_of_all_routes;
use flitsim_analysis::Expected;
use flitsim_engine::routing::{PrunedOrder, Tie};
use flitsim_engine::{ConfigError, EngineConfig, FlowControl, Routing};
use flitsim_topology::{ChannelId, MinimalPaths, Network, NodeId, SparseTorus, Thinning};
use std::collections::BTreeSet;

const KINDS: [(Tie, bool); 4] = [
    (Tie::Random, true),
    (Tie::Random, false),
    (Tie::Positive, true),
    (Tie::Positive, false),
];

fn network(radix: u32) -> Network {
    let torus = SparseTorus::new(radix, 3, Thinning::Pruned).unwrap();
    torus.into_network()
}

fn routing(network: &Network, vcs: u32, tie: Tie, vc_balance: bool) -> PrunedOrder<'_> {
    PrunedOrder::new(network.sparse_torus().unwrap(), vcs, tie, vc_balance).unwrap()
}

fn expected_uniform(network: &Network, routing: &PrunedOrder) -> Expected {
    let terminals = network.terminals();
    // A node's own address included, as the closed forms have it.
    let share = 1.0 / f64::from(terminals);
    expected(network, routing, &EngineConfig::default(), |_, send| {
        (0..terminals).for_each(|destination| send(NodeId(destination), share))
    })
    .unwrap()
}

#[test]
fn every_packet_takes_as_many_hops_as_the_distance() {
    for radix in [2, 4, 6] {
        let network = network(radix);
        let torus = network.sparse_torus().unwrap();
        for (tie, balance) in KINDS {
            let routing = routing(&network, 5, tie, balance);
            // All nodes look alike, but not the rings' wrap channels and the sides of ties.
            for source in (0..network.nodes()).map(NodeId) {
                for destination in (0..network.nodes()).map(NodeId) {
                    for choice in 0..routing.choices(source, destination) {
                        let pair = (source, destination);
                        let hops = hops_of_all_routes(&network, &routing, pair, choice);
                        let distance = torus.distance(source, destination);
                        assert_eq!(hops, BTreeSet::from([distance]));
                    }
                }
            }
        }
    }
}

#[test]
fn dependencies_are_acyclic_for_any_number_of_virtual_channels() {
    if tier::is_left_out() {
        return;
    }
    for radix in [2, 4, 6] {
        let network = network(radix);
        for (tie, balance) in KINDS {
            for vcs in 4..=7 {
                let routing = routing(&network, vcs, tie, balance);
                let found = Dependencies::of(&network, &routing);
                assert!(found.is_acyclic(), "{radix} {tie:?} {balance} {vcs}");
                let used: BTreeSet<u32> = found.vertices.iter().map(|v| v.1).collect();
                assert_eq!(used.len(), vcs as usize, "every virtual channel is of use");
            }
        }
    }
    let network = network(2);
    let found = Dependencies::of(&network, &routing(&network, 2, Tie::Random, true));
    assert!(found.is_acyclic());
    // One virtual channel alone closes cycles.
    assert!(!found.of_channels().is_acyclic());
}

#[test]
fn both_ways_of_a_tie_and_of_a_detour_are_open() {
    let network = network(8);
    let torus = network.sparse_torus().unwrap();
    let random = routing(&network, 4, Tie::Random, true);
    let positive = routing(&network, 4, Tie::Positive, true);
    let choices = |from: [u32; 3], to: [u32; 3], expected| {
        let (from, to) = (torus.node_at(&from), torus.node_at(&to));
        assert_eq!(random.choices(from, to), expected);
        assert_eq!(positive.choices(from, to), 1);
        let states: BTreeSet<u64> = (0..expected).map(|c| random.initial(from, to, c)).collect();
        assert_eq!(states.len(), expected as usize);
    };
    // Node 0 has links in dimension 1: dimension 2 takes a step aside where dimension 0 is right.
    choices([0, 0, 0], [0, 3, 0], 1);
    choices([0, 0, 0], [0, 0, 1], 2);
    choices([1, 0, 0], [1, 1, 0], 2);
    choices([1, 0, 0], [1, 0, 1], 1);
    choices([0, 0, 0], [1, 1, 1], 1);
    choices([0, 0, 0], [4, 4, 4], 8);
    choices([0, 0, 0], [0, 4, 4], 8);
    choices([5, 5, 5], [5, 5, 5], 1);
}

#[test]
fn channel_loads_under_uniform_traffic_are_the_closed_form() {
    // Uniform traffic, own address included, per node and cycle: k/4 hops in either dimension above
    // 0, over the channels of half the nodes; k/4 + 2/k − 2/k² hops in dimension 0.
    for radix in [4, 8] {
        let network = network(radix);
        let torus = network.sparse_torus().unwrap();
        let k = f64::from(radix);
        for balance in [false, true] {
            let found = expected_uniform(&network, &routing(&network, 4, Tie::Random, balance));
            for channel in (0..network.channels()).map(ChannelId) {
                let load = match torus.step(channel).dimension {
                    0 => (k / 4.0 + 2.0 / k - 2.0 / (k * k)) / 2.0,
                    _ => k / 4.0,
                };
                assert!((found.channel_loads[channel.index()] - load).abs() < 1e-9);
            }
            assert!((found.hops_mean - torus.distances().mean_with_self).abs() < 1e-9);
            // Parhami & Kwai's model spreads all hops over all channels: about 4/3 of what is true.
            let model = 4.0 / found.hops_mean;
            let ratio = found.ideal_throughput / model;
            let exact = (0.75 * k + 2.0 / k - 2.0 / (k * k)) / k;
            assert!(
                found.ideal_throughput == 1.0 || (ratio - exact).abs() < 1e-9,
                "{ratio}"
            );
        }
    }
}

#[test]
fn uniform_traffic_flows_below_saturation_and_drains_above() {
    if tier::is_left_out() {
        return;
    }
    let network = network(6);
    let nodes = f64::from(network.nodes());
    for (vcs, flow_control) in [
        (4, FlowControl::Wormhole),
        (8, FlowControl::Wormhole),
        (4, FlowControl::VirtualCutThrough),
        (4, FlowControl::StoreAndForward),
    ] {
        for (tie, balance) in KINDS {
            let config = EngineConfig {
                virtual_channels: vcs,
                injection_vcs: vcs,
                flow_control,
                ..EngineConfig::default()
            };
            let routing = routing(&network, vcs, tie, balance);
            let bound = expected_uniform(&network, &routing);
            let run = |load| run_uniform(&network, routing, config.clone(), 4, load, 1_000);
            let (counters, delivered) = run(0.4 * bound.ideal_throughput);
            assert_eq!(delivered.packets, counters.packets_offered);
            let behind = counters.flits_offered - counters.flits_ejected;
            assert!(behind * 10 < counters.flits_offered, "{behind} behind");
            let (counters, _) = run(f64::min(3.0 * bound.ideal_throughput, 1.0));
            let accepted = counters.flits_ejected as f64 / (1_000.0 * nodes);
            assert!(accepted < 1.02 * bound.ideal_throughput, "{accepted}");
        }
    }
}

#[test]
fn what_it_is_not_for_and_too_few_virtual_channels_are_refused() {
    let new = |radix, dimensions, thinning, vcs| {
        let torus = SparseTorus::new(radix, dimensions, thinning).unwrap();
        PrunedOrder::new(&torus, vcs, Tie::Random, true).map(|_| ())
    };
    assert_eq!(new(4, 3, Thinning::Pruned, 4), Ok(()));
    assert_eq!(new(2, 3, Thinning::Pruned, 2), Ok(()));
    for (radix, dimensions, thinning, vcs) in [
        (4, 3, Thinning::Pruned, 3),
        (2, 3, Thinning::Pruned, 1),
        (4, 2, Thinning::Pruned, 64),
        (3, 4, Thinning::Pruned, 64),
        (4, 3, Thinning::Manhattan, 64),
        (4, 3, Thinning::PrunedManhattan, 64),
    ] {
        let refused = new(radix, dimensions, thinning, vcs);
        assert!(matches!(refused, Err(ConfigError::Routing { .. })));
    }
    for vcs in [0, 65] {
        let refused = new(4, 3, Thinning::Pruned, vcs);
        assert!(matches!(refused, Err(ConfigError::OutOfRange { .. })));
    }
}
