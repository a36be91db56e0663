//! Independent replicas of one point, pooled.
//!
//! Each of R replicas warms up by itself and measures to sqrt(R) times the wanted relative error;
//! the mean of their means, each counted alike, then meets the wanted one. Percentiles, network
//! latency and hops are those of all packets together.
//!
//! Source: K. Pawlikowski, V. Yau, D. McNickle, "Distributed stochastic discrete-event simulation
//! in parallel time streams", WSC 1994 (Akaroa); here the streams are as long as each needs.

use super::deadlock::DeadlockReport;
use super::result::{Fairness, LatencyBucket, LatencySummary, Mean, PointResult};
use crate::measurement::details::PointDetails;
use crate::measurement::paired::{Spans, difference};
use crate::measurement::recorder::Tally;
use crate::measurement::rounds::Rounds;
use crate::measurement::statistics::{Estimate, mean_of_independent};
use crate::measurement::stopping::{Outcome, Status};
use flitsim_topology::archived;

/// How far below sqrt(R) times the wanted error each of several replicas goes: their means differ
/// a little, and the bound is on the pooled mean.
const MARGIN: f64 = 0.98;

/// The relative error that each of `replicas` replicas must meet for the pooled mean to meet
/// `relative_error`.
pub fn relative_error_each(relative_error: f64, replicas: u32) -> f64 {
    if replicas <= 1 {
        relative_error
    } else {
        relative_error * f64::from(replicas).sqrt() * MARGIN
    }
}

/// Replicas of one point as they come in.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    outcomes: Vec<Outcome>,
    tally: Tally,
    flit_hops: u64,
    deadlock: Option<DeadlockReport>,
    /// By source: flits accepted in the windows, and the cycles of these.
    sources: Vec<u64>,
    window_cycles: u64,
    details: Option<Box<PointDetails>>,
    spans: Vec<Spans>,
    rounds: Vec<Rounds>,
}

archived! { Pool { outcomes, tally, flit_hops, deadlock, sources, window_cycles, details, spans, rounds } }

impl Pool {
    /// Adds a replica: how it ended, the packets that it tagged, and its flit-hops.
    pub fn add(&mut self, outcome: Outcome, tagged: &Tally, flit_hops: u64) {
        self.outcomes.push(outcome);
        self.tally.merge(tagged);
        self.flit_hops += flit_hops;
    }

    /// Adds the round trips of a replica of a workload.
    pub fn add_rounds(&mut self, rounds: Rounds) {
        self.rounds.push(rounds);
    }

    /// The round trips of the replicas.
    pub fn take_rounds(&mut self) -> Vec<Rounds> {
        std::mem::take(&mut self.rounds)
    }

