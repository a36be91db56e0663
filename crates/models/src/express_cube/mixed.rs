//! Hierarchies whose radix varies from level to level (Dally, section III-C, footnote 5): first-level
//! interchanges every i_1 nodes, and in place of every i_j-th one of level j − 1 one of level j.
//!
//! The paper says that they are possible and no more. Equation 5 and the corrected digit formulas carry
//! over with a radix for each digit. Hops are counted as in [`super::hops`].

use crate::ModelError;
use crate::error::within;

/// Π i_j: nodes between interchanges of the highest level.
///
/// # Errors
/// [`ModelError::OutOfDomain`] unless there is a level, every radix is at least 2 and the product at
/// most 2^32.
pub fn reach(radices: &[u64]) -> Result<u64, ModelError> {
    let levels = radices.len() as f64;
    within("l", levels, !radices.is_empty(), "at least 1")?;
    let mut reach = 1u64;
    for &radix in radices {
        within("i", radix as f64, radix >= 2, "at least 2")?;
        reach = reach.saturating_mul(radix);
    }
    let holds = reach <= 1 << 32;
    within("the product of all i", reach as f64, holds, "up to 2^32")?;
    Ok(reach)
}

/// Equation 5 with a radix for each level: H = D/Π i_j + Σ (i_j − 1) + 1 over `distance` = D, a
/// multiple of Π i_j.
///
/// # Errors
/// As [`reach`]; and [`ModelError::OutOfDomain`] unless Π i_j divides D > 0.
pub fn hierarchical(distance: u64, radices: &[u64]) -> Result<u64, ModelError> {
    let reach = reach(radices)?;
    let holds = distance > 0 && distance.is_multiple_of(reach);
    within(
        "D, in pitches",
        distance as f64,
        holds,
        "a multiple of the product of all i",
    )?;
    Ok(distance / reach + radices.iter().map(|i| i - 1).sum::<u64>() + 1)
}

/// H between the nodes `a` and `b` of a line whose interchanges are whole modules; as far either way.
///
/// # Errors
/// As [`reach`].
pub fn between(a: u64, b: u64, radices: &[u64]) -> Result<u64, ModelError> {
    reach(radices)?;
    let (source, destination) = (a.min(b), a.max(b));
    let (mut from, mut to) = (source, destination);
    // What is climbed and descended on the levels below the highest that the message uses.
    let mut steps = 0;
    for (level, radix) in radices.iter().enumerate() {
        if from / radix == to / radix {
            return Ok(if level == 0 {
                to - from
            } else {
                steps + 1 + to - from
            });
        }
        steps += radix - 1 - from % radix + to % radix;
        (from, to) = (from / radix, to / radix);
    }
    Ok(steps + 1 + to - from)
}
