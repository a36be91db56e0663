//! Dally, "Wire-efficient VLSI multiprocessor communication networks": figures 4 and 6 to 8, and
//! what the equations give beside what is counted on the networks.

use super::super::table::{KIND, MODEL, SIMULATED, Table, row};
use super::formula::{Computed, Failure, Formula, Parameters, one_of};
use flitsim_engine::routing::{DimensionOrder, Tie};
use flitsim_engine::{EngineConfig, FlowControl};
use flitsim_measure::alone::{Alone, alone};
use flitsim_models::k_ary_n_cube::Cube;
use flitsim_models::k_ary_n_cube::figures::{SIZES, binary_row_density, figure_8};
use flitsim_models::k_ary_n_cube::latency::{
    long_wire_delay_seconds, short_wire_delay, store_and_forward, wormhole,
};
use flitsim_topology::cost::pin_out;
use flitsim_topology::layout::{WireModel, row_density as density_of};
use flitsim_topology::properties::grid_distances;
use flitsim_topology::{Ends, Grid, Network, NodeId};

/// The tables by name.
pub const TABLES: &[(&str, Formula)] = &[
    ("row-density", row_density),
    ("dimensions", dimensions),
    ("flow-control", flow_control),
    ("space-time", space_time),
    ("wire-delays", wire_delays),
    ("networks-counted", networks_counted),
    ("throughput", throughput),
    ("two-way", two_way),
    ("local", local),
];

/// Figure 6: wires across every cut of one row of a binary cube, and of a torus of as many nodes,
/// whose density is the same everywhere.
fn row_density(parameters: &Parameters) -> Computed {
    let dimensions = parameters.whole("dimensions")?;
    let row = 1_u64 << (dimensions / 2);
    let torus = 2.0 * Cube::of_nodes((row * row) as f64, 2)?.channel_width();
    let mut table = Table::default();
    for cut in 1..row {
        row! { table;
            "position" => cut,
            "density" => binary_row_density(dimensions, cut)?,
            "torus" => torus,
        }
    }
    Ok(table)
}

/// Figures 7 and 8: pins of a node and latency against the dimension, laid out in the plane and in space.
fn dimensions(parameters: &Parameters) -> Computed {
    let all = [
        ("constant", WireModel::Constant),
        ("logarithmic", WireModel::Logarithmic),
        ("linear", WireModel::Linear),
    ];
    let wires = one_of(parameters, "wires", &all, "constant, logarithmic or linear")?;
    let mut table = Table::default();
    for point in figure_8(parameters.number("message_bits")?, wires)? {
        let cube = point.cube;
        // A third of the dimensions in each direction (footnote 3).
        let longest = cube.radix().powf(f64::from(cube.dimensions()) / 3.0 - 1.0);
        let cycles = wormhole(cube.mean_distance(), point.aspect_ratio);
        row! { table;
            "set" => point.set,
            "N" => cube.nodes(),
            "n" => cube.dimensions(),
            "k" => cube.radix(),
            "W" => cube.channel_width(),
            "pins" => point.pins,
            "D" => cube.mean_distance(),
            "L/W" => point.aspect_ratio,
            "T/Tc" => point.latency,
            "T/Tc in space" => wires.delay(longest) * cycles,
        }
    }
    Ok(table)
}

/// Figure 4: lone packets over one to sixteen channels of a line, by equations 2 and 3 and through the
/// simulator's routers, whose store-and-forward takes a cycle more: the destination's router.
fn flow_control(parameters: &Parameters) -> Computed {
    let flits = parameters.number("flits")?;
    let line = Grid::uniform(17, 1, Ends::Open)?.into_network();
    let mut table = Table::default();
    let pairs: [(u32, u32); 16] = std::array::from_fn(|i| (0, i as u32 + 1));
    for control in [FlowControl::StoreAndForward, FlowControl::Wormhole] {
        let (name, of): (_, fn(f64, f64) -> f64) = match control {
            FlowControl::StoreAndForward => ("store-and-forward", store_and_forward),
            _ => ("wormhole", wormhole),
        };
        for (_, distance) in pairs {
            row! { table;
                KIND => MODEL,
                "routing" => name,
                "D" => distance,
                "T" => of(f64::from(distance), flits),
            }
        }
        let alone = on_line(&line, control, flits as u32, &pairs)?;
        for ((_, distance), cycles) in pairs.into_iter().zip(alone.latencies_cycles) {
            row!(table; KIND => SIMULATED, "routing" => name, "D" => distance, "T" => cycles);
        }
    }
    Ok(table)
}

/// Packets of `flits` flits on `line`, each alone.
fn on_line(
    line: &Network,
    control: FlowControl,
    flits: u32,
    pairs: &[(u32, u32)],
) -> Result<Alone, Failure> {
    let config = EngineConfig {
        flow_control: control,
        buffer_flits: flits,
        ..EngineConfig::default()
    };
    let grid = line.grid().expect("a line is a grid");
    let routing = DimensionOrder::new(grid, config.virtual_channels, Tie::Positive, true)?;
    Ok(alone(line, routing.into(), config, flits, pairs)?)
}

