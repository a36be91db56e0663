//! The arithmetic of equal wire bisection (Dally, "Wire-efficient VLSI multiprocessor communication
//! networks", section 5): k-ary n-cubes of one-way rings, all as wide at the middle as the binary
//! n-cube of N nodes whose channels are one wire wide, B = N.
//!
//! The radix is a real number, as in the paper's figures: k = N^(1/n). A one-way channel of width W
//! is W wires.

/// The radix of a k-ary n-cube of `nodes` nodes, k = N^(1/n) (equation 1).
pub fn radix(nodes: f64, dimensions: u32) -> f64 {
    // Rounded where a whole number gives exactly as many nodes, for the root is not exact.
    let root = nodes.powf(1.0 / f64::from(dimensions));
    let whole = root.round();
    if whole.powi(dimensions as i32) == nodes {
        whole
    } else {
        root
    }
}

/// Wires across the middle of a k-ary n-cube of `nodes` nodes whose channels are `width` wires wide:
/// B = 2 W N / k (equation 6).
pub fn bisection_wires(nodes: f64, radix: f64, width: f64) -> f64 {
    2.0 * width * nodes / radix
}

/// The channel width at which a k-ary n-cube has the bisection B = N: W = k / 2 (equation 7).
pub fn channel_width(radix: f64) -> f64 {
    radix / 2.0
}

/// Pins of a node at that width: 2n channels, in and out, of k/2 wires, N_p = n k (equation 9).
pub fn pins_per_node(radix: f64, dimensions: u32) -> f64 {
    2.0 * f64::from(dimensions) * channel_width(radix)
}

/// The longest wire, k^(n/2 − 1) pitches (equation 13): the stretch of the highest dimension. A
/// folded ring of more than two nodes has wires twice as long, which the paper leaves out.
pub fn longest_wire_pitches(radix: f64, dimensions: u32) -> f64 {
    radix.powf(f64::from(dimensions) / 2.0 - 1.0)
}

/// What the wires across any cut between two columns are bounded by, in all √N rows together, at the
/// width of equal bisection: k √N (√N − 1) / (k − 1), itself below B k / (k − 1) (equation 8).
pub fn density_bound_wires(nodes: f64, radix: f64) -> f64 {
    let row = nodes.sqrt();
    radix * row * (row - 1.0) / (radix - 1.0)
}
