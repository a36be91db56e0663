//! What an express cube is built from.

use crate::families::common::coordinates::uniform;

/// What an interchange of level j is made of (the paper's figure 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decomposition {
    /// One module with j + 1 channels in and out each way (figure 5 (a)).
    #[default]
    Module,
    /// 2j − 1 level-one interchanges: j − 1 ascending ones, the top, j − 1 descending ones
    /// (figure 5 (b)). Level q enters at the q-th ascending one and leaves at the q-th descending
    /// one, which are each other's mirror images in the opposite direction.
    LevelOne,
    /// Without the ascending ones: j level-one interchanges (figure 5 (c)). A channel of level q
    /// enters where level q + 1 leaves, so that no level can be skipped on the way up.
    WithoutAscending,
    /// Without the ascending and the descending ones (figure 5 (d)): a single level-one interchange
    /// of levels j and j − 1. The lower levels pass it by, so that a packet takes a channel of
    /// every level on the way up and on the way down.
    TopOnly,
}

impl Decomposition {
    /// Level-one interchanges, or modules, of an interchange of level `level`.
    pub const fn modules(self, level: u32) -> u32 {
        match self {
            Self::Module | Self::TopOnly => 1,
            Self::LevelOne => 2 * level - 1,
            Self::WithoutAscending => level,
        }
    }
}

/// How interchanges stand in several dimensions (the paper's figure 6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interchanges {
    /// Every dimension has its own: packets come down to a node to turn (figure 6 (a)).
    #[default]
    Separate,
    /// Where all coordinates are boundaries, those of all dimensions are one, and packets turn there
    /// without coming down to a node (figure 6 (b)).
    Interleaved,
}

/// Channel widths that change at the boundaries of modules (the paper's figure 7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleWidths {
    /// Nodes of a module along each dimension: the boundaries between modules hold interchanges.
    pub nodes: u32,
    /// Bits of channels within a module: of local channels, then of each level.
    pub inside_bits: Vec<u32>,
    /// Bits of channels from one module to another: the same.
    pub across_bits: Vec<u32>,
}

/// An express cube as a user describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressParameters {
    /// Nodes of each dimension, dimension 0 first; 3 to 65,535 each.
    pub radices: Vec<u32>,
    /// i: nodes between interchanges, at least 2.
    pub interval: u32,
    /// l: levels of interchanges, 1 to 16. Levels that a line has no room for change nothing.
    pub levels: u32,
    /// m_0 to m_l: parallel channels, each way, of the local channels and of each level of express
    /// channels, 1 to 64 (method (a) of figure 2). Empty: one of each.
    pub channels_per_level: Vec<u32>,
    /// m: simplex interchanges in each group of i nodes, i/m nodes apart, each linked to its own
    /// slot in the next group (method (b) of figure 2). It divides i; above 1, there is one level.
    pub interleaved: u32,
    /// What interchanges are made of; other than whole modules, only without parallel channels.
    pub decomposition: Decomposition,
    /// How they stand in several dimensions; interleaved ones are whole modules.
    pub interchanges: Interchanges,
    /// Whether the ends of every line are joined: an interchange of the highest level between the last node and
    /// the first. Only whole, separate modules of one width, and of radices that are 3 iˡ, 4 iˡ or more.
    pub rings: bool,
    /// The channels' widths, where they change; only between whole modules.
    pub widths: Option<ModuleWidths>,
}

impl ExpressParameters {
    /// `dimensions` dimensions of `radix` nodes, an interchange of one module every `interval`
    /// nodes, `levels` levels, one channel of each.
    pub fn new(radix: u32, dimensions: u32, interval: u32, levels: u32) -> Self {
        Self {
            radices: uniform(radix, dimensions),
            interval,
            levels,
            channels_per_level: Vec::new(),
            interleaved: 1,
            decomposition: Decomposition::Module,
            interchanges: Interchanges::Separate,
            rings: false,
            widths: None,
        }
    }

    /// Nodes from one boundary to the next: i, or i/m where m interchanges share a group.
    pub(super) fn spacing(&self) -> u32 {
        self.interval / self.interleaved
    }

    /// Whether there is an interchange just below the nodes at coordinate `a` of any dimension.
    pub(super) fn is_boundary(&self, a: u32) -> bool {
        a != 0 && a.is_multiple_of(self.spacing())
    }

    /// Channels of `level` side by side.
    pub(super) fn parallel(&self, level: usize) -> u32 {
        self.channels_per_level.get(level).copied().unwrap_or(1)
    }
}
