//! How the channels of a picture look.

use super::Colour;
use crate::ChannelId;

/// How a channel is drawn.
///
/// The two channels of a link share a line where they are drawn alike; where they are not, they run
/// side by side, each on the right of its own way, with arrow heads.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelStyle {
    /// Its colour; `None`: that of its class.
    pub colour: Option<Colour>,
    /// Its width, in widths of an ordinary line.
    pub width: f64,
    /// Whether it is drawn over the others, with an arrow head.
    pub emphasised: bool,
    /// What is shown where the pointer rests on it.
    pub tooltip: Option<String>,
}

impl Default for ChannelStyle {
    /// The colour of its class, and nothing special.
    fn default() -> Self {
        Self {
            colour: None,
            width: 1.0,
            emphasised: false,
            tooltip: None,
        }
    }
}

/// How a picture looks.
#[derive(Clone, Copy)]
pub struct Style<'a> {
    /// What stands above the picture; nothing where it is empty.
    pub title: &'a str,
    /// How each channel is drawn.
    pub channel: &'a dyn Fn(ChannelId) -> ChannelStyle,
    /// What colours mean that `channel` gives, for the key.
    pub key: &'a [(Colour, &'a str)],
    /// A sentence for below the picture.
    pub note: &'a str,
}

fn plain(_: ChannelId) -> ChannelStyle {
    ChannelStyle::default()
}

impl Default for Style<'_> {
    /// No title, and every channel in the colour of its class.
    fn default() -> Self {
        Self {
            title: "",
            channel: &plain,
            key: &[],
            note: "",
        }
    }
}

impl std::fmt::Debug for Style<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Style")
            .field("title", &self.title)
            .field("key", &self.key)
            .field("note", &self.note)
            .finish_non_exhaustive()
    }
}
