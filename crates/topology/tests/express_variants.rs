//! Express cubes with parallel and interleaved channels (the paper's figure 2), and with interchanges
//! made of level-one interchanges (figure 5).

use crate::express_lines;

use express_lines::{decomposed, hops, line, route};
use flitsim_topology::express::{Decomposition, ExpressChannel};
use flitsim_topology::properties::is_strongly_connected;
use flitsim_topology::{ChannelId, Direction, ExpressCube, ExpressParameters, Network, NodeId};
use std::collections::{BTreeMap, VecDeque};

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

#[test]
fn every_small_line_serves_every_pair() {
    for (k, i, l) in (3..40).flat_map(|k| (2..k.min(6)).map(move |i| (k, i, 1 + (k + i) % 5))) {
        let whole = ExpressCube::new(line(k, i, l)).unwrap();
        for decomposition in [
            Decomposition::LevelOne,
            Decomposition::WithoutAscending,
            Decomposition::TopOnly,
        ] {
            let cube = ExpressCube::new(decomposed(k, i, l, decomposition)).unwrap();
            for (from, to) in (0..k).flat_map(|from| (0..k).map(move |to| (from, to))) {
                let taken = hops(&cube, from, to);
                let at_best = hops(&whole, from, to);
                // Levels that pass a boundary by save the hop through its interchange.
                assert!(taken >= at_best || decomposition == Decomposition::TopOnly);
                assert!(taken <= 9 * at_best, "{k} {i} {l} {from} {to}");
            }
        }
        for m in (2..=i).filter(|m| i % m == 0) {
            let cube = ExpressCube::new(ExpressParameters {
                interleaved: m,
                ..line(k, i, 1)
            });
            let found = cube.unwrap().route_distances();
            assert!(found.diameter < 2 * k);
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
                    let into = network.incoming(switch);
                    let into = into.iter();
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
