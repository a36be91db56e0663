//! What the marks of charts mean, in the words that every chart uses.

/// The bands around lines.
pub const BANDS: &str = "Bands: 95 % confidence intervals.";
/// Walls.
pub const WALLS: &str = "Hatched walls: the first load simulated at which the network saturates.";
/// The same where walls have markers above them.
pub const MARKED_WALLS: &str =
    "Hatched walls: the first load simulated at which the network of the marker above saturates.";
/// Markers that are not filled, where saturated points have none.
pub const OPEN_MARKERS: &str =
    "Open markers: stopped by the cycle limit before the wanted precision.";
/// Arrows at the upper edge.
pub const ARROWS: &str = "Arrows: points above the axis.";
