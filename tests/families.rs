//! Every family of networks through the whole program: each scenario under scenarios/topologies
//! converges below saturation, delivers what is offered over as many hops as its routing says, and
//! never more than its busiest channel passes.

use crate::tier;
use flitsim::dispatch::expected_of;
use flitsim::point::{PointResult, Status};
use flitsim::proof::ProvedSeries;
use flitsim::scenario::{Load, Overrides, Plan, SeriesPlan};
use flitsim::simulate::NoMonitor;
use flitsim::simulate_point;
use flitsim::topology::ChannelId;
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/topologies")
}

fn plan(stem: &str) -> Plan {
    let path = folder().join(format!("{stem}.toml"));
    Plan::read(&path, Overrides::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn simulate(series: &SeriesPlan, flits: f64) -> PointResult {
    let load = Load {
        in_unit: flits,
        flits,
    };
    let proved = ProvedSeries::prove(series, false).expect("free of deadlock");
    simulate_point(&proved, load, 5, &NoMonitor).expect("a resolved plan runs")
}

/// Simulates every series of the scenario: all its loads, and one past saturation. `series` is each
/// algorithm with the mean hops between different terminals, where a closed form or a count by hand
/// gives them.
fn check(stem: &str, series: &[(&str, Option<f64>)]) {
    let plan = plan(stem);
    assert!(plan.warnings.is_empty(), "{stem}: {:?}", plan.warnings);
    assert_eq!(plan.series.len(), series.len(), "{stem}");
    for (series, &(routing, hops)) in plan.series.iter().zip(series) {
        let name = format!("{stem}, {}", series.name);
        assert_eq!(series.routing.name(), routing, "{name}");
        let expected = expected_of(series).expect("a routing that delivers");
        if let Some(hops) = hops {
            let difference = expected.hops_mean - hops;
            assert!(difference.abs() < 1e-9, "{name}: {}", expected.hops_mean);
        }
        let zero_load = expected.zero_load_latency_mean(4);
        assert_eq!(series.loads.len(), 3, "{name}");
        for load in &series.loads {
            assert!(load.flits < expected.ideal_throughput, "{name}");
            let point = simulate(series, load.flits);
            assert_eq!(point.status, Status::Converged, "{name}: {point:?}");
            // Twice the half-width of a 95 % interval: four standard errors.
            let missing = (point.accepted_flits - load.flits).abs();
            assert!(missing <= 2.0 * point.accepted_ci95, "{name}: {point:?}");
            let latency = point.latency.expect("a converged point has latencies");
            let at_terminals = f64::from(series.network.hops_at_terminals());
            let hops = (latency.hops_mean + at_terminals) / expected.hops_mean;
            assert!((hops - 1.0).abs() < 0.03, "{name}: {hops} of the hops");
            assert!(latency.mean > 0.97 * zero_load, "{name}: {point:?}");
        }
        // A terminal takes a flit a cycle at most, whatever the channels would carry.
        let ideal = expected.ideal_throughput.min(1.0);
        let overload = (1.3 * expected.ideal_throughput).min(1.0);
        let point = simulate(series, overload);
        assert_eq!(point.status, Status::Saturated, "{name}: {point:?}");
        assert!(
            point.accepted_flits <= ideal + point.accepted_ci95,
            "{name}: {point:?} is past {ideal}"
        );
        assert!(
            point.accepted_flits > 0.4 * ideal,
            "{name}: {point:?} of {ideal}"
        );
    }
}

#[test]
fn torus() {
    // A ring of 8 takes 2 hops in the mean both ways and 3.5 one way, the node itself among the ends.
    let (both_ways, one_way) = (2.0 * 2.0 * 64.0 / 63.0, 2.0 * 3.5 * 64.0 / 63.0);
    check(
        "torus",
        &[
            ("dimension-order", Some(both_ways)),
            ("dimension-order", Some(one_way)),
        ],
    );
}

/// A line of k nodes takes (k − 1/k) / 3 hops in the mean, the node itself among the ends.
const MESH_OF_64: f64 = 2.0 * (8.0 - 1.0 / 8.0) / 3.0 * 64.0 / 63.0;

#[test]
fn mesh() {
    check(
        "mesh",
        &[
            ("dimension-order", Some(MESH_OF_64)),
            ("odd-even", Some(MESH_OF_64)),
        ],
    );
}

#[test]
fn hypercube() {
    let hops = 6.0 / 2.0 * 64.0 / 63.0;
    check(
        "hypercube",
        &[("dimension-order", Some(hops)), ("duato", Some(hops))],
    );
}

/// Of 63 others 3 are 2 hops away, 12 are 4, 48 are 6.
const TREE_OF_64: f64 = (3.0 * 2.0 + 12.0 * 4.0 + 48.0 * 6.0) / 63.0;

#[test]
fn butterfly_fat_tree() {
    check(
        "butterfly-fat-tree",
        &[("nearest-common-ancestor", Some(TREE_OF_64))],
    );
}

#[test]
fn fat_pyramid() {
    check(
        "fat-pyramid",
        &[
            ("fat-pyramid", None),
            ("nearest-common-ancestor", Some(TREE_OF_64)),
        ],
    );
}

#[test]
fn express_cube() {
    check(
        "express-cube",
        &[
            ("express", None),
            ("express", None),
            ("dimension-order", Some(MESH_OF_64)),
        ],
    );
    let plan = plan("express-cube");
    let hops = |series: usize| {
        let expected = expected_of(&plan.series[series]).expect("a routing that delivers");
        expected.hops_mean
    };
    assert!(hops(1) < hops(0), "{} {}", hops(1), hops(0));
}

/// Hops here count the links of terminals that are nodes of their own: 2 more than between routers.
#[test]
fn high_radix() {
    if tier::is_left_out() {
        return;
    }
    // Of 32 terminals at 16 routers 1 other is at the same, 12 are one hop away, 18 two.
    let hyperx = 2.0 + (12.0 + 2.0 * 18.0) / 31.0;
    check(
        "hyperx",
        &[
            ("dimension-order", Some(hyperx)),
            ("minimal", Some(hyperx)),
            ("dal", None),
            ("valiant", None),
        ],
    );
    check(
        "fully-connected",
        &[
            ("dimension-order", Some(2.0 + 28.0 / 31.0)),
            ("valiant", None),
        ],
    );
    check("dragonfly", &[("minimal", None), ("valiant", None)]);
    // 7 of the 49 other routers are one hop away, 42 two.
    let slim_fly = 2.0 + 4.0 * (7.0 + 2.0 * 42.0) / 199.0;
    check(
        "slim-fly",
        &[("minimal", Some(slim_fly)), ("valiant", None)],
    );
    check(
        "random-regular",
        &[("minimal", None), ("valiant", None), ("up-down", None)],
    );
}

#[test]
fn fat_tree_and_butterfly() {
    check("fat-tree", &[("nearest-common-ancestor", Some(TREE_OF_64))]);
    check(
        "butterfly",
        &[("destination-tag", Some(4.0)), ("valiant", None)],
    );
}

/// On a ring of four switches one of the other 7 hosts is 2 hops away, four are 3, two are 4. Along
/// the line of the switches they are 0, 1, 2 or 3 apart.
#[test]
fn file() {
    let ring = (2.0 + 4.0 * 3.0 + 2.0 * 4.0) / 7.0;
    let line = 2.0 + 4.0 * (6.0 + 2.0 * 4.0 + 2.0 * 3.0) / (8.0 * 7.0);
    check(
        "file",
        &[
            ("up-down", None),
            ("table", Some(line)),
            ("source", Some(ring)),
            ("enhanced-nbc", Some(ring)),
        ],
    );
    let shortest = expected_of(&plan("file").series[0]).expect("it delivers");
    assert!((ring..line).contains(&shortest.hops_mean));
}

#[test]
fn star() {
    // n - 4 + 2/n + H_n over all nodes, the source included.
    let hops = (4.0 - 4.0 + 2.0 / 4.0 + 25.0 / 12.0) * 24.0 / 23.0;
    check(
        "star",
        &[
            ("nhop", Some(hops)),
            ("hop-class", Some(hops)),
            ("nbc", Some(hops)),
            ("enhanced-nbc", Some(hops)),
        ],
    );
}

#[test]
fn pruned_torus() {
    let hops = distances("pruned-torus");
    check(
        "pruned-torus",
        &[("dimension-order", Some(hops)), ("nhop", Some(hops))],
    );
}

#[test]
fn manhattan_torus() {
    let hops = distances("manhattan-torus");
    check(
        "manhattan-torus",
        &[("fewest-descents", Some(hops)), ("nhop", Some(hops))],
    );
}

#[test]
fn pruned_manhattan_torus() {
    let hops = distances("pruned-manhattan-torus");
    check(
        "pruned-manhattan-torus",
        &[("fewest-descents", Some(hops)), ("nhop", Some(hops))],
    );
}

/// The mean distance between different nodes, by breadth-first search from each.
fn distances(stem: &str) -> f64 {
    let plan = plan(stem);
    let network = &plan.series[0].network;
    let mut sum = 0u64;
    for source in 0..network.nodes() {
        let mut hops = vec![None; network.nodes() as usize];
        hops[source as usize] = Some(0u64);
        let mut queue = std::collections::VecDeque::from([source]);
        while let Some(node) = queue.pop_front() {
            let here = hops[node as usize].expect("a node in the queue was reached");
            sum += here;
            for channel in network.outgoing(flitsim_topology::NodeId(node)) {
                let next = network.target(flitsim_topology::ChannelId(channel)).0;
                if hops[next as usize].is_none() {
                    hops[next as usize] = Some(here + 1);
                    queue.push_back(next);
                }
            }
        }
    }
    let nodes = f64::from(network.nodes());
    sum as f64 / (nodes * (nodes - 1.0))
}

#[test]
fn every_scenario_of_a_family_is_tested() {
    let count = fs::read_dir(folder())
        .expect("the scenarios are there")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .count();
    assert_eq!(count, 18);
}

/// Delays come with the file unless the scenario gives one for all channels.
#[test]
fn delays_come_from_the_file_or_from_the_scenario() {
    let text = fs::read_to_string(folder().join("file.toml")).expect("the scenario");
    let given = format!("{text}\n[channel]\ndelay = 0\n");
    let read = |text: String| {
        Plan::parse(&folder().join("file.toml"), text, Overrides::default())
            .unwrap_or_else(|error| panic!("{error}"))
    };
    let wires = |plan: &Plan| {
        expected_of(&plan.series[1])
            .expect("it delivers")
            .wire_cycles_mean
    };
    let (from_file, from_scenario) = (read(text), read(given));
    // Along the line, every hop between switches takes a cycle on the wire.
    let line = 4.0 * (6.0 + 2.0 * 4.0 + 2.0 * 3.0) / (8.0 * 7.0);
    assert!((wires(&from_file) - line).abs() < 1e-9);
    assert_eq!(wires(&from_scenario), 0.0);
    assert_ne!(
        from_file.series[0].definition,
        from_scenario.series[0].definition
    );
}

/// Cables between groups, wires within one, and those of terminals, each with a delay of their own; also where a
/// cable has failed.
#[test]
fn delays_are_of_kinds_of_channels() {
    let read = |rest: &str| {
        let text = format!(
            "traffic.self = false\n[topology]\nkind = \"dragonfly\"\nrouters = 4\nglobal_channels = 2\n\
             terminals = 2\n[channel]\ndelay = 9\nglobal_delay = 99\n{rest}"
        );
        let plan = Plan::parse(Path::new("a.toml"), text, Overrides::default());
        plan.unwrap_or_else(|error| panic!("{error}"))
    };
    let whole = read("terminal_delay = 0\n");
    // One channel leads from a group to each other; of 4 routers there and here 3 are a hop away from it.
    let to_other_groups = 64.0 * (99.0 + 2.0 * 9.0 * 3.0 / 4.0);
    let expected = expected_of(&whole.series[0]).expect("it delivers");
    let mean = (6.0 * 9.0 + to_other_groups) / 71.0;
    assert!((expected.wire_cycles_mean - mean).abs() < 1e-9);
    let count = |plan: &Plan, delay: u32| {
        let series = &plan.series[0];
        let all = (0..series.network.channels()).map(ChannelId);
        all.filter(|&channel| series.engine.channel_delay_of(channel) == delay)
            .count()
    };
    assert_eq!([0, 9, 99].map(|delay| count(&whole, delay)), [144, 108, 72]);
    let failed = "[faults]\nchannels = [\"72-79\"]\n[routing]\nalgorithm = \"up-down\"\n";
    let damaged = read(failed);
    assert_eq!([0, 9, 99].map(|delay| count(&damaged, delay)), [0, 252, 70]);
    assert_ne!(whole.series[0].definition, damaged.series[0].definition);
    let text = |channel: &str| {
        let text = format!(
            "topology = {{ kind = \"dragonfly\", routers = 4, global_channels = 2 }}\nsweep.load = 0.1\n\
             channel = {{ global_delay = 99{channel} }}\n"
        );
        Plan::parse(Path::new("a.toml"), text, Overrides::default()).expect("a plan")
    };
    // What is said is what would be else.
    let [said, unsaid] = [", delay = 0", ""].map(|rest| text(rest).series[0].definition.clone());
    assert_eq!(said, unsaid);
}

/// A load of 1 in capacity is where the busiest channel is always busy.
#[test]
fn capacity_is_the_load_of_the_busiest_channel() {
    let text = fs::read_to_string(folder().join("butterfly-fat-tree.toml")).expect("the scenario");
    let text = text.replace(
        "load = [0.05, 0.1, 0.2]",
        "load = 1\nload_unit = \"capacity\"",
    );
    let plan = Plan::parse(Path::new("tree.toml"), text, Overrides::default());
    let series = &plan.unwrap_or_else(|error| panic!("{error}")).series[0];
    let expected = expected_of(series).expect("it delivers");
    let busiest = series.loads[0].flits * expected.channel_load_max;
    assert!((busiest - 1.0).abs() < 1e-12, "{busiest}");
}

/// A GraphML document of the same network, and lists of channels and nodes in files of their own.
#[test]
fn a_network_is_the_same_from_every_kind_of_file() {
    use flitsim_topology::file::{write_channels, write_graphml, write_nodes};
    let one = plan("file");
    let network = &one.series[0].network;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let create = |name: &str| fs::File::create(folder.path().join(name)).expect("a file");
    write_graphml(network, &mut create("net.graphml")).expect("it is written");
    write_channels(network, &mut create("channels.csv")).expect("it is written");
    write_nodes(network, &mut create("nodes.csv")).expect("it is written");
    let hops = expected_of(&one.series[0]).expect("it delivers").hops_mean;
    for (keys, word) in [
        ("path = 'net.graphml'", "file:path=net.graphml"),
        (
            "path = 'channels.csv'\nnodes = 'nodes.csv'",
            "file:path=channels.csv,nodes=nodes.csv",
        ),
    ] {
        let text = format!("[topology]\nkind = 'file'\n{keys}\n");
        let path = folder.path().join("other.toml");
        let other = Plan::parse(&path, text, Overrides::default());
        let other = other.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(other.series[0].topology, word);
        assert_eq!(other.series[0].network.terminals(), network.terminals());
        let delays = |plan: &Plan| plan.series[0].engine.channel_delay.clone();
        assert_eq!(delays(&other), delays(&one));
        let found = expected_of(&other.series[0]).expect("it delivers");
        assert_eq!(found.hops_mean, hops, "{keys}");
    }
}

/// Options of an algorithm do not reach a series with another one.
#[test]
fn a_series_of_another_algorithm_leaves_options_behind() {
    let text = "[topology]\nkind = 'fat-pyramid'\nprocessors = 16\n[routing]\nslack = 0\n\
                [[series]]\nname = 'levels'\n[[series]]\nname = 'tree'\n\
                routing.algorithm = 'nearest-common-ancestor'\n[[series]]\nname = 'torus'\n\
                topology = { kind = 'torus', radix = 4, dimensions = 2 }\n\
                routing.algorithm = 'dimension-order'\n";
    let plan = Plan::parse(Path::new("a.toml"), text.to_owned(), Overrides::default());
    let plan = plan.unwrap_or_else(|error| panic!("{error}"));
    let routing = |i: usize| &plan.series[i].definition["routing"];
    assert_eq!(routing(0)["slack"], 0);
    assert_eq!(routing(1)["algorithm"], "nearest-common-ancestor");
    assert!(routing(1)["slack"].is_null());
    assert_eq!(routing(2)["algorithm"], "dimension-order");
}
