//! The *backlog*: the flits in source queues and network. Over a span it grows by what was created less
//! what was ejected. In a steady state it has no trend; past saturation it grows without end, in each cycle
//! by offered less accepted load.
//!
//! Sources: a queue is stable where its drift is negative as it grows (Foster). An overloaded one grows
//! linearly; a stable one on its way to a steady state slows down, at worst to growth like the square root
//! of time.

use super::recorder::{Bin, Series};
use super::statistics::{mean_of_independent, student_t_975};

/// Spans that a trend of the backlog is judged by.
pub const SPANS: usize = 32;

/// Correlation times of arrivals before a backlog is judged: eight in each span of the second half of a run.
const CORRELATION_TIMES_MIN: u64 = 8 * 2 * SPANS as u64;

/// The growth of the backlog, in standard errors, above which it is taken as growing: one-sided 0.3 % with
/// [`SPANS`] spans.
pub const GROWTH_T: f64 = 3.0;

/// The ratio of the rate in the second half of a run to that in the quarter before, below which growth is not
/// taken as linear. The backlog of an overloaded network grows at the same rate in both. That of a stable one
/// on its way from empty grows like sqrt(t) at most: the ratio is (2 - sqrt 2) / (2 sqrt 2 - 2) = 0.71.
pub const LINEAR_RATIO: f64 = 0.75;

/// Growth of the backlog in each of up to [`SPANS`] equal spans of `bins`, in flits, and the bins
/// of each span. What does not fill a span is left out at the front.
pub(super) fn growth_by_span(bins: &[Bin]) -> (Vec<f64>, usize) {
    let each = (bins.len() / SPANS).max(1);
    let surplus = bins.len() % each;
    let growth = bins[surplus..]
        .chunks_exact(each)
        .map(|span| Bin::sum(span).growth_flits())
        .collect();
    (growth, each)
}

/// The first cycle in which a backlog is judged, where arrivals depend on each other for
/// `correlation_cycles`: in shorter spans bursts look like a trend.
pub const fn judged_from(correlation_cycles: u64) -> u64 {
    correlation_cycles.saturating_mul(CORRELATION_TIMES_MIN)
}

/// How the backlog of a run grows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// Whether it grew over the second half of the run, beyond what chance explains.
    pub significant: bool,
    /// Whether it grew over the second half at nearly the rate of the quarter before it.
    pub linear: bool,
    /// The backlog over the rate of creation: the latency, in cycles, that Little's law gives a
    /// network that holds this much.
    pub backlog_cycles: f64,
}

/// The growth of the backlog of `run` until the start of cycle `now`, where arrivals depend on each other
/// for `correlation_cycles`. `None` where too little has happened to judge.
pub fn growth(run: &Series, now: u64, correlation_cycles: u64) -> Option<Growth> {
    let bins = run.ended(now);
    if bins.len() < SPANS || now < judged_from(correlation_cycles) {
        return None;
    }
    let all = Bin::sum(bins);
    let (second_half, each) = growth_by_span(&bins[bins.len() / 2..]);
    let quarter = &bins[bins.len() / 4..bins.len() / 2];
    if second_half.len() < SPANS / 2 || all.created_flits == 0 {
        return None;
    }
    let estimate = mean_of_independent(&second_half);
    let spread = estimate.half_width / student_t_975(estimate.batches - 1);
    let rate = estimate.mean / each as f64;
    let rate_before = Bin::sum(quarter).growth_flits() / quarter.len() as f64;
    Some(Growth {
        significant: estimate.mean > GROWTH_T * spread,
        linear: rate >= LINEAR_RATIO * rate_before,
        backlog_cycles: all.growth_flits().max(0.0) / all.created_flits as f64
            * (bins.len() as u64 * run.width()) as f64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::warmup::{accepted_equals_offered, is_warm};
    use flitsim_random::Pcg64Mcg;
    use rand::{RngExt, SeedableRng};

    /// 16 sources that create a flit with probability 1/2 each, and a drain of `accepted` flits a
    /// cycle in the mean.
    fn run(seed: u64, accepted: f64, cycles: u64) -> Series {
        let mut series = Series::new(0);
        let mut backlog = 0u32;
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        for cycle in 0..cycles {
            let created = rng.random::<u16>().count_ones();
            series.created(cycle, created);
            backlog += created;
            let room = 2.0 * accepted * rng.random::<f64>();
            let ejected = backlog.min(room.round() as u32);
            series.ejected(cycle, ejected);
            backlog -= ejected;
        }
        series.reach(cycles);
        series
    }

    #[test]
    fn a_stable_backlog_does_not_grow() {
        let mut grown = 0;
        for seed in 0..200 {
            let growth = growth(&run(seed, 10.0, 3_000), 3_000, 0).unwrap();
            assert!(growth.backlog_cycles < 20.0);
            grown += usize::from(growth.significant);
        }
        assert!(grown <= 4, "{grown} of 200");
    }

    #[test]
    fn an_overloaded_backlog_grows_linearly() {
        let mut found = 0;
        for seed in 0..200 {
            let growth = growth(&run(seed, 6.0, 3_000), 3_000, 0).unwrap();
            found += usize::from(growth.significant && growth.linear);
        }
        assert!(found >= 190, "{found} of 200");
        assert!(!accepted_equals_offered(run(1, 6.0, 3_000).ended(3_000)));
    }

    #[test]
    fn bursts_are_outlasted_before_growth_is_judged() {
        let run = run(1, 6.0, 3_000);
        // 512 times the correlation time: cycles 2,560 and 3,072.
        assert!(growth(&run, 3_000, 5).is_some());
        assert_eq!(growth(&run, 3_000, 6), None);
        assert_eq!(growth(&run, 3_000, u64::MAX), None);
    }

    #[test]
    fn silence_is_no_growth() {
        let mut series = Series::new(0);
        series.reach(5_000);
        assert_eq!(growth(&series, 5_000, 0), None);
        assert!(!is_warm(&series, 5_000));
    }

    #[test]
    fn what_does_not_fill_a_span_is_left_out_at_the_front() {
        let mut bins = vec![Bin::default(); 3 * SPANS + 2];
        bins[2].created_flits = 7;
        bins[1].created_flits = 1000;
        let (growth, each) = growth_by_span(&bins);
        assert_eq!((growth.len(), each), (SPANS, 3));
        assert_eq!(growth[0], 7.0);
        assert!(growth[1..].iter().all(|&flits| flits == 0.0));
    }
}
