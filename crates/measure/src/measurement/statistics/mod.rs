//! Means of correlated series and their confidence intervals: the method of batch means.
//!
//! Invariant: every estimate is finite, and made of additions, multiplications, divisions and
//! square roots only, so that it is the same on every machine.
//!
//! Sources: A. M. Law, W. D. Kelton, "Simulation Modeling and Analysis", section 9.5.3 (batch
//! means); A. M. Law, J. S. Carson, "A sequential procedure for determining the length of a
//! steady-state simulation", Operations Research 27, 1979 (the correlation is tested with more
//! batches than the interval is made of); C. Alexopoulos, A. F. Seila, "Output data analysis", in
//! Handbook of Simulation, 1998, section 7.4; A. Tafazzoli, J. R. Wilson, "Skart: a skewness- and
//! autoregression-adjusted batch-means procedure for simulation analysis", IIE Transactions 43, 2011
//! (the widening by (1 + r)/(1 - r)); S. S. Lavenberg, P. D. Welch, "A perspective on the use of control
//! variables to increase the efficiency of Monte Carlo simulations", Management Science 27, 1981.

mod controlled;
mod mser;

pub use controlled::controlled_ratio_by_batch_means;
pub use mser::{Truncation, mser5};

/// The fewest batches that an interval is made of, where there are enough.
pub const BATCHES_MIN: usize = 28;

/// Batches that must not be significantly correlated for an interval to be trusted.
pub const BATCHES_TESTED_MIN: usize = 64;

/// Quantile 0.95 of the standard normal distribution: the lag-1 test is one-sided at 5 %.
const LAG_TEST_Z: f64 = 1.645;

/// Quantile 0.975 of Student's t distribution, for 1 to 30 degrees of freedom.
const T_975: [f64; 30] = [
    12.706_205, 4.302_653, 3.182_446, 2.776_445, 2.570_582, 2.446_912, 2.364_624, 2.306_004,
    2.262_157, 2.228_139, 2.200_985, 2.178_813, 2.160_369, 2.144_787, 2.131_450, 2.119_905,
    2.109_816, 2.100_922, 2.093_024, 2.085_963, 2.079_614, 2.073_873, 2.068_658, 2.063_899,
    2.059_539, 2.055_529, 2.051_831, 2.048_407, 2.045_230, 2.042_272,
];

/// Quantile 0.975 of Student's t distribution: half of a two-sided 95 % interval. A table up to 30
/// degrees of freedom, the Cornish-Fisher expansion in 1/degrees (Abramowitz & Stegun 26.7.5)
/// beyond; right to 2e-6 everywhere.
///
/// # Panics
/// If there are no degrees of freedom.
pub fn student_t_975(degrees_of_freedom: usize) -> f64 {
    assert!(degrees_of_freedom >= 1, "no degrees of freedom");
    if let Some(&t) = T_975.get(degrees_of_freedom - 1) {
        return t;
    }
    // The coefficients are those of the expansion at z = 1.959963985.
    let inverse = 1.0 / degrees_of_freedom as f64;
    1.959_963_985 + inverse * (2.372_271_230 + inverse * (2.822_498_616 + inverse * 2.555_849_680))
}

/// A mean and how far to trust it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// The mean of the sample as it is, which differs from `mean` where controls correct the latter.
    pub sampled: f64,
    /// Half-width of the 95 % confidence interval of `mean`.
    pub half_width: f64,
    /// Batches that the interval is made of.
    pub batches: usize,
    /// Whether there were enough batches without significant correlation between neighbours.
    pub trusted: bool,
}

flitsim_topology::archived! { Estimate { mean, sampled, half_width, batches, trusted } }

impl Estimate {
    /// Half-width over mean; infinite where the mean is 0.
    pub fn relative_half_width(&self) -> f64 {
        if self.mean > 0.0 {
            self.half_width / self.mean
        } else {
            f64::INFINITY
        }
    }
}

