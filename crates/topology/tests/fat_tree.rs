//! Butterfly fat-trees and fat-pyramids against the definition of Greenberg & Guan (1996), section
//! 2, and their closed forms against breadth-first search.

use crate::refusals::check;
use flitsim_topology::fat_tree::{Switch, Way};
use flitsim_topology::properties::{
    degree_max, distances, distances_from, is_strongly_connected, two_colouring,
};
use flitsim_topology::{ChannelId, FatTree, FatTreeKind, Network, NodeId, TopologyError};
use std::collections::BTreeSet;

const KINDS: [FatTreeKind; 2] = [FatTreeKind::Butterfly, FatTreeKind::Pyramid];

fn tree(processors: u32, kind: FatTreeKind) -> FatTree {
    FatTree::new(processors, kind).unwrap()
}

fn network(processors: u32, kind: FatTreeKind) -> Network {
    tree(processors, kind).into_network()
}

/// The links of the paper's text, as pairs of nodes, the higher address second.
fn links_of_the_definition(tree: &FatTree) -> BTreeSet<(NodeId, NodeId)> {
    let row = (f64::from(tree.processors()).sqrt()) as u32;
    let at = |level, copy, x, y| tree.node_at(Switch { level, copy, x, y });
    let mut links = BTreeSet::new();
    for y in 0..row {
        for x in 0..row {
            links.insert((NodeId(x + row * y), at(0, 0, x / 2, y / 2)));
        }
    }
    let highest = (f64::from(tree.processors() / 4).sqrt()).log2() as u32;
    for h in 0..=highest {
        let side = row / 2 / 2u32.pow(h);
        for c in 0..2u32.pow(h) {
            for (x, y) in (0..side).flat_map(|x| (0..side).map(move |y| (x, y))) {
                if h < highest {
                    links.insert((at(h, c, x, y), at(h + 1, 2 * c, x / 2, y / 2)));
                    links.insert((at(h, c, x, y), at(h + 1, 2 * c + 1, x / 2, y / 2)));
                }
                if tree.kind() == FatTreeKind::Pyramid {
                    if x + 1 < side {
                        links.insert((at(h, c, x, y), at(h, c, x + 1, y)));
                    }
                    if y + 1 < side {
                        links.insert((at(h, c, x, y), at(h, c, x, y + 1)));
                    }
                }
            }
        }
    }
    links
}

#[test]
fn the_channels_are_those_of_the_definition_both_ways() {
    for kind in KINDS {
        for levels in 1..=5 {
            let network = network(4u32.pow(levels), kind);
            let links = links_of_the_definition(network.fat_tree().unwrap());
            let both_ways: BTreeSet<_> =
                links.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
            let built: BTreeSet<_> = (0..network.channels())
                .map(ChannelId)
                .map(|c| (network.source(c), network.target(c)))
                .collect();
            assert_eq!(built, both_ways);
            assert_eq!(built.len(), network.channels() as usize, "each once");
        }
    }
}

#[test]
fn nodes_and_channels_are_as_many_as_the_formulas_say() {
    for levels in 1..=6u32 {
        let (n, row) = (4u32.pow(levels), 2u32.pow(levels));
        let links = [2 * n - 2 * row, 3 * n - 3 * row - row * levels];
        for (kind, links) in KINDS.into_iter().zip(links) {
            let network = network(n, kind);
            assert_eq!(network.terminals(), n);
            assert_eq!(network.nodes() - n, (n - row) / 2);
            assert_eq!(network.channels(), 2 * links);
            assert!(is_strongly_connected(&network));
            let degree = match (kind, levels) {
                (_, 1) => 4,
                (FatTreeKind::Butterfly, _) => 6,
                (FatTreeKind::Pyramid, 2) => 8,
                (FatTreeKind::Pyramid, _) => 10,
            };
            assert_eq!(degree_max(&network), degree);
        }
    }
    // 1,024 processors: 496 switches, 1,984 and 2,816 links.
    let of_1024 = |kind| {
        let network = network(1024, kind);
        (network.nodes() - 1024, network.channels() / 2)
    };
    assert_eq!(of_1024(FatTreeKind::Butterfly), (496, 1984));
    assert_eq!(of_1024(FatTreeKind::Pyramid), (496, 2816));
}

#[test]
fn every_address_is_a_node_and_every_switch_has_its_address() {
    for levels in 1..=5 {
        let tree = tree(4u32.pow(levels), FatTreeKind::Butterfly);
        let mut node = tree.processors();
        for level in 0..levels {
            for copy in 0..1 << level {
                for y in 0..tree.side(level) {
                    for x in 0..tree.side(level) {
                        let switch = Switch { level, copy, x, y };
                        assert_eq!(tree.node_at(switch), NodeId(node));
                        assert_eq!(tree.switch(NodeId(node)), Some(switch));
                        node += 1;
                    }
                }
            }
        }
        assert_eq!(node, tree.nodes());
        for processor in (0..tree.processors()).map(NodeId) {
            assert_eq!(tree.switch(processor), None);
            let (x, y) = tree.position(processor);
            assert_eq!(x + (y << levels), processor.0);
        }
    }
}

