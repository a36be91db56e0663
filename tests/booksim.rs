//! BookSim2's numbers beside ours: `booksim/zero_load.csv` and `booksim/points.csv` have what it found, each with
//! its configuration; BookSim2 itself is not needed. `docs/booksim.md` says how they were made.

use crate::tier;
use flitsim::proof::ProvedSeries;
use flitsim::scenario::plan::{Load, Plan};
use flitsim::scenario::{Overrides, SeriesPlan};
use flitsim::simulate::NoMonitor;
use flitsim::simulate_point;
use flitsim_analysis::zero_load_latency_cycles;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// BookSim2 counts from the source queue over an injection channel, which takes two cycles; flitsim begins
/// in the injection buffer.
const INJECTION_CYCLES: f64 = 2.0;

/// A line of a table, by column.
type Row = BTreeMap<String, String>;

fn rows(file: &str) -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/booksim")
        .join(file);
    let text = fs::read_to_string(path).expect("a table");
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned));
    let names: Vec<String> = lines.next().expect("names of columns").collect();
    lines
        .map(|values| names.iter().cloned().zip(values).collect())
        .collect()
}

fn number(row: &Row, column: &str) -> f64 {
    let value = row[column].parse();
    value.unwrap_or_else(|_| panic!("`{column}` of {row:?} is no number"))
}

/// What a row says in `[topology]`, `[channel]` and `[routing]`, and in `[router]` of terminals.
fn network(row: &Row) -> (String, &'static str, &'static str, String) {
    let value = |column: &str| row[column].as_str();
    let (radix, dimensions) = (value("radix"), value("dimensions"));
    let ejection = format!("ejection_vcs = {}", value("virtual_channels"));
    let ports = "terminal_ports = true".to_owned();
    match value("topology") {
        "cmesh" => (
            format!("kind = \"mesh\", radix = {radix}, dimensions = {dimensions}, terminals = 4"),
            "model = \"linear\"",
            match value("routing") {
                "xy_yx_no_express" => "o1turn",
                _ => "dimension-order",
            },
            ports,
        ),
        "flatfly" => (
            format!("kind = \"hyperx\", sizes = [{radix}, {radix}], terminals = 4"),
            "model = \"linear\"",
            match value("routing") {
                "xyyx" => "o1turn",
                "valiant" => "valiant",
                _ => "dimension-order",
            },
            ports,
        ),
        "fly" => (
            format!("kind = \"butterfly\", arity = {radix}, stages = {dimensions}"),
            "delay = 0",
            "destination-tag",
            ports,
        ),
        "fattree" => (
            format!("kind = \"fat-tree\", arity = {radix}, levels = {dimensions}"),
            "delay = 0",
            "nearest-common-ancestor\"\nascent = \"drawn",
            ports,
        ),
        "dragonflynew" => (
            format!(
                "kind = \"dragonfly\", routers = {}, global_channels = {radix}, terminals = {radix}, \
                 arrangement = \"absolute\"",
                2 * number(row, "radix") as u32
            ),
            "delay = 9, global_delay = 99, terminal_delay = 0",
            "minimal\"\ngroup_classes = \"dateline",
            ports,
        ),
        kind => {
            let (wires, algorithm) = match (kind, value("routing")) {
                ("torus", "dim_order_bal") => {
                    ("delay = 1", "dimension-order\"\nring_classes = \"drawn")
                }
                ("torus", _) => ("delay = 1", "dimension-order\"\nring_classes = \"fixed"),
                (_, "xy_yx") => ("delay = 0", "o1turn"),
                (_, "romm") => ("delay = 0", "romm"),
                (_, "min_adapt") => ("delay = 0", "dimension-order\"\nescape = \"dimension-order"),
                _ => ("delay = 0", "dimension-order"),
            };
            let grid = format!("kind = \"{kind}\", radix = {radix}, dimensions = {dimensions}");
            (grid, wires, algorithm, ejection)
        }
    }
}

