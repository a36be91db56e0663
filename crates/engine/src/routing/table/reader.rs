//! What the rows of routing tables and of route lists have in common: nodes by name, the channel
//! to the next node, a virtual channel.

use super::{TableError, TableProblem};
use flitsim_topology::file::{Cell, Problem, Source};
use flitsim_topology::{ChannelId, FileError, Network, NodeId, NodeNames};

/// Reads cells as parts of a network, and says where they are not.
#[derive(Debug)]
pub(super) struct Reader<'n, 's> {
    pub(super) network: &'n Network,
    pub(super) source: Source<'s>,
    pub(super) names: NodeNames<'n>,
    virtual_channels: u32,
}

impl<'n, 's> Reader<'n, 's> {
    pub(super) fn new(network: &'n Network, source: Source<'s>, virtual_channels: u32) -> Self {
        Self {
            network,
            source,
            names: network.node_names(),
            virtual_channels,
        }
    }

    pub(super) fn fail(&self, cell: &Cell<'_>, problem: TableProblem) -> TableError {
        TableError::Table {
            place: self.source.place(cell.offset),
            problem,
        }
    }

    pub(super) fn fail_in_all(&self, problem: TableProblem) -> TableError {
        TableError::Table {
            place: self.source.place_of_all(),
            problem,
        }
    }

    pub(super) fn name(&self, node: NodeId) -> String {
        self.network.name(node).into_owned()
    }

    pub(super) fn node(&self, cell: &Cell<'_>) -> Result<NodeId, FileError> {
        self.names.find(&cell.text).ok_or_else(|| {
            let problem = Problem::UnknownNode {
                name: cell.text.to_string(),
                nearest: self.names.nearest(&cell.text),
            };
            self.source.error(cell.offset, problem)
        })
    }

    /// A node with a terminal, or else what `problem` makes of its name.
    pub(super) fn terminal(
        &self,
        cell: &Cell<'_>,
        problem: impl FnOnce(String) -> TableProblem,
    ) -> Result<NodeId, TableError> {
        let node = self.node(cell)?;
        if node.0 >= self.network.terminals() {
            return Err(self.fail(cell, problem(self.name(node))));
        }
        Ok(node)
    }

    fn number(&self, column: &'static str, cell: &Cell<'_>) -> Result<u32, FileError> {
        cell.text.parse().map_err(|_| {
            let problem = Problem::Value {
                column,
                text: cell.text.to_string(),
                expected: "a whole number, counted from 0",
                nearest: None,
            };
            self.source.error(cell.offset, problem)
        })
    }

    /// The channel from `at` to the node of the cell `next`: the one that `parallel` numbers, or
    /// the first.
    pub(super) fn channel(
        &self,
        at: NodeId,
        next: &Cell<'_>,
        parallel: Option<&Cell<'_>>,
    ) -> Result<ChannelId, TableError> {
        let target = self.node(next)?;
        let number = parallel.map_or(Ok(0), |cell| self.number("parallel", cell))?;
        let found = self.channels(at, target).nth(number as usize);
        found.ok_or_else(|| {
            let problem = self.no_channel(at, target, number);
            self.fail(parallel.unwrap_or(next), problem)
        })
    }

    fn channels(&self, at: NodeId, next: NodeId) -> impl Iterator<Item = ChannelId> {
        let outgoing = self.network.outgoing(at).map(ChannelId);
        outgoing.filter(move |&channel| self.network.target(channel) == next)
    }

    fn no_channel(&self, at: NodeId, next: NodeId, parallel: u32) -> TableProblem {
        let (from, to) = (self.name(at), self.name(next));
        let channels = self.channels(at, next).count() as u32;
        if channels > 0 {
            return TableProblem::NoParallel {
                from,
                to,
                channels,
                parallel,
            };
        }
        let targets = self.network.outgoing(at).map(ChannelId);
        let mut targets: Vec<NodeId> = targets.map(|c| self.network.target(c)).collect();
        targets.sort_unstable();
        targets.dedup();
        let next = targets.into_iter().take(8);
        TableProblem::NoChannel {
            from,
            to,
            next: next.map(|node| self.name(node)).collect(),
        }
    }

    /// The virtual channel that a cell names; `None` where there is no cell.
    pub(super) fn virtual_channel(
        &self,
        cell: Option<&Cell<'_>>,
    ) -> Result<Option<u8>, TableError> {
        let Some(cell) = cell else {
            return Ok(None);
        };
        let vc = self.number("vc", cell)?;
        if vc >= self.virtual_channels {
            let virtual_channels = self.virtual_channels;
            let problem = TableProblem::NoVirtualChannel {
                vc,
                virtual_channels,
            };
            return Err(self.fail(cell, problem));
        }
        Ok(Some(vc as u8))
    }
}
