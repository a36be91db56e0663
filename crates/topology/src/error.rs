//! Why a network cannot be built.

use crate::memory::available_bytes;
use flitsim_keys::Fault;

/// The most channels a network may have: identifiers of a channel and a virtual channel of it (at
/// most 64) stay within what routers index.
pub(crate) const CHANNELS_LIMIT: u128 = 1 << 26;

/// About the bytes that a channel takes while a network is built, its share of what is kept for nodes
/// included.
const CHANNEL_BYTES: u128 = 40;

/// Bytes below which nobody asks what there is.
const SMALL_BYTES: u128 = 64 << 20;

/// Refuses networks that are too large, before any memory is touched.
/// `remedy` says what would have to be smaller.
pub(crate) fn check_size(
    nodes: u128,
    channels: u128,
    remedy: &'static str,
) -> Result<(), TopologyError> {
    let bytes = channels.max(nodes).saturating_mul(CHANNEL_BYTES);
    if channels > CHANNELS_LIMIT {
        return Err(TopologyError::TooLarge {
            nodes,
            channels,
            gibibytes: bytes >> 30,
            limit: CHANNELS_LIMIT,
            remedy,
        });
    }
    if bytes <= SMALL_BYTES {
        return Ok(());
    }
    match available_bytes() {
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
    /// A parameter that the family does not allow: which, and what would be right.
    #[error(transparent)]
    Parameter(#[from] Fault),
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
        /// What of it would have to be smaller.
        remedy: &'static str,
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
}

/// That the parameter called `key` in scenarios is wrong, in a few words and in a sentence, and what
/// would be right.
pub(crate) fn refused(
    key: &'static str,
    label: &str,
    remedy: impl Into<String>,
    message: impl Into<String>,
) -> Fault {
    let fault = Fault::new(None, message).of_key(key);
    fault.label(label).help(remedy)
}
