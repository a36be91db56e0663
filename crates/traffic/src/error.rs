//! Why traffic cannot be made: what was wrong, and what would be right.

/// A pattern that is not defined on a network.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// A rule on address bits, and addresses that are not whole bits.
    #[error(
        "the pattern `{pattern}` works on the bits of addresses and needs a power of two of \
         terminals; there are {terminals}"
    )]
    NeedsPowerOfTwo {
        /// The pattern's name in scenario files.
        pattern: &'static str,
        /// Terminals that there are.
        terminals: u32,
    },
    /// A rule that swaps the halves of the address bits, and an odd number of them.
    #[error(
        "the pattern `{pattern}` swaps the halves of the address bits and needs an even number of \
         them; {terminals} terminals have {bits}"
    )]
    NeedsEvenBits {
        /// The pattern's name in scenario files.
        pattern: &'static str,
        /// Terminals that there are.
        terminals: u32,
        /// The bits of their addresses.
        bits: u32,
    },
    /// A rule that swaps dimensions of different radices.
    #[error(
        "the pattern `{pattern}` swaps dimensions {first} and {second} and needs equal radices \
         there; they are {first_radix} and {second_radix}"
    )]
    UnequalRadices {
        /// The pattern's name in scenario files.
        pattern: &'static str,
        /// A dimension.
        first: usize,
        /// Its radix.
        first_radix: u32,
        /// The dimension that it is swapped with.
        second: usize,
        /// Its radix.
        second_radix: u32,
    },
    /// A rule on coordinates, on a network that has none.
    #[error(
        "the pattern `{pattern}` works on coordinates and needs a torus, a mesh or a hypercube"
    )]
    NeedsCoordinates {
        /// The pattern's name in scenario files.
        pattern: &'static str,
    },
    /// A rule that sends every node to itself here.
    #[error(
        "the pattern `tornado` moves nothing here: it shifts each dimension of radix k by \
         ⌈k/2⌉ - 1, which is 0 where k is 2; it needs a radix of at least 3"
    )]
    TornadoStandsStill,
    /// Other nodes as destinations, and no other nodes.
    #[error(
        "the pattern `{pattern}` without `self` needs at least 2 terminals; there are {terminals}"
    )]
    TooFewTerminals {
        /// The pattern's name in scenario files.
        pattern: &'static str,
        /// Terminals that there are.
        terminals: u32,
    },
    /// A hotspot nowhere.
    #[error("the pattern `hotspot` needs at least one node in `nodes`")]
    NoHotspots,
    /// A hotspot that is not a terminal.
    #[error(
        "the hotspot {node} is not a terminal; terminals are 0 to {}",
        terminals - 1
    )]
    UnknownHotspot {
        /// The node given.
        node: u32,
        /// Terminals that there are, at least 1.
        terminals: u32,
    },
    /// A hotspot given twice.
    #[error("the hotspot {node} is given twice; name each node once")]
    RepeatedHotspot {
        /// The node.
        node: u32,
    },
    /// A share of the traffic that is none.
    #[error("the hotspots' `fraction` is {fraction}; it must be from 0 to 1")]
    HotspotFraction {
        /// The fraction given.
        fraction: f64,
    },
    /// Next to all packets of a source would go to nodes that have failed.
    #[error(
        "{percent:.1} % of the packets of node {source_node} would go to nodes that have failed; \
         what is left is not this pattern"
    )]
    DestinationsFailed {
        /// The source.
        source_node: u32,
        /// How many of its packets.
        percent: f64,
    },
    /// No terminal is left that would send to one that is left.
    #[error("all packets would go to nodes that have failed")]
    NobodySends,
}

/// Traffic that cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrafficError {
    /// The pattern is not defined on the network.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// A packet of no flits, or of too many.
    #[error(
        "packets of {flits} flits; a packet has from 1 to {} flits",
        crate::PacketLength::FLITS_MOST
    )]
    PacketLength {
        /// The length given.
        flits: u32,
    },
    /// A load that is negative or not a number.
    #[error("a load of {load} flits/node/cycle; a load is a finite number that is 0 or more")]
    InvalidLoad {
        /// The load given.
        load: f64,
    },
    /// A load beyond what the process can create.
    #[error(
        "a load of {load} flits/node/cycle is more than the process `{process}` can offer: with \
         packets of {mean_flits} flits, at most {load_most} flits/node/cycle \
         ({rate_most} packets a node a cycle)"
    )]
    LoadTooHigh {
        /// The load given, in flits per node per cycle.
        load: f64,
        /// The process's name in scenario files.
        process: &'static str,
        /// Mean length of the packets.
        mean_flits: f64,
        /// The highest load, in flits per node per cycle.
        load_most: f64,
        /// The highest rate of the process, in packets per node per cycle.
        rate_most: f64,
    },
}
