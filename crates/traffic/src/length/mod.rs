//! How long packets are, in flits.
//!
//! Invariant: a length is drawn from one word by integer thresholds, and the mean that turns loads
//! into packets is that of the same law.

mod histogram;

use crate::TrafficError;
use crate::thresholds::Thresholds;
pub use histogram::Histogram;
use histogram::{FLITS_MOST, check_flits};
use rand::Rng;
use rand::distr::Distribution;
use std::sync::Arc;

/// The lengths of packets.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PacketLength {
    /// Every packet has this many flits, from 1 to [`PacketLength::FLITS_MOST`].
    Fixed(u32),
    /// Two lengths, as of requests and of the blocks that answer them.
    Bimodal {
        /// Flits of a short packet.
        short_flits: u32,
        /// Flits of a long packet, more than those of a short one.
        long_flits: u32,
        /// The share of the packets (not of the flits) that are long, from 0 to 1.
        long_share: f64,
    },
    /// Any law of lengths.
    Histogram(Arc<Histogram>),
}

impl PacketLength {
    /// The longest packet.
    pub const FLITS_MOST: u32 = FLITS_MOST;

    /// The mean length in flits: a load of so many flits is one packet.
    pub fn mean_flits(&self) -> f64 {
        match self {
            Self::Fixed(flits) => f64::from(*flits),
            Self::Bimodal {
                short_flits,
                long_flits,
                long_share,
            } => {
                let short = f64::from(*short_flits);
                short + (f64::from(*long_flits) - short) * long_share
            }
            Self::Histogram(histogram) => histogram.mean_flits(),
        }
    }

    /// The longest packet that may come, in flits.
    pub fn longest_flits(&self) -> u32 {
        match self {
            Self::Fixed(flits) => *flits,
            Self::Bimodal {
                short_flits,
                long_flits,
                long_share,
            } => match *long_share > 0.0 {
                true => *long_flits,
                false => *short_flits,
            },
            Self::Histogram(histogram) => histogram.longest_flits(),
        }
    }

    /// Every length that may come, in ascending order, with the share of the packets that have it.
    /// The shares sum to 1.
    pub fn shares(&self) -> Vec<(u32, f64)> {
        match self {
            Self::Fixed(flits) => vec![(*flits, 1.0)],
            Self::Bimodal {
                short_flits,
                long_flits,
                long_share,
            } => [(*short_flits, 1.0 - long_share), (*long_flits, *long_share)]
                .into_iter()
                .filter(|(_, share)| *share > 0.0)
                .collect(),
            Self::Histogram(histogram) => histogram.shares().collect(),
        }
    }

    /// Checks the lengths.
    ///
    /// # Errors
    /// [`TrafficError::PacketLength`] for a length that is 0 or above
    /// [`PacketLength::FLITS_MOST`], [`TrafficError::BimodalOrder`] and
    /// [`TrafficError::LongShare`].
    pub fn validate(&self) -> Result<(), TrafficError> {
        match *self {
            Self::Fixed(flits) => check_flits(flits),
            Self::Bimodal {
                short_flits,
                long_flits,
                long_share,
            } => {
                check_flits(short_flits)?;
                check_flits(long_flits)?;
                if short_flits >= long_flits {
                    return Err(TrafficError::BimodalOrder {
                        short_flits,
                        long_flits,
                    });
                }
                if !(0.0..=1.0).contains(&long_share) {
                    return Err(TrafficError::LongShare { long_share });
                }
                Ok(())
            }
            // Checked when it was made.
            Self::Histogram(_) => Ok(()),
        }
    }
}

/// Lengths, ready to draw from.
#[derive(Clone, Debug)]
pub(crate) enum Lengths {
    Fixed(u32),
    /// The lengths, and which of them.
    Several(Box<[u32]>, Thresholds),
}

