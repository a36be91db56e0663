//! What a sweep leaves behind: rows of `points.csv`, the manifest, and the folder they live in.
//!
//! Invariant: no file depends on the machine, the time, the number of jobs or the order in which
//! points finished; the same scenario and seed give the same bytes.

mod csv;
pub mod details;
mod energy;
pub mod file;
pub mod folder;
pub mod manifest;
pub mod number;
mod points;
pub mod read;
pub mod row;
pub mod store;

pub use flitsim_scenario::hash;
pub use folder::{Existing, FolderError, OutputFolder};
pub use manifest::{Manifest, PointState, SweepState};
pub use points::{keys_of, points_of};
pub use read::{PointExtra, PointTable, ReadError, SweptFolder};
pub use row::{COLUMNS, Row, columns_of};
pub use store::{Finished, PointStore};