    /// How the replicas ended.
    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }

    /// Adds the flits that each source got through in a replica's window of `cycles` cycles.
    pub fn add_sources(&mut self, flits: impl Iterator<Item = u64>, cycles: u64) {
        for (index, flits) in flits.enumerate() {
            match self.sources.get_mut(index) {
                Some(sum) => *sum += flits,
                None => self.sources.push(flits),
            }
        }
        self.window_cycles += cycles;
    }

    /// Adds what a replica measured, span by span.
    pub fn add_spans(&mut self, spans: Spans) {
        self.spans.push(spans);
    }

    /// Adds the details of a replica.
    pub fn add_details(&mut self, details: PointDetails) {
        match &mut self.details {
            Some(mine) => mine.merge(details),
            None => self.details = Some(Box::new(details)),
        }
    }

    /// Adds the deadlock of a replica that ran into one; the first is kept.
    pub fn add_deadlock(&mut self, deadlock: DeadlockReport) {
        self.deadlock.get_or_insert(deadlock);
    }

    /// The point's result. It is deadlocked or saturated if a replica is, and converged if every
    /// replica is; `warmup_cycles` is the longest, `cycles` the sum.
    ///
    /// # Panics
    /// If no replica was added.
    pub fn result(self, offered_flits: f64) -> PointResult {
        assert!(!self.outcomes.is_empty(), "no replica");
        let is_any = |status| self.outcomes.iter().any(|o| o.status == status);
        let status = [Status::Deadlock, Status::Saturated, Status::MaxCycles]
            .into_iter()
            .find(|&status| is_any(status))
            .unwrap_or(Status::Converged);
        let (accepted_flits, accepted_ci95) = pooled(self.outcomes.iter().map(|o| &o.accepted));
        let latency = self.latency(status);
        let buckets = self.tally.latency.buckets().filter(|_| latency.is_some());
        let bucket = |(low, high, packets)| LatencyBucket {
            low: low as f64,
            high: high as f64,
            packets,
        };
        PointResult {
            offered_flits,
            accepted_flits,
            accepted_ci95,
            latency_buckets: buckets.map(bucket).collect(),
            latency,
            packets_measured: self.tally.packets(),
            warmup_cycles: self
                .outcomes
                .iter()
                .map(|o| o.warmup_cycles)
                .max()
                .unwrap_or(0),
            cycles: self.outcomes.iter().map(|o| o.cycles).sum(),
            status,
            flit_hops: self.flit_hops,
            fairness: Fairness::of(self.sources.into_iter(), self.window_cycles),
            deadlock: self.deadlock,
            details: self.details,
            spans: self.spans,
            workload: None,
        }
    }

    fn latency(&self, status: Status) -> Option<LatencySummary> {
        let known = || self.outcomes.iter().filter_map(|o| o.latency.as_ref());
        let packets = self.tally.packets();
        if matches!(status, Status::Saturated | Status::Deadlock)
            || packets == 0
            || known().next().is_none()
        {
            return None;
        }
        let (mean, ci95) = pooled(known());
        let sampled = known().map(|latency| latency.sampled).sum::<f64>() / known().count() as f64;
        let percentile = |quantile| self.tally.latency.percentile(quantile).unwrap_or(mean);
        Some(LatencySummary {
            mean,
            sampled,
            ci95,
            p50: percentile(0.50),
            p95: percentile(0.95),
            p99: percentile(0.99),
            max: self.tally.latency.max() as f64,
            network_mean: self.tally.network_latency_cycles as f64 / packets as f64,
            hops_mean: self.tally.hops as f64 / packets as f64,
        })
    }
}

/// The mean of independent means and its half-width.
pub fn pooled<'a>(estimates: impl Iterator<Item = &'a Estimate>) -> (f64, f64) {
    let (mut count, mut sum, mut squares) = (0u32, 0.0, 0.0);
    for estimate in estimates {
        count += 1;
        sum += estimate.mean;
        squares += estimate.half_width * estimate.half_width;
    }
    let count = f64::from(count.max(1));
    (sum / count, squares.sqrt() / count)
}

/// The mean latency of one point less that of another under the same arrivals, from the spans of their
/// replicas; `None` where that is not known of each. If replicas `differ` in a way that no single one
/// shows, the interval is that of their means.
pub fn difference_of_replicas(one: &[Spans], other: &[Spans], differ: bool) -> Option<Mean> {
    if one.is_empty() || one.len() != other.len() {
        return None;
    }
    let each = one.iter().zip(other);
    let each: Option<Vec<Estimate>> = each.map(|(one, other)| difference(one, other)).collect();
    let each = each?;
    if differ && each.len() > 1 {
        let means: Vec<f64> = each.iter().map(|estimate| estimate.mean).collect();
        return mean_of_replicas(&means);
    }
    let (mean, ci95) = pooled(each.iter());
    Some(Mean { mean, ci95 })
}

/// The mean of one value a replica, and its interval where there are several.
pub fn mean_of_replicas(values: &[f64]) -> Option<Mean> {
    match *values {
        [] => None,
        [mean] => Some(Mean {
            mean,
            ci95: f64::INFINITY,
        }),
        _ => {
            let estimate = mean_of_independent(values);
            Some(Mean {
                mean: estimate.mean,
                ci95: estimate.half_width,
            })
        }
    }
}

