//! Fewest descents: shortest paths, all that descend no more than the classes allow, no cycle of
//! dependencies, as many virtual channels as were counted, and channel loads nearly as even as those
//! of all shortest paths.

use crate::common;
use crate::common::any::expected;
use crate::tier;

use common::dependencies::Dependencies;
use common::loaded::run_uniform;
use common::routes::hops_of_all_routes;
use flitsim_analysis::Expected;
use flitsim_engine::routing::{FewestDescents, NegativeHop};
use flitsim_engine::{Candidates, ConfigError, EngineConfig, FlowControl, Head, Port, Routing};
use flitsim_topology::{
    ChannelId, Direction, Ends, Grid, MinimalPaths, Network, NodeId, SparseTorus, Thinning,
};
use std::collections::BTreeSet;

fn network(thinning: Thinning, radix: u32, dimensions: u32) -> Network {
    let torus = SparseTorus::new(radix, dimensions, thinning).unwrap();
    torus.into_network()
}

fn small() -> Vec<Network> {
    use Thinning::{Manhattan, Pruned, PrunedManhattan};
    [
        (Manhattan, 2, 2),
        (Manhattan, 4, 2),
        (Manhattan, 6, 2),
        (Manhattan, 2, 3),
        (Manhattan, 4, 3),
        (PrunedManhattan, 4, 2),
        (PrunedManhattan, 4, 3),
        (Pruned, 5, 2),
        (Pruned, 3, 4),
        (Pruned, 4, 3),
    ]
    .into_iter()
    .map(|(thinning, radix, dimensions)| network(thinning, radix, dimensions))
    .collect()
}

/// The algorithm with the fewest virtual channels that suffice, and `more`.
fn routing(network: &Network, more: u32) -> FewestDescents {
    let least = FewestDescents::virtual_channels_min(network).unwrap();
    FewestDescents::new(network, least + more).unwrap()
}

fn expected_uniform(network: &Network, routing: &impl Routing) -> Expected {
    let terminals = network.terminals();
    let share = 1.0 / f64::from(terminals - 1);
    let config = EngineConfig {
        injection: Port::Unlimited,
        ..EngineConfig::default()
    };
    expected(network, routing, &config, |source, send| {
        (0..terminals)
            .map(NodeId)
            .filter(|&destination| destination != source)
            .for_each(|destination| send(destination, share));
    })
    .unwrap()
}

/// The virtual channels of fewest descents, and of nhop on the same network.
const NEEDED: [(Thinning, u32, u32, u32, u32); 16] = [
    (Thinning::Manhattan, 4, 2, 2, 3),
    (Thinning::Manhattan, 6, 2, 3, 4),
    (Thinning::Manhattan, 8, 2, 3, 5),
    (Thinning::Manhattan, 10, 2, 3, 6),
    (Thinning::Manhattan, 12, 2, 3, 7),
    (Thinning::Manhattan, 14, 2, 3, 8),
    (Thinning::Manhattan, 16, 2, 3, 9),
    (Thinning::Manhattan, 32, 2, 3, 17),
    (Thinning::Manhattan, 4, 3, 3, 4),
    (Thinning::Manhattan, 6, 3, 4, 5),
    (Thinning::Manhattan, 8, 3, 4, 7),
    (Thinning::Manhattan, 10, 3, 5, 8),
    (Thinning::PrunedManhattan, 4, 3, 4, 5),
    (Thinning::PrunedManhattan, 6, 3, 5, 6),
    (Thinning::PrunedManhattan, 8, 3, 6, 8),
    (Thinning::PrunedManhattan, 10, 3, 6, 9),
];

#[test]
fn it_needs_fewer_virtual_channels_than_nhop() {
    for (thinning, radix, dimensions, needed, nhop) in NEEDED {
        let network = network(thinning, radix, dimensions);
        let found = FewestDescents::virtual_channels_min(&network);
        assert_eq!(found, Some(needed), "{thinning:?} {radix} {dimensions}");
        let torus = network.sparse_torus().unwrap();
        assert_eq!(NegativeHop::virtual_channels_min(torus), nhop);
    }
}

/// The channel order as the documentation has it: height, way, and which channels are alike.
fn order(torus: &SparseTorus, channel: ChannelId) -> u32 {
    let (k, n) = (torus.radix(), torus.dimensions());
    let node = NodeId(channel.0 / torus.degree());
    let backward = n == 2 && k > 4;
    let mut height: u32 = (1..n).map(|i| torus.coordinate(node, i)).sum();
    let first = torus.coordinate(node, 0);
    height += if backward { k - 1 - first } else { first };
    let step = torus.step(channel);
    let mut climbs = step.direction == Direction::Up;
    if backward && step.dimension == 0 {
        climbs = !climbs;
    }
    if climbs {
        2 * height + 1
    } else {
        2 * (n * k - height)
    }
}

