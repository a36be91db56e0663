//! Closed forms of grids, however large (Dally & Towles, sections 3.1 and 5.2).

use super::Grid;
use crate::Ends;
use crate::families::common::pairs::convolved;
use crate::search::Distances;

/// The distances of a grid in closed form, equal to [`distances`](crate::properties::distances) of its network:
/// a sum over dimensions. For radix k, k/4 (even) or k/4 − 1/(4k) (odd) on a two-way ring,
/// (k − 1)/2 on a one-way ring, k/3 − 1/(3k) on a line.
pub fn grid_distances(grid: &Grid) -> Distances {
    let mut diameter = 0;
    let mut mean = 0.0;
    let mut nodes = 1.0;
    for (dimension, &radix) in grid.radices().iter().enumerate() {
        let k = f64::from(radix);
        nodes *= k;
        // The sum of the distances between all ordered pairs, over k².
        let (farthest, mean_here) = match grid.ends() {
            Ends::DirectedRing => (radix - 1, (k - 1.0) / 2.0),
            Ends::Ring if grid.is_ring(dimension) => {
                let from_one = f64::from(radix / 2) * f64::from(radix.div_ceil(2));
                (radix / 2, from_one / k)
            }
            Ends::Ring | Ends::Open => (radix - 1, (k * k - 1.0) / (3.0 * k)),
        };
        diameter += farthest;
        mean += mean_here;
    }
    Distances {
        diameter,
        mean_with_self: mean,
        mean_without_self: mean * nodes / (nodes - 1.0),
    }
}

/// The channels, both ways together, between the two halves of a grid that is cut across its widest
/// dimension; `None` if that has an odd radix, for then no straight cut there leaves halves.
pub fn grid_bisection_channels(grid: &Grid) -> Option<u64> {
    let radices = grid.radices();
    let widest = (0..radices.len()).max_by_key(|&i| (radices[i], i))?;
    let of_line = match grid.ends() {
        Ends::Ring if grid.is_ring(widest) => 4,
        _ => 2,
    };
    let lines: u64 = (0..radices.len())
        .filter(|&i| i != widest)
        .map(|i| u64::from(radices[i]))
        .product();
    radices[widest].is_multiple_of(2).then_some(lines * of_line)
}

/// Ordered pairs of nodes at each distance, each with itself at 0: the pairs of every dimension,
/// convolved.
pub(super) fn grid_pairs_by_distance(grid: &Grid) -> Vec<u64> {
    let of_dimension = |(dimension, &radix): (usize, &u32)| {
        let k = u64::from(radix);
        let mut pairs = vec![0u64; radix as usize];
        match grid.ends() {
            Ends::DirectedRing => pairs.fill(k),
            Ends::Ring if grid.is_ring(dimension) => {
                for ahead in 0..radix {
                    pairs[ahead.min(radix - ahead) as usize] += k;
                }
            }
            Ends::Ring | Ends::Open => {
                for (apart, pairs) in (0u64..).zip(&mut pairs) {
                    *pairs = if apart == 0 { k } else { 2 * (k - apart) };
                }
            }
        }
        pairs
    };
    let dimensions = grid.radices().iter().enumerate().map(of_dimension);
    dimensions.fold(vec![1], |all, one| convolved(&all, &one))
}

/// Twice the links across the best halving of a mesh, or of any grid of odd radix whose lines are
/// open: Σ C_i over the dimensions from the widest down to the first of even radix, it included,
/// where C_i is the product of the narrower radices.
pub(super) fn mesh_bisection_channels(grid: &Grid) -> Option<u64> {
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