/// Figure 4: when each flit of one message takes each of `distance` channels, in cycles since the first
/// flit took the first one. `place` has store-and-forward above wormhole routing, as the figure does.
fn space_time(parameters: &Parameters) -> Computed {
    let (flits, distance) = (parameters.whole("flits")?, parameters.whole("distance")?);
    let line = Grid::uniform(distance + 1, 1, Ends::Open)?.into_network();
    let mut table = Table::default();
    for (name, control, above) in [
        (
            "store-and-forward",
            FlowControl::StoreAndForward,
            distance + 1,
        ),
        ("wormhole", FlowControl::Wormhole, 0),
    ] {
        let sent = on_line(&line, control, flits, &[(0, distance)])?.sent;
        let first = sent.first().map_or(0, |sent| sent.cycle);
        for flit in sent {
            let node = line.source(flit.channel).0;
            row! { table;
                "routing" => name,
                "node" => node,
                "cycle" => flit.cycle - first,
                "place" => above + node,
            }
        }
    }
    Ok(table)
}

/// Equations 4 and 5: the delay of short and of long wires, in nanoseconds; the shorter of two lengths
/// in a row is half of the other.
fn wire_delays(parameters: &Parameters) -> Computed {
    let inverter = parameters.number("inverter_ns")?;
    let ratio = parameters.number("capacitance_per_metre")?;
    let permittivity = parameters.number("permittivity")?;
    let delays = |metres: f64| -> Result<_, Failure> {
        let short = short_wire_delay(inverter, ratio, metres)?;
        Ok((short, 1e9 * long_wire_delay_seconds(metres, permittivity)?))
    };
    let mut table = Table::default();
    for doubled in 0..14 {
        let metres = 1e-3 * f64::from(1 << doubled);
        let ((half_short, half_long), (short, long)) = (delays(metres / 2.0)?, delays(metres)?);
        row! { table;
            "l" => metres,
            "logarithmic" => short,
            "linear" => long,
            "more logarithmic" => short - half_short,
            "times linear" => long / half_long,
            "linear over logarithmic" => long / short,
        }
    }
    Ok(table)
}

/// Equations 6 to 9 and 11 for small cubes beside what is counted on the networks and their layouts.
/// A row's wires are those of all rows together, at the width of equation 7.
fn networks_counted(_: &Parameters) -> Computed {
    let mut table = Table::default();
    for (radix, dimensions) in [(16, 2), (4, 4), (8, 2), (4, 2), (6, 2), (8, 4), (4, 6)] {
        let grid = Grid::uniform(radix, dimensions, Ends::DirectedRing)?;
        let cube = Cube::new(f64::from(radix), dimensions)?;
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
        row! { table;
            "k" => radix,
            "n" => dimensions,
            "N" => nodes,
            "W" => width,
            "B" => nodes,
            "B counted" => counted,
            "B of equation 6" => cube.bisection_wires(width),
            "peak" => peak,
            "peak over B" => peak / counted,
            "bound of equation 8" => bound,
            "peak over bound" => peak / bound,
            "D" => cube.mean_distance(),
            "D counted" => distance,
            "pins" => cube.pins_per_node(),
            "pins counted" => pins,
            "round trip least" => round_trip,
            "longest wire" => cube.longest_wire_pitches(),
        }
    }
    Ok(table)
}

/// Throughput under uniform traffic and to one hot spot against the dimension, at equal bisection.
fn throughput(_: &Parameters) -> Computed {
    let mut table = Table::default();
    for (set, nodes) in SIZES {
        for dimensions in 2..=nodes.log2() as u32 {
            let cube = Cube::of_nodes(nodes, dimensions)?;
            row! { table;
                "set" => set,
                "N" => nodes,
                "n" => dimensions,
                "k" => cube.radix(),
                "uniform" => cube.capacity_bits_per_node(),
                "hot spot" => cube.hot_spot_bits(),
            }
        }
    }
    Ok(table)
}

/// Figure 8 with two-way channels, of which each way has half the width. A two-way ring of two nodes
/// has one link, not two, so that binary cubes stay as they are; radices between 2 and 4 have no such
/// network.
fn two_way(parameters: &Parameters) -> Computed {
    let bits = parameters.number("message_bits")?;
    let mut table = Table::default();
    for (set, nodes) in SIZES {
        for dimensions in 2..=nodes.log2() as u32 {
            let cube = Cube::of_nodes(nodes, dimensions)?;
            let k = cube.radix();
            let one_way = cube.latency(bits, WireModel::Constant)?;
            let two_way = if k == 2.0 {
                Some(wormhole(f64::from(dimensions) / 2.0, bits))
            } else {
                (k >= 4.0).then(|| wormhole(f64::from(dimensions) * k / 4.0, 4.0 * bits / k))
            };
            for (ways, cycles) in [("one way", Some(one_way)), ("two ways", two_way)] {
                row! { table;
                    "set" => set,
                    "n" => dimensions,
                    "k" => k,
                    "ways" => ways,
                    "T/Tc" => cycles,
                }
            }
        }
    }
    Ok(table)
}

/// 256 nodes: latency at random distances, at two channels, and at random distances over channels
/// one bit wide, whatever the dimension.
fn local(parameters: &Parameters) -> Computed {
    let (bits, near) = (
        parameters.number("message_bits")?,
        parameters.number("distance")?,
    );
    let mut table = Table::default();
    for dimensions in 2..=8 {
        let cube = Cube::of_nodes(256.0, dimensions)?;
        let far = cube.latency(bits, WireModel::Constant)?;
        let near = cube.latency_at(near, bits, WireModel::Constant)?;
        row! { table;
            "n" => dimensions,
            "k" => cube.radix(),
            "far" => far,
            "near" => near,
            "near over far" => near / far,
            "W = 1" => wormhole(cube.mean_distance(), bits),
        }
    }
    Ok(table)
}
