//! What star graphs cost.

use super::Star;
use crate::families::common::density::ThompsonArea;
use crate::families::common::unit_cost::UnitCost;
use crate::{NodeId, TopologyError};

impl UnitCost {
    /// The star graph S_n of `symbols` = n symbols: bisection N n / (4 (n − 1)) for even n,
    /// N (n² − 3) / (4 n (n − 2)) for odd n (Kiasari & Sarbazi-Azad, equation 5); pin-out N (n − 1);
    /// the density of the recursive layout.
    ///
    /// # Errors
    /// As [`Star::new`].
    pub fn star(symbols: u32) -> Result<Self, TopologyError> {
        let star = &Star::new(symbols)?;
        let processors = f64::from(star.nodes());
        let nodes = (0..star.nodes()).map(NodeId);
        let channels = nodes
            .flat_map(|source| (2..=symbols).map(move |i| (source, star.neighbour(source, i))));
        let area = ThompsonArea::of_channels(&star.places(), channels);
        Ok(Self {
            processors,
            bisection: star.bisection_channels() as f64 / 2.0,
            pin_out: processors * f64::from(symbols - 1),
            density: area.side() / processors.sqrt(),
        })
    }
}
