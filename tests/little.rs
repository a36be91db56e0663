//! Little's law: the mean number in the network is the rate at which packets arrive times the mean
//! time that they stay (J. D. C. Little, "A proof for the queuing formula L = λW", Operations
//! Research 9(3), 1961).
//!
//! Each point is simulated by the program, and then again, cycle for cycle, under an observer that
//! counts who is inside and never looks at a latency. A packet is inside from the cycle its head
//! enters the network to the one in which its tail is consumed; so are its flits, each until it is
//! consumed itself. What the observer counts must be
//!
//! - *exactly* the stays of those that left in the window, with what those inside at its two ends
//!   stayed before it and will stay after it: in whole numbers;
//! - the printed accepted load times the printed mean network latency, within their intervals.

use crate::tier;
use flitsim::point::{PointResult, Status};
use flitsim::proof::ProvedSeries;
use flitsim::scenario::plan::{Load, Plan};
use flitsim::scenario::{Overrides, SeriesPlan};
use flitsim::simulate::{NoMonitor, stream_seed};
use flitsim::simulate_point;
use flitsim_random::mix;
use flitsim_simulations::observe;
use flitsim_traffic::Traffic;
use std::path::Path;

const SEED: u64 = 7;

/// The point as the program simulates it. Other tests prove these routings free of deadlock.
fn simulate(series: &SeriesPlan, load: Load) -> PointResult {
    let allowed = ProvedSeries::prove(series, true).expect("nothing is asked");
    simulate_point(&allowed, load, SEED, &NoMonitor).expect("a resolved plan runs")
}

/// A converged point, and what the observer makes of it: whether the printed numbers keep the law,
/// and by how much the latency from creation would miss it, in half-widths of the interval.
fn check(series: &SeriesPlan, flits: f64, point: &PointResult, name: &str) -> (bool, f64) {
    let (start, end) = (point.warmup_cycles, point.cycles);
    let seed = stream_seed(SEED, flits, 0);
    let network = &series.network;
    let mut traffic = Traffic::new(&series.traffic, network, flits, seed).unwrap();
    let relation = series.relation().unwrap();
    let (config, seed) = (&series.engine, mix(seed));
    let seen = observe(network, relation, config, &mut traffic, seed, start..end);
    assert_eq!(seen.flit_hops, point.flit_hops, "another run");
    assert_eq!(seen.packets.area, seen.exact[0], "{name}: packets");
    assert_eq!(seen.flits.area, seen.exact[1], "{name}: flits");
    assert!(seen.packets.left > 0 && seen.packets.area > seen.packets.left);

    let latency = point.latency.unwrap();
    let cycles = (end - start) as f64;
    let nodes = f64::from(series.network.living_terminals_count());
    let flits_a_cycle = point.accepted_flits * nodes;
    let packets_a_cycle = flits_a_cycle / series.traffic.length.mean_flits();
    let packets_inside = seen.packets.area as f64 / cycles;
    let flits_inside = seen.flits.area as f64 / cycles;
    let flit_stay = seen.flits.stays as f64 / seen.flits.left as f64;
    let tolerance = latency.ci95 / latency.mean + point.accepted_ci95 / point.accepted_flits;
    let off = |rate: f64, stay: f64, inside: f64| (rate * stay / inside - 1.0).abs() / tolerance;
    let by_packets = off(packets_a_cycle, latency.network_mean, packets_inside);
    let by_flits = off(flits_a_cycle, flit_stay, flits_inside);
    let holds = by_packets <= 1.0 && by_flits <= 1.0;
    if !holds {
        println!("{name}: {by_packets:.2} and {by_flits:.2} of {tolerance:.4}; {point:?}");
    }
    (holds, off(packets_a_cycle, latency.mean, packets_inside))
}

/// Points that converged, and those of them whose printed numbers keep the law.
#[derive(Debug, Default)]
struct Tally {
    points: u32,
    hold: u32,
}

impl Tally {
    /// The points at the first and the last load of the series.
    fn add(&mut self, series: &SeriesPlan, name: &str) {
        let mut series = series.clone();
        series.measure.relative_error = 0.05;
        for load in series.loads.first().into_iter().chain(series.loads.last()) {
            let point = simulate(&series, *load);
            if point.status == Status::Converged {
                let name = format!("{name}, {} at {}", series.name, load.in_unit);
                let (holds, _) = check(&series, load.flits, &point, &name);
                self.points += 1;
                self.hold += u32::from(holds);
            }
        }
    }
}

#[test]
fn every_family_of_networks_keeps_littles_law() {
    if tier::is_left_out() {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/topologies");
    let mut tally = Tally::default();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|e| e == "toml") {
            let plan = Plan::read(&path, Overrides::default()).unwrap();
            for series in &plan.series {
                tally.add(series, &plan.scenario);
            }
        }
    }
    println!("{tally:?}");
    assert!(tally.points >= 50, "{tally:?}");
    assert_eq!(tally.hold, tally.points, "{tally:?}");
}

