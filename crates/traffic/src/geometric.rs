//! Geometric gaps by integer arithmetic: how many cycles without a packet come before one with a
//! packet, where each has one with probability p.
//!
//! With q = 1 - p, P(X >= g) = q^g. A table of q^g in 64-bit fixed point, built by repeated
//! multiplication, decides a value below 256 in one draw; past its end the variable starts afresh,
//! for it has no memory. Where p is so small that a table would be left too often, X is written in
//! base 256: its digits are independent, the lower ones geometric cut off at 256 (ratio q^(256^j)
//! for digit j), the highest one geometric again (Devroye, "Non-uniform random variate
//! generation", 1986, section X.2).
//!
//! Invariant: no floating point in a draw; p = 1 gives 0 always.

use crate::thresholds::Thresholds;
use rand::Rng;
use rand::distr::Distribution;

const ONE: u128 = 1 << 64;
const BASE: usize = 256;
/// Base-256 digits of a 64-bit gap.
const DIGITS_MOST: usize = 8;

/// The number of failures before the first success.
#[derive(Clone, Debug)]
pub(crate) struct Geometric {
    /// Digits below the highest, least significant first.
    digits: Vec<Thresholds>,
    /// The highest digit; the value 256 says that it is at least that.
    highest: Thresholds,
}

impl Geometric {
    /// The variable of success probability `p`, in units of 2^-64, above 0 and at most 2^64.
    pub(crate) fn new(p: u128) -> Self {
        assert!(p > 0 && p <= ONE);
        let mut digits = Vec::new();
        let mut powers = powers(ONE - p);
        // A highest digit that overflows at most every other time costs at most one more draw
        // on average, as would a further digit.
        while powers[BASE] > ONE / 2 && digits.len() + 1 < DIGITS_MOST {
            let rest = powers[BASE];
            let cut_off = |&power: &u128| (((power - rest) << 64) / (ONE - rest)) as u64;
            digits.push(Thresholds::new(
                powers[1..BASE].iter().map(cut_off).collect(),
            ));
            powers = self::powers(rest);
        }
        let highest = powers[1..].iter().map(|&power| power as u64).collect();
        Self {
            digits,
            highest: Thresholds::new(highest),
        }
    }
}

/// `u64::MAX` stands for anything above.
impl Distribution<u64> for Geometric {
    #[inline]
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> u64 {
        let mut value = 0u64;
        loop {
            let digit = self.highest.sample(rng);
            value = value.saturating_add(u64::from(digit));
            if digit < BASE as u32 {
                break;
            }
        }
        for digit in self.digits.iter().rev() {
            value = value
                .saturating_mul(BASE as u64)
                .saturating_add(u64::from(digit.sample(rng)));
        }
        value
    }
}

