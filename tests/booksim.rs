//! BookSim2's numbers beside ours: `booksim/zero_load.csv` and `booksim/points.csv` have what it found, each with
//! its configuration; BookSim2 itself is not needed. `docs/booksim.md` says how they were made.

use crate::common::new_packet;
use crate::tier;
use flitsim::proof::ProvedSeries;
use flitsim::scenario::plan::{Load, Plan};
use flitsim::scenario::{Overrides, SeriesPlan};
use flitsim::simulate::NoMonitor;
use flitsim::simulate_point;
use flitsim_engine::analysis::zero_load_latency_cycles;
use flitsim_engine::routing::{DimensionOrder, Tie, vc_range};
use flitsim_engine::{Candidates, Engine, Head, Packet, Probe, Routing, VcMask};
use flitsim_topology::{ChannelId, Grid, NodeId, Xgft};
use flitsim_traffic::Traffic;
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
            "dimension-order",
            ports,
        ),
        "flatfly" => (
            format!("kind = \"hyperx\", sizes = [{radix}, {radix}], terminals = 4"),
            "model = \"linear\"",
            "dimension-order",
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
            "nearest-common-ancestor",
            ports + "\nselection = \"random\"",
        ),
        kind => (
            format!("kind = \"{kind}\", radix = {radix}, dimensions = {dimensions}"),
            match kind {
                "torus" => "delay = 1",
                _ => "delay = 0",
            },
            "dimension-order",
            ejection,
        ),
    }
}

/// The series that says what a row's configuration says.
fn series(row: &Row) -> SeriesPlan {
    let value = |column: &str| row[column].as_str();
    let (routing, speculative) = match value("pipeline") {
        "default" => (1, false),
        "look-ahead" => (0, false),
        "speculative" => (0, true),
        other => panic!("no pipeline is called {other}"),
    };
    let vcs = value("virtual_channels");
    let (topology, wires, algorithm, ends) = network(row);
    let itself = match value("traffic") {
        "uniform" => "self = true",
        _ => "",
    };
    let text = format!(
        "topology = {{ {topology} }}\n\
         channel = {{ {wires} }}\n\
         [router]\n\
         virtual_channels = {vcs}\n{ends}\nbuffer_flits = {}\n\
         pipeline = {{ routing = {routing} }}\nspeculative = {speculative}\ncredit_delay = 2\n\
         vc_allocator = \"{allocator}\"\nswitch_allocator = \"{allocator}\"\n\
         vc_reallocation = \"{}\"\ninjection_buffers = true\n{}\n\
         [routing]\nalgorithm = \"{algorithm}\"\n\
         [traffic]\npattern = \"{}\"\npacket_flits = {}\n{itself}\n\
         [measure]\nrelative_error = 0.01\nmax_cycles = 60_000\nlatency_limit = 5000.0\n\
         [sweep]\nload = [0.1]\n",
        value("buffer_flits"),
        value("vc_reallocation"),
        value("router"),
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

fn simulate(row: &Row) -> Found {
    let series = series(row);
    let flits = number(row, "load");
    let vcs = series.engine.virtual_channels;
    match row["topology"].as_str() {
        "torus" => {
            let torus = series.network.grid().expect("a torus");
            return simulate_with(FixedClasses::new(torus, vcs), &series, flits);
        }
        "fattree" => {
            let tree = series.network.xgft().expect("a k-ary n-tree");
            let routing = DrawnAncestor {
                tree,
                all: vc_range(0, vcs),
            };
            return simulate_with(routing, &series, flits);
        }
        _ => {}
    }
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

/// Dimension order on a torus with the classes that BookSim2's `dim_order_torus` gives packets: the second
/// for a whole ring where the packet enters it at a higher coordinate than that of its destination, else the
/// first (`dor_next_torus`, `routefunc.cpp`). Half of the virtual channels are closed to every packet.
#[derive(Clone, Copy)]
struct FixedClasses<'n> {
    torus: &'n Grid,
    order: DimensionOrder<'n>,
    classes: [VcMask; 2],
}

impl<'n> FixedClasses<'n> {
    fn new(torus: &'n Grid, vcs: u32) -> Self {
        let order = DimensionOrder::new(torus, vcs, Tie::Random, true).expect("a torus");
        Self {
            torus,
            order,
            classes: [vc_range(0, vcs / 2), vc_range(vcs / 2, vcs)],
        }
    }
}

impl Routing for FixedClasses<'_> {
    const DETERMINISTIC: bool = true;

    fn choices(&self, source: NodeId, destination: NodeId) -> u32 {
        self.order.choices(source, destination)
    }

    fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64 {
        self.order.initial(source, destination, choice)
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        let Some(wanted) = self.order.only(head, candidates) else {
            return;
        };
        let dimension = self.torus.step(wanted.channel).dimension;
        let of_ring =
            |&(channel, _): &(ChannelId, u32)| self.torus.step(channel).dimension == dimension;
        let class = match head.arrived.filter(of_ring) {
            Some((_, vc)) => usize::from(self.classes[1] >> vc & 1 == 1),
            None => {
                let [here, there] = [head.node, head.destination]
                    .map(|node| self.torus.coordinate(node, dimension as usize));
                usize::from(here > there)
            }
        };
        candidates.add(wanted.channel, self.classes[class]);
    }
}

/// The nearest common ancestor on a k-ary n-tree, up by channels that are drawn once, whatever waits for
/// them (`fattree_nca`, `routefunc.cpp`).
#[derive(Clone, Copy, Debug)]
struct DrawnAncestor<'n> {
    tree: &'n Xgft,
    all: VcMask,
}

