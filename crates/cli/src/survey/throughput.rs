//! The throughput that no router can pass: 1 over the load of the busiest channel under uniform
//! traffic (Dally & Towles, section 3.2).

use super::{Depth, Subject};
use flitsim_analysis::uniform::channel_load_max;
use flitsim_engine::routing::{Algorithm, RoutingChoice, Spread};
use flitsim_scenario::dispatch::uniform_load_max;
use flitsim_topology::{ChannelId, Network};

/// The most terminals of a network whose channel loads are found by walking its routing: a second
/// or two; a tenth of one where many networks are compared.
const fn terminals_walked_most(depth: Depth) -> u32 {
    match depth {
        Depth::Whole => 4_096,
        Depth::Brief => 512,
    }
}

/// How the throughput was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThroughputMethod {
    /// In closed form, for dimension order.
    Formula,
    /// From the load of every channel under the routing.
    ExactLoads,
    /// The same of an adaptive routing, whose packets split evenly over the ways that they may take.
    EvenSplit,
    /// Mean shortest hops over channels: an upper bound for any routing, reached by a minimal one
    /// that loads all channels alike.
    EvenLoads,
    /// What the channels of a terminal take, where that is less: an upper bound, too.
    TerminalChannels,
}

impl ThroughputMethod {
    /// How loads of channels tell it under `routing`.
    pub fn of_loads(routing: &RoutingChoice, network: &Network) -> Self {
        match routing.spread(network) {
            Spread::Adaptive => Self::EvenSplit,
            Spread::Fixed | Spread::Even => Self::ExactLoads,
        }
    }

    /// A word for results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Formula => "formula",
            Self::ExactLoads => "exact",
            Self::EvenSplit => "even-split",
            Self::EvenLoads | Self::TerminalChannels => "bound",
        }
    }
}

/// Uniform traffic that saturates the busiest channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IdealThroughput {
    /// Flits per node per (reference) cycle, destinations uniform over all other terminals.
    pub flits: f64,
    /// The same with the source among the destinations: more by N/(N − 1), but for terminals that are ports.
    pub flits_with_self: f64,
    /// How it was found.
    pub method: ThroughputMethod,
}

impl IdealThroughput {
    /// The bound of `subject`, whose mean distance over all ordered pairs is `mean_with_self`;
    /// `None` where there is no traffic between terminals.
    pub fn of(subject: &Subject, depth: Depth, mean_with_self: Option<f64>) -> Option<Self> {
        let network = &subject.network;
        let nodes = f64::from(network.living_terminals_count());
        if network.terminals() < 2 {
            return None;
        }
        let exact = |include_self| {
            let (tables, config) = (&subject.routing_tables, &subject.engine);
            uniform_load_max(&subject.routing, network, config, tables, include_self).ok()
        };
        let is_small = network.terminals() <= terminals_walked_most(depth);
        let RoutingChoice {
            algorithm, escape, ..
        } = subject.routing;
        let is_plain = algorithm == Algorithm::DimensionOrder && escape.is_none();
        let (load, method) = match network.grid().filter(|_| is_plain) {
            Some(grid) => {
                let period = f64::from(subject.engine.channel_period_max());
                (
                    channel_load_max(grid, subject.routing.options.tie) * period,
                    ThroughputMethod::Formula,
                )
            }
            None => match is_small.then(|| exact(true)).flatten() {
                Some(load) => (load, ThroughputMethod::of_loads(&subject.routing, network)),
                None => {
                    let ids = (0..network.channels()).map(ChannelId);
                    let load =
                        nodes * mean_with_self? / ids.map(|id| rate(subject, id)).sum::<f64>();
                    let own = (nodes - 1.0) / nodes / terminal_rate_min(subject);
                    match own > load {
                        true => (own, ThroughputMethod::TerminalChannels),
                        false => (load, ThroughputMethod::EvenLoads),
                    }
                }
            },
        };
        // Packets to oneself load nothing but the channels of terminals that are ports.
        let is_walked = matches!(
            method,
            ThroughputMethod::ExactLoads | ThroughputMethod::EvenSplit
        );
        let has_ports = subject.engine.terminal_ports && is_walked;
        let others = has_ports.then(|| exact(false)).flatten();
        let load = load * subject.cycle_time;
        Some(Self {
            flits: match others {
                Some(others) => 1.0 / (others * subject.cycle_time),
                None => (nodes - 1.0) / nodes / load,
            },
            flits_with_self: 1.0 / load,
            method,
        })
    }
}

/// Flits that `channel` takes in a cycle.
fn rate(subject: &Subject, channel: ChannelId) -> f64 {
    1.0 / f64::from(subject.engine.channel_period_of(channel))
}

/// The fewest flits that the channels out of a terminal take in a cycle, or those into one.
fn terminal_rate_min(subject: &Subject) -> f64 {
    let network = &subject.network;
    let each = network.living_terminals().map(|node| {
        let out = network.outgoing(node).map(ChannelId);
        let out: f64 = out.map(|id| rate(subject, id)).sum();
        let into = network.incoming(node);
        let into: f64 = into.iter().map(|&id| rate(subject, id)).sum();
        out.min(into)
    });
    each.fold(f64::INFINITY, f64::min)
}
