//! Area in the Thompson model: two layers of wires, one for each axis, and nothing else takes room
//! (Greenberg & Guan, "An empirical comparison of area-universal and other parallel computing
//! networks", 1996, section 3.3).

use super::{Layout, Plane};
use crate::{Ends, FatTreeKind, Grid, Network, NodeId, Shape, Star};

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

/// The wire density of `network` where a paper gives one: Greenberg & Guan for square meshes, for
/// hypercubes of 4^k nodes, for butterfly fat-trees and fat-pyramids; and for Dally's k-ary n-cubes
/// with an even n the peak of a row of his layout, at half a wire for a one-way channel.
pub fn layout_density(network: &Network) -> Option<LayoutDensity> {
    let (wires, source) = match network.shape() {
        Shape::Grid(grid) => return grid_density(grid),
        Shape::FatTree(tree) => {
            let levels = f64::from(tree.levels());
            match tree.kind() {
                FatTreeKind::Butterfly => (levels, DensitySource::ButterflyFatTree),
                FatTreeKind::Pyramid => (1.5 * levels, DensitySource::FatPyramid),
            }
        }
        _ => return None,
    };
    Some(LayoutDensity { wires, source })
}

fn grid_density(grid: &Grid) -> Option<LayoutDensity> {
    let radices = grid.radices();
    let first = radices[0];
    if !radices.len().is_multiple_of(2) || radices.iter().any(|&k| k != first) {
        return None;
    }
    let (wires, source) = match grid.ends() {
        Ends::Open | Ends::Ring if first == 2 => {
            let wires = hypercube_density(radices.len() as u32 / 2);
            (wires, DensitySource::Hypercube)
        }
        Ends::Open if radices.len() == 2 => (1.0, DensitySource::Mesh),
        Ends::Open => return None,
        Ends::Ring | Ends::DirectedRing => {
            let channels = super::row_density(grid).peak_per_line();
            (channels / 2.0, DensitySource::FoldedCube)
        }
    };
    Some(LayoutDensity { wires, source })
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
    /// What the layout of `network` takes: a square of side √n · d where a paper gives the density
    /// d, else as wide as the densest cut between two rows has links and as high as the densest cut
    /// between two columns has. An axis that no wire follows takes one wire for each row or column.
    /// `None` where no layout is known.
    pub fn of(network: &Network) -> Option<Self> {
        match layout_density(network) {
            Some(density) if density.source != DensitySource::FoldedCube => {
                let side = f64::from(network.terminals()).sqrt() * density.wires;
                Some(Self {
                    width_wire_pitches: side,
                    height_wire_pitches: side,
                })
            }
            _ => Self::of_layout(network),
        }
    }

    /// What the cuts of the layout of `network` ask for; `None` where no layout is known.
    pub fn of_layout(network: &Network) -> Option<Self> {
        if let Some(grid) = network.grid() {
            let plane = Plane::of(grid);
            let (columns, rows) = (plane.columns() as f64, plane.rows() as f64);
            let (x, y) = (plane.row_density(), plane.column_density());
            return Some(Self::new(
                columns,
                rows,
                x.peak_per_line(),
                y.peak_per_line(),
            ));
        }
        let layout = Layout::of(network)?;
        let (x, y) = (layout.row_density(network), layout.column_density(network));
        let (columns, rows) = (f64::from(layout.columns()), f64::from(layout.rows()));
        Some(Self::new(
            columns,
            rows,
            x.peak_per_line(),
            y.peak_per_line(),
        ))
    }

    /// What the recursive layout of a star graph takes, without its network.
    pub(crate) fn of_star(star: &Star) -> Self {
        let layout = Layout::of_star(star);
        let peak = |axis| {
            let nodes = (0..star.nodes()).map(NodeId);
            let ends = nodes.flat_map(|source| {
                (2..=star.symbols()).map(move |i| (source, star.neighbour(source, i)))
            });
            layout.density(axis, ends).peak_per_line()
        };
        let (columns, rows) = (f64::from(layout.columns()), f64::from(layout.rows()));
        Self::new(columns, rows, peak(0), peak(1))
    }

    /// From columns and rows, and the channels across the densest cuts of a row and of a column.
    fn new(columns: f64, rows: f64, of_row: f64, of_column: f64) -> Self {
        let links = |channels: f64| match channels {
            0.0 => 1.0,
            channels => channels / 2.0,
        };
        Self {
            width_wire_pitches: columns * links(of_column),
            height_wire_pitches: rows * links(of_row),
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
