//! What is happening in a simulation: what the display knows of it.

use flitsim_measure::live::Stopped;

/// What is happening in a network. Loads and latencies are in reference cycles.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// The cycle that comes next.
    pub cycle: u64,
    /// Cycles that "now" stands for in what follows.
    pub cycles: u64,
    /// Flits created, for each node and cycle.
    pub offered: f64,
    /// Flits that left the network, for each node and cycle.
    pub accepted: f64,
    /// Mean latency of the packets that arrived, in cycles.
    pub latency: Option<f64>,
    /// Accepted load, slot by slot, the latest last.
    pub accepted_history: Vec<f64>,
    /// Mean latency, slot by slot.
    pub latency_history: Vec<Option<f64>>,
    /// Packets in the network.
    pub under_way: u64,
    /// By channel: the share of the flits that it could have carried.
    pub used: Vec<f32>,
    /// By node: flits on the wires into it and in its buffers.
    pub buffered: Vec<u32>,
    /// By node: packets in its source queue; 0 for one without a terminal.
    pub queued: Vec<u32>,
    /// Whether it goes on.
    pub stopped: Option<Stopped>,
}

impl Moment {
    /// Packets in all source queues.
    pub fn waiting(&self) -> u64 {
        self.queued.iter().map(|&packets| u64::from(packets)).sum()
    }
}
