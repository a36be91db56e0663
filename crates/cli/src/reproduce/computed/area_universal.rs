//! Greenberg & Guan, "An empirical comparison of area-universal and other parallel computing
//! networks": tables 1 to 3, figure 1's counts, and what figures 2 to 4 show without load.

use super::super::table::{Cell, Table};
use super::{ComputedError, Parameters, formula};
use flitsim_models::area_universal::{
    Constraint, Family, MESSAGE_BITS, SIZES, bisection_bound_bits, tables, zero_load_cycles,
};
use flitsim_topology::{Ends, FatTree, Grid, Network};

/// The table `name`.
///
/// # Errors
/// [`ComputedError`].
pub fn table(name: &str, parameters: &Parameters) -> Result<Table, ComputedError> {
    match name {
        "widths" => widths(parameters),
        "without-load" => without_load(parameters),
        "graphs" => graphs(),
        _ => Err(ComputedError::Unknown(name.to_owned())),
    }
}

fn constraint(parameters: &Parameters) -> Result<Constraint, ComputedError> {
    match parameters.word("constraint")? {
        "bisection" => Ok(Constraint::Bisection),
        "pin-out" => Ok(Constraint::PinOut),
        "area" => Ok(Constraint::Area),
        _ => {
            let kinds = "bisection, pin-out or area";
            Err(ComputedError::Parameter("constraint".to_owned(), kinds))
        }
    }
}

/// Tables 1 to 3: the costs by the closed forms, and the widths before rounding, rounded, and as
/// printed.
fn widths(parameters: &Parameters) -> Result<Table, ComputedError> {
    let wanted = constraint(parameters)? as u32 + 1;
    let columns = ["n", "network", "cost", "exact", "nearest", "printed", "off"];
    let mut table = Table::new(&columns);
    for entry in formula(tables())? {
        if entry.table != wanted {
            continue;
        }
        let off = f64::from(entry.nearest_width) - f64::from(entry.printed_width);
        table.push([
            entry.processors.into(),
            entry.family.name().into(),
            entry.cost.into(),
            entry.exact_width.into(),
            entry.nearest_width.into(),
            entry.printed_width.into(),
            off.into(),
        ]);
    }
    Ok(table)
}

/// Latency without load and the bound that the bisection sets, at the printed widths.
fn without_load(parameters: &Parameters) -> Result<Table, ComputedError> {
    let constraint = constraint(parameters)?;
    let columns = [
        "n", "network", "W", "flits", "distance", "latency", "bound", "side", "B",
    ];
    let mut table = Table::new(&columns);
    for n in SIZES {
        for family in Family::ALL {
            let width = family.printed_width(constraint, n).unwrap_or(1);
            table.push([
                n.into(),
                family.name().into(),
                width.into(),
                MESSAGE_BITS.div_ceil(width).into(),
                formula(family.mean_distance(n))?.into(),
                formula(zero_load_cycles(family, n, MESSAGE_BITS, width))?.into(),
                formula(bisection_bound_bits(family, n, f64::from(width)))?.into(),
                formula(family.side_pitches(n, f64::from(width)))?.into(),
                formula(family.bisection(n))?.into(),
            ]);
        }
    }
    Ok(table)
}

/// Figure 1 and section 2: switches and links of the networks themselves, and their pins beside those
/// of section 3.2's formulas.
fn graphs() -> Result<Table, ComputedError> {
    let columns = [
        "n",
        "network",
        "switches",
        "links",
        "pins",
        "pins_formula",
        "density",
    ];
    let mut table = Table::new(&columns);
    for n in SIZES {
        for family in Family::ALL {
            let network = network(family, n)?;
            let links = network.channels() / 2;
            let row: [Cell; 7] = [
                n.into(),
                family.name().into(),
                (network.nodes() - network.terminals()).into(),
                links.into(),
                (2 * links).into(),
                formula(family.pin_out(n))?.into(),
                formula(family.density(n))?.into(),
            ];
            table.push(row);
        }
    }
    Ok(table)
}

fn network(family: Family, processors: u32) -> Result<Network, ComputedError> {
    let log2 = processors.ilog2();
    Ok(match family {
        Family::Mesh => formula(Grid::uniform(1 << (log2 / 2), 2, Ends::Open))?.into_network(),
        Family::Hypercube => formula(Grid::hypercube(log2))?.into_network(),
        Family::FatTree => formula(FatTree::butterfly(processors))?.into_network(),
        Family::FatPyramid => formula(FatTree::pyramid(processors))?.into_network(),
    })
}
