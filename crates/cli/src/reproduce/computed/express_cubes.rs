//! Dally, "Express cubes": tables of its equations, figure 4 by formula and by lone packets, and
//! what is counted on the networks.

use super::super::table::{Cell, KIND, MODEL, SIMULATED, Table};
use super::{ComputedError, Parameters, express_lines, formula, packets};
use flitsim_engine::routing::{DimensionOrder, Express, Tie};
use flitsim_engine::{ChannelDelay, EngineConfig};
use flitsim_models::express_cube::figure::{ALPHA, FLAT_INTERVAL, HIERARCHICAL, figure_4};
use flitsim_models::express_cube::{Delays, crossover_distance, hops, mixed, short_distance_hops};
use flitsim_topology::{ChannelId, Ends, ExpressCube, ExpressParameters, Grid, Network};

/// The table `name`.
///
/// # Errors
/// [`ComputedError`].
pub fn table(name: &str, parameters: &Parameters) -> Result<Table, ComputedError> {
    match name {
        "distance" => distance(parameters),
        "equations-3-and-5" => equations_3_and_5(),
        "equation-4" => equation_4(),
        "distance-mean" => distance_mean(parameters),
        "intervals" => intervals(parameters),
        "hierarchies" => hierarchies(),
        "mixed-radices" => mixed_radices(),
        "j-machine" => j_machine(),
        _ => express_lines::table(name, parameters),
    }
}

/// Distances that are simulated for figure 4.
const SIMULATED_DISTANCES: [u64; 16] = [
    1, 2, 4, 8, 12, 16, 23, 24, 32, 48, 64, 96, 128, 192, 256, 384,
];

/// Figure 4: latency against distance, by formula up to `distance_most`, and of simulated packets of
/// one flit, less the cycles in the source's router, which the paper does not count.
fn distance(parameters: &Parameters) -> Result<Table, ComputedError> {
    const NAMES: [&str; 4] = [
        "wire",
        "no express channels",
        "flat, i = 16",
        "hierarchical, i = 4, l = 3",
    ];
    let mut table = Table::new(&[KIND, "network", "D", "T", "T over wire"]);
    let push = |table: &mut Table, kind: &str, name: &str, distance: u64, cycles: f64| {
        let distance = distance as f64;
        let over = cycles / distance;
        table.push([
            kind.into(),
            name.into(),
            distance.into(),
            cycles.into(),
            over.into(),
        ]);
    };
    for (index, name) in NAMES.into_iter().enumerate() {
        for distance in 1..=parameters.number("distance_most")? as u64 {
            let row = formula(figure_4(distance))?;
            let all = [row.wire, row.conventional, row.flat, row.hierarchical];
            push(&mut table, MODEL, name, distance, all[index]);
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
            push(&mut table, SIMULATED, name, distance, cycles);
        }
    }
    Ok(table)
}

/// Lone packets of one flit from `source` of a line of 512 nodes, an express cube with `of` = i and l
/// or plain: a router takes α cycles and a wire one a pitch.
fn lone_packets(of: Option<(u32, u32)>, source: u32) -> Result<Vec<f64>, ComputedError> {
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
    let alone = match of {
        Some((interval, levels)) => {
            let parameters = ExpressParameters::new(NODES, 1, interval, levels);
            let network = formula(ExpressCube::new(parameters))?.into_network();
            let cube = network.express_cube().expect("it is one");
            let routing = formula(Express::new(cube, 1))?;
            packets::alone(&network, routing, config(&network), 1, pairs.into_iter())
        }
        None => {
            let network = formula(Grid::uniform(NODES, 1, Ends::Open))?.into_network();
            let grid = network.grid().expect("it is one");
            let routing = formula(DimensionOrder::new(grid, 1, Tie::Positive, true))?;
            packets::alone(&network, routing, config(&network), 1, pairs.into_iter())
        }
    };
    let latencies = formula(alone)?.latencies_cycles;
    let counted = latencies.into_iter().map(|cycles| cycles as f64 - ALPHA);
    Ok(counted.collect())
}