/// The fewest descents of all shortest paths, by following each of them.
fn fewest_by_search(torus: &SparseTorus, from: NodeId, to: NodeId, before: Option<u32>) -> u32 {
    let mut fewest = u32::MAX;
    torus.for_each_minimal_channel(from, to, |channel| {
        let rank = order(torus, channel);
        let here = u32::from(before.is_some_and(|before| rank <= before));
        let next = neighbour(torus, channel);
        let onward = match next == to {
            true => 0,
            false => fewest_by_search(torus, next, to, Some(rank)),
        };
        fewest = fewest.min(here + onward);
    });
    fewest
}

fn neighbour(torus: &SparseTorus, channel: ChannelId) -> NodeId {
    let step = torus.step(channel);
    let node = NodeId(channel.0 / torus.degree());
    let mut at: Vec<u32> = torus.coordinates(node).iter().map(|&a| a.into()).collect();
    let k = torus.radix();
    let by = match step.direction {
        Direction::Up => 1,
        Direction::Down => k - 1,
    };
    let a = &mut at[step.dimension as usize];
    *a = (*a + by) % k;
    torus.node_at(&at)
}

#[test]
fn classes_are_the_descents_and_every_shortest_path_within_them_is_open() {
    for network in small() {
        let torus = network.sparse_torus().unwrap();
        let routing = routing(&network, 0);
        let classes = FewestDescents::virtual_channels_min(&network).unwrap();
        let mut candidates = Candidates::default();
        for source in (0..network.nodes()).map(NodeId) {
            for destination in (0..network.nodes()).map(NodeId) {
                if source == destination {
                    assert_eq!(routing.choices(source, destination), 1);
                    continue;
                }
                let fewest = fewest_by_search(torus, source, destination, None);
                // A start in every class from which the rest suffices.
                assert_eq!(routing.choices(source, destination), classes - fewest);
                for choice in 0..classes - fewest {
                    let mut head = Head {
                        node: source,
                        arrived: None,
                        destination,
                        state: routing.initial(source, destination, choice),
                    };
                    // Always the last of the candidates, then always the first.
                    for last in [false, true] {
                        let mut descents = 0;
                        while head.node != destination {
                            candidates.clear();
                            routing.route(head, &mut candidates);
                            let ways = candidates.as_slice();
                            let way = ways[if last { ways.len() - 1 } else { 0 }];
                            let rank = order(torus, way.channel);
                            let before = head.arrived.map(|(channel, _)| order(torus, channel));
                            descents += u32::from(before.is_some_and(|before| rank <= before));
                            assert_eq!(way.vcs, 1 << (choice + descents));
                            let vc = way.vcs.trailing_zeros();
                            head.state = routing.advance(head, way.channel, vc);
                            head.node = network.target(way.channel);
                            head.arrived = Some((way.channel, vc));
                        }
                        assert!((fewest..classes - choice).contains(&descents));
                        head = Head {
                            node: source,
                            arrived: None,
                            state: choice.into(),
                            ..head
                        };
                    }
                    // In the last class in which it may start, it descends as little as it can.
                    candidates.clear();
                    routing.route(head, &mut candidates);
                    let mut open = 0;
                    torus.for_each_minimal_channel(source, destination, |channel| {
                        let next = neighbour(torus, channel);
                        let rank = Some(order(torus, channel));
                        let least = match next == destination {
                            true => 0,
                            false => fewest_by_search(torus, next, destination, rank),
                        };
                        open += usize::from(choice + least < classes);
                    });
                    assert_eq!(candidates.as_slice().len(), open);
                }
            }
        }
    }
}

