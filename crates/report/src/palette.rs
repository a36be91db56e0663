//! What tells curves apart: colour, marker and dashes, each alone enough for eight curves, so that
//! a figure survives colour blindness and a greyscale printer.
//!
//! The colours are Okabe and Ito's ("Color universal design", 2008), with a grey in the place of
//! their yellow, which does not show on paper.

use super::svg::{Element, Path};
use flitsim_topology::draw::Colour;

/// Number of different styles; later curves begin again with other dashes.
const STYLES: usize = 8;

const COLOURS: [Colour; STYLES] = [
    Colour::BLUE,
    Colour::VERMILION,
    Colour::GREEN,
    Colour::PURPLE,
    Colour(0, 0, 0),
    Colour::ORANGE,
    Colour::SKY,
    Colour::GREY,
];

const DASHES: [&str; STYLES] = [
    "",
    "8 3",
    "3 2",
    "9 3 2 3",
    "14 4",
    "9 3 2 3 2 3",
    "5 5",
    "2 4",
];

/// Corners of the markers in units of their radius, in order; none for the circle. Areas are about
/// equal.
const MARKERS: [&[(f64, f64)]; STYLES] = [
    &[],
    &[(-0.88, -0.88), (0.88, -0.88), (0.88, 0.88), (-0.88, 0.88)],
    &[(0.0, -1.25), (1.15, 0.8), (-1.15, 0.8)],
    &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)],
    &[(0.0, 1.25), (1.15, -0.8), (-1.15, -0.8)],
    &[(1.25, 0.0), (-0.8, 1.15), (-0.8, -1.15)],
    &[
        (-0.4, -1.2),
        (0.4, -1.2),
        (0.4, -0.4),
        (1.2, -0.4),
        (1.2, 0.4),
        (0.4, 0.4),
        (0.4, 1.2),
        (-0.4, 1.2),
        (-0.4, 0.4),
        (-1.2, 0.4),
        (-1.2, -0.4),
        (-0.4, -0.4),
    ],
    &[
        (1.1, 0.0),
        (0.55, 0.95),
        (-0.55, 0.95),
        (-1.1, 0.0),
        (-0.55, -0.95),
        (0.55, -0.95),
    ],
];

/// The look of one curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style(usize);

impl Style {
    /// The look of the curve with this index in its figure.
    pub const fn of(index: usize) -> Self {
        Self(index)
    }

    /// The colour of lines and filled markers.
    pub fn colour(self) -> String {
        COLOURS[self.0 % STYLES].to_string()
    }

    /// `stroke-dasharray`; empty for a solid line. From the second round on, dashes shift against
    /// colours.
    pub const fn dashes(self) -> &'static str {
        DASHES[(self.0 + self.0 / STYLES) % STYLES]
    }

    /// The class that pages use to change the colour on a dark ground.
    pub fn class(self, role: &str) -> String {
        format!("{role} c{}", self.0 % STYLES)
    }

    /// `element`, stroked in the curve's colour, dashed with `dashes` where not empty.
    pub fn stroke(self, element: Element, width: f64, dashes: &str) -> Element {
        let element = element
            .set("class", &self.class("stroke"))
            .set("fill", "none")
            .set("stroke", &self.colour())
            .number("stroke-width", width);
        if dashes.is_empty() {
            element
        } else {
            element.set("stroke-dasharray", dashes)
        }
    }

    /// The curve's marker at a place; hollow where `filled` is false.
    pub fn marker(self, x: f64, y: f64, radius: f64, filled: bool) -> Element {
        let element = match MARKERS[self.0 % STYLES] {
            [] => Element::new("circle")
                .number("cx", x)
                .number("cy", y)
                .number("r", radius),
            corners => {
                let mut path = Path::default();
                for (i, &(dx, dy)) in corners.iter().enumerate() {
                    let at = (x + dx * radius, y + dy * radius);
                    match i {
                        0 => path.move_to(at.0, at.1),
                        _ => path.line_to(at.0, at.1),
                    }
                }
                path.close();
                Element::new("path").set("d", path.data())
            }
        };
        let (class, fill) = if filled {
            ("mark", self.colour())
        } else {
            ("hollow", "#ffffff".to_owned())
        };
        element
            .set("class", &self.class(class))
            .set("fill", &fill)
            .set("stroke", &self.colour())
            .number("stroke-width", if filled { 0.5 } else { 1.5 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_rounds_of_curves_all_look_different() {
        let looks: std::collections::BTreeSet<_> = (0..2 * STYLES)
            .map(|index| (Style::of(index).colour(), Style::of(index).dashes()))
            .collect();
        assert_eq!(looks.len(), 2 * STYLES);
    }
}
