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

#[test]
fn parallel_channels_multiply_each_level() {
    let single = ExpressCube::new(line(64, 2, 3)).unwrap().into_network();
    let parameters = ExpressParameters {
        channels_per_level: vec![1, 1, 2, 4],
        ..line(64, 2, 3)
    };
    let network = ExpressCube::new(parameters).unwrap().into_network();
    assert_eq!(network.nodes(), single.nodes());
    let count = |network: &Network| {
        let cube = network.express_cube().unwrap();
        let mut counts = BTreeMap::new();
        for channel in (0..network.channels()).map(ChannelId) {
            let (kind, _) = cube.channel(network.source(channel), channel).unwrap();
            *counts.entry(kind).or_insert(0) += 1;
        }
        counts
    };
    let (one, many) = (count(&single), count(&network));
    assert_eq!(one[&ExpressChannel::Local], 2 * (63 + 31));
    for (level, parallel) in [(1, 1), (2, 2), (3, 4)] {
        let kind = ExpressChannel::Express(level);
        assert_eq!(one[&kind], 2 * (64 / (1 << level) - 2));
        assert_eq!(many[&kind], parallel * one[&kind]);
    }
    // Each way is so many channels between the same two routers.
    let cube = network.express_cube().unwrap();
    for from in 0..64 {
        for (channel, kind) in route(&network, from, 63 - from) {
            let source = network.source(channel);
            let way = cube.way(source, NodeId(63 - from)).unwrap();
            assert_eq!(way.first, channel);
            let expected = match kind {
                ExpressChannel::Express(level) => [1, 1, 2, 4][level as usize],
                _ => 1,
            };
            assert_eq!(way.channels, expected);
            let last = ChannelId(channel.0 + way.channels - 1);
            assert_eq!(network.source(last), source);
            assert_eq!(network.target(last), network.target(channel));
        }
    }
}

#[test]
fn both_methods_widen_the_bisection_m_plus_1_times() {
    let plain = 2;
    for m in [1, 2, 4, 8] {
        let parallel = ExpressParameters {
            channels_per_level: vec![1, m],
            ..line(64, 8, 1)
        };
        let interleaved = ExpressParameters {
            interleaved: m,
            ..line(64, 8, 1)
        };
        for parameters in [parallel, interleaved] {
            let cube = ExpressCube::new(parameters.clone()).unwrap();
            let expected = plain * (u64::from(m) + 1);
            assert_eq!(cube.bisection_channels(), Some(expected), "{parameters:?}");
        }
    }
    // Every level adds one, in each of the 64 rows; an odd radix has no middle.
    let square = ExpressCube::new(ExpressParameters::new(64, 2, 2, 3)).unwrap();
    assert_eq!(square.bisection_channels(), Some(64 * 2 * 4));
    assert_eq!(
        ExpressCube::new(line(9, 2, 1))
            .unwrap()
            .bisection_channels(),
        None
    );
}

#[test]
fn interleaved_messages_stay_with_the_first_interchange_that_helps() {
    for (k, i, m) in [
        (64, 8, 1),
        (64, 8, 2),
        (65, 8, 4),
        (30, 8, 8),
        (50, 12, 3),
        (9, 2, 2),
    ] {
        let spacing = i / m;
        let parameters = ExpressParameters {
            interleaved: m,
            ..line(k, i, 1)
        };
        let network = ExpressCube::new(parameters).unwrap().into_network();
        let cube = network.express_cube().unwrap();
        assert_eq!(cube.switches(), (k - 1) / spacing);
        for switch in (k..network.nodes()).map(NodeId) {
            assert!(network.outgoing(switch).len() <= 4, "simplex");
        }
        // Local channels, and one more for each interchange on them.
        let local = |from: u32, to: u32| to - from + to / spacing - from / spacing;
        for from in 0..k {
            for to in from..k {
                let first = (from / spacing + 1) * spacing;
                let expected = if to >= first + i {
                    let express = (to - first) / i;
                    let last = first + express * i;
                    // Onto the express channels, along them, and off to the node at `last`.
                    (first - from) + express + 1 + local(last, to)
                } else {
                    local(from, to)
                };
                assert_eq!(hops(cube, from, to), expected, "{k} {i} {m} {from} {to}");
                for (channel, kind) in route(&network, from, to) {
                    if kind == ExpressChannel::Express(1) {
                        let at = cube.interchange(network.source(channel)).unwrap();
                        assert_eq!(at.boundary % i, first % i, "its own slot");
                    }
                }
            }
        }
    }
}

/// The levels of the channels on a way, 0 for local ones.
fn levels(taken: &[(ChannelId, ExpressChannel)]) -> Vec<u32> {
    let level = |&(_, kind): &(ChannelId, ExpressChannel)| match kind {
        ExpressChannel::Local => Some(0),
        ExpressChannel::Express(level) => Some(level),
        ExpressChannel::Internal => None,
    };
    taken.iter().filter_map(level).collect()
}

