//! A traffic matrix: for each source, the probability of every destination.
//!
//! Invariant: a source's entries are in ascending order of destinations, `below` ascends strictly
//! from 0 within them, and what is drawn is what `demand` says, to the last of 64 bits.

use super::law::{Context, Kind, Law, in_file};
use super::permutation::{PATH, check_terminals};
use crate::PatternError;
use crate::file::{Terminals, TrafficFileError, TrafficFileProblem, fail, only_table, weight};
use crate::thresholds::shares;
use flitsim_keys::{Description, Fault, Values};
use flitsim_topology::file::{Schema, Source};
use flitsim_topology::{Network, NodeId};
use rand::Rng;
use std::sync::Arc;

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
    pub fn new(rows: Vec<Vec<(NodeId, f64)>>) -> Result<Self, PatternError> {
        Self::of("matrix", rows)
    }

    /// The same for the pattern called `pattern`.
    pub(super) fn of(
        pattern: &'static str,
        mut rows: Vec<Vec<(NodeId, f64)>>,
    ) -> Result<Self, PatternError> {
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
                    pattern,
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
    /// use flitsim_topology::file::{Schema, Source};
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
    fn of_checked(rows: &[Vec<(NodeId, f64)>]) -> Self {
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
}

impl Kind for Arc<Matrix> {
    const KEYS: &'static [Description] = &const { [PATH.described()] };

    type Law = Self;

    fn read(values: &Values, context: &Context<'_>) -> Result<Self, Fault> {
        let file = values.get(&PATH);
        let matrix = Matrix::parse(context.network.whole(), Source::from(&*file));
        let help = "a traffic matrix has the header `source,destination,weight`; the weights of each \
                    terminal's destinations are probabilities that sum to 1";
        let matrix = matrix.map_err(|error| in_file(values, PATH.name(), &error, help))?;
        Ok(Self::new(matrix))
    }

    fn compile(&self, network: &Network) -> Result<Self, PatternError> {
        check_terminals("matrix", self.terminals(), network.terminals())?;
        Ok(Self::clone(self))
    }
}

impl Law for Arc<Matrix> {
    #[inline]
    fn draw<R: Rng + ?Sized>(&self, source: NodeId, rng: &mut R) -> NodeId {
        let (start, end) = (self.starts[source.index()], self.starts[source.index() + 1]);
        let word = rng.next_u64();
        let above = self.below[start..end].partition_point(|&below| below <= word);
        self.destinations[start + above - 1]
    }

    fn demand(&self, source: NodeId, visit: &mut dyn FnMut(NodeId, f64)) {
        let range = self.starts[source.index()]..self.starts[source.index() + 1];
        let below = &self.below[range.clone()];
        for (i, destination) in self.destinations[range].iter().enumerate() {
            let end = below.get(i + 1).map_or(1 << 64, |&next| u128::from(next));
            let share = end - u128::from(below[i]);
            visit(*destination, share as f64 / (1u128 << 64) as f64);
        }
    }
}

/// The traffic matrix of `network`: the table `source,destination,weight`.
fn parse_matrix(network: &Network, source: Source<'_>) -> Result<Matrix, TrafficFileError> {
    const SCHEMA: Schema = Schema {
        table: "traffic matrix",
        columns: &["source", "destination", "weight"],
        needed: 3,
    };
    let mut table = only_table(source, &SCHEMA, "the header `source,destination,weight`")?;
    let terminals = Terminals::of(network);
    let mut entries: Vec<([NodeId; 2], usize, f64)> = Vec::new();
    table.for_each_row(|row| -> Result<(), TrafficFileError> {
        let pair = terminals.pair(source, row)?;
        entries.push((pair, row.offset, weight(source, row.needed(2))?));
        Ok(())
    })?;
    // Rows of the file may come in any order; by offset the second of a pair is the one at fault.
    entries.sort_unstable_by_key(|(pair, offset, _)| (*pair, *offset));
    if let Some(twice) = entries.windows(2).find(|two| two[0].0 == two[1].0) {
        let ([from, to], second, _) = twice[1];
        let problem = TrafficFileProblem::RepeatedPair {
            source_name: terminals.name(from.0),
            destination: terminals.name(to.0),
            first_line: source.place(twice[0].1).line,
        };
        return Err(fail(source, second, problem));
    }
    let mut rows = vec![Vec::new(); network.terminals() as usize];
    let mut first_offset = vec![usize::MAX; rows.len()];
    for ([from, to], offset, weight) in entries {
        rows[from.index()].push((to, weight));
        let first = &mut first_offset[from.index()];
        *first = offset.min(*first);
    }
    for (node, (row, offset)) in rows.iter().zip(first_offset).enumerate() {
        if row.is_empty() {
            return Err(terminals.missing(source, node as u32));
        }
        let sum: f64 = row.iter().map(|(_, weight)| weight).sum();
        if (sum - 1.0).abs() > Matrix::SUM_TOLERANCE {
            let name = terminals.name(node as u32);
            // As people write it: 0.9, not 0.8999999999999999.
            let sum = (sum * 1e9).round() / 1e9;
            let problem = TrafficFileProblem::RowSum { name, sum };
            return Err(fail(source, offset, problem));
        }
    }
    Ok(Matrix::of_checked(&rows))
}
