//! The throughput that no router can pass: 1 over the load of the busiest channel under uniform
//! traffic (Dally & Towles, section 3.2).

use super::{Depth, Subject};
use crate::dispatch::uniform_load_max;
use crate::scenario::RoutingChoice;
use flitsim_engine::analysis::uniform::channel_load_max;
use flitsim_engine::routing::Tie;

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
    /// Mean hops over channels: an upper bound for any minimal routing, reached where all channels
    /// are loaded alike.
    EvenLoads,
}

impl ThroughputMethod {
    /// A word for results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Formula => "formula",
            Self::ExactLoads => "exact",
            Self::EvenLoads => "bound",
        }
    }
}

/// Uniform traffic that saturates the busiest channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IdealThroughput {
    /// Flits per node per cycle, destinations uniform over all other terminals.
    pub flits: f64,
    /// The same with the source among the destinations: less by (N − 1)/N.
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
        let (load, method) = match (network.grid(), &subject.routing) {
            (Some(grid), RoutingChoice::DimensionOrder { tie, .. }) => {
                (channel_load_max(grid, *tie), ThroughputMethod::Formula)
            }
            _ if network.terminals() <= terminals_walked_most(depth) => {
                let load = uniform_load_max(&subject.routing, network, &subject.engine, true);
                (load.ok()?, ThroughputMethod::ExactLoads)
            }
            (Some(grid), _) => (
                channel_load_max(grid, Tie::Random),
                ThroughputMethod::Formula,
            ),
            _ => {
                let hops = nodes * mean_with_self?;
                (
                    hops / f64::from(network.channels()),
                    ThroughputMethod::EvenLoads,
                )
            }
        };
        Some(Self {
            flits: (nodes - 1.0) / nodes / load,
            flits_with_self: 1.0 / load,
            method,
        })
    }
}