/// The series that says what a row's configuration says.
fn series(row: &Row, relative_error: f64) -> SeriesPlan {
    let value = |column: &str| row[column].as_str();
    let (routing, speculative) = match value("pipeline") {
        "default" => (1, false),
        "look-ahead" => (0, false),
        "speculative" => (0, true),
        other => panic!("no pipeline is called {other}"),
    };
    let vcs = value("virtual_channels");
    let (topology, wires, algorithm, ends) = network(row);
    let more = match value("traffic") {
        "uniform" => "self = true",
        "hotspot" => "nodes = [0, 27]\nfraction = 1.0\nself = true",
        _ => "",
    };
    // What else a row says of its routers, `;` between.
    let router = value("router").replace(';', "\n");
    let credits = match router.contains("credit_delay") {
        true => "",
        false => "credit_delay = 2",
    };
    let text = format!(
        "topology = {{ {topology} }}\n\
         channel = {{ {wires} }}\n\
         [router]\n\
         virtual_channels = {vcs}\n{ends}\nbuffer_flits = {}\n\
         pipeline = {{ routing = {routing} }}\nspeculative = {speculative}\n{credits}\n\
         vc_allocator = \"{allocator}\"\nswitch_allocator = \"{allocator}\"\n\
         input_arbiter = \"round-robin\"\nwavefront = \"rotating\"\n\
         vc_reallocation = \"{}\"\ninjection_buffers = true\n{}\n\
         [routing]\nalgorithm = \"{algorithm}\"\n\
         [traffic]\npattern = \"{}\"\npacket_flits = {}\n{more}\n\
         [measure]\nrelative_error = {relative_error}\nmax_cycles = 60_000\nlatency_limit = 5000.0\n\
         [sweep]\nload = [0.1]\n",
        value("buffer_flits"),
        value("vc_reallocation"),
        router,
        value("traffic"),
        value("packet_flits"),
        allocator = value("allocator"),
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("booksim.toml");
    fs::write(&path, text).expect("a scenario");
    let plan = Plan::read(&path, Overrides::default()).unwrap_or_else(|error| panic!("{error}"));
    plan.series.into_iter().next().expect("a series")
}

/// What was found at a load: mean latency in cycles, flits accepted a node and cycle, and the half-width of
/// the 95 % interval of each.
struct Found {
    latency: (f64, f64),
    accepted: (f64, f64),
}

fn simulate(row: &Row, relative_error: f64) -> Found {
    let series = series(row, relative_error);
    let flits = number(row, "load");
    let load = Load {
        in_unit: flits,
        flits,
    };
    let proved = ProvedSeries::prove(&series, false).expect("free of deadlock");
    let point = simulate_point(&proved, load, 1, &NoMonitor).expect("a resolved plan runs");
    // Beyond saturation there is none.
    let latency = point.latency.as_ref();
    Found {
        latency: latency.map_or((f64::NAN, 0.0), |found| (found.mean, found.ci95)),
        accepted: (point.accepted_flits, point.accepted_ci95),
    }
}

#[test]
fn a_packet_alone_takes_as_long_as_in_booksim() {
    for row in rows("zero_load.csv") {
        let series = series(&row, 0.01);
        let (hops, flits) = (
            number(&row, "hops") as u32,
            number(&row, "packet_flits") as u32,
        );
        let wire = match (row["topology"].as_str(), hops) {
            // Those of the nearest are of two cycles where any are longer than one.
            ("torus" | "cmesh" | "flatfly", _) => u64::from(hops),
            // From group to group, and the farthest over a channel within either.
            ("dragonflynew", 1..) => 99 + 9 * u64::from(hops - 1),
            _ => 0,
        };
        let channels = hops + if series.engine.terminal_ports { 2 } else { 0 };
        let cycles = zero_load_latency_cycles(&series.engine, channels, wire, flits);
        assert_eq!(
            cycles as f64 + INJECTION_CYCLES,
            number(&row, "latency"),
            "{row:?}"
        );
    }
}

/// Latencies within 1.5 % up to 80 % of saturation and within 4 % at 90 %, or within both intervals; what is
/// accepted of a load of one flit a node and cycle within 5 %.
#[test]
fn latencies_and_throughputs_are_booksims() {
    let rows = rows("points.csv");
    let count = tier::one_in(20, rows.len() as u64) as usize;
    let mut apart = Vec::new();
    // By an odd number: the points of a configuration are four.
    for row in rows.iter().step_by(rows.len().div_ceil(count) | 1) {
        let (theirs, fraction) = (number(row, "found"), number(row, "fraction"));
        let is_latency = row["quantity"] == "latency";
        let tolerance = match is_latency {
            true if fraction > 0.85 => 0.04,
            true => 0.015,
            false => 0.05,
        };
        let found = simulate(row, f64::max(tolerance / 2.0, 0.01));
        let (ours, interval) = match is_latency {
            true => (found.latency.0 + INJECTION_CYCLES, found.latency.1),
            false => found.accepted,
        };
        let both = number(row, "ci95") + interval;
        let is_near = (ours - theirs).abs() <= both.max(tolerance * theirs);
        if !is_near {
            apart.push(format!("{theirs} there, {ours} here: {row:?}"));
        }
    }
    assert!(apart.is_empty(), "{}", apart.join("\n"));
}
