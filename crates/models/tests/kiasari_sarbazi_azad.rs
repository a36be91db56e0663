//! Both models of Kiasari & Sarbazi-Azad against numbers computed independently of flitsim, and
//! against the networks themselves.

use flitsim_models::star_hypercube::*;
use flitsim_topology::cost::{Constraint, UnitCost};
use flitsim_topology::{Ends, Grid, NodeId, Star as StarGraph, properties};

/// Figure 2 (a), computed by a separate program: fixed points at 60 loads.
const FIGURE_2A: &str = include_str!("data/kiasari-sarbazi-azad-figure-2a.csv");

/// The loads of that table, and the columns of its three curves: latency, S̄, V̄, W̄_s.
fn rows() -> Vec<Vec<Option<f64>>> {
    let mut reader = csv::Reader::from_reader(FIGURE_2A.as_bytes());
    let rows = reader
        .records()
        .map(|row| row.unwrap().iter().map(|x| x.parse().ok()).collect());
    rows.collect()
}

fn near(found: f64, expected: f64, relative: f64) -> bool {
    (found - expected).abs() <= relative * expected.abs()
}

#[test]
fn figure_2a_is_reproduced() {
    let figure = figure_2(Panel::A).unwrap();
    let rows = rows();
    assert_eq!(rows.len(), 60);
    for row in &rows[..59] {
        let load = row[0].unwrap();
        let found = figure.row(load).unwrap();
        for (curve, latency) in [found.star, found.bisection, found.pin_out]
            .iter()
            .enumerate()
        {
            let columns = [1 + curve, 4 + curve, 7 + curve, 10 + curve];
            let expected = columns.map(|column| row[column]);
            let found = latency.map(|l| {
                [
                    l.cycles,
                    l.network_cycles,
                    l.multiplexing,
                    l.source_wait_cycles,
                ]
            });
            match found {
                None => assert_eq!(expected, [None; 4], "curve {curve} at {load}"),
                Some(found) => {
                    for (found, expected) in found.into_iter().zip(expected) {
                        let expected = expected.expect("the curve has not ended");
                        // 1e-3 is asked for.
                        assert!(
                            near(found, expected, 1e-7),
                            "curve {curve} at {load}: {found}"
                        );
                    }
                }
            }
        }
    }
}

/// The last row of the table lies 5e-8 above the saturation of the hypercube, where its equations
/// have no solution any more: its 473.6 cycles are the 5,000th step of a plain iteration on its way
/// past the place where the curves nearly touch, 7.8 cycles from being a solution.
#[test]
fn the_end_of_figure_2a_is_saturation_and_not_a_point() {
    let row = rows().pop().unwrap();
    let load = row[0].unwrap();
    let cube = figure_2(Panel::A).unwrap().bisection;
    assert_eq!(cube.latency(load).unwrap(), None);
    let saturation = cube.saturation();
    assert!(
        near(load, saturation, 1e-7) && load > saturation,
        "{saturation}"
    );
    assert!(cube.latency(saturation).unwrap().is_some());

    let cycle_time = 1.0 / bisection_ratio(5).unwrap();
    let (shortest, distance) = (32.0 * cycle_time, mean_distance(7));
    let channel_rate = load * distance / 7.0;
    let step = |service: f64| {
        let busy = busy_probabilities(channel_rate * service, 12);
        let wait = wait_cycles(channel_rate, service, shortest).unwrap();
        let (full, other) = (busy[12], busy[12] + busy[11] / 12.0);
        let mut blocked = 0.0;
        let mut mean = shortest + distance * cycle_time;
        for (j, share) in (0..).zip(distance_shares(7)) {
            blocked += full * f64::powi(other, j);
            mean += share * blocked * wait;
        }
        mean
    };
    let mut service = shortest + distance * cycle_time;
    for _ in 0..5_000 {
        service = step(service);
    }
    assert!(near(service, row[5].unwrap(), 1e-6), "{service}");
    assert!((step(service) - service - 7.79).abs() < 0.01);
}

/// Zero load of panel (a): star, hypercube by bisection, by pin-out.
#[test]
fn zero_load_of_panel_a() {
    let figure = figure_2(Panel::A).unwrap();
    let found = figure.row(0.0).unwrap();
    for (latency, expected) in [
        (found.star, 35.714),
        (found.bisection, 48.447),
        (found.pin_out, 62.173),
    ] {
        let latency = latency.unwrap();
        assert!((latency.cycles - expected).abs() < 1e-3, "{latency:?}");
        assert_eq!(
            (latency.multiplexing, latency.source_wait_cycles),
            (1.0, 0.0)
        );
    }
}

#[test]
fn in_every_panel_the_star_is_ahead_when_empty_and_saturates_first() {
    for panel in Panel::ALL {
        let figure = figure_2(panel).unwrap();
        let star = figure.star.zero_load_cycles();
        assert!(star < figure.bisection.zero_load_cycles(), "{panel:?}");
        assert!(star < figure.pin_out.zero_load_cycles(), "{panel:?}");
        let star = figure.star.saturation();
        assert!(star < figure.bisection.saturation(), "{panel:?}");
        assert!(star < figure.pin_out.saturation(), "{panel:?}");
    }
}

