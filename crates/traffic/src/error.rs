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
    /// Groups, on a network that has none of its own.
    #[error("the pattern `next-group` needs groups, and only a dragonfly has some of its own")]
    NeedsGroups,
    /// Groups that the terminals are not made of.
    #[error(
        "the pattern `next-group` needs two groups or more, all alike; there are {terminals} terminals, \
         and {group} are a group"
    )]
    NotInGroups {
        /// Terminals of a group.
        group: u32,
        /// Terminals that there are.
        terminals: u32,
    },
    /// Other nodes as destinations, and no other nodes.
    #[error(
        "the pattern `{pattern}` without `self` needs at least 2 terminals; there {} {terminals}",
        if *terminals == 1 { "is" } else { "are" }
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
    /// Rates of hotspots, of which each has one, above 0.
    #[error("`hotspot` has {nodes} `nodes` and {rates} `rates` above 0")]
    HotspotRates {
        /// The hotspots.
        nodes: usize,
        /// The rates given.
        rates: usize,
    },
    /// Rates of hotspots that are more together than is counted.
    #[error("the `rates` of `hotspot` come to more than 4,294,967,295 together")]
    HotspotRatesSum,
    /// A file's destinations on a network of another size.
    #[error("the pattern `{pattern}` is for {given} terminals; there are {terminals}")]
    OtherTerminals {
        /// The pattern's name in scenario files.
        pattern: &'static str,
        /// Terminals that it knows.
        given: u32,
        /// Terminals that there are.
        terminals: u32,
    },
    /// A permutation that reaches a terminal twice, or none.
    #[error("{destination} is no terminal, or the destination of two: this is no permutation")]
    NotAPermutation {
        /// The destination.
        destination: u32,
        /// Terminals that there are.
        terminals: u32,
    },
    /// A row of a matrix that is not a law.
    #[error(
        "the weights of source {origin} are no probabilities: none below 0, and 1 all together (their sum is {sum})"
    )]
    MatrixRow {
        /// The source.
        origin: u32,
        /// The sum of its weights.
        sum: f64,
    },
    /// Nobody to send to.
    #[error(
        "no other terminal is within a radius of {radius} around terminal {origin}; the nearest is \
         {nearest} hops away"
    )]
    NobodyNear {
        /// The source.
        origin: u32,
        /// The radius given.
        radius: u32,
        /// Hops to the nearest terminal.
        nearest: u32,
    },
    /// A source from which no channels lead to others.
    #[error("no other terminal can be reached from terminal {origin}")]
    NobodyReachable {
        /// The source.
        origin: u32,
    },
    /// A mean distance that no law that falls with distance has.
    #[error(
        "a mean distance of {mean_distance} hops cannot be had from terminal {origin}: there it \
         is from {low} (only the nearest) to {high} (all distances alike)"
    )]
    MeanDistance {
        /// The mean given.
        mean_distance: f64,
        /// A source that cannot have it.
        origin: u32,
        /// The least there.
        low: f64,
        /// The most there.
        high: f64,
    },
    /// More destinations than are held in memory.
    #[error(
        "the pattern `local` has more than {limit} pairs of a source and a destination here; a \
         smaller `radius` has fewer, and a torus or a hypercube needs no list of them"
    )]
    LocalTooLarge {
        /// The most pairs.
        limit: usize,
    },
    /// A mixture of nothing.
    #[error("the pattern `mix` needs at least one part")]
    NoParts,
    /// A mixture in a mixture.
    #[error("a part of the pattern `mix` is itself a `mix`; name its parts instead")]
    NestedMix,
    /// A weight that is none.
    #[error("a part of the pattern `mix` has the weight {weight}; a weight is a number above 0")]
    PartWeight {
        /// The weight given.
        weight: f64,
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
    /// Short packets that are not shorter than the long ones.
    #[error(
        "short packets of {short_flits} flits and long ones of {long_flits}: the short ones must \
         be shorter"
    )]
    BimodalOrder {
        /// Flits of a short packet.
        short_flits: u32,
        /// Flits of a long packet.
        long_flits: u32,
    },
    /// A share of the packets that is none.
    #[error("the share of long packets is {long_share}; it must be from 0 to 1")]
    LongShare {
        /// The share given.
        long_share: f64,
    },
    /// A length that a histogram holds twice.
    #[error("the histogram has {flits} flits twice; give each length once")]
    RepeatedLength {
        /// The length.
        flits: u32,
    },
    /// A weight that is none.
    #[error("packets of {flits} flits have the weight {weight}; a weight is a number, 0 or more")]
    LengthWeight {
        /// The length.
        flits: u32,
        /// Its weight.
        weight: f64,
    },
    /// No packets at all.
    #[error("a histogram needs a length with a weight above 0")]
    NoLengths,
    /// More lengths than a histogram holds.
    #[error(
        "a histogram of {lengths} lengths; the limit is {}",
        crate::Histogram::LENGTHS_MOST
    )]
    TooManyLengths {
        /// The lengths given.
        lengths: usize,
    },
    /// Bursts or idle times that are too short or too long.
    #[error(
        "the process `{process}` has bursts or idle times of {cycles} cycles in the mean; both \
         must be from 1 to {most}"
    )]
    BurstCycles {
        /// The process's name in scenario files.
        process: &'static str,
        /// The mean given.
        cycles: f64,
        /// The longest mean.
        most: f64,
    },
    /// Bursts so short that they would make traffic more even.
    #[error(
        "bursts of {burst_cycles} and idle times of {idle_cycles} cycles in the mean are more even \
         than no bursts: 1 / burst + 1 / idle must be at most 1, as with 2 and 2 cycles or longer"
    )]
    BurstsTooShort {
        /// Mean length of a burst.
        burst_cycles: f64,
        /// Mean length of the idle time between bursts.
        idle_cycles: f64,
    },
    /// A law of times without a mean, or without a heavy tail.
    #[error("the shape of the process `pareto` is {shape}; it must be above 1 and at most 2")]
    ParetoShape {
        /// The shape given.
        shape: f64,
    },
    /// A load so low that the process hardly ever creates a packet.
    #[error(
        "a load of {load} flits/node/cycle is less than a packet in 10,000 bursts of the process \
         `{process}`; here it offers {load_least} flits/node/cycle or more"
    )]
    LoadTooLow {
        /// The load given, in flits per node per cycle.
        load: f64,
        /// The process's name in scenario files.
        process: &'static str,
        /// The lowest load, in flits per node per cycle.
        load_least: f64,
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
