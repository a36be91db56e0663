//! Greenberg & Guan, "An empirical comparison of area-universal and other parallel computing
//! networks": tables 1 to 3, figure 1's counts, and what figures 2 to 4 show without load.

use super::super::table::{Table, row};
use super::formula::{BadParameter, Computed, Failure, Formula, Parameters, one_of};
use flitsim_models::area_universal::{
    Constraint, Family, MESSAGE_BITS, SIZES, bisection_bound_bits, tables, zero_load_cycles,
};
use flitsim_topology::{Ends, FatTree, Grid, Network};

/// The tables by name.
pub const TABLES: &[(&str, Formula)] = &[
    ("widths", widths),
    ("without-load", without_load),
    ("graphs", graphs),
    ("beyond", beyond),
];

/// What is made equal, by name.
const CONSTRAINTS: [(&str, Constraint); 3] = [
    ("bisection", Constraint::Bisection),
    ("pin-out", Constraint::PinOut),
    ("area", Constraint::Area),
];

fn constraint(parameters: &Parameters) -> Result<Constraint, BadParameter> {
    one_of(
        parameters,
        "constraint",
        &CONSTRAINTS,
        "bisection, pin-out or area",
    )
}

/// Tables 1 to 3: the costs by the closed forms, and the widths before rounding, rounded, and as
/// printed.
fn widths(parameters: &Parameters) -> Computed {
    let wanted = constraint(parameters)? as u32 + 1;
    let mut table = Table::default();
    for entry in tables()? {
        if entry.table != wanted {
            continue;
        }
        let off = (entry.exact_width - f64::from(entry.printed_width)).abs();
        row! { table;
            "n" => entry.processors,
            "network" => entry.family.name(),
            "cost" => entry.cost,
            "exact" => entry.exact_width,
            "nearest" => entry.nearest_width,
            "printed" => entry.printed_width,
            "off" => off,
        }
    }
    Ok(table)
}

/// Latency without load and the bound that the bisection sets, at the printed widths.
fn without_load(parameters: &Parameters) -> Computed {
    let constraint = constraint(parameters)?;
    let mut table = Table::default();
    for n in SIZES {
        for family in Family::ALL {
            let width = family.printed_width(constraint, n).unwrap_or(1);
            row! { table;
                "n" => n,
                "network" => family.name(),
                "W" => width,
                "flits" => MESSAGE_BITS.div_ceil(width),
                "distance" => family.mean_distance(n)?,
                "latency" => zero_load_cycles(family, n, MESSAGE_BITS, width)?,
                "bound" => bisection_bound_bits(family, n, f64::from(width))?,
                "side" => family.side_pitches(n, f64::from(width))?,
                "B" => family.bisection(n)?,
            }
        }
    }
    Ok(table)
}

/// Sections 3 and 4: widths at the mesh's cost, and latency without load, of sizes that the paper has not.
fn beyond(_: &Parameters) -> Computed {
    let mut table = Table::default();
    for n in [16_384, 65_536] {
        for (name, constraint) in CONSTRAINTS {
            for family in Family::ALL {
                let width = family.exact_width(constraint, n)?.round().max(1.0) as u32;
                row! { table;
                    "n" => n,
                    "constraint" => name,
                    "network" => family.name(),
                    "W" => width,
                    "latency" => zero_load_cycles(family, n, MESSAGE_BITS, width)?,
                }
            }
        }
    }
    Ok(table)
}

/// Figure 1 and section 2: switches and links of the networks themselves, and their pins beside those
/// of section 3.2's formulas.
fn graphs(_: &Parameters) -> Computed {
    let mut table = Table::default();
    for n in SIZES {
        for family in Family::ALL {
            let network = network(family, n)?;
            let links = network.channels() / 2;
            row! { table;
                "n" => n,
                "network" => family.name(),
                "switches" => network.nodes() - network.terminals(),
                "links" => links,
                "pins" => 2 * links,
                "pins_formula" => family.pin_out(n)?,
                "density" => family.density(n)?,
            }
        }
    }
    Ok(table)
}

fn network(family: Family, processors: u32) -> Result<Network, Failure> {
    let log2 = processors.ilog2();
    Ok(match family {
        Family::Mesh => Grid::uniform(1 << (log2 / 2), 2, Ends::Open)?.into_network(),
        Family::Hypercube => Grid::hypercube(log2)?.into_network(),
        Family::FatTree => FatTree::butterfly(processors)?.into_network(),
        Family::FatPyramid => FatTree::pyramid(processors)?.into_network(),
    })
}
