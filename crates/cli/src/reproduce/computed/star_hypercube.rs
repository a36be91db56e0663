//! Kiasari & Sarbazi-Azad, "A comparative performance analysis of n-cubes and star graphs": figure 2
//! by the models, the widths of equations 4 to 9, and what section 2 says of the star.

use super::super::table::{KIND, MODEL, Table, row};
use super::formula::{Computed, Failure, Formula, Parameters, one_of};
use flitsim_engine::EngineConfig;
use flitsim_engine::routing::NegativeHop;
use flitsim_measure::alone::alone;
use flitsim_models::star_hypercube::{
    Figure2, Latency, Panel, bisection_ratio, busy_probabilities, escape_classes, figure_2,
    hypercube_bisection_wires, hypercube_pins, mean_distance, pin_out_ratio, star_bisection_wires,
    star_pins,
};
use flitsim_topology::properties::{distances_from, two_colouring};
use flitsim_topology::{NodeId, Paths, Star as StarGraph};

/// The curves of a panel, in the order of [`curves`].
const CURVES: [&str; 3] = [
    "star",
    "hypercube, equal bisection",
    "hypercube, equal pin-out",
];

/// The tables by name.
pub const TABLES: &[(&str, Formula)] = &[
    ("figure-2", curves),
    ("ends", ends),
    ("widths", widths),
    ("negative-hops", negative_hops),
    ("busy", busy),
    ("channels-of-nhop", channels_of_nhop),
    ("parts", parts),
];

/// The panels of figure 2, by letter.
fn panels() -> Vec<(&'static str, Panel)> {
    ["a", "b", "c", "d"].into_iter().zip(Panel::ALL).collect()
}

/// A panel of figure 2.
fn curves(parameters: &Parameters) -> Computed {
    let figure = figure_2(one_of(parameters, "panel", &panels(), "a, b, c or d")?)?;
    let mut table = Table::default();
    let rows = figure.rows(parameters.whole("steps")?)?;
    for (index, name) in CURVES.into_iter().enumerate() {
        for row in &rows {
            let found = [row.star, row.bisection, row.pin_out][index];
            let part = |of: fn(&Latency) -> f64| found.as_ref().map(of);
            row! { table;
                KIND => MODEL,
                "network" => name,
                "load" => row.load,
                "latency" => part(|l| l.cycles),
                "S" => part(|l| l.network_cycles),
                "V" => part(|l| l.multiplexing),
                "Ws" => part(|l| l.source_wait_cycles),
            }
        }
    }
    Ok(table)
}

/// Where the curves of every panel begin and end, and from which load on the hypercube is the faster
/// of the two, as a share of the star's saturation; empty where it never is before the star ends.
fn ends(_: &Parameters) -> Computed {
    let mut table = Table::default();
    for (letter, panel) in panels() {
        let figure = figure_2(panel)?;
        let (_, _, flits, _) = panel.parameters();
        let (star, cube, pins) = (&figure.star, &figure.bisection, &figure.pin_out);
        let found = [
            (star.zero_load_cycles(), star.saturation()),
            (cube.zero_load_cycles(), cube.saturation()),
            (pins.zero_load_cycles(), pins.saturation()),
        ];
        for (index, (name, (zero, saturation))) in CURVES.into_iter().zip(found).enumerate() {
            let ahead = if index == 0 {
                None
            } else {
                ahead_from(&figure, index)?
            };
            row! { table;
                "panel" => letter,
                "network" => name,
                "flits" => flits,
                "latency0" => zero,
                "saturation" => saturation,
                "ahead_from" => ahead,
            }
        }
    }
    Ok(table)
}

/// The first of 1000 even steps up to the star's saturation at which the hypercube is faster.
fn ahead_from(figure: &Figure2, curve: usize) -> Result<Option<f64>, Failure> {
    for step in 1..=1000 {
        let share = f64::from(step) / 1000.0;
        let row = figure.row(share * figure.star.saturation())?;
        let cube = [row.star, row.bisection, row.pin_out][curve];
        if let (Some(star), Some(cube)) = (row.star, cube)
            && cube.cycles < star.cycles
        {
            return Ok(Some(share));
        }
    }
    Ok(None)
}

/// Equations 4 to 9 for both pairs of networks.
fn widths(_: &Parameters) -> Computed {
    let mut table = Table::default();
    for (symbols, dimensions) in [(5, 7), (6, 10)] {
        let star = StarGraph::new(symbols)?;
        let cube = 2f64.powi(dimensions as i32);
        row! { table;
            "pair" => format!("S_{symbols} H_{dimensions}"),
            "nodes_star" => star.nodes(),
            "nodes_cube" => cube,
            "wires_star" => star_bisection_wires(symbols, 1.0)?,
            "wires_cube" => hypercube_bisection_wires(cube, 1.0),
            "pins_star" => star_pins(symbols, 1.0)?,
            "pins_cube" => hypercube_pins(dimensions, 1.0),
            "bisection_ratio" => bisection_ratio(symbols)?,
            "pin_out_ratio" => pin_out_ratio(symbols, dimensions)?,
            "distance_star" => star.distances().mean_without_self,
            "distance_cube" => mean_distance(dimensions),
        }
    }
    Ok(table)
}

