//! The rate at which a backlog grows, as precisely as a run lets it be known.
//!
//! The *drift* is the mean rate at which source queues and network fill: what is offered less what
//! is accepted. The second half of a run, cut into 32 equal spans, gives 32 observations of growth
//! g_i (flits created less flits ejected). Two things make their mean far more precise than its
//! naive standard error:
//!
//! - What was *created* in a span is known, and so is its expectation. An overloaded network ejects
//!   at its own steady rate, and its backlog grows by whatever arrives: the noise of the arrivals is
//!   the noise of the growth. It is taken out by regression on c_i, the flits created (a control
//!   variate with known mean).
//! - A stable backlog *returns*: what it grew in one span it loses in the next. With r the lag-1
//!   correlation of the residuals, the variance of their mean is 1 + 2 r times that of independent
//!   ones. This is little where r is near -1/2, its value for the increments of any stationary series.
//!   Where r is positive, the factor is (1 + r) / (1 - r), as for a first-order autoregressive series.
//!
//! Invariant: past saturation, where neither holds the network back, the estimate is unbiased but
//! for the regression's 1/32, and so is the error.
//!
//! Source: A. M. Law, W. D. Kelton, "Simulation Modeling and Analysis", section 11.4 (control
//! variates).

use crate::measurement::backlog::{LINEAR_RATIO, SPANS};
use crate::measurement::recorder::{Bin, Series};
use crate::measurement::statistics::lag_1_autocorrelation;

/// The least that correlation between neighbours may leave of the variance: r is itself known to
/// no better than 1 / sqrt(32).
const VARIANCE_LEAST: f64 = 0.2;

/// The drift of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// Flits a cycle, over the second half of the run.
    pub rate_flits: f64,
    /// Its standard error.
    pub error_flits: f64,
    /// The standard error of the rate of arrivals in the same time.
    pub arrivals_error_flits: f64,
    /// Whether the rate is no less than 3/4 of that in the quarter of the run before.
    pub is_linear: bool,
    /// Flits created and not yet ejected.
    pub backlog_flits: f64,
}

/// The drift of `run` until the start of cycle `now`, where `offered_flits` flits a cycle are
/// created in the mean. `None` where too little has happened to tell.
pub fn drift(run: &Series, now: u64, offered_flits: f64) -> Option<Drift> {
    let bins = run.ended(now);
    let each = bins.len() / 2 / SPANS;
    if each == 0 {
        return None;
    }
    let (before, half) = bins.split_at(bins.len() - SPANS * each);
    let spans: Vec<Bin> = half.chunks_exact(each).map(Bin::sum).collect();
    let width = run.width() as f64;
    let span_cycles = each as f64 * width;
    let m = SPANS as f64;
    let growth: Vec<f64> = spans.iter().map(Bin::growth_flits).collect();
    let surplus = |bin: &Bin, cycles: f64| bin.created_flits as f64 - offered_flits * cycles;
    let created: Vec<f64> = spans
        .iter()
        .map(|span| surplus(span, span_cycles))
        .collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / m;
    let (growth_mean, created_mean) = (mean(&growth), mean(&created));
    let pairs = || growth.iter().zip(&created);
    let squares: f64 = created
        .iter()
        .map(|c| (c - created_mean) * (c - created_mean))
        .sum();
    let products: f64 = pairs()
        .map(|(g, c)| (g - growth_mean) * (c - created_mean))
        .sum();
    // A process that creates the same in every span has nothing to take out.
    let slope = if squares > 0.0 {
        products / squares
    } else {
        0.0
    };
    let residuals: Vec<f64> = pairs()
        .map(|(g, c)| g - growth_mean - slope * (c - created_mean))
        .collect();
    let variance = residuals.iter().map(|r| r * r).sum::<f64>() / (m - 2.0);
    let leverage = match squares > 0.0 {
        true => created_mean * created_mean / squares,
        false => 0.0,
    };
    let rate = (growth_mean - slope * created_mean) / span_cycles;
    let quarter = Bin::sum(&before[before.len() / 2..]);
    let quarter_cycles = (before.len() - before.len() / 2) as f64 * width;
    let rate_before =
        (quarter.growth_flits() - slope * surplus(&quarter, quarter_cycles)) / quarter_cycles;
    Some(Drift {
        rate_flits: rate,
        error_flits: (variance * memory(&residuals) * (1.0 / m + leverage)).sqrt() / span_cycles,
        arrivals_error_flits: (squares / (m - 1.0) / m).sqrt() / span_cycles,
        is_linear: rate >= LINEAR_RATIO * rate_before,
        backlog_flits: Bin::sum(bins).growth_flits(),
    })
}

