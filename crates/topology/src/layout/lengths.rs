//! The wire lengths of a network together.

use crate::{ChannelId, Network};
use std::collections::BTreeMap;

/// Whole lengths below this many pitches are counted in a table.
const TABLE_PITCHES: usize = 1 << 12;

/// The lengths of all channels of a network, in node pitches.
#[derive(Clone, Debug, PartialEq)]
pub struct WireLengths {
    /// The shortest; 0 where there are no channels.
    pub min_pitches: f64,
    /// The mean over all channels; 0 where there are none.
    pub mean_pitches: f64,
    /// The longest; 0 where there are no channels.
    pub max_pitches: f64,
    /// The sum over all channels: a link counts twice.
    pub total_pitches: f64,
    /// Every length that occurs with the channels of it, ascending.
    pub counts: Vec<(f32, u64)>,
}

impl WireLengths {
    /// The lengths of the channels of `network`.
    pub fn of(network: &Network) -> Self {
        let mut table = vec![0u64; TABLE_PITCHES];
        // By their bits: lengths are not negative, and the bits of such numbers ascend with them.
        let mut others: BTreeMap<u32, u64> = BTreeMap::new();
        for channel in (0..network.channels()).map(ChannelId) {
            // The sum turns a zero below zero into the other one.
            let length = network.length_pitches(channel) + 0.0;
            match table.get_mut(length as usize) {
                Some(count) if length.fract() == 0.0 => *count += 1,
                _ => *others.entry(length.to_bits()).or_default() += 1,
            }
        }
        let whole = (0u16..).zip(table).filter(|&(_, count)| count > 0);
        let mut counts: Vec<(f32, u64)> = whole
            .map(|(length, count)| (f32::from(length), count))
            .chain(
                others
                    .into_iter()
                    .map(|(bits, n)| (f32::from_bits(bits), n)),
            )
            .collect();
        counts.sort_by(|a, b| a.0.total_cmp(&b.0));
        let total: f64 = counts.iter().map(|&(l, n)| f64::from(l) * n as f64).sum();
        let end = |entry: Option<&(f32, u64)>| entry.map_or(0.0, |&(length, _)| f64::from(length));
        Self {
            min_pitches: end(counts.first()),
            mean_pitches: total / f64::from(network.channels().max(1)),
            max_pitches: end(counts.last()),
            total_pitches: total,
            counts,
        }
    }
}