/// Section 2.2: the negative hops of a message on a shortest path (those to the colour 0), at most,
/// and the virtual channels that negative-hop routing needs.
fn negative_hops(_: &Parameters) -> Computed {
    let mut table = Table::default();
    for symbols in 3..=6 {
        let network = StarGraph::new(symbols)?.into_network();
        let colours = two_colouring(&network).unwrap_or_default();
        let hops = distances_from(&network, NodeId(0));
        let diameter = hops.iter().max().copied().unwrap_or(0);
        // Every other hop is negative, from a source of either colour.
        let from = |is_high: bool| {
            let counts = hops.iter().map(|&h| (h + u32::from(is_high)) / 2);
            counts.max().unwrap_or(0)
        };
        let is_two_coloured = !colours.is_empty();
        let most = is_two_coloured.then(|| from(true).max(from(false)));
        row! { table;
            "symbols" => symbols,
            "diameter" => diameter,
            "negative_most" => most,
            "channels_printed" => diameter.div_ceil(2),
            "channels_needed" => escape_classes(symbols)?,
        }
    }
    Ok(table)
}

/// Section 2.2: how the flits of lone packets between all pairs of a star of `symbols` symbols are spread
/// over the virtual channels under nhop, which has as many as it needs.
fn channels_of_nhop(parameters: &Parameters) -> Computed {
    let network = StarGraph::new(parameters.whole("symbols")?)?.into_network();
    let virtual_channels = escape_classes(parameters.whole("symbols")?)?;
    let config = EngineConfig {
        virtual_channels,
        ..EngineConfig::default()
    };
    let routing = NegativeHop::new(Paths::of(&network)?, virtual_channels)?;
    let nodes = network.nodes();
    let all = (0..nodes * nodes).map(|pair| (pair / nodes, pair % nodes));
    let all: Vec<_> = all.filter(|(from, to)| from != to).collect();
    let sent = alone(&network, routing.into(), config, 1, &all)?.sent;
    let mut table = Table::default();
    for vc in 0..virtual_channels {
        let count = sent.iter().filter(|flit| flit.vc == vc).count();
        row!(table; "vc" => vc, "share" => count as f64 / sent.len() as f64);
    }
    Ok(table)
}

/// Section 1: what is left of a star without the links of one dimension: its parts, their nodes, and
/// how many of them are stars of a symbol less, by their distances.
fn parts(_: &Parameters) -> Computed {
    let mut table = Table::default();
    for symbols in 3..=6 {
        let star = StarGraph::new(symbols)?;
        let smaller = StarGraph::new(symbols - 1)?.into_network();
        let mut wanted = distances_from(&smaller, NodeId(0));
        wanted.sort_unstable();
        let network = star.into_network();
        let cube = network.star().expect("it is one");
        let mut part = vec![None; network.nodes() as usize];
        let [mut count, mut alike] = [0_u32; 2];
        for from in (0..network.nodes()).map(NodeId) {
            if part[from.index()].is_some() {
                continue;
            }
            part[from.index()] = Some(0_u32);
            let mut reached = vec![from];
            let mut next = 0;
            while let Some(&node) = reached.get(next) {
                next += 1;
                for i in 2..symbols {
                    let to = network.target(cube.channel(node, i));
                    if part[to.index()].is_none() {
                        part[to.index()] = part[node.index()].map(|hops| hops + 1);
                        reached.push(to);
                    }
                }
            }
            let hops: Vec<u32> = reached
                .iter()
                .filter_map(|node| part[node.index()])
                .collect();
            count += 1;
            alike += u32::from(hops == wanted);
        }
        row! { table;
            "symbols" => symbols,
            "parts" => count,
            "nodes" => network.nodes() / count,
            "stars" => alike,
        }
    }
    Ok(table)
}

/// P_v: how likely v virtual channels of a channel are busy, and their sum so far.
fn busy(parameters: &Parameters) -> Computed {
    let most = parameters.whole("virtual_channels")?;
    let mut table = Table::default();
    for utilization in parameters.numbers("utilizations")? {
        let mut sum = 0.0;
        for (v, share) in (0_u32..).zip(busy_probabilities(utilization, most)) {
            sum += share;
            row!(table; "utilization" => utilization, "v" => v, "P" => share, "sum" => sum);
        }
    }
    Ok(table)
}
