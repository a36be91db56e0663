//! Series that share their arrivals, compared at each load: packets created in the same cycles meet the
//! same crowds, so the difference of two mean latencies is known far better than either.
//!
//! Invariant: what a point is compared with depends on the order of the series alone.

use crate::results::Finished;
use flitsim_measure::point::Mean;
use flitsim_measure::point::replicas::difference_of_replicas;
use flitsim_scenario::SeriesPlan;
use flitsim_scenario::plan::Load;

/// Fills in what the latency of each of `points` that are `done` differs by from that of the first before it
/// under the same arrivals.
pub(super) fn fill(points: &[(&SeriesPlan, Load)], done: &mut [Option<Finished>]) {
    for index in 1..points.len() {
        let (series, load) = points[index];
        let (before, rest) = done.split_at_mut(index);
        let has_same =
            |&(other, at): &(&SeriesPlan, Load)| at == load && has_same_arrivals(other, series);
        let first = points[..index].iter().position(has_same);
        let Some((first, point)) = first.zip(rest[0].as_mut()) else {
            continue;
        };
        let Some(other) = &before[first] else {
            continue;
        };
        if let Some(difference) = difference_of_replicas(
            &point.spans,
            &other.spans,
            series.traffic.process.keeps_phases(),
        ) {
            let in_reference_cycles = Mean {
                mean: difference.mean * series.cycle_time,
                ci95: difference.ci95 * series.cycle_time,
            };
            let name = &points[first].0.name;
            point.row.compare(name, in_reference_cycles);
        }
    }
}

/// Whether packets are created alike at the same load, in as many replicas.
fn has_same_arrivals(one: &SeriesPlan, other: &SeriesPlan) -> bool {
    one.network.terminals() == other.network.terminals()
        && one.cycle_time == other.cycle_time
        && one.replicas == other.replicas
        && one.traffic == other.traffic
}
