//! What a point tells beyond its row, as tables: the files `classes.csv`, `distances.csv`,
//! `sources.csv`, `histogram.csv` and `channels.csv` of a sweep, and the `details` of `flitsim run`.
//!
//! Invariant: every number is rounded as it is printed, as in [`Row`]. Latencies and loads are in
//! reference cycles; shares of time, of what the channel or the run itself counts.

use super::folder::csv_line;
use super::number;
use super::row::Row;
use flitsim_measure::measurement::details::{BufferTotal, Detail, GroupTotal, PointDetails};
use flitsim_measure::point::{LatencyBucket, PointResult};
use flitsim_scenario::SeriesPlan;
use flitsim_topology::{ChannelId, Direction, Network, NodeId};
use serde_json::{Map, Value};
use std::io::{self, Write};

/// How many columns say which point a row of a file belongs to.
pub(super) const COLUMNS_OF_POINT: usize = 4;

/// They.
const POINT: [&str; COLUMNS_OF_POINT] = ["scenario", "series", "load_unit", "load"];

const CLASSES: &[&str] = &[
    "class",
    "name",
    "accepted_flits",
    "packets_measured",
    "latency_mean",
    "latency_ci95",
    "latency_p50",
    "latency_p95",
    "latency_p99",
    "latency_max",
    "network_latency_mean",
    "hops_mean",
];

const DISTANCES: &[&str] = &[
    "hops",
    "packets_measured",
    "latency_mean",
    "latency_ci95",
    "latency_max",
    "network_latency_mean",
];

const SOURCES: &[&str] = &[
    "node",
    "created_flits",
    "accepted_flits",
    "received_flits",
    "packets_measured",
    "latency_mean",
    "latency_ci95",
    "latency_max",
    "network_latency_mean",
    "hops_mean",
];

const HISTOGRAM: &[&str] = &["latency_low", "latency_high", "packets", "cumulative"];

const CHANNELS: &[&str] = &[
    "channel",
    "from",
    "to",
    "dimension",
    "direction",
    "level",
    "vc",
    "utilisation",
    "busy",
    "occupancy_mean",
    "occupied",
];

/// The file of `detail`.
pub const fn file(detail: Detail) -> &'static str {
    match detail {
        Detail::Classes => "classes.csv",
        Detail::Distances => "distances.csv",
        Detail::Sources => "sources.csv",
        Detail::Histogram => "histogram.csv",
        Detail::Channels => "channels.csv",
    }
}

/// The columns of `detail`, those that say which point left out.
pub(super) const fn columns(detail: Detail) -> &'static [&'static str] {
    match detail {
        Detail::Classes => CLASSES,
        Detail::Distances => DISTANCES,
        Detail::Sources => SOURCES,
        Detail::Histogram => HISTOGRAM,
        Detail::Channels => CHANNELS,
    }
}

/// The first line of the file of `detail`.
pub fn header(detail: Detail) -> Vec<u8> {
    csv_line(POINT.iter().chain(columns(detail)))
}

/// Rows of values: texts, numbers, or null where there is no value.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// What the values of a row are.
    pub columns: &'static [&'static str],
    /// The rows.
    pub rows: Vec<Vec<Value>>,
}

impl Table {
    /// The rows as lines, without what says which point they belong to: a scenario may call it by
    /// other names.
    pub fn to_csv(&self) -> Vec<u8> {
        let lines = self.rows.iter();
        lines
            .flat_map(|row| csv_line(row.iter().map(text)))
            .collect()
    }

    /// An object a row.
    pub fn to_json(&self) -> Value {
        let object = |row: &Vec<Value>| {
            let names = self.columns.iter().map(|&name| name.to_owned());
            Value::Object(names.zip(row.iter().cloned()).collect::<Map<_, _>>())
        };
        self.rows.iter().map(object).collect()
    }

