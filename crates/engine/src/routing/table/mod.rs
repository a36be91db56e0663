//! Routing by a table that the user gives: at a node, for a destination, the next node.
//!
//! ```csv
//! at,destination,next,vc
//! a,c,b,0
//! b,c,c,
//! ```
//!
//! The names are those of the network. `vc` is the one virtual channel that may be claimed there;
//! without it, any. Between two nodes with several channels, `parallel` counts them from 0 in the
//! order of their identifiers; without it the first is taken. The form of the file is that of
//! channel lists (`flitsim_topology::file`).
//!
//! Invariant: the table leads from every terminal to every other. Whether it is free of deadlock
//! is not seen here, but by enumeration of its dependencies.

mod error;

pub use error::{TableError, TableProblem};

use super::{Candidate, Candidates, Head, Routing, VcMask, all_virtual_channels, vc_range};
use crate::ConfigError;
use flitsim_topology::file::{self, Cell, Problem, Row, Schema, Source};
use flitsim_topology::{ChannelId, FileError, Network, NodeId, NodeNames};

const NAME: &str = "table";

const SCHEMA: Schema = Schema {
    table: "routing table",
    columns: &["at", "destination", "next", "vc", "parallel"],
    needed: 3,
};

const EXPECTED: &str = "the header `at,destination,next[,vc,parallel]`";

/// The most entries of the table, of two or three bytes each.
const ENTRIES_LIMIT: u64 = 1 << 28;

/// No way on.
const NONE: u16 = u16::MAX;

/// Any virtual channel.
const ANY: u8 = u8::MAX;

/// Routing by a table.
#[derive(Debug)]
pub struct Table<'n> {
    network: &'n Network,
    /// The local output, by destination and node.
    next: Vec<u16>,
    /// The virtual channel, by destination and node; empty where none is given.
    vc: Vec<u8>,
    all: VcMask,
    virtual_channels: u32,
}

impl<'n> Table<'n> {
    /// Reads the table of `source` for `network` with `virtual_channels` virtual channels a channel.
    ///
    /// # Errors
    /// [`TableError`]: the file is not a routing table of this network, or leaves a terminal that
    /// another cannot reach.
    pub fn parse(
        network: &'n Network,
        source: Source<'_>,
        virtual_channels: u32,
    ) -> Result<Self, TableError> {
        let mut table = Self::empty(network, virtual_channels)?;
        let ranges = file::tables(source, &[&SCHEMA], EXPECTED)?;
        if let Some((_, second)) = ranges.get(1) {
            let table = SCHEMA.table;
            return Err(source
                .error(second.start, Problem::SecondTable { table })
                .into());
        }
        let names = network.node_names();
        for (_, range) in ranges {
            let mut rows = file::Table::open(source, range, &SCHEMA)?;
            while let Some(row) = rows.next_row()? {
                table.enter(source, &names, &row)?;
            }
        }
        table.check(source)?;
        Ok(table)
    }

    fn empty(network: &'n Network, virtual_channels: u32) -> Result<Self, ConfigError> {
        all_virtual_channels(virtual_channels)?;
        let (terminals, nodes) = (network.terminals(), network.nodes());
        let entries = u64::from(terminals) * u64::from(nodes);
        if entries > ENTRIES_LIMIT {
            return Err(ConfigError::TablesTooLarge {
                algorithm: NAME,
                terminals,
                nodes,
                mebibytes: entries >> 19,
                limit_mebibytes: ENTRIES_LIMIT >> 19,
            });
        }
        Ok(Self {
            network,
            next: vec![NONE; entries as usize],
            vc: Vec::new(),
            all: vc_range(0, virtual_channels),
            virtual_channels,
        })
    }

