//! The shifts that the family is made from, and what reflections and exchanges thinning leaves.

use super::{SparseTorus, Thinning};
use crate::NodeId;
use crate::families::common::guess::{Guess, address, exchanges, reordered, strides};

pub(super) fn guesses(torus: &SparseTorus) -> Vec<Guess<'_>> {
    let (k, n) = (torus.radix(), torus.dimensions());
    let mut guesses = Vec::new();
    // The neighbours of node 0 generate the group that the family is made from (section 3).
    for dimension in 0..n {
        for (first, way) in [(1, "up"), (k - 1, "down")] {
            let mut unit = vec![0; n as usize];
            unit[dimension as usize] = first;
            let by = torus.node_at(&unit);
            let name = format!("shift {way} dimension {dimension}, turned as the definition turns");
            guesses.push(Guess::new(name, move |node| torus.translate(by, node)));
        }
    }
    let radices = vec![k; n as usize];
    let strides = strides(&radices);
    let negated = move |a: u32| if a == 0 { 0 } else { k - a };
    if torus.thinning() == Thinning::Pruned {
        let stride = strides[1];
        guesses.push(Guess::new("reflection of dimension 1", move |node| {
            let a = torus.coordinate(node, 1);
            NodeId(node.0 - a * stride + negated(a) * stride)
        }));
        // Dimension i + 1 has its links where a_0 ≡ i, hence its image where a_0 ≡ −i.
        let pruned = n as usize - 1;
        let mut order = vec![0];
        order.extend((0..pruned).map(|i| 1 + (pruned - i) % pruned));
        let strides = reordered(&strides, &order);
        let name = "reflection of dimension 0, turned as the definition turns";
        guesses.push(Guess::new(name, move |node| {
            let image = address(torus.coordinates(node), &strides);
            let a = torus.coordinate(node, 0);
            NodeId(image.0 - a + negated(a))
        }));
    }
    for (name, order) in exchanges(&radices) {
        let strides = reordered(&strides, &order);
        guesses.push(Guess::new(name, move |node| {
            address(torus.coordinates(node), &strides)
        }));
    }
    guesses
}
