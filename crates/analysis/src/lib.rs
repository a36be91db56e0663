//! What a routing relation and a demand imply before any cycle is simulated: the load of every channel,
//! the throughput that no router can exceed, mean hops and zero-load latency (Dally & Towles, sections
//! 3.1 and 23.1).
//!
//! Nothing here but [`uniform`] uses a closed form of a particular algorithm: the very relation that the
//! kernel runs is walked. Sums are taken in one fixed order, so equal input gives equal bits, whatever
//! the number of threads.
//!
//! [`mod@verify`] proves a relation free of deadlock.

mod demand;
mod flow;
mod heads;
mod latency;
mod legs;
mod symmetric;
pub mod uniform;
pub mod verify;

pub use latency::zero_load_latency_cycles;

use demand::{Demand, Pairs};
use flitsim_engine::routing::Relation;
use flitsim_engine::{ConfigError, EngineConfig, Port, Routing};
use flitsim_topology::{ChannelId, Network, NodeId};
use flow::Flow;
use latency::Timing;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Why an expectation does not exist.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// The router cannot be built on this network.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// No source sends anything.
    #[error("no terminal sends anything")]
    NoTraffic,
    /// A source or a destination without a terminal.
    #[error("node {node} has no terminal: terminals are the nodes below {terminals}")]
    NotATerminal {
        /// The node.
        node: NodeId,
        /// Terminals of the network.
        terminals: u32,
    },
    /// A share of the demand that is negative or not a finite number.
    #[error("the demand from {origin} to {destination} is {probability}")]
    Probability {
        /// The terminal that sends.
        origin: NodeId,
        /// The terminal that receives.
        destination: NodeId,
        /// The share that the demand gives.
        probability: f64,
    },
    /// The relation has no candidate for a head.
    #[error("a packet for {destination} has no way on at {node}")]
    DeadEnd {
        /// The router where the head waits.
        node: NodeId,
        /// The terminal that it goes to.
        destination: NodeId,
    },
    /// The relation may lead a packet round and round.
    #[error("a packet for {destination} may pass {node} again and again without arriving")]
    Endless {
        /// A router on, or behind, the closed walk.
        node: NodeId,
        /// The terminal that it goes to.
        destination: NodeId,
    },
    /// The walk towards one destination has too many distinct heads to enumerate.
    #[error("heads for {destination} can be in more than {limit} states")]
    TooManyStates {
        /// The terminal that they go to.
        destination: NodeId,
        /// The most that are enumerated.
        limit: usize,
    },
}

/// Expectations under a demand, for an offered load of 1 flit per node and cycle. Loads are proportional
/// to the offered load until a channel saturates.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// γ of each channel, by channel identifier: flits a cycle.
    pub channel_loads: Vec<f64>,
    /// The largest of `channel_loads`.
    pub channel_load_max: f64,
    /// The most that one terminal sends, in flits a cycle.
    pub injection_load_max: f64,
    /// The most that one terminal receives, in flits a cycle.
    pub ejection_load_max: f64,
    /// The offered load, in flits a node a cycle, at which the first channel, injection or ejection
    /// port is always busy. Infinite where nothing limits.
    pub ideal_throughput: f64,
    /// Mean number of channels that a packet takes: those between routers and, where terminals are ports,
    /// those of its terminals too.
    pub hops_mean: f64,
    /// Mean of the wire delays that a packet meets, in cycles beyond the routers'.
    pub wire_cycles_mean: f64,
    /// The share of packets whose destination is their source.
    pub self_share: f64,
    /// The share of packets that take no channel.
    at_home_share: f64,
    /// The shares of the other packets, by the period of the slowest channel on their way.
    slowest: Vec<(u32, f64)>,
    /// Mean numbers of channels that a packet takes, by their periods.
    crossings: Vec<(u32, f64)>,
    timing: Timing,
}

impl Expected {
    /// Mean latency, in cycles from creation to the tail's consumption, of packets of `packet_flits`
    /// flits that meet no other: the average of [`zero_load_latency_cycles`].
    pub fn zero_load_latency_mean(&self, packet_flits: u32) -> f64 {
        let line = |period| self.timing.line(packet_flits, period);
        let once = self.slowest.iter().map(|&(p, n)| n * line(p).once as f64);
        let hops = self.crossings.iter();
        let hops = hops.map(|&(p, n)| n * line(p).per_hop as f64);
        self.at_home_share * line(1).at_home as f64
            + once.sum::<f64>()
            + hops.sum::<f64>()
            + self.wire_cycles_mean
    }
}

