//! Where the nodes of a grid lie, and how densely its wires run.

use super::Grid;
use crate::families::common::density::{DensitySource, LayoutDensity, hypercube_density};
use crate::families::common::places::Layout;
use crate::families::common::plane::Plane;
use crate::families::common::profile::DensityProfile;
use crate::{Ends, NodeId};

impl Plane {
    /// The layout of `grid`.
    pub fn of(grid: &Grid) -> Self {
        Self::new(grid.radices(), grid.ends())
    }
}

/// The density profile of a row of `grid`, as [`Plane::row_density`].
pub fn row_density(grid: &Grid) -> DensityProfile {
    Plane::of(grid).row_density()
}

/// The density profile of a column of `grid`, as [`Plane::column_density`].
pub fn column_density(grid: &Grid) -> DensityProfile {
    Plane::of(grid).column_density()
}

pub(super) fn layout(grid: &Grid) -> Layout {
    let description = match grid.ends() {
        Ends::Open => "half of the dimensions along each axis",
        Ends::Ring | Ends::DirectedRing => "half of the dimensions along each axis, folded",
    };
    let plane = Plane::of(grid);
    let nodes = (0..grid.coordinates.nodes()).map(NodeId);
    let places = nodes.map(|node| plane.place(grid.coordinates(node)));
    Layout::in_plane(&plane, places, description)
}

/// Greenberg & Guan's density of square meshes and of hypercubes of 4^k nodes; for Dally's k-ary
/// n-cubes with an even n the peak of a row of his layout, at half a wire for a one-way channel.
pub(super) fn density(grid: &Grid) -> Option<LayoutDensity> {
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
            let channels = row_density(grid).peak_per_line();
            (channels / 2.0, DensitySource::FoldedCube)
        }
    };
    Some(LayoutDensity { wires, source })
}
