//! What Greenberg & Guan's meshes and hypercubes cost.

use crate::TopologyError;
use crate::families::common::density::hypercube_density;
use crate::families::common::unit_cost::{UnitCost, sizes};

impl UnitCost {
    /// The √n × √n mesh: bisection √n, pin-out 4(n − √n), density 1.
    ///
    /// # Errors
    /// [`TopologyError::Parameter`] unless n is a power of four.
    pub fn mesh(processors: u32) -> Result<Self, TopologyError> {
        let (n, row, _) = sizes(processors)?;
        Ok(Self {
            processors: n,
            bisection: row,
            pin_out: 4.0 * (n - row),
            density: 1.0,
        })
    }

    /// The binary hypercube: bisection n/2, pin-out n log2 n, density
    /// (2^(k+2) − (−1)^k − 3) / 6 with k = log4 n.
    ///
    /// # Errors
    /// [`TopologyError::Parameter`] unless n is a power of four.
    pub fn hypercube(processors: u32) -> Result<Self, TopologyError> {
        let (n, _, levels) = sizes(processors)?;
        Ok(Self {
            processors: n,
            bisection: n / 2.0,
            pin_out: n * 2.0 * levels,
            density: hypercube_density(levels as u32),
        })
    }
}
