//! Exchanges of symbols, and of positions.

use super::Star;
use crate::families::common::guess::Guess;

pub(super) fn guesses(star: &Star) -> Vec<Guess<'_>> {
    let n = star.symbols();
    let rotated = |from: u32| -> Vec<u32> {
        let turn = |p| if p == n { from } else { p + 1 };
        (1..=n)
            .map(|p| if p < from { p } else { turn(p) })
            .collect()
    };
    let swapped = |a: u32| -> Vec<u32> {
        let mut order: Vec<u32> = (1..=n).collect();
        order.swap(a as usize - 1, a as usize);
        order
    };
    let mut guesses = Vec::new();
    for (name, symbols) in [
        ("exchange of two symbols", swapped(1)),
        ("rotation of the symbols", rotated(1)),
    ] {
        let by = star.node_at(&symbols);
        guesses.push(Guess::new(name, move |node| star.translate(by, node)));
    }
    if n >= 3 {
        for (name, order) in [
            ("exchange of two positions", swapped(2)),
            ("rotation of the positions but the first", rotated(2)),
        ] {
            guesses.push(Guess::new(name, move |node| {
                star.move_positions(&order, node)
            }));
        }
    }
    guesses
}