/// The expectation of `routing` on `network`. Each terminal s sends to d with the probability p that
/// `demand(s, &mut |d, p| ..)` reports; a share that is missing is not sent.
///
/// The initial states of a packet are equally likely; a head takes each channel of its best
/// priority class with equal probability, and each of the virtual channels allowed there. That is
/// exact for deterministic routing, and the behaviour of an empty network for adaptive routing.
///
/// ```
/// use flitsim_engine::EngineConfig;
/// use flitsim_engine::routing::{DimensionOrder, Tie};
/// use flitsim_topology::{Ends, Grid, NodeId};
///
/// let network = Grid::uniform(8, 2, Ends::Open)?.into_network();
/// let grid = network.grid().expect("a mesh has coordinates");
/// let config = EngineConfig::default();
/// let routing = DimensionOrder::new(grid, config.virtual_channels, Tie::Random, true)?;
/// // To every node alike, itself included.
/// let uniform = |_: NodeId, tell: &mut dyn FnMut(NodeId, f64)| {
///     (0..64).map(NodeId).for_each(|node| tell(node, 1.0 / 64.0));
/// };
/// let expected = flitsim_analysis::expected(&network, &routing, &config, uniform)?;
/// // k / 4 flits a cycle cross a channel in the middle of a row of k nodes at a load of 1.
/// assert!((expected.channel_load_max - 2.0).abs() < 1e-9);
/// assert!((expected.ideal_throughput - 0.5).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The time is proportional to terminals × heads that a relation distinguishes for a destination; 1,024
/// terminals take well under a second with dimension order. Where every terminal sends to each other
/// alike, one destination stands for all of its images ([`Routing::symmetry`],
/// [`Routing::symmetry_of_ways`]). From about 4,096 terminals on, see [`expected_sampled`] and
/// [`uniform`].
///
/// # Errors
/// [`AnalysisError`]: the demand is not valid, or the relation does not deliver every packet.
///
/// # Panics
/// If `demand` reports different pairs when asked again for the same source.
pub fn expected<R: Routing>(
    network: &Network,
    routing: &R,
    config: &EngineConfig,
    demand: impl Fn(NodeId, &mut dyn FnMut(NodeId, f64)),
) -> Result<Expected, AnalysisError> {
    let sources: Vec<NodeId> = (0..network.terminals()).map(NodeId).collect();
    expected_sampled(network, routing, config, &sources, demand)
}

/// As [`expected`], where only `sources` send. Means are taken over these sources: a sample of the
/// terminals estimates the means of all, and one source gives them exactly where all look alike. Loads
/// and `ideal_throughput` are those of these sources alone, and do not estimate those of the whole.
///
/// # Errors
/// As [`expected`].
///
/// # Panics
/// As [`expected`].
pub fn expected_sampled<R: Routing>(
    network: &Network,
    routing: &R,
    config: &EngineConfig,
    sources: &[NodeId],
    demand: impl Fn(NodeId, &mut dyn FnMut(NodeId, f64)),
) -> Result<Expected, AnalysisError> {
    config.validate(network)?;
    let demand = Demand::new(network, sources, &demand)?;
    let loads = loads(network, routing, config, &demand)?;
    Ok(of_loads(config, &demand, loads))
}

/// As [`expected`], but faster where `relation` goes by way of a node drawn at random: it takes two walks
/// for each node in place of one for each pair.
///
/// # Errors
/// As [`expected`].
///
/// # Panics
/// As [`expected`].
pub fn expected_of_relation(
    network: &Network,
    relation: &Relation<'_>,
    config: &EngineConfig,
    demand: impl Fn(NodeId, &mut dyn FnMut(NodeId, f64)),
) -> Result<Expected, AnalysisError> {
    of_relation(network, relation, config, &demand)
}

/// The same whatever the closure, so that the walk is compiled here, once, for speed.
fn of_relation(
    network: &Network,
    relation: &Relation<'_>,
    config: &EngineConfig,
    demand: Pairs<'_>,
) -> Result<Expected, AnalysisError> {
    let sources: Vec<NodeId> = (0..network.terminals()).map(NodeId).collect();
    config.validate(network)?;
    let demand = Demand::new(network, &sources, demand)?;
    let by_legs = || {
        let legs = relation.legs().filter(|_| legs::fit(network, config))?;
        Some(legs::loads(network, &legs, config, &demand))
    };
    let symmetric = symmetric(network, relation, config, &demand);
    let loads = match symmetric.map(Ok).or_else(by_legs) {
        // By legs: few send, perhaps.
        None | Some(Err(AnalysisError::TooManyStates { .. })) => {
            walked(network, relation, config, false, &demand)?
        }
        Some(loads) => loads?,
    };
    Ok(of_loads(config, &demand, loads))
}

