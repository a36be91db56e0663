//! Kiasari & Sarbazi-Azad, "A comparative performance analysis of n-cubes and star graphs": figure 2
//! by the models, the widths of equations 4 to 9, and what section 2 says of the star.

use super::super::table::{Cell, KIND, MODEL, Table};
use super::{ComputedError, Parameters, formula};
use flitsim_models::star_hypercube::{
    Figure2, Latency, Panel, bisection_ratio, busy_probabilities, escape_classes, figure_2,
    hypercube_bisection_wires, hypercube_pins, mean_distance, pin_out_ratio, star_bisection_wires,
    star_pins,
};
use flitsim_topology::properties::{distances_from, two_colouring};
use flitsim_topology::{NodeId, Star as StarGraph};

/// The curves of a panel, in the order of [`curves`].
const CURVES: [&str; 3] = [
    "star",
    "hypercube, equal bisection",
    "hypercube, equal pin-out",
];

/// The table `name`.
///
/// # Errors
/// [`ComputedError`].
pub fn table(name: &str, parameters: &Parameters) -> Result<Table, ComputedError> {
    match name {
        "figure-2" => curves(parameters),
        "ends" => ends(),
        "widths" => widths(),
        "negative-hops" => negative_hops(),
        "busy" => busy(parameters),
        _ => Err(ComputedError::Unknown(name.to_owned())),
    }
}

fn panel(letter: &str) -> Option<Panel> {
    let index = ["a", "b", "c", "d"].iter().position(|&l| l == letter)?;
    Some(Panel::ALL[index])
}

/// A panel of figure 2.
fn curves(parameters: &Parameters) -> Result<Table, ComputedError> {
    let Some(panel) = panel(parameters.word("panel")?) else {
        return Err(ComputedError::Parameter("panel".to_owned(), "a, b, c or d"));
    };
    let figure = formula(figure_2(panel))?;
    let columns = [KIND, "network", "load", "latency", "S", "V", "Ws"];
    let mut table = Table::new(&columns);
    let rows = formula(figure.rows(parameters.number("steps")? as u32))?;
    for (index, name) in CURVES.into_iter().enumerate() {
        for row in &rows {
            let found = [row.star, row.bisection, row.pin_out][index];
            let part = |of: fn(&Latency) -> f64| Cell::from(found.as_ref().map(of));
            table.push([
                MODEL.into(),
                name.into(),
                row.load.into(),
                part(|l| l.cycles),
                part(|l| l.network_cycles),
                part(|l| l.multiplexing),
                part(|l| l.source_wait_cycles),
            ]);
        }
    }
    Ok(table)
}

/// Where the curves of every panel begin and end, and from which load on the hypercube is the faster
/// of the two, as a share of the star's saturation; empty where it never is before the star ends.
fn ends() -> Result<Table, ComputedError> {
    let columns = [
        "panel",
        "network",
        "flits",
        "latency0",
        "saturation",
        "ahead_from",
    ];
    let mut table = Table::new(&columns);
    for (letter, panel) in ["a", "b", "c", "d"].into_iter().zip(Panel::ALL) {
        let figure = formula(figure_2(panel))?;
        let (_, _, flits, _) = panel.parameters();
        let found = [
            (figure.star.zero_load_cycles(), figure.star.saturation()),
            (
                figure.bisection.zero_load_cycles(),
                figure.bisection.saturation(),
            ),
            (
                figure.pin_out.zero_load_cycles(),
                figure.pin_out.saturation(),
            ),
        ];
        for (index, (name, (zero, saturation))) in CURVES.into_iter().zip(found).enumerate() {
            let ahead = if index == 0 {
                None
            } else {
                ahead_from(&figure, index)?
            };
            table.push([
                letter.into(),
                name.into(),
                flits.into(),
                zero.into(),
                saturation.into(),
                ahead.into(),
            ]);
        }
    }
    Ok(table)
}

/// The first of 1000 even steps up to the star's saturation at which the hypercube is faster.
fn ahead_from(figure: &Figure2, curve: usize) -> Result<Option<f64>, ComputedError> {
    for step in 1..=1000 {
        let share = f64::from(step) / 1000.0;
        let row = formula(figure.row(share * figure.star.saturation()))?;
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
fn widths() -> Result<Table, ComputedError> {
    let columns = [
        "pair",
        "nodes_star",
        "nodes_cube",
        "wires_star",
        "wires_cube",
        "pins_star",
        "pins_cube",
        "bisection_ratio",
        "pin_out_ratio",
        "distance_star",
        "distance_cube",
    ];
    let mut table = Table::new(&columns);
    for (symbols, dimensions) in [(5, 7), (6, 10)] {
        let star = formula(StarGraph::new(symbols))?;
        let cube = 2f64.powi(dimensions as i32);
        table.push([
            format!("S_{symbols} H_{dimensions}").as_str().into(),
            star.nodes().into(),
            cube.into(),
            formula(star_bisection_wires(symbols, 1.0))?.into(),
            hypercube_bisection_wires(cube, 1.0).into(),
            formula(star_pins(symbols, 1.0))?.into(),
            hypercube_pins(dimensions, 1.0).into(),
            formula(bisection_ratio(symbols))?.into(),
            formula(pin_out_ratio(symbols, dimensions))?.into(),
            star.distances().mean_without_self.into(),
            mean_distance(dimensions).into(),
        ]);
    }
    Ok(table)
}

/// Section 2.2: the negative hops of a message on a shortest path (those to the colour 0), at most,
/// and the virtual channels that negative-hop routing needs.
fn negative_hops() -> Result<Table, ComputedError> {
    let columns = [
        "symbols",
        "diameter",
        "negative_most",
        "channels_printed",
        "channels_needed",
    ];
    let mut table = Table::new(&columns);
    for symbols in 3..=6 {
        let network = formula(StarGraph::new(symbols))?.into_network();
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
        table.push([
            symbols.into(),
            diameter.into(),
            most.into(),
            diameter.div_ceil(2).into(),
            formula(escape_classes(symbols))?.into(),
        ]);
    }
    Ok(table)
}

/// P_v: how likely v virtual channels of a channel are busy, and their sum so far.
fn busy(parameters: &Parameters) -> Result<Table, ComputedError> {
    let most = parameters.number("virtual_channels")? as u32;
    let mut table = Table::new(&["utilization", "v", "P", "sum"]);
    for utilization in parameters.numbers("utilizations")? {
        let mut sum = 0.0;
        for (v, share) in (0_u32..).zip(busy_probabilities(utilization, most)) {
            sum += share;
            table.push([utilization.into(), v.into(), share.into(), sum.into()]);
        }
    }
    Ok(table)
}
