//! Permutations of the nodes that a family's definition suggests: guesses, which are checked.
//!
//! Few are enough: an exchange of two equal dimensions and a rotation of all of them make every
//! permutation; with those, one reflection stands for that of each.

use crate::NodeId;

/// A permutation of the nodes, which may or may not be an automorphism.
pub(crate) struct Guess<'n> {
    /// What it does.
    pub(crate) name: String,
    /// The image of a node.
    pub(crate) image: Box<dyn Fn(NodeId) -> NodeId + Sync + 'n>,
}

impl<'n> Guess<'n> {
    pub(crate) fn new(
        name: impl Into<String>,
        image: impl Fn(NodeId) -> NodeId + Sync + 'n,
    ) -> Self {
        Self {
            name: name.into(),
            image: Box::new(image),
        }
    }
}

/// Orders of the dimensions that exchange equal ones: where each dimension goes.
pub(crate) fn exchanges(radices: &[u32]) -> Vec<(String, Vec<usize>)> {
    let mut orders = Vec::new();
    for (first, &radix) in radices.iter().enumerate() {
        if radices[..first].contains(&radix) {
            continue;
        }
        let equal: Vec<usize> = (first..radices.len())
            .filter(|&i| radices[i] == radix)
            .collect();
        let mut order: Vec<usize> = (0..radices.len()).collect();
        if equal.len() >= 2 {
            order.swap(equal[0], equal[1]);
            let name = format!("exchange of dimensions {} and {}", equal[0], equal[1]);
            orders.push((name, order.clone()));
        }
        if equal.len() >= 3 {
            for (place, &dimension) in equal.iter().enumerate() {
                order[dimension] = equal[(place + 1) % equal.len()];
            }
            let name = format!("rotation of the dimensions of radix {radix}");
            orders.push((name, order));
        }
    }
    orders
}

/// What a step in each dimension adds to an address.
pub(crate) fn strides(radices: &[u32]) -> Vec<u32> {
    let mut stride = 1u32;
    let mut next = |&radix: &u32| {
        let this = stride;
        // Past the last dimension it may be too large, and is not used.
        stride = stride.wrapping_mul(radix);
        this
    };
    radices.iter().map(&mut next).collect()
}

/// The address of the node with these coordinates in dimensions of these strides.
pub(crate) fn address(coordinates: &[u16], strides: &[u32]) -> NodeId {
    let products = coordinates.iter().zip(strides);
    NodeId(products.map(|(&a, stride)| u32::from(a) * stride).sum())
}

/// Strides such that dimension i lands where dimension `order[i]` was.
pub(crate) fn reordered(strides: &[u32], order: &[usize]) -> Vec<u32> {
    order.iter().map(|&to| strides[to]).collect()
}