    fn enter(
        &mut self,
        source: Source<'_>,
        names: &NodeNames<'_>,
        row: &Row<'_, '_>,
    ) -> Result<(), TableError> {
        let fail = |cell: &Cell<'_>, problem| TableError::Table {
            place: source.place(cell.offset),
            problem,
        };
        let [at_cell, destination_cell, next_cell] = [0, 1, 2].map(|column| row.needed(column));
        let at = find(source, names, at_cell)?;
        let destination = find(source, names, destination_cell)?;
        let next = find(source, names, next_cell)?;
        let name = self.network.name(destination).into_owned();
        if destination.0 >= self.network.terminals() {
            return Err(fail(destination_cell, TableProblem::NotATerminal { name }));
        }
        if at == destination {
            return Err(fail(at_cell, TableProblem::AtDestination { name }));
        }
        let parallel = row
            .get(4)
            .map_or(Ok(0), |cell| number(source, "parallel", cell))?;
        let Some(output) = self.output(at, next, parallel) else {
            let problem = self.no_channel(at, next, parallel);
            return Err(fail(row.get(4).unwrap_or(next_cell), problem));
        };
        let entry = self.entry(destination, at);
        if self.next[entry] != NONE {
            let problem = TableProblem::Repeated {
                at: self.network.name(at).into_owned(),
                destination: name,
                first_line: first_line(source, names, at, destination)?,
            };
            return Err(fail(at_cell, problem));
        }
        self.next[entry] = output;
        if let Some(cell) = row.get(3) {
            let vc = number(source, "vc", cell)?;
            if vc >= self.virtual_channels {
                let virtual_channels = self.virtual_channels;
                let problem = TableProblem::NoVirtualChannel {
                    vc,
                    virtual_channels,
                };
                return Err(fail(cell, problem));
            }
            self.vc.resize(self.next.len(), ANY);
            self.vc[entry] = vc as u8;
        }
        Ok(())
    }

    #[inline]
    fn entry(&self, destination: NodeId, at: NodeId) -> usize {
        destination.index() * self.network.nodes() as usize + at.index()
    }

    /// The channels from `at` to `next`, as local outputs.
    fn outputs(&self, at: NodeId, next: NodeId) -> impl Iterator<Item = u32> {
        let outgoing = self.network.outgoing(at);
        let first = outgoing.start;
        outgoing
            .filter(move |&channel| self.network.target(ChannelId(channel)) == next)
            .map(move |channel| channel - first)
    }

    fn output(&self, at: NodeId, next: NodeId, parallel: u32) -> Option<u16> {
        let output = self.outputs(at, next).nth(parallel as usize)?;
        u16::try_from(output).ok().filter(|&output| output != NONE)
    }

    fn no_channel(&self, at: NodeId, next: NodeId, parallel: u32) -> TableProblem {
        let name = |node| self.network.name(node).into_owned();
        let (from, to) = (name(at), name(next));
        let channels = self.outputs(at, next).count() as u32;
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
        let next = targets.into_iter().take(8).map(name).collect();
        TableProblem::NoChannel { from, to, next }
    }

    /// Follows the table from every terminal to every other.
    fn check(&self, source: Source<'_>) -> Result<(), TableError> {
        let network = self.network;
        // By node, for the destination at hand: the terminal whose walk came by.
        let mut seen_from = vec![u32::MAX; network.nodes() as usize];
        let fail = |problem| TableError::Table {
            place: source.place_of_all(),
            problem,
        };
        let name = |node| network.name(node).into_owned();
        for destination in (0..network.terminals()).map(NodeId) {
            seen_from.fill(u32::MAX);
            for start in (0..network.terminals()).map(NodeId) {
                let mut at = start;
                while at != destination && seen_from[at.index()] == u32::MAX {
                    seen_from[at.index()] = start.0;
                    let output = self.next[self.entry(destination, at)];
                    if output == NONE {
                        return Err(fail(TableProblem::Missing {
                            at: name(at),
                            destination: name(destination),
                            source_name: name(start),
                        }));
                    }
                    let channel = network.outgoing(at).start + u32::from(output);
                    at = network.target(ChannelId(channel));
                }
                // A walk that meets an earlier one arrives with it; one that meets itself does not.
                if at != destination && seen_from[at.index()] == start.0 {
                    return Err(fail(TableProblem::Endless {
                        at: name(at),
                        destination: name(destination),
                    }));
                }
            }
        }
        Ok(())
    }
}

fn find(source: Source<'_>, names: &NodeNames<'_>, cell: &Cell<'_>) -> Result<NodeId, FileError> {
    names.find(&cell.text).ok_or_else(|| {
        let problem = Problem::UnknownNode {
            name: cell.text.to_string(),
            nearest: names.nearest(&cell.text),
        };
        source.error(cell.offset, problem)
    })
}

fn number(source: Source<'_>, column: &'static str, cell: &Cell<'_>) -> Result<u32, FileError> {
    cell.text.parse().map_err(|_| {
        let problem = Problem::Value {
            column,
            text: cell.text.to_string(),
            expected: "a whole number, counted from 0",
            nearest: None,
        };
        source.error(cell.offset, problem)
    })
}

/// The line of the first row for `at` and `destination`, once a second one is found.
fn first_line(
    source: Source<'_>,
    names: &NodeNames<'_>,
    at: NodeId,
    destination: NodeId,
) -> Result<u32, FileError> {
    for (_, range) in file::tables(source, &[&SCHEMA], EXPECTED)? {
        let mut rows = file::Table::open(source, range, &SCHEMA)?;
        while let Some(row) = rows.next_row()? {
            let ends = [0, 1].map(|column| names.find(&row.needed(column).text));
            if ends == [Some(at), Some(destination)] {
                return Ok(source.place(row.offset).line);
            }
        }
    }
    Ok(0)
}

impl Routing for Table<'_> {
    const DETERMINISTIC: bool = true;

    #[inline]
    fn choices(&self, _: NodeId, _: NodeId) -> u32 {
        1
    }

    #[inline]
    fn initial(&self, _: NodeId, _: NodeId, _: u32) -> u64 {
        0
    }

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        let entry = self.entry(head.destination, head.node);
        let output = self.next[entry];
        if output == NONE {
            return;
        }
        let vcs = match self.vc.get(entry) {
            Some(&vc) if vc != ANY => 1 << vc,
            _ => self.all,
        };
        let first = self.network.outgoing(head.node).start;
        candidates.push(Candidate {
            channel: ChannelId(first + u32::from(output)),
            vcs,
            priority: 0,
        });
    }
}
