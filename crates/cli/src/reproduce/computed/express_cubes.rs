//! Dally, "Express cubes": tables of its equations, figure 4 by formula and by lone packets, and
//! what is counted on the networks.

use super::super::table::{KIND, MODEL, SIMULATED, Table, row};
use super::formula::{Computed, Failure, Formula, Parameters};
use flitsim_engine::routing::{DimensionOrder, Express, Tie};
use flitsim_engine::{ChannelDelay, EngineConfig};
use flitsim_measure::alone::alone;
use flitsim_models::ModelError;
use flitsim_models::express_cube::figure::{ALPHA, FLAT_INTERVAL, HIERARCHICAL, figure_4};
use flitsim_models::express_cube::{Delays, crossover_distance, hops, mixed, short_distance_hops};
use flitsim_topology::express::ExpressChannel;
use flitsim_topology::{ChannelId, Ends, ExpressCube, ExpressParameters, Grid, Network, NodeId};

/// The tables by name.
pub const TABLES: &[(&str, Formula)] = &[
    ("distance", distance),
    ("equations-3-and-5", equations_3_and_5),
    ("equation-4", equation_4),
    ("distance-mean", distance_mean),
    ("intervals", intervals),
    ("hierarchies", hierarchies),
    ("far", far),
    ("mixed-radices", mixed_radices),
    ("j-machine", j_machine),
];

/// Distances that are simulated for figure 4.
const SIMULATED_DISTANCES: [u64; 16] = [
    1, 2, 4, 8, 12, 16, 23, 24, 32, 48, 64, 96, 128, 192, 256, 384,
];

/// Figure 4: latency against distance, by formula up to `distance_most`, and of simulated packets of
/// one flit, less the cycles in the source's router, which the paper does not count.
fn distance(parameters: &Parameters) -> Computed {
    const NAMES: [&str; 4] = [
        "wire",
        "no express channels",
        "flat, i = 16",
        "hierarchical, i = 4, l = 3",
    ];
    let mut table = Table::default();
    let mut push = |kind: &str, name: &str, distance: u64, cycles: f64| {
        row! { table;
            KIND => kind,
            "network" => name,
            "D" => distance,
            "T" => cycles,
            "T over wire" => cycles / distance as f64,
        }
    };
    for (index, name) in NAMES.into_iter().enumerate() {
        for distance in 1..=parameters.number("distance_most")? as u64 {
            let row = figure_4(distance)?;
            let all = [row.wire, row.conventional, row.flat, row.hierarchical];
            push(MODEL, name, distance, all[index]);
        }
    }
    let (interval, levels) = HIERARCHICAL;
    for (name, parameters, source) in [
        (NAMES[1], None, 24),
        (NAMES[2], Some((FLAT_INTERVAL as u32, 1)), 24),
        // Midway on every level: 2 + 2·4 + 2·16 past an interchange of the third.
        (NAMES[3], Some((interval as u32, levels)), 64 + 42),
    ] {
        let found = lone_packets(parameters, source)?;
        for (distance, cycles) in SIMULATED_DISTANCES.into_iter().zip(found) {
            push(SIMULATED, name, distance, cycles);
        }
    }
    Ok(table)
}

/// Lone packets of one flit from `source` of a line of 512 nodes, an express cube with `of` = i and l
/// or plain: a router takes α cycles and a wire one a pitch.
fn lone_packets(of: Option<(u32, u32)>, source: u32) -> Result<Vec<f64>, Failure> {
    const NODES: u32 = 512;
    let config = |network: &Network| EngineConfig {
        virtual_channels: 1,
        injection_vcs: 1,
        delay: ALPHA as u32,
        body_delay: 1,
        channel_delay: ChannelDelay::PerChannel(
            (0..network.channels())
                .map(|c| network.length_pitches(ChannelId(c)) as u32)
                .collect(),
        ),
        ..EngineConfig::default()
    };
    let pairs = SIMULATED_DISTANCES.map(|d| (source, source + d as u32));
    let found = match of {
        Some((interval, levels)) => {
            let parameters = ExpressParameters::new(NODES, 1, interval, levels);
            let network = ExpressCube::new(parameters)?.into_network();
            let cube = network.express_cube().expect("it is one");
            let routing = Express::new(cube, 1)?;
            alone(&network, routing.into(), config(&network), 1, &pairs)
        }
        None => {
            let network = Grid::uniform(NODES, 1, Ends::Open)?.into_network();
            let grid = network.grid().expect("it is one");
            let routing = DimensionOrder::new(grid, 1, Tie::Positive, true)?;
            alone(&network, routing.into(), config(&network), 1, &pairs)
        }
    };
    let latencies = found?.latencies_cycles;
    let counted = latencies.into_iter().map(|cycles| cycles as f64 - ALPHA);
    Ok(counted.collect())
}

