//! A discrete random variable drawn from one word by comparing it with integer thresholds.
//!
//! The thresholds are P(X > v) in units of 2^-64, and X is the number of them above the word. A
//! guide by the word's top byte (Chen & Asau, "On generating random variates from an empirical
//! distribution", AIIE Transactions 6, 1974) starts the search within a step or two of the answer.
//!
//! Invariant: `survival` never ascends, and `guide[b]` is at most the answer for every word whose
//! top byte is b.

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

    /// The value that `word` stands for.
    #[inline]
    pub(crate) fn value(&self, word: u64) -> u32 {
        let mut value = usize::from(self.guide[(word >> 56) as usize]);
        while value < self.survival.len() && word < self.survival[value] {
            value += 1;
        }
        value as u32
    }
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
    fn fixed_point_is_exact_where_it_can_be() {
        assert_eq!(fixed_point(0.0), 0);
        assert_eq!(fixed_point(1.0), 1 << 64);
        assert_eq!(fixed_point(0.25), 1 << 62);
        assert_eq!(threshold(1.0), u64::MAX);
        assert_eq!(threshold(0.5), 1 << 63);
    }
}
