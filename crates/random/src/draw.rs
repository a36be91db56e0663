//! What is drawn from any generator by integers alone, so that a release of `rand` cannot change it.

use rand::Rng;
use rand::distr::Distribution;

/// Draws that are the same on every platform, for ever.
pub trait Draw: Rng {
    /// An integer below `n`, uniform to within n / 2^64; 0 where `n` is 0.
    #[inline]
    fn below(&mut self, n: u32) -> u32 {
        ((u128::from(self.next_u64()) * u128::from(n)) >> 64) as u32
    }

    /// True with the probability `ratio`, exactly.
    #[inline]
    fn chance(&mut self, ratio: Ratio) -> bool {
        (self.next_u64() >> 1) < ratio.0
    }
}

impl<R: Rng + ?Sized> Draw for R {}

/// A probability in units of 2^-63, so that both 0 and 1 are exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio(u64);

impl Ratio {
    /// The probability `value`, rounded down to a multiple of 2^-63; `None` unless it is from 0
    /// to 1.
    pub fn new(value: f64) -> Option<Self> {
        if !(0.0..=1.0).contains(&value) {
            return None;
        }
        Some(Self((value * (1u64 << 63) as f64) as u64))
    }
}

impl Distribution<bool> for Ratio {
    #[inline]
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> bool {
        rng.chance(*self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Address, Pcg64Mcg};
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng};

    /// From the same independent implementation as the words of addresses.
    #[test]
    fn below_and_chance_are_golden() {
        let address = Address::new(7).with(3);
        let mut rng = address.generator();
        let below: [u32; 10] = std::array::from_fn(|_| rng.below(1000));
        assert_eq!(below, [251, 290, 446, 508, 884, 985, 670, 362, 666, 547]);
        let third = Ratio::new(1.0 / 3.0).unwrap();
        let mut rng = address.generator();
        let chance: String = (0..16)
            .map(|_| if third.sample(&mut rng) { '1' } else { '0' })
            .collect();
        assert_eq!(chance, "1100000000001010");
    }

    /// What is `rand`'s own: another value here says that permutations, faults and the samples of
    /// proofs change with its release, and the changelog must say so.
    #[test]
    fn what_rand_draws_is_golden() {
        let mut rng = Pcg64Mcg::seed_from_u64(7);
        let mut order: [u32; 10] = std::array::from_fn(|i| i as u32);
        order.shuffle(&mut rng);
        let range: [u32; 6] = std::array::from_fn(|_| rng.random_range(..1000));
        assert_eq!(order, [6, 2, 7, 1, 9, 5, 3, 0, 8, 4]);
        assert_eq!(range, [117, 406, 384, 561, 331, 231]);
    }

    #[test]
    fn chance_is_exact_at_both_ends() {
        let mut rng = Address::new(3).generator();
        let (never, always) = (Ratio::new(0.0).unwrap(), Ratio::new(1.0).unwrap());
        for _ in 0..1000 {
            assert!(!rng.chance(never) && rng.chance(always));
        }
        assert_eq!(Ratio(1 << 63), always);
        for bad in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert_eq!(Ratio::new(bad), None);
        }
        assert_eq!(rng.below(0), 0);
    }
}
