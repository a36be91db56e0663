//! `flitsim run`: one operating point of every series.

use super::{CommandError, Console};
use crate::args::{Format, RunArguments};
use crate::progress::{Lines, point};
use flitsim_measure::measurement::details::Detail;
use flitsim_measure::point::{PointResult, Status};
use flitsim_measure::simulate::{Monitor, Progress};
use flitsim_scenario::error::Fault;
use flitsim_scenario::{Overrides, Plan, ScenarioError, SeriesPlan};
use flitsim_sweep::results::Row;
use flitsim_sweep::results::details::{Table, table as table_of};
use flitsim_sweep::threads::Workers;
use flitsim_sweep::{Kernel, Simulator};
use flitsim_topology::memory::Memory;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;
use std::io::Write;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// One point, and how long it took.
struct Timed {
    row: Row,
    result: PointResult,
    wall: Duration,
    details: Vec<(Detail, Table)>,
}

impl Timed {
    fn flit_hops_per_second(&self) -> f64 {
        self.result.flit_hops as f64 / self.wall.as_secs_f64().max(1e-9)
    }

    fn to_json(&self) -> Value {
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

/// Simulates and prints.
///
/// # Errors
/// A scenario that cannot be run, a run that fails or ends in a deadlock, an output that cannot be
/// written.
pub fn run(arguments: &RunArguments, console: &Console) -> Result<(), CommandError> {
    let overrides = Overrides {
        seed: arguments.seed,
        load: arguments.load,
        allow_deadlock: arguments.allow_deadlock,
    };
    let plan = console.read_plan(&arguments.scenario, overrides)?;
    refuse_searched_loads(&plan, "run")?;
    let plan = console.prove(plan, arguments.allow_deadlock)?;
    let workers = Workers::new(None, arguments.threads, arguments.allow_deadlock);
    let kernel = Kernel {
        threads: workers.among(1),
    };
    let mut points = Vec::with_capacity(plan.series.len());
    for series in plan.proved_series() {
        let load = series.loads[0];
        let spinner = Spinner::new(console, &series.name, load.in_unit);
        let start = Instant::now();
        let result = kernel
            .simulate(&series, load, plan.seed, &spinner)
            .map_err(|error| CommandError::Failed(format!("series {}: {error}", series.name)))?;
        let wall = start.elapsed();
        spinner.bar.finish_and_clear();
        let kept = spinner.kept.into_inner().unwrap_or_default();
        console.detail(memory_text(&series, &kept).trim_end());
        points.push(Timed {
            row: Row::new(&plan, &series, load, &result),
            // What is always known, the histogram, is for the report; here it is asked for.
            details: (series.measure.details.iter())
                .filter_map(|detail| Some((detail, table_of(detail, &series, &result)?)))
                .collect(),
            result,
            wall,
        });
    }
    let mut out = anstream::stdout();
    match arguments.format {
        Format::Table => {
            out.write_all(table(&points).as_bytes())?;
            for point in &points {
                out.write_all(details_text(point).as_bytes())?;
            }
        }
        Format::Json => {
            let mut values: Vec<Value> = points.iter().map(Timed::to_json).collect();
            let value = match values.len() {
                1 => values.remove(0),
                _ => Value::Array(values),
            };
            writeln!(out, "{value:#}")?;
        }
    }
    out.flush()?;
    let deadlocked = points.iter().filter(|p| p.row.status == Status::Deadlock);
    let faults: Vec<String> = deadlocked.map(deadlock).collect();
    if faults.is_empty() {
        return Ok(());
    }
    Err(CommandError::Failed(faults.join("\n")))
}

/// A point needs its load: a search is for sweeps, and not for `command`.
pub(super) fn refuse_searched_loads(plan: &Plan, command: &str) -> Result<(), ScenarioError> {
    let Some(auto) = plan.series.iter().find_map(|s| s.loads_auto.as_ref()) else {
        return Ok(());
    };
    let message =
        format!("`flitsim {command}` simulates one load, and `load = \"auto\"` names none");
    let fault = Fault::new(auto.place.clone(), message)
        .label("placed by a search, in a sweep")
        .help("give the load, such as `--load 0.1`; or `flitsim sweep`, or `flitsim saturate`");
    Err(ScenarioError::new(&plan.path, &plan.text, fault))
}

fn deadlock(point: &Timed) -> String {
    let what = point.result.deadlock.as_ref().map_or_else(
        || "deadlock: packets wait on one another for ever".to_owned(),
        |report| report.sentence(usize::MAX),
    );
    format!("series {}: {what}", point.row.series)
}

/// What the network and the point of `series` kept, a line a part: `--verbose` prints it.
fn memory_text(series: &SeriesPlan, kept: &Memory) -> String {
    let nodes = f64::from(series.network.nodes().max(1));
    let mut all = Memory::default();
    for (part, bytes) in series.network.memory().parts() {
        all.add(part, *bytes);
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

/// The cycles and the precision of the point under way, and what it kept.
struct Spinner {
    bar: ProgressBar,
    kept: Mutex<Memory>,
    lines: Option<Lines>,
    series: String,
    load: f64,
}

impl Spinner {
    fn new(console: &Console, series: &str, load: f64) -> Self {
        let bar = ProgressBar::with_draw_target(None, console.progress());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix}: {msg}") {
            bar.set_style(style);
        }
        bar.set_prefix(series.to_owned());
        Self {
            bar,
            lines: console.lines(),
            series: series.to_owned(),
            load,
            kept: Mutex::default(),
        }
    }
}

impl Monitor for Spinner {
    fn progress(&self, progress: Progress) {
        let precision = progress
            .relative_half_width
            .map_or_else(String::new, |(now, wanted)| {
                format!(", ± {:.1} % of {:.1} %", now * 100.0, wanted * 100.0)
            });
        self.bar
            .set_message(format!("cycle {}{precision}", progress.cycles));
        self.bar.tick();
        if let Some(lines) = &self.lines {
            let point = || point(&self.series, self.load, Some(progress));
            lines.write_now_and_then("progress", || serde_json::json!({ "points": [point()] }));
        }
    }

    /// Of several replicas, the last.
    fn memory(&self, memory: &Memory) {
        if let Ok(mut kept) = self.kept.lock() {
            kept.clone_from(memory);
        }
    }
}

/// A line a statistic, a column a series.
fn table(points: &[Timed]) -> String {
    let mut lines = vec![line("", points, |p| p.row.series.clone())];
    lines.extend(scenario_lines(points));
    lines.extend(statistics_lines(points));
    lines.extend(workload_lines(points));
    lines.push(line("speed, flit-hops per second", points, |p| {
        format!("{:.2} million", p.flit_hops_per_second() / 1e6)
    }));
    let label_width = lines
        .iter()
        .map(|l| l[0].chars().count())
        .max()
        .unwrap_or(0);
    let widths: Vec<usize> = (1..=points.len())
        .map(|i| {
            lines
                .iter()
                .map(|l| l[i].chars().count())
                .max()
                .unwrap_or(0)
        })
        .collect();
    let mut text = String::new();
    for line in &lines {
        text.push_str(&format!("{:label_width$}", line[0]));
        for (cell, &width) in line[1..].iter().zip(&widths) {
            text.push_str(&format!("  {cell:>width$}"));
        }
        text.truncate(text.trim_end_matches(' ').len());
        text.push('\n');
    }
    text
}

/// Rows of a table that are printed for people: the whole of it is in the JSON, and in the files of a
/// sweep.
const ROWS_SHOWN_MOST: usize = 16;

/// The details of a point, a table each: of sources those that got least through, of channels the
/// busiest, without their virtual channels.
fn details_text(point: &Timed) -> String {
    let mut text = String::new();
    for (detail, table) in &point.details {
        let mut shown = table.clone();
        let column = |name: &str| table.columns.iter().position(|c| *c == name);
        let number = |row: &[Value], at: usize| row[at].as_f64().unwrap_or(0.0);
        let order = match detail {
            Detail::Sources => {
                if let Some(at) = column("accepted_flits") {
                    let key = |row: &Vec<Value>| number(row, at);
                    shown.rows.sort_by(|a, b| key(a).total_cmp(&key(b)));
                }
                "the slowest first"
            }
            Detail::Channels => {
                if let (Some(vc), Some(at)) = (column("vc"), column("busy")) {
                    shown.rows.retain(|row| row[vc].is_null());
                    let key = |row: &Vec<Value>| number(row, at);
                    shown.rows.sort_by(|a, b| key(b).total_cmp(&key(a)));
                }
                "the busiest first"
            }
            Detail::Histogram => {
                shown.rows = merged_bins(&table.rows);
                ""
            }
            Detail::Classes | Detail::Distances => "",
        };
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

fn line(label: &str, points: &[Timed], cell: impl Fn(&Timed) -> String) -> Vec<String> {
    let mut line = vec![label.to_owned()];
    line.extend(points.iter().map(cell));
    line
}

fn scenario_lines(points: &[Timed]) -> Vec<Vec<String>> {
    vec![
        line("topology", points, |p| p.row.topology.clone()),
        line("routing", points, |p| p.row.routing.clone()),
        line("pattern", points, |p| p.row.pattern.clone()),
        line("load", points, |p| {
            format!("{} {}", p.row.load, p.row.load_unit)
        }),
        line("status", points, |p| p.row.status.as_str().to_owned()),
    ]
}

/// What only traces, batches and closed loops have, where one of them is there.
fn workload_lines(points: &[Timed]) -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    if points.iter().any(|p| p.row.rounds_measured.is_some()) {
        lines.push(line("round trip, cycles: mean", points, |p| {
            interval(p.row.round_trip_mean, p.row.round_trip_ci95)
        }));
        lines.push(line("round trips measured", points, |p| {
            p.row
                .rounds_measured
                .map_or_else(|| "—".to_owned(), |rounds| rounds.to_string())
        }));
    }
    if points.iter().any(|p| p.row.makespan_cycles.is_some()) {
        lines.push(line("makespan, cycles", points, |p| {
            interval(p.row.makespan_cycles, p.row.makespan_ci95)
        }));
    }
    lines
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "—".to_owned(), |v| v.to_string())
}

fn interval(mean: Option<f64>, half: Option<f64>) -> String {
    match half {
        Some(half) => format!("{} ± {half}", number(mean)),
        None => number(mean),
    }
}

fn statistics_lines(points: &[Timed]) -> Vec<Vec<String>> {
    vec![
        line("offered load, flits/node/cycle", points, |p| {
            number(p.row.offered_flits)
        }),
        line("accepted load, flits/node/cycle", points, |p| {
            interval(p.row.accepted_flits, p.row.accepted_ci95)
        }),
        line("  of the slowest node", points, |p| {
            number(p.row.accepted_min)
        }),
        line("  Jain's fairness index", points, |p| {
            number(p.row.fairness)
        }),
        line("latency, cycles: mean", points, |p| {
            interval(p.row.latency_mean, p.row.latency_ci95)
        }),
        line("  median", points, |p| number(p.row.latency_p50)),
        line("  95th percentile", points, |p| number(p.row.latency_p95)),
        line("  99th percentile", points, |p| number(p.row.latency_p99)),
        line("  largest", points, |p| number(p.row.latency_max)),
        line("network latency, cycles: mean", points, |p| {
            number(p.row.network_latency_mean)
        }),
        line("hops: mean", points, |p| number(p.row.hops_mean)),
        line("packets measured", points, |p| {
            p.row.packets_measured.to_string()
        }),
        line("warm-up, cycles", points, |p| {
            p.row.warmup_cycles.to_string()
        }),
        line("simulated, cycles", points, |p| p.row.cycles.to_string()),
    ]
}
