//! Tables of comma-separated values, and the terminals that they name.

use super::error::{TrafficFileError, TrafficFileProblem, fail, fail_in_all};
use flitsim_topology::file::{Cell, Problem, Row, Schema, Source, Table, tables};
use flitsim_topology::{FileError, Network, NodeId, NodeNames};

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
pub(crate) fn weight(source: Source<'_>, cell: &Cell<'_>) -> Result<f64, FileError> {
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

    pub(crate) fn name(&self, node: u32) -> String {
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
    pub(crate) fn pair(
        &self,
        source: Source<'_>,
        row: &Row<'_, '_>,
    ) -> Result<[NodeId; 2], TrafficFileError> {
        Ok([
            self.find(source, row.needed(0))?,
            self.find(source, row.needed(1))?,
        ])
    }

    pub(crate) fn missing(&self, source: Source<'_>, node: u32) -> TrafficFileError {
        let problem = TrafficFileProblem::MissingSource {
            name: self.name(node),
            terminals: self.network.terminals(),
        };
        fail_in_all(source, problem)
    }
}
