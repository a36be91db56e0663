//! What is wrong with a file of traffic.

use super::trace::TraceProblem;
use flitsim_topology::FileError;
use flitsim_topology::file::{Place, Several, Source};

/// The most lengths of a histogram.
pub(crate) const LENGTHS_MOST: usize = 1 << 16;

/// A file of traffic that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrafficFileError {
    /// The file is no such table, or speaks of nodes that are not there.
    #[error(transparent)]
    File(#[from] FileError),
    /// What the table says cannot be.
    #[error("{place}: {problem}")]
    Traffic {
        /// Where it is wrong.
        place: Place,
        /// What is wrong there.
        problem: TrafficFileProblem,
    },
    /// What a trace says cannot be.
    #[error("{place}: {problem}")]
    Trace {
        /// Where it is wrong.
        place: Place,
        /// What is wrong there.
        problem: TraceProblem,
    },
    /// More than one row is wrong.
    #[error("{}", Several::lines(.0))]
    Several(Vec<TrafficFileError>),
}

impl Several for TrafficFileError {
    fn several(faults: Vec<Self>) -> Self {
        Self::Several(faults)
    }
}

/// What is wrong with a file of traffic.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrafficFileProblem {
    /// A node that neither sends nor receives.
    #[error("`{name}` is a switch: only terminals send and receive")]
    NotATerminal {
        /// The node.
        name: String,
    },
    /// A source with two destinations.
    #[error("`{name}` is a source here again; it is in line {first_line} already")]
    RepeatedSource {
        /// The source.
        name: String,
        /// Its first line.
        first_line: u32,
    },
    /// A destination of two sources.
    #[error(
        "`{name}` is a destination here again; it is in line {first_line} already (the pattern \
         `matrix` allows that)"
    )]
    RepeatedDestination {
        /// The destination.
        name: String,
        /// Its first line.
        first_line: u32,
    },
    /// A pair that stands twice.
    #[error(
        "the traffic from `{source_name}` to `{destination}` stands here again; it is in line \
         {first_line} already"
    )]
    RepeatedPair {
        /// The terminal that sends.
        source_name: String,
        /// The terminal that receives.
        destination: String,
        /// The pair's first line.
        first_line: u32,
    },
    /// A terminal that sends nothing.
    #[error("no row has the source `{name}`: all {terminals} terminals send, each the same load")]
    MissingSource {
        /// The terminal.
        name: String,
        /// Terminals there are.
        terminals: u32,
    },
    /// Probabilities that are none.
    #[error("the weights of source `{name}` sum to {sum}, not to 1")]
    RowSum {
        /// The source.
        name: String,
        /// The sum.
        sum: f64,
    },
    /// A length that stands twice.
    #[error("{flits} flits stand here again; they are in line {first_line} already")]
    RepeatedLength {
        /// The length.
        flits: u32,
        /// Its first line.
        first_line: u32,
    },
    /// More lengths than a histogram holds.
    #[error("{lengths} lengths are too many; the limit is {}", LENGTHS_MOST)]
    TooManyLengths {
        /// The lengths with a weight above 0.
        lengths: usize,
    },
    /// Nothing to draw.
    #[error("no length has a weight above 0")]
    NoLengths,
}

/// A problem at a place of `source`.
pub(crate) fn fail(
    source: Source<'_>,
    offset: usize,
    problem: TrafficFileProblem,
) -> TrafficFileError {
    TrafficFileError::Traffic {
        place: source.place(offset),
        problem,
    }
}

pub(crate) fn fail_in_all(source: Source<'_>, problem: TrafficFileProblem) -> TrafficFileError {
    TrafficFileError::Traffic {
        place: source.place_of_all(),
        problem,
    }
}
