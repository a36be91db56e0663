//! Valiant's routing: two legs in dimension order, free of cycles, and any pattern at most twice
//! the load of uniform traffic.

use crate::common;

use common::dependencies::Dependencies;
use common::loaded::run_uniform;
use common::routes::hops_of_all_routes;
use flitsim_engine::analysis::{Expected, expected};
use flitsim_engine::routing::{DimensionOrder, Tie, Valiant};
use flitsim_engine::{ConfigError, EngineConfig, Routing};
use flitsim_topology::{Ends, Grid, Network, NodeId};

fn grid(radices: &[u32], ends: Ends) -> Network {
    Grid::new(radices, ends).unwrap().into_network()
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
