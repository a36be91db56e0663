//! The shortest paths of any network, by a table of the distance from every node to every terminal.
//!
//! Invariant: every living terminal is reached from every other; where any other node does not
//! reach one, it has no way on to it.

use crate::memory::bytes_of;
use crate::search::two_colouring;
use crate::{ChannelId, MinimalPaths, Network, NodeId};
use std::sync::Arc;

/// The most memory that the table takes, in bytes.
const BYTES_LIMIT: u64 = 1 << 28;

/// The distance where no path leads.
const NONE: u16 = u16::MAX;

/// A network whose shortest paths cannot be tabled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MinimalTableError {
    /// The table would take more memory than should be spent on it.
    #[error(
        "a table of distances would take {mebibytes} MiB for {terminals} terminals and {nodes} \
         nodes; the limit is {limit_mebibytes} MiB"
    )]
    TooLarge {
        /// Terminals there are.
        terminals: u32,
        /// Nodes there are.
        nodes: u32,
        /// Memory that it would take, in units of 2^20 bytes, rounded up.
        mebibytes: u64,
        /// The most that is taken, in the same units.
        limit_mebibytes: u64,
    },
    /// A terminal cannot reach another.
    #[error("no path leads from `{from}` to `{to}`")]
    NoPath {
        /// Where the path would begin.
        from: String,
        /// Where it would end.
        to: String,
    },
    /// A distance beyond what the table holds.
    #[error("a node is {limit} hops or more from `{to}`: a table of distances holds fewer")]
    TooFar {
        /// The terminal at the end.
        to: String,
        /// The least distance that the table does not hold.
        limit: u32,
    },
}

/// The distances from every node of a network to every terminal, two bytes each.
///
/// Destinations are terminals. `diameter` is the largest distance between two terminals.
#[derive(Clone, Debug)]
pub struct MinimalTable<'n> {
    network: &'n Network,
    distances: Arc<Distances>,
}

/// What a [`MinimalTable`] knows of its network: kept once, and lent to all tables of the network.
#[derive(Clone, Debug)]
pub struct Distances {
    /// By terminal and node.
    hops: Vec<u16>,
    diameter: u32,
    colours: Option<Vec<bool>>,
}

impl Distances {
    /// Bytes that they take.
    pub fn bytes(&self) -> u64 {
        bytes_of(&self.hops) + self.colours.as_ref().map_or(0, bytes_of)
    }
}

impl<'n> MinimalTable<'n> {
    /// The table of `network`: a breadth-first search back from each terminal.
    ///
    /// # Errors
    /// [`MinimalTableError::TooLarge`] before any memory is touched, and the others where they hold.
    pub fn new(network: &'n Network) -> Result<Self, MinimalTableError> {
        let (terminals, nodes) = (network.terminals(), network.nodes());
        let entries = u64::from(terminals) * u64::from(nodes);
        let bytes = entries * size_of::<u16>() as u64;
        if bytes > BYTES_LIMIT {
            return Err(MinimalTableError::TooLarge {
                terminals,
                nodes,
                mebibytes: bytes.div_ceil(1 << 20),
                limit_mebibytes: BYTES_LIMIT >> 20,
            });
        }
        let mut distances = vec![NONE; entries as usize];
        let mut queue = Vec::with_capacity(nodes as usize);
        let mut diameter = 0;
        let rows = distances.chunks_exact_mut(nodes.max(1) as usize);
        for (destination, row) in (0..terminals).map(NodeId).zip(rows) {
            fill(network, destination, row, &mut queue)?;
            if !network.is_living(destination) {
                continue;
            }
            for from in network.living_terminals() {
                let hops = row[from.index()];
                if hops == NONE {
                    let name = |node| network.name(node).into_owned();
                    return Err(MinimalTableError::NoPath {
                        from: name(from),
                        to: name(destination),
                    });
                }
                diameter = diameter.max(hops);
            }
        }
        let distances = Distances {
            hops: distances,
            diameter: u32::from(diameter),
            colours: two_colouring(network),
        };
        Ok(Self::with(network, Arc::new(distances)))
    }

    /// The table of `network` from the distances of another table of it.
    pub fn with(network: &'n Network, distances: Arc<Distances>) -> Self {
        Self { network, distances }
    }

    /// The distances, for another table of the same network.
    pub fn into_distances(self) -> Arc<Distances> {
        self.distances
    }

    #[inline]
    fn row(&self, to: NodeId) -> &[u16] {
        let nodes = self.network.nodes() as usize;
        &self.distances.hops[to.index() * nodes..(to.index() + 1) * nodes]
    }
}

/// The distances to `destination`, by node, into `row`, which holds none.
fn fill(
    network: &Network,
    destination: NodeId,
    row: &mut [u16],
    queue: &mut Vec<NodeId>,
) -> Result<(), MinimalTableError> {
    row[destination.index()] = 0;
    queue.clear();
    queue.push(destination);
    let mut next = 0;
    while let Some(&node) = queue.get(next) {
        next += 1;
        let further = row[node.index()] + 1;
        for &channel in network.incoming(node).iter() {
            let source = network.source(channel);
            if row[source.index()] != NONE {
                continue;
            }
            if further == NONE {
                return Err(MinimalTableError::TooFar {
                    to: network.name(destination).into_owned(),
                    limit: u32::from(NONE),
                });
            }
            row[source.index()] = further;
            queue.push(source);
        }
    }
    Ok(())
}

impl MinimalPaths for MinimalTable<'_> {
    /// [`u32::MAX`] from a node without a terminal that does not reach `to`.
    ///
    /// # Panics
    /// If `to` is not a terminal.
    #[inline]
    fn distance(&self, from: NodeId, to: NodeId) -> u32 {
        match self.row(to)[from.index()] {
            NONE => u32::MAX,
            hops => u32::from(hops),
        }
    }

    fn diameter(&self) -> u32 {
        self.distances.diameter
    }

    fn is_bipartite(&self) -> bool {
        self.distances.colours.is_some()
    }

    #[inline]
    fn colour(&self, node: NodeId) -> bool {
        let colours = self.distances.colours.as_ref();
        colours.is_some_and(|c| c[node.index()])
    }

    /// # Panics
    /// If `to` is not a terminal.
    #[inline]
    fn for_each_minimal_channel(&self, from: NodeId, to: NodeId, mut visit: impl FnMut(ChannelId)) {
        let row = self.row(to);
        let here = row[from.index()];
        if here == NONE {
            return;
        }
        for channel in self.network.outgoing(from).map(ChannelId) {
            // Where nothing leads on, NONE is above every distance, and so is NONE + 1.
            if u32::from(row[self.network.target(channel).index()]) + 1 == u32::from(here) {
                visit(channel);
            }
        }
    }
}
