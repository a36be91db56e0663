//! Valiant's routing: two legs in dimension order, free of cycles, and any pattern at most twice
//! the load of uniform traffic.

use crate::common;
use crate::common::any::expected;

use common::dependencies::Dependencies;
use common::loaded::run_uniform;
use common::routes::hops_of_all_routes;
use flitsim_analysis::{Expected, expected_of_relation};
use flitsim_engine::routing::{
    Algorithm, DimensionOrder, Relation, RoutingChoice, Spread, Tables, Tie, Valiant,
};
use flitsim_engine::{ConfigError, EngineConfig, Routing};
use flitsim_keys::Words;
use flitsim_topology::{
    Arrangement, Dragonfly, Ends, FatTree, Grid, HyperX, Network, NodeId, RandomRegular, Star,
};

fn grid(radices: &[u32], ends: Ends) -> Network {
    Grid::new(radices, ends).unwrap().into_network()
}

/// Of legs that choose among channels, loads of an even split are no bound of what they carry.
#[test]
fn ways_are_fixed_where_those_of_the_legs_are() {
    let choice = RoutingChoice::from(Algorithm::Valiant);
    for (network, spread) in [
        (grid(&[4, 4], Ends::Ring), Spread::Fixed),
        (
            HyperX::new(&[4, 4], &[1, 1]).unwrap().into_network(),
            Spread::Fixed,
        ),
        (
            RandomRegular::new(12, 3, 2).unwrap().into_network(),
            Spread::Adaptive,
        ),
        (
            FatTree::butterfly(16).unwrap().into_network(),
            Spread::Adaptive,
        ),
    ] {
        assert_eq!(choice.spread(&network), spread);
    }
}

/// Loads of a relation without a choice are a bound, whatever else it may be said to be.
#[test]
fn no_relation_without_a_choice_is_called_adaptive() {
    let networks = [
        grid(&[4, 3], Ends::Open),
        grid(&[4, 4], Ends::Ring),
        HyperX::new(&[3, 4], &[1, 2]).unwrap().into_network(),
        RandomRegular::new(14, 3, 2).unwrap().into_network(),
        Star::new(4).unwrap().into_network(),
        FatTree::butterfly(16).unwrap().into_network(),
        FatTree::pyramid(16).unwrap().into_network(),
    ];
    let mut without_choice = 0;
    for network in &networks {
        for algorithm in Algorithm::fitting(network) {
            let choice = RoutingChoice::from(algorithm);
            let Ok(relation) = choice.relation(network, 16, &Tables::default()) else {
                // It needs a file of routes.
                continue;
            };
            if relation.is_deterministic() {
                without_choice += 1;
                assert_ne!(choice.spread(network), Spread::Adaptive, "{algorithm:?}");
            }
        }
    }
    assert!(without_choice > networks.len(), "{without_choice}");
}

type Demand<'a> = &'a dyn Fn(NodeId, &mut dyn FnMut(NodeId, f64));

/// The expectations from two walks a node between, against those from the heads of every pair.
#[test]
fn legs_load_channels_as_the_whole_relation_does() {
    let choice = RoutingChoice::from(Algorithm::Valiant);
    let others = [
        HyperX::new(&[3, 4], &[1, 2]).unwrap().into_network(),
        RandomRegular::new(14, 3, 2).unwrap().into_network(),
        Star::new(4).unwrap().into_network(),
        Dragonfly::new(3, 1, 4, Arrangement::Absolute)
            .unwrap()
            .into_network(),
        FatTree::butterfly(16).unwrap().into_network(),
        FatTree::pyramid(16).unwrap().into_network(),
    ];
    let romm = RoutingChoice::from(Algorithm::Romm);
    let grids = || {
        [
            grid(&[5, 4], Ends::Open),
            grid(&[4, 4], Ends::Ring),
            grid(&[2, 6, 3], Ends::Ring),
            grid(&[5, 3], Ends::DirectedRing),
        ]
    };
    let by_any = grids().into_iter().chain(others);
    let by_any = by_any.map(|network| (&choice, network));
    let on_the_way = grids().into_iter().map(|network| (&romm, network));
    for (choice, network) in by_any.chain(on_the_way) {
        let (terminals, virtual_channels) = (network.terminals(), 16);
        let tables = Tables::default();
        let relation = choice
            .relation(&network, virtual_channels, &tables)
            .unwrap();
        let config = EngineConfig {
            virtual_channels,
            ..EngineConfig::default()
        };
        // One of a kind from each to each, some to themselves and some to nobody; all alike; and one each.
        let uneven = |source: NodeId, tell: &mut dyn FnMut(NodeId, f64)| {
            (0..terminals).for_each(|to| tell(NodeId(to), f64::from((source.0 * 7 + to * 3) % 5)));
        };
        let even = |source: NodeId, tell: &mut dyn FnMut(NodeId, f64)| {
            let others = (0..terminals).filter(|&to| to != source.0);
            others.for_each(|to| tell(NodeId(to), 1.0));
        };
        let one = |source: NodeId, tell: &mut dyn FnMut(NodeId, f64)| {
            tell(NodeId(terminals - 1 - source.0), 1.0);
        };
        let demands: [Demand; 3] = [&uneven, &even, &one];
        for demand in demands {
            let whole = expected(&network, &relation, &config, demand).unwrap();
            let by_legs = expected_of_relation(&network, &relation, &config, demand).unwrap();
            assert_eq!(by_legs.ejection_load_max, whole.ejection_load_max);
            let loads = whole.channel_loads.iter().zip(&by_legs.channel_loads);
            for (whole, by_legs) in loads {
                assert!((whole - by_legs).abs() < 1e-9, "{whole}, {by_legs}");
            }
            let latencies = [&whole, &by_legs].map(|found| found.zero_load_latency_mean(4));
            assert!((latencies[0] - latencies[1]).abs() < 1e-9);
        }
    }
    // To oneself nothing leaves a terminal.
    let network = grid(&[3, 3], Ends::Open);
    let relation = choice.relation(&network, 2, &Tables::default()).unwrap();
    let myself = |source: NodeId, tell: &mut dyn FnMut(NodeId, f64)| tell(source, 1.0);
    let found =
        expected_of_relation(&network, &relation, &EngineConfig::default(), myself).unwrap();
    assert_eq!((found.channel_load_max, found.self_share), (0.0, 1.0));
}

