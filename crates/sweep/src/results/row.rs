//! A row of `points.csv`: the columns that other tools read by name.
//!
//! Invariant: [`COLUMNS`] is the order in the file, and every number in a [`Row`] is already
//! rounded as it is printed, so that the CSV, the JSON of `flitsim run`, the chart and the page all
//! say the same.

use super::number;
use flitsim_measure::point::{Mean, PointResult, Status};
use flitsim_measure::workload::Workload;
use flitsim_scenario::SeriesPlan;
use flitsim_scenario::plan::{Load, Plan};
use serde_json::{Map, Value};

/// The columns of `points.csv`, in order.
pub const COLUMNS: [&str; 31] = [
    "scenario",
    "series",
    "topology",
    "routing",
    "pattern",
    "nodes",
    "load_unit",
    "load",
    "offered_flits",
    "accepted_flits",
    "accepted_ci95",
    "latency_mean",
    "latency_ci95",
    "latency_p50",
    "latency_p95",
    "latency_p99",
    "latency_max",
    "network_latency_mean",
    "hops_mean",
    "packets_measured",
    "warmup_cycles",
    "cycles",
    "status",
    "seed",
    "accepted_min",
    "fairness",
    "makespan_cycles",
    "makespan_ci95",
    "round_trip_mean",
    "round_trip_ci95",
    "rounds_measured",
];

/// The columns that tell a point; the others are measured.
const COLUMNS_OF_POINT: [&str; 9] = [
    "scenario",
    "series",
    "topology",
    "routing",
    "pattern",
    "nodes",
    "load_unit",
    "load",
    "seed",
];

/// One simulated point. Loads are in flits per node per cycle unless stated otherwise, latencies in
/// cycles; a number that does not exist is `None` and an empty field.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The scenario file's stem.
    pub scenario: String,
    /// The name of the curve.
    pub series: String,
    /// The topology in one word.
    pub topology: String,
    /// The routing algorithm.
    pub routing: String,
    /// The traffic pattern.
    pub pattern: String,
    /// Terminals of the network.
    pub nodes: u32,
    /// The unit of `load`.
    pub load_unit: String,
    /// Offered load in `load_unit`, with every digit: `flitsim run --load` repeats the point.
    pub load: f64,
    /// Offered load.
    pub offered_flits: Option<f64>,
    /// Accepted load.
    pub accepted_flits: Option<f64>,
    /// Half-width of the accepted load's 95 % confidence interval.
    pub accepted_ci95: Option<f64>,
    /// Mean latency, from creation to the arrival of the last flit.
    pub latency_mean: Option<f64>,
    /// Half-width of the mean latency's 95 % confidence interval.
    pub latency_ci95: Option<f64>,
    /// Median latency.
    pub latency_p50: Option<f64>,
    /// 95th percentile of the latency.
    pub latency_p95: Option<f64>,
    /// 99th percentile of the latency.
    pub latency_p99: Option<f64>,
    /// Largest latency.
    pub latency_max: Option<f64>,
    /// Mean latency from the cycle the head flit enters the network.
    pub network_latency_mean: Option<f64>,
    /// Mean number of router-to-router channels.
    pub hops_mean: Option<f64>,
    /// Packets measured.
    pub packets_measured: u64,
    /// The cycle in which the measurement window begins.
    pub warmup_cycles: u64,
    /// Cycles simulated.
    pub cycles: u64,
    /// How the point ended.
    pub status: Status,
    /// The scenario's seed.
    pub seed: u64,
    /// The throughput of the slowest node, flits per cycle.
    pub accepted_min: Option<f64>,
    /// Jain's index of the throughputs of the nodes that send.
    pub fairness: Option<f64>,
    /// Cycles from cycle 0 until the last packet has arrived, where there is a last one.
    pub makespan_cycles: Option<f64>,
    /// Half-width of its 95 % confidence interval over replicas.
    pub makespan_ci95: Option<f64>,
    /// Mean time from the creation of a request to the arrival of its reply, in a closed loop.
    pub round_trip_mean: Option<f64>,
    /// Half-width of its 95 % confidence interval.
    pub round_trip_ci95: Option<f64>,
    /// Pairs of a request and a reply measured, in a closed loop.
    pub rounds_measured: Option<u64>,
}

