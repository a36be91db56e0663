//! A histogram of lengths.

use crate::TrafficError;
use crate::file::{
    LENGTHS_MOST, TrafficFileError, TrafficFileProblem, fail, fail_in_all, only_table, weight,
};
use flitsim_topology::file::{Problem, Schema, Source};

/// The longest packet, in flits.
pub(super) const FLITS_MOST: u32 = 1 << 20;

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
    pub const LENGTHS_MOST: usize = LENGTHS_MOST;

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

    /// The longest packet, in flits.
    pub(super) fn longest_flits(&self) -> u32 {
        self.flits.last().copied().unwrap_or(0)
    }

    /// Every length in ascending order, with the share of the packets that have it.
    pub(super) fn shares(&self) -> impl Iterator<Item = (u32, f64)> {
        self.flits.iter().copied().zip(self.shares.iter().copied())
    }

    /// The mean length, in flits.
    pub fn mean_flits(&self) -> f64 {
        let parts = self.flits.iter().zip(&self.shares);
        parts.map(|(flits, share)| f64::from(*flits) * share).sum()
    }
}

pub(super) fn check_flits(flits: u32) -> Result<(), TrafficError> {
    match (1..=FLITS_MOST).contains(&flits) {
        true => Ok(()),
        false => Err(TrafficError::PacketLength { flits }),
    }
}

/// The histogram of lengths: the table `flits,weight`.
fn parse_histogram(source: Source<'_>) -> Result<Histogram, TrafficFileError> {
    const SCHEMA: Schema = Schema {
        table: "histogram of lengths",
        columns: &["flits", "weight"],
        needed: 2,
    };
    let mut table = only_table(source, &SCHEMA, "the header `flits,weight`")?;
    let mut entries: Vec<(u32, usize, f64)> = Vec::new();
    table.for_each_row(|row| -> Result<(), TrafficFileError> {
        let cell = row.needed(0);
        let flits = cell.text.parse().ok();
        let flits = flits.filter(|flits| (1..=FLITS_MOST).contains(flits));
        let Some(flits) = flits else {
            let problem = Problem::Value {
                column: "length",
                text: cell.text.to_string(),
                expected: "a whole number from 1 to 1,048,576",
                nearest: None,
            };
            return Err(source.error(cell.offset, problem).into());
        };
        entries.push((flits, cell.offset, weight(source, row.needed(1))?));
        Ok(())
    })?;
    entries.sort_unstable_by_key(|(flits, offset, _)| (*flits, *offset));
    if let Some(twice) = entries.windows(2).find(|two| two[0].0 == two[1].0) {
        let (flits, second, _) = twice[1];
        let first_line = source.place(twice[0].1).line;
        let problem = TrafficFileProblem::RepeatedLength { flits, first_line };
        return Err(fail(source, second, problem));
    }
    let lengths = entries.iter().filter(|(_, _, weight)| *weight > 0.0);
    let lengths = lengths.count();
    // All that is left of what can be wrong.
    Histogram::new(entries.iter().map(|(flits, _, w)| (*flits, *w)).collect()).map_err(|_| {
        let problem = match lengths {
            0 => TrafficFileProblem::NoLengths,
            _ => TrafficFileProblem::TooManyLengths { lengths },
        };
        fail_in_all(source, problem)
    })
}