#[test]
fn a_route_is_as_long_as_its_two_legs() {
    for (radices, ends) in [
        (&[3, 4][..], Ends::Open),
        (&[4, 3], Ends::Ring),
        (&[2; 3], Ends::Open),
        (&[3, 3], Ends::DirectedRing),
    ] {
        let network = grid(radices, ends);
        let grid = network.grid().unwrap();
        let routing = Valiant::new(grid, 5, true).unwrap();
        for source in (0..network.nodes()).map(NodeId) {
            for destination in (0..network.nodes()).map(NodeId) {
                let mut met = vec![0; network.nodes() as usize];
                for choice in 0..routing.choices(source, destination) {
                    let state = routing.initial(source, destination, choice);
                    let between = routing.between(state);
                    met[between.index()] += 1;
                    let first = grid.distance(source, between);
                    let second = grid.distance(between, destination);
                    let direct = grid.distance(source, destination);
                    let hops =
                        hops_of_all_routes(&network, &routing, (source, destination), choice);
                    assert_eq!(hops.len(), 1);
                    // A packet that comes by its destination on the first leg ends there.
                    let comes_by = direct + grid.distance(destination, between) == first;
                    let whole = hops.contains(&(first + second));
                    assert!(whole || comes_by && hops.contains(&direct));
                }
                assert!(met.iter().all(|&count| count == met[0] && count > 0));
            }
        }
    }
}

/// ROMM (Nesson & Johnsson 1995): by way of every terminal on a shortest path, alike where there is one way
/// round each ring, and never longer than that path.
#[test]
fn romm_stays_on_shortest_paths() {
    for (radices, ends) in [
        (&[4, 2, 3][..], Ends::Open),
        (&[5, 2], Ends::Ring),
        (&[4, 6], Ends::Ring),
        (&[3, 2], Ends::DirectedRing),
    ] {
        let network = grid(radices, ends);
        let grid = network.grid().unwrap();
        let choice = RoutingChoice::from(Algorithm::named("romm").unwrap());
        let relation = choice.relation(&network, 4, &Tables::default()).unwrap();
        let Relation::Valiant(routing) = relation else {
            panic!("romm is two legs")
        };
        let all = || (0..network.nodes()).map(NodeId);
        for (source, destination) in all().flat_map(|a| all().map(move |b| (a, b))) {
            let direct = grid.distance(source, destination);
            let mut met = vec![0; network.nodes() as usize];
            for choice in 0..routing.choices(source, destination) {
                let between = routing.between(routing.initial(source, destination, choice));
                met[between.index()] += 1;
                let hops = hops_of_all_routes(&network, &routing, (source, destination), choice);
                assert!(hops.into_iter().eq([direct]), "{radices:?} {ends:?}");
            }
            for between in all() {
                let legs = grid.distance(source, between) + grid.distance(between, destination);
                assert_eq!(met[between.index()] > 0, legs == direct);
                let is_tie = |i: usize| {
                    let [a, b] = [source, destination].map(|node| grid.coordinate(node, i));
                    ends == Ends::Ring && radices[i] > 2 && 2 * a.abs_diff(b) == radices[i]
                };
                let ties = (0..radices.len()).any(is_tie);
                assert!(met[between.index()] <= 1 || ties, "{radices:?} {ends:?}");
            }
        }
    }
}

