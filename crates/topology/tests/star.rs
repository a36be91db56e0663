//! Star graphs: numbering, closed forms against breadth-first search, symmetry, and the largest.

use flitsim_topology::{ChannelId, MinimalPaths, Network, NodeId, Star, TopologyError, properties};

use crate::common;
use crate::refusals::check;

fn network(symbols: u32) -> Network {
    Star::new(symbols).unwrap().into_network()
}

#[test]
fn a_node_is_a_permutation_and_its_rank() {
    for symbols in 2..=7 {
        let star = Star::new(symbols).unwrap();
        let mut seen = std::collections::BTreeSet::new();
        for node in (0..star.nodes()).map(NodeId) {
            let permutation: Vec<u32> = star.permutation(node).collect();
            assert_eq!(star.node_at(&permutation), node);
            assert!(seen.insert(permutation));
        }
        let identity: Vec<u32> = (1..=symbols).collect();
        assert_eq!(star.node_at(&identity), NodeId(0));
    }
}

#[test]
fn the_first_copy_of_the_next_smaller_graph_is_numbered_like_it() {
    let (small, large) = (Star::new(5).unwrap(), Star::new(6).unwrap());
    for node in (0..small.nodes()).map(NodeId) {
        let permutation: Vec<u32> = small.permutation(node).chain([6]).collect();
        assert_eq!(large.node_at(&permutation), node);
    }
}

#[test]
fn channel_i_swaps_the_symbols_in_positions_1_and_i() {
    for symbols in 2..=6 {
        let network = network(symbols);
        let star = network.star().unwrap();
        assert_eq!(network.nodes(), (1..=symbols).product::<u32>());
        assert_eq!(network.terminals(), network.nodes());
        assert_eq!(network.channels(), network.nodes() * (symbols - 1));
        for node in (0..network.nodes()).map(NodeId) {
            for i in 2..=symbols {
                let channel = star.channel(node, i);
                let mut swapped: Vec<u32> = star.permutation(node).collect();
                swapped.swap(0, i as usize - 1);
                assert_eq!(network.source(channel), node);
                assert_eq!(network.target(channel), star.node_at(&swapped));
                assert_eq!(star.neighbour(network.target(channel), i), node);
            }
        }
    }
}

#[test]
fn shortest_paths_are_those_of_breadth_first_search() {
    for symbols in 2..=6 {
        let network = network(symbols);
        common::check_minimal_paths(&network, network.star().unwrap());
    }
}

#[test]
fn diameter_and_mean_distance_are_the_closed_forms() {
    for symbols in 2..=6 {
        let network = network(symbols);
        let found = properties::distances(&network).unwrap();
        let closed = network.star().unwrap().distances();
        assert_eq!(closed.diameter, found.diameter);
        assert!((closed.mean_with_self - found.mean_with_self).abs() < 1e-12);
        assert!((closed.mean_without_self - found.mean_without_self).abs() < 1e-12);
    }
    // Enumerated apart: S_5 and S_6, distinct nodes.
    for (symbols, diameter, mean) in [(5, 6, 3.71429), (6, 7, 4.78999)] {
        let closed = Star::new(symbols).unwrap().distances();
        assert_eq!(closed.diameter, diameter);
        assert!((closed.mean_without_self - mean).abs() < 1e-5);
    }
}

#[test]
fn renaming_symbols_takes_any_node_to_any_other_and_channels_to_channels() {
    for symbols in 2..=5 {
        let network = network(symbols);
        let star = network.star().unwrap();
        for by in (0..network.nodes()).map(NodeId) {
            assert_eq!(star.translate(by, NodeId(0)), by);
            let mut met = vec![false; network.nodes() as usize];
            for node in (0..network.nodes()).map(NodeId) {
                let image = star.translate(by, node);
                assert!(!std::mem::replace(&mut met[image.index()], true));
                for i in 2..=symbols {
                    let end = network.target(star.channel(node, i));
                    let image_end = network.target(star.channel(image, i));
                    assert_eq!(star.translate(by, end), image_end);
                }
            }
        }
    }
}

#[test]
fn bisections_are_those_of_equation_5() {
    // Kiasari & Sarbazi-Azad: N n / (4 (n - 1)) links for even n, N (n² - 3) / (4 n (n - 2)) for
    // odd n, two channels each.
    for (symbols, channels) in [(2, 2), (4, 16), (5, 88), (6, 432), (7, 3312)] {
        assert_eq!(Star::new(symbols).unwrap().bisection_channels(), channels);
    }
    // Width ratios under equal bisection, N channels through the hypercube: equation 6.
    for (symbols, ratio) in [(5, 0.73333), (6, 0.6)] {
        let star = Star::new(symbols).unwrap();
        let found = star.bisection_channels() as f64 / f64::from(star.nodes());
        assert!((found - ratio).abs() < 1e-5);
    }
}

#[test]
fn the_layout_gives_every_node_its_own_place_and_wires_their_length() {
    for symbols in 2..=6 {
        let network = network(symbols);
        let star = network.star().unwrap();
        let mut places = std::collections::BTreeSet::new();
        let copy = network.nodes() / symbols;
        for node in (0..network.nodes()).map(NodeId) {
            let (column, row) = star.place_pitches(node);
            assert!(places.insert((column, row)));
            // The copies lie in line, each as the first one.
            let (first_column, first_row) = star.place_pitches(NodeId(node.0 % copy));
            assert!(if symbols % 2 == 0 {
                row == first_row
            } else {
                column == first_column
            });
        }
        for channel in (0..network.channels()).map(ChannelId) {
            let (a, b) = star.place_pitches(network.source(channel));
            let (c, d) = star.place_pitches(network.target(channel));
            let length = (a.abs_diff(c) + b.abs_diff(d)) as f32;
            assert!(length >= 1.0);
            assert_eq!(network.length_pitches(channel), length);
        }
    }
}

#[test]
fn too_few_and_too_many_symbols_are_refused() {
    for symbols in [0, 1, 31, u32::MAX] {
        let refused = Star::new(symbols).unwrap_err();
        let remedy = format!("`symbols = {}`", symbols.clamp(2, 10));
        check(&refused, "symbols", "it needs 2 to 10 symbols", &remedy);
    }
    let TopologyError::TooLarge {
        nodes, channels, ..
    } = Star::new(11).unwrap_err()
    else {
        panic!("11 symbols are too many for memory");
    };
    assert_eq!((nodes, channels), (39_916_800, 399_168_000));
}

/// Distances from node 0 by search, and by the closed form.
fn check_from_one_node(symbols: u32) {
    let network = network(symbols);
    let star = network.star().unwrap();
    let found = properties::distances_from(&network, NodeId(0));
    assert!(
        (0..)
            .map(NodeId)
            .zip(&found)
            .all(|(node, &distance)| star.distance(NodeId(0), node) == distance)
    );
    let sum: u64 = found.iter().map(|&distance| u64::from(distance)).sum();
    let mean = sum as f64 / f64::from(network.nodes());
    assert!((mean - star.distances().mean_with_self).abs() < 1e-9);
    assert_eq!(found.iter().max(), Some(&star.diameter()));
}

#[test]
fn large_graphs_agree_with_breadth_first_search() {
    check_from_one_node(8);
    check_from_one_node(9);
}
