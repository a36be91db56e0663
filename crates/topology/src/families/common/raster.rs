//! Nodes in the columns and rows of a rectangle, and graphs whose wires run along its axes.

use super::places::Layout;
use crate::graph::Columns;
use crate::{Graph, NodeId};

/// Columns and rows of the rectangle of `count` places that is nearest to a square, no higher than wide.
pub(crate) fn near_square(count: u32) -> [u32; 2] {
    let divides = |rows: &u32| count.is_multiple_of(*rows);
    let rows = (1..=count.isqrt()).rev().find(divides).unwrap_or(1);
    [count / rows, rows]
}

/// The place of number `index` in a rectangle of so many columns, row by row.
pub(crate) fn place([columns, _]: [u32; 2], index: u32) -> [f32; 2] {
    [(index % columns) as f32, (index / columns) as f32]
}

/// A graph of nodes at `places`, of which the first `terminals` are terminals, whose `channels`, sorted by
/// source, are as long as their ends are apart.
pub(crate) fn graph(
    layout: &Layout,
    terminals: u32,
    channels: impl Iterator<Item = (NodeId, NodeId)>,
) -> Graph {
    let places = layout.places_pitches();
    let mut columns = Columns::with_capacity(channels.size_hint().0);
    for (source, target) in channels {
        let ([a, b], [c, d]) = (places[source.index()], places[target.index()]);
        columns.push(source, target, (a - c).abs() + (b - d).abs());
    }
    Graph::from_columns(places.len() as u32, terminals, columns)
}
