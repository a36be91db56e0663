//! Three dimensions in oblique projection: dimension 0 to the right, 1 downward, 2 to the back.
//!
//! The nodes of a line of dimension 2 stand close together, on a diagonal, and lines of the other
//! two dimensions are farther apart than such a diagonal is long: so lines of equal direction never
//! overlap.

use super::path::Point;

/// From a node to the next behind it.
const BACK: Point = Point::new(0.86, -0.6);

/// The three directions, where a line of dimension 2 has room for `depth` nodes.
pub(crate) fn directions(depth: f64) -> [Point; 3] {
    // The next column and row begin two steps beyond the end of the diagonal before: whole steps, so
    // that lines of all columns are equally far apart.
    let right = Point::new(BACK.x * (depth + 1.0), 0.0);
    let down = Point::new(0.0, -BACK.y * (depth + 1.0));
    [right, down, BACK]
}

/// Where bridges over a line of the given dimension rise to, and how high those over so many others
/// do: each within the gap between two lines, away from the marks of [`between`].
pub(crate) fn bridge(dimension: usize) -> (Point, fn(u32) -> f64) {
    match dimension {
        0 => (Point::new(0.0, -1.0), |over| 0.4 - f64::from(over) * BACK.y),
        1 => (Point::new(-1.0, 0.0), |over| {
            0.24 + f64::from(over) * BACK.x
        }),
        _ => (BACK.unit().left(), |over| 0.34 + f64::from(over) * 0.16),
    }
}

/// How far before a node of a line of dimension 0 or 1 other marks may stand: between the lines of
/// the other dimension that cross it there.
pub(crate) fn between(dimension: usize) -> f64 {
    match dimension {
        0 => 1.6 * BACK.x,
        _ => -1.32 * BACK.y,
    }
}
