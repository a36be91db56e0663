//! Express cubes counted: shares of levels, capacities, decompositions, interchanges of several
//! dimensions, modules.

use super::super::table::{Table, row};
use super::formula::{Computed, Failure, Formula, Parameters};
use flitsim_engine::EngineConfig;
use flitsim_engine::routing::Express;
use flitsim_measure::alone::alone;
use flitsim_models::express_cube::{hops, shares};
use flitsim_topology::express::{Decomposition, ExpressChannel, Interchanges, ModuleWidths};
use flitsim_topology::properties::{grid_bisection_channels, grid_distances};
use flitsim_topology::{Direction, Ends, ExpressCube, ExpressParameters, Grid, Network, NodeId};

/// The tables by name.
pub const TABLES: &[(&str, Formula)] = &[
    ("shares", level_shares),
    ("capacity", capacity),
    ("interchanges", interchanges),
    ("dimensions", dimensions),
    ("pairs", pairs),
    ("modules", modules),
];

/// What each level carries of the traffic that leaves the interchange in the middle: as printed, as
/// in the worked example, true, and by lone packets from every node to every other; and the channels
/// that the example's shares ask for.
fn level_shares(parameters: &Parameters) -> Computed {
    let radix = parameters.whole("radix")?;
    let interval = parameters.whole("interval")?;
    let levels = parameters.whole("levels")?;
    let channels = parameters.whole("channels")?;
    let (k, i) = (u64::from(radix), u64::from(interval));
    let of = ExpressParameters::new(radix, 1, interval, levels);
    let network = ExpressCube::new(of)?.into_network();
    let simulated = simulated_shares(&network, radix, levels)?;
    let printed = shares::printed(k, i, levels)?;
    let example = shares::of_example(k, i, levels)?;
    let truly = shares::share(k, i, levels)?;
    let loads = shares::busiest_loads(k, i, levels)?;
    let allocated = shares::allocate(&example, channels)?;
    let mut table = Table::default();
    for level in 0..=levels as usize {
        row! { table;
            "level" => level,
            "printed" => printed[level],
            "example" => example[level],
            "true" => truly[level],
            "simulated" => simulated[level],
            "busiest load" => loads[level],
            "channels" => allocated[level],
        }
    }
    Ok(table)
}

/// The flits that leave the middle interchange upward by each level, over all of them, when every
/// node sends one to every other.
fn simulated_shares(network: &Network, radix: u32, levels: u32) -> Result<Vec<f64>, Failure> {
    let cube = network.express_cube().expect("it is one");
    let config = EngineConfig::default();
    let routing = Express::new(cube, config.virtual_channels)?;
    let all = (0..radix).flat_map(|from| (0..radix).map(move |to| (from, to)));
    let all: Vec<_> = all.filter(|(from, to)| from != to).collect();
    let sent = alone(network, routing.into(), config, 1, &all)?.sent;
    let is_middle = |&node: &NodeId| {
        cube.interchange(node)
            .is_some_and(|switch| switch.boundary == radix / 2)
    };
    let switch = (radix..network.nodes()).map(NodeId).find(is_middle);
    let mut counts = vec![0u64; levels as usize + 1];
    for channel in sent.into_iter().map(|flit| flit.channel) {
        let from = network.source(channel);
        match cube.channel(from, channel).filter(|_| switch == Some(from)) {
            Some((ExpressChannel::Local, Direction::Up)) => counts[0] += 1,
            Some((ExpressChannel::Express(level), Direction::Up)) => counts[level as usize] += 1,
            _ => {}
        }
    }
    let sum = counts.iter().sum::<u64>() as f64;
    Ok(counts.into_iter().map(|count| count as f64 / sum).collect())
}

/// What channels can carry of uniform traffic, and how many are cut, for m express channels; the line
/// without any is m = 0.
fn capacity(parameters: &Parameters) -> Computed {
    let radix = parameters.whole("radix")?;
    let interval = parameters.whole("interval")?;
    let grid = Grid::uniform(radix, 1, Ends::Open)?;
    let plain_cut = grid_bisection_channels(&grid).map_or(f64::NAN, |cut| cut as f64);
    // k/4 flits cross the middle each way at a flit a node.
    let plain = 4.0 / f64::from(radix);
    let mut table = Table::default();
    let plain_hops = grid_distances(&grid).mean_with_self;
    for m in 0..=16u32 {
        let (cut, carried, mean) = if m == 0 {
            (plain_cut, plain, plain_hops)
        } else {
            let cube = ExpressCube::new(ExpressParameters {
                channels_per_level: vec![1, m],
                ..ExpressParameters::new(radix, 1, interval, 1)
            })?;
            let cut = cube.bisection_channels().map_or(f64::NAN, |cut| cut as f64);
            let carried = shares::capacity_flits_per_node(radix.into(), interval.into(), &[1, m]);
            (cut, carried?, cube.route_distances().mean_with_self)
        };
        row! { table;
            "m" => m,
            "bisection" => cut,
            "bisection over plain" => cut / plain_cut,
            "capacity" => carried,
            "capacity over plain" => carried / plain,
            "hops" => mean,
            "hops plain" => plain_hops,
        }
    }
    Ok(table)
}

