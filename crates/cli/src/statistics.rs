//! What one point of each series gave: a table for people, JSON for programs.

use crate::aligned::columns;
use flitsim_measure::measurement::details::Detail;
use flitsim_measure::point::PointResult;
use flitsim_scenario::SeriesPlan;
use flitsim_sweep::results::Row;
use flitsim_sweep::results::details::Table;
use flitsim_sweep::results::number::with_interval;
use flitsim_topology::memory::Memory;
use serde_json::Value;
use std::time::Duration;

/// One point, and how long it took.
pub struct Timed {
    /// Its statistics.
    pub row: Row,
    /// What they are computed from.
    pub result: PointResult,
    /// How long it took.
    pub wall: Duration,
    /// What the scenario asks for besides.
    pub details: Vec<(Detail, Table)>,
}

impl Timed {
    fn flit_hops_per_second(&self) -> f64 {
        self.result.flit_hops as f64 / self.wall.as_secs_f64().max(1e-9)
    }

    /// As JSON, by column.
    pub fn to_json(&self) -> Value {
        let mut object = self.row.to_json();
        let wall = self.wall.as_secs_f64();
        object.insert("wall_seconds".to_owned(), wall.into());
        object.insert("flit_hops".to_owned(), self.result.flit_hops.into());
        let speed = self.flit_hops_per_second();
        object.insert("flit_hops_per_second".to_owned(), speed.into());
        if !self.details.is_empty() {
            let tables = self.details.iter();
            let tables = tables.map(|(detail, table)| (detail.name().to_owned(), table.to_json()));
            object.insert("details".to_owned(), Value::Object(tables.collect()));
        }
        Value::Object(object)
    }
}

/// A statistic: its label, and its value at a point.
type Statistic = (&'static str, fn(&Timed) -> String);

const STATISTICS: [Statistic; 21] = [
    ("", |p| p.row.series.clone()),
    ("topology", |p| p.row.topology.clone()),
    ("routing", |p| p.row.routing.clone()),
    ("pattern", |p| p.row.pattern.clone()),
    ("load", |p| format!("{} {}", p.row.load, p.row.load_unit)),
    ("status", |p| p.row.status.as_str().to_owned()),
    ("offered load, flits/node/cycle", |p| {
        number(p.row.offered_flits)
    }),
    ("accepted load, flits/node/cycle", |p| {
        interval(p.row.accepted_flits, p.row.accepted_ci95)
    }),
    ("  of the slowest node", |p| number(p.row.accepted_min)),
    ("  Jain's fairness index", |p| number(p.row.fairness)),
    ("latency, cycles: mean", |p| {
        interval(p.row.latency_mean, p.row.latency_ci95)
    }),
    ("  of the packets in the sample", |p| {
        number(p.row.latency_sampled)
    }),
    ("  median", |p| number(p.row.latency_p50)),
    ("  95th percentile", |p| number(p.row.latency_p95)),
    ("  99th percentile", |p| number(p.row.latency_p99)),
    ("  largest", |p| number(p.row.latency_max)),
    ("network latency, cycles: mean", |p| {
        number(p.row.network_latency_mean)
    }),
    ("hops: mean", |p| number(p.row.hops_mean)),
    ("packets measured", |p| p.row.packets_measured.to_string()),
    ("warm-up, cycles", |p| p.row.warmup_cycles.to_string()),
    ("simulated, cycles", |p| p.row.cycles.to_string()),
];

/// Of closed loops.
const ROUND_TRIPS: [Statistic; 2] = [
    ("round trip, cycles: mean", |p| {
        interval(p.row.round_trip_mean, p.row.round_trip_ci95)
    }),
    ("round trips measured", |p| {
        let rounds = p.row.rounds_measured;
        rounds.map_or_else(|| "—".to_owned(), |rounds| rounds.to_string())
    }),
];

/// Of traces and batches.
const MAKESPAN: Statistic = ("makespan, cycles", |p| {
    interval(p.row.makespan_cycles, p.row.makespan_ci95)
});

/// Where a scenario asks for energy.
const ENERGY: [Statistic; 3] = [
    ("energy of a packet, pJ", |p| {
        number(p.row.energy_per_packet_pj)
    }),
    ("power, mW", |p| number(p.row.power_mw)),
    ("  of it leakage", |p| number(p.row.leakage_mw)),
];

const SPEED: Statistic = ("speed, flit-hops per second", |p| {
    format!("{:.2} million", p.flit_hops_per_second() / 1e6)
});

/// A line a statistic, a column a series.
pub fn table(points: &[Timed]) -> String {
    let mut statistics = STATISTICS.to_vec();
    if points.iter().any(|p| p.row.rounds_measured.is_some()) {
        statistics.extend(ROUND_TRIPS);
    }
    if points.iter().any(|p| p.row.makespan_cycles.is_some()) {
        statistics.push(MAKESPAN);
    }
    if points.iter().any(|p| p.row.power_mw.is_some()) {
        statistics.extend(ENERGY);
    }
    statistics.push(SPEED);
    let line = |(label, cell): &Statistic| {
        let label = std::iter::once((*label).to_owned());
        label.chain(points.iter().map(cell)).collect()
    };
    columns(&statistics.iter().map(line).collect::<Vec<_>>())
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "—".to_owned(), |v| v.to_string())
}

