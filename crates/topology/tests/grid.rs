//! Grids: what is where, how channels are numbered, and what is refused.

use crate::refusals::check;
use flitsim_topology::{ChannelId, Direction, Ends, Grid, NodeId, TopologyError};

/// Every kind of grid that is small enough to look at pair by pair.
fn small_grids() -> Vec<Grid> {
    let lists: [&[u32]; 9] = [
        &[2],
        &[3],
        &[9],
        &[2, 2, 2],
        &[4, 4],
        &[5, 5],
        &[5, 4, 3],
        &[2, 3, 4],
        &[6, 2, 2],
    ];
    let mut grids = Vec::new();
    for radices in lists {
        for ends in [Ends::Open, Ends::Ring, Ends::DirectedRing] {
            grids.push(Grid::new(radices, ends).unwrap());
        }
    }
    grids.push(Grid::hypercube(5).unwrap());
    grids
}

#[test]
fn nodes_and_channels_are_as_many_as_the_formulas_say() {
    let cases: [(&[u32], Ends, u32, u32); 10] = [
        (&[8, 8], Ends::Ring, 64, 256),
        (&[8, 8], Ends::Open, 64, 224),
        (&[16, 16], Ends::DirectedRing, 256, 512),
        (&[5, 4, 3], Ends::Open, 60, 2 * (4 * 12 + 3 * 15 + 2 * 20)),
        (&[5, 4, 3], Ends::Ring, 60, 360),
        (&[2], Ends::Ring, 2, 2),
        (&[2], Ends::Open, 2, 2),
        (&[2], Ends::DirectedRing, 2, 2),
        (&[2, 3], Ends::Ring, 6, 6 + 12),
        (&[2, 2, 2, 2], Ends::Ring, 16, 64),
    ];
    for (radices, ends, nodes, channels) in cases {
        let network = Grid::new(radices, ends).unwrap().into_network();
        assert_eq!(network.nodes(), nodes, "{radices:?} {ends:?}");
        assert_eq!(network.terminals(), nodes, "{radices:?} {ends:?}");
        assert_eq!(network.channels(), channels, "{radices:?} {ends:?}");
    }
    let hypercube = Grid::hypercube(10).unwrap().into_network();
    assert_eq!((hypercube.nodes(), hypercube.channels()), (1024, 10_240));
}

#[test]
fn dimension_0_is_the_fastest() {
    let grid = Grid::new(&[5, 4, 3], Ends::Open).unwrap();
    assert_eq!(grid.node_at(&[1, 2, 1]), NodeId(1 + 2 * 5 + 20));
    for node in (0..60).map(NodeId) {
        let coordinates: Vec<u32> = (0..3).map(|i| grid.coordinate(node, i)).collect();
        assert_eq!(grid.node_at(&coordinates), node);
        let table: Vec<u32> = grid
            .coordinates(node)
            .iter()
            .map(|&a| u32::from(a))
            .collect();
        assert_eq!(table, coordinates);
    }
}

#[test]
fn channels_are_ordered_by_node_dimension_and_up_before_down() {
    for grid in small_grids() {
        let mut order = Vec::new();
        for node in 0..grid.radices().iter().product() {
            for dimension in 0..grid.dimensions() {
                for direction in [Direction::Up, Direction::Down] {
                    order.extend(grid.channel(NodeId(node), dimension, direction));
                }
            }
        }
        assert!(
            order
                .iter()
                .copied()
                .eq((0..).take(order.len()).map(ChannelId))
        );
        assert_eq!(grid.clone().into_network().channels() as usize, order.len());
    }
}

#[test]
fn a_channel_goes_where_its_step_says_and_wraps_only_between_the_ends() {
    for grid in small_grids() {
        let network = grid.clone().into_network();
        for channel in (0..network.channels()).map(ChannelId) {
            let (source, target) = (network.source(channel), network.target(channel));
            let step = grid.step(channel);
            let i = step.dimension as usize;
            assert_eq!(grid.channel(source, i, step.direction), Some(channel));
            for other in (0..grid.dimensions()).filter(|&other| other != i) {
                assert_eq!(
                    grid.coordinate(source, other),
                    grid.coordinate(target, other)
                );
            }
            let last = grid.radices()[i] - 1;
            let (a, b) = (grid.coordinate(source, i), grid.coordinate(target, i));
            let expected = match (step.direction, step.wraps) {
                (Direction::Up, false) => (a, a + 1),
                (Direction::Down, false) => (b + 1, b),
                (Direction::Up, true) => (last, 0),
                (Direction::Down, true) => (0, last),
            };
            assert_eq!((a, b), expected, "channel {channel} of {grid:?}");
            assert!(!step.wraps || grid.is_ring(i));
            assert!(step.direction == Direction::Up || grid.ends() != Ends::DirectedRing);
        }
    }
}

