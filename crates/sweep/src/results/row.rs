//! A row of `points.csv`: the columns that other tools read by name.
//!
//! A column is declared once, below: its name, its type and where its value comes from.
//!
//! Invariant: [`COLUMNS`] is the order in the file, and every number in a [`Row`] is already
//! rounded as it is printed, so that the CSV, the JSON of `flitsim run`, the chart and the page all
//! say the same.

use super::energy::PointEnergy;
use super::number::{self, counted, rounded};
use flitsim_measure::point::{Fairness, LatencySummary, Mean, PointResult, Status};
use flitsim_measure::workload::Workload;
use flitsim_scenario::SeriesPlan;
use flitsim_scenario::plan::{Load, Parameter, Plan};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Declares the columns, in order: `point` those that tell a point, from `$at`, [where](At) it is in its
/// plan; `measured` the others, from `$of`, [what was found](Of) there.
macro_rules! columns {
    (|$at:ident, $of:ident| $($(#[$doc:meta])* $kind:ident $name:ident: $type:ty = $value:expr;)+) => {
        /// The columns of `points.csv`, in order.
        pub const COLUMNS: [&str; [$(stringify!($name)),+].len()] = [$(stringify!($name)),+];

        /// One simulated point. Loads are in flits per node per cycle unless stated otherwise,
        /// latencies in cycles; a number that does not exist is `None` and an empty field.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub struct Row {
            $($(#[$doc])* pub $name: $type,)+
            /// What follows the columns: the keys in which the series of the scenario differ.
            #[serde(skip)]
            pub parameters: Vec<Parameter>,
        }

        impl Row {
            fn found($at: At<'_>, $of: Of<'_>) -> Self {
                Self { $($name: $value,)+ parameters: $at.series.parameters.clone() }
            }

            /// Sets the values that tell a point.
            fn tell($at: At<'_>, values: &mut Map<String, Value>) {
                $(columns!(@$kind values, $name = $value);)+
            }

            /// Removes the values that tell a point.
            fn untell(values: &mut Map<String, Value>) {
                $(columns!(@$kind values, $name);)+
            }
        }
    };
    (@point $values:ident, $name:ident = $value:expr) => {
        $values.insert(stringify!($name).to_owned(), Value::from($value))
    };
    (@point $values:ident, $name:ident) => { $values.remove(stringify!($name)) };
    (@measured $($of:tt)*) => {};
}

columns! { |at, of|
    /// The scenario file's stem.
    point scenario: String = at.plan.scenario.clone();
    /// The name of the curve.
    point series: String = at.series.name.clone();
    /// The topology in one word.
    point topology: String = at.series.topology.clone();
    /// The routing algorithm.
    point routing: String = at.series.routing.name().to_owned();
    /// The traffic pattern.
    point pattern: String = at.series.pattern_name().to_owned();
    /// Terminals of the network.
    point nodes: u32 = at.series.network.living_terminals_count();
    /// The unit of `load`.
    point load_unit: String = at.series.load_unit.clone();
    /// Offered load in `load_unit`, with every digit: `flitsim run --load` repeats the point.
    point load: f64 = at.load.in_unit;
    /// Offered load.
    measured offered_flits: Option<f64> = rounded(of.result.offered_flits);
    /// Accepted load.
    measured accepted_flits: Option<f64> = rounded(of.result.accepted_flits);
    /// Half-width of the accepted load's 95 % confidence interval.
    measured accepted_ci95: Option<f64> = rounded(of.result.accepted_ci95);
    /// Mean latency, from creation to the arrival of the last flit, corrected by what is known of packets.
    measured latency_mean: Option<f64> = of.latency(|latency| latency.mean);
    /// Half-width of the mean latency's 95 % confidence interval.
    measured latency_ci95: Option<f64> = of.latency(|latency| latency.ci95);
    /// Median latency.
    measured latency_p50: Option<f64> = of.latency(|latency| latency.p50);
    /// 95th percentile of the latency.
    measured latency_p95: Option<f64> = of.latency(|latency| latency.p95);
    /// 99th percentile of the latency.
    measured latency_p99: Option<f64> = of.latency(|latency| latency.p99);
    /// Largest latency.
    measured latency_max: Option<f64> = of.latency_max();
    /// Mean latency from the cycle the head flit enters the network.
    measured network_latency_mean: Option<f64> = of.latency(|latency| latency.network_mean);
    /// Mean number of router-to-router channels.
    measured hops_mean: Option<f64> = of.latency(|latency| latency.hops_mean);
    /// Packets measured.
    measured packets_measured: u64 = of.result.packets_measured;
    /// The cycle in which the measurement window begins.
    measured warmup_cycles: u64 = of.result.warmup_cycles;
    /// Cycles simulated.
    measured cycles: u64 = of.result.cycles;
    /// How the point ended.
    measured status: Status = of.result.status;
    /// The scenario's seed.
    point seed: u64 = at.plan.seed;
    /// The throughput of the slowest node, flits per cycle.
    measured accepted_min: Option<f64> = of.fairness(|fairness| Some(fairness.accepted_min));
    /// Jain's index of the throughputs of the nodes that send.
    measured fairness: Option<f64> = of.fairness(|fairness| fairness.index);
    /// Cycles from cycle 0 until the last packet has arrived, where there is a last one.
    measured makespan_cycles: Option<f64> = of.makespan();
    /// Half-width of its 95 % confidence interval over replicas.
    measured makespan_ci95: Option<f64> = of.ci95(of.makespan);
    /// Mean time from the creation of a request to the arrival of its reply, in a closed loop.
    measured round_trip_mean: Option<f64> = of.round_trip.and_then(|mean| rounded(mean.mean));
    /// Half-width of its 95 % confidence interval.
    measured round_trip_ci95: Option<f64> = of.ci95(of.round_trip);
    /// Pairs of a request and a reply measured, in a closed loop.
    measured rounds_measured: Option<u64> = of.rounds;
    /// Mean latency over the packets measured, as they are.
    measured latency_sampled: Option<f64> = of.latency(|latency| latency.sampled);
    /// The series with which the latency is compared: the first with the same arrivals.
    measured compared_with: Option<String> = None;
    /// Its own mean latency less that one's, over the cycles that both measured.
    measured latency_difference: Option<f64> = None;
    /// Half-width of its 95 % confidence interval.
    measured latency_difference_ci95: Option<f64> = None;
    /// Picojoules of what was done in the measurement window, for each packet that left the network in it.
    measured energy_per_packet_pj: Option<f64> = of.energy(|energy| energy.per_packet_pj());
    /// Power of that and of the leakage, in milliwatts.
    measured power_mw: Option<f64> = of.energy(|energy| energy.power_mw());
    /// Power of the leakage alone.
    measured leakage_mw: Option<f64> = of.energy(|energy| Some(energy.leakage_mw));
}

/// The columns of the results of `plan`, in order: [`COLUMNS`], then the keys in which its series differ.
pub fn columns_of(plan: &Plan) -> Vec<&str> {
    let parameters = plan.series.iter().take(1).flat_map(|one| &one.parameters);
    let parameters = parameters.map(|parameter| parameter.name.as_str());
    COLUMNS.into_iter().chain(parameters).collect()
}

/// A point in its plan.
#[derive(Clone, Copy)]
struct At<'a> {
    plan: &'a Plan,
    series: &'a SeriesPlan,
    load: Load,
}

/// What was found at a point.
struct Of<'a> {
    result: &'a PointResult,
    makespan: Option<Mean>,
    round_trip: Option<Mean>,
    rounds: Option<u64>,
    energy: Option<PointEnergy>,
}

impl<'a> Of<'a> {
    fn new(series: &SeriesPlan, result: &'a PointResult) -> Self {
        let workload = result.workload.unwrap_or_default();
        let is_closed_loop = matches!(series.workload, Some(Workload::ClosedLoop { .. }));
        Self {
            result,
            makespan: workload.makespan,
            round_trip: workload.round_trip,
            rounds: is_closed_loop.then_some(workload.rounds),
            energy: PointEnergy::of(series, result),
        }
    }

    fn latency(&self, of: impl Fn(&LatencySummary) -> f64) -> Option<f64> {
        self.result.latency.as_ref().map(of).and_then(rounded)
    }

    fn fairness(&self, of: impl Fn(&Fairness) -> Option<f64>) -> Option<f64> {
        self.result.fairness.as_ref().and_then(of).and_then(rounded)
    }

    fn energy(&self, of: impl Fn(&PointEnergy) -> Option<f64>) -> Option<f64> {
        self.energy.as_ref().and_then(of).and_then(rounded)
    }

    fn latency_max(&self) -> Option<f64> {
        self.result.latency.as_ref().and_then(|of| counted(of.max))
    }

    fn makespan(&self) -> Option<f64> {
        counted(self.makespan?.mean)
    }

    fn ci95(&self, of: Option<Mean>) -> Option<f64> {
        of.and_then(|of| rounded(of.ci95))
    }
}

impl Row {
    /// The row of the point of `series` at `load` whose simulation gave `result`.
    pub fn new(plan: &Plan, series: &SeriesPlan, load: Load, result: &PointResult) -> Self {
        Self::found(At { plan, series, load }, Of::new(series, result))
    }

    /// The row of the point of `series` at `load` from the values by column that
    /// [`Row::measured_json`] gave: what tells the point comes from `plan`, what was measured from
    /// `values`. `None` where a value is missing or of another kind.
    pub fn from_json(
        plan: &Plan,
        series: &SeriesPlan,
        load: Load,
        values: &Map<String, Value>,
    ) -> Option<Self> {
        let mut values = values.clone();
        Self::tell(At { plan, series, load }, &mut values);
        // An absent `Option` would pass for one that is null.
        let is_whole = COLUMNS.iter().all(|&column| values.contains_key(column));
        let row: Self = serde_json::from_value(is_whole.then_some(Value::Object(values))?).ok()?;
        let parameters = series.parameters.clone();
        Some(Self { parameters, ..row })
    }

    /// Sets what its mean latency differs by from that of the series `with`.
    pub fn compare(&mut self, with: &str, difference: Mean) {
        self.compared_with = Some(with.to_owned());
        self.latency_difference = rounded(difference.mean);
        self.latency_difference_ci95 = rounded(difference.ci95);
    }

    /// Calls the row's point by the names that `plan` gives it; it is compared with no other any more.
    pub fn name(&mut self, plan: &Plan, series: &SeriesPlan, load: Load) {
        let named = Self::from_json(plan, series, load, &self.to_json());
        *self = named.expect("a row has every column");
        // It may be none of this plan's series.
        (self.compared_with, self.latency_difference) = (None, None);
        self.latency_difference_ci95 = None;
    }

    /// The fields as `points.csv` has them, in the order of [`columns_of`] the plan.
    pub fn fields(&self) -> Vec<String> {
        let values = self.to_json();
        let own = COLUMNS.iter().map(|column| &values[*column]);
        let parameters = self.parameters.iter().map(|parameter| &parameter.value);
        own.chain(parameters).map(number::field).collect()
    }

    /// The row as JSON, by column; null where there is no value.
    pub fn to_json(&self) -> Map<String, Value> {
        let parameters = self.parameters.iter();
        let parameters = parameters.map(|one| (one.name.clone(), one.value.clone()));
        match serde_json::to_value(self) {
            Ok(Value::Object(values)) => values.into_iter().chain(parameters).collect(),
            _ => unreachable!("a row is an object of texts and numbers"),
        }
    }

    /// Of [`Row::to_json`], what was measured: what tells the point is left out, since a scenario may
    /// call the same point by other names.
    pub fn measured_json(&self) -> Map<String, Value> {
        let mut values = self.to_json();
        Self::untell(&mut values);
        values.retain(|column, _| COLUMNS.contains(&column.as_str()));
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