#[test]
fn every_route_is_a_shortest_path() {
    for network in small() {
        let torus = network.sparse_torus().unwrap();
        let routing = routing(&network, 1);
        for source in (0..network.nodes()).map(NodeId) {
            for destination in (0..network.nodes()).map(NodeId) {
                let distance = torus.distance(source, destination);
                for choice in 0..routing.choices(source, destination) {
                    let pair = (source, destination);
                    let hops = hops_of_all_routes(&network, &routing, pair, choice);
                    assert_eq!(hops, BTreeSet::from([distance]));
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
    for network in small() {
        for more in [0, 1, 5] {
            let routing = routing(&network, more);
            let found = Dependencies::of(&network, &routing);
            assert!(found.is_acyclic());
            let used: BTreeSet<u32> = found.vertices.iter().map(|v| v.1).collect();
            let vcs = FewestDescents::virtual_channels_min(&network).unwrap() + more;
            assert_eq!(used.len(), vcs as usize, "every virtual channel is of use");
            let channels: BTreeSet<_> = found.vertices.iter().map(|v| v.0).collect();
            assert_eq!(channels.len(), network.channels() as usize);
        }
    }
    let network = network(Thinning::Manhattan, 6, 2);
    let found = Dependencies::of(&network, &routing(&network, 0));
    assert!(!found.of_channels().is_acyclic(), "one alone closes cycles");
}

#[test]
fn what_it_is_not_for_and_too_few_virtual_channels_are_refused() {
    for network in small() {
        let least = FewestDescents::virtual_channels_min(&network).unwrap();
        assert!(FewestDescents::new(&network, least).is_ok());
        if least > 1 {
            let refused = FewestDescents::new(&network, least - 1).unwrap_err();
            assert!(matches!(refused, ConfigError::Routing { .. }));
            assert!(refused.to_string().contains(&format!("at least {least}")));
        }
        for vcs in [0, 65] {
            let refused = FewestDescents::new(&network, vcs);
            assert!(matches!(refused, Err(ConfigError::OutOfRange { .. })));
        }
    }
    let torus = Grid::uniform(4, 2, Ends::Ring).unwrap().into_network();
    let refused = FewestDescents::new(&torus, 64).unwrap_err().to_string();
    assert!(refused.contains("Manhattan"), "{refused}");
    assert_eq!(FewestDescents::virtual_channels_min(&torus), None);
    // 76^4 · 2 entries are just within the limit, 78^4 · 2 beyond it.
    let fits = |radix| FewestDescents::fits(radix, 2, Thinning::Manhattan);
    assert!(fits(76) && !fits(78) && !fits(u32::MAX));
    let large = network(Thinning::Manhattan, 78, 2);
    let refused = FewestDescents::new(&large, 64).unwrap_err().to_string();
    assert!(refused.contains("nhop"), "{refused}");
}

#[test]
fn channel_loads_are_nearly_those_of_all_shortest_paths() {
    for (thinning, radix, dimensions, _, vcs) in NEEDED {
        if radix.pow(dimensions) > 300 {
            continue;
        }
        let network = network(thinning, radix, dimensions);
        let torus = network.sparse_torus().unwrap();
        let all = expected_uniform(&network, &NegativeHop::new(torus, vcs).unwrap());
        let few = expected_uniform(&network, &routing(&network, 0));
        assert!((all.hops_mean - few.hops_mean).abs() < 1e-9);
        let ratio = few.ideal_throughput / all.ideal_throughput;
        println!("{thinning:?} {radix} {dimensions}: {ratio:.3}");
        assert!(
            (0.7..1.01).contains(&ratio),
            "{thinning:?} {radix} {dimensions}: {ratio}"
        );
    }
}

#[test]
fn uniform_traffic_flows_below_saturation_and_drains_above() {
    for (thinning, radix, dimensions, vcs) in [
        (Thinning::Manhattan, 4, 2, 2),
        (Thinning::Manhattan, 8, 2, 3),
        (Thinning::Manhattan, 4, 3, 5),
        (Thinning::PrunedManhattan, 4, 3, 4),
        (Thinning::Pruned, 5, 2, 8),
    ] {
        let network = network(thinning, radix, dimensions);
        let routing = FewestDescents::new(&network, vcs).unwrap();
        let bound = expected_uniform(&network, &routing);
        for flow_control in [FlowControl::Wormhole, FlowControl::VirtualCutThrough] {
            let config = EngineConfig {
                virtual_channels: vcs,
                injection_vcs: vcs,
                flow_control,
                ..EngineConfig::default()
            };
            for part in [0.4, 3.0] {
                let load = f64::min(part * bound.ideal_throughput, 1.0);
                let (counters, delivered) =
                    run_uniform(&network, &routing, config.clone(), 4, load, 1_000);
                assert_eq!(delivered.packets, counters.packets_offered);
                let nodes = f64::from(network.nodes());
                let accepted = counters.flits_ejected as f64 / (1_000.0 * nodes);
                if part > 1.0 {
                    assert!(accepted < 1.02 * bound.ideal_throughput, "{accepted}");
                    continue;
                }
                assert!(accepted > 0.9 * load, "{accepted} of {load}");
                let hops = delivered.hops as f64 / delivered.packets as f64;
                assert!((hops / bound.hops_mean - 1.0).abs() < 0.05, "{hops}");
            }
        }
    }
}
