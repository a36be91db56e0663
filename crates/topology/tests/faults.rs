//! Connectivity and fault diameters, against trying every set of faults and the literature's values.

use flitsim_topology::properties::{
    Connectivity, ConnectivityMethod, FaultDiameter, FaultMethod, Symmetry, channel_connectivity,
    node_connectivity,
};
use flitsim_topology::{Channel, ChannelId, Ends, FatTree, Network, NodeId, Thinning};
use networks::{express, grid, small, sparse, star};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::networks;

fn fault_diameter(network: &Network, faults: u32) -> FaultDiameter {
    FaultDiameter::of(network, &Symmetry::of(network), faults, &|_, _| ()).unwrap()
}

/// The diameter of what is left, one search after another.
fn diameter_without(network: &Network, dead: u32, broken: &[ChannelId]) -> Option<u32> {
    let alive = |node: NodeId| dead >> node.0 & 1 == 0;
    let mut farthest = 0;
    for from in (0..network.terminals()).map(NodeId).filter(|&n| alive(n)) {
        let mut hops = vec![None; network.nodes() as usize];
        hops[from.index()] = Some(0);
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            for channel in network.outgoing(node).map(ChannelId) {
                let to = network.target(channel);
                if alive(to) && hops[to.index()].is_none() && !broken.contains(&channel) {
                    hops[to.index()] = hops[node.index()].map(|hops: u32| hops + 1);
                    queue.push_back(to);
                }
            }
        }
        for to in (0..network.terminals()).map(NodeId).filter(|&n| alive(n)) {
            farthest = farthest.max(hops[to.index()]?);
        }
    }
    Some(farthest)
}

/// The largest diameter after any `faults` failing nodes; `None` where terminals are parted.
fn by_enumeration(network: &Network, faults: u32) -> Option<u32> {
    let sets = (0u32..1 << network.nodes()).filter(|set| set.count_ones() == faults);
    let diameters = sets.map(|set| diameter_without(network, set, &[]).ok_or(()));
    let worst = diameters.collect::<Result<Vec<_>, ()>>().ok()?;
    let worst = worst.into_iter().max()?;
    Some(worst.saturating_sub(network.hops_at_terminals()))
}

#[test]
fn connectivity_and_fault_diameter_are_those_of_all_sets_of_faults() {
    let mut tried = 0;
    for (name, network) in small() {
        if network.nodes() > 13 || network.terminals() < 4 {
            continue;
        }
        tried += 1;
        let symmetry = Symmetry::of(&network);
        let nodes = node_connectivity(&network, &symmetry);
        assert_ne!(nodes.method, ConnectivityMethod::Bound, "{name}");
        let parts = (0..network.nodes()).find(|&f| by_enumeration(&network, f).is_none());
        assert_eq!(
            nodes.failures,
            parts.unwrap_or(network.nodes() - 1),
            "{name}"
        );
        let found = fault_diameter(&network, nodes.failures - 1);
        assert_eq!(
            found.diameter,
            by_enumeration(&network, found.faults),
            "{name}"
        );
        assert_eq!(found.method, FaultMethod::Exhaustive, "{name}");
        if parts.is_some() {
            let more = fault_diameter(&network, nodes.failures);
            assert_eq!(more.diameter, None, "{name}");
        }
    }
    assert!(tried >= 12, "{tried}");
}

#[test]
fn so_many_broken_channels_part_terminals_and_no_fewer() {
    for (name, network) in small() {
        let channels = network.channels();
        if channels > 36 || network.terminals() < 3 {
            continue;
        }
        let found = channel_connectivity(&network, &Symmetry::of(&network));
        assert_ne!(found.method, ConnectivityMethod::Bound, "{name}");
        let parted = |broken: &[ChannelId]| diameter_without(&network, 0, broken).is_none();
        let all = || (0..channels).map(ChannelId);
        let one = all().any(|a| parted(&[a]));
        let two = one || all().any(|a| all().any(|b| parted(&[a, b])));
        assert_eq!(one, found.failures <= 1, "{name}");
        assert_eq!(two, found.failures <= 2, "{name}");
    }
}

fn exact(found: Connectivity) -> u32 {
    assert_ne!(found.method, ConnectivityMethod::Bound);
    found.failures
}

#[test]
fn connectivities_of_the_literature() {
    for (network, nodes, channels) in [
        (grid(&[8, 8, 8], Ends::Ring), 6, 6),
        (grid(&[2; 6], Ends::Open), 6, 6),
        (grid(&[6, 5], Ends::Open), 2, 2),
        (grid(&[8, 8], Ends::DirectedRing), 2, 2),
        (grid(&[6, 4, 3], Ends::Ring), 6, 6),
        (star(6), 5, 5),
        // The four node-disjoint paths of Parhami & Kwai, section 4.C.
        (sparse(8, 3, Thinning::Pruned), 4, 4),
        (sparse(8, 3, Thinning::Manhattan), 3, 3),
        (sparse(8, 3, Thinning::PrunedManhattan), 2, 2),
        (FatTree::butterfly(64).unwrap().into_network(), 1, 1),
        (express(&[8, 8], 4, 1), 2, 2),
    ] {
        let symmetry = Symmetry::of(&network);
        let found = (
            exact(node_connectivity(&network, &symmetry)),
            exact(channel_connectivity(&network, &symmetry)),
        );
        assert_eq!(found, (nodes, channels), "{:?}", network.nodes());
    }
}