#[test]
fn ways_are_the_channels_in_order_and_lead_where_they_say() {
    for kind in KINDS {
        let network = network(256, kind);
        let tree = network.fat_tree().unwrap();
        for node in (0..network.nodes()).map(NodeId) {
            let ways: Vec<Way> = tree.ways(node).collect();
            assert_eq!(ways.len(), network.outgoing(node).len());
            for (channel, &way) in network.outgoing(node).map(ChannelId).zip(&ways) {
                assert_eq!(tree.channel(node, way), Some(channel));
                let (here, there) = (tree.switch(node), tree.switch(network.target(channel)));
                match (way, here, there) {
                    (Way::Up(0), None, Some(leaf)) => {
                        assert_eq!(leaf.level, 0);
                        let child = leaf.child_towards(tree.position(node)).unwrap();
                        let leaf = network.target(channel);
                        let back = tree.channel(leaf, Way::Down(child)).unwrap();
                        assert_eq!(network.target(back), node);
                    }
                    (Way::Up(parent), Some(here), Some(there)) => {
                        assert_eq!(there.level, here.level + 1);
                        assert_eq!(there.copy, 2 * here.copy + parent);
                    }
                    (Way::Down(child), Some(here), None) => {
                        let position = tree.position(network.target(channel));
                        assert_eq!(here.child_towards(position), Some(child));
                    }
                    (Way::Down(child), Some(here), Some(there)) => {
                        assert_eq!((there.level, there.copy), (here.level - 1, here.copy / 2));
                        let corner = (there.x << here.level, there.y << here.level);
                        assert_eq!(here.child_towards(corner), Some(child));
                    }
                    (Way::Along(..), Some(here), Some(there)) => {
                        assert_eq!((there.level, there.copy), (here.level, here.copy));
                        assert_eq!(there.x.abs_diff(here.x) + there.y.abs_diff(here.y), 1);
                    }
                    _ => panic!("{way:?} from {here:?} to {there:?}"),
                }
            }
            let missing = [Way::Up(2), Way::Down(4)];
            assert!(missing.iter().all(|&way| tree.channel(node, way).is_none()));
        }
    }
}

#[test]
fn a_wire_is_as_long_as_its_ends_are_apart() {
    for kind in KINDS {
        let network = network(256, kind);
        let tree = network.fat_tree().unwrap();
        for channel in (0..network.channels()).map(ChannelId) {
            let from = tree.place_pitches(network.source(channel));
            let to = tree.place_pitches(network.target(channel));
            let apart = (from.0 - to.0).abs() + (from.1 - to.1).abs();
            assert_eq!(network.length_pitches(channel), apart);
        }
    }
}

#[test]
fn distance_equals_breadth_first_search_for_every_pair() {
    for kind in KINDS {
        for levels in 1..=5 {
            let network = network(4u32.pow(levels), kind);
            let tree = network.fat_tree().unwrap();
            let mut counts = vec![0u64; tree.distances().diameter as usize + 1];
            for from in (0..network.terminals()).map(NodeId) {
                let found = distances_from(&network, from);
                for to in (0..network.terminals()).map(NodeId) {
                    let distance = tree.distance(from, to);
                    assert_eq!(distance, found[to.index()], "{from} to {to}");
                    counts[distance as usize] += 1;
                }
            }
            assert_eq!(tree.distance_counts(), counts);
            assert_eq!(Some(tree.distances()), distances(&network));
        }
    }
}

#[test]
fn distances_of_large_trees_equal_a_sampled_search() {
    for kind in KINDS {
        let network = network(16_384, kind);
        let tree = network.fat_tree().unwrap();
        for from in [0, 5_000, 8_127, 16_383].map(NodeId) {
            let found = distances_from(&network, from);
            let equal = (0..network.terminals())
                .map(NodeId)
                .all(|to| tree.distance(from, to) == found[to.index()]);
            assert!(equal, "{kind:?} from {from}");
        }
    }
}

#[test]
fn mean_distance_of_the_fat_tree_is_the_closed_form() {
    for levels in 1..=12u32 {
        let tree = tree(4u32.pow(levels), FatTreeKind::Butterfly);
        let (m, n) = (f64::from(levels), f64::from(tree.processors()));
        let mean = 2.0 * ((3.0 * m - 1.0) * n + 1.0) / (3.0 * n);
        let found = tree.distances();
        assert_eq!(found.diameter, 2 * levels);
        assert!((found.mean_with_self - mean).abs() < 1e-12 * mean);
        let others = found.mean_without_self * (n - 1.0) / n;
        assert!((others - mean).abs() < 1e-12 * mean);
    }
}