/// Figure 5: interchanges of a line of 64 nodes, i = 2, l = 3, by what they are made of.
fn interchanges(_: &Parameters) -> Computed {
    let mut table = Table::default();
    for (name, decomposition) in [
        ("one module", Decomposition::Module),
        ("level-one interchanges", Decomposition::LevelOne),
        ("without ascending ones", Decomposition::WithoutAscending),
        ("top only", Decomposition::TopOnly),
    ] {
        let cube = ExpressCube::new(ExpressParameters {
            decomposition,
            ..ExpressParameters::new(64, 1, 2, 3)
        })?;
        let distances = cube.route_distances();
        let network = cube.into_network();
        let cube = network.express_cube().expect("it is one");
        let channels = channels_between(&network);
        for level in 1..=3u32 {
            let of_level =
                |&node: &NodeId| cube.interchange(node).is_some_and(|s| s.level == level);
            let switches: Vec<NodeId> =
                (64..network.nodes()).map(NodeId).filter(of_level).collect();
            let boundary = |&node: &NodeId| cube.interchange(node).map(|s| s.boundary);
            // Away from the ends, where levels have all of their channels.
            let middle = switches
                .iter()
                .filter_map(boundary)
                .min_by_key(|b| b.abs_diff(32));
            let in_middle = switches.iter().filter(|node| boundary(node) == middle);
            let ways = in_middle
                .clone()
                .map(|&node| network.outgoing(node).len())
                .max();
            row! { table;
                "made of" => name,
                "level" => level,
                "modules" => in_middle.count(),
                "ways out each way" => ways.map(|ways| ways as f64 / 2.0),
                "hops" => distances.mean_without_self,
                "hops most" => distances.diameter,
                "channels" => channels,
            }
        }
    }
    Ok(table)
}

/// The channels on the way from a node to another in the mean, those within an interchange left out.
fn channels_between(network: &Network) -> f64 {
    let cube = network.express_cube().expect("it is one");
    let nodes = network.terminals();
    let mut channels = 0_u32;
    for (from, to) in (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to))) {
        let mut at = NodeId(from);
        while let Some(way) = cube.way(at, NodeId(to)) {
            let kind = cube.channel(at, way.first).map(|(kind, _)| kind);
            channels += u32::from(kind != Some(ExpressChannel::Internal));
            at = network.target(way.first);
        }
    }
    f64::from(channels) / f64::from(nodes * (nodes - 1))
}

/// Figure 6: hops in two dimensions, interchanges apart for each dimension or of both.
fn dimensions(_: &Parameters) -> Computed {
    let mut table = Table::default();
    let line = hops::mean_of_line(32, 4, 1)?;
    for (name, kind) in [
        ("separate", Interchanges::Separate),
        ("interleaved", Interchanges::Interleaved),
    ] {
        let cube = ExpressCube::new(ExpressParameters {
            interchanges: kind,
            ..ExpressParameters::new(32, 2, 4, 1)
        })?;
        let distances = cube.route_distances();
        let network = cube.into_network();
        let switches = (32 * 32..network.nodes()).map(NodeId);
        let ways = switches.map(|node| network.outgoing(node).len()).max();
        row! { table;
            "interchanges" => name,
            "hops" => distances.mean_with_self,
            "hops along one dimension" => line,
            "diameter" => distances.diameter,
            "ways out most" => ways,
        }
    }
    Ok(table)
}

/// All pairs of a line of 64 nodes, by i and l: how many have other hops than the digit formulas as
/// printed and as corrected, how many pass their destination, and at how many interchanges on the way
/// the comparison of the high address bits decides otherwise (one level).
fn pairs(_: &Parameters) -> Computed {
    const RADIX: u32 = 64;
    let mut table = Table::default();
    for (interval, levels) in [(4u32, 1u32), (2, 3), (4, 2), (8, 1)] {
        let parameters = ExpressParameters::new(RADIX, 1, interval, levels);
        let network = ExpressCube::new(parameters)?.into_network();
        let cube = network.express_cube().expect("it is one");
        let place = |node: NodeId| cube.interchange(node).map_or(node.0, |s| s.boundary);
        let [mut count, mut printed, mut corrected, mut passed, mut bits] = [0u32; 5];
        for from in 0..RADIX {
            for to in from + 1..RADIX {
                let (s, d, i) = (u64::from(from), u64::from(to), u64::from(interval));
                let true_hops = u64::from(cube.hops(NodeId(from), NodeId(to)));
                count += 1;
                printed += u32::from(hops::by_digits_printed(s, d, i, levels)? != true_hops);
                corrected += u32::from(hops::between(s, d, i, levels)? != true_hops);
                let mut at = NodeId(from);
                while let Some(way) = cube.way(at, NodeId(to)) {
                    if cube.interchange(at).is_some() && levels == 1 {
                        let kind = cube.channel(at, way.first).map(|(kind, _)| kind);
                        let is_local = kind == Some(ExpressChannel::Local);
                        let shift = interval.ilog2();
                        bits += u32::from(is_local != (place(at) >> shift == to >> shift));
                    }
                    at = network.target(way.first);
                    passed += u32::from(place(at) > to);
                }
            }
        }
        row! { table;
            "i" => interval,
            "l" => levels,
            "pairs" => count,
            "printed differs" => printed,
            "corrected differs" => corrected,
            "passed" => passed,
            "bits differ" => bits,
        }
    }
    Ok(table)
}

/// Figure 7: bits across every place of a line of 64 nodes in modules of 16, with narrow channels
/// between modules and more of the traffic on express channels there.
fn modules(_: &Parameters) -> Computed {
    let cube = ExpressCube::new(ExpressParameters {
        widths: Some(ModuleWidths {
            nodes: 16,
            inside_bits: vec![32, 32],
            across_bits: vec![8, 16],
        }),
        ..ExpressParameters::new(64, 1, 4, 1)
    })?;
    let mut table = Table::default();
    for (place, bits) in (1_u32..).zip(cube.line_density_bits(0).unwrap_or_default()) {
        let kind = if place.is_multiple_of(16) {
            "between modules"
        } else {
            "within"
        };
        row!(table; "position" => place, "bits" => bits, "boundary" => kind);
    }
    Ok(table)
}
