//! An analytical model's curve as rows beside simulated ones.
//!
//! Invariant: a column has one meaning for both kinds of rows; what only a model has stands in columns
//! of its own.

use super::table::{KIND, MODEL};
use crate::analytic::{Misfit, Row, curves};
use flitsim_scenario::SeriesPlan;
use flitsim_scenario::plan::Plan;
use serde_json::{Map, Value};

/// The rows of the models that fit the series of `plan`, over its loads, in its order. A series that
/// none fits has no rows.
///
/// # Errors
/// The reason of the first series where no series has a model.
pub fn rows(plan: &Plan) -> Result<Vec<Map<String, Value>>, Misfit> {
    let mut all = Vec::new();
    let mut why = None;
    for curve in curves(plan) {
        match curve.rows {
            Ok((rows, _)) => all.extend(rows.into_iter().map(|row| values(row, curve.series))),
            Err(misfit) => why = why.or(Some(misfit)),
        }
    }
    match why {
        Some(misfit) if all.is_empty() => Err(misfit),
        _ => Ok(all),
    }
}

/// A row under the names of `points.csv`. `latency_mean` is what the paper's equations give;
/// `latency_counted` adds what a simulated latency has more without load.
fn values(row: Row, series: &SeriesPlan) -> Map<String, Value> {
    let counted = row.latency.map(|latency| latency + row.uncounted_cycles);
    let values = [
        (KIND, Value::from(MODEL)),
        ("scenario", row.scenario.into()),
        ("series", row.series.into()),
        ("topology", series.topology.clone().into()),
        ("routing", series.routing.name().into()),
        ("nodes", series.network.terminals().into()),
        ("load_unit", row.load_unit.into()),
        ("load", row.load.into()),
        ("latency_mean", row.latency.into()),
        ("latency_counted", counted.into()),
        ("model", row.model.into()),
        ("saturation_load", row.saturation_load.into()),
        ("uncounted_cycles", row.uncounted_cycles.into()),
    ];
    let named = values.map(|(name, value)| (name.to_owned(), value));
    Map::from_iter(named)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitsim_sweep::testing::plan;

    #[test]
    fn a_model_has_the_columns_of_points() {
        let plan = plan(&[("a", &[0.05, 0.9])]);
        let rows = rows(&plan).unwrap();
        assert_eq!(rows.len(), 2);
        assert_eq!(
            (&rows[0]["kind"], &rows[0]["series"]),
            (&"model".into(), &"a".into())
        );
        assert_eq!(rows[0]["load"], 0.05);
        let below = rows[0]["latency_mean"].as_f64().unwrap();
        assert!(below > 1.0 && rows[1]["load"] == 0.9);
        let uncounted = rows[0]["uncounted_cycles"].as_f64().unwrap();
        assert_eq!(rows[0]["latency_counted"], below + uncounted);
    }
}