#[test]
fn decomposed_interchanges_are_of_level_one() {
    for (k, i, l) in [(64, 2, 4), (81, 3, 3)] {
        for (decomposition, modules) in [
            (Decomposition::LevelOne, [1, 3, 5, 7]),
            (Decomposition::WithoutAscending, [1, 2, 3, 4]),
            (Decomposition::TopOnly, [1, 1, 1, 1]),
        ] {
            let cube = ExpressCube::new(decomposed(k, i, l, decomposition)).unwrap();
            let network = cube.into_network();
            let cube = network.express_cube().unwrap();
            let mut found = BTreeMap::new();
            for switch in (k..network.nodes()).map(NodeId) {
                let at = cube.interchange(switch).unwrap();
                assert_eq!(
                    decomposition.modules(at.level),
                    modules[at.level as usize - 1]
                );
                *found.entry((at.boundary, at.level)).or_insert(0) += 1;
                // Two channels in and two out each way, fewer at the ends of the line.
                for way in [Direction::Up, Direction::Down] {
                    let out = network.outgoing(switch).map(ChannelId);
                    let out = out.filter(|&c| cube.channel(switch, c).unwrap().1 == way);
                    assert!(out.count() <= 2);
                    let into = network.incoming(switch).iter();
                    let into =
                        into.filter(|&&c| cube.channel(network.source(c), c).unwrap().1 == way);
                    assert!(into.count() <= 2);
                }
            }
            for ((_, level), modules) in found {
                assert_eq!(modules, decomposition.modules(level));
            }
        }
    }
}

#[test]
fn level_one_interchanges_add_the_hops_between_them() {
    for (k, i, l) in [(100, 2, 4), (70, 3, 3), (64, 4, 2)] {
        let whole = ExpressCube::new(line(k, i, l)).unwrap().into_network();
        let chain = decomposed(k, i, l, Decomposition::LevelOne);
        let chain = ExpressCube::new(chain).unwrap();
        let cube = whole.express_cube().unwrap();
        for from in 0..k {
            for to in from..k {
                let taken = route(&whole, from, to);
                let levels = levels(&taken);
                let mut expected = taken.len() as u32;
                for (hop, &(channel, _)) in taken.iter().enumerate().skip(1) {
                    if let Some(at) = cube.interchange(whole.source(channel)) {
                        // In at the module of one level, up to that of the other or of level 1 at
                        // least, across unless that is the top, down to it.
                        let (enters, leaves) = (levels[hop - 1].max(1), levels[hop].max(1));
                        let peak = enters.max(leaves);
                        expected += (peak - enters) + (peak - leaves);
                        expected += u32::from(peak < at.level);
                    }
                }
                assert_eq!(hops(&chain, from, to), expected);
            }
        }
    }
}

#[test]
fn no_level_is_skipped_where_ascending_interchanges_are_missing() {
    for (k, i, l) in [(100, 2, 4), (90, 3, 3), (130, 4, 3)] {
        let cube = |decomposition| {
            ExpressCube::new(decomposed(k, i, l, decomposition))
                .unwrap()
                .into_network()
        };
        let down_only = cube(Decomposition::WithoutAscending);
        let top_only = cube(Decomposition::TopOnly);
        let mut highest = 0;
        for from in 0..k {
            for to in 0..k {
                let taken = levels(&route(&down_only, from, to));
                let up_by_one = |pair: &[u32]| pair[1] <= pair[0] + 1;
                assert!(taken.windows(2).all(up_by_one), "{from} {to} {taken:?}");
                let taken = levels(&route(&top_only, from, to));
                let by_one = |pair: &[u32]| pair[1].abs_diff(pair[0]) <= 1;
                assert!(taken.windows(2).all(by_one), "{from} {to} {taken:?}");
                highest = highest.max(taken.into_iter().max().unwrap_or(0));
            }
        }
        assert!(highest > 1);
    }
}

#[test]
fn without_descending_interchanges_lower_levels_pass_the_boundary_by() {
    // i = 2, l = 3: boundaries 2, 6, 10, 14 of level 1; 4, 12 of level 2; 8 of level 3.
    let parameters = decomposed(16, 2, 3, Decomposition::TopOnly);
    let network = ExpressCube::new(parameters).unwrap().into_network();
    let cube = network.express_cube().unwrap();
    let place = |router: NodeId| match cube.interchange(router) {
        Some(at) => (true, at.boundary),
        None => (false, router.0),
    };
    let mut found = BTreeMap::new();
    for channel in (0..network.channels()).map(ChannelId) {
        let source = network.source(channel);
        let (kind, way) = cube.channel(source, channel).unwrap();
        if way == Direction::Up {
            let (from, to) = (place(source), place(network.target(channel)));
            found.entry(kind).or_insert_with(Vec::new).push((from, to));
        }
    }
    let stops = |stops: &[u32]| -> Vec<_> {
        stops
            .windows(2)
            .map(|s| ((true, s[0]), (true, s[1])))
            .collect()
    };
    let sorted = |kind| {
        let mut list: Vec<_> = found[&kind].clone();
        list.sort_unstable();
        list
    };
    assert_eq!(
        sorted(ExpressChannel::Express(1)),
        stops(&[2, 4, 6, 10, 12, 14])
    );
    assert_eq!(sorted(ExpressChannel::Express(2)), stops(&[4, 8, 12]));
    assert!(!found.contains_key(&ExpressChannel::Express(3)));
    for (from, to) in [(3, 4), (7, 8), (11, 12), (0, 1)] {
        assert!(sorted(ExpressChannel::Local).contains(&((false, from), (false, to))));
    }
    for node in [2, 6, 10, 14] {
        assert!(sorted(ExpressChannel::Local).contains(&((false, node - 1), (true, node))));
    }
}