/// The expectation where `demand` loads channels with `loads`.
fn of_loads(
    config: &EngineConfig,
    demand: &Demand<'_>,
    (channel_loads, slowest): Loads,
) -> Expected {
    let total = demand.total();
    let mut wire_cycles = 0.0;
    for (channel, &load) in (0..).map(ChannelId).zip(&channel_loads) {
        wire_cycles += load * f64::from(config.channel_delay_of(channel));
    }
    let hops: f64 = channel_loads.iter().sum();
    let channel_load_max = max(&channel_loads);
    let injection_load_max = max(demand.injection_loads());
    let ejection_load_max = max(demand.ejection_loads());
    let (mut busy_max, mut crossings) = (0.0f64, Vec::new());
    for (channel, &load) in (0..).map(ChannelId).zip(&channel_loads) {
        let period = config.channel_period_of(channel);
        busy_max = busy_max.max(load * f64::from(period));
        if !config.channel_periods.is_empty() {
            add_to(&mut crossings, period, load / total);
        }
    }
    let self_share = demand.to_self() / total;
    let at_home_share = match config.terminal_ports {
        true => 0.0,
        false => self_share,
    };
    let slowest = if config.channel_periods.is_empty() {
        crossings.push((config.channel_period, hops / total));
        vec![(config.channel_period, 1.0 - at_home_share)]
    } else {
        slowest
            .into_iter()
            .map(|(p, flow)| (p, flow / total))
            .collect()
    };
    let busiest = [
        busy_max,
        injection_load_max * f64::from(u8::from(config.is_injection_limited())),
        ejection_load_max * f64::from(u8::from(config.ejection == Port::Channel)),
    ];
    Expected {
        channel_load_max,
        injection_load_max,
        ejection_load_max,
        ideal_throughput: 1.0 / max(&busiest),
        hops_mean: hops / total,
        wire_cycles_mean: wire_cycles / total,
        self_share,
        at_home_share,
        slowest,
        crossings,
        timing: Timing::new(config),
        channel_loads,
    }
}

/// Most parts in which destinations are walked, least destinations of each, and most loads of channels that all
/// parts keep: 64 MB.
const PARTS_MOST: usize = 64;
const DESTINATIONS_LEAST: usize = 16;
const LOADS_AT_ONCE: usize = 1 << 23;

/// The load of each channel, and the flits a cycle by the longest period on their way, where periods differ.
type Loads = (Vec<f64>, Vec<(u32, f64)>);

/// What `demand` loads channels with.
fn loads<R: Routing>(
    network: &Network,
    routing: &R,
    config: &EngineConfig,
    demand: &Demand<'_>,
) -> Result<Loads, AnalysisError> {
    match symmetric(network, routing, config, demand) {
        Some(loads) => Ok(loads),
        None => walked(network, routing, config, false, demand),
    }
}

/// As [`loads`], from a few destinations for all where they look alike.
fn symmetric<R: Routing>(
    network: &Network,
    routing: &R,
    config: &EngineConfig,
    demand: &Demand<'_>,
) -> Option<Loads> {
    let loads = symmetric::channel_loads(network, routing, config, demand.even()?)?;
    Some((loads, Vec::new()))
}

/// As [`loads`], from every destination; where `begin_first`, packets begin in the first of their initial states.
fn walked<R: Routing>(
    network: &Network,
    routing: &R,
    config: &EngineConfig,
    begin_first: bool,
    demand: &Demand<'_>,
) -> Result<Loads, AnalysisError> {
    let mut all = (vec![0.0; network.channels() as usize], Vec::new());
    demand.for_each_batch(|batch| {
        let parts = parts(network, batch.len());
        // The first part that fails is told of, and those behind it need not be walked.
        let failed = AtomicUsize::new(usize::MAX);
        let size = batch.len().div_ceil(parts).max(1);
        let loads = flitsim_topology::parallel::map_with(
            batch.len().div_ceil(size),
            || (),
            |(), part| -> Result<Loads, _> {
                let mut flow = Flow::new(network, routing, config).beginning(begin_first);
                for &(destination, shares) in batch.chunks(size).nth(part).into_iter().flatten() {
                    if failed.load(Ordering::Relaxed) < part {
                        break;
                    }
                    if let Err(error) = flow.add(destination, shares) {
                        failed.fetch_min(part, Ordering::Relaxed);
                        return Err(error);
                    }
                }
                Ok(flow.into_loads())
            },
        );
        // In their order, so that sums and errors are the same whatever the number of threads.
        for part in loads {
            let (loads, slowest) = part?;
            for (sum, load) in all.0.iter_mut().zip(loads) {
                *sum += load;
            }
            for (period, flow) in slowest {
                add_to(&mut all.1, period, flow);
            }
        }
        Ok::<_, AnalysisError>(())
    })?;
    Ok(all)
}

/// In how many parts `destinations` of `network` are walked, by that many threads at most.
fn parts(network: &Network, destinations: usize) -> usize {
    let by_memory = LOADS_AT_ONCE / (network.channels() as usize).max(1);
    (destinations / DESTINATIONS_LEAST)
        .min(by_memory)
        .clamp(1, PARTS_MOST)
}

/// Adds `amount` to what there is of `period`.
fn add_to(amounts: &mut Vec<(u32, f64)>, period: u32, amount: f64) {
    match amounts.iter_mut().find(|(known, _)| *known == period) {
        Some((_, sum)) => *sum += amount,
        None => amounts.push((period, amount)),
    }
}

fn max(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}
