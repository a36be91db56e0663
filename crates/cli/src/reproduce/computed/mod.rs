//! Tables that formulas and graphs give, a file a paper.

mod area_universal;
mod express_cubes;
mod express_lines;
mod formula;
mod k_ary_n_cubes;
mod pruned_tori;
mod star_hypercube;

use super::table::Table;
use formula::Formula;
pub use formula::{ComputedError, Parameters};

/// The table `name` of `paper`.
///
/// # Errors
/// [`ComputedError`].
pub fn table(paper: &str, name: &str, parameters: &Parameters) -> Result<Table, ComputedError> {
    let tables: [&[(&str, Formula)]; 2] = match paper {
        "dally-express-cubes" => [express_cubes::TABLES, express_lines::TABLES],
        "dally-k-ary-n-cubes" => [k_ary_n_cubes::TABLES, &[]],
        "greenberg-guan-area-universal" => [area_universal::TABLES, &[]],
        "kiasari-sarbazi-azad-star-vs-hypercube" => [star_hypercube::TABLES, &[]],
        "parhami-kwai-pruned-tori" => [pruned_tori::MODELLED, pruned_tori::COUNTED],
        _ => [&[], &[]],
    };
    let found = tables
        .into_iter()
        .flatten()
        .find(|(known, _)| *known == name);
    let (_, of) = found.ok_or_else(|| ComputedError::Unknown(name.to_owned()))?;
    of(parameters).map_err(ComputedError::Formula)
}
