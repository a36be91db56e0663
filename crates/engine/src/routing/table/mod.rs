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
mod reader;
mod source;

pub use error::{TableError, TableProblem};
pub use source::SourceRoutes;
pub(super) use source::{ROUTING as SOURCE, build as build_source};

use crate::ConfigError;
use crate::routing::description::{Description, Needs, Site, Spread, fits_last, one};
use crate::routing::options::OptionKey;
use crate::routing::relation::{Candidates, Head, Routing, VcMask, all_virtual_channels, vc_range};
use crate::routing::tables;
use flitsim_topology::file::{self, Problem, Row, Schema, Source};
use flitsim_topology::memory::bytes_of;
use flitsim_topology::{ChannelId, FileError, Network, NodeId};
use reader::Reader;
use std::sync::Arc;

/// What the registry knows of it.
pub(in crate::routing) const ROUTING: Description = Description {
    name: "table",
    keys: &[OptionKey::Path, OptionKey::Escape],
    fits: fits_last,
    needs: Needs::Paths,
    virtual_channels_min: one,
    is_minimal: false,
    spread: Spread::Fixed,
    escape_vcs: None,
};

/// The relation that `site` asks for.
pub(in crate::routing) fn build<'n>(site: &Site<'n, '_>) -> Result<Table<'n>, ConfigError> {
    let (network, vcs) = (site.network, site.virtual_channels);
    let build = || Entries::parse(network, routes(site)?, vcs);
    let entries = site.tables.get(vcs, build).map_err(of_file)?;
    Ok(Table { network, entries })
}

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
#[derive(Clone, Debug)]
pub struct Table<'n> {
    network: &'n Network,
    entries: Arc<Entries>,
}

/// The entries of a table.
#[derive(Debug)]
struct Entries {
    nodes: u32,
    /// The local output, by destination and node.
    next: Vec<u16>,
    /// The virtual channel, by destination and node; empty where none is given.
    vc: Vec<u8>,
    all: VcMask,
}

impl tables::Table for Entries {
    fn bytes(&self) -> u64 {
        bytes_of(&self.next) + bytes_of(&self.vc)
    }
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
        let entries = Arc::new(Entries::parse(network, source, virtual_channels)?);
        Ok(Self { network, entries })
    }
}

impl Entries {
    fn parse(
        network: &Network,
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
        let reader = Reader::new(network, source, virtual_channels);
        for (_, range) in ranges {
            let mut rows = file::Table::open(source, range, &SCHEMA)?;
            rows.for_each_row(|row| table.enter(&reader, row))?;
        }
        table.check(&reader)?;
        Ok(table)
    }

    fn empty(network: &Network, virtual_channels: u32) -> Result<Self, ConfigError> {
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
            nodes,
            next: vec![NONE; entries as usize],
            vc: Vec::new(),
            all: vc_range(0, virtual_channels),
        })
    }

    fn enter(&mut self, reader: &Reader<'_, '_>, row: &Row<'_, '_>) -> Result<(), TableError> {
        let [at_cell, destination_cell, next_cell] = [0, 1, 2].map(|column| row.needed(column));
        let at = reader.node(at_cell)?;
        let not_a_terminal = |name| TableProblem::NotATerminal { name };
        let destination = reader.terminal(destination_cell, not_a_terminal)?;
        if at == destination {
            let name = reader.name(at);
            return Err(reader.fail(at_cell, TableProblem::AtDestination { name }));
        }
        let network = reader.network;
        if !network.is_living(at) || !network.is_living(destination) {
            // A table of the whole network is as good as one that leaves these rows out.
            return Ok(());
        }
        let channel = reader.channel(at, next_cell, row.get(4))?;
        let output = channel.0 - network.outgoing(at).start;
        let Some(output) = u16::try_from(output).ok().filter(|&o| o != NONE) else {
            return Err(ConfigError::routing(format!(
                "a table numbers up to 65,535 channels out of a node; `{}` has more",
                reader.name(at)
            ))
            .into());
        };
        let entry = self.entry(destination, at);
        if self.next[entry] != NONE {
            let problem = TableProblem::Repeated {
                at: reader.name(at),
                destination: reader.name(destination),
                first_line: first_line(reader, at, destination)?,
            };
            return Err(reader.fail(at_cell, problem));
        }
        self.next[entry] = output;
        if let Some(vc) = reader.virtual_channel(row.get(3))? {
            self.vc.resize(self.next.len(), ANY);
            self.vc[entry] = vc;
        }
        Ok(())
    }

    #[inline]
    fn entry(&self, destination: NodeId, at: NodeId) -> usize {
        destination.index() * self.nodes as usize + at.index()
    }

    /// Follows the table from every terminal to every other.
    fn check(&self, reader: &Reader<'_, '_>) -> Result<(), TableError> {
        let network = reader.network;
        // By node, for the destination at hand: the terminal whose walk came by.
        let mut seen_from = vec![u32::MAX; network.nodes() as usize];
        let fail = |problem| reader.fail_in_all(problem);
        let name = |node| reader.name(node);
        for destination in network.living_terminals() {
            seen_from.fill(u32::MAX);
            for start in network.living_terminals() {
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

/// The file that `site` has for a routing.
fn routes<'t>(site: &Site<'_, 't>) -> Result<Source<'t>, TableError> {
    let file = site.options.routes.as_deref();
    let source = file.map(Source::from);
    source.ok_or_else(|| {
        TableError::Config(ConfigError::routing("this routing needs a file of routes"))
    })
}

/// What is wrong with the file of a routing.
fn of_file(error: TableError) -> ConfigError {
    match error {
        TableError::Config(error) => error,
        error if error.leads_astray() => ConfigError::Astray {
            reason: error.to_string(),
        },
        error => ConfigError::routing(error.to_string()),
    }
}

/// The line of the first row for `at` and `destination`, once a second one is found.
fn first_line(reader: &Reader<'_, '_>, at: NodeId, destination: NodeId) -> Result<u32, FileError> {
    let source = reader.source;
    for (_, range) in file::tables(source, &[&SCHEMA], EXPECTED)? {
        let mut rows = file::Table::open(source, range, &SCHEMA)?;
        while let Some(row) = rows.next_row().transpose() {
            // What is wrong with a row is told where it is entered.
            let Ok(row) = row else { continue };
            let ends = [0, 1].map(|column| reader.names.find(&row.needed(column).text));
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
    fn route(&self, head: Head, candidates: &mut Candidates) {
        let entries = &*self.entries;
        let entry = entries.entry(head.destination, head.node);
        let output = entries.next[entry];
        if output == NONE {
            return;
        }
        let vcs = match entries.vc.get(entry) {
            Some(&vc) if vc != ANY => 1 << vc,
            _ => entries.all,
        };
        let first = self.network.outgoing(head.node).start;
        candidates.add(ChannelId(first + u32::from(output)), vcs);
    }
}