/// Mean of `values` and the half-width of its 95 % interval, as if they were independent.
///
/// # Panics
/// If there are fewer than two.
pub fn mean_of_independent(values: &[f64]) -> Estimate {
    let m = values.len();
    assert!(m >= 2, "an interval needs two values");
    let mean = values.iter().sum::<f64>() / m as f64;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    Estimate {
        mean,
        sampled: mean,
        half_width: student_t_975(m - 1) * (squares / (m - 1) as f64 / m as f64).sqrt(),
        batches: m,
        trusted: m >= BATCHES_MIN,
    }
}

/// The lag-1 autocorrelation of `values`; 0 where they are all equal.
pub fn lag_1_autocorrelation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    if squares <= 0.0 {
        return 0.0;
    }
    let products: f64 = values
        .windows(2)
        .map(|pair| (pair[0] - mean) * (pair[1] - mean))
        .sum();
    products / squares
}

/// Whether neighbours among `values` are positively correlated, beyond what m independent values
/// show by chance: their lag-1 autocorrelation is about normal with mean -1/m, variance 1/m.
pub fn is_correlated(values: &[f64]) -> bool {
    let m = values.len() as f64;
    lag_1_autocorrelation(values) + 1.0 / m > LAG_TEST_Z / m.sqrt()
}

/// How to treat correlation between neighbouring batches that the test does not find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Correlation {
    /// It is left as it is: for a mean that does not decide when the run stops.
    Tested,
    /// A positive lag-1 correlation r widens the interval as a first-order autoregressive series needs:
    /// its variance is multiplied by (1 + r)/(1 - r). For a mean that decides when the run stops.
    Widens,
    /// The same, for a mean whose interval was looked at again and again until it was narrow. Where the
    /// mean rises and falls with its half-width, as where congestion comes in spells, a run that stops
    /// has seen few spells and both are low. So the half-width is widened by up to a quarter: by a
    /// quarter of the correlation of residuals with their squares, which is the correlation of mean and
    /// variance.
    Awaited,
}

/// As [`controlled_ratio_by_batch_means`], without controls.
///
/// `None` where the denominators sum to 0 or there are fewer than two values.
pub fn ratio_by_batch_means(
    numerators: &[f64],
    denominators: &[f64],
    correlation: Correlation,
) -> Option<Estimate> {
    controlled_ratio_by_batch_means(numerators, denominators, &[], correlation)
}

