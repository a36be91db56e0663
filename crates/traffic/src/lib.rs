//! Traffic: who sends packets to whom, when, and how long they are.
//!
//! A [`TrafficPlan`] names a [`Pattern`] (who sends to whom), a [`Process`] (when) and a
//! [`PacketLength`] (how much at once). On a network, at a load and with a seed, it becomes
//! [`Traffic`]: the packets of each cycle. The caller owns the loop:
//!
//! ```
//! use flitsim_topology::{Ends, Grid};
//! use flitsim_traffic::{Bernoulli, PacketLength, Pattern, Process, Traffic, Tornado, TrafficPlan};
//!
//! let network = Grid::uniform(8, 2, Ends::Ring)?.into_network();
//! let plan = TrafficPlan {
//!     pattern: Pattern::Tornado(Tornado),
//!     process: Process::Bernoulli(Bernoulli),
//!     length: PacketLength::Fixed(16),
//! };
//! // 0.4 flits a node a cycle: a packet of 16 every 40 cycles.
//! let mut traffic = Traffic::new(&plan, &network, 0.4, 1)?;
//! let mut flits = 0;
//! for cycle in 0..1_000 {
//!     traffic.arrivals(cycle, |packet| flits += packet.flits);
//! }
//! assert!((23_700..27_500).contains(&flits), "{flits} flits of 64 × 1,000 × 0.4 = 25,600");
//!
//! // A network that has drained may jump to the next packet.
//! let cycle = traffic.next_arrival();
//! traffic.arrivals(cycle, |packet| assert_ne!(packet.source, packet.destination));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The exact distribution of destinations, for channel loads worked out on paper:
//!
//! ```
//! # use flitsim_topology::{Ends, Grid, NodeId};
//! # use flitsim_traffic::{Pattern, Uniform};
//! let network = Grid::uniform(8, 2, Ends::Ring)?.into_network();
//! let uniform = Pattern::Uniform(Uniform { include_self: true }).compile(&network)?;
//! let mut hops = 0.0;
//! uniform.demand(NodeId(0), &mut |destination, probability| {
//!     hops += probability * f64::from(network.grid().unwrap().distance(NodeId(0), destination));
//! });
//! assert_eq!(hops, 4.0); // n k / 4
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Besides such an open loop there is traffic that waits for what it has sent: a [`Replay`] of a
//! [`Trace`] whose packets depend on others, and an [`Exchange`] of requests and replies with a
//! fixed number outstanding. Both hand out their packets with a tag, and are told the tag when the
//! packet is delivered. A [`Batch`] is created all at once.
//!
//! A process of your own can draw from the same streams, and use the distributions of
//! [`rand_distr`](https://docs.rs/rand_distr) and the destinations of any pattern:
//!
//! ```
//! use flitsim_topology::{Ends, Grid, NodeId};
//! use flitsim_traffic::{Pattern, Purpose, Streams, Tornado};
//! use rand::distr::Distribution;
//!
//! let network = Grid::uniform(8, 2, Ends::Ring)?.into_network();
//! let destinations = Pattern::Tornado(Tornado).compile(&network)?;
//! let gaps = rand_distr::Weibull::new(20.0, 0.7).expect("above 0");
//! let streams = Streams::new(1);
//! let (mut cycle, mut packets) = (0, Vec::new());
//! while cycle < 1_000 {
//!     let mut rng = streams.event(Purpose::Packets, 5, cycle);
//!     let gap: f64 = gaps.sample(&mut rng);
//!     packets.push((cycle, destinations.draw(NodeId(5), &mut rng)));
//!     cycle += 1 + gap as u64;
//! }
//! assert!((20..80).contains(&packets.len()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What can be relied on
//! - **Addressed randomness.** What a node does in a cycle draws from a generator whose state is a
//!   hash of (seed, purpose, node, cycle). It never depends on another node, and no generator is
//!   kept. See [`Streams`].
//! - **The same packets everywhere.** Draws are integer arithmetic against integer thresholds, and
//!   the thresholds come from operations that IEEE 754 rounds alike on every platform.
//! - **Idle nodes cost nothing.** A calendar holds each node's next packet: 16 bytes a node, 4 more
//!   under a permutation and 8 under [`Pareto`]. After set-up nothing is allocated.
//! - **Order.** The packets of a cycle come in ascending order of their sources.
//! - **The load is the load.** Every terminal offers the same load in the mean, whatever the
//!   process and the lengths. Fixed points of a permutation do too: they send to themselves.

mod calendar;
mod error;
mod exchange;
mod file;
mod geometric;
mod length;
mod pattern;
mod plan;
mod process;
#[cfg(test)]
mod statistics;
mod stream;
mod thresholds;
mod trace;
mod traffic;

pub use error::{PatternError, TrafficError};
pub use exchange::{Batch, ClosedLoop, Exchange, PACKETS_AT_ONCE_MOST};
pub use file::{TraceProblem, TrafficFileError, TrafficFileProblem};
pub use length::{Histogram, PacketLength};
pub use pattern::{
    BitComplement, BitReverse, Context, Destinations, ENUMERATED_MOST, Hotspot, Local, Matrix,
    MixPart, Neighbour, NextGroup, Own, OwnPattern, PART, PATH, Pattern, RandomPermutation, Reach,
    Shuffle, Tornado, Transpose, Uniform, parse_permutation, register_pattern,
};
pub use plan::TrafficPlan;
pub use process::{Bernoulli, OnOff, Pareto, Periodic, Poisson, Process};
pub use stream::{Purpose, Streams};
pub use trace::{Replay, Trace};
pub use traffic::{Arrival, Traffic};
