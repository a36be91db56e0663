//! Closed forms of grids, however large (Dally & Towles, sections 3.1 and 5.2).

use super::Distances;
use crate::{Ends, Grid};

/// The distances of a grid in closed form, equal to [`distances`](super::distances) of its network:
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

/// Pairs by distance where the distance is a sum of two, each as one of the lists counts.
pub(super) fn convolved(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut sums = vec![0; a.len() + b.len() - 1];
    for (i, &x) in a.iter().enumerate() {
        for (sum, &y) in sums[i..].iter_mut().zip(b) {
            *sum += x * y;
        }
    }
    while sums.len() > 1 && sums.last() == Some(&0) {
        sums.pop();
    }
    sums
}
