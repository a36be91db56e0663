//! Three dimensions in oblique projection: dimension 0 to the right, 1 downward, 2 to the back.
//!
//! The nodes of a line of dimension 2 stand close together, on a diagonal, and lines of the other
//! two dimensions are farther apart than such a diagonal is long: so lines of equal direction never
//! overlap.

use super::Point;

/// From a node to the next behind it.
const BACK: Point = Point::new(0.86, -0.6);

/// The three directions, where dimension 2 has `depth` nodes.
pub(super) fn directions(depth: u32) -> [Point; 3] {
    // The next column and row begin a step beyond the end of the diagonal before.
    let depth = f64::from(depth);
    let right = Point::new(BACK.x * depth + 0.45, 0.0);
    let down = Point::new(0.0, -BACK.y * depth + 0.6);
    [right, down, BACK]
}

/// Where bridges over a line of the given dimension rise to, and how high: halfway to the next line
/// behind.
pub(super) fn bridge(dimension: usize) -> (Point, f64) {
    match dimension {
        0 => (Point::new(0.0, -1.0), 0.3),
        1 => (Point::new(-1.0, 0.0), 0.36),
        _ => (BACK.unit().left(), 0.34),
    }
}