#[test]
fn every_pair_is_counted_once_in_trees_of_any_size() {
    for (kind, largest) in [(FatTreeKind::Butterfly, 12), (FatTreeKind::Pyramid, 11)] {
        for levels in 1..=largest {
            let tree = tree(4u32.pow(levels), kind);
            let pairs: u64 = tree.distance_counts().iter().sum();
            assert_eq!(pairs, u64::from(tree.processors()).pow(2));
        }
    }
}

#[test]
fn the_corners_of_a_fat_pyramid_are_as_far_apart_as_those_of_its_fat_tree() {
    // The meshes shorten routes between neighbours across a block's border, never the longest.
    for levels in 1..=11 {
        let tree = tree(4u32.pow(levels), FatTreeKind::Pyramid);
        let corner = NodeId(tree.processors() - 1);
        assert_eq!(tree.distances().diameter, 2 * levels);
        assert_eq!(tree.distance(NodeId(0), corner), 2 * levels);
    }
}

#[test]
fn the_straight_cut_has_as_many_channels_as_the_formula() {
    for kind in KINDS {
        for levels in 1..=5 {
            let network = network(4u32.pow(levels), kind);
            let tree = network.fat_tree().unwrap();
            let half = 1 << (levels - 1);
            // A switch of the highest level stands over both halves: on either side it cuts two
            // links. All others lie on one side.
            let right = |node| match tree.switch(node) {
                None => tree.position(node).0 >= half,
                Some(switch) => switch.x << (switch.level + 1) >= half,
            };
            let cut = (0..network.channels())
                .map(ChannelId)
                .filter(|&c| right(network.source(c)) != right(network.target(c)))
                .count();
            assert_eq!(cut as u64, tree.bisection_channels());
        }
    }
}

#[test]
fn no_cut_into_halves_of_16_processors_is_smaller() {
    for kind in KINDS {
        let network = network(16, kind);
        let links: Vec<u32> = (0..network.channels())
            .map(ChannelId)
            .filter(|&c| network.source(c) < network.target(c))
            .map(|c| 1 << network.source(c).0 | 1 << network.target(c).0)
            .collect();
        let mut least = u32::MAX;
        for processors in (0u32..1 << 15).filter(|half| half.count_ones() == 8) {
            for switches in 0..1 << 6 {
                let side = processors | switches << 16;
                let cut = |&&link: &&u32| !matches!(link & side, 0) && link & side != link;
                least = least.min(links.iter().filter(cut).count() as u32);
            }
        }
        let tree = network.fat_tree().unwrap();
        assert_eq!(u64::from(2 * least), tree.bisection_channels(), "{kind:?}");
    }
}

#[test]
fn a_fat_tree_is_bipartite_and_a_fat_pyramid_is_not() {
    assert!(two_colouring(&network(64, FatTreeKind::Butterfly)).is_some());
    assert!(two_colouring(&network(64, FatTreeKind::Pyramid)).is_none());
}

#[test]
fn numbers_that_are_no_power_of_four_are_refused_with_the_nearest() {
    let cases = [
        (0, 4),
        (1, 4),
        (2, 4),
        (9, 4),
        (10, 4),
        (11, 16),
        (48, 64),
        (1000, 1024),
        (2048, 1024),
        (4_000_000_000, 16_777_216),
    ];
    for (processors, nearest) in cases {
        let error = FatTree::butterfly(processors).unwrap_err();
        let remedy = format!("`processors = {nearest}`");
        check(&error, "processors", "not a power of four", &remedy);
    }
    assert_eq!(
        FatTree::pyramid(48).unwrap_err().to_string(),
        "48 processors are not a power of four of at least 4, as this network needs; the nearest \
         that can be built is 64 (`processors = 64`)"
    );
}

#[test]
fn too_large_is_refused_with_the_numbers_it_would_have() {
    let refused = |found: Result<FatTree, TopologyError>| match found {
        Err(TopologyError::TooLarge {
            nodes, channels, ..
        }) => (nodes, channels),
        other => panic!("{other:?}"),
    };
    let (n, row) = (1u128 << 26, 1u128 << 13);
    let nodes = n + (n - row) / 2;
    assert_eq!(refused(FatTree::butterfly(1 << 26)), (nodes, 4 * (n - row)));
    assert_eq!(
        refused(FatTree::pyramid(1 << 26)),
        (nodes, 6 * (n - row) - 2 * 13 * row)
    );
    refused(FatTree::butterfly(1 << 30));
    refused(FatTree::pyramid(1 << 24));
}