/// q^0 to q^256 in units of 2^-64, each rounded to the nearest.
fn powers(q: u128) -> Vec<u128> {
    debug_assert!(q < ONE);
    let mut powers = vec![ONE];
    for g in 0..BASE {
        powers.push((powers[g] * q + ONE / 2) >> 64);
    }
    powers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{chi_square_deviates, two_sample_deviates};
    use crate::stream::{Purpose, Streams};
    use crate::thresholds::fixed_point;
    use flitsim_random::Pcg64Mcg;
    use rand::{RngExt, SeedableRng};

    const SAMPLES: usize = 100_000;

    fn sample(p: f64) -> Vec<u64> {
        let geometric = Geometric::new(fixed_point(p));
        let streams = Streams::new(42);
        (0..SAMPLES as u64)
            .map(|cycle| geometric.sample(&mut streams.event(Purpose::Packets, 1, cycle)))
            .collect()
    }

    #[test]
    fn success_for_certain_never_fails() {
        assert!(sample(1.0).iter().all(|&x| x == 0));
    }

    #[test]
    fn mean_and_variance_are_exact() {
        for p in [1e-9, 1e-6, 1e-4, 0.003, 0.05, 0.3, 0.5, 0.9, 0.999] {
            let (mean, variance) = ((1.0 - p) / p, (1.0 - p) / (p * p));
            let n = SAMPLES as f64;
            let sample = sample(p);
            let measured = sample.iter().map(|&x| x as f64).sum::<f64>() / n;
            let off = (measured - mean) / (variance / n).sqrt();
            assert!(off.abs() < 4.0, "mean of p = {p}: {off} standard errors");
            let squares = sample.iter().map(|&x| (x as f64 - mean).powi(2));
            // The fourth central moment over the squared variance is 9 + p^2 / (1 - p).
            let spread = variance * ((8.0 + p * p / (1.0 - p)) / n).sqrt();
            let off = (squares.sum::<f64>() / n - variance) / spread;
            assert!(
                off.abs() < 4.0,
                "variance of p = {p}: {off} standard errors"
            );
        }
    }

    #[test]
    fn chi_square_of_classes_of_equal_weight() {
        for p in [1e-9, 1e-6, 1e-4, 0.0027, 0.003, 0.05, 0.3, 0.5, 0.9] {
            let log_q = f64::ln_1p(-p);
            let mut edges: Vec<u64> = (1..40)
                .map(|i| ((1.0 - f64::from(i) / 40.0).ln() / log_q).ceil() as u64)
                .collect();
            edges.dedup();
            let beyond = |g: u64| (g as f64 * log_q).exp();
            let mut bounds = vec![1.0];
            bounds.extend(edges.iter().map(|&g| beyond(g)));
            bounds.push(0.0);
            let probabilities: Vec<f64> = bounds.windows(2).map(|w| w[0] - w[1]).collect();
            let mut counts = vec![0u64; probabilities.len()];
            for x in sample(p) {
                counts[edges.partition_point(|&edge| edge <= x)] += 1;
            }
            let z = chi_square_deviates(&counts, &probabilities);
            assert!(z.abs() < 4.0, "p = {p}: {z} standard deviates");
        }
    }

    /// An independent sampler of the same law, in floating point.
    #[test]
    fn the_law_is_that_of_rand_distr() {
        let mut rng = Pcg64Mcg::seed_from_u64(8);
        for p in [1e-6, 1e-4, 0.003, 0.05, 0.3, 0.9] {
            let theirs = rand_distr::Geometric::new(p).unwrap();
            let theirs: Vec<u64> = (&mut rng).sample_iter(theirs).take(SAMPLES).collect();
            let z = two_sample_deviates(&sample(p), &theirs);
            assert!(z.abs() < 4.0, "p = {p}: {z} standard deviates");
        }
    }

    /// The low digit of base 256 follows the truncated law, class by class.
    #[test]
    fn digits_below_the_highest_are_geometric() {
        let p = 1e-3;
        let mut counts = vec![0u64; 256];
        for x in sample(p) {
            counts[(x % 256) as usize] += 1;
        }
        let total = 1.0 - (1.0f64 - p).powi(256);
        let expected: Vec<f64> = (0..256).map(|d| (1.0f64 - p).powi(d) * p / total).collect();
        let z = chi_square_deviates(&counts, &expected);
        assert!(z.abs() < 4.0, "{z} standard deviates");
    }

    #[test]
    fn the_smallest_probability_ends() {
        let geometric = Geometric::new(1);
        let mut rng = Streams::new(1).event(Purpose::Packets, 0, 0);
        let mean = (0..1000)
            .map(|_| geometric.sample(&mut rng) as f64)
            .sum::<f64>()
            / 1000.0;
        // Values saturate at 2^64, the mean of the law: E[min(X, m)] = m (1 - 1/e).
        let expected = (1u128 << 64) as f64 * (1.0 - (-1.0f64).exp());
        assert!((mean / expected - 1.0).abs() < 0.1, "{}", mean / expected);
    }
}
