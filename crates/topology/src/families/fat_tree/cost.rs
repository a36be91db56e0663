//! What Greenberg & Guan's trees cost.

use crate::TopologyError;
use crate::families::common::unit_cost::{UnitCost, sizes};

impl UnitCost {
    /// The butterfly fat-tree: bisection √n, pin-out n + 3(n − √n), density log4 n. The pin-out
    /// counts six pins at every switch, so two unconnected ones at each of the √n/2 switches of the
    /// highest level: √n more than the graph has.
    ///
    /// # Errors
    /// [`TopologyError::Parameter`] unless n is a power of four.
    pub fn butterfly_fat_tree(processors: u32) -> Result<Self, TopologyError> {
        let (n, row, levels) = sizes(processors)?;
        Ok(Self {
            processors: n,
            bisection: row,
            pin_out: n + 3.0 * (n - row),
            density: levels,
        })
    }

    /// The fat-pyramid: bisection √n log16(4n), pin-out n + 5(n − √n) − √n log2 n, density
    /// (3/2) log4 n. The pin-out counts √n pins more than the graph has, as for the butterfly
    /// fat-tree.
    ///
    /// # Errors
    /// [`TopologyError::Parameter`] unless n is a power of four.
    pub fn fat_pyramid(processors: u32) -> Result<Self, TopologyError> {
        let (n, row, levels) = sizes(processors)?;
        Ok(Self {
            processors: n,
            bisection: row * (levels + 1.0) / 2.0,
            pin_out: n + 5.0 * (n - row) - row * 2.0 * levels,
            density: 1.5 * levels,
        })
    }
}
