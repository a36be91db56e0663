//! Costs and channel widths of meshes, hypercubes, butterfly fat-trees and fat-pyramids (R. I.
//! Greenberg & L. Guan, "An empirical comparison of area-universal and other parallel computing
//! networks", 1996, section 3).
//!
//! n is the number of processors, a power of four. Costs are in units of the channel width; a link
//! counts as one channel. [`tables`] holds tables 1 to 3 as they follow from the formulas beside what
//! is printed: two of the sixty printed widths are not the nearest integer, and 10 stands for 10.5
//! once. The paper simulates and has no model of latency but the one without load,
//! [`zero_load_cycles`].

use crate::ModelError;
use crate::error::{positive, within};
use flitsim_topology::properties::grid_distances;
use flitsim_topology::{Ends, FatTree, Grid};

/// A network of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// The √n × √n mesh.
    Mesh,
    /// The binary hypercube.
    Hypercube,
    /// The butterfly fat-tree.
    FatTree,
    /// The fat-pyramid.
    FatPyramid,
}

/// The cost that is made equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// Section 3.1, table 1.
    Bisection,
    /// Section 3.2, table 2.
    PinOut,
    /// Section 3.3, table 3.
    Area,
}

/// The sizes of the tables.
pub const SIZES: [u32; 5] = [16, 64, 256, 1024, 4096];

/// The mesh's channel width in all tables, in bits.
pub const MESH_WIDTH: u32 = 32;

/// The length of a message in the simulations, in bits.
pub const MESSAGE_BITS: u32 = 320;

/// The widths as printed: by constraint, then size, then network.
const PRINTED: [[[u32; 4]; 5]; 3] = [
    [
        [32, 16, 32, 21],
        [32, 8, 32, 16],
        [32, 4, 32, 13],
        [32, 2, 32, 11],
        [32, 1, 32, 9],
    ],
    [
        [32, 24, 30, 26],
        [32, 19, 31, 24],
        [32, 15, 31, 23],
        [32, 12, 32, 22],
        [32, 10, 32, 22],
    ],
    [
        [32, 16, 16, 10],
        [32, 6, 10, 7],
        [32, 3, 8, 5],
        [32, 2, 6, 4],
        [32, 1, 5, 4],
    ],
];

impl Family {
    /// In the order of the tables.
    pub const ALL: [Self; 4] = [Self::Mesh, Self::Hypercube, Self::FatTree, Self::FatPyramid];

