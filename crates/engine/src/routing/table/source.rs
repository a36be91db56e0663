//! Source routing by a list of routes that the user gives: for each source and destination the
//! nodes on the way, one row a hop.
//!
//! ```csv
//! source,destination,next,vc
//! a,c,b,0
//! a,c,c,1
//! b,c,c,
//! ```
//!
//! The rows of a route are its hops in order: the first leads on from the source, each other from
//! the node where the one before ends, the last to the destination. Rows of several routes may be
//! mixed. `vc` and `parallel` are those of a routing table ([`Table`](super::Table)).
//!
//! A packet carries its place in the list of hops, as a packet of a source-routed network carries
//! its route (Dally & Towles, section 11.1.1).
//!
//! Invariant: a route leads from every terminal to every other. Whether they are free of deadlock
//! is not seen here, but by enumeration of their dependencies.

use super::reader::Reader;
use super::{TableError, TableProblem, of_file, routes};
use crate::ConfigError;
use crate::routing::description::{Description, Needs, Site, Spread, fits_last, one};
use crate::routing::options::OptionKey;
use crate::routing::relation::{Candidates, Head, Routing, VcMask, all_virtual_channels, vc_range};
use crate::routing::tables;
use flitsim_topology::file::{self, Problem, Row, Schema, Source};
use flitsim_topology::memory::bytes_of;
use flitsim_topology::{ChannelId, Network, NodeId};
use std::sync::Arc;

/// What the registry knows of it.
pub(in crate::routing) const ROUTING: Description = Description {
    name: "source",
    keys: &[OptionKey::Path, OptionKey::Escape],
    fits: fits_last,
    needs: Needs::Paths,
    virtual_channels_min: one,
    is_minimal: false,
    spread: Spread::Fixed,
    escape_vcs: None,
};

/// The relation that `site` asks for.
pub(in crate::routing) fn build<'n>(site: &Site<'n, '_>) -> Result<SourceRoutes, ConfigError> {
    let (network, vcs) = (site.network, site.virtual_channels);
    let build = || AllRoutes::parse(network, routes(site)?, vcs);
    let routes = site.tables.get(vcs, build).map_err(of_file)?;
    Ok(SourceRoutes { routes })
}

const SCHEMA: Schema = Schema {
    table: "list of routes",
    columns: &["source", "destination", "next", "vc", "parallel"],
    needed: 3,
};

const EXPECTED: &str = "the header `source,destination,next[,vc,parallel]`";

/// The most pairs of terminals, of four bytes each.
const PAIRS_LIMIT: u64 = 1 << 26;

/// No hop.
const NONE: u32 = u32::MAX;

/// Any virtual channel.
const ANY: u8 = u8::MAX;

/// One hop of a route.
#[derive(Clone, Copy, Debug)]
struct Hop {
    channel: ChannelId,
    vc: u8,
}

/// Routing by a list of routes.
#[derive(Clone, Debug)]
pub struct SourceRoutes {
    routes: Arc<AllRoutes>,
}

/// The routes between any two terminals.
#[derive(Debug)]
struct AllRoutes {
    terminals: u32,
    /// Those of a route are consecutive.
    hops: Vec<Hop>,
    /// The first hop of each route, by source and destination.
    first: Vec<u32>,
    all: VcMask,
}

/// The hops read so far, in the order of the file.
struct Routes {
    /// Each with the hop before it on the same route, and where its row begins.
    hops: Vec<(Hop, u32, usize)>,
    /// The last hop of each route, by source and destination.
    last: Vec<u32>,
}

impl tables::Table for AllRoutes {
    fn bytes(&self) -> u64 {
        bytes_of(&self.hops) + bytes_of(&self.first)
    }
}

impl SourceRoutes {
    /// Reads the routes of `source` for `network` with `virtual_channels` virtual channels a channel.
    ///
    /// # Errors
    /// [`TableError`]: the file is not a list of routes of this network, or leaves out a pair of
    /// terminals.
    pub fn parse(
        network: &Network,
        source: Source<'_>,
        virtual_channels: u32,
    ) -> Result<Self, TableError> {
        let routes = Arc::new(AllRoutes::parse(network, source, virtual_channels)?);
        Ok(Self { routes })
    }
}

