//! Express cubes: meshes with interchanges in their lines, and express channels between those
//! (Dally, "Express cubes: improving the performance of k-ary n-cube interconnection networks",
//! section III).
//!
//! A boundary b (a multiple of i, 0 < b < k) lies between the nodes b − 1 and b of a line and holds
//! one interchange, in series on the local channel. Its level is the largest j ≤ l with i^j | b.
//! Channels of level q join consecutive boundaries that i^q divides. There is no interchange at the
//! ends of a line.
//!
//! Every dimension has its own interchanges (the paper's figure 6 (a)), or they are *interleaved*
//! (figure 6 (b)), so that "messages on express channels change dimensions without descending to a
//! local channel": where all coordinates are boundaries, the interchanges of all dimensions just
//! below that node are one, with the channels of all of them. A packet that comes up to it, right in
//! its dimension, goes on in the next from there. Lines whose other coordinates are not all
//! boundaries keep interchanges of their own: every node keeps the express channels along its lines,
//! and no route becomes longer. (The paper shows the construction in a figure and does not say where
//! such lines, which one dimension's interchanges alone cross, get theirs.) Interleaved interchanges
//! turn packets that come from below; from above, a packet comes to the node first.
//!
//! Nodes come first, dimension 0 fastest, each with a terminal; then the switches, by dimension,
//! line, boundary and module, those of several dimensions last, by the node above them. Out of a
//! node the channels are ordered by dimension, upward before downward; out of a switch too, the
//! highest level first.
//!
//! Layout: the nodes stand on a grid of one pitch. An interchange adds no distance: node b − 1 is
//! one pitch from it, node b none. An express channel is as long as the nodes that it passes; the
//! wires of every route add up to the distance between its ends.
//!
//! ```
//! use flitsim_topology::{ExpressCube, ExpressParameters, NodeId};
//!
//! // A line of 512 nodes, i = 4, l = 3: at distance 256 it takes 256/4³ + 3 · 3 + 1 hops, equation 5.
//! let cube = ExpressCube::new(ExpressParameters::new(512, 1, 4, 3))?;
//! assert_eq!(cube.hops(NodeId(42), NodeId(42 + 256)), 14);
//! # Ok::<(), flitsim_topology::TopologyError>(())
//! ```

mod conditions;
mod cube;
mod definition;
mod exit;
mod family;
mod formula;
mod frame;
mod images;
mod line;
mod parameters;
mod picture;
mod ring;
mod symmetry;
mod turns;
mod widths;

pub use cube::{ExpressCube, Interchange, Way};
pub use exit::ExpressChannel;
pub use formula::{level_share, level_share_printed, line_hops};
pub use parameters::{Decomposition, ExpressParameters, Interchanges, ModuleWidths};
