//! Why a network cannot be built.

/// A network that does not exist, or that would not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TopologyError {
    /// No dimensions were given.
    #[error("a grid needs at least one dimension")]
    NoDimensions,
    /// A radix below two: the dimension would have no channels.
    #[error("the radix of dimension {dimension} is {radix}; it must be at least 2")]
    RadixTooSmall {
        /// The dimension, from 0.
        dimension: usize,
        /// The radix asked for.
        radix: u32,
    },
    /// A radix whose coordinates do not fit.
    #[error("the radix of dimension {dimension} is {radix}; it must be at most {limit}")]
    RadixTooLarge {
        /// The dimension, from 0.
        dimension: usize,
        /// The radix asked for.
        radix: u32,
        /// The largest that is accepted.
        limit: u32,
    },
    /// A number of processors that is not 4, 16, 64 and so on.
    #[error(
        "{processors} processors are not a power of four of at least 4, as this network needs; \
         the nearest that can be built is {nearest}"
    )]
    ProcessorsNotPowerOfFour {
        /// The number asked for.
        processors: u64,
        /// The nearest that is accepted.
        nearest: u64,
    },
    /// A star graph of too few or too many symbols.
    #[error("a star graph of {symbols} symbols cannot be built; it needs {low} to {high} symbols")]
    SymbolsOutOfRange {
        /// The symbols asked for.
        symbols: u32,
        /// The fewest.
        low: u32,
        /// The most.
        high: u32,
    },
    /// Fewer dimensions than the definition of the network makes sense for.
    #[error("a {kind} of {dimensions} dimensions does not exist; it needs at least {low}")]
    TooFewDimensions {
        /// What the network is called.
        kind: &'static str,
        /// The dimensions asked for.
        dimensions: u32,
        /// The fewest.
        low: u32,
    },
    /// A radix that the definition of the network does not allow.
    #[error(
        "the radix of a {kind} of {dimensions} dimensions must be a multiple of {unit}; {radix} is \
         not, {nearest} is"
    )]
    RadixCondition {
        /// What the network is called.
        kind: &'static str,
        /// Its dimensions.
        dimensions: u32,
        /// The radix asked for.
        radix: u32,
        /// What it must be a multiple of.
        unit: u64,
        /// The nearest radix that is.
        nearest: u64,
    },
    /// The network would have more nodes or channels than 32-bit identifiers can name, or than a
    /// machine could hold.
    #[error(
        "the network would have {nodes} nodes and {channels} channels, about {gibibytes} GiB \
         before any router is simulated; the limit is {limit} channels"
    )]
    TooLarge {
        /// Nodes it would have.
        nodes: u128,
        /// Unidirectional channels it would have.
        channels: u128,
        /// Estimated memory of the graph alone.
        gibibytes: u128,
        /// The largest number of channels that is accepted.
        limit: u128,
    },
    /// A list of channels that is no network: see [`Network::from_channels`](crate::Network::from_channels).
    #[error("no network: {reason}")]
    NotANetwork {
        /// What is wrong, with the channel or node.
        reason: String,
    },
    /// A condition of an express cube that does not hold.
    #[error(transparent)]
    Express(#[from] crate::express::ExpressError),
}
