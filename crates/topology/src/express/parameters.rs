//! What an express cube is built from, and which conditions that must meet.

use crate::TopologyError;

/// The most nodes along a dimension: coordinates are 16 bits wide.
const RADIX_LIMIT: u32 = u16::MAX as u32;

/// The most levels: 2^16 nodes have no room for more.
const LEVELS_LIMIT: u32 = 16;

/// The most channels of one level side by side.
const PARALLEL_LIMIT: u32 = 64;

/// The most bits of a channel.
const WIDTH_LIMIT: u32 = 1 << 20;

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
    /// The channels' widths, where they change; only between whole modules.
    pub widths: Option<ModuleWidths>,
}

impl ExpressParameters {
    /// `dimensions` dimensions of `radix` nodes, an interchange of one module every `interval`
    /// nodes, `levels` levels, one channel of each.
    pub fn new(radix: u32, dimensions: u32, interval: u32, levels: u32) -> Self {
        Self {
            // 2^26 channels end before 17 dimensions of 3 nodes: the check of the size refuses more
            // whatever their number, and the list stays short.
            radices: vec![radix; dimensions.min(129) as usize],
            interval,
            levels,
            channels_per_level: Vec::new(),
            interleaved: 1,
            decomposition: Decomposition::Module,
            interchanges: Interchanges::Separate,
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

    pub(super) fn validate(&self) -> Result<(), TopologyError> {
        if self.radices.is_empty() {
            return Err(TopologyError::NoDimensions);
        }
        let too_large = |&radix: &u32| radix > RADIX_LIMIT;
        if let Some(dimension) = self.radices.iter().position(too_large) {
            return Err(TopologyError::RadixTooLarge {
                dimension,
                radix: self.radices[dimension],
                limit: RADIX_LIMIT,
            });
        }
        let too_small = |&radix: &u32| radix < 2;
        if let Some(dimension) = self.radices.iter().position(too_small) {
            return Err(TopologyError::RadixTooSmall {
                dimension,
                radix: self.radices[dimension],
            });
        }
        self.validate_interchanges()?;
        Ok(())
    }

    fn validate_interchanges(&self) -> Result<(), ExpressError> {
        let interval = self.interval;
        let widest = self.radices.iter().copied().max().unwrap_or(0);
        if widest < 3 {
            return Err(ExpressError::NoRoom { widest });
        }
        if !(2..widest).contains(&interval) {
            return Err(ExpressError::Interval {
                interval,
                high: widest - 1,
            });
        }
        if !(1..=LEVELS_LIMIT).contains(&self.levels) {
            return Err(ExpressError::Levels {
                levels: self.levels,
                high: LEVELS_LIMIT,
            });
        }
        if self.interleaved == 0 || !interval.is_multiple_of(self.interleaved) {
            let divides = |m: &u32| interval.is_multiple_of(*m);
            let asked = self.interleaved.clamp(1, interval);
            return Err(ExpressError::Interleaved {
                interleaved: self.interleaved,
                interval,
                nearest: (1..=asked).rev().find(divides).unwrap_or(1),
            });
        }
        if self.interleaved > 1 && self.levels > 1 {
            return Err(ExpressError::InterleavedLevels {
                levels: self.levels,
            });
        }
        self.validate_parallel()?;
        let is_decomposed = self.decomposition != Decomposition::Module;
        if is_decomposed && self.interchanges == Interchanges::Interleaved {
            return Err(ExpressError::CrossingDecomposed);
        }
        match &self.widths {
            Some(_) if is_decomposed => Err(ExpressError::WidthsDecomposed),
            Some(widths) => self.validate_widths(widths, widest),
            None => Ok(()),
        }
    }

    fn validate_widths(&self, widths: &ModuleWidths, widest: u32) -> Result<(), ExpressError> {
        let unit = self.spacing();
        if widths.nodes == 0 || widths.nodes >= widest || !widths.nodes.is_multiple_of(unit) {
            // A multiple below the largest radix; the interval is below it, so that there is one.
            let units = (widths.nodes / unit).clamp(1, (widest - 1) / unit);
            return Err(ExpressError::ModuleNodes {
                nodes: widths.nodes,
                unit,
                widest,
                nearest: units * unit,
            });
        }
        for (place, list) in [
            (WidthList::Inside, &widths.inside_bits),
            (WidthList::Across, &widths.across_bits),
        ] {
            let wanted = self.levels + 1;
            if list.len() != wanted as usize {
                return Err(ExpressError::WidthCount {
                    place,
                    given: list.len(),
                    wanted,
                });
            }
            if let Some(&bits) = list.iter().find(|bits| !(1..=WIDTH_LIMIT).contains(*bits)) {
                return Err(ExpressError::WidthRange {
                    place,
                    bits,
                    high: WIDTH_LIMIT,
                });
            }
        }
        Ok(())
    }

    fn validate_parallel(&self) -> Result<(), ExpressError> {
        let given = self.channels_per_level.len();
        if given != 0 && given != self.levels as usize + 1 {
            return Err(ExpressError::LevelCount {
                given,
                wanted: self.levels + 1,
            });
        }
        for (level, &channels) in self.channels_per_level.iter().enumerate() {
            if !(1..=PARALLEL_LIMIT).contains(&channels) {
                return Err(ExpressError::Parallel {
                    level,
                    channels,
                    high: PARALLEL_LIMIT,
                });
            }
            if channels > 1 && self.decomposition != Decomposition::Module {
                return Err(ExpressError::ParallelDecomposed { level, channels });
            }
        }
        Ok(())
    }
}

/// One of the two lists of [`ModuleWidths`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WidthList {
    /// Of channels within a module.
    Inside,
    /// Of channels from one module to another.
    Across,
}

impl std::fmt::Display for WidthList {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Inside => "inside modules",
            Self::Across => "across modules",
        })
    }
}

