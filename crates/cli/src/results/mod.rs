//! What a sweep leaves behind: rows of `points.csv`, the manifest, and the folder they live in.
//!
//! Invariant: no file depends on the machine, the time, the number of jobs or the order in which
//! points finished; the same scenario and seed give the same bytes.

pub mod folder;
pub mod hash;
pub mod manifest;
pub mod number;
pub mod row;

pub use folder::{FolderError, OutputFolder};
pub use manifest::{Manifest, PointState, SweepState};
pub use row::{COLUMNS, Row};
