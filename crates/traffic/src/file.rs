//! Traffic that a file says: permutations, matrices and histograms of lengths, as tables of
//! comma-separated values in the form of channel lists (`flitsim_topology::file`).
//!
//! | table | columns | a row for |
//! | --- | --- | --- |
//! | permutation | `source,destination` | each terminal |
//! | traffic matrix | `source,destination,weight` | each pair with traffic |
//! | histogram | `flits,weight` | each length |
//!
//! Traces have a module of their own.
//!
//! Nodes go by the names of the network. Invariant: whatever is wrong has the line that is at fault.

use crate::pattern::Matrix;
use crate::trace::TraceProblem;
use crate::{Histogram, PacketLength};
use flitsim_topology::file::{Cell, Place, Problem, Row, Schema, Source, Table, tables};
use flitsim_topology::{FileError, Network, NodeId, NodeNames};

/// A file of traffic that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrafficFileError {
    /// The file is no such table, or speaks of nodes that are not there.
    #[error(transparent)]
    File(#[from] FileError),
    /// What the table says cannot be.
    #[error("{place}: {problem}")]
    Traffic {
        /// Where it is wrong.
        place: Place,
        /// What is wrong there.
        problem: TrafficFileProblem,
    },
    /// What a trace says cannot be.
    #[error("{place}: {problem}")]
    Trace {
        /// Where it is wrong.
        place: Place,
        /// What is wrong there.
        problem: TraceProblem,
    },
}

/// What is wrong with a file of traffic.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrafficFileProblem {
    /// A node that neither sends nor receives.
    #[error("`{name}` is a switch: only terminals send and receive")]
    NotATerminal {
        /// The node.
        name: String,
    },
    /// A source with two destinations.
    #[error("`{name}` is a source here again; it is in line {first_line} already")]
    RepeatedSource {
        /// The source.
        name: String,
        /// Its first line.
        first_line: u32,
    },
    /// A destination of two sources.
    #[error(
        "`{name}` is a destination here again; it is in line {first_line} already (the pattern \
         `matrix` allows that)"
    )]
    RepeatedDestination {
        /// The destination.
        name: String,
        /// Its first line.
        first_line: u32,
    },
    /// A pair that stands twice.
    #[error(
        "the traffic from `{source_name}` to `{destination}` stands here again; it is in line \
         {first_line} already"
    )]
    RepeatedPair {
        /// The terminal that sends.
        source_name: String,
        /// The terminal that receives.
        destination: String,
        /// The pair's first line.
        first_line: u32,
    },
    /// A terminal that sends nothing.
    #[error("no row has the source `{name}`: all {terminals} terminals send, each the same load")]
    MissingSource {
        /// The terminal.
        name: String,
        /// Terminals there are.
        terminals: u32,
    },
    /// Probabilities that are none.
    #[error("the weights of source `{name}` sum to {sum}, not to 1")]
    RowSum {
        /// The source.
        name: String,
        /// The sum.
        sum: f64,
    },
    /// A length that stands twice.
    #[error("{flits} flits stand here again; they are in line {first_line} already")]
    RepeatedLength {
        /// The length.
        flits: u32,
        /// Its first line.
        first_line: u32,
    },
    /// More lengths than a histogram holds.
    #[error(
        "{lengths} lengths are too many; the limit is {}",
        Histogram::LENGTHS_MOST
    )]
    TooManyLengths {
        /// The lengths with a weight above 0.
        lengths: usize,
    },
    /// Nothing to draw.
    #[error("no length has a weight above 0")]
    NoLengths,
}

/// A problem at a place of `source`.
fn fail(source: Source<'_>, offset: usize, problem: TrafficFileProblem) -> TrafficFileError {
    TrafficFileError::Traffic {
        place: source.place(offset),
        problem,
    }
}

fn fail_in_all(source: Source<'_>, problem: TrafficFileProblem) -> TrafficFileError {
    TrafficFileError::Traffic {
        place: source.place_of_all(),
        problem,
    }
}

/// The one table of `source`.
pub(crate) fn only_table<'a>(
    source: Source<'a>,
    schema: &Schema,
    expected: &'static str,
) -> Result<Table<'a>, FileError> {
    let ranges = tables(source, &[schema], expected)?;
    if let Some((_, second)) = ranges.get(1) {
        let table = schema.table;
        return Err(source.error(second.start, Problem::SecondTable { table }));
    }
    let all = ranges.into_iter().next().map_or(0..0, |(_, range)| range);
    Table::open(source, all, schema)
}

/// A weight: a finite number that is 0 or more.
fn weight(source: Source<'_>, cell: &Cell<'_>) -> Result<f64, FileError> {
    let weight: Option<f64> = cell.text.parse().ok();
    weight
        .filter(|weight| *weight >= 0.0 && weight.is_finite())
        .ok_or_else(|| {
            source.error(
                cell.offset,
                Problem::Value {
                    column: "weight",
                    text: cell.text.to_string(),
                    expected: "a number, 0 or more",
                    nearest: None,
                },
            )
        })
}