impl AllRoutes {
    fn parse(
        network: &Network,
        source: Source<'_>,
        virtual_channels: u32,
    ) -> Result<Self, TableError> {
        all_virtual_channels(virtual_channels)?;
        let terminals = network.terminals();
        let pairs = u64::from(terminals) * u64::from(terminals);
        if pairs > PAIRS_LIMIT {
            return Err(TableError::Config(ConfigError::TablesTooLarge {
                algorithm: "source",
                terminals,
                nodes: network.nodes(),
                mebibytes: pairs >> 18,
                limit_mebibytes: PAIRS_LIMIT >> 18,
            }));
        }
        let ranges = file::tables(source, &[&SCHEMA], EXPECTED)?;
        if let Some((_, second)) = ranges.get(1) {
            let table = SCHEMA.table;
            return Err(source
                .error(second.start, Problem::SecondTable { table })
                .into());
        }
        let reader = Reader::new(network, source, virtual_channels);
        let mut routes = Routes {
            hops: Vec::new(),
            last: vec![NONE; pairs as usize],
        };
        for (_, range) in ranges {
            let mut rows = file::Table::open(source, range, &SCHEMA)?;
            while let Some(row) = rows.next_row()? {
                routes.enter(&reader, &row)?;
            }
        }
        let (hops, first) = routes.in_order(&reader)?;
        Ok(Self {
            terminals,
            hops,
            first,
            all: vc_range(0, virtual_channels),
        })
    }

    #[inline]
    fn pair(&self, source: NodeId, destination: NodeId) -> usize {
        pair(self.terminals, source, destination)
    }
}

#[inline]
fn pair(terminals: u32, source: NodeId, destination: NodeId) -> usize {
    source.index() * terminals as usize + destination.index()
}

impl Routes {
    fn enter(&mut self, reader: &Reader<'_, '_>, row: &Row<'_, '_>) -> Result<(), TableError> {
        let [source_cell, destination_cell, next_cell] = [0, 1, 2].map(|column| row.needed(column));
        let source = reader.terminal(source_cell, |name| TableProblem::NotASource { name })?;
        let not_a_terminal = |name| TableProblem::NotATerminal { name };
        let destination = reader.terminal(destination_cell, not_a_terminal)?;
        if source == destination {
            let name = reader.name(source);
            return Err(reader.fail(source_cell, TableProblem::AtDestination { name }));
        }
        let network = reader.network;
        if !network.is_living(source) || !network.is_living(destination) {
            // Routes of the whole network are as good as a list that leaves these out.
            return Ok(());
        }
        let place = pair(network.terminals(), source, destination);
        let before = self.last[place];
        let at = match self.hops.get(before as usize) {
            Some((hop, ..)) => network.target(hop.channel),
            None => source,
        };
        if at == destination {
            let (.., offset) = self.hops[before as usize];
            let problem = TableProblem::BeyondDestination {
                source_name: reader.name(source),
                destination: reader.name(destination),
                last_line: reader.source.place(offset).line,
            };
            return Err(reader.fail(next_cell, problem));
        }
        let hop = Hop {
            channel: reader.channel(at, next_cell, row.get(4))?,
            vc: reader.virtual_channel(row.get(3))?.unwrap_or(ANY),
        };
        // Rows are fewer than the bytes of a file, which 32 bits can count.
        self.last[place] = self.hops.len() as u32;
        self.hops.push((hop, before, row.offset));
        Ok(())
    }

    /// The hops, those of a route consecutive, and the first of each route.
    fn in_order(mut self, reader: &Reader<'_, '_>) -> Result<(Vec<Hop>, Vec<u32>), TableError> {
        let network = reader.network;
        let terminals = || network.living_terminals();
        let mut ordered = Vec::with_capacity(self.hops.len());
        for source in terminals() {
            for destination in terminals().filter(|&d| d != source) {
                let last = &mut self.last[pair(network.terminals(), source, destination)];
                let names = || (reader.name(source), reader.name(destination));
                let Some(&(hop, _, offset)) = self.hops.get(*last as usize) else {
                    let (source_name, destination) = names();
                    return Err(reader.fail_in_all(TableProblem::NoRoute {
                        source_name,
                        destination,
                    }));
                };
                let end = network.target(hop.channel);
                if end != destination {
                    let (source_name, destination) = names();
                    let at = reader.name(end);
                    return Err(TableError::Table {
                        place: reader.source.place(offset),
                        problem: TableProblem::EndsElsewhere {
                            source_name,
                            destination,
                            at,
                        },
                    });
                }
                let start = ordered.len();
                let mut next = *last;
                while let Some(&(hop, before, _)) = self.hops.get(next as usize) {
                    ordered.push(hop);
                    next = before;
                }
                ordered[start..].reverse();
                *last = start as u32;
            }
        }
        Ok((ordered, self.last))
    }
}

impl Routing for SourceRoutes {
    const DETERMINISTIC: bool = true;

    /// The place of the route's first hop.
    #[inline]
    fn initial(&self, source: NodeId, destination: NodeId, _: u32) -> u64 {
        u64::from(self.routes.first[self.routes.pair(source, destination)])
    }

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        let Hop { channel, vc } = self.routes.hops[head.state as usize];
        candidates.add(channel, if vc == ANY { self.routes.all } else { 1 << vc });
    }

    #[inline]
    fn advance(&self, head: Head, _: ChannelId, _: u32) -> u64 {
        head.state + 1
    }
}
