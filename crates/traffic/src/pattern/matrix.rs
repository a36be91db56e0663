//! A traffic matrix: for each source, the probability of every destination.
//!
//! Invariant: a source's entries are in ascending order of destinations, `below` ascends strictly
//! from 0 within them, and what is drawn is what `demand` says, to the last of 64 bits.

use crate::PatternError;
use crate::file::{TrafficFileError, parse_matrix};
use crate::thresholds::shares;
use flitsim_topology::file::Source;
use flitsim_topology::{Network, NodeId};
use rand::Rng;

/// Who sends how much to whom, as probabilities.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// Where each source's entries begin, and where the last one's end.
    starts: Box<[usize]>,
    destinations: Box<[NodeId]>,
    /// The probability of all entries of the source before this one, in units of 2^-64.
    below: Box<[u64]>,
}

impl Matrix {
    /// How far the weights of a source may be from a sum of 1.
    pub const SUM_TOLERANCE: f64 = 1e-6;

    /// The matrix whose source s sends to d with probability p, for each (d, p) of `rows[s]`, in
    /// any order.
    ///
    /// # Errors
    /// [`PatternError::MatrixRow`] for probabilities that are negative or not finite, or do not sum
    /// to 1 within [`Matrix::SUM_TOLERANCE`]; [`PatternError::OtherTerminals`] for a destination
    /// without a row.
    pub fn new(mut rows: Vec<Vec<(NodeId, f64)>>) -> Result<Self, PatternError> {
        let terminals = rows.len() as u32;
        for (origin, row) in (0u32..).zip(&mut rows) {
            let sum: f64 = row.iter().map(|(_, weight)| weight).sum();
            let is_law = row.iter().all(|(_, weight)| *weight >= 0.0);
            if !(is_law && (sum - 1.0).abs() <= Self::SUM_TOLERANCE) {
                return Err(PatternError::MatrixRow { origin, sum });
            }
            row.sort_by_key(|(destination, _)| *destination);
            row.dedup_by(|again, first| {
                let same = again.0 == first.0;
                if same {
                    first.1 += again.1;
                }
                same
            });
            if let Some((last, _)) = row.last().filter(|(last, _)| last.0 >= terminals) {
                return Err(PatternError::OtherTerminals {
                    pattern: "matrix",
                    given: last.0 + 1,
                    terminals,
                });
            }
        }
        Ok(Self::of_checked(&rows))
    }

    /// The matrix of a file: the header `source,destination,weight`, and a row for each pair of
    /// terminals of `network` with traffic.
    ///
    /// ```
    /// use flitsim_topology::file::Source;
    /// use flitsim_topology::{Ends, Grid};
    /// use flitsim_traffic::Matrix;
    ///
    /// let network = Grid::uniform(2, 1, Ends::Open)?.into_network();
    /// let text = "source,destination,weight\n0,1,1\n1,0,0.7\n1,1,0.2\n";
    /// let error = Matrix::parse(&network, Source { file: "m.csv", text }).unwrap_err();
    /// assert_eq!(error.to_string(), "m.csv:3:1: the weights of source `1` sum to 0.9, not to 1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`TrafficFileError`]: no such table, unknown nodes, switches, negative weights, pairs that
    /// stand twice, sources without a row or whose weights do not sum to 1.
    pub fn parse(network: &Network, source: Source<'_>) -> Result<Self, TrafficFileError> {
        parse_matrix(network, source)
    }

    /// `rows` in ascending order of destinations, each once, whose weights sum to about 1.
    pub(crate) fn of_checked(rows: &[Vec<(NodeId, f64)>]) -> Self {
        let mut starts = vec![0];
        let (mut destinations, mut below) = (Vec::new(), Vec::new());
        for row in rows {
            let weights: Vec<f64> = row.iter().map(|(_, weight)| *weight).collect();
            let mut sum = 0u128;
            for ((destination, _), share) in row.iter().zip(shares(&weights)) {
                // A share of 0 is never drawn; behind the last that is not, the sum is 1.
                if share > 0 {
                    destinations.push(*destination);
                    below.push(sum as u64);
                    sum += share;
                }
            }
            starts.push(destinations.len());
        }
        Self {
            starts: starts.into(),
            destinations: destinations.into(),
            below: below.into(),
        }
    }

    /// Terminals that it is for.
    pub fn terminals(&self) -> u32 {
        (self.starts.len() - 1) as u32
    }

    #[inline]
    pub(super) fn draw<R: Rng + ?Sized>(&self, source: NodeId, rng: &mut R) -> NodeId {
        let (start, end) = (self.starts[source.index()], self.starts[source.index() + 1]);
        let word = rng.next_u64();
        let above = self.below[start..end].partition_point(|&below| below <= word);
        self.destinations[start + above - 1]
    }

    pub(super) fn demand(&self, source: NodeId, visit: &mut dyn FnMut(NodeId, f64)) {
        let range = self.starts[source.index()]..self.starts[source.index() + 1];
        let below = &self.below[range.clone()];
        for (i, destination) in self.destinations[range].iter().enumerate() {
            let end = below.get(i + 1).map_or(1 << 64, |&next| u128::from(next));
            let share = end - u128::from(below[i]);
            visit(*destination, share as f64 / (1u128 << 64) as f64);
        }
    }
}