    /// The name in the tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mesh => "mesh",
            Self::Hypercube => "hypercube",
            Self::FatTree => "BFT",
            Self::FatPyramid => "fat-pyramid",
        }
    }

    /// B, links across the middle (section 3.1): √n, n/2, √n, √n log16 4n. The last is the sum of the
    /// fat-tree's √n and, for each level h below the highest, 2^h meshes of √(n/4)/2^h rows.
    ///
    /// # Errors
    /// [`ModelError::OutOfDomain`] unless `processors` is a power of four from 4 to 4^15.
    pub fn bisection(self, processors: u32) -> Result<f64, ModelError> {
        let (n, row, log4) = sizes(processors)?;
        Ok(match self {
            Self::Mesh | Self::FatTree => row,
            Self::Hypercube => n / 2.0,
            Self::FatPyramid => row * (log4 + 1.0) / 2.0,
        })
    }

    /// PO, pins of all processors and switches (section 3.2): 4(n − √n), n log2 n, n + 3(n − √n),
    /// n + 5(n − √n) − √n log2 n. The last two count two unconnected ports at each of the √n/2 roots,
    /// √n more than the graph has.
    ///
    /// # Errors
    /// As [`Family::bisection`].
    pub fn pin_out(self, processors: u32) -> Result<f64, ModelError> {
        let (n, row, log4) = sizes(processors)?;
        Ok(match self {
            Self::Mesh => 4.0 * (n - row),
            Self::Hypercube => n * 2.0 * log4,
            Self::FatTree => n + 3.0 * (n - row),
            Self::FatPyramid => n + 5.0 * (n - row) - row * 2.0 * log4,
        })
    }

    /// d, wires a row or column (section 3.3): 1, (2^(k+2) − (−1)^k − 3)/6 with k = log4 n, log4 n,
    /// (3/2) log4 n.
    ///
    /// # Errors
    /// As [`Family::bisection`].
    pub fn density(self, processors: u32) -> Result<f64, ModelError> {
        let (_, _, log4) = sizes(processors)?;
        Ok(match self {
            Self::Mesh => 1.0,
            Self::Hypercube => {
                let k = log4 as i32;
                (2f64.powi(k + 2) - (-1f64).powi(k) - 3.0) / 6.0
            }
            Self::FatTree => log4,
            Self::FatPyramid => 1.5 * log4,
        })
    }

    /// S(n) = √n d W P: the side of the layout, channels being `width` = W wires wide, in wire
    /// pitches (equation 1 with P = 1; equation 3 for the fat-tree).
    ///
    /// # Errors
    /// As [`Family::bisection`], and unless `width` is above 0.
    pub fn side_pitches(self, processors: u32, width: f64) -> Result<f64, ModelError> {
        let (_, row, _) = sizes(processors)?;
        Ok(row * self.density(processors)? * positive("W, in wires", width)?)
    }

    /// What `constraint` makes equal.
    ///
    /// # Errors
    /// As [`Family::bisection`].
    pub fn cost(self, constraint: Constraint, processors: u32) -> Result<f64, ModelError> {
        match constraint {
            Constraint::Bisection => self.bisection(processors),
            Constraint::PinOut => self.pin_out(processors),
            Constraint::Area => self.density(processors),
        }
    }

    /// W before rounding: the width, in bits, at which this network costs as much as the mesh with
    /// channels [`MESH_WIDTH`] wide.
    ///
    /// # Errors
    /// As [`Family::bisection`].
    pub fn exact_width(self, constraint: Constraint, processors: u32) -> Result<f64, ModelError> {
        let mesh = Self::Mesh.cost(constraint, processors)?;
        // Products first: a quotient half way between integers is then exact.
        Ok(f64::from(MESH_WIDTH) * mesh / self.cost(constraint, processors)?)
    }

    /// W as printed; `None` for sizes that are not in the tables.
    pub fn printed_width(self, constraint: Constraint, processors: u32) -> Option<u32> {
        let size = SIZES.iter().position(|&n| n == processors)?;
        let network = Self::ALL.iter().position(|&family| family == self)?;
        Some(PRINTED[constraint as usize][size][network])
    }

    /// The mean distance between two different processors, in links, those of the processors
    /// included; in the fat-pyramid at the level of least cost.
    ///
    /// # Errors
    /// As [`Family::bisection`].
    pub fn mean_distance(self, processors: u32) -> Result<f64, ModelError> {
        let (_, _, log4) = sizes(processors)?;
        let distances = match self {
            Self::Mesh => grid_distances(&Grid::uniform(1 << log4 as u32, 2, Ends::Open)?),
            Self::Hypercube => grid_distances(&Grid::hypercube(2 * log4 as u32)?),
            Self::FatTree => FatTree::butterfly(processors)?.distances(),
            Self::FatPyramid => FatTree::pyramid(processors)?.distances(),
        };
        Ok(distances.mean_without_self)
    }
}

/// The nearest integer, a half upward, and 1 at the least: what the tables' widths are rounded to,
/// but for three.
pub fn nearest_width(exact: f64) -> u32 {
    exact.round().max(1.0) as u32
}

/// The latency of a lone message of `message_bits` over channels `width` bits wide: the mean distance
/// and ⌈bits/W⌉ flits, in cycles. A sentence of section 4 has it nearly constant up to saturation.
///
/// # Errors
/// As [`Family::bisection`], and unless `message_bits` and `width` are above 0.
pub fn zero_load_cycles(
    family: Family,
    processors: u32,
    message_bits: u32,
    width: u32,
) -> Result<f64, ModelError> {
    positive("the message, in bits", f64::from(message_bits))?;
    positive("W, in bits", f64::from(width))?;
    Ok(family.mean_distance(processors)? + f64::from(message_bits.div_ceil(width)))
}

