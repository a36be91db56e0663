//! Express cubes whose interchanges are interleaved (the paper's figure 6 (b)), and channel widths
//! that change at module boundaries (figure 7).

use crate::refusals::check;
use flitsim_topology::express::{Decomposition, Interchanges, ModuleWidths, line_hops};
use flitsim_topology::file::{parse_csv, write_csv};
use flitsim_topology::properties::is_strongly_connected;
use flitsim_topology::{ChannelId, ExpressCube, ExpressParameters, Network, NodeId};

fn cube(radices: &[u32], i: u32, l: u32, interchanges: Interchanges) -> ExpressParameters {
    ExpressParameters {
        radices: radices.to_vec(),
        interchanges,
        ..ExpressParameters::new(3, 1, i, l)
    }
}

fn build(parameters: &ExpressParameters) -> Network {
    let cube = ExpressCube::new(parameters.clone()).unwrap();
    cube.into_network()
}

/// Each as it is with interleaved interchanges.
fn variants() -> Vec<ExpressParameters> {
    let interleaved = |radices, i, l| cube(radices, i, l, Interchanges::Interleaved);
    vec![
        interleaved(&[9, 9], 2, 1),
        interleaved(&[17, 9], 2, 3),
        interleaved(&[13, 13], 4, 1),
        interleaved(&[5, 6, 7], 2, 2),
        interleaved(&[12], 3, 2),
        interleaved(&[9, 3], 4, 1),
        ExpressParameters {
            channels_per_level: vec![2, 1, 3],
            ..interleaved(&[9, 8], 2, 2)
        },
        ExpressParameters {
            interleaved: 2,
            ..interleaved(&[12, 11], 4, 1)
        },
    ]
}

fn separate(parameters: &ExpressParameters) -> ExpressParameters {
    ExpressParameters {
        interchanges: Interchanges::Separate,
        ..parameters.clone()
    }
}

/// The routers on the way between two nodes by the rule.
fn route(network: &Network, from: NodeId, to: NodeId) -> Vec<NodeId> {
    let cube = network.express_cube().unwrap();
    let mut routers = vec![from];
    let mut at = from;
    while let Some(way) = cube.way(at, to) {
        assert_eq!(network.source(way.first), at);
        let (_, last) = (way.first, ChannelId(way.first.0 + way.channels - 1));
        assert_eq!(network.target(last), network.target(way.first));
        at = network.target(way.first);
        routers.push(at);
        assert!(routers.len() <= network.nodes() as usize, "an endless way");
    }
    assert_eq!(at, to);
    routers
}

#[test]
fn routes_are_those_of_separate_interchanges_or_shorter() {
    for parameters in variants() {
        let network = build(&parameters);
        let other = build(&separate(&parameters));
        let (cube, apart) = (network.express_cube(), other.express_cube());
        let (cube, apart) = (cube.unwrap(), apart.unwrap());
        assert!(is_strongly_connected(&network));
        let (mut most, mut sum, mut saved) = (0, 0, 0);
        for from in (0..network.terminals()).map(NodeId) {
            for to in (0..network.terminals()).map(NodeId) {
                let hops = route(&network, from, to).len() as u32 - 1;
                assert_eq!(hops, cube.hops(from, to), "{parameters:?} {from} {to}");
                assert!(hops <= apart.hops(from, to), "{parameters:?} {from} {to}");
                saved += apart.hops(from, to) - hops;
                most = most.max(hops);
                sum += hops;
            }
        }
        let turns = cube.dimensions() > 1 && cube.crossings() > 0;
        assert_eq!(saved > 0, turns, "{parameters:?}");
        // The closed form counts the same.
        let found = cube.route_distances();
        let nodes = f64::from(network.terminals());
        assert_eq!(found.diameter, most);
        let mean = f64::from(sum) / nodes;
        assert!((found.mean_with_self - mean / nodes).abs() < 1e-9);
        assert!((found.mean_without_self - mean / (nodes - 1.0)).abs() < 1e-9);
    }
}

