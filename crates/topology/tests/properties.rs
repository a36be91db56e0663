//! Closed forms of grids against breadth-first search, and graph properties on known networks.

use flitsim_topology::properties::{
    UNREACHABLE, degree_max, distances, distances_from, distances_to, grid_bisection_channels,
    grid_distances, is_strongly_connected, two_colouring,
};
use flitsim_topology::{ChannelId, Ends, Grid, NodeId};

const ALL_ENDS: [Ends; 3] = [Ends::Open, Ends::Ring, Ends::DirectedRing];

const SMALL: [&[u32]; 11] = [
    &[2],
    &[3],
    &[8],
    &[9],
    &[2, 2, 2, 2],
    &[4, 4],
    &[5, 5],
    &[8, 8],
    &[5, 4, 3],
    &[2, 7, 4],
    &[6, 2, 3],
];

fn assert_close(actual: f64, expected: f64, what: &str) {
    assert!(
        (actual - expected).abs() <= 1e-12 * expected.abs().max(1.0),
        "{what}: {actual} is not {expected}"
    );
}

#[test]
fn distance_equals_breadth_first_search_for_every_pair() {
    for radices in SMALL {
        for ends in ALL_ENDS {
            let network = Grid::new(radices, ends).unwrap().into_network();
            let grid = network.grid().unwrap();
            for from in (0..network.nodes()).map(NodeId) {
                let onward = distances_from(&network, from);
                let back = distances_to(&network, from);
                for to in (0..network.nodes()).map(NodeId) {
                    assert_ne!(onward[to.index()], UNREACHABLE);
                    assert_eq!(
                        onward[to.index()],
                        grid.distance(from, to),
                        "{radices:?} {ends:?}"
                    );
                    assert_eq!(
                        back[to.index()],
                        grid.distance(to, from),
                        "{radices:?} {ends:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn closed_forms_of_distances_equal_breadth_first_search() {
    for radices in SMALL {
        for ends in ALL_ENDS {
            let grid = Grid::new(radices, ends).unwrap();
            let closed = grid_distances(&grid);
            let searched = distances(&grid.into_network()).unwrap();
            let what = format!("{radices:?} {ends:?}");
            assert_eq!(closed.diameter, searched.diameter, "{what}");
            assert_close(closed.mean_with_self, searched.mean_with_self, &what);
            assert_close(closed.mean_without_self, searched.mean_without_self, &what);
        }
    }
}

#[test]
fn mean_distances_are_those_of_the_textbook() {
    let mean = |k, n, ends| grid_distances(&Grid::uniform(k, n, ends).unwrap()).mean_with_self;
    assert_close(mean(8, 2, Ends::Ring), 2.0 * 8.0 / 4.0, "torus, even");
    assert_close(
        mean(5, 3, Ends::Ring),
        3.0 * (5.0 / 4.0 - 1.0 / 20.0),
        "torus, odd",
    );
    assert_close(mean(16, 2, Ends::DirectedRing), 15.0, "directed torus");
    assert_close(
        mean(8, 2, Ends::Open),
        2.0 * (8.0 / 3.0 - 1.0 / 24.0),
        "mesh, even",
    );
    assert_close(
        mean(5, 2, Ends::Open),
        2.0 * (5.0 / 3.0 - 1.0 / 15.0),
        "mesh, odd",
    );
    let hypercube = grid_distances(&Grid::hypercube(20).unwrap());
    assert_close(hypercube.mean_with_self, 10.0, "hypercube");
    assert_eq!(hypercube.diameter, 20);
    let full_torus = grid_distances(&Grid::uniform(8, 3, Ends::Ring).unwrap());
    assert_eq!((full_torus.diameter, full_torus.mean_with_self), (12, 6.0));
}

#[test]
fn bisection_counts_the_channels_that_a_straight_cut_severs() {
    for radices in SMALL {
        for ends in ALL_ENDS {
            let network = Grid::new(radices, ends).unwrap().into_network();
            let grid = network.grid().unwrap();
            let widest = *radices.iter().max().unwrap();
            let dimension = radices.iter().rposition(|&k| k == widest).unwrap();
            let low = |node: NodeId| grid.coordinate(node, dimension) < widest / 2;
            let severed = (0..network.channels())
                .map(ChannelId)
                .filter(|&c| low(network.source(c)) != low(network.target(c)))
                .count() as u64;
            let expected = (widest % 2 == 0).then_some(severed);
            assert_eq!(
                grid_bisection_channels(grid),
                expected,
                "{radices:?} {ends:?}"
            );
        }
    }
    let bisection = |k, n, ends| grid_bisection_channels(&Grid::uniform(k, n, ends).unwrap());
    assert_eq!(bisection(8, 2, Ends::Ring), Some(4 * 8));
    assert_eq!(bisection(8, 2, Ends::Open), Some(2 * 8));
    assert_eq!(
        grid_bisection_channels(&Grid::hypercube(20).unwrap()),
        Some(1 << 20)
    );
}

/// The bisection width by trying every way to halve the nodes.
fn bisection_by_enumeration(grid: Grid) -> u64 {
    let network = grid.into_network();
    let nodes = network.nodes();
    (0u32..1 << (nodes - 1))
        .filter(|half| half.count_ones() == nodes / 2)
        .map(|half| {
            let side = |node: NodeId| half >> node.0 & 1;
            (0..network.channels())
                .map(ChannelId)
                .filter(|&c| side(network.source(c)) != side(network.target(c)))
                .count() as u64
        })
        .min()
        .unwrap()
}

#[test]
fn no_other_halves_are_joined_by_fewer_channels() {
    let cases: [&[u32]; 7] = [
        &[8],
        &[4, 2],
        &[4, 3],
        &[4, 4],
        &[2, 2, 2],
        &[4, 2, 2],
        &[6, 2],
    ];
    for radices in cases {
        for ends in ALL_ENDS {
            let grid = Grid::new(radices, ends).unwrap();
            let closed = grid_bisection_channels(&grid).unwrap();
            assert_eq!(
                closed,
                bisection_by_enumeration(grid),
                "{radices:?} {ends:?}"
            );
        }
    }
}

#[test]
fn grids_are_strongly_connected_and_have_the_degree_of_their_family() {
    for (grid, degree) in [
        (Grid::uniform(4, 3, Ends::Ring), 6),
        (Grid::uniform(4, 3, Ends::Open), 6),
        (Grid::uniform(2, 3, Ends::Open), 3),
        (Grid::uniform(2, 3, Ends::Ring), 3),
        (Grid::uniform(4, 3, Ends::DirectedRing), 3),
        (Grid::new(&[2, 5], Ends::Ring), 3),
        (Grid::hypercube(6), 6),
    ] {
        let network = grid.unwrap().into_network();
        assert!(is_strongly_connected(&network));
        assert_eq!(degree_max(&network), degree);
    }
}

#[test]
fn rings_are_bipartite_exactly_when_every_radix_is_even() {
    for radices in SMALL {
        for ends in ALL_ENDS {
            let network = Grid::new(radices, ends).unwrap().into_network();
            let grid = network.grid().unwrap();
            let odd_ring = (0..radices.len()).any(|i| grid.is_ring(i) && radices[i] % 2 == 1);
            let colours = two_colouring(&network);
            assert_eq!(colours.is_none(), odd_ring, "{radices:?} {ends:?}");
            for (node, colour) in colours.into_iter().flatten().enumerate() {
                let sum: u16 = grid.coordinates(NodeId(node as u32)).iter().sum();
                assert_eq!(colour, sum % 2 == 1, "{radices:?} {ends:?}");
            }
        }
    }
}
