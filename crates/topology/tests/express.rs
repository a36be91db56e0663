//! Express cubes against the paper's definitions, equations and figures.

use flitsim_topology::express::{
    Decomposition, ExpressChannel, ExpressError, Interchange, level_share, level_share_printed,
    line_hops,
};
use flitsim_topology::properties::{is_strongly_connected, two_colouring};
use flitsim_topology::{
    ChannelId, Direction, Ends, ExpressCube, ExpressParameters, Grid, Network, NodeId,
    TopologyError,
};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The (i, l) for which hops are compared.
const HIERARCHIES: [(u32, u32); 11] = [
    (2, 1),
    (2, 2),
    (2, 3),
    (2, 4),
    (2, 5),
    (2, 6),
    (4, 1),
    (4, 2),
    (4, 3),
    (8, 2),
    (16, 1),
];

fn line(radix: u32, interval: u32, levels: u32) -> ExpressParameters {
    ExpressParameters::new(radix, 1, interval, levels)
}

fn decomposed(radix: u32, i: u32, l: u32, decomposition: Decomposition) -> ExpressParameters {
    ExpressParameters {
        decomposition,
        ..line(radix, i, l)
    }
}

fn hops(cube: &ExpressCube, from: u32, to: u32) -> u32 {
    cube.hops(NodeId(from), NodeId(to))
}

/// The routers and the kinds of channels on the way between two nodes, by the rule.
fn route(network: &Network, from: u32, to: u32) -> Vec<(ChannelId, ExpressChannel)> {
    let cube = network.express_cube().unwrap();
    let mut at = NodeId(from);
    let mut taken = Vec::new();
    while let Some(way) = cube.way(at, NodeId(to)) {
        let (kind, _) = cube.channel(at, way.first).unwrap();
        taken.push((way.first, kind));
        assert_eq!(network.source(way.first), at);
        at = network.target(way.first);
        assert!(taken.len() <= network.nodes() as usize, "an endless way");
    }
    assert_eq!(at, NodeId(to));
    taken
}

