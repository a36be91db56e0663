//! The numbers of figures 6 to 8.

use super::Cube;
use crate::ModelError;
use crate::error::within;
use flitsim_topology::layout::WireModel;

/// The sizes of figures 7 and 8: 256, 16K and 1M nodes.
pub const SIZES: [(&str, f64); 3] = [("256", 256.0), ("16K", 16_384.0), ("1M", 1_048_576.0)];

/// L of figure 8, in bits.
pub const FIGURE_8_BITS: f64 = 150.0;

/// Figure 6: the wires across `cut` (from 1) of one row of a binary n-cube, n = `dimensions` even, up
/// to 40; channels are one wire wide and a link is two.
///
/// In closed form: dimension i of the row joins places 2^i apart, so that across cut c, with
/// r = c mod 2^(i+1), there are min(r, 2^(i+1) − r) links of it.
///
/// # Errors
/// [`ModelError::OutOfDomain`] for an odd number of dimensions, above 40 or 0, and for a cut that is
/// not within the row of 2^(n/2) nodes.
pub fn binary_row_density(dimensions: u32, cut: u64) -> Result<u64, ModelError> {
    let holds = dimensions.is_multiple_of(2) && (2..=40).contains(&dimensions);
    within(
        "n, the dimension",
        f64::from(dimensions),
        holds,
        "even, 2 to 40",
    )?;
    let row = 1u64 << (dimensions / 2);
    let holds = (1..row).contains(&cut);
    within(
        "the cut",
        cut as f64,
        holds,
        "from 1 to the row's nodes less 1",
    )?;
    let links = (0..dimensions / 2).map(|i| {
        let period = 2u64 << i;
        (cut % period).min(period - cut % period)
    });
    Ok(2 * links.sum::<u64>())
}

/// A point of figures 7 and 8.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The size, as the paper writes it.
    pub set: &'static str,
    /// The cube: N, n, k.
    pub cube: Cube,
    /// Figure 7: pins a node, n k.
    pub pins: f64,
    /// L/W, in channel cycles.
    pub aspect_ratio: f64,
    /// Figure 8: latency, in cycles of a wire one pitch long.
    pub latency: f64,
}

/// Figures 7 and 8: every dimension from 2 to log2 N of the three sizes, for messages of
/// `message_bits` and the delay of wires by `wires`. The paper's has [`FIGURE_8_BITS`] and constant
/// delay; the logarithmic and linear models are in its text.
///
/// # Errors
/// [`ModelError::OutOfDomain`] unless `message_bits` is above 0.
pub fn figure_8(message_bits: f64, wires: WireModel) -> Result<Vec<Point>, ModelError> {
    let mut points = Vec::new();
    for (set, nodes) in SIZES {
        for dimensions in 2..=nodes.log2() as u32 {
            let cube = Cube::of_nodes(nodes, dimensions)?;
            points.push(Point {
                set,
                cube,
                pins: cube.pins_per_node(),
                aspect_ratio: cube.aspect_ratio(message_bits)?,
                latency: cube.latency(message_bits, wires)?,
            });
        }
    }
    Ok(points)
}
