//! Express cubes against the paper's definitions, equations and figures.

use crate::express_lines;
use crate::refusals::check;

use express_lines::{hops, line, route};
use flitsim_topology::express::{
    Decomposition, ExpressChannel, Interchange, level_share, level_share_printed, line_hops,
};
use flitsim_topology::properties::{distances, is_strongly_connected};
use flitsim_topology::{
    ChannelId, Direction, Ends, ExpressCube, ExpressParameters, Grid, NodeId, TopologyError,
};
use std::collections::{BTreeMap, BTreeSet};

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
}

#[test]
fn a_series_on_a_very_long_line_does_not_wait_for_its_distances() {
    let of = |radix| {
        ExpressCube::new(line(radix, 4, 1))
            .unwrap()
            .into_network()
            .route_distances()
    };
    assert!(of(8_192).is_some());
    // The square of this is minutes.
    assert_eq!(of(65_535), None);
}

#[test]
fn distances_under_the_rule_are_those_of_all_pairs() {
    for (radices, i, l) in [(vec![20, 9], 2, 3), (vec![40], 4, 2), (vec![5, 7, 4], 3, 1)] {
        let parameters = ExpressParameters {
            radices,
            ..line(0, i, l)
        };
        let network = ExpressCube::new(parameters).unwrap().into_network();
        let cube = network.express_cube().unwrap();
        let nodes = || (0..network.terminals()).map(NodeId);
        let all = nodes().flat_map(|from| nodes().map(move |to| cube.hops(from, to)));
        let (most, sum) = all.fold((0, 0.0), |(most, sum), hops| {
            (hops.max(most), sum + f64::from(hops))
        });
        let found = cube.route_distances();
        let n = f64::from(network.terminals());
        assert_eq!(found.diameter, most);
        assert!((found.mean_with_self - sum / (n * n)).abs() < 1e-9);
        assert!((found.mean_without_self - sum / (n * (n - 1.0))).abs() < 1e-9);
        // The graph has shorter ways, past the destination and back.
        let shortest = distances(&network).unwrap();
        assert!(shortest.mean_with_self < found.mean_with_self);
    }
}

fn error(parameters: ExpressParameters) -> TopologyError {
    ExpressCube::new(parameters).unwrap_err()
}

#[test]
fn broken_conditions_are_refused_with_the_nearest_legal_value() {
    let is = |parameters, key: &str, message: &str, remedy: &str| {
        check(&error(parameters), key, message, remedy);
    };
    is(line(2, 2, 1), "radix", "the largest is 2", "`radix = 3`");
    for (interval, nearest) in [(0, 2), (1, 2), (16, 15), (100, 15)] {
        let remedy = format!("`interval = {nearest}`");
        is(line(16, interval, 1), "interval", "from 2 to 15", &remedy);
    }
    for (levels, nearest) in [(0, 1), (17, 16), (u32::MAX, 16)] {
        let remedy = format!("`levels = {nearest}`");
        is(line(16, 4, levels), "levels", "from 1 to 16", &remedy);
    }
    for (interleaved, nearest) in [(0, 1), (5, 4), (8, 6), (13, 12), (u32::MAX, 12)] {
        let parameters = ExpressParameters {
            interleaved,
            ..line(64, 12, 1)
        };
        let remedy = format!("`interleaved = {nearest}`");
        is(parameters, "interleaved", "the interval 12 evenly", &remedy);
    }
    let several_levels = ExpressParameters {
        interleaved: 2,
        ..line(64, 4, 2)
    };
    is(
        several_levels,
        "levels",
        "1 level, not 2",
        "`interleaved = 1`",
    );
    let channels = |channels: &[u32]| ExpressParameters {
        channels_per_level: channels.to_vec(),
        ..line(64, 4, 2)
    };
    let key = "channels_per_level";
    is(
        channels(&[1, 2]),
        key,
        "2 numbers; it must have 3",
        "[1, 1, 1]",
    );
    is(
        channels(&[1, 2, 2, 2]),
        key,
        "4 numbers; it must have 3",
        "[1, 1, 1]",
    );
    is(
        channels(&[1, 0, 1]),
        key,
        "level 1 has 0 channels",
        "1 channels",
    );
    is(
        channels(&[65, 1, 1]),
        key,
        "level 0 has 65 channels",
        "64 channels",
    );
    let decomposed = ExpressParameters {
        decomposition: Decomposition::TopOnly,
        ..channels(&[1, 1, 2])
    };
    is(
        decomposed,
        key,
        "level 2 has 2 channels",
        "1 for each level",
    );
}

#[test]
fn sizes_that_do_not_fit_are_refused() {
    let is = |parameters, message: &str| check(&error(parameters), "radix", message, "radix");
    is(ExpressParameters::new(4, 0, 2, 1), "at least one dimension");
    is(line(1, 2, 1), "dimension 0 is 1; it must be at least 2");
    is(line(65_536, 2, 1), "must be at most 65535");
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
