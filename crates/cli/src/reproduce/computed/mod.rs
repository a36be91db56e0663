//! Tables that formulas and graphs give, a file a paper.

mod area_universal;
mod express_cubes;
mod express_lines;
mod k_ary_n_cubes;
mod packets;
mod parameters;
mod pruned_tori;
mod star_hypercube;

use super::table::Table;
pub use parameters::Parameters;
use std::error::Error;

/// Why a table cannot be computed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ComputedError {
    /// No table has this name.
    #[error("no table `{0}` is known")]
    Unknown(String),
    /// A parameter is missing or of another kind.
    #[error("the parameter `{0}` must be {1}")]
    Parameter(String, &'static str),
    /// A formula outside its domain.
    #[error(transparent)]
    Formula(Box<dyn Error + Send + Sync>),
}

/// The table `name` of `paper`.
///
/// # Errors
/// [`ComputedError`].
pub fn table(paper: &str, name: &str, parameters: &Parameters) -> Result<Table, ComputedError> {
    match paper {
        "dally-express-cubes" => express_cubes::table(name, parameters),
        "dally-k-ary-n-cubes" => k_ary_n_cubes::table(name, parameters),
        "greenberg-guan-area-universal" => area_universal::table(name, parameters),
        "kiasari-sarbazi-azad-star-vs-hypercube" => star_hypercube::table(name, parameters),
        "parhami-kwai-pruned-tori" => pruned_tori::table(name, parameters),
        _ => Err(ComputedError::Unknown(name.to_owned())),
    }
}

/// What a formula gave.
fn formula<T, E: Error + Send + Sync + 'static>(value: Result<T, E>) -> Result<T, ComputedError> {
    value.map_err(|error| ComputedError::Formula(Box::new(error)))
}
