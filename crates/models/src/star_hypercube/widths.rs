//! Wires, pins, and the channel widths at which they are equal (Kiasari & Sarbazi-Azad, section 4.1).

use crate::ModelError;
use crate::error::{positive, within};

/// B = N C_w: wires across the middle of a hypercube of `nodes` nodes whose one-way channels are
/// `width` wires wide, both ways (equation 4).
pub fn hypercube_bisection_wires(nodes: f64, width: f64) -> f64 {
    nodes * width
}

/// The same for the star graph S_n of n = `symbols` and n! nodes: N n / (2 (n − 1)) C_w for even n,
/// N (n² − 3) / (2 n (n − 2)) C_w for odd n (equation 5). For odd n that is an upper bound: S_5 has a
/// cut of 40 links where the equation says 44.
///
/// # Errors
/// [`ModelError::OutOfDomain`] for fewer than 2 symbols.
pub fn star_bisection_wires(symbols: u32, width: f64) -> Result<f64, ModelError> {
    let nodes: f64 = (1..=symbols).map(f64::from).product();
    Ok(nodes * bisection_ratio(symbols)? * width)
}

/// μ for equal bisection width: the hypercube's channel width over the star's, for as many nodes
/// (equation 6): n / (2 (n − 1)) for even n, (n² − 3) / (2 n (n − 2)) for odd n.
///
/// # Errors
/// [`ModelError::OutOfDomain`] for fewer than 2 symbols.
pub fn bisection_ratio(symbols: u32) -> Result<f64, ModelError> {
    let n = within(
        "the number of symbols",
        f64::from(symbols),
        symbols >= 2,
        "at least 2",
    )?;
    Ok(if symbols.is_multiple_of(2) {
        n / (2.0 * (n - 1.0))
    } else {
        (n * n - 3.0) / (2.0 * n * (n - 2.0))
    })
}

/// P = n C_w: pins of a node of the hypercube H_n (equation 7).
pub fn hypercube_pins(dimensions: u32, width: f64) -> f64 {
    f64::from(dimensions) * width
}

/// P = (n − 1) C_w: pins of a node of the star graph S_n (equation 8).
///
/// # Errors
/// [`ModelError::OutOfDomain`] for fewer than 2 symbols.
pub fn star_pins(symbols: u32, width: f64) -> Result<f64, ModelError> {
    let n = within(
        "the number of symbols",
        f64::from(symbols),
        symbols >= 2,
        "at least 2",
    )?;
    Ok((n - 1.0) * width)
}

/// μ for equal pin-out: the hypercube's channel width over the star's, (n₂ − 1) / n₁ (equation 9).
///
/// # Errors
/// [`ModelError::OutOfDomain`] for fewer than 2 symbols or 1 dimension.
pub fn pin_out_ratio(symbols: u32, dimensions: u32) -> Result<f64, ModelError> {
    let dimensions = positive("the number of dimensions", f64::from(dimensions))?;
    Ok(star_pins(symbols, 1.0)? / dimensions)
}