#[test]
fn dependencies_are_acyclic_and_one_set_of_virtual_channels_for_both_legs_would_not_be() {
    for (radices, ends, least) in [
        (&[3, 3][..], Ends::Open, 2),
        (&[2; 3], Ends::Open, 2),
        (&[4, 3], Ends::Ring, 4),
        (&[5], Ends::Ring, 4),
        (&[3, 2], Ends::DirectedRing, 4),
    ] {
        let network = grid(radices, ends);
        let grid = network.grid().unwrap();
        assert_eq!(Valiant::virtual_channels_min(grid), least);
        for vcs in [least, least + 1] {
            for balance in [false, true] {
                let routing = Valiant::new(grid, vcs, balance).unwrap();
                let found = Dependencies::of(&network, &routing);
                assert!(found.is_acyclic(), "{radices:?} {ends:?} {vcs}");
                assert!(!found.of_channels().is_acyclic());
            }
        }
        let refused = Valiant::new(grid, least - 1, true).unwrap_err();
        assert!(refused.to_string().contains(&format!("at least {least}")));
        for vcs in [0, 65] {
            let refused = Valiant::new(grid, vcs, true).unwrap_err();
            assert!(matches!(refused, ConfigError::OutOfRange { .. }));
        }
    }
}

/// Each coordinate moves almost half way round.
fn tornado(network: &Network, source: NodeId) -> NodeId {
    let grid = network.grid().unwrap();
    let moved: Vec<u32> = (0..grid.dimensions())
        .map(|i| {
            let k = grid.radices()[i];
            (grid.coordinate(source, i) + k.div_ceil(2) - 1) % k
        })
        .collect();
    grid.node_at(&moved)
}

fn expect(network: &Network, routing: &impl Routing, pattern: &str) -> Expected {
    let terminals = network.terminals();
    expected(
        network,
        routing,
        &EngineConfig::default(),
        |source, send| match pattern {
            "tornado" => send(tornado(network, source), 1.0),
            _ => (0..terminals)
                .map(NodeId)
                .for_each(|to| send(to, 1.0 / f64::from(terminals))),
        },
    )
    .unwrap()
}

#[test]
fn tornado_on_a_torus_loads_it_as_uniform_traffic_twice_over() {
    for radices in [&[8, 8][..], &[7, 7]] {
        let network = grid(radices, Ends::Ring);
        let grid = network.grid().unwrap();
        let direct = DimensionOrder::new(grid, 4, Tie::Random, true).unwrap();
        let valiant = Valiant::new(grid, 4, true).unwrap();
        let uniform = expect(&network, &direct, "uniform").channel_load_max;
        let k = f64::from(radices[0]);
        let closed = if radices[0] % 2 == 0 {
            k / 8.0
        } else {
            (k * k - 1.0) / (8.0 * k)
        };
        assert!((uniform - closed).abs() < 1e-9);
        // Directly, 3 hops in each dimension, all upward: a load of 3 on half the channels.
        let alone = expect(&network, &direct, "tornado").channel_load_max;
        assert!((alone - 3.0).abs() < 1e-9);
        let found = expect(&network, &valiant, "tornado");
        // Exactly twice, but for the few packets that come by their destination on the first leg.
        assert!(found.channel_load_max <= 2.0 * uniform + 1e-9);
        assert!(
            found.channel_load_max > 1.97 * uniform,
            "{}",
            found.channel_load_max
        );
        assert!(found.ideal_throughput >= 0.5 / uniform - 1e-9);
        assert!(found.channel_loads.iter().all(|&load| load > 1.8 * uniform));
    }
}

#[test]
fn the_hops_in_the_mean_are_those_of_two_random_legs_counted_one_by_one() {
    let network = grid(&[4, 4], Ends::Open);
    let grid = network.grid().unwrap();
    let routing = Valiant::new(grid, 2, true).unwrap();
    // x, then y, step by step, for all sources, terminals between and destinations.
    let walk = |from: [i64; 2], to: [i64; 2], until: [i64; 2]| {
        let (mut at, mut hops) = (from, 0);
        while at != to && at != until {
            let i = usize::from(at[0] == to[0]);
            at[i] += (to[i] - at[i]).signum();
            hops += 1;
        }
        (at, hops)
    };
    let nodes: Vec<[i64; 2]> = (0..16).map(|n| [n % 4, n / 4]).collect();
    let mut sum = 0;
    for &source in &nodes {
        for &between in &nodes {
            for &destination in &nodes {
                let (at, first) = walk(source, between, destination);
                sum += first + walk(at, destination, destination).1;
                // A packet for its own source never leaves it.
                if source == destination {
                    sum -= first;
                }
            }
        }
    }
    let found = expect(&network, &routing, "uniform");
    assert!((found.hops_mean - f64::from(sum) / 4096.0).abs() < 1e-9);
}

#[test]
fn traffic_flows_below_saturation_and_drains_above() {
    for (network, virtual_channels) in [
        (grid(&[6, 6], Ends::Open), 2),
        (grid(&[6, 6], Ends::Ring), 4),
    ] {
        let config = EngineConfig {
            virtual_channels,
            ..EngineConfig::default()
        };
        for load in [0.1, 1.0] {
            let routing = Valiant::new(network.grid().unwrap(), virtual_channels, true).unwrap();
            let (counters, delivered) =
                run_uniform(&network, routing, config.clone(), 6, load, 600);
            assert_eq!(delivered.packets, counters.packets_offered);
        }
    }
}