/// Hops over multiples of i^l by equations 3 (l = 1) and 5, and walked from every source.
fn equations_3_and_5() -> Result<Table, ComputedError> {
    let mut table = Table::new(&["i", "l", "D", "equation", "least", "most", "widest gap"]);
    for (interval, levels, distances) in [
        (16u64, 1u32, [16u64, 64, 256]),
        (4, 1, [4, 64, 256]),
        (7, 1, [7, 28, 245]),
        (4, 2, [16, 64, 256]),
        (4, 3, [64, 256, 1024]),
        (2, 5, [32, 64, 256]),
    ] {
        for distance in distances {
            let equation = formula(hops::hierarchical(distance, interval, levels))?;
            let walked: Result<Vec<u64>, _> = (0..interval.pow(levels))
                .map(|source| hops::between(source, source + distance, interval, levels))
                .collect();
            let walked = formula(walked)?;
            let least = walked.iter().copied().min().unwrap_or(0);
            let most = walked.iter().copied().max().unwrap_or(0);
            let gap = equation.abs_diff(least).max(equation.abs_diff(most));
            let numbers = [
                interval,
                levels.into(),
                distance,
                equation,
                least,
                most,
                gap,
            ];
            table.push(numbers.map(|number| Cell::from(number as f64)));
        }
    }
    Ok(table)
}

/// Equation 4 as printed, corrected, and walked from the average source, whose way to the interchange
/// is (i + 1)/2 pitches: a node where i is odd.
fn equation_4() -> Result<Table, ComputedError> {
    let mut table = Table::new(&[
        "i",
        "D",
        "printed",
        "corrected",
        "walked",
        "printed less walked",
        "corrected less walked",
    ]);
    for interval in [3u64, 5, 7] {
        for distance in interval.div_ceil(2)..=6 * interval {
            let source = (interval - 1) / 2;
            let walked = formula(hops::between(source, source + distance, interval, 1))? as f64;
            let printed = formula(hops::flat_mean_printed(distance, interval))?;
            let corrected = formula(hops::flat_mean(distance, interval))?;
            let numbers = [
                interval as f64,
                distance as f64,
                printed,
                corrected,
                walked,
                printed - walked,
                corrected - walked,
            ];
            table.push(numbers.map(Cell::from));
        }
    }
    Ok(table)
}

/// Hops and latency of the hierarchical express cube, mean and worst over sources, against the
/// distance.
fn distance_mean(parameters: &Parameters) -> Result<Table, ComputedError> {
    let (interval, levels) = HIERARCHICAL;
    let delays = formula(Delays::of_ratio(ALPHA))?;
    let crossover = formula(crossover_distance(ALPHA, interval))?;
    let mut table = Table::new(&[
        "D",
        "hops",
        "(i - 1) log_i D",
        "over",
        "T over wire",
        "worst T over wire",
        "mean beyond D'",
        "worst beyond D'",
    ]);
    let mut distance = 1;
    while distance <= parameters.number("distance_most")? as u64 {
        let d = distance as f64;
        let walked: Result<Vec<u64>, _> = (0..interval.pow(levels))
            .map(|source| hops::between(source, source + distance, interval, levels))
            .collect();
        let walked = formula(walked)?;
        let mean = walked.iter().sum::<u64>() as f64 / walked.len() as f64;
        let worst = walked.iter().copied().max().unwrap_or(0) as f64;
        let logarithmic = formula(short_distance_hops(d, interval))?;
        let over_wire = |hops: f64| delays.latency(hops, d, 0.0) / d;
        let beyond = |value: f64| (d > crossover).then_some(value);
        let numbers = [
            Some(d),
            Some(mean),
            Some(logarithmic),
            Some(mean - logarithmic),
            Some(over_wire(mean)),
            Some(over_wire(worst)),
            beyond(over_wire(mean)),
            beyond(over_wire(worst)),
        ];
        table.push(numbers.map(Cell::from));
        distance += 1;
    }
    Ok(table)
}

/// Hops over one distance against the interval: equation 3 for all intervals that divide it.
fn intervals(parameters: &Parameters) -> Result<Table, ComputedError> {
    let distance = parameters.number("distance")? as u64;
    let mut table = Table::new(&["i", "hops"]);
    for interval in (2..distance).filter(|&i| distance.is_multiple_of(i)) {
        let found = formula(hops::flat(distance, interval))?;
        table.push([(interval as f64).into(), (found as f64).into()]);
    }
    Ok(table)
}