/// `point`, pooled from `outcomes`, with the intervals that the replicas give; and the mean cycle in
/// which they ended, if all did by themselves.
pub fn with_intervals(point: &mut PointResult, outcomes: &[Outcome]) -> Option<Mean> {
    let each = |of: &dyn Fn(&Outcome) -> Option<f64>| {
        let values: Option<Vec<f64>> = outcomes.iter().map(of).collect();
        mean_of_replicas(&values?)
    };
    if let Some(accepted) = each(&|outcome| Some(outcome.accepted.mean)) {
        point.accepted_flits = accepted.mean;
        point.accepted_ci95 = accepted.ci95;
    }
    let latency = each(&|outcome| outcome.latency.map(|latency| latency.mean));
    point.latency = point.latency.zip(latency).map(|(mut summary, latency)| {
        (summary.mean, summary.ci95) = (latency.mean, latency.ci95);
        summary
    });
    each(&|outcome| (outcome.status == Status::Converged).then_some(outcome.cycles as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(status: Status, mean: f64, half_width: f64) -> Outcome {
        let estimate = |mean, half_width| Estimate {
            mean,
            sampled: mean,
            half_width,
            batches: 32,
            trusted: true,
        };
        Outcome {
            status,
            warmup_cycles: 100,
            cycles: 1_000,
            accepted: estimate(0.3, 0.01),
            latency: (status == Status::Converged).then_some(estimate(mean, half_width)),
        }
    }

    fn tally(latency: u64) -> Tally {
        let mut tally = Tally::default();
        tally.latency.record(latency);
        tally.network_latency_cycles = latency;
        tally
    }

    #[test]
    fn one_replica_is_itself() {
        let mut pool = Pool::default();
        pool.add(outcome(Status::Converged, 40.0, 0.5), &tally(40), 7);
        let point = pool.result(0.3);
        let latency = point.latency.unwrap();
        assert_eq!((latency.mean, latency.ci95, latency.p99), (40.0, 0.5, 40.0));
        assert_eq!((point.cycles, point.flit_hops), (1_000, 7));
    }

    #[test]
    fn four_replicas_halve_the_interval() {
        let mut pool = Pool::default();
        for mean in [39.0, 40.0, 41.0, 40.0] {
            pool.add(outcome(Status::Converged, mean, 2.0), &tally(40), 7);
        }
        let point = pool.result(0.3);
        let latency = point.latency.unwrap();
        assert!((latency.mean - 40.0).abs() < 1e-9 && (latency.ci95 - 1.0).abs() < 1e-9);
        assert!((point.accepted_ci95 - 0.005).abs() < 1e-9);
        assert_eq!((point.cycles, point.packets_measured), (4_000, 4));
        assert!(point.fairness.is_none() && point.details.is_none());
    }

    #[test]
    fn sources_are_pooled_over_all_windows() {
        let mut pool = Pool::default();
        for flits in [[100, 300], [200, 0]] {
            pool.add(outcome(Status::Converged, 40.0, 2.0), &tally(40), 7);
            pool.add_sources(flits.into_iter(), 500);
        }
        let fairness = pool.result(0.3).fairness.unwrap();
        assert_eq!((fairness.accepted_min, fairness.index), (0.3, Some(1.0)));
    }

    #[test]
    fn a_saturated_replica_saturates_the_point() {
        let mut pool = Pool::default();
        pool.add(outcome(Status::Converged, 40.0, 2.0), &tally(40), 7);
        pool.add(outcome(Status::Saturated, 0.0, 0.0), &tally(900), 7);
        let point = pool.result(0.3);
        assert_eq!((point.status, point.latency), (Status::Saturated, None));
    }

    #[test]
    fn replicas_share_the_error() {
        assert_eq!(relative_error_each(0.02, 1), 0.02);
        assert_eq!(relative_error_each(0.02, 4), 0.02 * 2.0 * MARGIN);
    }
}