/// A condition of an express cube that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpressError {
    /// Lines too short for any interchange.
    #[error("an express cube needs a radix of at least 3; the largest is {widest}")]
    NoRoom {
        /// The largest radix.
        widest: u32,
    },
    /// An interval without a boundary inside the line, or that leaves nothing to skip.
    #[error(
        "the interval is {interval}; it must be from 2 to {high}, one less than the largest radix"
    )]
    Interval {
        /// The interval asked for.
        interval: u32,
        /// The largest that is accepted.
        high: u32,
    },
    /// A number of levels out of range.
    #[error("there are {levels} levels; there must be from 1 to {high}")]
    Levels {
        /// Levels asked for.
        levels: u32,
        /// The most that are accepted.
        high: u32,
    },
    /// Interleaved interchanges that do not divide their group evenly.
    #[error(
        "{interleaved} interleaved interchanges do not divide the interval {interval} evenly; the \
         next lower number that does is {nearest}"
    )]
    Interleaved {
        /// Interchanges a group asked for.
        interleaved: u32,
        /// Nodes of a group.
        interval: u32,
        /// The largest number below that is accepted, at least 1.
        nearest: u32,
    },
    /// Interleaved interchanges of several levels.
    #[error("interleaved interchanges are simplex: they have 1 level, not {levels}")]
    InterleavedLevels {
        /// Levels asked for.
        levels: u32,
    },
    /// Not one number of channels for each level.
    #[error(
        "channels_per_level has {given} numbers; it must have {wanted}, one for the local channels \
         and one for each level"
    )]
    LevelCount {
        /// Numbers given.
        given: usize,
        /// Numbers that there should be.
        wanted: u32,
    },
    /// A number of parallel channels out of range.
    #[error("level {level} has {channels} channels side by side; it must have from 1 to {high}")]
    Parallel {
        /// The level, 0 for local channels.
        level: usize,
        /// Channels asked for.
        channels: u32,
        /// The most that are accepted.
        high: u32,
    },
    /// Parallel channels between interchanges that are made of level-one interchanges.
    #[error(
        "level {level} has {channels} channels side by side; interchanges made of level-one \
         interchanges take 1 of each level"
    )]
    ParallelDecomposed {
        /// The level, 0 for local channels.
        level: usize,
        /// Channels asked for.
        channels: u32,
    },
    /// Interleaved interchanges of several dimensions made of level-one interchanges.
    #[error(
        "interleaved interchanges of several dimensions are whole modules: a level-one interchange \
         handles a single dimension"
    )]
    CrossingDecomposed,
    /// Widths between interchanges that are made of level-one interchanges.
    #[error(
        "widths that change at module boundaries need interchanges that are whole modules: the \
         channels within an interchange have no level"
    )]
    WidthsDecomposed,
    /// Modules whose boundaries do not all hold interchanges, or that there are not two of.
    #[error(
        "a module has {nodes} nodes; it must have a multiple of {unit}, where the interchanges are, \
         below the largest radix, {widest}"
    )]
    ModuleNodes {
        /// Nodes asked for.
        nodes: u32,
        /// Nodes from one interchange to the next.
        unit: u32,
        /// The largest radix.
        widest: u32,
        /// A number that is accepted.
        nearest: u32,
    },
    /// Not one width for each level.
    #[error(
        "of {wanted} widths {place}, one for the local channels and one for each level, {given} \
         are given"
    )]
    WidthCount {
        /// The list.
        place: WidthList,
        /// Numbers given.
        given: usize,
        /// Numbers that there should be.
        wanted: u32,
    },
    /// A width out of range.
    #[error("a channel {place} is {bits} bits wide; it must be from 1 to {high}")]
    WidthRange {
        /// The list.
        place: WidthList,
        /// The width asked for.
        bits: u32,
        /// The largest that is accepted.
        high: u32,
    },
}
