//! Dally, "Wire-efficient VLSI multiprocessor communication networks": figures 4 and 6 to 8, and
//! what the equations give beside what is counted on the networks.

use super::super::table::{Cell, KIND, MODEL, SIMULATED, Table};
use super::{ComputedError, Parameters, formula, packets};
use flitsim_engine::routing::{DimensionOrder, Tie};
use flitsim_engine::{EngineConfig, FlowControl};
use flitsim_models::k_ary_n_cube::Cube;
use flitsim_models::k_ary_n_cube::figures::{SIZES, binary_row_density, figure_8};
use flitsim_models::k_ary_n_cube::latency::{store_and_forward, wormhole};
use flitsim_topology::cost::pin_out;
use flitsim_topology::layout::{WireModel, row_density as density_of};
use flitsim_topology::properties::grid_distances;
use flitsim_topology::{Ends, Grid, NodeId};

/// The table `name`.
///
/// # Errors
/// [`ComputedError`].
pub fn table(name: &str, parameters: &Parameters) -> Result<Table, ComputedError> {
    match name {
        "row-density" => row_density(parameters),
        "dimensions" => dimensions(parameters),
        "flow-control" => flow_control(parameters),
        "networks-counted" => networks_counted(),
        "throughput" => throughput(),
        "two-way" => two_way(parameters),
        "local" => local(parameters),
        _ => Err(ComputedError::Unknown(name.to_owned())),
    }
}

/// Figure 6: wires across every cut of one row of a binary cube, and of a torus of as many nodes,
/// whose density is the same everywhere.
fn row_density(parameters: &Parameters) -> Result<Table, ComputedError> {
    let dimensions = parameters.number("dimensions")? as u32;
    let row = 1_u64 << (dimensions / 2);
    let torus = 2.0 * formula(Cube::of_nodes((row * row) as f64, 2))?.channel_width();
    let mut table = Table::new(&["position", "density", "torus"]);
    for cut in 1..row {
        let density = formula(binary_row_density(dimensions, cut))?;
        table.push([(cut as f64).into(), (density as f64).into(), torus.into()]);
    }
    Ok(table)
}

/// Figures 7 and 8: pins of a node and latency against the dimension.
fn dimensions(parameters: &Parameters) -> Result<Table, ComputedError> {
    let wires = match parameters.word("wires")? {
        "constant" => WireModel::Constant,
        "logarithmic" => WireModel::Logarithmic,
        "linear" => WireModel::Linear,
        _ => {
            let kinds = "constant, logarithmic or linear";
            return Err(ComputedError::Parameter("wires".to_owned(), kinds));
        }
    };
    let columns = ["set", "N", "n", "k", "W", "pins", "D", "L/W", "T/Tc"];
    let mut table = Table::new(&columns);
    for point in formula(figure_8(parameters.number("message_bits")?, wires))? {
        let cube = point.cube;
        table.push([
            point.set.into(),
            cube.nodes().into(),
            cube.dimensions().into(),
            cube.radix().into(),
            cube.channel_width().into(),
            point.pins.into(),
            cube.mean_distance().into(),
            point.aspect_ratio.into(),
            point.latency.into(),
        ]);
    }
    Ok(table)
}

/// Figure 4: lone packets over one to sixteen channels of a line, by equations 2 and 3 and through the
/// simulator's routers, whose store-and-forward takes a cycle more: the destination's router.
fn flow_control(parameters: &Parameters) -> Result<Table, ComputedError> {
    let flits = parameters.number("flits")?;
    let line = formula(Grid::uniform(17, 1, Ends::Open))?.into_network();
    let mut table = Table::new(&[KIND, "routing", "D", "T"]);
    let distances = || (1..=16).map(|to| (0, to));
    for (name, control, of) in [
        (
            "store-and-forward",
            FlowControl::StoreAndForward,
            store_and_forward as fn(f64, f64) -> f64,
        ),
        ("wormhole", FlowControl::Wormhole, wormhole),
    ] {
        for (_, distance) in distances() {
            let cycles = of(f64::from(distance), flits);
            table.push([MODEL.into(), name.into(), distance.into(), cycles.into()]);
        }
        let config = EngineConfig {
            flow_control: control,
            buffer_flits: flits as u32,
            ..EngineConfig::default()
        };
        let grid = line.grid().expect("a line is a grid");
        let routing = formula(DimensionOrder::new(
            grid,
            config.virtual_channels,
            Tie::Positive,
            true,
        ))?;
        let alone = packets::alone(&line, routing, config, flits as u32, distances());
        for ((_, distance), cycles) in distances().zip(formula(alone)?.latencies_cycles) {
            let cycles = cycles as f64;
            table.push([
                SIMULATED.into(),
                name.into(),
                distance.into(),
                cycles.into(),
            ]);
        }
    }
    Ok(table)
}