/// The network of links between those of `nodes` nodes that `is_joined` says, of which nothing else is known.
fn links(nodes: u32, is_joined: impl Fn(u32, u32) -> bool) -> Network {
    let pairs = (0..nodes).flat_map(|a| (0..nodes).map(move |b| (a, b)));
    let joined = pairs.filter(|&(a, b)| a != b && is_joined(a, b));
    let channel = |(a, b)| Channel {
        source: NodeId(a),
        target: NodeId(b),
        length_pitches: 1.0,
    };
    let channels: Vec<Channel> = joined.map(channel).collect();
    Network::from_channels(nodes, nodes, &channels).unwrap()
}

#[test]
fn a_channel_between_two_terminals_is_a_path_and_each_pair_has_its_own() {
    let ring = links(5, |a, b| a.abs_diff(b) % 3 == 1);
    let found = channel_connectivity(&ring, &Symmetry::of(&ring));
    assert_eq!(
        (found.failures, found.method),
        (2, ConnectivityMethod::Flows)
    );
}

#[test]
fn the_degree_is_only_a_bound_where_flows_are_too_many() {
    let mesh = grid(&[100, 100], Ends::Open);
    let found = node_connectivity(&mesh, &Symmetry::of(&mesh));
    assert_eq!(
        (found.failures, found.method),
        (2, ConnectivityMethod::Bound)
    );
}

/// One hop more than the diameter: hypercubes (Krishnamoorthy & Krishnamurthy 1987), and k-ary
/// n-cubes of k > 3 with 2n − 1 faults (Day & Al-Ayyoub 1997), as Parhami & Kwai's table 1 has it.
#[test]
fn fault_diameters_of_hypercubes_and_tori_are_one_hop_more() {
    for (network, faults, diameter) in [
        (grid(&[2; 3], Ends::Open), 2, 4),
        (grid(&[2; 4], Ends::Open), 3, 5),
        (grid(&[2; 5], Ends::Open), 4, 6),
        (grid(&[4, 4], Ends::Ring), 3, 5),
        (grid(&[5, 5], Ends::Ring), 3, 5),
        (grid(&[8, 8], Ends::Ring), 3, 9),
        (star(5), 3, 7),
    ] {
        let found = fault_diameter(&network, faults);
        assert_eq!(found.diameter, Some(diameter));
        assert_eq!(found.method, FaultMethod::Exhaustive);
    }
    let torus = fault_diameter(&grid(&[8, 8, 8], Ends::Ring), 5);
    assert_eq!(torus.diameter, Some(13));
    assert!(matches!(torus.method, FaultMethod::Sampled { .. }));
}

/// Theorem 3 of Parhami & Kwai: at most (n − 1)⌊k/2⌋ + k − n + 2 for k >= 4(n − 1), which is
/// D + ⌈k/2⌉ − n + 2 for n = 3, as their table 1 has it.
#[test]
fn fault_diameters_of_pruned_tori_keep_within_theorem_3() {
    for (radix, dimensions) in [(4, 2), (5, 2), (8, 3), (12, 3)] {
        let network = sparse(radix, dimensions, Thinning::Pruned);
        let bound = (dimensions - 1) * (radix / 2) + radix - dimensions + 2;
        let found = fault_diameter(&network, 3);
        let diameter = found.diameter.expect("three faults part nothing");
        assert!(diameter <= bound, "{radix} {dimensions}: {diameter}");
        // The largest that any search has met: the bound is not reached.
        let plain = fault_diameter(&network, 0).diameter.unwrap();
        assert_eq!(diameter, plain + 1, "{radix} {dimensions}");
    }
}

/// Their table 1 has no value for the one-way tori, which "we expect to be close" to the others':
/// one hop more too.
#[test]
fn fault_diameters_of_one_way_tori_are_one_hop_more() {
    for (thinning, faults, diameter) in [
        (Thinning::Manhattan, 2, 14),
        (Thinning::PrunedManhattan, 1, 16),
    ] {
        let found = fault_diameter(&sparse(8, 3, thinning), faults);
        assert_eq!(found.diameter, Some(diameter), "{thinning:?}");
        assert_eq!(found.method, FaultMethod::Exhaustive);
    }
}

/// Faults of any four of nine nodes part one network each, and no other four do: the other nodes are two and
/// three that are joined by way of the four alone.
#[test]
fn every_set_of_faults_is_tried_once() {
    let tried = |network: &Network| {
        let sets = AtomicU64::new(0);
        let progress = |_, of| sets.store(of, Relaxed);
        let found = FaultDiameter::of(network, &Symmetry::of(network), 4, &progress).unwrap();
        assert_eq!(found.method, FaultMethod::Exhaustive);
        (found.diameter, sets.into_inner())
    };
    let fours = (0u32..1 << 9).filter(|set| set.count_ones() == 4);
    for four in fours {
        let rest: Vec<u32> = (0..9).filter(|&node| four >> node & 1 == 0).collect();
        let two = |node: u32| rest[..2].contains(&node);
        let three = |node: u32| rest[2..].contains(&node);
        let network = links(9, |a, b| !(two(a) && three(b) || three(a) && two(b)));
        assert_eq!(tried(&network), (None, 126), "{four:#b}");
    }
    // Where all nodes are alike, those that hold the first.
    assert_eq!(tried(&grid(&[9], Ends::Ring)), (None, 56));
}

#[test]
fn samples_are_the_same_each_time() {
    let network = grid(&[6, 6, 6], Ends::Ring);
    assert_eq!(fault_diameter(&network, 5), fault_diameter(&network, 5));
}

#[test]
fn what_is_too_large_to_search_once_has_no_fault_diameter() {
    let network = grid(&[256, 256], Ends::Ring);
    let found = FaultDiameter::of(&network, &Symmetry::of(&network), 3, &|_, _| ());
    assert_eq!(found, None);
}
