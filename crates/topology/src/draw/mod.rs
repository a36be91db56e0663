//! Pictures of networks: where nodes and channels are drawn, as SVG or for Graphviz.
//!
//! Each family is drawn as the papers draw it: meshes and tori as grids, 3-dimensional ones in
//! oblique projection, more dimensions as grids of grids; small hypercubes as cubes; express
//! channels as bridges over the line of their nodes; fat-trees level by level and fat-pyramids as
//! planes one above the other; star graphs by recursion. The user's own network is drawn at the
//! places given, or at places where distances in the picture follow distances in the network.
//!
//! A [`Drawing`] knows no colours: [`svg`] asks a [`Style`] for those of each channel, so that one
//! picture shows a network, the load of its channels, or a cycle of dependencies.
//!
//! ```
//! use flitsim_topology::draw::{Drawing, Style, svg};
//! use flitsim_topology::{Ends, Grid};
//!
//! let network = Grid::uniform(4, 2, Ends::Ring)?.into_network();
//! let drawing = Drawing::of(&network)?;
//! assert_eq!(drawing.nodes.len(), 16);
//! assert_eq!(drawing.channels.len(), 64);
//! let title = "4-ary 2-cube";
//! assert!(svg(&drawing, &Style { title, ..Style::default() }).contains(title));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Invariant: the same network gives the same bytes, on every machine.

mod damaged;
mod dot;
mod key;
mod marks;
pub mod markup;
mod scaled;
mod style;
mod svg;

pub use crate::families::common::picture::colour::Colour;
pub use crate::families::common::picture::path::{Path, Piece, Point};
pub use crate::families::common::picture::plan::{Caption, ChannelClass, NodeKind};
pub use dot::dot;
pub use key::grouped;
pub use style::{ChannelStyle, Style};
pub use svg::svg;

use crate::{ChannelId, Network, NodeId};

/// The most nodes that are drawn: more cannot be told apart.
pub const NODES_LIMIT: u32 = 2_000;

/// The most channels that are drawn.
pub const CHANNELS_LIMIT: u32 = 20_000;

/// Why a network cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DrawError {
    /// So many nodes or channels that the picture would be a grey area.
    #[error(
        "a network of {nodes} nodes and {channels} channels is too large to draw: the limit is \
         {NODES_LIMIT} nodes and {CHANNELS_LIMIT} channels; draw a smaller one of its family, or \
         list its channels as CSV and draw a part of them"
    )]
    TooLarge {
        /// Its nodes.
        nodes: u32,
        /// Its unidirectional channels.
        channels: u32,
    },
}

/// A node of a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeMark {
    /// Its middle.
    pub place: Point,
    /// What it is.
    pub kind: NodeKind,
    /// Its name.
    pub label: String,
    /// Another name of it, short enough to stand below the name; may be empty.
    pub second_label: String,
    /// What else is known of it, such as its coordinates; may be empty.
    pub detail: String,
}

/// A channel of a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelLine {
    /// The node that it leaves.
    pub source: NodeId,
    /// The node that it enters.
    pub target: NodeId,
    /// The line, from the middle of its source to the middle of its target.
    pub path: Path,
    /// Its class: an index into [`Drawing::classes`].
    pub class: usize,
    /// The channel the other way that has the same line, where the two are a link.
    pub opposite: Option<ChannelId>,
}

/// Where the nodes and channels of a network are drawn, in pixels.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// Width of the picture, without a frame.
    pub width: f64,
    /// Height of the picture, without title and key.
    pub height: f64,
    /// Radius of a terminal's mark. A switch is as large, an interchange smaller.
    pub radius: f64,
    /// Width of a channel's line.
    pub line_width: f64,
    /// By node.
    pub nodes: Vec<NodeMark>,
    /// By channel.
    pub channels: Vec<ChannelLine>,
    /// Kinds of channels.
    pub classes: Vec<ChannelClass>,
    /// Text beside the picture.
    pub captions: Vec<Caption>,
    /// What is shown and how, in a sentence or two; may be empty.
    pub note: String,
}

impl Drawing {
    /// The picture of `network`.
    ///
    /// # Errors
    /// [`DrawError::TooLarge`] beyond [`NODES_LIMIT`] nodes or [`CHANNELS_LIMIT`] channels.
    pub fn of(network: &Network) -> Result<Self, DrawError> {
        let (nodes, channels) = (network.nodes(), network.channels());
        if nodes > NODES_LIMIT || channels > CHANNELS_LIMIT {
            return Err(DrawError::TooLarge { nodes, channels });
        }
        if let Some(damage) = network.damage() {
            return damaged::drawing(damage);
        }
        let plan = network.family().picture(network);
        Ok(scaled::drawing(plan, network))
    }

    /// Whether any channel has no channel the other way beside it.
    pub fn has_one_way_channels(&self) -> bool {
        self.channels.iter().any(|line| line.opposite.is_none())
    }

    /// The nodes of a kind, counted.
    pub fn count(&self, kind: NodeKind) -> usize {
        self.nodes.iter().filter(|node| node.kind == kind).count()
    }

    /// Radius of the mark of `node`.
    pub fn radius_of(&self, node: NodeId) -> f64 {
        self.nodes[node.index()].kind.radius(self.radius)
    }
}
