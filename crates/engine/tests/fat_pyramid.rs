//! Fat-pyramid routing: every route over the levels that the slack allows, in exactly their cost, no
//! cycle of dependencies, and shortest paths without slack.

use crate::common;
use crate::common::any::expected;

use common::dependencies::Dependencies;
use common::loaded::run_uniform;
use common::routes::hops_of_all_routes;
use flitsim_analysis::Expected;
use flitsim_engine::routing::{FatPyramid, NearestCommonAncestor};
use flitsim_engine::{ConfigError, EngineConfig, FlowControl, Routing, Selection};
use flitsim_topology::fat_tree::Way;
use flitsim_topology::{Direction, FatTree, Network, NodeId};
use std::collections::BTreeSet;

/// More slack than any route costs: every level up to the nearest common ancestor's.
const ALL_LEVELS: u32 = 1000;

fn network(levels: u32) -> Network {
    FatTree::pyramid(4u32.pow(levels)).unwrap().into_network()
}

fn routing(network: &Network, vcs: u32, slack_hops: u32) -> FatPyramid<'_> {
    FatPyramid::new(network.fat_tree().unwrap(), vcs, slack_hops).unwrap()
}

fn pairs(network: &Network) -> impl Iterator<Item = (NodeId, NodeId)> {
    let terminals = network.terminals();
    (0..terminals).flat_map(move |s| (0..terminals).map(move |d| (NodeId(s), NodeId(d))))
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
fn every_route_costs_what_its_level_says_and_no_level_is_missed() {
    for levels in 1..=3 {
        let network = network(levels);
        let tree = network.fat_tree().unwrap();
        for slack in [0, 1, 2, ALL_LEVELS] {
            let routing = routing(&network, 1, slack);
            for (source, destination) in pairs(&network) {
                let least = tree.distance(source, destination).max(2);
                let allowed: Vec<u32> = (0..=tree.common_level(source, destination))
                    .map(|level| tree.cost_hops(source, destination, level))
                    .filter(|&cost| cost <= least + slack)
                    .collect();
                let choices = routing.choices(source, destination);
                assert_eq!(choices as usize, allowed.len());
                for (choice, &cost) in (0..choices).zip(&allowed) {
                    let hops =
                        hops_of_all_routes(&network, &routing, (source, destination), choice);
                    let home = source == destination;
                    assert_eq!(hops, BTreeSet::from([if home { 0 } else { cost }]));
                }
            }
        }
    }
}

#[test]
fn without_slack_every_route_of_a_large_pyramid_is_a_shortest_path() {
    let network = network(5);
    let tree = network.fat_tree().unwrap();
    let routing = routing(&network, 1, 0);
    for (source, destination) in pairs(&network).step_by(997) {
        for choice in 0..routing.choices(source, destination) {
            let hops = hops_of_all_routes(&network, &routing, (source, destination), choice);
            assert_eq!(hops, BTreeSet::from([tree.distance(source, destination)]));
        }
    }
}

#[test]
fn dependencies_are_acyclic_with_one_virtual_channel_whatever_the_slack() {
    for levels in 1..=3 {
        let network = network(levels);
        for slack in [0, 1, ALL_LEVELS] {
            for vcs in [1, 2] {
                let found = Dependencies::of(&network, &routing(&network, vcs, slack));
                assert!(found.is_acyclic(), "{levels} {slack} {vcs}");
            }
        }
    }
    // Every channel is of use.
    let network = network(3);
    let found = Dependencies::of(&network, &routing(&network, 1, 1));
    assert_eq!(found.counts().0, network.channels() as usize);
}

#[test]
fn a_packet_climbs_then_crosses_x_before_y_then_descends() {
    let network = network(4);
    let tree = network.fat_tree().unwrap();
    let routing = routing(&network, 1, 0);
    // From (7, 7) to (8, 8): four blocks of level 2 meet there, and leaf switches 3 and 4 are
    // neighbours: cost 4 over level 0, 8 over the common ancestor's.
    let (source, destination) = (NodeId(7 + 16 * 7), NodeId(8 + 16 * 8));
    assert_eq!(routing.choices(source, destination), 1);
    assert_eq!(tree.cost_hops(source, destination, 3), 8);
    let mut head = flitsim_engine::Head {
        node: source,
        arrived: None,
        destination,
        state: routing.initial(source, destination, 0),
    };
    assert_eq!(head.state, 0);
    let mut candidates = flitsim_engine::Candidates::default();
    let mut ways = Vec::new();
    while head.node != destination {
        candidates.clear();
        routing.route(head, &mut candidates);
        let [candidate] = candidates.as_slice() else {
            panic!("one way on from {head:?}");
        };
        ways.extend(
            tree.ways(head.node)
                .filter(|&way| tree.channel(head.node, way) == Some(candidate.channel)),
        );
        head.node = network.target(candidate.channel);
    }
    let expected = [
        Way::Up(0),
        Way::Along(0, Direction::Up),
        Way::Along(1, Direction::Up),
        Way::Down(0),
    ];
    assert_eq!(ways, expected);
}

#[test]
fn mean_hops_are_those_of_the_levels_allowed() {
    for levels in 1..=4 {
        let network = network(levels);
        let tree = network.fat_tree().unwrap();
        for slack in [0, 1, ALL_LEVELS] {
            let routing = routing(&network, 2, slack);
            let mut sum = 0.0;
            for (source, destination) in pairs(&network).filter(|(s, d)| s != d) {
                let choices = routing.choices(source, destination);
                let costs: u32 = (0..choices)
                    .map(|choice| routing.initial(source, destination, choice) as u32)
                    .map(|level| tree.cost_hops(source, destination, level))
                    .sum();
                sum += f64::from(costs) / f64::from(choices);
            }
            let n = f64::from(network.terminals());
            let mean = sum / (n * (n - 1.0));
            let found = expected_uniform(&network, &routing);
            assert!((found.hops_mean - mean).abs() < 1e-9);
            if slack == 0 {
                let distances = tree.distances();
                assert!((mean - distances.mean_without_self).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn the_meshes_carry_more_than_the_tree_alone() {
    let network = network(4);
    let ancestor = NearestCommonAncestor::new(network.fat_tree().unwrap(), 1).unwrap();
    let tree_alone = expected_uniform(&network, &ancestor).ideal_throughput;
    for slack in [0, 1] {
        let found = expected_uniform(&network, &routing(&network, 1, slack));
        assert!(found.ideal_throughput > tree_alone, "slack {slack}");
    }
}

#[test]
fn uniform_traffic_flows_below_saturation_and_drains_above() {
    let network = network(3);
    for (vcs, flow_control, selection, slack) in [
        (1, FlowControl::Wormhole, Selection::MostCredits, 0),
        (1, FlowControl::Wormhole, Selection::Random, 1),
        (4, FlowControl::Wormhole, Selection::MostCredits, 1),
        (2, FlowControl::VirtualCutThrough, Selection::Random, 1),
        (2, FlowControl::StoreAndForward, Selection::MostCredits, 1),
        (2, FlowControl::Wormhole, Selection::Random, ALL_LEVELS),
    ] {
        let config = EngineConfig {
            virtual_channels: vcs,
            injection_vcs: vcs,
            flow_control,
            selection,
            ..EngineConfig::default()
        };
        let routing = routing(&network, vcs, slack);
        let wanted = expected_uniform(&network, &routing);
        let (ideal, mean) = (wanted.ideal_throughput, wanted.hops_mean);
        let run = |load| run_uniform(&network, routing, config.clone(), 4, load, 3_000);
        let (counters, delivered) = run(0.3 * ideal);
        let waiting = counters.flits_offered - counters.flits_ejected;
        assert!(
            waiting * 20 < counters.flits_offered,
            "{waiting} flits behind"
        );
        let hops = delivered.hops as f64 / delivered.packets as f64;
        assert!((hops - mean).abs() < 0.03 * mean, "{hops} is not {mean}");
        let (counters, _) = run((3.0 * ideal).min(1.0));
        let accepted = counters.flits_ejected as f64 / (3_000.0 * 64.0);
        assert!(accepted < ideal, "{accepted} is more than {ideal}");
        assert!(accepted > 0.4 * ideal, "{accepted} is little of {ideal}");
    }
}

#[test]
fn a_fat_tree_without_meshes_and_virtual_channels_out_of_range_are_refused() {
    let (tree, pyramid) = (
        FatTree::butterfly(16).unwrap(),
        FatTree::pyramid(16).unwrap(),
    );
    let new = |tree, vcs| FatPyramid::new(tree, vcs, 1).map(|_| ());
    assert!(matches!(new(&tree, 1), Err(ConfigError::Routing { .. })));
    for vcs in [0, 65] {
        assert!(matches!(
            new(&pyramid, vcs),
            Err(ConfigError::OutOfRange { .. })
        ));
    }
    assert_eq!((new(&pyramid, 1), new(&pyramid, 64)), (Ok(()), Ok(())));
}
