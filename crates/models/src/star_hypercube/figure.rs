//! Figure 2: latency against load of star and hypercube at equal cost (Kiasari & Sarbazi-Azad,
//! section 4.2).

use super::{Hypercube, Latency, Star, bisection_ratio, pin_out_ratio};
use crate::ModelError;

/// A panel of figure 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    /// S_5 and H_7, 32 flits, 12 virtual channels.
    A,
    /// S_5 and H_7, 100 flits, 12 virtual channels.
    B,
    /// S_6 and H_10, 32 flits, 5 virtual channels.
    C,
    /// S_6 and H_10, 100 flits, 5 virtual channels.
    D,
}

impl Panel {
    /// All four.
    pub const ALL: [Self; 4] = [Self::A, Self::B, Self::C, Self::D];

    /// Symbols of the star, dimensions of the hypercube, flits of a message, virtual channels.
    pub const fn parameters(self) -> (u32, u32, u32, u32) {
        match self {
            Self::A => (5, 7, 32, 12),
            Self::B => (5, 7, 100, 12),
            Self::C => (6, 10, 32, 5),
            Self::D => (6, 10, 100, 5),
        }
    }
}

/// The three curves of a panel. Loads and latencies are in cycles of the star's channels; the
/// hypercube's are 1/μ times as long.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure2 {
    /// The star graph.
    pub star: Star,
    /// The hypercube at the star's bisection width.
    pub bisection: Hypercube,
    /// The hypercube at the star's pins a node.
    pub pin_out: Hypercube,
}

/// A load of a panel, in messages a node a cycle, and what the curves have there; `None` above
/// saturation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure2Row {
    /// λ.
    pub load: f64,
    /// The star graph.
    pub star: Option<Latency>,
    /// The hypercube at equal bisection width.
    pub bisection: Option<Latency>,
    /// The hypercube at equal pin-out.
    pub pin_out: Option<Latency>,
}

/// The curves of `panel`.
///
/// # Errors
/// None: the panels lie within the models' domains.
pub fn figure_2(panel: Panel) -> Result<Figure2, ModelError> {
    let (symbols, dimensions, flits, virtual_channels) = panel.parameters();
    let flits = f64::from(flits);
    let hypercube = |ratio: f64| Hypercube::new(dimensions, flits, virtual_channels, 1.0 / ratio);
    Ok(Figure2 {
        star: Star::new(symbols, flits, virtual_channels, 1.0)?,
        bisection: hypercube(bisection_ratio(symbols)?)?,
        pin_out: hypercube(pin_out_ratio(symbols, dimensions)?)?,
    })
}

impl Figure2 {
    /// What the curves have at `load` messages a node a cycle.
    ///
    /// # Errors
    /// [`ModelError::OutOfDomain`] for a load below 0.
    pub fn row(&self, load: f64) -> Result<Figure2Row, ModelError> {
        Ok(Figure2Row {
            load,
            star: self.star.latency(load)?,
            bisection: self.bisection.latency(load)?,
            pin_out: self.pin_out.latency(load)?,
        })
    }

    /// `steps` rows at even steps up to where the last curve saturates.
    ///
    /// # Errors
    /// None for the panels of the figure.
    pub fn rows(&self, steps: u32) -> Result<Vec<Figure2Row>, ModelError> {
        let end = self.star.saturation();
        let end = end
            .max(self.bisection.saturation())
            .max(self.pin_out.saturation());
        (1..=steps)
            .map(|i| self.row(end * (f64::from(i) / f64::from(steps))))
            .collect()
    }
}