impl Row {
    /// The row of the point of `series` at `load` whose simulation gave `result`.
    pub fn new(plan: &Plan, series: &SeriesPlan, load: Load, result: &PointResult) -> Self {
        let latency = |of: fn(&flitsim_measure::point::LatencySummary) -> f64| {
            result.latency.as_ref().map(of).and_then(number::rounded)
        };
        let fairness = |of: fn(&flitsim_measure::point::Fairness) -> Option<f64>| {
            result
                .fairness
                .as_ref()
                .and_then(of)
                .and_then(number::rounded)
        };
        let workload = result.workload.unwrap_or_default();
        let mean = |of: Option<Mean>| of.and_then(|of| number::rounded(of.mean));
        let ci95 = |of: Option<Mean>| of.and_then(|of| number::rounded(of.ci95));
        let is_closed_loop = matches!(series.workload, Some(Workload::ClosedLoop { .. }));
        Self {
            offered_flits: number::rounded(result.offered_flits),
            accepted_flits: number::rounded(result.accepted_flits),
            accepted_ci95: number::rounded(result.accepted_ci95),
            latency_mean: latency(|l| l.mean),
            latency_ci95: latency(|l| l.ci95),
            latency_p50: latency(|l| l.p50),
            latency_p95: latency(|l| l.p95),
            latency_p99: latency(|l| l.p99),
            latency_max: latency(|l| l.max),
            network_latency_mean: latency(|l| l.network_mean),
            hops_mean: latency(|l| l.hops_mean),
            packets_measured: result.packets_measured,
            warmup_cycles: result.warmup_cycles,
            cycles: result.cycles,
            status: result.status,
            accepted_min: fairness(|f| Some(f.accepted_min)),
            fairness: fairness(|f| f.index),
            // Counted, not estimated: every digit.
            makespan_cycles: match workload.makespan {
                Some(exact) if exact.mean.fract() == 0.0 => Some(exact.mean),
                other => mean(other),
            },
            makespan_ci95: ci95(workload.makespan),
            round_trip_mean: mean(workload.round_trip),
            round_trip_ci95: ci95(workload.round_trip),
            rounds_measured: is_closed_loop.then_some(workload.rounds),
            ..Self::of_point(plan, series, load)
        }
    }

    /// The row of the point of `series` at `load` from the values by column that
    /// [`Row::measured_json`] gave: what tells the point comes from `plan`, what was measured from `values`. `None` where a
    /// value is missing or of another kind.
    pub fn from_json(
        plan: &Plan,
        series: &SeriesPlan,
        load: Load,
        values: &Map<String, Value>,
    ) -> Option<Self> {
        // Some: the column is there; the inner option is its value.
        let real = |column: &str| match values.get(column)? {
            Value::Null => Some(None),
            value => value.as_f64().map(Some),
        };
        let count = |column: &str| values.get(column)?.as_u64();
        Some(Self {
            offered_flits: real("offered_flits")?,
            accepted_flits: real("accepted_flits")?,
            accepted_ci95: real("accepted_ci95")?,
            latency_mean: real("latency_mean")?,
            latency_ci95: real("latency_ci95")?,
            latency_p50: real("latency_p50")?,
            latency_p95: real("latency_p95")?,
            latency_p99: real("latency_p99")?,
            latency_max: real("latency_max")?,
            network_latency_mean: real("network_latency_mean")?,
            hops_mean: real("hops_mean")?,
            packets_measured: count("packets_measured")?,
            warmup_cycles: count("warmup_cycles")?,
            cycles: count("cycles")?,
            status: Status::of_word(values.get("status")?.as_str()?)?,
            accepted_min: real("accepted_min")?,
            fairness: real("fairness")?,
            makespan_cycles: real("makespan_cycles")?,
            makespan_ci95: real("makespan_ci95")?,
            round_trip_mean: real("round_trip_mean")?,
            round_trip_ci95: real("round_trip_ci95")?,
            rounds_measured: match values.get("rounds_measured")? {
                Value::Null => None,
                value => Some(value.as_u64()?),
            },
            ..Self::of_point(plan, series, load)
        })
    }