/// The variance of the mean of `residuals` over that of independent ones.
fn memory(residuals: &[f64]) -> f64 {
    let r = lag_1_autocorrelation(residuals);
    match r < 0.0 {
        true => (1.0 + 2.0 * r).max(VARIANCE_LEAST),
        false => (1.0 + r) / (1.0 - r),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::statistics::student_t_975;
    use flitsim_random::Pcg64Mcg;
    use rand::{RngExt, SeedableRng};

    /// A drain that takes up to `capacity` flits a cycle, a little more or less from cycle to cycle,
    /// and sources that create 16 flits at once, `offered` a cycle in the mean.
    fn run(seed: u64, offered: f64, capacity: f64, cycles: u64) -> Series {
        let mut series = Series::new(0);
        let (mut backlog, mut owed) = (0.0, 0.0);
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        for cycle in 0..cycles {
            if rng.random_bool(offered / 16.0) {
                series.created(cycle, 16);
                backlog += 16.0;
            }
            owed += f64::min(backlog - owed, 2.0 * capacity * rng.random::<f64>());
            let ejected = owed.floor();
            series.ejected(cycle, ejected as u32);
            backlog -= ejected;
            owed -= ejected;
        }
        series.reach(cycles);
        series
    }

    #[test]
    fn the_drift_of_an_overloaded_run_is_known_well_within_its_interval() {
        let (mut held, mut naive, mut error) = (0, 0.0, 0.0);
        for seed in 0..200 {
            let run = run(seed, 6.0, 4.0, 8_000);
            let drift = drift(&run, 8_000, 6.0).unwrap();
            held +=
                u32::from((drift.rate_flits - 2.0).abs() <= student_t_975(30) * drift.error_flits);
            error += drift.error_flits / 200.0;
            // The arrivals alone: 16 flits with probability 6/16 in each of 4,000 cycles.
            naive += 16.0 * (0.375f64 * 0.625 / 4_000.0).sqrt() / 200.0;
        }
        assert!((180..=199).contains(&held), "{held} of 200");
        assert!(error < 0.5 * naive, "{error} of {naive}");
    }

    #[test]
    fn a_stable_run_has_no_drift_and_less_error_than_its_noise() {
        let mut held = 0;
        for seed in 0..200 {
            let run = run(seed, 3.0, 4.0, 16_000);
            let drift = drift(&run, 16_000, 3.0).unwrap();
            held += u32::from(drift.rate_flits.abs() <= student_t_975(30) * drift.error_flits);
            assert!(drift.error_flits < 0.05, "{drift:?}");
        }
        assert!(held >= 185, "{held} of 200");
    }

    #[test]
    fn arrivals_without_noise_and_silence_are_no_trouble() {
        let mut series = Series::new(0);
        series.reach(4_000);
        let silence = drift(&series, 4_000, 0.0).unwrap();
        assert_eq!((silence.rate_flits, silence.error_flits), (0.0, 0.0));
        assert_eq!(drift(&Series::new(0), 60, 1.0), None);
        for cycle in 0..4_000 {
            series.created(cycle, 4);
            series.ejected(cycle, 3);
        }
        series.reach(4_000);
        let steady = drift(&series, 4_000, 4.0).unwrap();
        assert!((steady.rate_flits - 1.0).abs() < 1e-12 && steady.is_linear);
    }
}
