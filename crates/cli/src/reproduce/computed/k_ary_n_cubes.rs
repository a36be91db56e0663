//! Dally, "Wire-efficient VLSI multiprocessor communication networks": figures 6 to 8.

use super::super::table::Table;
use super::{ComputedError, Parameters, formula};
use flitsim_models::k_ary_n_cube::figures::{binary_row_density, figure_8};
use flitsim_topology::layout::WireModel;

/// The table `name`.
///
/// # Errors
/// [`ComputedError`].
pub fn table(name: &str, parameters: &Parameters) -> Result<Table, ComputedError> {
    match name {
        "row-density" => row_density(parameters),
        "dimensions" => dimensions(parameters),
        _ => Err(ComputedError::Unknown(name.to_owned())),
    }
}

/// Figure 6: wires across every cut of one row of a binary cube, and of a torus of as many nodes,
/// whose density is the same everywhere.
fn row_density(parameters: &Parameters) -> Result<Table, ComputedError> {
    let dimensions = parameters.number("dimensions")? as u32;
    let row = 1_u64 << (dimensions / 2);
    let mut table = Table::new(&["position", "density"]);
    for cut in 1..row {
        let density = formula(binary_row_density(dimensions, cut))?;
        table.push([(cut as f64).into(), (density as f64).into()]);
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
