//! Pairs by distance against searches from every terminal, and distances of large networks.

use flitsim_topology::properties::{
    DistanceMethod, DistanceProfile, Symmetry, distances, distances_from,
};
use flitsim_topology::{Ends, FatTree, MinimalPaths, Network, NodeId, Thinning};
use networks::{express, grid, small, sparse, star};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::networks;

fn profile(network: &Network) -> DistanceProfile {
    DistanceProfile::of(network, &Symmetry::of(network), &|_, _| ()).unwrap()
}

/// Pairs by distance, from every terminal.
fn counted(network: &Network) -> Vec<u64> {
    let mut pairs = Vec::new();
    for from in (0..network.terminals()).map(NodeId) {
        let found = distances_from(network, from);
        for &distance in &found[..network.terminals() as usize] {
            if pairs.len() <= distance as usize {
                pairs.resize(distance as usize + 1, 0);
            }
            pairs[distance as usize] += 1;
        }
    }
    // Between routers, where those are what is counted.
    for _ in 0..network.hops_at_terminals() {
        let nearest = pairs.remove(0);
        pairs[0] += nearest;
    }
    pairs
}

#[test]
fn closed_forms_and_searches_count_every_pair() {
    for (name, network) in small() {
        let expected = counted(&network);
        let found = profile(&network);
        assert_eq!(found.pairs_by_distance, expected, "{name}");
        assert_eq!(found.method, DistanceMethod::Exact);
        let symmetry = Symmetry::of(&network);
        let searched = DistanceProfile::searched(&network, &symmetry, u64::MAX, &|_, _| ());
        let searched = searched.unwrap();
        assert_eq!(searched.pairs_by_distance, expected, "{name}");
        let orbits = symmetry.terminal_orbits().len();
        assert_eq!(searched.searches as usize, orbits, "{name}");
        if network.hops_at_terminals() > 0 {
            continue;
        }
        let all = distances(&network).unwrap();
        assert_eq!(found.diameter(), all.diameter, "{name}");
        let found = found.distances();
        assert!((found.mean_with_self - all.mean_with_self).abs() < 1e-12);
        assert!((found.mean_without_self - all.mean_without_self).abs() < 1e-12);
    }
}

#[test]
fn a_long_line_is_searched_one_node_at_a_time() {
    let line = grid(&[300], Ends::Open);
    let symmetry = Symmetry::of(&line);
    let searched = DistanceProfile::searched(&line, &symmetry, u64::MAX, &|_, _| ()).unwrap();
    assert_eq!(searched.pairs_by_distance, counted(&line));
    assert_eq!(searched.searches, 150);
}

/// Kiasari & Sarbazi-Azad compare S_5 and S_6 with H_7 and H_10; values enumerated apart.
#[test]
fn star_graphs_are_as_enumerated_apart() {
    for (symbols, diameter, mean) in [(5, 6, 3.71429), (6, 7, 4.78999)] {
        let found = profile(&star(symbols));
        assert_eq!((found.diameter(), found.searches), (diameter, 1));
        assert!((found.mean_without_self() - mean).abs() < 1e-5);
    }
}

/// Parhami & Kwai, table 1, for k = 8, as enumerated apart.
#[test]
fn three_dimensional_tori_are_as_enumerated_apart() {
    let torus = profile(&grid(&[8, 8, 8], Ends::Ring));
    assert_eq!((torus.diameter(), torus.mean_with_self()), (12, 6.0));
    for (thinning, diameter, mean) in [
        (Thinning::Pruned, 12, 6.21875),
        (Thinning::Manhattan, 13, 6.9921875),
        (Thinning::PrunedManhattan, 15, 8.8203125),
    ] {
        let found = profile(&sparse(8, 3, thinning));
        assert_eq!(
            (found.diameter(), found.mean_with_self()),
            (diameter, mean),
            "{thinning:?}"
        );
        assert_eq!(found.searches, 1);
    }
}

