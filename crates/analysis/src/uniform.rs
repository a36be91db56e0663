//! Closed forms for dimension order under uniform traffic, for networks too large to walk (Dally &
//! Towles, section 3.2 and exercise 3.6).
//!
//! Under uniform traffic, a node's own address included, each coordinate of a destination is
//! uniform and independent of the others. So every line or ring of radix k carries k sources of 1
//! flit a cycle with uniform destinations, and the load of its busiest channel is the number of
//! ordered pairs across it over k.

use flitsim_engine::routing::Tie;
use flitsim_topology::{Ends, Grid};

/// γ of the busiest channel under dimension order, in flits a cycle, at an offered load of 1 flit a
/// node a cycle, uniform over all nodes, the source included. Without the source it is N/(N − 1)
/// times as much.
pub fn channel_load_max(grid: &Grid, tie: Tie) -> f64 {
    (0..grid.dimensions())
        .map(|dimension| busiest(grid, dimension, tie))
        .fold(0.0, f64::max)
}

fn busiest(grid: &Grid, dimension: usize, tie: Tie) -> f64 {
    let radix = grid.radices()[dimension];
    let k = f64::from(radix);
    if !grid.is_ring(dimension) {
        return f64::from(radix / 2) * f64::from(radix.div_ceil(2)) / k;
    }
    match (grid.ends(), tie) {
        (Ends::DirectedRing, _) => (k - 1.0) / 2.0,
        _ if radix % 2 == 1 => (k * k - 1.0) / (8.0 * k),
        (_, Tie::Random) => k / 8.0,
        (_, Tie::Positive) => (k + 2.0) / 8.0,
    }
}
