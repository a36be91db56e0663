//! What is known of a point before it is simulated.

use super::OperatingPoint;
use crate::measurement::Controls;
use crate::measurement::controls::hops_mean;
use crate::measurement::stopping::Pace;
use crate::workload::{Work, Workload};
use flitsim_engine::{ChannelDelay, EngineConfig, FlowControl, Port};
use flitsim_topology::{ChannelId, Network, NodeId};
use flitsim_traffic::{PacketLength, TrafficError, TrafficPlan};

impl OperatingPoint<'_> {
    /// That of an open loop at `offered_flits`.
    pub(super) fn pace_of_open_loop(&self, offered_flits: f64) -> Result<Pace, TrafficError> {
        let Self {
            network,
            router,
            traffic,
            ..
        } = *self;
        let packet_flits = traffic.length.mean_flits();
        let flits = offered_flits * traffic.sending_share(network)?;
        Ok(Pace {
            terminals: network.living_terminals_count(),
            offered_flits: flits,
            hottest_flits: hottest_flits(network, router, traffic, offered_flits)?,
            packet_flits,
            traversal_cycles: traversal_cycles(network, router, packet_flits),
        })
    }

    /// What is known of the packets of an open loop at `pace`.
    pub(super) fn controls(&self, pace: &Pace) -> Result<Controls, TrafficError> {
        let Self {
            network,
            router,
            traffic,
            ..
        } = *self;
        let is_fixed = matches!(traffic.length, PacketLength::Fixed(_));
        Ok(Controls {
            packets_per_cycle: pace.packets_per_cycle(),
            flits_mean: (!is_fixed).then_some(pace.packet_flits),
            // To its own terminal a packet goes over channels too where terminals are ports.
            hops_mean: match self.is_minimal && !router.terminal_ports {
                true => hops_mean(network, traffic)?,
                false => None,
            },
        })
    }

    /// That of `work`: of a closed loop, a load that it cannot pass.
    pub(super) fn pace_of_work(&self, work: Work<'_>) -> Pace {
        let mut packet_flits = self.traffic.length.mean_flits();
        let mut offered_flits = 1.0;
        if let Workload::ClosedLoop { reply, .. } = work.workload {
            let flits = packet_flits + reply.mean_flits();
            packet_flits = flits / 2.0;
            // The shortest way takes a router at each end.
            let round = (4.0 + flits + work.service_cycles() as f64).max(1.0);
            offered_flits = (work.amount as f64 * flits / round).min(1.0);
        }
        Pace {
            terminals: self.network.living_terminals_count().max(1),
            offered_flits,
            // No load is asked for, so none is too high.
            hottest_flits: 0.0,
            packet_flits,
            traversal_cycles: traversal_cycles(self.network, self.router, packet_flits),
        }
    }
}

/// Flits a cycle offered to the hottest terminal; 0 where it takes any number, or where none is hotter
/// than others.
fn hottest_flits(
    network: &Network,
    router: &EngineConfig,
    traffic: &TrafficPlan,
    offered_flits: f64,
) -> Result<f64, TrafficError> {
    if router.ejection == Port::Unlimited {
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
fn traversal_cycles(network: &Network, router: &EngineConfig, packet_flits: f64) -> u64 {
    let channels = f64::from(network.channels().max(1));
    let wire_mean = match &router.channel_delay {
        ChannelDelay::Uniform(delay) => f64::from(*delay),
        ChannelDelay::PerChannel(delays) => {
            delays.iter().map(|&d| f64::from(d)).sum::<f64>() / channels
        }
    };
    let hops = f64::from(farthest_hops(network));
    let in_router = f64::from(router.head_cycles().max(router.body_cycles()));
    let body = (packet_flits - 1.0) * f64::from(router.channel_period_max());
    let bodies = match router.flow_control {
        FlowControl::StoreAndForward => hops.max(1.0),
        FlowControl::Wormhole | FlowControl::VirtualCutThrough => 1.0,
    };
    ((hops + 1.0) * in_router + hops * wire_mean + bodies * body).ceil() as u64
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
