//! Traffic that a file says, as tables of comma-separated values in the form of channel lists
//! (`flitsim_topology::file`): what reading them has in common, and all that may be wrong.
//!
//! | table | columns | a row for |
//! | --- | --- | --- |
//! | permutation | `source,destination` | each terminal |
//! | traffic matrix | `source,destination,weight` | each pair with traffic |
//! | histogram | `flits,weight` | each length |
//! | trace | `cycle,source,destination,flits` and more | each packet |
//!
//! Nodes go by the names of the network. Invariant: whatever is wrong has the line that is at fault.

mod error;
mod table;
mod trace;

pub(crate) use error::{LENGTHS_MOST, fail, fail_in_all};
pub use error::{TrafficFileError, TrafficFileProblem};
pub(crate) use table::{Terminals, only_table, weight};
pub use trace::TraceProblem;