impl Routing for DrawnAncestor<'_> {
    const DETERMINISTIC: bool = true;

    /// The digits of a terminal's number are drawn, one for each level.
    fn choices(&self, _: NodeId, _: NodeId) -> u32 {
        self.tree.terminals()
    }

    fn initial(&self, _: NodeId, _: NodeId, choice: u32) -> u64 {
        u64::from(choice)
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        let up = || {
            let parents = self.tree.up(head.node).count() as u64;
            let digit = head.state / parents.pow(self.tree.level(head.node)) % parents;
            self.tree.up(head.node).nth(digit as usize)
        };
        let way = self.tree.down(head.node, head.destination).or_else(up);
        candidates.add(way.expect("a way"), self.all);
    }
}

/// Batches whose means tell how much is left to chance, and the cycles of each.
const BATCHES: u64 = 10;
const BATCH_CYCLES: u64 = 4_000;

/// By batch: the sum of latencies of the packets created in it, and how many these are.
struct Batches(Vec<(f64, f64)>);

impl Probe for Batches {
    fn packet_delivered(&mut self, arrived: u64, packet: &Packet) {
        // The first two are warm-up.
        let batch = (packet.created / BATCH_CYCLES).checked_sub(2);
        if let Some((sum, count)) = batch.and_then(|batch| self.0.get_mut(batch as usize)) {
            *sum += (arrived - packet.created) as f64;
            *count += 1.0;
        }
    }
}

fn simulate_with(routing: impl Routing, series: &SeriesPlan, flits: f64) -> Found {
    let mut traffic = Traffic::new(&series.traffic, &series.network, flits, 1).expect("traffic");
    let batches = Batches(vec![(0.0, 0.0); BATCHES as usize]);
    let config = series.engine.clone();
    let mut engine = Engine::new(&series.network, routing, config, 1, batches).expect("an engine");
    let end = (BATCHES + 2) * BATCH_CYCLES;
    let mut before = 0;
    // Packets of the last batch get as long again to arrive.
    for cycle in 0..end + BATCH_CYCLES {
        if cycle == 2 * BATCH_CYCLES {
            before = engine.counters().flits_ejected;
        }
        traffic.arrivals(cycle, |arrival| {
            engine.offer(new_packet(&arrival));
        });
        engine.step();
    }
    let measured = (BATCHES + 1) * BATCH_CYCLES * u64::from(series.network.terminals());
    let ejected = engine.counters().flits_ejected - before;
    let means: Vec<f64> = engine
        .probe()
        .0
        .iter()
        .map(|(sum, count)| sum / count)
        .collect();
    let mean = means.iter().sum::<f64>() / means.len() as f64;
    let squares = means.iter().map(|m| (m - mean) * (m - mean)).sum::<f64>();
    let error = (squares / (means.len() * (means.len() - 1)) as f64).sqrt();
    Found {
        latency: (mean, 2.26 * error),
        accepted: (ejected as f64 / measured as f64, 0.0),
    }
}

#[test]
fn a_packet_alone_takes_as_long_as_in_booksim() {
    for row in rows("zero_load.csv") {
        let series = series(&row);
        let (hops, flits) = (
            number(&row, "hops") as u32,
            number(&row, "packet_flits") as u32,
        );
        // Those of the nearest are of two cycles where any are longer than one.
        let is_long = ["torus", "cmesh", "flatfly"].contains(&row["topology"].as_str());
        let wire = u64::from(hops) * u64::from(is_long);
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
    let count = tier::cases(rows.len() as u64) as usize;
    let mut apart = Vec::new();
    for row in rows.iter().step_by(rows.len().div_ceil(count)) {
        let found = simulate(row);
        let (theirs, fraction) = (number(row, "found"), number(row, "fraction"));
        let (ours, interval, tolerance) = match row["quantity"].as_str() {
            "accepted" => (found.accepted.0, found.accepted.1, 0.05),
            _ => {
                let tolerance = if fraction > 0.85 { 0.04 } else { 0.015 };
                (
                    found.latency.0 + INJECTION_CYCLES,
                    found.latency.1,
                    tolerance,
                )
            }
        };
        let both = number(row, "ci95") + interval;
        let is_near = (ours - theirs).abs() <= both.max(tolerance * theirs);
        // What is apart, `docs/booksim.md` explains.
        if !is_near && row["agrees"] == "yes" {
            apart.push(format!("{theirs} there, {ours} here: {row:?}"));
        }
    }
    assert!(apart.is_empty(), "{}", apart.join("\n"));
}
