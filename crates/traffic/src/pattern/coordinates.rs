//! Permutations on the coordinates of a grid: the rules that Dally & Towles (section 3.2, table
//! 3.1) state on the digits of radix-k addresses, for each dimension with its own radix.

use crate::PatternError;
use flitsim_topology::{Grid, Network, NodeId};

/// The coordinates of `network`, which `pattern` needs.
pub(super) fn of<'n>(
    network: &'n Network,
    pattern: &'static str,
) -> Result<&'n Grid, PatternError> {
    let grid = network.routers().grid();
    grid.ok_or(PatternError::NeedsCoordinates { pattern })
}

/// The permutation of the terminals of `network` that takes those of each router to those of the router that
/// `of_routers` says, in order: the same, where each router has one.
pub(super) fn of_terminals(network: &Network, of_routers: Box<[NodeId]>) -> Box<[NodeId]> {
    let Some(family) = network.concentration() else {
        return of_routers;
    };
    let each = family.each();
    let images = of_routers.iter();
    images
        .flat_map(|image| (0..each).map(move |place| NodeId(image.0 * each + place)))
        .collect()
}

/// a_i -> a_{i + ⌈n/2⌉} and back; the middle one of an odd number of dimensions stays.
pub(super) fn transpose(grid: &Grid) -> Result<Box<[NodeId]>, PatternError> {
    let n = grid.dimensions();
    let (low, across) = (n / 2, n.div_ceil(2));
    let radices = grid.radices();
    if let Some(first) = (0..low).find(|&i| radices[i] != radices[i + across]) {
        return Err(PatternError::UnequalRadices {
            pattern: "transpose",
            first,
            first_radix: radices[first],
            second: first + across,
            second_radix: radices[first + across],
        });
    }
    Ok(permutation(grid, |a| {
        let (lower, upper) = a.split_at_mut(across);
        lower[..low].swap_with_slice(upper);
    }))
}

/// a_i -> k_i - 1 - a_i.
pub(super) fn complement(grid: &Grid) -> Box<[NodeId]> {
    each(grid, |a, k| k - 1 - a)
}

/// a_i -> a_i + ⌈k_i/2⌉ - 1 mod k_i.
pub(super) fn tornado(grid: &Grid) -> Result<Box<[NodeId]>, PatternError> {
    if grid.radices().iter().all(|&k| k <= 2) {
        return Err(PatternError::TornadoStandsStill);
    }
    Ok(each(grid, |a, k| (a + k.div_ceil(2) - 1) % k))
}

/// a_i -> a_i + 1 mod k_i.
pub(super) fn neighbour(grid: &Grid) -> Box<[NodeId]> {
    each(grid, |a, k| (a + 1) % k)
}

/// The permutation that takes each coordinate a, in a dimension of radix k, to `rule(a, k)`.
fn each(grid: &Grid, rule: impl Fn(u32, u32) -> u32) -> Box<[NodeId]> {
    permutation(grid, |coordinates| {
        for (a, &k) in coordinates.iter_mut().zip(grid.radices()) {
            *a = rule(*a, k);
        }
    })
}

fn permutation(grid: &Grid, rule: impl Fn(&mut [u32])) -> Box<[NodeId]> {
    let nodes: u32 = grid.radices().iter().product();
    let mut coordinates = vec![0; grid.dimensions()];
    (0..nodes)
        .map(|source| {
            for (a, &from) in coordinates.iter_mut().zip(grid.coordinates(NodeId(source))) {
                *a = u32::from(from);
            }
            rule(&mut coordinates);
            grid.node_at(&coordinates)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitsim_topology::Ends;

    fn grid(radices: &[u32]) -> Grid {
        Grid::new(radices, Ends::Ring).unwrap()
    }

    /// Where the node at `from` sends.
    fn image(grid: &Grid, permutation: &[NodeId], from: &[u32]) -> Vec<u32> {
        let to = permutation[grid.node_at(from).index()];
        grid.coordinates(to).iter().map(|&a| a.into()).collect()
    }

    #[test]
    fn transpose_by_hand() {
        let square = grid(&[5, 5]);
        let rule = transpose(&square).unwrap();
        assert_eq!(image(&square, &rule, &[4, 1]), [1, 4]);
        assert_eq!(image(&square, &rule, &[3, 3]), [3, 3]);
        let cube = grid(&[4, 7, 4]);
        let rule = transpose(&cube).unwrap();
        assert_eq!(image(&cube, &rule, &[3, 6, 1]), [1, 6, 3]);
        let four = grid(&[3, 4, 3, 4]);
        let rule = transpose(&four).unwrap();
        assert_eq!(image(&four, &rule, &[0, 1, 2, 3]), [2, 3, 0, 1]);
        assert_eq!(
            transpose(&grid(&[3, 4, 3, 5])).unwrap_err(),
            PatternError::UnequalRadices {
                pattern: "transpose",
                first: 1,
                first_radix: 4,
                second: 3,
                second_radix: 5
            }
        );
    }

    #[test]
    fn complement_by_hand() {
        let mixed = grid(&[5, 4, 2]);
        let rule = complement(&mixed);
        assert_eq!(image(&mixed, &rule, &[0, 1, 1]), [4, 2, 0]);
        assert_eq!(image(&mixed, &rule, &[2, 3, 0]), [2, 0, 1]);
    }

    #[test]
    fn tornado_by_hand() {
        // Almost half way round: 3 of 8, 3 of 7, 1 of 3, 0 of 2.
        let mixed = grid(&[8, 7, 3, 2]);
        let rule = tornado(&mixed).unwrap();
        assert_eq!(image(&mixed, &rule, &[0, 0, 0, 0]), [3, 3, 1, 0]);
        assert_eq!(image(&mixed, &rule, &[6, 5, 2, 1]), [1, 1, 0, 1]);
        assert!(tornado(&Grid::hypercube(5).unwrap()).is_err());
    }

    #[test]
    fn neighbour_by_hand() {
        let mixed = grid(&[5, 4, 2]);
        let rule = neighbour(&mixed);
        assert_eq!(image(&mixed, &rule, &[4, 1, 1]), [0, 2, 0]);
    }
}
