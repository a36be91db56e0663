//! What a model cannot be asked.

use flitsim_topology::TopologyError;

/// A question outside a model's domain.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A number that the equations are not made for.
    #[error("{quantity} is {value}; it must be {domain}")]
    OutOfDomain {
        /// What the number stands for.
        quantity: &'static str,
        /// What was given.
        value: f64,
        /// What is accepted.
        domain: &'static str,
    },
    /// A network that the model needs and that does not exist.
    #[error(transparent)]
    Network(#[from] TopologyError),
}

/// `value`, where `holds`.
pub(crate) fn within(
    quantity: &'static str,
    value: f64,
    holds: bool,
    domain: &'static str,
) -> Result<f64, ModelError> {
    if holds && value.is_finite() {
        return Ok(value);
    }
    Err(ModelError::OutOfDomain {
        quantity,
        value,
        domain,
    })
}

/// `value`, where it is above 0.
pub(crate) fn positive(quantity: &'static str, value: f64) -> Result<f64, ModelError> {
    within(quantity, value, value > 0.0, "above 0")
}

/// `value`, where it is not below 0.
pub(crate) fn not_negative(quantity: &'static str, value: f64) -> Result<f64, ModelError> {
    within(quantity, value, value >= 0.0, "0 or more")
}