    /// Aligned columns for people; those without a value in any row are left out.
    pub fn to_text(&self) -> String {
        let used = |column: &usize| self.rows.iter().any(|row| !row[*column].is_null());
        let used: Vec<usize> = (0..self.columns.len()).filter(used).collect();
        let header = used.iter().map(|&c| self.columns[c].to_owned()).collect();
        let mut lines: Vec<Vec<String>> = vec![header];
        lines.extend(self.rows.iter().map(|row| {
            let cell = |&c: &usize| match text(&row[c]) {
                empty if empty.is_empty() => "—".to_owned(),
                text => text,
            };
            used.iter().map(cell).collect()
        }));
        let width = |c: usize| lines.iter().map(|line| line[c].chars().count()).max();
        let widths: Vec<usize> = (0..used.len()).map(|c| width(c).unwrap_or(0)).collect();
        let mut page = String::new();
        for line in &lines {
            for (cell, width) in line.iter().zip(&widths) {
                page.push_str(&format!("  {cell:>width$}"));
            }
            page.push('\n');
        }
        page
    }
}

/// Writes the lines `rows`, each behind what says that its point is that of `row`.
///
/// # Errors
/// Those of `to`, and lines that cannot be read.
pub fn write_rows(row: &Row, rows: &[u8], to: &mut impl Write) -> io::Result<()> {
    let load = number::text(Some(row.load));
    let point = [&row.scenario, &row.series, &row.load_unit, &load];
    let mut lines = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(rows);
    let mut writer = csv::Writer::from_writer(to);
    let mut line = csv::StringRecord::new();
    while lines.read_record(&mut line)? {
        writer.write_record(point.into_iter().map(String::as_str).chain(&line))?;
    }
    writer.flush()
}

/// A value as CSV has it.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Number(n) if n.is_f64() => number::text(n.as_f64()),
        other => other.to_string(),
    }
}

/// A measured number; null where there is none.
fn real(value: Option<f64>) -> Value {
    value
        .and_then(number::rounded)
        .map_or(Value::Null, Value::from)
}

/// What `result`, that of a point of `series`, tells of `detail`; `None` where it was not asked for.
pub fn table(detail: Detail, series: &SeriesPlan, result: &PointResult) -> Option<Table> {
    let point = || {
        Some(Point {
            series,
            details: result.details.as_deref()?,
            // Past saturation a latency would only tell how long the run was.
            has_latency: result.latency.is_some(),
        })
    };
    let rows = match detail {
        Detail::Classes => point()?.classes()?,
        Detail::Distances => point()?.distances()?,
        Detail::Sources => point()?.sources()?,
        // Counted for every point, whatever was asked for.
        Detail::Histogram => histogram(result),
        Detail::Channels => point()?.channels()?,
    };
    Some(Table {
        columns: columns(detail),
        rows,
    })
}

/// How often each latency was seen.
fn histogram(result: &PointResult) -> Rows {
    let buckets = &result.latency_buckets;
    let all: u64 = buckets.iter().map(|bucket| bucket.packets).sum();
    let mut seen = 0;
    let row = |bucket: &LatencyBucket| {
        seen += bucket.packets;
        vec![
            real(Some(bucket.low)),
            real(Some(bucket.high)),
            bucket.packets.into(),
            real(Some(seen as f64 / all as f64)),
        ]
    };
    buckets.iter().map(row).collect()
}

struct Point<'a> {
    series: &'a SeriesPlan,
    details: &'a PointDetails,
    has_latency: bool,
}

type Rows = Vec<Vec<Value>>;