#[test]
fn hops_equal_the_corrected_formula_for_every_pair() {
    for (i, l) in HIERARCHIES {
        for k in [i + 1, 2 * i, 37, 100, 256] {
            if k <= i {
                continue;
            }
            let cube = ExpressCube::new(line(k, i, l)).unwrap();
            for from in 0..k {
                for to in 0..k {
                    assert_eq!(
                        hops(&cube, from, to),
                        line_hops(i, l, from, to),
                        "i = {i}, l = {l}, k = {k}, {from} to {to}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_formula_is_the_sum_over_digits() {
    // Between different blocks of i^l, after the digit formulas that follow equation 5, with the
    // carry and the hop through the interchange; within a block, the levels below are enough.
    for (i, l) in HIERARCHIES {
        let block = i.pow(l);
        let digit = |a: u32, j: u32| a / i.pow(j) % i;
        for from in 0..256 {
            for to in from + 1..256 {
                let sum = if from / block != to / block {
                    let ascent: u32 = (0..l).map(|j| i - 1 - digit(from, j)).sum();
                    let descent: u32 = (0..l).map(|j| digit(to, j)).sum();
                    2 + ascent + descent + (to / block - from / block - 1)
                } else if l > 1 {
                    line_hops(i, l - 1, from, to)
                } else {
                    to - from
                };
                assert_eq!(line_hops(i, l, from, to), sum);
                assert_eq!(line_hops(i, l, to, from), sum, "as far back");
            }
        }
    }
}

#[test]
fn equations_3_and_5_are_exact_for_every_source() {
    for (i, l) in HIERARCHIES {
        let block = i.pow(l);
        let k = 4 * block + 3;
        let cube = ExpressCube::new(line(k, i, l)).unwrap();
        for distance in (block..k).step_by(block as usize) {
            let expected = distance / block + (i - 1) * l + 1;
            for from in 0..k - distance {
                assert_eq!(hops(&cube, from, from + distance), expected);
                assert_eq!(hops(&cube, from + distance, from), expected);
            }
            if l == 1 {
                assert_eq!(expected, distance / i + i, "equation 3");
            }
        }
    }
}

#[test]
fn at_distance_256_every_source_takes_14_hops() {
    let cube = ExpressCube::new(line(1024, 4, 3)).unwrap();
    for from in 0..1024 - 256 {
        assert_eq!(hops(&cube, from, from + 256), 14);
    }
}

#[test]
fn equation_4_holds_with_its_sign_corrected() {
    // From (i + 1)/2 hops before an interchange: H_i + H_e + H_f with
    // H_e = ⌊D/i − 1/2 − 1/(2i)⌋ and H_f = 1 + (D − i/2 − 1/2) mod i. Odd i has such a node.
    for i in [3, 5, 7, 15] {
        let cube = ExpressCube::new(line(12 * i, i, 1)).unwrap();
        let from = 2 * i - i.div_ceil(2);
        for distance in i.div_ceil(2)..10 * i {
            let express = (2 * distance - i - 1) / (2 * i);
            let last = 1 + (2 * distance - i - 1) % (2 * i) / 2;
            let expected = i.div_ceil(2) + express + last;
            assert_eq!(hops(&cube, from, from + distance), expected);
        }
    }
}

#[test]
fn the_first_express_channel_from_midway_is_used_at_distance_24() {
    let network = ExpressCube::new(line(128, 16, 1)).unwrap().into_network();
    let from = 16 + 8;
    let uses_express = |distance: &u32| {
        route(&network, from, from + distance)
            .iter()
            .any(|&(_, kind)| kind == ExpressChannel::Express(1))
    };
    assert_eq!((1..64).find(uses_express), Some(24));
}

#[test]
fn channels_are_those_of_the_definition() {
    // Routers by name: nodes as (dimension = n, coordinates), an interchange of dimension d at
    // boundary b as (d, coordinates with b in place d).
    type Name = (usize, [u32; 2]);
    for (radices, i, l) in [
        ([13, 6], 2, 3),
        ([9, 17], 4, 2),
        ([5, 5], 2, 1),
        ([4, 2], 3, 1),
    ] {
        let mut expected: Vec<(Name, Name, u32)> = Vec::new();
        let nodes: Vec<[u32; 2]> = (0..radices[1])
            .flat_map(|y| (0..radices[0]).map(move |x| [x, y]))
            .collect();
        for d in 0..2 {
            let at = |place: u32, mut a: [u32; 2]| {
                a[d] = place;
                a
            };
            for &a in nodes.iter().filter(|a| a[d] > 0) {
                let b = a[d];
                let mut both = |x, y, length| expected.extend([(x, y, length), (y, x, length)]);
                if b % i != 0 {
                    both((2, at(b - 1, a)), (2, a), 1);
                    continue;
                }
                both((2, at(b - 1, a)), (d, a), 1);
                both((d, a), (2, a), 0);
                for reach in (1..=l).map(|q| i.pow(q)) {
                    if b % reach == 0 && b + reach < radices[d] {
                        both((d, a), (d, at(b + reach, a)), reach);
                    }
                }
            }
        }
        let parameters = ExpressParameters {
            radices: radices.to_vec(),
            ..line(0, i, l)
        };
        let network = ExpressCube::new(parameters).unwrap().into_network();
        let cube = network.express_cube().unwrap();
        let name = |router: NodeId| match cube.interchange(router) {
            None => (2, [0, 1].map(|d| cube.coordinate(router, d))),
            Some(at) => {
                let node = [0, 1].map(|d| cube.coordinate(at.node, d));
                assert_eq!(node[at.dimension as usize], at.boundary);
                (at.dimension as usize, node)
            }
        };
        let mut found: Vec<(Name, Name, u32)> = (0..network.channels())
            .map(ChannelId)
            .map(|c| {
                let ends = [network.source(c), network.target(c)].map(name);
                (ends[0], ends[1], network.length_pitches(c) as u32)
            })
            .collect();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{radices:?} {i} {l}");
        assert!(is_strongly_connected(&network));
        let names: BTreeSet<Name> = (0..network.nodes()).map(|n| name(NodeId(n))).collect();
        assert_eq!(names.len() as u32, network.nodes(), "a name for each");
    }
}

#[test]
fn a_level_j_interchange_has_j_plus_1_channels_each_way() {
    let network = ExpressCube::new(line(256, 2, 5)).unwrap().into_network();
    let cube = network.express_cube().unwrap();
    assert_eq!(network.terminals(), 256);
    assert_eq!(network.nodes() - network.terminals(), 127);
    for switch in (256..network.nodes()).map(NodeId) {
        let Interchange {
            boundary, level, ..
        } = cube.interchange(switch).unwrap();
        assert_eq!(level, boundary.trailing_zeros().min(5));
        let mut ways = BTreeMap::new();
        for channel in network.outgoing(switch).map(ChannelId) {
            let (kind, way) = cube.channel(switch, channel).unwrap();
            ways.entry(kind).or_insert_with(Vec::new).push(way);
        }
        // Towards a missing neighbour at the line's end there is no express channel.
        for q in 1..=level {
            let reach = 1 << q;
            let room = usize::from(boundary > reach) + usize::from(boundary + reach < 256);
            let found = ways.get(&ExpressChannel::Express(q)).map_or(0, Vec::len);
            assert_eq!(found, room);
        }
        assert_eq!(
            ways[&ExpressChannel::Local],
            [Direction::Up, Direction::Down]
        );
    }
    assert_eq!(cube.interchange(NodeId(255)), None);
    assert_eq!(cube.interchange(NodeId(network.nodes())), None);
}

fn variants() -> Vec<ExpressParameters> {
    let mut all = Vec::new();
    for (k, i, l) in [(70, 2, 4), (40, 3, 3), (37, 4, 2), (20, 2, 6), (33, 2, 5)] {
        for decomposition in [
            Decomposition::Module,
            Decomposition::LevelOne,
            Decomposition::WithoutAscending,
            Decomposition::TopOnly,
        ] {
            all.push(decomposed(k, i, l, decomposition));
        }
        all.push(ExpressParameters {
            channels_per_level: (1..=l + 1).collect(),
            ..line(k, i, l)
        });
    }
    for (k, i, m) in [(40, 4, 2), (41, 6, 3), (30, 5, 5), (29, 4, 4), (50, 12, 3)] {
        all.push(ExpressParameters {
            interleaved: m,
            ..line(k, i, 1)
        });
    }
    all
}

#[test]
fn every_route_goes_straight_to_its_destination() {
    for parameters in variants() {
        let network = ExpressCube::new(parameters.clone()).unwrap().into_network();
        let cube = network.express_cube().unwrap();
        assert!(is_strongly_connected(&network), "{parameters:?}");
        for from in 0..network.terminals() {
            for to in 0..network.terminals() {
                let taken = route(&network, from, to);
                assert_eq!(taken.len() as u32, hops(cube, from, to));
                let wires: f32 = taken.iter().map(|&(c, _)| network.length_pitches(c)).sum();
                assert_eq!(wires, from.abs_diff(to) as f32, "{parameters:?}");
                let up = match to > from {
                    true => Direction::Up,
                    false => Direction::Down,
                };
                for &(channel, _) in &taken {
                    let source = network.source(channel);
                    assert_eq!(cube.channel(source, channel).unwrap().1, up);
                }
            }
        }
    }
}

/// Hops from one node to all above it, over channels upward alone.
fn upward_distances(network: &Network, from: NodeId, last: u32) -> Vec<u32> {
    let cube = network.express_cube().unwrap();
    let place = |router: NodeId| cube.interchange(router).map_or(router.0, |at| at.boundary);
    let mut distances = vec![u32::MAX; network.nodes() as usize];
    distances[from.index()] = 0;
    let mut queue = VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        for channel in network.outgoing(at).map(ChannelId) {
            let to = network.target(channel);
            let upward = cube.channel(at, channel).unwrap().1 == Direction::Up;
            if upward && place(to) <= last && distances[to.index()] == u32::MAX {
                distances[to.index()] = distances[at.index()] + 1;
                queue.push_back(to);
            }
        }
    }
    distances
}

#[test]
fn no_shorter_way_keeps_from_passing_the_destination() {
    for parameters in variants() {
        let interleaved = parameters.interleaved > 1;
        let network = ExpressCube::new(parameters.clone()).unwrap().into_network();
        let cube = network.express_cube().unwrap();
        for from in 0..network.terminals() {
            for to in from + 1..network.terminals() {
                let shortest = upward_distances(&network, NodeId(from), to)[to as usize];
                let taken = hops(cube, from, to);
                // A message stays with the first of the interleaved interchanges that helps.
                assert!(taken >= shortest);
                assert!(
                    interleaved || taken == shortest,
                    "{parameters:?} {from} {to} {taken} {shortest}"
                );
            }
        }
    }
}
