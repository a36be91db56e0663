//! What networks cost in wires, and the channel widths that make costs equal (Greenberg & Guan,
//! "An empirical comparison of area-universal and other parallel computing networks", 1996,
//! section 3 and tables 1 to 3).
//!
//! Costs are those of a network of n = 4^m processors whose channels are one wire wide, and
//! proportional to the width. A link counts once, not once each way, as the paper counts.

use crate::TopologyError;
use crate::fat_tree::levels_of;

/// The cost that is made equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// Wires cut when the network is divided into two equal halves.
    Bisection,
    /// Wires that end at processors and switches, over all of them.
    PinOut,
    /// The side of the Thompson model's layout.
    Area,
}

/// What a network with channels one wire wide costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitCost {
    /// Bisection width, in wires.
    pub bisection: f64,
    /// Total pin-out, in pins.
    pub pin_out: f64,
    /// Wire density d, in wires a row or column of processors: the side of the layout is
    /// √n · d · W wire pitches.
    pub density: f64,
}

impl UnitCost {
    /// The √n × √n mesh: bisection √n, pin-out 4(n − √n), density 1.
    ///
    /// # Errors
    /// [`TopologyError::ProcessorsNotPowerOfFour`].
    pub fn mesh(processors: u32) -> Result<Self, TopologyError> {
        let (n, row, _) = sizes(processors)?;
        Ok(Self {
            bisection: row,
            pin_out: 4.0 * (n - row),
            density: 1.0,
        })
    }

    /// The binary hypercube: bisection n/2, pin-out n log2 n, density
    /// (2^(k+2) − (−1)^k − 3) / 6 with k = log4 n.
    ///
    /// # Errors
    /// [`TopologyError::ProcessorsNotPowerOfFour`].
    pub fn hypercube(processors: u32) -> Result<Self, TopologyError> {
        let (n, row, levels) = sizes(processors)?;
        let sign = if levels % 2.0 == 0.0 { 1.0 } else { -1.0 };
        Ok(Self {
            bisection: n / 2.0,
            pin_out: n * 2.0 * levels,
            density: (4.0 * row - sign - 3.0) / 6.0,
        })
    }

    /// The butterfly fat-tree: bisection √n, pin-out n + 3(n − √n), density log4 n. The pin-out
    /// counts six pins at every switch, so two unconnected ones at each of the √n/2 switches of the
    /// highest level: √n more than the graph has.
    ///
    /// # Errors
    /// [`TopologyError::ProcessorsNotPowerOfFour`].
    pub fn butterfly_fat_tree(processors: u32) -> Result<Self, TopologyError> {
        let (n, row, levels) = sizes(processors)?;
        Ok(Self {
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
    /// [`TopologyError::ProcessorsNotPowerOfFour`].
    pub fn fat_pyramid(processors: u32) -> Result<Self, TopologyError> {
        let (n, row, levels) = sizes(processors)?;
        Ok(Self {
            bisection: row * (levels + 1.0) / 2.0,
            pin_out: n + 5.0 * (n - row) - row * 2.0 * levels,
            density: 1.5 * levels,
        })
    }

    /// The cost that `constraint` makes equal.
    pub fn under(&self, constraint: Constraint) -> f64 {
        match constraint {
            Constraint::Bisection => self.bisection,
            Constraint::PinOut => self.pin_out,
            Constraint::Area => self.density,
        }
    }

    /// The channel width, in bits, at which this network costs as much as `reference` does with
    /// channels `reference_width_bits` wide: not rounded.
    pub fn width_bits(
        &self,
        constraint: Constraint,
        reference: &Self,
        reference_width_bits: u32,
    ) -> f64 {
        // A product first: it is exact, so that a quotient half way between integers is too.
        f64::from(reference_width_bits) * reference.under(constraint) / self.under(constraint)
    }
}

/// The channel width that is built for an exact one: the nearest integer, a half upward, 1 at the
/// least.
///
/// Three of the sixty widths that the paper prints are not the nearest: 10 for the hypercube of
/// 4,096 processors under equal pin-out (10.5), and 10 for the fat-tree of 64 and the fat-pyramid
/// of 16 under equal area (10.67 both).
pub fn nearest_width_bits(exact: f64) -> u32 {
    exact.round().max(1.0) as u32
}

/// n, √n and log4 n.
fn sizes(processors: u32) -> Result<(f64, f64, f64), TopologyError> {
    let Some(levels) = levels_of(processors) else {
        let wanted = u64::from(processors);
        let nearest = (1..=15)
            .map(|levels| 1u64 << (2 * levels))
            .min_by_key(|size| size.abs_diff(wanted))
            .unwrap_or(4);
        return Err(TopologyError::ProcessorsNotPowerOfFour {
            processors: wanted,
            nearest,
        });
    };
    let row = f64::from(1u32 << levels);
    Ok((row * row, row, f64::from(levels)))
}