#[test]
fn too_many_searches_are_sampled_and_said_to_be() {
    let mesh = grid(&[30, 30], Ends::Open);
    let symmetry = Symmetry::of(&mesh);
    let enough = 20 * u64::from(mesh.channels());
    let told = AtomicU64::new(0);
    let progress = |done, total| {
        assert_eq!(total, 20);
        told.fetch_max(done, Relaxed);
    };
    let sampled = DistanceProfile::searched(&mesh, &symmetry, enough, &progress).unwrap();
    assert_eq!(told.into_inner(), 20);
    assert_eq!(sampled.method, DistanceMethod::Sampled { sources: 20 });
    assert_eq!(sampled.searches, 20);
    let pairs: u64 = sampled.pairs_by_distance.iter().sum();
    assert_eq!(pairs, 20 * 900);
    let exact = profile(&mesh);
    assert!(sampled.diameter() <= exact.diameter());
    assert!((sampled.mean_with_self() / exact.mean_with_self() - 1.0).abs() < 0.2);
}

#[test]
fn a_network_from_a_file_is_searched_from_every_terminal() {
    let text = "from,to\n0,1\n1,0\n1,2\n2,1\n";
    let source = flitsim_topology::file::Source {
        file: "net.csv",
        text,
    };
    let network = flitsim_topology::file::parse_csv(source, None).unwrap();
    assert_eq!(profile(&network).pairs_by_distance, [3, 4, 2]);
}

/// Compares a distance in closed form with searches from a few nodes, to every terminal.
fn check_from_some(
    name: &str,
    network: &Network,
    distance: impl Fn(NodeId, NodeId) -> u32,
) -> Vec<u32> {
    let terminals = network.terminals();
    let mut all = Vec::new();
    for from in [0, terminals / 3, terminals / 2 + 1, terminals - 1].map(NodeId) {
        let found = distances_from(network, from);
        for to in (0..terminals).map(NodeId) {
            let (closed, searched) = (distance(from, to), found[to.index()]);
            assert_eq!(closed, searched, "{name}: {from} to {to}");
        }
        all.extend_from_slice(&found[..terminals as usize]);
    }
    all
}

#[test]
fn closed_forms_of_large_networks_agree_with_breadth_first_search() {
    for ends in [Ends::Ring, Ends::Open, Ends::DirectedRing] {
        for radices in [&[64, 64][..], &[16, 16, 16], &[63, 5, 8], &[2; 12]] {
            let network = grid(radices, ends);
            let grid = network.grid().unwrap();
            check_from_some("grid", &network, |from, to| grid.distance(from, to));
        }
    }
    let network = star(8);
    let paths = network.star().unwrap();
    check_from_some("S_8", &network, |from, to| paths.distance(from, to));
    for thinning in [
        Thinning::Pruned,
        Thinning::Manhattan,
        Thinning::PrunedManhattan,
    ] {
        for (radix, dimensions) in [(16, 3), (64, 2), (12, 4)] {
            let network = sparse(radix, dimensions, thinning);
            let torus = network.sparse_torus().unwrap();
            let distance = |from, to| torus.distance(from, to);
            check_from_some(thinning.name(), &network, distance);
        }
    }
    for tree in [FatTree::butterfly(4096), FatTree::pyramid(4096)] {
        let network = tree.unwrap().into_network();
        let tree = network.fat_tree().unwrap();
        check_from_some("tree", &network, |from, to| tree.distance(from, to));
    }
}

/// The rule of the express cube never passes the destination: its routes are at least as long as
/// the shortest paths, which sometimes do.
#[test]
fn routes_of_a_large_express_cube_are_never_shorter_than_breadth_first_search() {
    let network = express(&[64, 64], 4, 3);
    let cube = network.express_cube().unwrap();
    let mut longer = 0;
    for from in [0, 65, 2080, 4095].map(NodeId) {
        let found = distances_from(&network, from);
        for to in (0..network.terminals()).map(NodeId) {
            let (route, shortest) = (cube.hops(from, to), found[to.index()]);
            assert!(route >= shortest, "{from} to {to}");
            longer += u32::from(route > shortest);
        }
    }
    assert!(longer > 0 && longer < 4 * 4096);
    // All pairs, line by line, against 4,096 searches, 64 at a time.
    let symmetry = Symmetry::of(&network);
    let searched = DistanceProfile::searched(&network, &symmetry, u64::MAX, &|_, _| ());
    let closed = profile(&network);
    assert_eq!(
        closed.pairs_by_distance,
        searched.unwrap().pairs_by_distance
    );
    assert_eq!(closed.searches, 0);
}
