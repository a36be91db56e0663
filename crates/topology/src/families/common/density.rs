//! Wire density and area in the Thompson model: two layers of wires, one for each axis, and nothing
//! else takes room (Greenberg & Guan, "An empirical comparison of area-universal and other parallel
//! computing networks", 1996, section 3.3).

use super::places::Layout;
use super::profile::DensityProfile;
use crate::NodeId;

/// Where the wire density of a network comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DensitySource {
    /// Greenberg & Guan, section 3.3: the mesh.
    Mesh,
    /// Greenberg & Guan, section 3.3, after Ranade & Johnsson: the hypercube.
    Hypercube,
    /// Greenberg & Guan, section 3.3, equation 3: the butterfly fat-tree.
    ButterflyFatTree,
    /// Greenberg & Guan, section 3.3: the fat-pyramid.
    FatPyramid,
    /// The densest cut of the layout of Dally's k-ary n-cubes.
    FoldedCube,
    /// The densest cuts of a layout that no paper prices.
    Layout,
    /// No layout is known: what the bisection asks for at least.
    Bisection,
}

impl DensitySource {
    /// The source in words, formula included.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Mesh => "Greenberg & Guan, section 3.3: mesh, 1",
            Self::Hypercube => {
                "Greenberg & Guan, section 3.3: hypercube, (2^(k+2) - (-1)^k - 3) / 6 with k = log4 n"
            }
            Self::ButterflyFatTree => {
                "Greenberg & Guan, section 3.3, equation 3: butterfly fat-tree, log4 n"
            }
            Self::FatPyramid => "Greenberg & Guan, section 3.3: fat-pyramid, 3/2 log4 n",
            Self::FoldedCube => {
                "links across the densest cut of a row of the folded layout (Dally, k-ary \
                 n-cubes, section 5)"
            }
            Self::Layout => "links across the densest cuts of the layout, the mean over the rows",
            Self::Bisection => "no layout is known: bisection / sqrt(n), a lower bound",
        }
    }
}

/// The wire density d of a network of n processors: its layout has a side of √n · d · W wire pitches
/// where channels are W wires wide and a link, both its channels together, counts as one of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayoutDensity {
    /// d, in wires a row or column of processors.
    pub wires: f64,
    /// Where it comes from.
    pub source: DensitySource,
}

/// The wire density of the hypercube of 4^`levels` nodes, (2^(k+2) − (−1)^k − 3) / 6.
pub(crate) fn hypercube_density(levels: u32) -> f64 {
    let sign = if levels.is_multiple_of(2) { 1.0 } else { -1.0 };
    (2f64.powi(levels as i32 + 2) - sign - 3.0) / 6.0
}

/// A rectangle in the Thompson model, for channels one wire wide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThompsonArea {
    /// Its width, in wire pitches.
    pub width_wire_pitches: f64,
    /// Its height, in wire pitches.
    pub height_wire_pitches: f64,
}

impl ThompsonArea {
    /// What the cuts of `layout` ask for, with `channels` by their ends.
    pub(crate) fn of_channels(
        layout: &Layout,
        channels: impl Iterator<Item = (NodeId, NodeId)>,
    ) -> Self {
        let counts = [layout.columns(), layout.rows()].map(u64::from);
        Self::new(counts, layout.densities(channels))
    }

    /// From columns and rows, and the profiles of rows and of columns.
    fn new(counts: [u64; 2], (row, column): (DensityProfile, DensityProfile)) -> Self {
        let [columns, rows] = counts.map(|count| count as f64);
        let links = |profile: DensityProfile| match profile.peak_per_line() {
            0.0 => 1.0,
            channels => channels / 2.0,
        };
        Self {
            width_wire_pitches: columns * links(column),
            height_wire_pitches: rows * links(row),
        }
    }

    /// Width × height, in square wire pitches, for channels one wire wide; with channels of W wires,
    /// W² times as much.
    pub fn area(&self) -> f64 {
        self.width_wire_pitches * self.height_wire_pitches
    }

    /// The side of the square of the same area, in wire pitches.
    pub fn side(&self) -> f64 {
        self.area().sqrt()
    }
}
