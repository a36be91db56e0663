//! The numbers of one simulated point.

use super::deadlock::DeadlockReport;
use crate::measurement::details::PointDetails;
use crate::measurement::paired::Spans;
use crate::measurement::stopping::Status;

/// Latencies of the packets measured, in cycles. A saturated point has none: its mean would only
/// tell how long the run was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatencySummary {
    /// Mean, from creation to the arrival of the last flit, corrected by what is known of the packets.
    pub mean: f64,
    /// The mean over the packets measured, without the correction.
    pub sampled: f64,
    /// Half-width of the mean's 95 % confidence interval.
    pub ci95: f64,
    /// Median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Largest.
    pub max: f64,
    /// Mean from the cycle in which the head flit enters the network.
    pub network_mean: f64,
    /// Mean number of router-to-router channels.
    pub hops_mean: f64,
}

/// How many of the packets measured had a latency from `low` to `high`, both in cycles and inclusive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatencyBucket {
    /// The least latency.
    pub low: f64,
    /// The largest.
    pub high: f64,
    /// Packets, at least one.
    pub packets: u64,
}

/// How evenly the network serves its sources. For each node i that sends, x_i is the flits per cycle of its
/// packets that arrived in the measurement window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fairness {
    /// The least x_i: the throughput of the slowest node, flits per cycle.
    pub accepted_min: f64,
    /// Jain's index, (sum of x_i)^2 / (n · sum of x_i^2): 1 where all are alike, 1/n where one has
    /// everything (R. Jain, D. Chiu, W. Hawe, DEC TR-301, 1984). `None` where nothing arrived.
    pub index: Option<f64>,
}

impl Fairness {
    /// The fairness of a network in which so many `flits` of each source's packets arrived in `cycles`
    /// cycles; `None` without sources or cycles.
    pub fn of(flits: impl Iterator<Item = u64>, cycles: u64) -> Option<Self> {
        let (mut count, mut least) = (0.0, u64::MAX);
        let (mut sum, mut squares) = (0.0, 0.0);
        for flits in flits {
            count += 1.0;
            least = least.min(flits);
            let flits = flits as f64;
            sum += flits;
            squares += flits * flits;
        }
        (count > 0.0 && cycles > 0).then(|| Self {
            accepted_min: least as f64 / cycles as f64,
            index: (squares > 0.0).then(|| sum * sum / (count * squares)),
        })
    }
}

/// The outcome of one simulated point.
#[derive(Clone, Debug)]
pub struct PointResult {
    /// Offered load, flits per node per cycle, as asked for.
    pub offered_flits: f64,
    /// Accepted load, flits per node per cycle.
    pub accepted_flits: f64,
    /// Half-width of the accepted load's 95 % confidence interval.
    pub accepted_ci95: f64,
    /// Latencies; `None` where saturated or deadlocked, or where no packet was measured.
    pub latency: Option<LatencySummary>,
    /// How often each latency was seen, in ascending order; empty where there is no `latency`.
    pub latency_buckets: Vec<LatencyBucket>,
    /// Packets born in the measurement window and delivered.
    pub packets_measured: u64,
    /// The cycle in which the measurement window begins.
    pub warmup_cycles: u64,
    /// Cycles simulated in all.
    pub cycles: u64,
    /// How the point ended.
    pub status: Status,
    /// Flits moved over router-to-router channels in all cycles simulated.
    pub flit_hops: u64,
    /// The deadlock of the first replica that ran into one.
    pub deadlock: Option<DeadlockReport>,
    /// How evenly sources are served; `None` where there was no measurement window.
    pub fairness: Option<Fairness>,
    /// The details that were asked for.
    pub details: Option<Box<PointDetails>>,
    /// What each replica measured, span by span, in simulated cycles; empty where there is no interval of
    /// the latency.
    pub spans: Vec<Spans>,
    /// What only a trace, a batch or a closed loop has.
    pub workload: Option<WorkloadSummary>,
}

/// A mean over replicas or batches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// Half-width of its 95 % confidence interval; infinite where it is not known.
    pub ci95: f64,
}

impl Mean {
    fn times(self, factor: f64) -> Self {
        Self {
            mean: self.mean * factor,
            ci95: self.ci95 * factor,
        }
    }
}

/// The results of a workload that ends, or that waits for its replies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WorkloadSummary {
    /// Cycles from cycle 0 until the last packet has arrived; `None` where there is no last packet, or the
    /// limit of cycles or a deadlock came first.
    pub makespan: Option<Mean>,
    /// Cycles from the creation of a request to the arrival of its reply.
    pub round_trip: Option<Mean>,
    /// Pairs of a request and a reply measured.
    pub rounds: u64,
}

impl PointResult {
    /// Whether the network did not deliver what was offered.
    pub fn is_unstable(&self) -> bool {
        matches!(self.status, Status::Saturated | Status::Deadlock)
    }

    /// The same result where a simulated cycle takes `cycle_time` reference cycles: latencies and loads are
    /// in reference cycles. Counts of the cycles of the run stay as they are.
    #[must_use]
    pub fn in_cycles_of(self, cycle_time: f64) -> Self {
        let latency = self.latency.map(|latency| LatencySummary {
            mean: latency.mean * cycle_time,
            sampled: latency.sampled * cycle_time,
            ci95: latency.ci95 * cycle_time,
            p50: latency.p50 * cycle_time,
            p95: latency.p95 * cycle_time,
            p99: latency.p99 * cycle_time,
            max: latency.max * cycle_time,
            network_mean: latency.network_mean * cycle_time,
            hops_mean: latency.hops_mean,
        });
        let latency_buckets = self.latency_buckets.into_iter();
        let latency_buckets = latency_buckets.map(|bucket| LatencyBucket {
            low: bucket.low * cycle_time,
            high: bucket.high * cycle_time,
            ..bucket
        });
        let fairness = self.fairness.map(|fairness| Fairness {
            accepted_min: fairness.accepted_min / cycle_time,
            ..fairness
        });
        let details = self.details.map(|mut details| {
            details.cycle_time = cycle_time;
            details
        });
        Self {
            fairness,
            details,
            offered_flits: self.offered_flits / cycle_time,
            accepted_flits: self.accepted_flits / cycle_time,
            accepted_ci95: self.accepted_ci95 / cycle_time,
            latency,
            latency_buckets: latency_buckets.collect(),
            workload: self.workload.map(|workload| WorkloadSummary {
                makespan: workload.makespan.map(|mean| mean.times(cycle_time)),
                round_trip: workload.round_trip.map(|mean| mean.times(cycle_time)),
                rounds: workload.rounds,
            }),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fairness_is_jains_index_and_the_least() {
        let of = |flits: &[u64]| Fairness::of(flits.iter().copied(), 10);
        let fair = of(&[20, 20, 20]).unwrap();
        assert_eq!((fair.accepted_min, fair.index), (2.0, Some(1.0)));
        let hog = of(&[0, 50, 0, 0, 0]).unwrap();
        assert_eq!((hog.accepted_min, hog.index), (0.0, Some(0.2)));
        // (1 + 2 + 3)^2 / (3 · 14).
        assert_eq!(of(&[10, 20, 30]).unwrap().index, Some(36.0 / 42.0));
        assert_eq!(of(&[0, 0]).unwrap().index, None);
        assert_eq!(of(&[]), None);
        assert_eq!(Fairness::of([1].into_iter(), 0), None);
    }
}
