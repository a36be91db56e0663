//! The user's own network, read from a channel list (CSV) or GraphML. Any network can be written so
//! that reading it again gives the same one, identifiers included.
//!
//! # Channel list
//! Tables of comma-separated values. A table begins with its header; a blank line or a comment (`#`
//! at the start of a line) ends it. Names of nodes are free text, quoted where they hold commas.
//!
//! ```csv
//! # Two hosts on a ring of three switches, one of its links slow.
//! from,to,delay
//! alice,s1,0
//! s1,alice,0
//! bob,s2,0
//! s2,bob,0
//! s1,s2,0
//! s2,s3,0
//! s3,s1,4
//!
//! node,kind,x,y
//! alice,terminal,0,0
//! bob,terminal,2,0
//! s1,switch,0,1
//! s2,switch,2,1
//! s3,switch,1,2
//! ```
//!
//! | table | column | what it holds |
//! | --- | --- | --- |
//! | channels | `from`, `to` | the nodes that a one-way channel leaves and enters; a link is two rows |
//! | | `width` | bits that it takes side by side, at least 1 |
//! | | `length` | wire length in node pitches, 0 or more; 1 where there is no such column |
//! | | `delay` | cycles on the wire beyond the router's |
//! | | `parallel` | a number that tells apart channels between the same two nodes |
//! | nodes | `node` | its name |
//! | | `kind` | `terminal` (a router with a terminal; where there is no such column) or `switch` |
//! | | `x`, `y` | where it is drawn: to the right, and downward |
//!
//! Either table may come first, and the nodes may be in a file of their own. Where nodes are listed,
//! channels may name no others. Where they are not, all nodes are terminals. A column has a value in
//! every row or in none.
//!
//! # Identifiers
//! Terminals are numbered first, in the order of the list of nodes, then switches. Without a list,
//! names that are exactly the numbers 0 to N − 1 are the identifiers; other names are numbered as
//! they appear. Channels are numbered by source, those of one source in the order of the file.
//!
//! # BookSim2's `anynet`
//! In a file whose first word is `router` or `node`, each line names a router or node and those that it
//! is linked to: `router 0 node 0 router 1 4`. Not all of them need a line. Nodes are terminals, from 0
//! on without gaps. The number behind two routers is the cycles of the channel from the first to the
//! second, of which the router takes one; where there is no number, it is 1.
//!
//! # GraphML
//! The keys have the same words as `attr.name`, and a node's `id` is its name. An edge of a graph with
//! `edgedefault="undirected"`, or with `directed="false"`, is two channels. Keys of other names are
//! ignored, unless they look like a misspelling of one of these.
//!
//! # What is refused
//! Channels that are listed twice, nodes that are not listed, channels from a node to itself, terminals
//! without a channel out or in, nodes that cannot reach each other, and values out of range. Each is a
//! [`FileError`] with its file, line and column.

pub use crate::formats::{
    Cell, FileError, Place, Problem, Row, Schema, Several, Source, Table, tables,
};
pub use crate::formats::{
    read_bounded, read_text, write_channels, write_csv, write_graphml, write_nodes,
};
pub use crate::nearest::nearest;

use crate::{Network, formats};
use std::path::Path;

/// The network of the file at `channels`: GraphML if its name ends in `.graphml` or `.xml` or
/// its text begins with `<`, else a channel list, whose nodes may be listed in the file at `nodes`.
///
/// # Errors
/// [`FileError`], whatever is wrong.
pub fn read(channels: &Path, nodes: Option<&Path>) -> Result<Network, FileError> {
    formats::read(channels, nodes).map(Network::from)
}

/// The network of a channel list, whose nodes may be listed in a file of their own, or of an `anynet` file.
///
/// ```
/// use flitsim_topology::file::{Source, parse_csv};
///
/// let text = "from,to\nleft,right\nright,left\n";
/// let network = parse_csv(Source { file: "pair.csv", text }, None)?;
/// assert_eq!((network.terminals(), network.channels()), (2, 2));
///
/// let text = "from,to\nleft,right\nright,left\nright,right\n";
/// let error = parse_csv(Source { file: "pair.csv", text }, None).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "pair.csv:4:7: a channel from `right` to itself: a channel joins two different nodes"
/// );
/// # Ok::<(), flitsim_topology::FileError>(())
/// ```
///
/// # Errors
/// [`FileError`], whatever is wrong.
pub fn parse_csv(channels: Source<'_>, nodes: Option<Source<'_>>) -> Result<Network, FileError> {
    formats::parse_csv(channels, nodes).map(Network::from)
}

/// The network of a GraphML document.
///
/// # Errors
/// [`FileError`], whatever is wrong.
pub fn parse_graphml(source: Source<'_>) -> Result<Network, FileError> {
    formats::parse_graphml(source).map(Network::from)
}