/// Sums neighbours. The last of an odd number joins the pair before it.
fn merge_pairs(values: &mut Vec<f64>) {
    let pairs = values.len() / 2;
    let odd = values.len() % 2 == 1;
    let last = values[values.len() - 1];
    for i in 0..pairs {
        values[i] = values[2 * i] + values[2 * i + 1];
    }
    values.truncate(pairs);
    if odd {
        values[pairs - 1] += last;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitsim_random::Pcg64Mcg;
    use rand::{RngExt, SeedableRng};

    /// Uniform in -0.5..0.5.
    fn noise(seed: u64) -> impl Iterator<Item = f64> {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        std::iter::repeat_with(move || rng.random::<f64>() - 0.5)
    }

    #[test]
    fn student_quantiles() {
        // To seven places, from the closed form of the distribution for whole degrees of freedom.
        for (degrees, t) in [
            (1, 12.706_205),
            (10, 2.228_139),
            (30, 2.042_272),
            (31, 2.039_513),
            (60, 2.000_298),
            (120, 1.979_930),
            (1_000, 1.962_339),
        ] {
            let got = student_t_975(degrees);
            assert!((got - t).abs() < 2e-6, "{degrees}: {got}");
        }
        assert!((student_t_975(usize::MAX) - 1.959_964).abs() < 1e-6);
    }

    #[test]
    fn lag_1_of_known_series() {
        let alternating: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
        assert!(lag_1_autocorrelation(&alternating) < -0.98);
        let ramp: Vec<f64> = (0..100).map(f64::from).collect();
        assert!(lag_1_autocorrelation(&ramp) > 0.96);
        assert_eq!(lag_1_autocorrelation(&[2.0; 9]), 0.0);
    }

    #[test]
    fn an_odd_batch_is_not_lost() {
        let mut values = vec![1.0, 2.0, 3.0, 4.0, 5.0];
        merge_pairs(&mut values);
        assert_eq!(values, [3.0, 12.0]);
    }

    /// AR(1) with coefficient `phi`, mean 10, started in its steady state (nearly).
    fn autoregressive(seed: u64, phi: f64, length: usize) -> Vec<f64> {
        let mut x = 0.0;
        noise(seed)
            .map(|noise| {
                x = phi * x + noise;
                10.0 + x
            })
            .skip(200)
            .take(length)
            .collect()
    }

    #[test]
    fn intervals_of_autoregressive_series_cover() {
        for phi in [0.0, 0.5, 0.9, 0.98] {
            let mut covered = 0;
            for seed in 0..400 {
                let values: Vec<f64> = autoregressive(seed, phi, 25_600)
                    .chunks(100)
                    .map(|batch| batch.iter().sum())
                    .collect();
                let estimate =
                    ratio_by_batch_means(&values, &vec![100.0; 256], Correlation::Tested).unwrap();
                covered += usize::from((estimate.mean - 10.0).abs() <= estimate.half_width);
            }
            assert!((368..=392).contains(&covered), "{phi}: {covered} of 400");
        }
    }

    #[test]
    fn the_lag_1_test_errs_as_often_as_it_says_and_finds_what_is_there() {
        let found = |phi| {
            (0..400)
                .filter(|&seed| is_correlated(&autoregressive(seed, phi, 128)))
                .count()
        };
        // 5 % of 400, three standard deviations to either side; more than nine of ten.
        let (by_chance, correlated) = (found(0.0), found(0.3));
        assert!((7..=33).contains(&by_chance), "{by_chance} of 400");
        assert!(correlated > 360, "{correlated} of 400");
    }

    #[test]
    fn batches_grow_where_short_ones_would_not_cover() {
        let (mut short, mut grown) = (0, 0);
        for seed in 0..400 {
            let values: Vec<f64> = autoregressive(seed, 0.95, 6_400)
                .chunks(25)
                .map(|batch| batch.iter().sum())
                .collect();
            let naive = mean_of_independent(&values);
            short += usize::from((naive.mean / 25.0 - 10.0).abs() <= naive.half_width / 25.0);
            let estimate =
                ratio_by_batch_means(&values, &vec![25.0; 256], Correlation::Tested).unwrap();
            grown += usize::from((estimate.mean - 10.0).abs() <= estimate.half_width);
        }
        assert!(short < 340 && grown > 360, "{short} and {grown} of 400");
    }

    #[test]
    fn a_slow_series_is_not_trusted() {
        let mut trusted = 0;
        for seed in 0..100 {
            let values = autoregressive(seed, 0.99, 256);
            let estimate =
                ratio_by_batch_means(&values, &vec![1.0; 256], Correlation::Tested).unwrap();
            trusted += usize::from(estimate.trusted);
        }
        assert!(trusted <= 2, "{trusted} of 100");
    }

    #[test]
    fn nothing_yields_nothing() {
        let two = ratio_by_batch_means(&[1.0, 3.0], &[1.0; 2], Correlation::Tested);
        assert_eq!(two.unwrap().mean, 2.0);
        assert_eq!(
            ratio_by_batch_means(&[1.0], &[1.0], Correlation::Tested),
            None
        );
        assert_eq!(ratio_by_batch_means(&[], &[], Correlation::Widens), None);
        assert_eq!(
            ratio_by_batch_means(&[0.0; 64], &[0.0; 64], Correlation::Widens),
            None
        );
    }

    #[test]
    fn a_mean_of_few_values_has_students_interval() {
        let few = mean_of_independent(&[1.0, 2.0, 3.0, 6.0]);
        // Squares of the deviations 14, so s^2 = 14 / 3; t = 3.182446 for 3 degrees of freedom.
        assert_eq!((few.mean, few.sampled, few.batches), (3.0, 3.0, 4));
        let wanted = 3.182_446 * (14.0_f64 / 3.0 / 4.0).sqrt();
        assert!((few.half_width - wanted).abs() < 1e-5, "{few:?}");
        let is_trusted = |count| mean_of_independent(&vec![1.0; count]).trusted;
        assert!(!is_trusted(BATCHES_MIN - 1) && is_trusted(BATCHES_MIN));
    }
}