#[test]
fn a_turn_saves_the_way_down_to_the_node_and_up_again() {
    // Hierarchical interchanges, in closed form: a turn from below at a boundary in all coordinates
    // saves two hops downward; upward, what lies between the node and the next boundary too.
    let (i, l) = (2, 3);
    let network = build(&cube(&[17, 17], i, l, Interchanges::Interleaved));
    let found = network.express_cube().unwrap();
    let node = |x, y| found.node_at(&[x, y]);
    let boundary = |a: u32| a != 0 && a.is_multiple_of(i);
    for (x, y) in (0..17).flat_map(|x| (0..17).map(move |y| (x, y))) {
        for (to_x, to_y) in (0..17).flat_map(|x| (0..17).map(move |y| (x, y))) {
            let apart = line_hops(i, l, x, to_x) + line_hops(i, l, y, to_y);
            let turns = to_x > x && boundary(to_x) && boundary(y) && to_y != y;
            let saved = if !turns {
                0
            } else if to_y < y {
                2
            } else {
                // From the interchange it is a hop less than from the node below it.
                2 + line_hops(i, l, y, to_y) - line_hops(i, l, y - 1, to_y)
            };
            let hops = found.hops(node(x, y), node(to_x, to_y));
            assert_eq!(hops, apart - saved, "({x}, {y}) to ({to_x}, {to_y})");
        }
    }
    // An example: up four columns, and up eight rows on channels of level 3 at once.
    let (from, to) = (node(4, 8), node(8, 16));
    let ways = route(&network, from, to);
    let at = |router: NodeId| found.interchange(router).map(|at| at.node);
    let crossing = ways.iter().position(|&r| at(r) == Some(node(8, 8)));
    let crossing = crossing.expect("it turns at an interchange");
    assert_eq!(at(ways[crossing + 1]), Some(node(8, 16)));
    assert!(!ways.contains(&node(8, 8)));
}

#[test]
fn interchanges_are_one_where_all_coordinates_are_boundaries() {
    for parameters in variants() {
        let network = build(&parameters);
        let other = build(&separate(&parameters));
        let found = network.express_cube().unwrap();
        // So many boundaries in each dimension.
        let spacing = parameters.interval / parameters.interleaved;
        let boundaries = parameters.radices.iter().map(|k| (k - 1) / spacing);
        let crossings: u32 = boundaries.product();
        let n = found.dimensions() as u32;
        assert_eq!(found.crossings(), crossings);
        assert_eq!(network.nodes() + (n - 1) * crossings, other.nodes());
        assert_eq!(network.channels(), other.channels());
        assert_eq!(other.express_cube().unwrap().crossings(), 0);
        for node in (0..network.terminals()).map(NodeId) {
            let degree = network.outgoing(node).len();
            assert_eq!(degree, other.outgoing(node).len(), "nodes stay as they are");
        }
        let first = network.nodes() - crossings;
        for switch in (network.terminals()..network.nodes()).map(NodeId) {
            let at = found.interchange(switch).unwrap();
            let is_boundary = |&a: &u16| a != 0 && u32::from(a).is_multiple_of(spacing);
            let is_crossing = found.coordinates(at.node).iter().all(is_boundary);
            assert_eq!(switch.0 >= first, is_crossing, "{parameters:?} {switch}");
            // Each dimension's way down to the node, as wide as its local channels.
            let to_node = |&c: &u32| network.target(ChannelId(c)) == at.node;
            let local = parameters.channels_per_level.first().unwrap_or(&1);
            let ways = network.outgoing(switch).filter(to_node).count() as u32;
            assert_eq!(ways, if is_crossing { n * local } else { *local });
            for channel in network.outgoing(switch).map(ChannelId) {
                assert!(found.channel(switch, channel).is_some());
            }
        }
        assert_eq!(found.interchange(NodeId(network.nodes())), None);
    }
}

#[test]
fn the_cut_through_the_middle_stays_as_wide() {
    for parameters in variants() {
        let found = ExpressCube::new(parameters.clone()).unwrap();
        let apart = ExpressCube::new(separate(&parameters)).unwrap();
        assert_eq!(found.bisection_channels(), apart.bisection_channels());
    }
}

#[test]
fn interleaved_interchanges_are_whole_modules() {
    for decomposition in [
        Decomposition::LevelOne,
        Decomposition::WithoutAscending,
        Decomposition::TopOnly,
    ] {
        let parameters = ExpressParameters {
            decomposition,
            ..cube(&[9, 9], 2, 2, Interchanges::Interleaved)
        };
        let refused = ExpressCube::new(parameters).unwrap_err();
        let remedy = "`decomposition = \"module\"`";
        check(&refused, "decomposition", "whole modules", remedy);
    }
}

/// Modules of 4 nodes, interchanges every 2, two levels.
fn modules(interchanges: Interchanges) -> ExpressParameters {
    ExpressParameters {
        widths: Some(ModuleWidths {
            nodes: 4,
            inside_bits: vec![32, 16, 8],
            across_bits: vec![9, 5, 7],
        }),
        ..cube(&[12, 8], 2, 2, interchanges)
    }
}

