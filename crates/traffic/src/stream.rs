//! Addressed randomness: every draw is a hash of what it is for (seed, purpose, node, cycle), so it
//! depends on nothing that happened at another node, in another cycle, or for another purpose, and
//! a node keeps no generator between its packets.
//!
//! An address is hashed to a 64-bit state by the finalizer of SplitMix64, once for each part of the
//! address; from that state SplitMix64 (Steele, Lea & Flood, "Fast splittable pseudorandom number
//! generators", OOPSLA 2014) gives as many words as one event needs.
//!
//! Invariant: integers only. The golden vectors below pin every value on every platform.

/// The odd constant by which the state of SplitMix64 advances.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// Keeps the streams of traffic apart from those of others that hash the same seed.
const DOMAIN: u64 = u64::from_be_bytes(*b"traffic\0");

/// What a draw decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Purpose {
    /// When a node's first packet comes.
    Start = 1,
    /// How long a node waits for its next packet.
    Gap = 2,
    /// How many packets a node creates in a cycle.
    Count = 3,
    /// Where a packet goes.
    Destination = 4,
    /// How long a packet is.
    Length = 5,
    /// What the routing algorithm leaves to chance at the source.
    Entropy = 6,
    /// Which permutation of the nodes a random permutation is.
    Permutation = 7,
}

/// The finalizer of SplitMix64 (variant 13 of Stafford's mixers).
#[inline]
const fn mix(word: u64) -> u64 {
    let z = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// All the random streams of one seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Streams {
    root: u64,
}

impl Streams {
    /// The streams of `seed`.
    pub const fn new(seed: u64) -> Self {
        Self {
            root: mix(mix(seed.wrapping_add(GAMMA)) ^ DOMAIN),
        }
    }

    /// The draws for `purpose` at node `node` in cycle `cycle`.
    #[inline]
    pub const fn draws(&self, purpose: Purpose, node: u32, cycle: u64) -> Draws {
        let place = mix(self.root ^ ((purpose as u64) << 32 | node as u64));
        Draws {
            state: mix(place ^ cycle),
        }
    }
}

/// The random words of one event, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draws {
    state: u64,
}

impl Draws {
    /// The next word: 64 uniform bits.
    #[inline]
    pub const fn word(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GAMMA);
        mix(self.state)
    }

    /// The next integer below `n`, uniform to within n / 2^64; 0 where `n` is 0.
    #[inline]
    pub const fn below(&mut self, n: u32) -> u32 {
        ((self.word() as u128 * n as u128) >> 64) as u32
    }

    /// True with the probability `ratio`, exactly.
    #[inline]
    pub const fn chance(&mut self, ratio: Ratio) -> bool {
        (self.word() >> 1) < ratio.0
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::chi_square_deviates;

    /// From an independent implementation of the recipe above (Python's unbounded integers).
    #[test]
    fn words_are_golden() {
        let mut draws = Streams::new(1).draws(Purpose::Gap, 5, 9);
        assert_eq!([draws.word(), draws.word(), draws.word()], GOLDEN_WORDS);
        let mut draws = Streams::new(u64::MAX).draws(Purpose::Entropy, u32::MAX, u64::MAX);
        assert_eq!(draws.word(), GOLDEN_CORNER);
    }

    #[test]
    fn below_and_chance_are_golden() {
        let mut draws = Streams::new(7).draws(Purpose::Destination, 0, 0);
        let below: Vec<u32> = (0..10).map(|_| draws.below(1000)).collect();
        assert_eq!(below, GOLDEN_BELOW);
        let third = Ratio::new(1.0 / 3.0).unwrap();
        let mut draws = Streams::new(7).draws(Purpose::Destination, 0, 0);
        let chance: String = (0..16)
            .map(|_| if draws.chance(third) { '1' } else { '0' })
            .collect();
        assert_eq!(chance, GOLDEN_CHANCE);
    }

    #[test]
    fn chance_is_exact_at_both_ends() {
        let mut draws = Streams::new(3).draws(Purpose::Gap, 0, 0);
        let (never, always) = (Ratio::new(0.0).unwrap(), Ratio::new(1.0).unwrap());
        for _ in 0..1000 {
            assert!(!draws.chance(never) && draws.chance(always));
        }
        assert_eq!(Ratio(1 << 63), always);
        for bad in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert_eq!(Ratio::new(bad), None);
        }
    }

    #[test]
    fn below_stays_below_and_is_uniform() {
        let streams = Streams::new(11);
        for n in [1, 2, 3, 7, 64, 1000] {
            let mut counts = vec![0u64; n];
            // A word for each address: this is how the draws are used, not one long sequence.
            for cycle in 0..100_000u64 {
                let mut draws = streams.draws(Purpose::Destination, 3, cycle);
                counts[draws.below(n as u32) as usize] += 1;
            }
            if n > 1 {
                let z = chi_square_deviates(&counts, &vec![1.0 / n as f64; n]);
                assert!(z.abs() < 4.0, "{z} standard deviates for n = {n}");
            }
        }
        assert_eq!(streams.draws(Purpose::Gap, 0, 0).below(0), 0);
    }

    /// The joint distribution of the draws of neighbouring addresses is uniform too.
    #[test]
    fn neighbouring_addresses_are_independent() {
        let streams = Streams::new(1);
        type Address = fn(u32, u64) -> (Purpose, u32, u64);
        let others: [Address; 4] = [
            |node, cycle| (Purpose::Gap, node + 1, cycle),
            |node, cycle| (Purpose::Gap, node, cycle + 1),
            |node, cycle| (Purpose::Count, node, cycle),
            |node, cycle| (Purpose::Gap, node ^ 512, cycle ^ 512),
        ];
        for (i, other) in others.into_iter().enumerate() {
            let mut counts = vec![0u64; 256];
            for node in 0..300 {
                for cycle in 0..300 {
                    let (purpose, n, c) = other(node, cycle);
                    let a = streams.draws(Purpose::Gap, node, cycle).below(16);
                    let b = streams.draws(purpose, n, c).below(16);
                    counts[(a * 16 + b) as usize] += 1;
                }
            }
            let z = chi_square_deviates(&counts, &[1.0 / 256.0; 256]);
            assert!(z.abs() < 4.0, "{z} standard deviates for pairing {i}");
        }
        let seeds: Vec<u64> = (0..50_000u64)
            .map(|seed| u64::from(Streams::new(seed).draws(Purpose::Gap, 0, 0).below(64)))
            .collect();
        let mut counts = vec![0u64; 64];
        seeds.iter().for_each(|&s| counts[s as usize] += 1);
        assert!(chi_square_deviates(&counts, &[1.0 / 64.0; 64]).abs() < 4.0);
    }

    const GOLDEN_WORDS: [u64; 3] = [
        0x072e_d1f6_3ba9_57c1,
        0xdec2_6cc5_a83b_b358,
        0x4209_793b_60b4_b362,
    ];
    const GOLDEN_CORNER: u64 = 0xdcb1_c6b4_fd9c_7c4f;
    const GOLDEN_BELOW: [u32; 10] = [566, 649, 133, 24, 933, 851, 974, 460, 430, 752];
    const GOLDEN_CHANCE: &str = "0011000000011111";
}