#[test]
fn both_adjacency_lists_hold_every_channel_once_in_order() {
    for grid in small_grids() {
        let network = grid.into_network();
        let mut entering = 0;
        for node in (0..network.nodes()).map(NodeId) {
            let outgoing = network.outgoing(node).map(ChannelId);
            assert!(outgoing.clone().all(|c| network.source(c) == node));
            let incoming = network.incoming(node);
            assert!(incoming.iter().all(|&c| network.target(c) == node));
            assert!(incoming.is_sorted_by(|a, b| a < b));
            assert_eq!(outgoing.len() > 0, !incoming.is_empty());
            entering += incoming.len();
        }
        assert_eq!(entering, network.channels() as usize);
    }
}

#[test]
fn a_two_way_ring_of_radix_2_has_one_link() {
    let ring = Grid::new(&[2, 2, 2], Ends::Ring).unwrap().into_network();
    let cube = Grid::hypercube(3).unwrap().into_network();
    assert_eq!(ring.channels(), cube.channels());
    for channel in (0..cube.channels()).map(ChannelId) {
        assert_eq!(ring.source(channel), cube.source(channel));
        assert_eq!(ring.target(channel), cube.target(channel));
    }
    let directed = Grid::new(&[2], Ends::DirectedRing).unwrap();
    assert!(!directed.step(ChannelId(0)).wraps);
    assert!(directed.step(ChannelId(1)).wraps);
}

#[test]
fn no_dimensions_and_radices_below_two_are_refused() {
    let is = |grid: Result<Grid, TopologyError>, message: &str| {
        check(&grid.unwrap_err(), "radix", message, "another radix");
    };
    for ends in [Ends::Open, Ends::Ring, Ends::DirectedRing] {
        is(Grid::new(&[], ends), "at least one dimension");
        is(Grid::uniform(8, 0, ends), "at least one dimension");
        is(
            Grid::new(&[4, 0, 4], ends),
            "dimension 1 is 0; it must be at least 2",
        );
        is(
            Grid::new(&[4, 1, 4], ends),
            "dimension 1 is 1; it must be at least 2",
        );
        // Even where the other radices alone would be too many.
        let large = Grid::new(&[65_535, 65_535, 65_535, 0], ends);
        is(large, "dimension 3 is 0");
    }
    is(Grid::hypercube(0), "at least one dimension");
}

#[test]
fn a_radix_beyond_16_bits_is_refused_as_such() {
    let refused = Grid::uniform(65_536, 1, Ends::Ring).unwrap_err();
    let message = "dimension 0 is 65536; it must be at most 65535";
    check(&refused, "radix", message, "another radix");
    let longest = Grid::uniform(65_535, 1, Ends::Ring).unwrap();
    assert_eq!(longest.coordinate(NodeId(65_534), 0), 65_534);
}

#[test]
fn too_large_is_refused_before_memory_is_touched() {
    let refused = |grid: Result<Grid, TopologyError>| match grid {
        Err(TopologyError::TooLarge {
            nodes, channels, ..
        }) => (nodes, channels),
        other => panic!("{other:?}"),
    };
    for ends in [Ends::Open, Ends::Ring, Ends::DirectedRing] {
        let (nodes, channels) = refused(Grid::uniform(65_535, 4, ends));
        assert_eq!(nodes, 65_535u128.pow(4));
        assert!(channels > nodes);
        // Products beyond 128 bits, and lists of radices beyond what a machine holds.
        refused(Grid::uniform(65_535, 9, ends));
        refused(Grid::uniform(2, 128, ends));
        refused(Grid::uniform(2, u32::MAX, ends));
        refused(Grid::new(&[65_535; 300], ends));
    }
}

#[test]
fn the_channels_in_the_refusal_are_those_that_the_network_would_have() {
    let channels = |grid: Result<Grid, TopologyError>| match grid {
        Err(TopologyError::TooLarge { channels, .. }) => channels,
        other => panic!("{other:?}"),
    };
    assert_eq!(channels(Grid::hypercube(24)), 24 << 24);
    assert_eq!(
        channels(Grid::uniform(8192, 2, Ends::Open)),
        2 * 2 * 8191 * 8192
    );
    assert_eq!(channels(Grid::uniform(8192, 2, Ends::Ring)), 4 << 26);
    assert_eq!(
        channels(Grid::uniform(8192, 2, Ends::DirectedRing)),
        2 << 26
    );
}