#[test]
fn widths_change_at_the_interchanges_between_modules() {
    for interchanges in [Interchanges::Separate, Interchanges::Interleaved] {
        let network = build(&modules(interchanges));
        let found = network.express_cube().unwrap();
        let widths = network.annotations().unwrap().width_bits.as_ref().unwrap();
        let module = |router: NodeId| {
            let node = found.interchange(router).map_or(router, |at| at.node);
            [0, 1].map(|i| found.coordinate(node, i) / 4)
        };
        let mut seen = [[false; 2]; 3];
        for channel in (0..network.channels()).map(ChannelId) {
            let ends = [network.source(channel), network.target(channel)];
            let across = module(ends[0]) != module(ends[1]);
            let level = match network.length_pitches(channel) {
                2.0 => 1,
                4.0 => 2,
                _ => 0,
            };
            let bits = [[32, 16, 8], [9, 5, 7]][usize::from(across)][level];
            assert_eq!(widths[channel.index()], bits);
            seen[level][usize::from(across)] = true;
        }
        // Channels of level 2 go from one module to the next; all else is of both kinds.
        assert_eq!(seen, [[true, true], [true, true], [false, true]]);
        // Files keep the widths.
        let mut text = Vec::new();
        write_csv(&network, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let again = parse_csv(
            flitsim_topology::file::Source {
                file: "a.csv",
                text: &text,
            },
            None,
        );
        let again = again.unwrap();
        let kept = again.annotations().unwrap().width_bits.as_ref();
        assert_eq!(kept, Some(widths));
    }
}

#[test]
fn wire_density_counts_bits() {
    let found = ExpressCube::new(modules(Interchanges::Separate)).unwrap();
    // In a row of 12 nodes: boundaries 2, 6, 10 of level 1, 4 and 8 of level 2; modules begin at 4
    // and 8. Between the boundaries at 4 and 8 all levels run, two ways each.
    let row = found.line_density_bits(0).unwrap();
    let both = |bits: [u64; 3]| 2 * bits.iter().sum::<u64>();
    assert_eq!(row[0], both([32, 0, 0]), "local channels alone below 2");
    assert_eq!(row[2], both([32, 5, 0]), "level 1 from 2 to 4, across");
    assert_eq!(row[3], both([9, 5, 0]), "into the module at 4");
    assert_eq!(row[4], both([32, 16, 7]), "within it");
    assert_eq!(row[7], both([9, 5, 7]), "into the module at 8");
    assert_eq!(row[10], both([32, 0, 0]));
    assert_eq!(row.len(), 11);
    let plain = ExpressCube::new(cube(&[12, 8], 2, 2, Interchanges::Separate)).unwrap();
    assert_eq!(plain.line_density_bits(0), None);
    assert!(plain.into_network().annotations().is_none());
}

#[test]
fn widths_that_make_no_sense_are_refused() {
    let refused = |change: &dyn Fn(&mut ExpressParameters)| {
        let mut parameters = modules(Interchanges::Separate);
        change(&mut parameters);
        ExpressCube::new(parameters).unwrap_err()
    };
    for (nodes, nearest) in [(0, 2), (3, 2), (12, 10), (100, 10)] {
        let error = refused(&|p| p.widths.as_mut().unwrap().nodes = nodes);
        let remedy = format!("`module_nodes = {nearest}`");
        check(&error, "module_nodes", "a multiple of 2", &remedy);
    }
    let error = refused(&|p| p.widths.as_mut().unwrap().across_bits = vec![1, 2]);
    let message = "of 3 widths across modules";
    check(&error, "across_width_bits", message, "[32, 32, 32]");
    let error = refused(&|p| p.widths.as_mut().unwrap().inside_bits[1] = 0);
    check(
        &error,
        "inside_width_bits",
        "is 0 bits wide",
        "1 bits there",
    );
    let error = refused(&|p| p.decomposition = Decomposition::LevelOne);
    check(&error, "decomposition", "widths that change", "no widths");
}

#[test]
fn mixed_radices_take_the_papers_allocation_of_channels() {
    // 1, 1, 2 and 4 channels of the levels 0 to 3, section III-E, in two dimensions of other radices.
    let parameters = ExpressParameters {
        channels_per_level: vec![1, 1, 2, 4],
        ..cube(&[64, 20], 2, 3, Interchanges::Separate)
    };
    for interchanges in [Interchanges::Separate, Interchanges::Interleaved] {
        let network = build(&ExpressParameters {
            interchanges,
            ..parameters.clone()
        });
        let found = network.express_cube().unwrap();
        // Across the middle of 64 nodes a line has 1 + 1 + 2 + 4 channels each way.
        assert_eq!(found.bisection_channels(), Some(20 * 2 * 8));
        // Level 3 has boundaries at 8 and 16 of 20: one express way between them.
        let of_column = |(a, b): (u32, u32)| 2 * a * b;
        let local = of_column((1, 19 + 9));
        let express = of_column((1, 9 - 1)) + of_column((2, 4 - 1)) + of_column((4, 2 - 1));
        let row = 2 * (63 + 31) + 2 * 30 + 2 * 2 * 14 + 2 * 4 * 6;
        assert_eq!(network.channels(), 64 * (local + express) + 20 * row);
    }
}
