//! Channel widths that change at module boundaries (the paper's figure 7): "interchanges placed at
//! module boundaries can be used to vary the number and width of express and local channels".
//!
//! A module holds so many consecutive nodes of each dimension, with the interchanges below them: the
//! interchange at a module's lower boundary is its way in, as wide outside as the channels across the
//! boundary, as wide inside as those within. A channel is across if its ends are in different
//! modules, however many it passes; the numbers of channels are those of `channels_per_level`
//! everywhere.

use super::exit::Exit;
use super::line::Line;
use super::{ExpressChannel, ExpressParameters};

/// The width of each channel of `exit`, which leaves `element` of `line`; `None` unless the cube has
/// widths.
pub(super) fn bits_of(
    parameters: &ExpressParameters,
    line: &Line,
    element: u32,
    exit: &Exit,
) -> Option<u32> {
    let widths = parameters.widths.as_ref()?;
    let level = match exit.kind {
        // Widths are refused where interchanges have several modules.
        ExpressChannel::Local | ExpressChannel::Internal => 0,
        ExpressChannel::Express(level) => level as usize,
    };
    let module = |element| line.coordinate(element) / widths.nodes;
    Some(if module(element) == module(exit.to) {
        widths.inside_bits[level]
    } else {
        widths.across_bits[level]
    })
}