#[test]
fn the_worked_example_of_equations_6_and_7() {
    let printed: Vec<f64> = (0..4).map(|j| level_share_printed(64, 2, 3, j)).collect();
    assert_eq!(printed, [0.0625, 0.125, 0.25, 0.5625]);
    let shares: Vec<f64> = (0..4).map(|j| level_share(64, 2, 3, j)).collect();
    assert_eq!(shares, [0.0625, 0.0625, 0.125, 0.75]);
}

#[test]
fn an_interval_of_the_line_alone_is_a_mesh_where_other_lines_are_longer() {
    let parameters = ExpressParameters {
        radices: vec![9, 4],
        ..line(9, 4, 1)
    };
    let network = ExpressCube::new(parameters).unwrap().into_network();
    let cube = network.express_cube().unwrap();
    assert_eq!(cube.switches(), 4 * 2);
    let mesh = Grid::new(&[9, 4], Ends::Open).unwrap().into_network();
    let extra = 2 * (4 * 2 + 4);
    assert_eq!(network.channels(), mesh.channels() + extra);
    assert!(two_colouring(&mesh).is_some());
}

fn error(parameters: ExpressParameters) -> TopologyError {
    ExpressCube::new(parameters).unwrap_err()
}

#[test]
fn broken_conditions_are_refused_with_the_nearest_legal_value() {
    let is = |parameters, expected| assert_eq!(error(parameters), TopologyError::Express(expected));
    is(line(2, 2, 1), ExpressError::NoRoom { widest: 2 });
    for interval in [0, 1, 16, 100] {
        is(
            line(16, interval, 1),
            ExpressError::Interval { interval, high: 15 },
        );
    }
    for levels in [0, 17, u32::MAX] {
        is(
            line(16, 4, levels),
            ExpressError::Levels { levels, high: 16 },
        );
    }
    for (interleaved, nearest) in [(0, 1), (5, 4), (8, 6), (13, 12), (u32::MAX, 12)] {
        let parameters = ExpressParameters {
            interleaved,
            ..line(64, 12, 1)
        };
        is(
            parameters,
            ExpressError::Interleaved {
                interleaved,
                interval: 12,
                nearest,
            },
        );
    }
    is(
        ExpressParameters {
            interleaved: 2,
            ..line(64, 4, 2)
        },
        ExpressError::InterleavedLevels { levels: 2 },
    );
    let channels = |channels: &[u32]| ExpressParameters {
        channels_per_level: channels.to_vec(),
        ..line(64, 4, 2)
    };
    let counted = |given| ExpressError::LevelCount { given, wanted: 3 };
    is(channels(&[1, 2]), counted(2));
    is(channels(&[1, 2, 2, 2]), counted(4));
    let parallel = |level, channels| ExpressError::Parallel {
        level,
        channels,
        high: 64,
    };
    is(channels(&[1, 0, 1]), parallel(1, 0));
    is(channels(&[65, 1, 1]), parallel(0, 65));
    is(
        ExpressParameters {
            decomposition: Decomposition::TopOnly,
            ..channels(&[1, 1, 2])
        },
        ExpressError::ParallelDecomposed {
            level: 2,
            channels: 2,
        },
    );
}

#[test]
fn sizes_that_do_not_fit_are_refused() {
    assert_eq!(
        error(ExpressParameters::new(4, 0, 2, 1)),
        TopologyError::NoDimensions
    );
    assert!(matches!(
        error(line(1, 2, 1)),
        TopologyError::RadixTooSmall { radix: 1, .. }
    ));
    assert!(matches!(
        error(line(65_536, 2, 1)),
        TopologyError::RadixTooLarge { limit: 65_535, .. }
    ));
    for parameters in [
        ExpressParameters::new(4096, 2, 2, 3),
        ExpressParameters::new(65_535, 3, 2, 1),
        ExpressParameters::new(4, u32::MAX, 2, 1),
        ExpressParameters {
            channels_per_level: vec![1, 64],
            ..ExpressParameters::new(1024, 2, 2, 1)
        },
    ] {
        assert!(matches!(error(parameters), TopologyError::TooLarge { .. }));
    }
}

#[test]
fn the_longest_line_and_a_large_square_are_built() {
    let cube = ExpressCube::new(line(65_535, 2, 16)).unwrap();
    assert_eq!(hops(&cube, 0, 65_534), line_hops(2, 16, 0, 65_534));
    let network = ExpressCube::new(ExpressParameters::new(256, 2, 4, 3))
        .unwrap()
        .into_network();
    assert_eq!(network.terminals(), 65_536);
    assert_eq!(network.nodes(), 65_536 + 2 * 256 * 63);
}