/// The hops of a distance, from each of the sources of a block.
struct Walked {
    least: u64,
    most: u64,
    mean: f64,
}

impl Walked {
    fn over(
        sources: u64,
        hops: impl Fn(u64) -> Result<u64, ModelError>,
    ) -> Result<Self, ModelError> {
        let hops = (0..sources).map(hops).collect::<Result<Vec<u64>, _>>()?;
        Ok(Self {
            least: hops.iter().copied().min().unwrap_or(0),
            most: hops.iter().copied().max().unwrap_or(0),
            mean: hops.iter().sum::<u64>() as f64 / sources as f64,
        })
    }
}

/// Hops over multiples of i^l by equations 3 (l = 1) and 5, and walked from every source.
fn equations_3_and_5(_: &Parameters) -> Computed {
    let mut table = Table::default();
    for (interval, levels, distances) in [
        (16u64, 1u32, [16u64, 64, 256]),
        (4, 1, [4, 64, 256]),
        (7, 1, [7, 28, 245]),
        (4, 2, [16, 64, 256]),
        (4, 3, [64, 256, 1024]),
        (2, 5, [32, 64, 256]),
    ] {
        for distance in distances {
            let equation = hops::hierarchical(distance, interval, levels)?;
            let walked = Walked::over(interval.pow(levels), |source| {
                hops::between(source, source + distance, interval, levels)
            })?;
            let Walked { least, most, .. } = walked;
            row! { table;
                "i" => interval,
                "l" => levels,
                "D" => distance,
                "equation" => equation,
                "least" => least,
                "most" => most,
                "widest gap" => equation.abs_diff(least).max(equation.abs_diff(most)),
            }
        }
    }
    Ok(table)
}

/// Equation 4 as printed, corrected, and walked from the average source, whose way to the interchange
/// is (i + 1)/2 pitches: a node where i is odd.
fn equation_4(_: &Parameters) -> Computed {
    let mut table = Table::default();
    for interval in [3u64, 5, 7] {
        for distance in interval.div_ceil(2)..=6 * interval {
            let (source, half) = ((interval - 1) / 2, interval / 2);
            let express = (distance - half - 1) / interval;
            let walked = hops::between(source, source + distance, interval, 1)? as f64;
            let printed = hops::flat_mean_printed(distance, interval)?;
            let corrected = hops::flat_mean(distance, interval)?;
            row! { table;
                "i" => interval,
                "D" => distance,
                "printed" => printed,
                "corrected" => corrected,
                "walked" => walked,
                "printed less walked" => printed - walked,
                "corrected less walked" => corrected - walked,
                "local" => walked - express as f64,
                "D_local" => interval.div_ceil(2) + (distance - half) % interval,
            }
        }
    }
    Ok(table)
}

/// Hops and latency of the hierarchical express cube, mean and worst over sources, against the
/// distance.
fn distance_mean(parameters: &Parameters) -> Computed {
    let (interval, levels) = HIERARCHICAL;
    let delays = Delays::of_ratio(ALPHA)?;
    let crossover = crossover_distance(ALPHA, interval)?;
    let mut table = Table::default();
    for distance in 1..=parameters.number("distance_most")? as u64 {
        let d = distance as f64;
        let Walked { mean, most, .. } = Walked::over(interval.pow(levels), |source| {
            hops::between(source, source + distance, interval, levels)
        })?;
        let worst = most as f64;
        let logarithmic = short_distance_hops(d, interval)?;
        let over_wire = |hops: f64| delays.latency(hops, d, 0.0) / d;
        let beyond = |value: f64| (d > crossover).then_some(value);
        row! { table;
            "D" => d,
            "hops" => mean,
            "(i - 1) log_i D" => logarithmic,
            "over" => mean - logarithmic,
            "T over wire" => over_wire(mean),
            "worst T over wire" => over_wire(worst),
            "mean beyond D'" => beyond(over_wire(mean)),
            "worst beyond D'" => beyond(over_wire(worst)),
        }
    }
    Ok(table)
}

/// Hops over one distance against the interval: equation 3 for all intervals that divide it.
fn intervals(parameters: &Parameters) -> Computed {
    let distance = parameters.number("distance")? as u64;
    let mut table = Table::default();
    for interval in (2..distance).filter(|&i| distance.is_multiple_of(i)) {
        row!(table; "i" => interval, "hops" => hops::flat(distance, interval)?);
    }
    Ok(table)
}