/// Hierarchies with i^l = α = 64: hops to and from the top level, the ascent counted over the nodes
/// of a block, and the far-away slope.
fn hierarchies() -> Result<Table, ComputedError> {
    let mut table = Table::new(&[
        "i",
        "l",
        "(i - 1) l",
        "ascent hops",
        "ascent hops printed",
        "ascent pitches",
        "ascent pitches printed",
    ]);
    for (interval, levels) in [(2u64, 6u32), (4, 3), (8, 2), (64, 1)] {
        let block = interval.pow(levels);
        // To the boundary of the next block but one: one hop up to each, and the last down.
        let ascents: Result<Vec<u64>, _> = (0..block)
            .map(|source| hops::between(source, 2 * block, interval, levels).map(|h| h - 2))
            .collect();
        let mean_hops = formula(ascents)?.iter().sum::<u64>() as f64 / block as f64;
        let pitches = (0..block).map(|source| block - source).sum::<u64>() as f64 / block as f64;
        let (i, l) = (interval as f64, f64::from(levels));
        let numbers = [
            i,
            l,
            (i - 1.0) * l,
            mean_hops,
            (i - 1.0) * l / 2.0 + 1.0,
            pitches,
            (block as f64 - 1.0) / 2.0,
        ];
        table.push(numbers.map(Cell::from));
    }
    Ok(table)
}

/// Hierarchies of several radices with a product of 64 (footnote 5): hops over 256 pitches by
/// equation 5 and from every source, and over short distances in the mean over sources.
fn mixed_radices() -> Result<Table, ComputedError> {
    const FAR: u64 = 256;
    let mut table = Table::new(&[
        "radices", "l", "equation", "least", "most", "D = 4", "D = 16",
    ]);
    for radices in [
        &[2u64, 2, 2, 2, 2, 2][..],
        &[4, 4, 4],
        &[2, 4, 8],
        &[8, 4, 2],
        &[2, 32],
        &[32, 2],
        &[64],
    ] {
        let reach = formula(mixed::reach(radices))?;
        let over = |distance: u64| -> Result<Vec<u64>, _> {
            (0..reach)
                .map(|source| mixed::between(source, source + distance, radices))
                .collect()
        };
        let mean = |distance: u64| {
            let hops = formula(over(distance))?;
            Ok::<f64, ComputedError>(hops.iter().sum::<u64>() as f64 / reach as f64)
        };
        let far = formula(over(FAR))?;
        let names: Vec<String> = radices.iter().map(u64::to_string).collect();
        table.push([
            names.join(", ").as_str().into(),
            (radices.len() as f64).into(),
            (formula(mixed::hierarchical(FAR, radices))? as f64).into(),
            (far.iter().copied().min().unwrap_or(0) as f64).into(),
            (far.iter().copied().max().unwrap_or(0) as f64).into(),
            mean(4)?.into(),
            mean(16)?.into(),
        ]);
    }
    Ok(table)
}

/// The numbers of the J-Machine and of packaging in sections I, III-B and III-G.
fn j_machine() -> Result<Table, ComputedError> {
    const CHANNELS: u32 = 6;
    const DATA: u32 = 9;
    const CONTROL: u32 = 6;
    const POWER: u32 = 48;
    const MEMORY: u32 = 30;
    let mut table = Table::new(&["quantity", "value"]);
    for (name, value) in [
        ("pins of channels", f64::from(CHANNELS * (DATA + CONTROL))),
        (
            "pins of a node",
            f64::from(CHANNELS * (DATA + CONTROL) + POWER + MEMORY),
        ),
        ("node delay over longest wire's", 50.0 / 1.5),
        (
            "wires of four channels of data and control",
            f64::from(4 * (DATA + CONTROL)),
        ),
        (
            "wires of a node over data bits of a channel",
            80.0 / f64::from(DATA),
        ),
        (
            "channels of data and control in the wires of a node",
            (80.0f64 / 15.0).floor(),
        ),
        ("wire density of a circuit over a board's", 250.0 / 2.0),
    ] {
        table.push([name.into(), value.into()]);
    }
    Ok(table)
}
