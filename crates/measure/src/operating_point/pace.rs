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
            correlation_cycles: traffic.process.correlation_cycles() as u64,
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

    /// That of `work`, and the [estimate](Self::round_cycles) of the round trip of a closed loop without end, in cycles; else 0.
    /// The load offered by a closed loop is what it would make with that round trip.
    pub(super) fn pace_of_work(&self, work: Work<'_>) -> Result<(Pace, u64), TrafficError> {
        let mut packet_flits = self.traffic.length.mean_flits();
        let (mut offered_flits, mut round) = (1.0, 0.0);
        if let Workload::ClosedLoop { reply, .. } = work.workload {
            let flits = packet_flits + reply.mean_flits();
            packet_flits = flits / 2.0;
            if !work.workload.ends() {
                round = self.round_cycles(work, reply)?;
                offered_flits = (work.amount as f64 * flits / round).min(1.0);
            }
        }
        let pace = Pace {
            terminals: self.network.living_terminals_count().max(1),
            offered_flits,
            // No load is asked for, so none is too high.
            hottest_flits: 0.0,
            packet_flits,
            traversal_cycles: traversal_cycles(self.network, self.router, packet_flits),
            correlation_cycles: 0,
        };
        Ok((pace, round as u64))
    }

    /// An estimate of the mean round trip of `work`: what one of few hops takes in the empty network or, where that is more,
    /// what the requests outstanding need to pass the ports of the terminal that receives most. Too high where few send to it.
    fn round_cycles(&self, work: Work<'_>, reply: &PacketLength) -> Result<f64, TrafficError> {
        let (request, reply) = (self.traffic.length.mean_flits(), reply.mean_flits());
        // The shortest way takes a router at each end.
        let alone = 4.0 + request + reply + work.service_cycles() as f64;
        let received = self.traffic.received_most(self.network)?;
        let busy = |port, flits| match port {
            Port::Channel => flits,
            Port::Unlimited => 0.0,
        };
        // For each request that a node makes, in and out of the hottest terminal.
        let into = busy(self.router.ejection, received * request + reply);
        let out = busy(self.router.injection, received * reply + request);
        Ok(alone.max(work.amount as f64 * into.max(out)))
    }
}

/// Flits offered to the hottest terminal for each that it can take; 0 where it takes any number, or where none is hotter
/// than others.
fn hottest_flits(
    network: &Network,
    router: &EngineConfig,
    traffic: &TrafficPlan,
    offered_flits: f64,
) -> Result<f64, TrafficError> {
    let received = traffic.received_most(network)?;
    // Sums of probabilities round.
    let is_hot = received > 1.0 + 1e-6;
    if !is_hot {
        return Ok(0.0);
    }
    let ejected_most = match router.ejection {
        Port::Channel => 1.0,
        Port::Unlimited => f64::INFINITY,
    };
    let brought_most = match router.terminal_ports {
        true => f64::INFINITY,
        false => channels_most(network, router),
    };
    let ejected = offered_flits * received / ejected_most;
    if ejected_most <= brought_most {
        return Ok(ejected);
    }
    // Packets of a terminal to itself take no channel.
    let of_others = received - traffic.to_self_most(network)?;
    Ok(ejected.max(offered_flits * of_others / brought_most))
}

/// The most flits a cycle that the channels into a terminal bring.
fn channels_most(network: &Network, router: &EngineConfig) -> f64 {
    let rate = |&channel: &ChannelId| 1.0 / f64::from(router.channel_period_of(channel));
    let into = |terminal| network.incoming(terminal).iter().map(rate).sum();
    network.living_terminals().map(into).fold(0.0, f64::max)
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

#[cfg(test)]
mod tests {
    use super::*;
    use flitsim_topology::HyperX;
    use flitsim_traffic::{Hotspot, Pattern};

    /// 63 others send a tenth of their packets to node 0, and of the rest what everybody gets.
    #[test]
    fn the_channel_into_a_hot_terminal_counts() {
        let network = HyperX::new(&[32], &[1]).unwrap().into_network();
        let network = network.concentrated(2).unwrap();
        let hottest = |period: u32, ejection: Port, include_self: bool| {
            let router = EngineConfig {
                channel_period: period,
                ejection,
                ..EngineConfig::default()
            };
            let pattern = Pattern::Hotspot(Hotspot {
                nodes: vec![NodeId(0)],
                rates: Vec::new(),
                fraction: 0.1,
                include_self,
            });
            let traffic = TrafficPlan {
                pattern,
                ..TrafficPlan::default()
            };
            hottest_flits(&network, &router, &traffic, 0.07).unwrap()
        };
        let others = 0.07 * 63.0 * (0.1 + 0.9 / 63.0);
        for (period, ejection, expected) in [
            (1, Port::Channel, others),
            (1, Port::Unlimited, others),
            (2, Port::Channel, 2.0 * others),
            (2, Port::Unlimited, 2.0 * others),
        ] {
            let found = hottest(period, ejection, false);
            assert!((found - expected).abs() < 1e-12, "{period}: {found}");
        }
        // What it sends to itself leaves its own router, over no channel.
        let shared = 0.07 * 63.0 * (0.1 + 0.9 / 64.0);
        let found = hottest(2, Port::Unlimited, true);
        assert!((found - 2.0 * shared).abs() < 1e-12, "{found}");
    }
}