/// Routers, switching and traffic of all kinds, on networks of 16 nodes; loads up to near saturation.
const ROUTERS: &str = r#"
[topology]
kind = "torus"
radix = 4
dimensions = 2
[traffic]
packet_flits = 5
[sweep]
load = [0.1, 0.4]
[[series]]
name = "default"
[[series]]
name = "one injection virtual channel"
router.injection_vcs = 1
[[series]]
name = "virtual cut-through"
router.flow_control = "virtual-cut-through"
[[series]]
name = "store-and-forward"
router.flow_control = "store-and-forward"
[[series]]
name = "deep pipelines and long wires"
router = { delay = 3, body_delay = 2, credit_delay = 2, buffer_flits = 16 }
channel.delay = 2
[[series]]
name = "slow channels"
channel.period = 2
sweep.load = [0.1, 0.2]
[[series]]
name = "iSLIP"
router = { allocator = "islip", islip_iterations = 2 }
[[series]]
name = "oldest first, a crossbar of virtual channels"
router = { allocator = "oldest-first", crossbar = "vc" }
[[series]]
name = "random, ports without limits"
router = { allocator = "random", injection = "unlimited", ejection = "unlimited" }
[[series]]
name = "duato"
routing.algorithm = "duato"
[[series]]
name = "valiant"
routing.algorithm = "valiant"
[[series]]
name = "west-first"
topology.kind = "mesh"
routing.algorithm = "west-first"
[[series]]
name = "two lengths"
traffic.packet_flits = { short = 2, long = 18, long_share = 0.25 }
[[series]]
name = "bursts of single flits"
traffic = { process = "on-off", burst_cycles = 20, idle_cycles = 60, packet_flits = 1 }
sweep.load = [0.1, 0.2]
[[series]]
name = "transpose, periodic"
traffic = { pattern = "transpose", process = "periodic" }
sweep.load = [0.1, 0.2]
[[series]]
name = "hot spot"
traffic = { pattern = "hotspot", nodes = [5], fraction = 0.2 }
sweep.load = [0.05, 0.15]
[[series]]
name = "failed node"
faults.nodes = [6]
"#;

#[test]
fn every_router_and_traffic_keeps_littles_law() {
    let plan = Plan::parse(
        Path::new("routers.toml"),
        ROUTERS.to_owned(),
        Overrides::default(),
    );
    let plan = plan.unwrap_or_else(|error| panic!("{error}"));
    let mut tally = Tally::default();
    for series in &plan.series {
        tally.add(series, &plan.scenario);
    }
    println!("{tally:?}");
    assert!(tally.points >= 30, "{tally:?}");
    assert_eq!(tally.hold, tally.points, "{tally:?}");
}

// Where packets wait outside, the latency from creation misses the law by far.
#[test]
fn the_time_in_source_queues_is_not_inside() {
    let text = "[topology]\nkind = \"mesh\"\nradix = 2\ndimensions = 1\n[router]\n\
                virtual_channels = 1\n[traffic]\npacket_flits = 4\n";
    let path = Path::new("channel.toml");
    let plan = Plan::parse(path, text.to_owned(), Overrides::default()).unwrap();
    let series = &plan.series[0];
    let load = Load {
        in_unit: 0.7,
        flits: 0.7,
    };
    let point = simulate(series, load);
    assert_eq!(point.status, Status::Converged);
    let (holds, wrong) = check(series, 0.7, &point, "channel");
    assert!(holds && wrong > 10.0, "{wrong}");
}

/// Of a closed loop what is outstanding is known: a hot terminal takes long to fill, and looks steady meanwhile.
#[test]
fn a_closed_loop_is_measured_once_its_hot_terminal_holds_what_is_outstanding() {
    let text = "[topology]\nkind = \"mesh\"\nradix = 8\ndimensions = 2\n[traffic]\n\
                mode = \"closed-loop\"\noutstanding = 16\npacket_flits = 1\nreply_flits = 5\n\
                service_cycles = 20\npattern = \"hotspot\"\nnodes = [27]\nfraction = 0.1\n[measure]\n\
                relative_error = 0.05\n";
    let path = Path::new("closed.toml");
    let plan = Plan::parse(path, text.to_owned(), Overrides::default()).unwrap();
    let series = &plan.series[0];
    let point = simulate(series, series.loads[0]);
    assert_eq!(point.status, Status::Converged);
    let round_trip = point.workload.unwrap().round_trip.unwrap().mean;
    let outstanding = point.accepted_flits / 6.0 * round_trip;
    assert!((outstanding / 16.0 - 1.0).abs() < 0.025, "{outstanding}");
}
