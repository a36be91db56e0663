//! Density and area of networks.

use crate::Network;
use crate::families::common::density::{DensitySource, LayoutDensity, ThompsonArea};
use crate::families::common::places::{Layout, ends};

/// The wire density of `network` where a paper gives one: Greenberg & Guan for square meshes, for
/// hypercubes of 4^k nodes, for butterfly fat-trees and fat-pyramids; and for Dally's k-ary n-cubes
/// with an even n the peak of a row of his layout, at half a wire for a one-way channel.
pub fn layout_density(network: &Network) -> Option<LayoutDensity> {
    network.family().density()
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
        let layout = Layout::of(network)?;
        Some(Self::of_channels(&layout, ends(network)))
    }
}

impl Layout {
    /// The layout of a network of a family; `None` for a network from a file, whose places, where
    /// it has any, are for drawing and in no known unit.
    ///
    /// | family | layout |
    /// | --- | --- |
    /// | torus, mesh, hypercube, thinned-out tori | [`Plane`](crate::layout::Plane): half of the dimensions along each axis, rings folded |
    /// | express cube | its mesh, in the [`Plane`](crate::layout::Plane); an interchange in the place of the node above it |
    /// | butterfly fat-tree, fat-pyramid | processors in a square, every switch in the middle of its block |
    /// | star | copies of the next smaller star side by side, or one above the other, in turn |
    pub fn of(network: &Network) -> Option<Self> {
        network.whole().family().layout()
    }
}
