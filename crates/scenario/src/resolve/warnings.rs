//! What a user should know of a series before it runs.

use super::Resolved;
use flitsim_engine::{ChannelDelay, EngineConfig};
use flitsim_measure::workload::Workload;
use flitsim_topology::{ChannelId, Network, NodeId};
use flitsim_traffic::Process;
use std::collections::{BTreeSet, VecDeque};

/// A sentence each.
pub(super) fn of(resolved: &Resolved, workload: Option<&Workload>) -> Vec<String> {
    let network = &*resolved.network;
    let of_traffic = resolved.traffic.length.longest_flits();
    let longest = workload.map_or(of_traffic, |_| u32::MAX);
    let warning = resolved.router.credit_warning(longest);
    let mut warnings: Vec<String> = warning.into_iter().collect();
    let max_cycles = resolved.measure.max_cycles;
    if let Some(Workload::Trace(trace)) = workload
        && trace.cycle_last() as f64 >= max_cycles as f64 * resolved.channel.cycle_time
    {
        warnings.push(format!(
            "the trace goes on until cycle {}, and `max_cycles` {max_cycles} ends it before",
            trace.cycle_last()
        ));
    }
    if matches!(resolved.traffic.process, Process::Pareto(_)) {
        warnings.push(
            "under `process = \"pareto\"` intervals of the accepted load are too narrow: what its sources send \
             depends on itself over times longer than any batch; and a search for saturation takes long bursts for \
             a backlog that grows, and finds less than is carried"
                .to_owned(),
        );
    }
    if resolved.traffic.process.keeps_phases() && resolved.sweep.replicas == 1 {
        warnings.push(
            "under `process = \"periodic\"` nodes keep the phases that they draw first: the interval of one run \
             knows no others, and `replicas = 10` in `[sweep]` gives one of several"
                .to_owned(),
        );
    }
    let router = &resolved.router;
    let (hops, wires) = match (network.route_distances(), &router.config.channel_delay) {
        (Some(distances), ChannelDelay::Uniform(wire)) => {
            let hops = match resolved.traffic.include_self {
                true => distances.mean_with_self,
                false => distances.mean_without_self,
            };
            (hops, hops * f64::from(*wire))
        }
        _ => shortest(network, &router.config),
    };
    let flits = resolved.traffic.length.mean_flits();
    let zero_load =
        router.zero_load_latency(hops, wires, flits) as f64 * resolved.channel.cycle_time;
    let limit = resolved.measure.latency_limit;
    if limit < zero_load && workload.is_none() {
        warnings.push(format!(
            "`latency_limit` is {limit} cycles, and an empty network already takes about \
                     {zero_load:.0} under uniform traffic: points will be reported saturated"
        ));
    }
    let terminals = network.terminals();
    // The papers compare sizes that come near: 720 and 1,024 are the farthest apart.
    let is_far = |&n: &u32| 2 * n.max(terminals) > 3 * n.min(terminals);
    if let Some(others) = resolved.reference_terminals.filter(is_far) {
        warnings.push(format!(
            "the reference of `[cost]` has {others} terminals, this network {terminals}: what \
                     is made equal is the cost of each"
        ));
    }
    warnings
}

/// What a scenario says of allocators, and of heads that choose, that none of its series has: `choosing` are the keys
/// that say it, each with whether a router looks at it.
pub fn of_allocators(choosing: &[(&'static str, bool)]) -> Vec<String> {
    let is_looked_at = |key| choosing.contains(&(key, true));
    let idle: BTreeSet<&str> = choosing.iter().map(|&(key, _)| key).collect();
    let idle = idle.into_iter().filter(|&key| !is_looked_at(key));
    let of_key = |key| match key {
        "arbiter" => "separable allocators, which no router has".to_owned(),
        "islip_iterations" => "the allocators `islip` and `pim`, which no router has".to_owned(),
        "selection" => {
            "heads that ask for one channel, and with `vc_requests` all ask for all".to_owned()
        }
        "vc_requests" => {
            "heads that may take several channels, which no routing here offers".to_owned()
        }
        own => format!("the allocator `{own}`, which no router has"),
    };
    idle.map(|key| format!("`{key}` changes nothing here: it is for {}", of_key(key)))
        .collect()
}

/// Channels, and cycles on their wires, of a shortest way from a few terminals to all others, in the mean.
fn shortest(network: &Network, config: &EngineConfig) -> (f64, f64) {
    const SOURCES: usize = 4;
    let terminals: Vec<NodeId> = network.living_terminals().collect();
    let every = terminals.len().div_ceil(SOURCES).max(1);
    let (mut hops, mut wires, mut pairs) = (0.0, 0.0, 0.0);
    for &source in terminals.iter().step_by(every) {
        let mut ways: Vec<Option<(u32, u64)>> = vec![None; network.nodes() as usize];
        ways[source.index()] = Some((0, 0));
        let mut queue = VecDeque::from([source]);
        while let Some(node) = queue.pop_front() {
            let (far, long) = ways[node.index()].expect("a way to what is queued");
            for channel in network.outgoing(node).map(ChannelId) {
                let next = network.target(channel);
                if ways[next.index()].is_none() {
                    let wire = config.channel_delay_of(channel);
                    ways[next.index()] = Some((far + 1, long + u64::from(wire)));
                    queue.push_back(next);
                }
            }
        }
        let others = terminals.iter().filter(|&&node| node != source);
        for (far, long) in others.filter_map(|node| ways[node.index()]) {
            hops += f64::from(far);
            wires += long as f64;
            pairs += 1.0;
        }
    }
    (hops / f64::max(pairs, 1.0), wires / f64::max(pairs, 1.0))
}