fn interval(mean: Option<f64>, half: Option<f64>) -> String {
    match (mean, half) {
        (Some(mean), Some(half)) => with_interval(mean, half),
        _ => number(mean),
    }
}

/// Rows of a table that are printed for people: the whole of it is in the JSON, and in the files of a
/// sweep.
const ROWS_SHOWN_MOST: usize = 16;

/// The details of a point, a table each.
pub fn details_text(point: &Timed) -> String {
    let mut text = String::new();
    for (detail, table) in &point.details {
        let (mut shown, order) = table.clone().foremost_first(*detail);
        if *detail == Detail::Histogram {
            shown.rows = merged_bins(&table.rows);
        }
        let all = shown.rows.len();
        shown.rows.truncate(ROWS_SHOWN_MOST);
        let mut title = format!("{}, {}", point.row.series, detail.name());
        if !order.is_empty() {
            title += &format!(", {order}");
        }
        if all > ROWS_SHOWN_MOST {
            title += &format!(" ({ROWS_SHOWN_MOST} of {all}; all with --format json)");
        }
        text += &format!("\n{title}\n{}", shown.to_text());
    }
    text
}

/// The bins of a histogram, neighbours merged until few are left: from the least latency of the first
/// to the largest of the last, their packets, and the share of packets up to there.
fn merged_bins(rows: &[Vec<Value>]) -> Vec<Vec<Value>> {
    let each = rows.len().div_ceil(ROWS_SHOWN_MOST).max(1);
    let merged = |bins: &[Vec<Value>]| {
        let last = &bins[bins.len() - 1];
        let packets: u64 = bins.iter().filter_map(|bin| bin[2].as_u64()).sum();
        vec![
            bins[0][0].clone(),
            last[1].clone(),
            packets.into(),
            last[3].clone(),
        ]
    };
    rows.chunks(each).map(merged).collect()
}

/// What the network and the point of `series` kept, a line a part: `--verbose` prints it.
pub fn memory_text(series: &SeriesPlan, kept: &Memory) -> String {
    let nodes = f64::from(series.network.nodes().max(1));
    let mut all = Memory::default();
    for (part, bytes) in series.network.memory().parts() {
        all.add(part, *bytes);
    }
    match series.routing_tables.bytes() {
        0 => {}
        bytes => all.add("routing tables", bytes),
    }
    all.extend(kept);
    let width = all.parts().iter().map(|(part, _)| part.len()).max();
    let width = width.unwrap_or(0).max("total".len());
    let line = |part: &str, bytes: u64| {
        let each = bytes as f64 / nodes;
        format!("  {part:width$}  {bytes:>14}  {each:>10.1}\n")
    };
    let mut text = format!(
        "{}: memory by part\n  {:width$}  {:>14}  {:>10}\n",
        series.name, "", "bytes", "a node"
    );
    for &(part, bytes) in all.parts() {
        text += &line(part, bytes);
    }
    text + &line("total", all.total())
}