    /// The row with what is known of a point before it is simulated.
    fn of_point(plan: &Plan, series: &SeriesPlan, load: Load) -> Self {
        Self {
            scenario: plan.scenario.clone(),
            series: series.name.clone(),
            topology: series.topology.clone(),
            routing: series.routing.name().to_owned(),
            pattern: series.pattern_name().to_owned(),
            nodes: series.network.living_terminals_count(),
            load_unit: series.load_unit.clone(),
            load: load.in_unit,
            offered_flits: None,
            accepted_flits: None,
            accepted_ci95: None,
            latency_mean: None,
            latency_ci95: None,
            latency_p50: None,
            latency_p95: None,
            latency_p99: None,
            latency_max: None,
            network_latency_mean: None,
            hops_mean: None,
            packets_measured: 0,
            warmup_cycles: 0,
            cycles: 0,
            status: Status::MaxCycles,
            seed: plan.seed,
            accepted_min: None,
            fairness: None,
            makespan_cycles: None,
            makespan_ci95: None,
            round_trip_mean: None,
            round_trip_ci95: None,
            rounds_measured: None,
        }
    }

    /// Calls the row's point by the names that `plan` gives it.
    pub fn name(&mut self, plan: &Plan, series: &SeriesPlan, load: Load) {
        let measured = self.measured_json();
        let named = Self::from_json(plan, series, load, &measured);
        *self = named.expect("a row has every column");
    }

    /// The values in the order of [`COLUMNS`]: texts, numbers, or null where there is no value.
    fn values(&self) -> [Value; COLUMNS.len()] {
        let text = |text: &str| Value::from(text);
        let real = |value: Option<f64>| value.map_or(Value::Null, Value::from);
        [
            text(&self.scenario),
            text(&self.series),
            text(&self.topology),
            text(&self.routing),
            text(&self.pattern),
            Value::from(self.nodes),
            text(&self.load_unit),
            Value::from(self.load),
            real(self.offered_flits),
            real(self.accepted_flits),
            real(self.accepted_ci95),
            real(self.latency_mean),
            real(self.latency_ci95),
            real(self.latency_p50),
            real(self.latency_p95),
            real(self.latency_p99),
            real(self.latency_max),
            real(self.network_latency_mean),
            real(self.hops_mean),
            Value::from(self.packets_measured),
            Value::from(self.warmup_cycles),
            Value::from(self.cycles),
            text(self.status.as_str()),
            Value::from(self.seed),
            real(self.accepted_min),
            real(self.fairness),
            real(self.makespan_cycles),
            real(self.makespan_ci95),
            real(self.round_trip_mean),
            real(self.round_trip_ci95),
            self.rounds_measured.map_or(Value::Null, Value::from),
        ]
    }

    /// The fields as `points.csv` has them, in the order of [`COLUMNS`].
    pub fn fields(&self) -> [String; COLUMNS.len()] {
        self.values().map(|value| match value {
            Value::Null => String::new(),
            Value::String(text) => text,
            Value::Number(n) if n.is_f64() => number::text(n.as_f64()),
            other => other.to_string(),
        })
    }

    /// The row as JSON, by column; null where there is no value.
    pub fn to_json(&self) -> Map<String, Value> {
        COLUMNS
            .iter()
            .map(|&name| name.to_owned())
            .zip(self.values())
            .collect()
    }

    /// Of [`Row::to_json`], what was measured: what tells the point is left out, since a scenario may
    /// call the same point by other names.
    pub fn measured_json(&self) -> Map<String, Value> {
        let mut values = self.to_json();
        values.retain(|name, _| !COLUMNS_OF_POINT.contains(&name.as_str()));
        values
    }

    /// Whether the network delivered what was offered to it.
    pub fn is_stable(&self) -> bool {
        matches!(self.status, Status::Converged | Status::MaxCycles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{row, saturated_row};

    #[test]
    fn fields_follow_the_columns() {
        let row = row("dor", 0.25, 23.456_78);
        let fields = row.fields();
        let by_name = |name: &str| &fields[COLUMNS.iter().position(|c| *c == name).unwrap()];
        assert_eq!(by_name("series"), "dor");
        assert_eq!(by_name("load"), "0.25");
        assert_eq!(by_name("latency_mean"), "23.4568");
        assert_eq!(by_name("status"), "converged");
        assert_eq!(by_name("seed"), "1");
        assert_eq!(row.to_json()["latency_mean"], Value::from(23.4568));
    }

    #[test]
    fn a_saturated_point_has_no_latency_and_no_nan() {
        let row = saturated_row("dor", 0.5);
        assert!(row.fields()[11..19].iter().all(String::is_empty));
        assert!(!row.fields().join(",").contains("NaN"));
        assert_eq!(row.to_json()["latency_mean"], Value::Null);
        assert!(!row.is_stable());
    }
}
