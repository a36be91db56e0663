//! Exchanges of columns, rows and copies.

use super::{FatTree, FatTreeKind, Switch};
use crate::NodeId;
use crate::families::common::guess::Guess;

/// A permutation of the processors' columns and rows, and of the switches', block by block.
fn of_processors<'n>(
    tree: &'n FatTree,
    name: String,
    image: impl Fn(u32, (u32, u32)) -> (u32, u32) + Sync + 'n,
) -> Guess<'n> {
    Guess::new(name, move |node| match tree.switch(node) {
        None => {
            let (x, y) = image(0, tree.position(node));
            NodeId(x + (y << tree.levels()))
        }
        Some(switch) => {
            let (x, y) = image(switch.level + 1, (switch.x, switch.y));
            tree.node_at(Switch { x, y, ..switch })
        }
    })
}

pub(super) fn guesses(tree: &FatTree) -> Vec<Guess<'_>> {
    let levels = tree.levels();
    let last = (1u32 << levels) - 1;
    let masks: Vec<u32> = match tree.kind() {
        FatTreeKind::Butterfly => (0..levels).map(|bit| 1 << bit).collect(),
        FatTreeKind::Pyramid => vec![last],
    };
    let mut guesses = Vec::new();
    for mask in masks {
        let what = format!("columns exchanged by the bits {mask:#b}");
        guesses.push(of_processors(tree, what, move |shift, (x, y)| {
            (x ^ mask >> shift, y)
        }));
        let what = format!("rows exchanged by the bits {mask:#b}");
        guesses.push(of_processors(tree, what, move |shift, (x, y)| {
            (x, y ^ mask >> shift)
        }));
    }
    let what = "exchange of rows and columns".to_owned();
    guesses.push(of_processors(tree, what, |_, (x, y)| (y, x)));
    for below in 0..levels - 1 {
        let name = format!("exchange of the parents of level {below}");
        guesses.push(Guess::new(name, move |node| match tree.switch(node) {
            Some(switch) if switch.level > below => {
                let copy = switch.copy ^ 1 << (switch.level - 1 - below);
                tree.node_at(Switch { copy, ..switch })
            }
            _ => node,
        }));
    }
    guesses
}
