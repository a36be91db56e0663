//! Colours, and the eight that people with any colour vision tell apart (Okabe & Ito, "Color
//! universal design", 2008).

use std::fmt;

/// A colour: red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour(pub u8, pub u8, pub u8);

impl Colour {
    /// Deep blue.
    pub const BLUE: Self = Self(0x00, 0x72, 0xb2);
    /// Vermilion: a red that is told from green.
    pub const VERMILION: Self = Self(0xd5, 0x5e, 0x00);
    /// Bluish green.
    pub const GREEN: Self = Self(0x00, 0x9e, 0x73);
    /// Reddish purple.
    pub const PURPLE: Self = Self(0xcc, 0x79, 0xa7);
    /// Orange.
    pub const ORANGE: Self = Self(0xe6, 0x9f, 0x00);
    /// Sky blue.
    pub const SKY: Self = Self(0x56, 0xb4, 0xe9);
    /// A grey that is dark enough for lines.
    pub const GREY: Self = Self(0x77, 0x77, 0x77);
    /// Ink: nearly black.
    pub const INK: Self = Self(0x22, 0x22, 0x22);

    /// The colour of the `index`-th of several kinds of channels; they repeat after eight.
    pub(crate) fn of_class(index: usize) -> Self {
        const ORDER: [Colour; 8] = [
            Colour::BLUE,
            Colour::VERMILION,
            Colour::GREEN,
            Colour::PURPLE,
            Colour::ORANGE,
            Colour::INK,
            Colour::SKY,
            Colour::GREY,
        ];
        ORDER[index % ORDER.len()]
    }

    /// The colour mixed with white: `share` of it, from 0 to 1.
    #[must_use]
    pub fn lighter(self, share: f64) -> Self {
        let mix = |part: u8| (255.0 - (255.0 - f64::from(part)) * share).round() as u8;
        Self(mix(self.0), mix(self.1), mix(self.2))
    }
}

/// As in SVG and HTML: `#0072b2`.
impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}
