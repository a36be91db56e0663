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
pub mod archive;
pub mod cost;
pub mod damage;
mod definition;
pub mod draw;
mod error;
mod families;
pub mod file;
mod formats;
mod graph;
mod ids;
pub mod layout;
mod links;
pub mod memory;
mod minimal;
mod minimal_table;
mod nearest;
mod network;
mod own;
pub mod parallel;
mod paths;
pub mod properties;
mod search;
mod words;

pub use annotations::{Annotations, NodeNames};
pub use damage::PartedPairs;
pub use definition::{Definition, register_network};
pub use error::TopologyError;
pub use families::common::coordinates::{Course, Direction, Ends, Step};
pub use families::*;
pub use formats::FileError;
pub use graph::{Channel, Graph, Incoming};
pub use ids::{ChannelId, NodeId};
pub use minimal::MinimalPaths;
pub use minimal_table::{Distances, MinimalTable, MinimalTableError};
pub use network::{Concentrated, Damage, Network, Shape};
pub use own::{OwnDefinition, OwnNetwork};
pub use paths::Paths;
pub use search::distances_from;
