//! A model's curve over the loads of its series, as rows.
//!
//! Invariant: numbers are rounded as results are; `latency` is empty where the model has none.

use super::{Fit, Misfit};
use flitsim_scenario::{Plan, SeriesPlan};
use flitsim_sweep::results::number;
use flitsim_sweep::saturation::auto::around;
use serde_json::{Map, Value};

/// The columns, in order.
pub const COLUMNS: [&str; 8] = [
    "scenario",
    "series",
    "model",
    "load_unit",
    "load",
    "latency",
    "saturation_load",
    "uncounted_cycles",
];

/// A load and what a model says of it. Loads are in `load_unit`, latencies in reference cycles.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The scenario file's stem.
    pub scenario: String,
    /// The name of the curve.
    pub series: String,
    /// The name of the model.
    pub model: &'static str,
    /// The unit of loads.
    pub load_unit: String,
    /// Offered load, with every digit.
    pub load: f64,
    /// Mean latency; `None` from saturation on.
    pub latency: Option<f64>,
    /// Where the latencies end.
    pub saturation_load: Option<f64>,
    /// What a simulated latency has more without load.
    pub uncounted_cycles: f64,
}

impl Row {
    fn values(&self) -> [Value; COLUMNS.len()] {
        let text = |text: &str| Value::from(text);
        let real = |value: Option<f64>| value.map_or(Value::Null, Value::from);
        [
            text(&self.scenario),
            text(&self.series),
            text(self.model),
            text(&self.load_unit),
            Value::from(self.load),
            real(self.latency),
            real(self.saturation_load),
            Value::from(self.uncounted_cycles),
        ]
    }

    /// The fields as CSV has them, in the order of [`COLUMNS`].
    pub fn fields(&self) -> [String; COLUMNS.len()] {
        self.values().map(|value| match value {
            Value::String(text) => text,
            value => number::text(value.as_f64()),
        })
    }

    /// The row as JSON, by column; null where there is no latency.
    pub fn to_json(&self) -> Map<String, Value> {
        let names = COLUMNS.iter().map(|&name| name.to_owned());
        names.zip(self.values()).collect()
    }
}

/// The curve of a series, or why there is none.
#[derive(Clone, Debug)]
pub struct Curve<'p> {
    /// The series.
    pub series: &'p SeriesPlan,
    /// Its rows, and what a reader should know.
    pub rows: Result<(Vec<Row>, Fit), Misfit>,
}

/// The curves of all series of `plan`, in its order.
pub fn curves(plan: &Plan) -> Vec<Curve<'_>> {
    let of = |series| Curve {
        series,
        rows: rows(plan, series),
    };
    plan.series.iter().map(of).collect()
}

fn rows(plan: &Plan, series: &SeriesPlan) -> Result<(Vec<Row>, Fit), Misfit> {
    let fit = Fit::of(series)?;
    let saturation = fit.saturation_flits();
    let scale = &series.load_scale;
    // A model knows its saturation without a search.
    let loads = match &series.loads_auto {
        Some(auto) => around(saturation, 1.0, Some(saturation), auto.steps, scale),
        None => series.loads.clone(),
    };
    let mut rows = Vec::with_capacity(loads.len());
    for load in loads {
        rows.push(Row {
            scenario: plan.scenario.clone(),
            series: series.name.clone(),
            model: fit.name(),
            load_unit: series.load_unit.clone(),
            load: load.in_unit,
            latency: fit.latency_cycles(load.flits)?.and_then(number::rounded),
            saturation_load: number::rounded(saturation / scale.flits_per_unit),
            uncounted_cycles: number::rounded(fit.uncounted_cycles()).unwrap_or(0.0),
        });
    }
    Ok((rows, fit))
}