impl Point<'_> {
    /// A latency in simulated cycles, in reference cycles.
    fn latency(&self, cycles: Option<f64>) -> Value {
        let cycles = cycles.filter(|_| self.has_latency);
        real(cycles.map(|cycles| cycles * self.details.cycle_time))
    }

    fn latency_mean_and_ci95(&self, group: &GroupTotal) -> [Value; 2] {
        [group.latency_mean(), group.latency_ci95()].map(|cycles| self.latency(cycles))
    }

    fn latency_max(&self, group: &GroupTotal) -> Value {
        self.latency(group.latency_max().map(|cycles| cycles as f64))
    }

    fn network_latency(&self, group: &GroupTotal) -> Value {
        self.latency(group.network_latency_mean())
    }

    /// Flits in the window, per reference cycle.
    fn rate(&self, flits: u64) -> Option<f64> {
        let cycles = self.details.window_cycles as f64 * self.details.cycle_time;
        (cycles > 0.0).then(|| flits as f64 / cycles)
    }

    fn classes(&self) -> Option<Rows> {
        let nodes = f64::from(self.series.network.living_terminals_count());
        let classes = self.details.classes.as_ref()?;
        let row = |(number, class): (u64, &flitsim_measure::measurement::details::ClassTotal)| {
            let group = &class.group;
            let percentile = |quantile| self.latency(class.histogram.percentile(quantile));
            let [mean, ci95] = self.latency_mean_and_ci95(group);
            vec![
                number.into(),
                class.name.as_str().into(),
                real(self.rate(class.accepted_flits).map(|rate| rate / nodes)),
                group.packets().into(),
                mean,
                ci95,
                percentile(0.50),
                percentile(0.95),
                percentile(0.99),
                self.latency_max(group),
                self.network_latency(group),
                real(group.hops_mean()),
            ]
        };
        Some((1..).zip(classes).map(row).collect())
    }

    fn distances(&self) -> Option<Rows> {
        let distances = self.details.distances.as_ref()?;
        let there = (0u64..).zip(distances).filter(|(_, g)| g.packets() > 0);
        let row = |(hops, group): (u64, &GroupTotal)| {
            let [mean, ci95] = self.latency_mean_and_ci95(group);
            vec![
                hops.into(),
                group.packets().into(),
                mean,
                ci95,
                self.latency_max(group),
                self.network_latency(group),
            ]
        };
        Some(there.map(row).collect())
    }

    fn sources(&self) -> Option<Rows> {
        let network = &*self.series.network;
        let sources = self.details.sources.as_ref()?;
        let row = |node: NodeId| {
            let source = &sources[node.index()];
            let group = &source.group;
            let [mean, ci95] = self.latency_mean_and_ci95(group);
            vec![
                name(network, node),
                real(self.rate(source.created_flits)),
                real(self.rate(source.accepted_flits)),
                real(self.rate(source.received_flits)),
                group.packets().into(),
                mean,
                ci95,
                self.latency_max(group),
                self.network_latency(group),
                real(group.hops_mean()),
            ]
        };
        Some(network.living_terminals().map(row).collect())
    }

    fn channels(&self) -> Option<Rows> {
        let network = &*self.series.network;
        let totals = self.details.channels.as_ref()?;
        let cycles = self.details.window_cycles as f64;
        let share = |sum: u64| (cycles > 0.0).then(|| sum as f64 / cycles);
        let mut rows = Vec::new();
        for channel in (0..network.channels()).map(ChannelId) {
            let period = f64::from(self.series.engine.channel_period_of(channel));
            let mut which = vec![
                channel.0.into(),
                name(network, network.source(channel)),
                name(network, network.target(channel)),
            ];
            which.extend(place(network, channel));
            let mut push = |vc: Option<u32>, total: BufferTotal| {
                let mut row = which.clone();
                let sent = share(total.sent_flits);
                row.extend([
                    vc.map_or(Value::Null, Value::from),
                    real(sent),
                    real(sent.map(|flits| flits * period)),
                    real(share(total.flit_cycles)),
                    real(share(total.occupied_cycles)),
                ]);
                rows.push(row);
            };
            push(None, totals.channel(channel));
            for vc in 0..totals.virtual_channels() {
                push(Some(vc), totals.virtual_channel(channel, vc));
            }
        }
        Some(rows)
    }
}

/// A node by its name: a number where it has none.
fn name(network: &Network, node: NodeId) -> Value {
    match network.annotations().and_then(|a| a.names.as_ref()) {
        Some(_) => Value::from(&*network.name(node)),
        None => Value::from(node.0),
    }
}

/// The dimension, direction and level of `channel`, where the family has such.
fn place(network: &Network, channel: ChannelId) -> [Value; 3] {
    let course = network.course(channel);
    let direction = course.direction.map(|direction| match direction {
        Direction::Up => "+",
        Direction::Down => "-",
    });
    [
        course.dimension.into(),
        direction.into(),
        course.level.into(),
    ]
}
