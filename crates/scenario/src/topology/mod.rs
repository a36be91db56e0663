//! The table `[topology]`: which network, in words and numbers, before it is built.
//!
//! Families describe their own keys, in `flitsim_topology`; here is nothing of any family.

mod exported;
mod keys;
mod spec;
mod table;

pub use exported::{write_csv, write_graphml};
pub use flitsim_topology::Definition as Topology;
pub use keys::TOPOLOGY;
pub(crate) use spec::is_list;
pub use spec::{is_spec, keys as spec_keys};
pub use table::{TopologyTable, parse_spec, parse_spec_with};
