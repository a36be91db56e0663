//! The channels out of the elements of a line, and what they are for.

/// What a channel of an express cube is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExpressChannel {
    /// Between neighbouring nodes, or a node and the interchange next to it.
    Local,
    /// An express channel of the given level, from 1.
    Express(u32),
    /// Between two modules of one interchange.
    Internal,
}

/// A way out of an element: parallel channels to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exit {
    /// Upward the least, downward the greatest coordinate of a target that it serves.
    pub limit: i32,
    /// Its first channel, counted from the element's first.
    pub first: u32,
    /// Channels side by side, any of which may be taken.
    pub parallel: u32,
    /// The element that it leads to.
    pub to: u32,
    /// Length of each channel in node pitches.
    pub length_pitches: u32,
    /// What they are for.
    pub kind: ExpressChannel,
}

/// A module of an interchange.
#[derive(Clone, Copy, Debug)]
pub(super) struct Module {
    pub boundary: u32,
    pub level: u32,
    pub index: u32,
}

/// Channels of all of `exits`.
pub(super) fn channels_of(exits: &[Exit]) -> u32 {
    exits.iter().map(|exit| exit.parallel).sum()
}
