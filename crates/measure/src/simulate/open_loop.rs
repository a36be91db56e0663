//! A point in an open loop: what its replicas share, and its packets at a load.

use crate::measurement::controller::Pace;
use flitsim_engine::{ChannelDelay, EngineConfig, FlowControl, Port};
use flitsim_topology::{ChannelId, Network, NodeId};
use flitsim_traffic::{Traffic, TrafficError, TrafficPlan};

/// Everything that the replicas of one point share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point<'a> {
    pub(crate) network: &'a Network,
    /// Wanted half-width of the latency over its mean, for the monitor.
    pub(crate) relative_error: f64,
    pub(crate) pace: Pace,
}

/// An open loop at a load.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenLoop<'a> {
    pub(super) point: Point<'a>,
    traffic: &'a TrafficPlan,
    pub(super) offered_flits: f64,
}

impl<'a> OpenLoop<'a> {
    pub(super) fn new(
        network: &'a Network,
        config: &'a EngineConfig,
        traffic: &'a TrafficPlan,
        offered_flits: f64,
        relative_error: f64,
    ) -> Result<Self, TrafficError> {
        let packet_flits = traffic.length.mean_flits();
        let flits = offered_flits * traffic.sending_share(network)?;
        let point = Point {
            network,
            relative_error,
            pace: Pace {
                terminals: network.living_terminals_count(),
                offered_flits: flits,
                hottest_flits: hottest_flits(network, config, traffic, offered_flits)?,
                packet_flits,
                traversal_cycles: traversal_cycles(network, config, packet_flits),
            },
        };
        Ok(Self {
            point,
            traffic,
            offered_flits,
        })
    }

    /// Its packets, from streams addressed by `seed`.
    pub(super) fn packets(&self, seed: u64) -> Result<Traffic, TrafficError> {
        Traffic::new(self.traffic, self.point.network, self.offered_flits, seed)
    }
}

/// Flits a cycle offered to the hottest terminal; 0 where it takes any number, or where none is hotter
/// than others.
fn hottest_flits(
    network: &Network,
    config: &EngineConfig,
    traffic: &TrafficPlan,
    offered_flits: f64,
) -> Result<f64, TrafficError> {
    if config.ejection == Port::Unlimited {
        return Ok(0.0);
    }
    let received = traffic.received_most(network)?;
    // Sums of probabilities round.
    let is_hot = received > 1.0 + 1e-6;
    Ok(if is_hot {
        offered_flits * received
    } else {
        0.0
    })
}

/// The latency of a packet of `packet_flits` flits across the empty network, from the terminal that
/// comes first to the one farthest from it: the time scale of the warm-up.
pub(crate) fn traversal_cycles(network: &Network, config: &EngineConfig, packet_flits: f64) -> u64 {
    let channels = f64::from(network.channels().max(1));
    let wire_mean = match &config.channel_delay {
        ChannelDelay::Uniform(delay) => f64::from(*delay),
        ChannelDelay::PerChannel(delays) => {
            delays.iter().map(|&d| f64::from(d)).sum::<f64>() / channels
        }
    };
    let hops = f64::from(farthest_hops(network));
    let router = f64::from(config.delay.max(config.body_delay));
    let body = (packet_flits - 1.0) * f64::from(config.channel_period_max());
    let bodies = match config.flow_control {
        FlowControl::StoreAndForward => hops.max(1.0),
        FlowControl::Wormhole | FlowControl::VirtualCutThrough => 1.0,
    };
    ((hops + 1.0) * router + hops * wire_mean + bodies * body).ceil() as u64
}

/// Hops from the first terminal that lives to the node farthest from it.
fn farthest_hops(network: &Network) -> u32 {
    let mut seen = vec![false; network.nodes() as usize];
    let start = network.living_terminals().next().unwrap_or(NodeId(0));
    let (mut layer, mut next) = (vec![start], Vec::new());
    seen[start.index()] = true;
    let mut hops = 0;
    loop {
        for &node in &layer {
            for channel in network.outgoing(node) {
                let target = network.target(ChannelId(channel));
                if !seen[target.index()] {
                    seen[target.index()] = true;
                    next.push(target);
                }
            }
        }
        if next.is_empty() {
            return hops;
        }
        hops += 1;
        std::mem::swap(&mut layer, &mut next);
        next.clear();
    }
}
