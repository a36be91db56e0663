//! When the warm-up is over: MSER-5 on the latencies, guarded by the
//! [backlog](crate::measurement::backlog), which must have no trend over the bins that are kept.

use super::backlog::{SPANS, growth_by_span};
use super::recorder::{Bin, Series};
use super::statistics::{mean_of_independent, mser5};

/// Whether the accepted load equals the offered load over `bins`, within the 95 % interval of their
/// difference.
pub fn accepted_equals_offered(bins: &[Bin]) -> bool {
    let (growth, _) = growth_by_span(bins);
    if growth.len() < SPANS / 2 {
        return false;
    }
    let estimate = mean_of_independent(&growth);
    estimate.mean.abs() <= estimate.half_width
}

/// Whether the initial transient of `run` is over by the start of cycle `now`. Two things must hold:
/// MSER-5, over the mean latencies of packets by the bin of their creation, drops at most half of them, and
/// the accepted load equals the offered load over the rest.
pub fn is_warm(run: &Series, now: u64) -> bool {
    let bins = run.ended(now);
    let known = bins.iter().take_while(|bin| bin.is_complete()).count();
    let mut latencies = Vec::with_capacity(known);
    let mut places = Vec::with_capacity(known);
    for (place, bin) in bins[..known].iter().enumerate() {
        if bin.delivered_packets > 0 {
            latencies.push(bin.latency_cycles as f64 / bin.delivered_packets as f64);
            places.push(place);
        }
    }
    match mser5(&latencies) {
        Some(truncation) if truncation.accepted => {
            accepted_equals_offered(&bins[places[truncation.observations]..])
        }
        _ => false,
    }
}
