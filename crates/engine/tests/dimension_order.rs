//! Dimension order: minimal for every pair and every choice, and free of cycles of dependencies
//! between virtual channels, by enumeration of the relation itself.

use crate::common;
use crate::tier;

use common::dependencies::Dependencies;
use flitsim_engine::routing::{DimensionOrder, RingClasses, Tie};
use flitsim_engine::{Candidate, Candidates, ConfigError, Head, Routing};
use flitsim_topology::{ChannelId, Direction, Ends, Grid, Network, NodeId};
use std::collections::BTreeSet;

fn dependencies(radices: &[u32], ends: Ends, vcs: u32, tie: Tie, balance: bool) -> Dependencies {
    let network = Grid::new(radices, ends).unwrap().into_network();
    let routing = DimensionOrder::new(network.grid().unwrap(), vcs, tie, balance).unwrap();
    Dependencies::of(&network, &routing)
}

#[test]
fn the_cycle_check_finds_cycles() {
    let graph = |edges: &[(u32, u32)]| {
        let vertex = |id| (ChannelId(id), 0);
        let edges: BTreeSet<_> = edges.iter().map(|&(a, b)| (vertex(a), vertex(b))).collect();
        let vertices = edges.iter().flat_map(|&(a, b)| [a, b]).collect();
        Dependencies { vertices, edges }
    };
    assert!(graph(&[(0, 1), (1, 2), (0, 2), (3, 2), (2, 4)]).is_acyclic());
    assert!(!graph(&[(0, 1), (1, 2), (2, 3), (3, 1)]).is_acyclic());
    assert!(!graph(&[(5, 5)]).is_acyclic());
}

#[test]
fn mesh_dependencies_are_as_many_as_counted_and_acyclic() {
    for k in 2..=7 {
        for vcs in [1, 2] {
            let found = dependencies(&[k, k], Ends::Open, vcs, Tie::Random, true);
            let k = k as usize;
            let expected = (4 * k * (k - 1), 4 * k * (k - 2) + 4 * (k - 1) * (k - 1));
            assert_eq!(found.of_channels().counts(), expected);
            let v = vcs as usize;
            assert_eq!(found.counts(), (v * expected.0, v * v * expected.1));
            assert!(found.is_acyclic());
        }
    }
}

#[test]
fn hypercube_dependencies_are_as_many_as_counted_and_acyclic() {
    for ends in [Ends::Open, Ends::Ring] {
        let found = dependencies(&[2; 4], ends, 1, Tie::Random, true);
        assert_eq!(found.counts(), (64, 96));
        assert!(found.is_acyclic());
    }
}

#[test]
fn torus_dependencies_are_as_many_as_counted_and_acyclic_with_a_dateline() {
    // Half way round the 4-ary ring both ways must be open for these counts: ties at random.
    for (k, expected) in [(4, (80, 144)), (5, (120, 220))] {
        let found = dependencies(&[k, k], Ends::Ring, 2, Tie::Random, false);
        assert_eq!(found.counts(), expected);
        assert!(found.is_acyclic());
    }
    // With one virtual channel the same routes close cycles.
    let found = dependencies(&[4, 4], Ends::Ring, 2, Tie::Random, false).of_channels();
    assert_eq!(found.counts(), (64, 128));
    assert!(!found.is_acyclic());
}