impl Lengths {
    /// `length`, which is valid.
    pub(crate) fn new(length: &PacketLength) -> Self {
        let (flits, shares): (Vec<u32>, Vec<f64>) = length.shares().into_iter().unzip();
        match flits[..] {
            [flits] => Self::Fixed(flits),
            _ => Self::Several(flits.into(), Thresholds::of_weights(&shares)),
        }
    }
}

/// The length of a packet, in flits.
impl Distribution<u32> for Lengths {
    #[inline]
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> u32 {
        match self {
            Self::Fixed(flits) => *flits,
            Self::Several(flits, which) => flits[which.sample(rng) as usize],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::chi_square_deviates;
    use crate::stream::{Purpose, Streams};

    fn histogram(entries: &[(u32, f64)]) -> PacketLength {
        PacketLength::Histogram(Arc::new(Histogram::new(entries.to_vec()).unwrap()))
    }

    fn bimodal(long_share: f64) -> PacketLength {
        PacketLength::Bimodal {
            short_flits: 2,
            long_flits: 18,
            long_share,
        }
    }

    #[test]
    fn draws_follow_the_shares() {
        let streams = Streams::new(4);
        for length in [
            PacketLength::Fixed(16),
            bimodal(0.25),
            bimodal(0.01),
            histogram(&[(9, 1.0), (1, 6.0), (5, 0.0), (64, 3.0)]),
        ] {
            let lengths = Lengths::new(&length);
            let shares = length.shares();
            let mut counts = vec![0u64; shares.len()];
            for cycle in 0..40_000 {
                let flits = lengths.sample(&mut streams.event(Purpose::Packets, 2, cycle));
                counts[shares.iter().position(|(f, _)| *f == flits).unwrap()] += 1;
            }
            let shares: Vec<f64> = shares.into_iter().map(|(_, share)| share).collect();
            if shares.len() > 1 {
                let z = chi_square_deviates(&counts, &shares);
                assert!(z.abs() < 4.0, "{length:?}: {z} deviates");
            }
        }
    }

    #[test]
    fn means_and_longest_by_hand() {
        assert_eq!(bimodal(0.25).mean_flits(), 6.0);
        assert_eq!(bimodal(0.25).longest_flits(), 18);
        for (share, only) in [(0.0, 2), (1.0, 18)] {
            assert_eq!(bimodal(share).longest_flits(), only);
            assert_eq!(bimodal(share).shares(), [(only, 1.0)]);
        }
        let length = histogram(&[(4, 2.0), (8, 1.0), (100, 0.0), (1, 1.0)]);
        assert_eq!(length.mean_flits(), 4.25);
        assert_eq!(length.longest_flits(), 8);
        assert_eq!(length.shares(), [(1, 0.25), (4, 0.5), (8, 0.25)]);
    }

    #[test]
    fn refusals() {
        let new = |entries: &[(u32, f64)]| Histogram::new(entries.to_vec()).unwrap_err();
        assert_eq!(new(&[]), TrafficError::NoLengths);
        assert_eq!(new(&[(3, 0.0)]), TrafficError::NoLengths);
        let zero = TrafficError::PacketLength { flits: 0 };
        assert_eq!(new(&[(0, 1.0)]), zero);
        let twice = TrafficError::RepeatedLength { flits: 4 };
        assert_eq!(new(&[(4, 1.0), (2, 1.0), (4, 2.0)]), twice);
        let (flits, weight) = (2, -1.0);
        let negative = TrafficError::LengthWeight { flits, weight };
        assert_eq!(new(&[(4, 1.0), (2, -1.0)]), negative);
        for share in [-0.1, 1.1, f64::NAN] {
            assert!(bimodal(share).validate().is_err());
        }
        let (short_flits, long_flits) = (5, 5);
        let same = PacketLength::Bimodal {
            short_flits,
            long_flits,
            long_share: 0.5,
        };
        let order = TrafficError::BimodalOrder {
            short_flits,
            long_flits,
        };
        assert_eq!(same.validate(), Err(order));
    }
}
