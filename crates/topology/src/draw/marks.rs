//! Marks of nodes, colours of channels, and sizes of text: what a picture and its key share.

use super::markup::{Element, push_polygon};
use super::{ChannelClass, Colour, NodeKind, Point};

/// Width of a character in units of the font's size, on the safe side.
pub(super) const CHARACTER: f64 = 0.56;

/// Font sizes of an ordinary picture.
pub(super) const TITLE_SIZE: f64 = 17.0;
pub(super) const TEXT_SIZE: f64 = 12.0;

/// How much larger than ordinary the text of a picture of the given size is: large pictures are
/// looked at from farther away.
pub(super) fn text_scale(size: Point) -> f64 {
    (size.x.max(size.y) / 1_200.0).max(1.0)
}

/// The colour of channels of a class.
pub(super) fn class_colour(class: &ChannelClass) -> Colour {
    if class.faint {
        class.colour.lighter(0.42)
    } else {
        class.colour
    }
}

/// The shape of a node's mark, filled.
pub(super) fn mark(kind: NodeKind, place: Point, radius: f64) -> Element {
    let (fill, stroke) = match kind {
        NodeKind::Terminal => (Colour::SKY.lighter(0.28), Colour::BLUE),
        NodeKind::Switch => (Colour::ORANGE.lighter(0.35), Colour::VERMILION),
        NodeKind::Interchange => (Colour::GREEN.lighter(0.25), Colour::GREEN),
    };
    let element = match kind {
        NodeKind::Terminal => Element::new("circle")
            .number("cx", place.x)
            .number("cy", place.y)
            .number("r", radius),
        NodeKind::Switch => {
            let half = radius * 0.9;
            Element::new("rect")
                .number("x", place.x - half)
                .number("y", place.y - half)
                .number("width", 2.0 * half)
                .number("height", 2.0 * half)
                .number("rx", radius * 0.18)
        }
        NodeKind::Interchange => {
            let mut data = String::new();
            let (across, down) = (Point::new(radius, 0.0), Point::new(0.0, radius));
            push_polygon(
                &mut data,
                &[place - across, place - down, place + across, place + down],
            );
            Element::new("path").set("d", &data)
        }
    };
    element
        .set("fill", &fill.to_string())
        .set("stroke", &stroke.lighter(0.9).to_string())
}