/// Latency grows with load up to saturation, and there it ends.
#[test]
fn a_curve_rises_and_ends_at_its_saturation() {
    for panel in Panel::ALL {
        let figure = figure_2(panel).unwrap();
        let rows = figure.rows(12).unwrap();
        let curves: [fn(&Figure2Row) -> Option<Latency>; 3] =
            [|row| row.star, |row| row.bisection, |row| row.pin_out];
        for curve in curves {
            let latencies: Vec<f64> = rows
                .iter()
                .map_while(|r| curve(r).map(|l| l.cycles))
                .collect();
            assert!(
                latencies.len() > 3 && latencies.is_sorted(),
                "{panel:?}: {latencies:?}"
            );
            assert!(
                rows[latencies.len()..]
                    .iter()
                    .all(|row| curve(row).is_none())
            );
        }
        let saturation = figure.star.saturation();
        assert!(
            figure
                .star
                .latency(saturation * (1.0 + 1e-9))
                .unwrap()
                .is_none()
        );
        assert!(
            figure
                .star
                .latency(saturation * (1.0 - 1e-9))
                .unwrap()
                .is_some()
        );
    }
}

/// Width ratios, bisection and pin-out: .73333 and .57143 for (H_7, S_5), .6 and .5 for (H_10, S_6).
#[test]
fn width_ratios() {
    assert!((bisection_ratio(5).unwrap() - 0.73333).abs() < 1e-5);
    assert!((pin_out_ratio(5, 7).unwrap() - 0.57143).abs() < 1e-5);
    assert!((bisection_ratio(6).unwrap() - 0.6).abs() < 1e-5);
    assert!((pin_out_ratio(6, 10).unwrap() - 0.5).abs() < 1e-5);
    // The same from what the networks cost: a link is one wire there, two one-way channels here.
    let hypercube = |dimensions| {
        let grid = Grid::hypercube(dimensions).unwrap();
        let across = properties::grid_bisection_channels(&grid).unwrap();
        UnitCost::of(&grid.into_network(), across)
    };
    for (symbols, dimensions) in [(5, 7), (6, 10)] {
        let (star, cube) = (UnitCost::star(symbols).unwrap(), hypercube(dimensions));
        let wires = star_bisection_wires(symbols, 1.0).unwrap();
        assert_eq!(2.0 * star.bisection, wires.round());
        assert_eq!(
            2.0 * cube.bisection,
            hypercube_bisection_wires(cube.processors, 1.0)
        );
        assert_eq!(
            cube.pin_out,
            cube.processors * hypercube_pins(dimensions, 1.0)
        );
        assert_eq!(
            star.pin_out,
            star.processors * star_pins(symbols, 1.0).unwrap()
        );
        for (constraint, ratio) in [
            (Constraint::Bisection, bisection_ratio(symbols).unwrap()),
            (
                Constraint::PinOut,
                pin_out_ratio(symbols, dimensions).unwrap(),
            ),
        ] {
            let width = cube.width_bits(constraint, &star, 1_000_000) / 1e6;
            assert!((width - ratio).abs() < 1e-5, "{width} {ratio}");
        }
    }
}

/// S_5 and S_6: diameters 6 and 7, mean distances over the others 3.71429 and 4.78999; the kinds of
/// permutations against the graph.
#[test]
fn distances_are_those_of_the_star_graph() {
    for (symbols, diameter, mean) in [(5, 6, 3.71429), (6, 7, 4.78999)] {
        let model = Star::new(symbols, 1.0, 12, 1.0).unwrap();
        assert!((model.mean_distance() - mean).abs() < 1e-5);
        let graph = StarGraph::new(symbols).unwrap().distances();
        assert!((model.mean_distance() - graph.mean_without_self).abs() < 1e-12);
        let farthest = destinations(symbols).iter().map(|to| to.distance).max();
        assert_eq!((farthest, graph.diameter), (Some(diameter), diameter));
    }
}

/// Every shortest path of S_5 walked on the network, and what a message meets on it, against the
/// kinds of permutations.
#[test]
fn profitable_channels_are_those_of_the_network() {
    let symbols = 5;
    let star = StarGraph::new(symbols).unwrap();
    let network = star.clone().into_network();
    let distance = &properties::distances_to(&network, NodeId(0));
    // Shortest paths from each node, by increasing distance.
    let mut order: Vec<u32> = (0..network.nodes()).collect();
    order.sort_by_key(|&node| distance[node as usize]);
    let mut paths = vec![1.0; order.len()];
    let nearer = |node: u32| {
        let targets = network.targets(NodeId(node)).iter();
        targets
            .map(|to| to.0)
            .filter(move |&to| distance[to as usize] < distance[node as usize])
    };
    for &node in &order[1..] {
        paths[node as usize] = nearer(node).map(|to| paths[to as usize]).sum();
    }
    // Σ over destinations and hops of share · 2^f, by hop: any function of f would do.
    let mut walked = [0.0; 6];
    for &from in &order[1..] {
        let mut here = vec![(from, 1.0)];
        for sum in walked.iter_mut().take(distance[from as usize] as usize) {
            let mut next = Vec::new();
            for &(node, share) in &here {
                *sum += share * 2f64.powi(nearer(node).count() as i32);
                let part = |to: u32| share * paths[to as usize] / paths[node as usize];
                next.extend(nearer(node).map(|to| (to, part(to))));
            }
            here = next;
        }
    }
    let mut by_kind = [0.0; 6];
    for to in destinations(symbols) {
        for (sum, shares) in by_kind.iter_mut().zip(&to.profitable) {
            let all: f64 = shares
                .iter()
                .map(|&(f, share)| share * 2f64.powi(f as i32))
                .sum();
            *sum += to.count * all;
        }
    }
    for (walked, by_kind) in walked.into_iter().zip(by_kind) {
        assert!(near(by_kind, walked, 1e-12), "{by_kind} {walked}");
    }
}

/// d̄ and the shares of the hypercube against the network.
#[test]
fn distances_are_those_of_the_hypercube() {
    for dimensions in 1..=7 {
        let grid = Grid::uniform(2, dimensions, Ends::Open).unwrap();
        let graph = properties::distances(&grid.into_network()).unwrap();
        assert!((mean_distance(dimensions) - graph.mean_without_self).abs() < 1e-12);
    }
}