/// Hierarchies with i^l = α = 64 on a line of four blocks: hops and pitches of the three phases on the
/// network's own paths over two blocks, in the mean over sources; ascent is what comes before the first
/// channel of the top level, descent what comes after the last. Downward a node is 0 to i^l - 1 pitches
/// from its next interchange of the top level, upward one more.
fn hierarchies(_: &Parameters) -> Computed {
    let mut table = Table::default();
    for (interval, levels) in [(2u32, 6u32), (4, 3), (8, 2), (64, 1)] {
        let block = interval.pow(levels);
        let of = ExpressParameters::new(4 * block, 1, interval, levels);
        let network = ExpressCube::new(of)?.into_network();
        let cube = network.express_cube().expect("it is one");
        for (way, first, ahead) in [("up", 0, 2 * block), ("down", 3 * block, block)] {
            let [mut hops, mut pitches] = [[0.0; 3]; 2];
            for offset in 0..block {
                let (mut at, to) = (NodeId(first + offset), NodeId(ahead + offset));
                let mut phase = 0;
                while let Some(channel) = cube.way(at, to).map(|way| way.first) {
                    let kind = cube.channel(at, channel).map(|(kind, _)| kind);
                    if kind == Some(ExpressChannel::Express(levels)) {
                        phase = 1;
                    } else if phase == 1 {
                        phase = 2;
                    }
                    hops[phase] += 1.0 / f64::from(block);
                    pitches[phase] += f64::from(network.length_pitches(channel)) / f64::from(block);
                    at = network.target(channel);
                }
            }
            let i = f64::from(interval);
            row! { table;
                "i" => interval,
                "l" => levels,
                "way" => way,
                "(i - 1) l" => (i - 1.0) * f64::from(levels),
                "H_a" => hops[0],
                "D_a" => pitches[0],
                "H_c" => hops[1],
                "D_c" => pitches[1],
                "H_d" => hops[2],
                "D_d" => pitches[2],
            }
        }
    }
    Ok(table)
}

/// Section III-A, footnote 3 and section III-C: one level with i = j α over long distances and around
/// D = α²: latency over a wire's, and the delay of the local nodes over that of the wire.
fn far(_: &Parameters) -> Computed {
    let delays = Delays::of_ratio(ALPHA)?;
    let mut table = Table::default();
    for j in [1_u64, 2, 4] {
        let interval = j * ALPHA as u64;
        for doubled in 0..=20 {
            let distance = interval << doubled;
            let d = distance as f64;
            row! { table;
                "j" => j,
                "D" => distance,
                "T over wire" => delays.flat(distance, interval, 0.0)? / d,
                "local nodes over wire" => interval as f64 * ALPHA / d,
            }
        }
    }
    Ok(table)
}

/// Hierarchies of several radices with a product of 64 (footnote 5): hops over 256 pitches by
/// equation 5 and from every source, and over short distances in the mean over sources.
fn mixed_radices(_: &Parameters) -> Computed {
    const FAR: u64 = 256;
    let mut table = Table::default();
    for radices in [
        &[2u64, 2, 2, 2, 2, 2][..],
        &[4, 4, 4],
        &[2, 4, 8],
        &[8, 4, 2],
        &[2, 32],
        &[32, 2],
        &[64],
    ] {
        let reach = mixed::reach(radices)?;
        let over = |distance: u64| {
            Walked::over(reach, |source| {
                mixed::between(source, source + distance, radices)
            })
        };
        let far = over(FAR)?;
        let names: Vec<String> = radices.iter().map(u64::to_string).collect();
        row! { table;
            "radices" => names.join(", "),
            "l" => radices.len(),
            "equation" => mixed::hierarchical(FAR, radices)?,
            "least" => far.least,
            "most" => far.most,
            "D = 4" => over(4)?.mean,
            "D = 16" => over(16)?.mean,
        }
    }
    Ok(table)
}

/// The numbers of the J-Machine and of packaging in sections I, III-B and III-G.
fn j_machine(_: &Parameters) -> Computed {
    // Channels of 9 data and 6 control wires, 48 pins of power, 30 of memory.
    let wires = |channels: u32| f64::from(channels * (9 + 6));
    let mut table = Table::default();
    for (name, value) in [
        ("pins of channels", wires(6)),
        ("pins of a node", wires(6) + 48.0 + 30.0),
        ("node delay over longest wire's", 50.0 / 1.5),
        ("wires of four channels of data and control", wires(4)),
        ("wires of a node over data bits of a channel", 80.0 / 9.0),
        (
            "channels of data and control in the wires of a node",
            (80.0 / wires(1)).floor(),
        ),
        ("wire density of a circuit over a board's", 250.0 / 2.0),
    ] {
        row!(table; "quantity" => name, "value" => value);
    }
    Ok(table)
}