/// The terminals of a network by name.
pub(crate) struct Terminals<'n> {
    network: &'n Network,
    names: NodeNames<'n>,
}

impl<'n> Terminals<'n> {
    pub(crate) fn of(network: &'n Network) -> Self {
        Self {
            network,
            names: network.node_names(),
        }
    }

    fn name(&self, node: u32) -> String {
        self.network.name(NodeId(node)).into_owned()
    }

    /// The terminal that `cell` names.
    pub(crate) fn find(
        &self,
        source: Source<'_>,
        cell: &Cell<'_>,
    ) -> Result<NodeId, TrafficFileError> {
        let Some(node) = self.names.find(&cell.text) else {
            let problem = Problem::UnknownNode {
                name: cell.text.to_string(),
                nearest: self.names.nearest(&cell.text),
            };
            return Err(source.error(cell.offset, problem).into());
        };
        if node.0 >= self.network.terminals() {
            let name = cell.text.to_string();
            let problem = TrafficFileProblem::NotATerminal { name };
            return Err(fail(source, cell.offset, problem));
        }
        Ok(node)
    }

    /// The source and the destination of a row.
    fn pair(&self, source: Source<'_>, row: &Row<'_, '_>) -> Result<[NodeId; 2], TrafficFileError> {
        Ok([
            self.find(source, row.needed(0))?,
            self.find(source, row.needed(1))?,
        ])
    }

    fn missing(&self, source: Source<'_>, node: u32) -> TrafficFileError {
        let problem = TrafficFileProblem::MissingSource {
            name: self.name(node),
            terminals: self.network.terminals(),
        };
        fail_in_all(source, problem)
    }
}

/// Not yet seen.
const NOWHERE: usize = usize::MAX;

/// The destination of each terminal of `network`, by source: the table `source,destination`.
///
/// # Errors
/// [`TrafficFileError`]: no such table, unknown nodes, switches, terminals that are not exactly once
/// a source and once a destination.
pub fn parse_permutation(
    network: &Network,
    source: Source<'_>,
) -> Result<Box<[NodeId]>, TrafficFileError> {
    const SCHEMA: Schema = Schema {
        table: "permutation",
        columns: &["source", "destination"],
        needed: 2,
    };
    let mut table = only_table(source, &SCHEMA, "the header `source,destination`")?;
    let terminals = Terminals::of(network);
    let count = network.terminals() as usize;
    // Where each node was a source, and a destination.
    let mut seen = [vec![NOWHERE; count], vec![NOWHERE; count]];
    let mut destination_of = vec![NodeId(0); count];
    while let Some(row) = table.next_row()? {
        let pair = terminals.pair(source, &row)?;
        for (column, node) in pair.into_iter().enumerate() {
            let first = std::mem::replace(&mut seen[column][node.index()], row.offset);
            if first == NOWHERE {
                continue;
            }
            let (name, first_line) = (terminals.name(node.0), source.place(first).line);
            let problem = match column {
                0 => TrafficFileProblem::RepeatedSource { name, first_line },
                _ => TrafficFileProblem::RepeatedDestination { name, first_line },
            };
            return Err(fail(source, row.needed(column).offset, problem));
        }
        destination_of[pair[0].index()] = pair[1];
    }
    match seen[0].iter().position(|&at| at == NOWHERE) {
        Some(node) => Err(terminals.missing(source, node as u32)),
        None => Ok(destination_of.into_boxed_slice()),
    }
}

/// The traffic matrix of `network`: the table `source,destination,weight`.
pub(crate) fn parse_matrix(
    network: &Network,
    source: Source<'_>,
) -> Result<Matrix, TrafficFileError> {
    const SCHEMA: Schema = Schema {
        table: "traffic matrix",
        columns: &["source", "destination", "weight"],
        needed: 3,
    };
    let mut table = only_table(source, &SCHEMA, "the header `source,destination,weight`")?;
    let terminals = Terminals::of(network);
    let mut entries: Vec<([NodeId; 2], usize, f64)> = Vec::new();
    while let Some(row) = table.next_row()? {
        let pair = terminals.pair(source, &row)?;
        entries.push((pair, row.offset, weight(source, row.needed(2))?));
    }
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
    let mut first_offset = vec![NOWHERE; rows.len()];
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

/// The histogram of lengths: the table `flits,weight`.
pub(crate) fn parse_histogram(source: Source<'_>) -> Result<Histogram, TrafficFileError> {
    const SCHEMA: Schema = Schema {
        table: "histogram of lengths",
        columns: &["flits", "weight"],
        needed: 2,
    };
    let mut table = only_table(source, &SCHEMA, "the header `flits,weight`")?;
    let mut entries: Vec<(u32, usize, f64)> = Vec::new();
    while let Some(row) = table.next_row()? {
        let cell = row.needed(0);
        let flits = cell.text.parse().ok();
        let flits = flits.filter(|flits| (1..=PacketLength::FLITS_MOST).contains(flits));
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
    }
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
