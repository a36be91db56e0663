//! Shifts, reflections and exchanges of dimensions.

use super::Grid;
use crate::families::common::guess::{Guess, address, exchanges, reordered, strides};
use crate::{Ends, NodeId};

pub(super) fn guesses(grid: &Grid) -> Vec<Guess<'_>> {
    let radices = grid.radices();
    let strides = strides(radices);
    let mut guesses = Vec::new();
    for (dimension, (&k, &stride)) in radices.iter().zip(&strides).enumerate() {
        if grid.is_ring(dimension) || k == 2 {
            let name = format!("shift of dimension {dimension}");
            guesses.push(Guess::new(name, move |node| {
                let a = grid.coordinate(node, dimension);
                let next = if a + 1 < k { a + 1 } else { 0 };
                NodeId(node.0 - a * stride + next * stride)
            }));
        }
    }
    for (dimension, (&k, &stride)) in radices.iter().zip(&strides).enumerate() {
        let repeated = radices[..dimension].contains(&k);
        if grid.ends() != Ends::DirectedRing && k > 2 && !repeated {
            let name = format!("reflection of dimension {dimension}");
            guesses.push(Guess::new(name, move |node| {
                let a = grid.coordinate(node, dimension);
                NodeId(node.0 - a * stride + (k - 1 - a) * stride)
            }));
        }
    }
    for (name, order) in exchanges(radices) {
        let strides = reordered(&strides, &order);
        guesses.push(Guess::new(name, move |node| {
            address(grid.coordinates(node), &strides)
        }));
    }
    guesses
}
