//! Interconnection networks as immutable graphs of unidirectional channels.
//!
//! A [`Network`] is built once from its family's definition, then shared by everything that
//! simulates, routes or measures on it. This crate knows nothing of flits, routing or traffic.
//!
//! ```
//! use flitsim_topology::{Grid, Ends};
//!
//! // An 8-ary 2-cube: 64 nodes, four channels out of each.
//! let network = Grid::uniform(8, 2, Ends::Ring)?.into_network();
//! assert_eq!(network.nodes(), 64);
//! assert_eq!(network.channels(), 256);
//! # Ok::<(), flitsim_topology::TopologyError>(())
//! ```

mod annotations;
pub mod cost;
pub mod damage;
pub mod draw;
mod error;
pub mod express;
pub mod fat_tree;
pub mod file;
mod grid;
mod ids;
pub mod layout;
pub mod memory;
mod minimal;
mod minimal_table;
mod network;
mod paths;
pub mod properties;
mod rows;
mod sparse_torus;
mod star;
mod thinning;

pub use annotations::{Annotations, NodeNames};
pub use damage::{Damage, PartedPairs};
pub use error::TopologyError;
pub use express::{ExpressCube, ExpressParameters};
pub use fat_tree::{FatTree, FatTreeKind};
pub use file::FileError;
pub use grid::{Direction, Ends, Grid, Step};
pub use ids::{ChannelId, NodeId};
pub use minimal::MinimalPaths;
pub use minimal_table::{MinimalTable, MinimalTableError};
pub use network::{Channel, Network, Shape};
pub use paths::Paths;
pub use rows::Incoming;
pub use sparse_torus::SparseTorus;
pub use star::Star;
pub use thinning::Thinning;
