//! A discrete random variable drawn from one word by comparing it with integer thresholds.
//!
//! The thresholds are P(X > v) in units of 2^-64, and X is the number of them above the word. A
//! guide by the word's top byte (Chen & Asau, "On generating random variates from an empirical
//! distribution", AIIE Transactions 6, 1974) starts the search within a step or two of the answer.
//!
//! Invariant: `survival` never ascends, and `guide[b]` is at most the answer for every word whose
//! top byte is b.

use rand::Rng;
use rand::distr::Distribution;

/// 1 in units of 2^-64.
const ONE: u128 = 1 << 64;

/// The most thresholds that are compared one after another.
const WALK_MOST: usize = 8;

/// A variable with values from 0 to the number of thresholds.
#[derive(Clone, Debug)]
pub(crate) struct Thresholds {
    /// `survival[v]` = P(X > v) in units of 2^-64.
    survival: Box<[u64]>,
    guide: Box<[u16; 256]>,
}

impl Thresholds {
    /// The variable with P(X > v) = `survival[v]` / 2^64; it never exceeds `survival.len()`.
    ///
    /// # Panics
    /// If the thresholds ascend somewhere, or there are more than a guide's entry can name.
    pub(crate) fn new(survival: Vec<u64>) -> Self {
        assert!(survival.len() <= usize::from(u16::MAX));
        assert!(survival.is_sorted_by(|a, b| a >= b), "thresholds ascend");
        let mut guide = Box::new([0u16; 256]);
        for (byte, entry) in guide.iter_mut().enumerate() {
            let highest = (byte as u64) << 56 | (u64::MAX >> 8);
            *entry = survival.partition_point(|&s| highest < s) as u16;
        }
        Self {
            survival: survival.into_boxed_slice(),
            guide,
        }
    }

    /// The variable that takes the value i with a probability in proportion to `weights[i]`.
    ///
    /// # Panics
    /// As [`shares`], and if there are more weights than a guide's entry can name, and one.
    pub(crate) fn of_weights(weights: &[f64]) -> Self {
        let mut beyond = ONE;
        let mut survival: Vec<u64> = shares(weights)
            .into_iter()
            .map(|share| {
                beyond -= share;
                // 1 only where nothing can be drawn yet; a word in 2^64 then takes it all the same.
                u64::try_from(beyond).unwrap_or(u64::MAX)
            })
            .collect();
        survival.pop();
        Self::new(survival)
    }

    /// The value that `word` stands for.
    #[inline]
    fn value(&self, word: u64) -> u32 {
        let mut value = usize::from(self.guide[(word >> 56) as usize]);
        let near = self.survival.len().min(value + WALK_MOST);
        while value < near && word < self.survival[value] {
            value += 1;
        }
        // Where a heavy tail hides behind one byte, halving finds the answer sooner than walking.
        if value == near {
            value += self.survival[near..].partition_point(|&s| word < s);
        }
        value as u32
    }
}

impl Distribution<u32> for Thresholds {
    #[inline]
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> u32 {
        self.value(rng.next_u64())
    }
}

/// The part of each weight in their sum, in units of 2^-64. The parts sum to 1: what rounding
/// leaves goes to the heaviest, the first of those.
///
/// # Panics
/// If there are no weights, one is negative or not finite, or all are 0.
pub(crate) fn shares(weights: &[f64]) -> Vec<u128> {
    assert!(weights.iter().all(|&w| w >= 0.0 && w.is_finite()));
    // Scaled by the heaviest first: the sum of large weights might not be finite.
    let scale = weights.iter().fold(0.0, |most: f64, &w| most.max(w));
    assert!(scale > 0.0, "a weight above 0");
    let sum: f64 = weights.iter().map(|w| w / scale).sum();
    let mut shares: Vec<u128> = weights
        .iter()
        .map(|w| fixed_point((w / scale / sum).min(1.0)))
        .collect();
    let mut heaviest = 0;
    for (i, weight) in weights.iter().enumerate() {
        if *weight > weights[heaviest] {
            heaviest = i;
        }
    }
    let others: u128 = shares.iter().sum::<u128>() - shares[heaviest];
    shares[heaviest] = ONE.saturating_sub(others);
    shares
}

/// The probability `p` (0 to 1) in units of 2^-64; 1 is 2^64, hence the width.
pub(crate) fn fixed_point(p: f64) -> u128 {
    debug_assert!((0.0..=1.0).contains(&p));
    (p * (1u128 << 64) as f64) as u128
}

/// `fixed_point`, with 1 rounded down to the last word.
pub(crate) fn threshold(p: f64) -> u64 {
    u64::try_from(fixed_point(p)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_finds_what_counting_finds() {
        let tables = [
            vec![],
            vec![0],
            vec![u64::MAX],
            vec![u64::MAX, 1 << 63, 1 << 63, 1 << 40, 1, 0],
            (0..300).map(|i| u64::MAX >> (i / 5)).collect(),
            (0..256).map(|i| u64::MAX - (i << 20)).collect(),
        ];
        for survival in tables {
            let thresholds = Thresholds::new(survival.clone());
            let around = survival
                .iter()
                .flat_map(|&s| [s.saturating_sub(1), s, s.saturating_add(1)]);
            let bytes = (0..256u64).flat_map(|b| [b << 56, b << 56 | u64::MAX >> 8]);
            for word in around.chain(bytes) {
                let counted = survival.iter().filter(|&&s| word < s).count();
                assert_eq!(thresholds.value(word) as usize, counted, "word {word:#x}");
            }
        }
    }

    #[test]
    fn a_heavy_tail_behind_one_byte_is_found() {
        let survival: Vec<u64> = (1..60_000u64).map(|v| u64::MAX / (v * v)).collect();
        let thresholds = Thresholds::new(survival.clone());
        for word in (0..64).map(|shift| u64::MAX >> shift) {
            let counted = survival.iter().filter(|&&s| word < s).count();
            assert_eq!(thresholds.value(word) as usize, counted, "word {word:#x}");
        }
    }

    #[test]
    fn shares_sum_to_one_and_keep_their_proportion() {
        for weights in [
            vec![1.0],
            vec![0.1, 0.2, 0.7],
            vec![3.0, 0.0, 1.0],
            vec![1e300, 1e300, 1e-300],
            vec![1.0; 1000],
        ] {
            let shares = shares(&weights);
            assert_eq!(shares.iter().sum::<u128>(), ONE);
            let scale: f64 = weights.iter().map(|w| w / weights[0]).sum();
            for (share, weight) in shares.iter().zip(&weights) {
                let exact = weight / weights[0] / scale;
                assert!((*share as f64 / ONE as f64 - exact).abs() < 1e-15);
            }
        }
        let quarters = Thresholds::of_weights(&[1.0, 2.0, 1.0]);
        for (word, value) in [(0, 2), (1 << 62, 1), (3 << 62, 0), (u64::MAX, 0)] {
            assert_eq!(quarters.value(word), value);
        }
    }

    #[test]
    fn fixed_point_is_exact_where_it_can_be() {
        assert_eq!(fixed_point(0.0), 0);
        assert_eq!(fixed_point(1.0), 1 << 64);
        assert_eq!(fixed_point(0.25), 1 << 62);
        assert_eq!(threshold(1.0), u64::MAX);
        assert_eq!(threshold(0.5), 1 << 63);
    }
}
