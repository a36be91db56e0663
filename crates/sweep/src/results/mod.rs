//! What a sweep leaves behind: rows of `points.csv`, the manifest, and the folder they live in.
//!
//! Invariant: no file depends on the machine, the time, the number of jobs or the order in which
//! points finished; the same scenario and seed give the same bytes.

pub mod details;
pub mod folder;
pub mod manifest;
pub mod number;
pub mod read;
pub mod row;
pub mod store;

pub use folder::{Existing, FolderError, OutputFolder};
pub use manifest::{Manifest, PointState, SweepState};
pub use read::{PointExtra, ReadError, SweptFolder};
pub use row::{COLUMNS, Row};
pub use store::{Finished, PointStore};

pub use flitsim_scenario::hash;
use flitsim_scenario::plan::Load;
use flitsim_scenario::{Plan, SeriesPlan};

/// The points of `plan` in scenario order: series by series, loads as the scenario lists them.
pub fn points_of(plan: &Plan) -> impl Iterator<Item = (&SeriesPlan, Load)> {
    let series = plan.series.iter();
    series.flat_map(|series| series.loads.iter().map(move |&load| (series, load)))
}

/// The keys of the points of `plan`, in scenario order.
pub fn keys_of(plan: &Plan) -> Vec<String> {
    points_of(plan)
        .map(|(series, load)| hash::point_key(series, load, plan.seed))
        .collect()
}
