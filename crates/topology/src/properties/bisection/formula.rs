//! Bisection widths that the literature gives for the very graphs that are built.

use super::{Bisection, BisectionMethod};
use crate::properties::grid_bisection_channels;
use crate::{Ends, FatTreeKind, Grid, Network, Shape};

/// The formula for a network of this shape, if there is one.
pub(super) fn formula(network: &Network) -> Option<Bisection> {
    let (channels, how) = match network.shape() {
        Shape::Grid(grid) => match grid_bisection_channels(grid) {
            Some(channels) => (
                channels,
                "a straight cut across the widest dimension, of even radix (Dally & Towles, \
                 section 3.1)",
            ),
            None => (
                mesh_channels(grid)?,
                "the sum over dimensions of Azizoglu & Egecioglu 2002, for meshes of odd radix",
            ),
        },
        Shape::FatTree(tree) => (
            tree.bisection_channels(),
            match tree.kind() {
                FatTreeKind::Butterfly => "√n links (Greenberg & Guan, section 3.1)",
                FatTreeKind::Pyramid => "√n log16 4n links (Greenberg & Guan, section 3.1)",
            },
        ),
        Shape::SparseTorus(torus) => (
            torus.bisection_channels()?,
            match torus.thinning().is_pruned() {
                true => "theorem 4 of Parhami & Kwai: one dimension in n - 1 is cut",
                false => "half of the torus's channels (Parhami & Kwai, table 1)",
            },
        ),
        _ => return None,
    };
    Some(Bisection {
        channels,
        method: BisectionMethod::Formula,
        how: how.to_owned(),
    })
}

/// Twice the links across the best halving of a mesh, or of any grid of odd radix whose lines are
/// open: Σ C_i over the dimensions from the widest down to the first of even radix, it included,
/// where C_i is the product of the narrower radices.
fn mesh_channels(grid: &Grid) -> Option<u64> {
    if grid.ends() != Ends::Open {
        return None;
    }
    let mut radices = grid.radices().to_vec();
    radices.sort_unstable();
    let mut links = 0;
    while let Some(radix) = radices.pop() {
        links += radices.iter().map(|&k| u64::from(k)).product::<u64>();
        if radix.is_multiple_of(2) {
            break;
        }
    }
    Some(2 * links)
}
