//! Addressed randomness: what happens at a node in a cycle draws from a generator of its own, whose
//! state is a hash of (seed, purpose, node, cycle). So it depends on nothing that happened at another
//! node or in another cycle, and a node keeps no generator between its packets.

use flitsim_random::{Address, Pcg64Mcg};

/// Keeps the streams of traffic apart from those of others that hash the same seed.
const DOMAIN: u64 = u64::from_be_bytes(*b"traffic\0");

/// What a generator is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Purpose {
    /// When a node's first packet comes; the number is 0.
    Start = 1,
    /// The packets that a node creates in a cycle, and when its next ones come; the number is the
    /// cycle.
    Packets = 2,
    /// A node's n-th request with its reply, or its n-th packet of a batch; the number is n.
    Request = 3,
    /// The packet of a row of a trace; the number is the row.
    Row = 4,
    /// Which permutation of the nodes a random permutation is; node and number are 0.
    Permutation = 5,
}

/// All the random streams of one seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Streams {
    root: Address,
}

impl Streams {
    /// The streams of `seed`.
    pub const fn new(seed: u64) -> Self {
        Self {
            root: Address::new(seed).with(DOMAIN),
        }
    }

    /// The generator of one event: what `purpose` and `number` say, at node `node`.
    #[inline]
    pub fn event(&self, purpose: Purpose, node: u32, number: u64) -> Pcg64Mcg {
        self.address(purpose, node, number).generator()
    }

    /// Where one word is enough: the address of the event, which is a hash.
    #[inline]
    pub(crate) const fn address(&self, purpose: Purpose, node: u32, number: u64) -> Address {
        let place = (purpose as u64) << 32 | node as u64;
        self.root.with(place).with(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::chi_square_deviates;
    use flitsim_random::Draw;
    use rand::Rng;

    /// From an independent implementation of the recipe (Python's unbounded integers).
    #[test]
    fn words_are_golden() {
        let mut event = Streams::new(1).event(Purpose::Packets, 5, 9);
        let words: [u64; 3] = std::array::from_fn(|_| event.next_u64());
        assert_eq!(words, GOLDEN_WORDS);
        let mut event = Streams::new(u64::MAX).event(Purpose::Row, u32::MAX, u64::MAX);
        assert_eq!(event.next_u64(), GOLDEN_CORNER);
    }

    #[test]
    fn below_is_uniform_over_addresses() {
        let streams = Streams::new(11);
        for n in [2, 3, 7, 64, 1000] {
            // Each of the first words of many events: this is how they are used, not as one long
            // sequence.
            let mut counts = [(); 4].map(|()| vec![0u64; n]);
            for cycle in 0..100_000u64 {
                let mut rng = streams.event(Purpose::Packets, 3, cycle);
                for counts in &mut counts {
                    counts[rng.below(n as u32) as usize] += 1;
                }
            }
            for counts in counts {
                let z = chi_square_deviates(&counts, &vec![1.0 / n as f64; n]);
                assert!(z.abs() < 4.0, "{z} standard deviates for n = {n}");
            }
        }
    }

    /// The words of an event are independent, and so are those of neighbouring addresses: the joint
    /// distribution is uniform.
    #[test]
    fn neighbouring_addresses_are_independent() {
        let streams = Streams::new(1);
        type Address = fn(u32, u64) -> (Purpose, u32, u64);
        let others: [Address; 5] = [
            |node, cycle| (Purpose::Packets, node, cycle),
            |node, cycle| (Purpose::Packets, node + 1, cycle),
            |node, cycle| (Purpose::Packets, node, cycle + 1),
            |node, cycle| (Purpose::Request, node, cycle),
            |node, cycle| (Purpose::Packets, node ^ 512, cycle ^ 512),
        ];
        for (i, other) in others.into_iter().enumerate() {
            // The first word of the one against the first, the second and the third of the other;
            // of an event with itself, the words behind the first.
            for skip in usize::from(i == 0)..3 {
                let mut counts = vec![0u64; 256];
                for node in 0..300 {
                    for cycle in 0..300 {
                        let (purpose, n, c) = other(node, cycle);
                        let a = streams.event(Purpose::Packets, node, cycle).below(16);
                        let mut rng = streams.event(purpose, n, c);
                        for _ in 0..skip {
                            rng.next_u64();
                        }
                        counts[(a * 16 + rng.below(16)) as usize] += 1;
                    }
                }
                let z = chi_square_deviates(&counts, &[1.0 / 256.0; 256]);
                assert!(z.abs() < 4.0, "{z} deviates for pairing {i}, word {skip}");
            }
        }
        let mut counts = vec![0u64; 64];
        for seed in 0..50_000u64 {
            let mut rng = Streams::new(seed).event(Purpose::Packets, 0, 0);
            counts[rng.below(64) as usize] += 1;
        }
        assert!(chi_square_deviates(&counts, &[1.0 / 64.0; 64]).abs() < 4.0);
    }

    const GOLDEN_WORDS: [u64; 3] = [
        0x80d2_5bc7_9b00_1600,
        0xb5d1_08fc_4c92_f09a,
        0x549f_e34c_1e57_2fd4,
    ];
    const GOLDEN_CORNER: u64 = 0x468d_8835_264c_3ea8;
}
