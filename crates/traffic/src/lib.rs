//! Traffic: who sends packets to whom, when, and how long they are.

use flitsim_topology::{Network, NodeId};

/// A packet that a terminal creates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The terminal that sends it.
    pub source: NodeId,
    /// The terminal that receives it.
    pub destination: NodeId,
    /// Its length in flits.
    pub flits: u32,
    /// A random word from the source's own stream, for choices made at the source.
    pub entropy: u64,
}

/// Everything about the traffic but its rate.
#[derive(Clone, Debug)]
pub struct TrafficPlan {
    /// Flits of each packet, at least 1.
    pub packet_flits: u32,
}

/// Packets as they are created, in cycle order.
#[derive(Debug)]
pub struct Traffic;

impl Traffic {
    /// The traffic of `plan` at `load` flits per node per cycle, from streams addressed by
    /// (`seed`, node, purpose).
    pub fn new(plan: &TrafficPlan, network: &Network, load: f64, seed: u64) -> Self {
        let _ = (plan, network, load, seed);
        Self
    }

    /// Hands every packet created in cycle `cycle` to `offer`. Cycles are asked for in ascending
    /// order; none that has an arrival may be skipped.
    pub fn arrivals(&mut self, cycle: u64, mut offer: impl FnMut(Arrival)) {
        let _ = (cycle, &mut offer);
    }

    /// The next cycle that has an arrival, `u64::MAX` where there is none any more.
    pub fn next_arrival(&self) -> u64 {
        u64::MAX
    }
}
