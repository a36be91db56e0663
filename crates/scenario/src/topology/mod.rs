//! The table `[topology]`: which network, in words and numbers, before it is built.
//!
//! Families describe their own keys, in `flitsim_topology`; here is nothing of any family.

mod exported;
mod spec;
mod table;

pub use exported::{write_csv, write_graphml};
pub use flitsim_topology::Definition as Topology;
pub use spec::{is_spec, keys as spec_keys, parse as parse_spec};
pub use table::{TOPOLOGY, TopologyTable};
