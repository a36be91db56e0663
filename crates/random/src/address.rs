//! What a draw is for, as a hash.

use rand_pcg::Pcg64Mcg;

/// 2^64 over the golden ratio, odd: sets a seed apart from small numbers.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finalizer of SplitMix64 (Steele, Lea & Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014; variant 13 of Stafford's mixers): a bijection whose every output bit
/// depends on every input bit.
#[inline]
pub const fn mix(word: u64) -> u64 {
    let z = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A seed and any number of parts, in order: a purpose, a node, a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// The hash of all parts but the last.
    before: u64,
    /// The hash of all parts.
    all: u64,
}

impl Address {
    /// The address of `seed`.
    #[inline]
    pub const fn new(seed: u64) -> Self {
        let word = seed.wrapping_add(GAMMA);
        Self {
            before: word,
            all: mix(word),
        }
    }

    /// The address within this one that `part` names.
    #[inline]
    pub const fn with(self, part: u64) -> Self {
        Self {
            before: self.all,
            all: mix(self.all ^ part),
        }
    }

    /// The one word of this address, where a generator would be used once.
    #[inline]
    pub const fn word(self) -> u64 {
        self.all
    }

    /// The generator of this address.
    #[inline]
    pub fn generator(self) -> Pcg64Mcg {
        // Both hashes make the state: it is the same for two addresses only if both agree.
        let low = mix(self.before.wrapping_add(self.all));
        Pcg64Mcg::new(u128::from(self.all) << 64 | u128::from(low))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    #[test]
    fn mix_is_the_finalizer_as_published() {
        // The first outputs of the authors' generator from state 0.
        assert_eq!(mix(GAMMA), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mix(GAMMA.wrapping_mul(2)), 0x6e78_9e6a_a1b9_65f4);
        assert_eq!(mix(GAMMA.wrapping_mul(3)), 0x06c4_5d18_8009_454f);
    }

    /// From an independent implementation of the recipe above and of PCG XSL RR 128/64 (MCG), in
    /// Python's unbounded integers.
    #[test]
    fn words_are_golden() {
        let mut generator = Address::new(1).with(2).with(5).with(9).generator();
        let words: [u64; 3] = std::array::from_fn(|_| generator.next_u64());
        assert_eq!(words, GOLDEN_WORDS);
        let corner = Address::new(u64::MAX).with(u64::MAX).with(0);
        assert_eq!(corner.word(), GOLDEN_CORNER[0]);
        assert_eq!(corner.generator().next_u64(), GOLDEN_CORNER[1]);
    }

    const GOLDEN_WORDS: [u64; 3] = [
        0xbef5_bf97_9444_1a11,
        0x34eb_d57b_39c5_a9f2,
        0x0d5d_fca6_b07c_1752,
    ];
    const GOLDEN_CORNER: [u64; 2] = [0x8db4_c609_5b35_a8ae, 0x4be2_46f0_07ba_8021];
}
