//! Why a network cannot be built.

use crate::memory::available_bytes;

/// The most channels a network may have: identifiers of a channel and a virtual channel of it (at
/// most 64) stay within what routers index.
pub(crate) const CHANNELS_LIMIT: u128 = 1 << 26;

/// About the bytes that a channel takes while a network is built, its share of what is kept for nodes
/// included.
const CHANNEL_BYTES: u128 = 40;

/// Bytes below which nobody asks what there is.
const SMALL_BYTES: u128 = 64 << 20;

/// Refuses networks that are too large, before any memory is touched.
pub(crate) fn check_size(nodes: u128, channels: u128) -> Result<(), TopologyError> {
    check_size_within(nodes, channels, available_bytes)
}

fn check_size_within(
    nodes: u128,
    channels: u128,
    available: impl FnOnce() -> Option<u64>,
) -> Result<(), TopologyError> {
    let bytes = channels.max(nodes).saturating_mul(CHANNEL_BYTES);
    if channels > CHANNELS_LIMIT {
        return Err(TopologyError::TooLarge {
            nodes,
            channels,
            gibibytes: bytes >> 30,
            limit: CHANNELS_LIMIT,
        });
    }
    if bytes <= SMALL_BYTES {
        return Ok(());
    }
    match available() {
        Some(available) if bytes > u128::from(available) => Err(TopologyError::NoMemory {
            nodes,
            channels,
            bytes,
            available,
        }),
        _ => Ok(()),
    }
}

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
    /// More memory than there is.
    #[error(
        "the network would have {nodes} nodes and {channels} channels, and building it would take \
         about {bytes} bytes; {available} are available"
    )]
    NoMemory {
        /// Nodes it would have.
        nodes: u128,
        /// Unidirectional channels it would have.
        channels: u128,
        /// Estimated memory of the graph alone, while it is built.
        bytes: u128,
        /// What the system says there is.
        available: u64,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused() {
        let check = |channels, available| check_size_within(1 << 20, channels, || available);
        assert_eq!(check(1 << 22, Some(1 << 40)), Ok(()));
        assert_eq!(check(1 << 22, None), Ok(()));
        assert_eq!(
            check(1 << 22, Some(100 << 20)),
            Err(TopologyError::NoMemory {
                nodes: 1 << 20,
                channels: 1 << 22,
                bytes: 160 << 20,
                available: 100 << 20,
            })
        );
        let beyond = check((1 << 26) + 1, Some(u64::MAX));
        assert!(matches!(
            beyond,
            Err(TopologyError::TooLarge { gibibytes: 2, .. })
        ));
        // Nobody is asked about small ones.
        assert_eq!(check_size_within(8, 8, || unreachable!()), Ok(()));
    }
}