/// The bound that the bisection sets to uniform traffic to other processors, in bits a processor a
/// cycle: n/2 processors send n/(2 (n − 1)) of it across B channels of `width` = W each way.
///
/// # Errors
/// As [`Family::bisection`], and unless `width` is above 0.
pub fn bisection_bound_bits(
    family: Family,
    processors: u32,
    width: f64,
) -> Result<f64, ModelError> {
    let (n, ..) = sizes(processors)?;
    let across = family.bisection(processors)? * positive("W, in bits", width)?;
    Ok(across * 4.0 * (n - 1.0) / (n * n))
}

/// An entry of tables 1 to 3.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// The table: 1, 2 or 3.
    pub table: u32,
    /// n.
    pub processors: u32,
    /// The network.
    pub family: Family,
    /// B, PO or d.
    pub cost: f64,
    /// W before rounding.
    pub exact_width: f64,
    /// W rounded to the nearest integer, at least 1.
    pub nearest_width: u32,
    /// W as printed.
    pub printed_width: u32,
}

/// Tables 1 to 3, row by row.
///
/// # Errors
/// None: the sizes are powers of four.
pub fn tables() -> Result<Vec<Entry>, ModelError> {
    let constraints = [Constraint::Bisection, Constraint::PinOut, Constraint::Area];
    let mut entries = Vec::new();
    for (size, processors) in SIZES.into_iter().enumerate() {
        for constraint in constraints {
            for (network, family) in Family::ALL.into_iter().enumerate() {
                let exact_width = family.exact_width(constraint, processors)?;
                entries.push(Entry {
                    table: constraint as u32 + 1,
                    processors,
                    family,
                    cost: family.cost(constraint, processors)?,
                    exact_width,
                    nearest_width: nearest_width(exact_width),
                    printed_width: PRINTED[constraint as usize][size][network],
                });
            }
        }
    }
    Ok(entries)
}

/// n, √n and log4 n.
fn sizes(processors: u32) -> Result<(f64, f64, f64), ModelError> {
    let log2 = processors.checked_ilog2().unwrap_or(0);
    let holds = processors.is_power_of_two() && log2.is_multiple_of(2) && (2..=30).contains(&log2);
    let domain = "a power of four, 4 to 4^15";
    let n = within(
        "n, the number of processors",
        f64::from(processors),
        holds,
        domain,
    )?;
    let log4 = log2 / 2;
    Ok((n, f64::from(1u32 << log4), f64::from(log4)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sums of sections 3.1 and 3.2 and the recurrence of equation 2.
    #[test]
    fn closed_forms_are_the_papers_sums() {
        for log4 in 1..=8 {
            let n = 1u32 << (2 * log4);
            let (size, row) = (f64::from(n), f64::from(1u32 << log4));
            let highest = log4 - 1;
            let quarter = size / 4.0;
            let at = |h: i32, power: f64| {
                2f64.powi(h) * (quarter.powf(power) / 2f64.powi(h).powf(2.0 * power))
            };
            let meshes: f64 = (0..highest).map(|h| at(h, 0.5)).sum();
            assert_eq!(Family::FatPyramid.bisection(n).unwrap(), row + meshes);
            let switches: f64 = (0..=highest).map(|h| at(h, 1.0)).sum();
            assert_eq!(Family::FatTree.pin_out(n).unwrap(), size + 6.0 * switches);
            let edges: f64 = (0..=highest).map(|h| at(h, 0.5)).sum();
            let pins = size + 10.0 * switches - 4.0 * edges;
            assert_eq!(Family::FatPyramid.pin_out(n).unwrap(), pins);
        }
        // S(n) = 2 S(n/4) + √n W P from S(4) = 2 W P.
        let mut side = 2.0;
        for log4 in 1..=8 {
            let n = 1u32 << (2 * log4);
            if log4 > 1 {
                side = 2.0 * side + f64::from(1u32 << log4);
            }
            assert_eq!(Family::FatTree.side_pitches(n, 1.0).unwrap(), side);
        }
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for wrong in [0, 1, 2, 8, 100, 1 << 31] {
            for family in Family::ALL {
                assert!(family.bisection(wrong).is_err(), "{wrong}");
            }
        }
        assert!(Family::Mesh.side_pitches(16, 0.0).is_err());
        assert!(zero_load_cycles(Family::Mesh, 16, 320, 0).is_err());
        assert_eq!(Family::Mesh.printed_width(Constraint::Area, 4), None);
        assert_eq!(nearest_width(0.2), 1);
    }
}
