//! The points of a plan, and their keys.

use flitsim_scenario::hash::point_key;
use flitsim_scenario::plan::{Load, Plan, SeriesPlan};

/// The points of `plan` in scenario order: series by series, loads as the scenario lists them.
pub fn points_of(plan: &Plan) -> impl Iterator<Item = (&SeriesPlan, Load)> {
    let series = plan.series.iter();
    series.flat_map(|series| series.loads.iter().map(move |&load| (series, load)))
}

/// The keys of the points of `plan`, in scenario order.
pub fn keys_of(plan: &Plan) -> Vec<String> {
    points_of(plan)
        .map(|(series, load)| point_key(series, load, plan.seed))
        .collect()
}