/// Equations 6 to 9 and 11 for small cubes beside what is counted on the networks and their layouts.
/// A row's wires are those of all rows together, at the width of equation 7.
fn networks_counted() -> Result<Table, ComputedError> {
    let mut table = Table::new(&[
        "k",
        "n",
        "N",
        "W",
        "B",
        "B counted",
        "B of equation 6",
        "peak",
        "peak over B",
        "bound of equation 8",
        "peak over bound",
        "D",
        "D counted",
        "pins",
        "pins counted",
        "round trip least",
        "longest wire",
    ]);
    for (radix, dimensions) in [(16, 2), (4, 4), (8, 2), (4, 2), (6, 2), (8, 4), (4, 6)] {
        let grid = formula(Grid::uniform(radix, dimensions, Ends::DirectedRing))?;
        let cube = formula(Cube::new(f64::from(radix), dimensions))?;
        let (nodes, width) = (cube.nodes(), cube.channel_width());
        let row = density_of(&grid);
        let rows = nodes.sqrt();
        let counted = rows * row.per_line(rows as u32 / 2) * width;
        let peak = rows * row.peak_per_line() * width;
        let bound = cube.density_bound_wires();
        // All nodes are alike.
        let there_and_back = |b| grid.distance(NodeId(0), b) + grid.distance(b, NodeId(0));
        let round_trip = (1..nodes as u32).map(|b| there_and_back(NodeId(b))).min();
        let distance = grid_distances(&grid).mean_with_self;
        let pins = pin_out(&grid.into_network()) as f64 * width / nodes;
        table.push([
            radix.into(),
            dimensions.into(),
            nodes.into(),
            width.into(),
            nodes.into(),
            counted.into(),
            cube.bisection_wires(width).into(),
            peak.into(),
            (peak / counted).into(),
            bound.into(),
            (peak / bound).into(),
            cube.mean_distance().into(),
            distance.into(),
            cube.pins_per_node().into(),
            pins.into(),
            round_trip.into(),
            cube.longest_wire_pitches().into(),
        ]);
    }
    Ok(table)
}

/// Throughput under uniform traffic and to one hot spot against the dimension, at equal bisection.
fn throughput() -> Result<Table, ComputedError> {
    let mut table = Table::new(&["set", "N", "n", "k", "uniform", "hot spot"]);
    for (set, nodes) in SIZES {
        for dimensions in 2..=nodes.log2() as u32 {
            let cube = formula(Cube::of_nodes(nodes, dimensions))?;
            table.push([
                set.into(),
                nodes.into(),
                dimensions.into(),
                cube.radix().into(),
                cube.capacity_bits_per_node().into(),
                cube.hot_spot_bits().into(),
            ]);
        }
    }
    Ok(table)
}

/// Figure 8 with two-way channels, of which each way has half the width. A two-way ring of two nodes
/// has one link, not two, so that binary cubes stay as they are; radices between 2 and 4 have no such
/// network.
fn two_way(parameters: &Parameters) -> Result<Table, ComputedError> {
    let bits = parameters.number("message_bits")?;
    let mut table = Table::new(&["set", "n", "k", "ways", "T/Tc"]);
    for (set, nodes) in SIZES {
        for dimensions in 2..=nodes.log2() as u32 {
            let cube = formula(Cube::of_nodes(nodes, dimensions))?;
            let k = cube.radix();
            let one_way = formula(cube.latency(bits, WireModel::Constant))?;
            let two_way = if k == 2.0 {
                Some(wormhole(f64::from(dimensions) / 2.0, bits))
            } else {
                (k >= 4.0).then(|| wormhole(f64::from(dimensions) * k / 4.0, 4.0 * bits / k))
            };
            for (ways, cycles) in [("one way", Some(one_way)), ("two ways", two_way)] {
                let cycles: Cell = cycles.into();
                table.push([set.into(), dimensions.into(), k.into(), ways.into(), cycles]);
            }
        }
    }
    Ok(table)
}

/// 256 nodes: latency at random distances, at two channels, and at random distances over channels
/// one bit wide, whatever the dimension.
fn local(parameters: &Parameters) -> Result<Table, ComputedError> {
    let (bits, near) = (
        parameters.number("message_bits")?,
        parameters.number("distance")?,
    );
    let mut table = Table::new(&["n", "k", "far", "near", "near over far", "W = 1"]);
    for dimensions in 2..=8 {
        let cube = formula(Cube::of_nodes(256.0, dimensions))?;
        let far = formula(cube.latency(bits, WireModel::Constant))?;
        let near = formula(cube.latency_at(near, bits, WireModel::Constant))?;
        table.push([
            dimensions.into(),
            cube.radix().into(),
            far.into(),
            near.into(),
            (near / far).into(),
            wormhole(cube.mean_distance(), bits).into(),
        ]);
    }
    Ok(table)
}