#[test]
fn rings_are_acyclic_for_any_number_of_virtual_channels_with_and_without_balance() {
    if tier::is_left_out() {
        return;
    }
    let lists: [&[u32]; 8] = [
        &[3],
        &[9],
        &[4, 4],
        &[5, 5],
        &[5, 4, 3],
        &[4, 2, 3],
        &[2, 6],
        &[8, 2],
    ];
    for radices in lists {
        for ends in [Ends::Open, Ends::Ring, Ends::DirectedRing] {
            for vcs in 2..=5 {
                for tie in [Tie::Random, Tie::Positive] {
                    for balance in [false, true] {
                        assert!(
                            dependencies(radices, ends, vcs, tie, balance).is_acyclic(),
                            "{radices:?} {ends:?} {vcs} {tie:?} {balance}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn no_packet_takes_the_upper_class_across_the_dateline() {
    for ends in [Ends::Ring, Ends::DirectedRing] {
        for vcs in 2..=5 {
            let network = Grid::new(&[6, 5], ends).unwrap().into_network();
            let grid = network.grid().unwrap();
            let found = dependencies(&[6, 5], ends, vcs, Tie::Random, true);
            let lower = vcs.div_ceil(2);
            assert!(
                found
                    .vertices
                    .iter()
                    .all(|&(channel, vc)| !grid.step(channel).wraps || vc < lower)
            );
            assert!(found.vertices.iter().any(|&(_, vc)| vc >= lower));
        }
    }
}

#[test]
fn balance_opens_the_upper_class_to_packets_that_never_wrap() {
    // From coordinate 0 up to 1 of a ring of 8, no packet of the pair (0, 2) ever wraps.
    let network = Grid::uniform(8, 1, Ends::Ring).unwrap().into_network();
    let first_mask = |balance, source, destination| {
        let grid = network.grid().unwrap();
        let routing = DimensionOrder::new(grid, 4, Tie::Random, balance).unwrap();
        let mut candidates = Candidates::default();
        let head = Head {
            node: NodeId(source),
            arrived: None,
            destination: NodeId(destination),
            state: 0,
        };
        routing.route(head, &mut candidates);
        candidates.as_slice()[0].vcs
    };
    assert_eq!(first_mask(false, 0, 2), 0b0011);
    assert_eq!(first_mask(true, 0, 2), 0b1111);
    assert_eq!(first_mask(true, 6, 0), 0b0011, "this pair wraps");
    assert_eq!(first_mask(true, 2, 0), 0b1111, "downward, without wrapping");
    assert_eq!(first_mask(true, 1, 7), 0b0011, "downward, wrapping");
}

/// Follows a packet on the lowest or the highest virtual channel allowed; the hops that it takes.
fn hops(network: &Network, routing: &impl Routing, mut head: Head, highest: bool) -> u32 {
    let mut candidates = Candidates::default();
    let mut hops = 0;
    while head.node != head.destination {
        candidates.clear();
        routing.route(head, &mut candidates);
        let [Candidate { channel, vcs, .. }] = *candidates.as_slice() else {
            panic!("not one candidate for {head:?}");
        };
        let vc = if highest {
            vcs.ilog2()
        } else {
            vcs.trailing_zeros()
        };
        head.state = routing.advance(head, channel, vc);
        head.arrived = Some((channel, vc));
        head.node = network.target(channel);
        hops += 1;
        assert!(hops <= network.nodes(), "no end in sight for {head:?}");
    }
    hops
}

#[test]
fn every_packet_takes_as_many_hops_as_the_distance() {
    let lists: [&[u32]; 6] = [&[8], &[4, 4], &[5, 5], &[5, 4, 3], &[4, 4, 4], &[2, 6]];
    for radices in lists {
        for ends in [Ends::Open, Ends::Ring, Ends::DirectedRing] {
            let network = Grid::new(radices, ends).unwrap().into_network();
            let grid = network.grid().unwrap();
            for (tie, balance) in [(Tie::Random, true), (Tie::Positive, false)] {
                let routing = DimensionOrder::new(grid, 3, tie, balance).unwrap();
                for source in (0..network.nodes()).map(NodeId) {
                    for destination in (0..network.nodes()).map(NodeId) {
                        for choice in 0..routing.choices(source, destination) {
                            let head = Head {
                                node: source,
                                arrived: None,
                                destination,
                                state: routing.initial(source, destination, choice),
                            };
                            for highest in [false, true] {
                                let taken = hops(&network, &routing, head, highest);
                                assert_eq!(taken, grid.distance(source, destination));
                            }
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn every_choice_half_way_round_is_a_different_way() {
    let network = Grid::new(&[4, 3, 6], Ends::Ring).unwrap().into_network();
    let grid = network.grid().unwrap();
    let (source, destination) = (grid.node_at(&[1, 1, 5]), grid.node_at(&[3, 2, 2]));
    let random = DimensionOrder::new(grid, 2, Tie::Random, true).unwrap();
    assert_eq!(random.choices(source, destination), 4);
    assert_eq!(random.choices(source, source), 1);
    let mut ways = BTreeSet::new();
    for choice in 0..4 {
        let state = random.initial(source, destination, choice);
        let mut head = Head {
            node: source,
            arrived: None,
            destination,
            state,
        };
        let mut path = Vec::new();
        let mut candidates = Candidates::default();
        while head.node != destination {
            candidates.clear();
            random.route(head, &mut candidates);
            let channel = candidates.as_slice()[0].channel;
            path.push(channel);
            head.arrived = Some((channel, 0));
            head.node = network.target(channel);
        }
        assert!(ways.insert(path));
    }
    let positive = DimensionOrder::new(grid, 2, Tie::Positive, true).unwrap();
    assert_eq!(positive.choices(source, destination), 1);
    let mut candidates = Candidates::default();
    let head = Head {
        node: source,
        arrived: None,
        destination,
        state: positive.initial(source, destination, 0),
    };
    positive.route(head, &mut candidates);
    let step = grid.step(candidates.as_slice()[0].channel);
    assert_eq!((step.dimension, step.direction), (0, Direction::Up));
}

#[test]
fn virtual_channels_that_do_not_suffice_are_refused() {
    let ring = Grid::uniform(3, 2, Ends::Ring).unwrap();
    let directed = Grid::uniform(2, 1, Ends::DirectedRing).unwrap();
    let mesh = Grid::uniform(3, 2, Ends::Open).unwrap();
    let cube = Grid::uniform(2, 3, Ends::Ring).unwrap();
    let new = |grid, vcs| DimensionOrder::new(grid, vcs, Tie::Random, true).map(|_| ());
    assert!(matches!(new(&ring, 1), Err(ConfigError::Routing { .. })));
    assert!(matches!(
        new(&directed, 1),
        Err(ConfigError::Routing { .. })
    ));
    assert_eq!(new(&mesh, 1), Ok(()));
    assert_eq!(new(&cube, 1), Ok(()));
    assert_eq!(new(&ring, 64), Ok(()));
    for vcs in [0, 65] {
        assert!(matches!(
            new(&mesh, vcs),
            Err(ConfigError::OutOfRange { .. })
        ));
    }
}

/// Of two-way rings no cycle closes, of one-way rings one does; a packet is in one class to the end of a ring.
#[test]
fn a_class_is_kept_round_a_ring() {
    let rings = [(Ends::Ring, 2), (Ends::Ring, 5), (Ends::DirectedRing, 4)];
    let cases = (2..=8).flat_map(|k| rings.map(|(ends, vcs)| (k, ends, vcs)));
    for (k, ends, vcs) in cases {
        for classes in [RingClasses::Fixed, RingClasses::Drawn] {
            let network = Grid::new(&[k, k], ends).unwrap().into_network();
            let grid = network.grid().unwrap();
            let routing = DimensionOrder::new(grid, vcs, Tie::Random, true).unwrap();
            let routing = routing.with_ring_classes(classes);
            let is_free = Dependencies::of(&network, &routing).is_acyclic();
            // Of three nodes a packet that wraps passes two channels at most, and no third one follows.
            assert_eq!(is_free, ends == Ends::Ring || k <= 3, "{k} {ends:?}");
            let nodes = || (0..network.nodes()).map(NodeId);
            let mut drawn = [0; 2];
            for pair in nodes().flat_map(|from| nodes().map(move |to| (from, to))) {
                for choice in 0..routing.choices(pair.0, pair.1) {
                    let state = routing.initial(pair.0, pair.1, choice);
                    let [first, second] = follow_classes(&network, &routing, pair, state, classes);
                    drawn = [drawn[0] + first, drawn[1] + second];
                }
            }
            assert_eq!(drawn[0], drawn[1], "{k} {ends:?} {classes:?}");
            let is_any_drawn = classes == RingClasses::Drawn && k > 2;
            assert_eq!(drawn[0] > 0, is_any_drawn, "{k} {ends:?} {classes:?}");
        }
    }
}

/// Follows a packet, on the last virtual channel that it may take at every hop; in how many rings it drew the first class,
/// and in how many the second.
fn follow_classes(
    network: &Network,
    routing: &DimensionOrder<'_>,
    (from, to): (NodeId, NodeId),
    state: u64,
    classes: RingClasses,
) -> [u32; 2] {
    let grid = network.grid().unwrap();
    let all = (1 << routing.virtual_channels()) - 1;
    let first = (1 << routing.virtual_channels().div_ceil(2)) - 1;
    let mut candidates = Candidates::default();
    let (mut node, mut arrived, mut entered) = (from, None, [None; 2]);
    let mut drawn = [0; 2];
    while node != to {
        let head = Head {
            node,
            arrived,
            destination: to,
            state,
        };
        let wanted = routing.only(head, &mut candidates).expect("a way");
        let step = grid.step(wanted.channel);
        let dimension = step.dimension as usize;
        let is_second = wanted.vcs == all & !first;
        let is_new = entered[dimension].is_none();
        let kept = *entered[dimension].get_or_insert(wanted.vcs);
        assert_eq!(wanted.vcs, kept, "{from:?} to {to:?} at {node:?}");
        if !grid.is_ring(dimension) {
            assert_eq!(wanted.vcs, all);
        } else if is_new {
            let [here, there] = [node, to].map(|node| grid.coordinate(node, dimension));
            let wraps = (here > there) == (step.direction == Direction::Up);
            let middle = (grid.radices()[dimension] - 1) / 2;
            let expected = match (classes, wraps) {
                (RingClasses::Fixed, _) => Some(here > there),
                (_, true) => Some(true),
                _ if (here <= middle) != (there <= middle) => Some(false),
                _ => None,
            };
            assert!(is_second || wanted.vcs == first);
            match expected {
                Some(expected) => assert_eq!(is_second, expected, "{from:?} to {to:?}"),
                None => drawn[usize::from(is_second)] += 1,
            }
        }
        arrived = Some((wanted.channel, wanted.vcs.ilog2()));
        node = network.target(wanted.channel);
    }
    drawn
}
