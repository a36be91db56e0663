//! What a user should know of a series before it runs.

use super::Resolved;
use flitsim_measure::workload::Workload;

/// A sentence each.
pub(super) fn of(resolved: &Resolved, workload: Option<&Workload>) -> Vec<String> {
    let network = &*resolved.network;
    let mut warnings: Vec<String> = resolved.router.credit_warning().into_iter().collect();
    let max_cycles = resolved.measure.max_cycles;
    if let Some(Workload::Trace(trace)) = workload
        && trace.cycle_last() as f64 >= max_cycles as f64 * resolved.channel.cycle_time
    {
        warnings.push(format!(
            "the trace goes on until cycle {}, and `max_cycles` {max_cycles} ends it before",
            trace.cycle_last()
        ));
    }
    let hops =
        network
            .route_distances()
            .map_or(0.0, |distances| match resolved.traffic.include_self {
                true => distances.mean_with_self,
                false => distances.mean_without_self,
            });
    let flits = resolved.traffic.length.mean_flits();
    let zero_load =
        resolved.router.zero_load_latency(hops, flits) as f64 * resolved.channel.cycle_time;
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
