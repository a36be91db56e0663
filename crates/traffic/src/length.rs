//! How long packets are, in flits.
//!
//! Invariant: a length is drawn from one word by integer thresholds, and the mean that turns loads
//! into packets is that of the same law.

use crate::TrafficError;
use crate::file::{TrafficFileError, parse_histogram};
use crate::thresholds::Thresholds;
use flitsim_topology::file::Source;
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
    pub const FLITS_MOST: u32 = 1 << 20;

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
            Self::Histogram(histogram) => histogram.flits.last().copied().unwrap_or(0),
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
            Self::Histogram(histogram) => {
                let flits = histogram.flits.iter().copied();
                flits.zip(histogram.shares.iter().copied()).collect()
            }
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

/// The law of a histogram of lengths.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// In ascending order.
    flits: Box<[u32]>,
    /// Above 0, with a sum of 1.
    shares: Box<[f64]>,
}

impl Histogram {
    /// The most lengths of a histogram.
    pub const LENGTHS_MOST: usize = 1 << 16;

    /// Packets of the lengths `entries`, each with a weight: the share of the packets that have it,
    /// in any unit. Lengths of weight 0 do not come.
    ///
    /// # Errors
    /// [`TrafficError::PacketLength`], [`TrafficError::RepeatedLength`],
    /// [`TrafficError::LengthWeight`], [`TrafficError::NoLengths`] and
    /// [`TrafficError::TooManyLengths`].
    pub fn new(mut entries: Vec<(u32, f64)>) -> Result<Self, TrafficError> {
        entries.sort_by_key(|(flits, _)| *flits);
        for &(flits, weight) in &entries {
            check_flits(flits)?;
            if !(weight >= 0.0 && weight.is_finite()) {
                return Err(TrafficError::LengthWeight { flits, weight });
            }
        }
        if let Some(pair) = entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(TrafficError::RepeatedLength { flits: pair[0].0 });
        }
        entries.retain(|(_, weight)| *weight > 0.0);
        if entries.is_empty() {
            return Err(TrafficError::NoLengths);
        }
        if entries.len() > Self::LENGTHS_MOST {
            return Err(TrafficError::TooManyLengths {
                lengths: entries.len(),
            });
        }
        let heaviest = entries.iter().fold(0.0, |most: f64, (_, w)| most.max(*w));
        let sum: f64 = entries.iter().map(|(_, weight)| weight / heaviest).sum();
        let share = |weight: f64| weight / heaviest / sum;
        Ok(Self {
            flits: entries.iter().map(|(flits, _)| *flits).collect(),
            shares: entries.iter().map(|(_, weight)| share(*weight)).collect(),
        })
    }

    /// The histogram of a file: the header `flits,weight`, and a row for each length.
    ///
    /// ```
    /// use flitsim_topology::file::Source;
    /// use flitsim_traffic::Histogram;
    ///
    /// let text = "flits,weight\n1,3\n5,1\n";
    /// let histogram = Histogram::parse(Source { file: "lengths.csv", text })?;
    /// assert_eq!(histogram.mean_flits(), 2.0);
    /// # Ok::<(), flitsim_traffic::TrafficFileError>(())
    /// ```
    ///
    /// # Errors
    /// [`TrafficFileError`], with its line: no table, or one of [`Histogram::new`].
    pub fn parse(source: Source<'_>) -> Result<Self, TrafficFileError> {
        parse_histogram(source)
    }

    /// The mean length, in flits.
    pub fn mean_flits(&self) -> f64 {
        let parts = self.flits.iter().zip(&self.shares);
        parts.map(|(flits, share)| f64::from(*flits) * share).sum()
    }
}

fn check_flits(flits: u32) -> Result<(), TrafficError> {
    match (1..=PacketLength::FLITS_MOST).contains(&flits) {
        true => Ok(()),
        false => Err(TrafficError::PacketLength { flits }),
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
