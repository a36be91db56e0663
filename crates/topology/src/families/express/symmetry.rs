//! Reflections and exchanges of dimensions.

use super::ExpressCube;
use crate::families::common::guess::{Guess, exchanges};

pub(super) fn guesses(cube: &ExpressCube) -> Vec<Guess<'_>> {
    let radices = cube.radices();
    let mut guesses = Vec::new();
    for (dimension, radix) in radices.iter().enumerate() {
        if !radices[..dimension].contains(radix) {
            let name = format!("reflection of dimension {dimension}");
            guesses.push(Guess::new(name, move |node| {
                cube.reflected(node, dimension).unwrap_or(node)
            }));
        }
    }
    for (name, order) in exchanges(radices) {
        guesses.push(Guess::new(name, move |node| cube.exchanged(node, &order)));
    }
    guesses
}
