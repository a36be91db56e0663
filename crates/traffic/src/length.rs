//! How long packets are, in flits.

use crate::TrafficError;
use crate::stream::Draws;

/// The lengths of packets.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PacketLength {
    /// Every packet has this many flits, from 1 to [`PacketLength::FLITS_MOST`].
    Fixed(u32),
}

impl PacketLength {
    /// The longest packet.
    pub const FLITS_MOST: u32 = 1 << 20;

    /// The mean length in flits: a load of so many flits is one packet.
    pub fn mean_flits(&self) -> f64 {
        match *self {
            Self::Fixed(flits) => f64::from(flits),
        }
    }

    /// Checks the lengths.
    ///
    /// # Errors
    /// [`TrafficError::PacketLength`] for a length that is 0 or above
    /// [`PacketLength::FLITS_MOST`].
    pub fn validate(&self) -> Result<(), TrafficError> {
        match *self {
            Self::Fixed(flits) if flits == 0 || flits > Self::FLITS_MOST => {
                Err(TrafficError::PacketLength { flits })
            }
            Self::Fixed(_) => Ok(()),
        }
    }

    /// The length of the next packet, in flits.
    #[inline]
    pub(crate) fn draw(&self, draws: &mut Draws) -> u32 {
        match *self {
            Self::Fixed(flits) => {
                let _ = draws;
                flits
            }
        }
    }
}
