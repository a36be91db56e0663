//! Traces, batches and closed loops through the whole program. Scenarios that say what comes out are held
//! to it exactly, by the latency of an empty network, (H + 1) t_r + (F - 1), with the defaults H + F.

use crate::recorded;

use flitsim::point::{PointResult, Status, WorkloadSummary};
use flitsim::proof::ProvedSeries;
use flitsim::scenario::{Overrides, Plan, SeriesPlan};
use flitsim::simulate::NoMonitor;
use flitsim::simulate_point;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn kept(stem: &str) -> Plan {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenarios/{stem}.toml"));
    Plan::read(&path, Overrides::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn plan_in(folder: &Path, text: &str) -> Plan {
    let path = folder.join("workload.toml");
    let plan = Plan::parse(&path, text.to_owned(), Overrides::default());
    plan.unwrap_or_else(|error| panic!("{error}"))
}

fn plan(text: &str) -> Plan {
    plan_in(Path::new(""), text)
}

/// The plan of a trace, whose file is written to a folder of its own.
fn plan_of_trace(rows: &str, text: &str) -> Plan {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("trace.csv"), rows).expect("a file");
    let traffic = "[traffic]\npattern = \"trace\"\npath = \"trace.csv\"\n";
    plan_in(folder.path(), &format!("{traffic}{text}"))
}

fn points(series: &SeriesPlan) -> Vec<PointResult> {
    let proved = ProvedSeries::prove(series, false).expect("free of deadlock");
    points_of(&proved, series)
}

fn points_of(proved: &ProvedSeries, series: &SeriesPlan) -> Vec<PointResult> {
    let points = series.loads.iter().map(|&load| {
        let point = simulate_point(proved, load, 1, &NoMonitor);
        point.expect("a resolved plan runs")
    });
    points.collect()
}

fn only(plan: &Plan) -> PointResult {
    let [series] = &plan.series[..] else {
        panic!("one series");
    };
    let mut points = points(series);
    assert_eq!(points.len(), 1);
    points.remove(0)
}

fn workload(point: &PointResult) -> WorkloadSummary {
    point.workload.expect("a workload")
}

fn makespan(point: &PointResult) -> f64 {
    assert_eq!(point.status, Status::Converged, "{point:?}");
    workload(point).makespan.expect("an end").mean
}

fn mean_latency(point: &PointResult) -> f64 {
    point.latency.expect("latencies").mean
}

fn round_trip(point: &PointResult) -> f64 {
    workload(point).round_trip.expect("round trips").mean
}

#[test]
fn a_ping_pong_takes_the_time_of_both_ways_and_the_service() {
    let plan = kept("ping-pong");
    for (series, expected) in plan.series.iter().zip([30.0, 42.0, 34.0]) {
        let point = &points(series)[0];
        assert_eq!(point.status, Status::Converged, "{point:?}");
        let mean = workload(point).round_trip.expect("round trips");
        assert_eq!((mean.mean, mean.ci95), (expected, 0.0), "{}", series.name);
        assert!(workload(point).rounds > 1_000 && workload(point).makespan.is_none());
        // A request of 1 flit and a reply of 5 in each round trip; windows cut some in two.
        let flits = point.accepted_flits;
        assert!((flits * expected / 6.0 - 1.0).abs() < 0.02, "{flits}");
    }
}

/// Two nodes, each with W requests of 1 flit outstanding at the other, replies of 4 flits, 10 cycles
/// of service. One: 2 + 10 + 5 = 17 cycles. Sixteen: 16 · 5 flits of work for a port of a flit a
/// cycle, more than passes in 17 cycles, so that it never rests: 80 cycles a round, by Little's law.
#[test]
fn a_closed_loop_is_as_fast_as_its_ports() {
    let plan = plan(
        "[topology]\nkind = \"mesh\"\nradix = 2\ndimensions = 1\n[traffic]\nmode = \"closed-loop\"\n\
         packet_flits = 1\nreply_flits = 4\nservice_cycles = 10\noutstanding = [1, 16]\n",
    );
    let points = points(&plan.series[0]);
    assert_eq!(round_trip(&points[0]), 17.0);
    assert_eq!(round_trip(&points[1]), 80.0);
    assert_eq!(
        (points[1].accepted_flits, points[1].accepted_ci95),
        (1.0, 0.0)
    );
}

/// The same, with an end: 25 rounds of 17 cycles one after another; five at a time are served in
/// fives, and the last round still takes its 17 cycles or more.
#[test]
fn a_closed_loop_of_so_many_requests_ends() {
    let of = |outstanding: u32| {
        let text = format!(
            "[topology]\nkind = \"mesh\"\nradix = 2\ndimensions = 1\n[traffic]\n\
             mode = \"closed-loop\"\npacket_flits = 1\nreply_flits = 4\nservice_cycles = 10\n\
             outstanding = {outstanding}\npackets = 25\n"
        );
        only(&plan(&text))
    };
    let one = of(1);
    assert_eq!(makespan(&one), 25.0 * 17.0);
    assert_eq!((round_trip(&one), workload(&one).rounds), (17.0, 50));
    assert_eq!((one.packets_measured, one.warmup_cycles), (100, 0));
    assert_eq!(one.accepted_flits, 25.0 * 5.0 / (25.0 * 17.0));
    assert_eq!(one.offered_flits, one.accepted_flits);
    let five = of(5);
    assert_eq!(workload(&five).rounds, 50);
    let makespan = makespan(&five);
    assert!((125.0..25.0 * 17.0).contains(&makespan), "{makespan}");
}

/// Mean rate of a node's rounds times their mean length is what a node has outstanding, exactly in
/// the long run, whatever the traffic.
#[test]
fn what_is_outstanding_is_rate_times_round_trip() {
    for traffic in [
        "packet_flits = 2\n",
        "packet_flits = { short = 1, long = 9, long_share = 0.25 }\nservice_cycles = 40\n",
        "pattern = \"transpose\"\npacket_flits = 1\nreply_flits = 8\n",
        "pattern = \"hotspot\"\nnodes = [5]\nfraction = 0.5\npacket_flits = 1\n",
    ] {
        let text = format!(
            "[topology]\nkind = \"mesh\"\nradix = 4\ndimensions = 2\n[measure]\n\
             relative_error = 0.05\n[traffic]\nmode = \"closed-loop\"\noutstanding = [1, 3, 12]\n\
             {traffic}"
        );
        let plan = plan(&text);
        for (point, outstanding) in points(&plan.series[0]).iter().zip([1.0, 3.0, 12.0]) {
            assert_eq!(point.status, Status::Converged, "{traffic}{point:?}");
            let summary = workload(point);
            let round = summary.round_trip.expect("round trips");
            let nodes = 16.0;
            let cycles = (point.cycles - point.warmup_cycles) as f64;
            let rate = summary.rounds as f64 / cycles / nodes;
            let error = (rate * round.mean / outstanding - 1.0).abs();
            // The rounds at the ends of the window count with all their length, or not at all.
            let ends = 2.0 * round.mean / cycles + round.ci95 / round.mean;
            assert!(error <= ends, "{traffic}{outstanding}: {error}, {ends}");
        }
    }
}

#[test]
fn a_task_graph_takes_its_longest_path() {
    let plan = kept("task-graph");
    let [one, three] = &plan.series[..] else {
        panic!("two series");
    };
    let point = &points(one)[0];
    assert_eq!(makespan(point), 96.0);
    let sum = 9.0 + 9.0 + 10.0 + 9.0 + 9.0 + 8.0 + 22.0;
    assert_eq!(mean_latency(point), sum / 7.0);
    let latency = point.latency.expect("latencies");
    assert_eq!((latency.max, point.packets_measured), (22.0, 7));
    // H in the order of the rows.
    let hops = 1.0 + 1.0 + 2.0 + 5.0 + 5.0 + 4.0 + 6.0;
    assert_eq!(latency.hops_mean, hops / 7.0);
    assert_eq!(
        point.accepted_flits,
        (3.0 * 8.0 + 3.0 * 4.0 + 16.0) / (96.0 * 16.0)
    );
    assert_eq!(makespan(&points(three)[0]), 126.0);
}

#[test]
fn bursts_wait_for_what_is_before_them() {
    let point = only(&kept("burst"));
    assert_eq!(makespan(&point), 135.0);
    let latency = point.latency.expect("latencies");
    assert_eq!((latency.mean, latency.max), (15.0, 25.0));
    assert_eq!((latency.network_mean, latency.hops_mean), (7.0, 3.0));
}

/// Bursts at random, at the most that they create: a packet of one flit in each cycle while a node
/// is on. The way into the router takes as much, and nobody shares a channel: 1 + 1 cycles for each.
#[test]
fn bursts_of_single_flits_pass_as_they_come() {
    let plan = plan(
        "[topology]\nkind = \"torus\"\nradix = 8\ndimensions = 1\n[traffic]\n\
         pattern = \"neighbour\"\nprocess = \"on-off\"\nburst_cycles = 20\nidle_cycles = 60\n\
         packet_flits = 1\n[sweep]\nload = 0.25\n",
    );
    let point = only(&plan);
    let latency = point.latency.expect("latencies");
    assert_eq!((latency.mean, latency.max, latency.ci95), (2.0, 2.0, 0.0));
    assert!(point.workload.is_none());
}

#[test]
fn batches_take_as_long_as_the_narrowest_way() {
    let plan = kept("batch");
    let [neighbours, to_one, uniform] = &plan.series[..] else {
        panic!("three series");
    };
    let packets = [1.0, 10.0, 100.0];
    for (point, n) in points(neighbours).iter().zip(packets) {
        assert_eq!(makespan(point), 4.0 * n + 2.0);
        assert_eq!(mean_latency(point), 4.0 * (n + 1.0) / 2.0 + 2.0);
        assert_eq!(point.packets_measured, 64 * n as u64);
    }
    for (point, n) in points(to_one).iter().zip(packets) {
        assert_eq!(makespan(point), 63.0 * 4.0 * n + 1.0);
    }
    for (point, n) in points(uniform).iter().zip(packets) {
        assert!(makespan(point) >= 4.0 * n + 2.0);
    }
}

/// Cycles of 2 reference cycles: a packet of reference cycle 5 is created in cycle 3, and arrives
/// after 2; what it releases waits for 3 reference cycles, in 2 of these, and takes 2 again.
#[test]
fn times_of_a_trace_are_in_reference_cycles() {
    let plan = plan_of_trace(
        "cycle,source,destination,flits,packet,depends_on,delay\n5,0,1,1,a,,\n,1,0,1,b,a,3\n",
        "[topology]\nkind = \"mesh\"\nradix = 4\ndimensions = 1\n[channel]\ncycle_time = 2.0\n",
    );
    let point = only(&plan);
    assert_eq!(makespan(&point), 2.0 * (3.0 + 2.0 + 2.0 + 2.0));
    assert_eq!((mean_latency(&point), point.cycles), (4.0, 9));
}

/// Packets of an open loop, written down and replayed, arrive as they did.
#[test]
fn a_recorded_run_is_replayed() {
    let text = "[topology]\nkind = \"mesh\"\nradix = 4\ndimensions = 2\n";
    let load = "[sweep]\nload = 0.3\n[traffic]\npacket_flits = 3\n";
    let open = plan(&format!("{load}{text}"));
    let recorded = recorded::record(&open.series[0], 0.3, 3_000);
    let trace = plan_of_trace(&recorded.csv, text);
    let point = only(&trace);
    assert_eq!(point.packets_measured, recorded.packets);
    assert!(recorded.packets > 4_000, "{}", recorded.packets);
    assert_eq!(makespan(&point), recorded.last_arrival as f64);
    let mean = recorded.latency_cycles as f64 / recorded.packets as f64;
    assert_eq!(mean_latency(&point), mean);
}

/// Details of workloads are of everything that they do, and change nothing.
#[test]
fn details_change_no_workload() {
    let of = |text: &str, details: &str| {
        let network = "[topology]\nkind = \"mesh\"\nradix = 4\ndimensions = 2\n";
        let text = format!("[measure]\nrelative_error = 0.1\n{details}{network}{text}");
        only(&plan(&text))
    };
    let mix = "pattern = \"mix\"\nmix = [{ pattern = \"neighbour\", weight = 3 }, \
               { pattern = \"transpose\", weight = 1 }]\npacket_flits = 3\n";
    for (workload, ends) in [
        ("mode = \"batch\"\npackets = 40\n", true),
        (
            "mode = \"closed-loop\"\npackets = 40\noutstanding = 3\n",
            true,
        ),
        ("mode = \"closed-loop\"\noutstanding = 3\n", false),
    ] {
        let text = format!("[traffic]\n{mix}{workload}");
        let plain = of(&text, "");
        let point = of(&text, "details = [\"all\"]\n");
        assert_eq!(point.workload, plain.workload, "{workload}");
        assert_eq!(point.latency, plain.latency, "{workload}");
        assert_eq!(point.fairness, plain.fairness, "{workload}");
        let details = point.details.expect("details");
        let classes = details.classes.expect("classes");
        assert_eq!(classes.len(), 2);
        let packets: u64 = classes.iter().map(|class| class.group.packets()).sum();
        assert_eq!(packets, point.packets_measured, "{workload}");
        let near = classes[0].group.packets() as f64 / packets as f64;
        assert!((near - 0.75).abs() < 0.1, "{workload}: {near}");
        if ends {
            let makespan = plain
                .workload
                .expect("a workload")
                .makespan
                .expect("an end");
            assert_eq!(details.window_cycles as f64, makespan.mean);
            // Every node sends as many flits, and answers for as many as the others ask of it.
            let fairness = plain.fairness.expect("sources");
            assert!(fairness.accepted_min >= 40.0 * 3.0 / makespan.mean);
        }
    }
}

#[test]
fn replicas_give_intervals() {
    let text = "[topology]\nkind = \"mesh\"\nradix = 4\ndimensions = 2\n[traffic]\nmode = \"batch\"\n\
                packets = 20\npacket_flits = 4\n[sweep]\nreplicas = 4\n";
    let point = only(&plan(text));
    let makespan = workload(&point).makespan.expect("an end");
    assert!(makespan.ci95 > 0.0 && makespan.ci95 < makespan.mean);
    assert!(point.accepted_ci95 > 0.0 && point.accepted_ci95 < point.accepted_flits);
    let latency = point.latency.expect("latencies");
    assert!(latency.ci95 > 0.0 && latency.ci95 < latency.mean);
    assert_eq!(point.packets_measured, 4 * 16 * 20);
    // The makespan of one is no sample of which to tell more.
    let one = only(&plan(&text.replace("replicas = 4", "replicas = 1")));
    assert_eq!(workload(&one).makespan.expect("an end").ci95, f64::INFINITY);
}

#[test]
fn what_is_cut_off_has_no_makespan_and_no_latency() {
    let text =
        "[topology]\nkind = \"mesh\"\nradix = 4\ndimensions = 1\n[measure]\nmax_cycles = 100\n";
    let rows = "cycle,source,destination,flits\n0,0,1,4\n99,0,1,4\n";
    let plan = plan_of_trace(rows, text);
    assert!(plan.warnings.is_empty());
    let point = only(&plan);
    assert_eq!((point.status, point.cycles), (Status::MaxCycles, 100));
    assert!(point.latency.is_none() && workload(&point).makespan.is_none());
    // The first packet; no flit of the second has arrived.
    assert_eq!(point.accepted_flits, 4.0 / 100.0 / 4.0);
    let late = plan_of_trace(&rows.replace("99", "100"), text);
    let [warning] = &late.warnings[..] else {
        panic!("{:?}", late.warnings);
    };
    assert!(warning.contains("goes on until cycle 100"), "{warning}");
}

/// Where requests wait for one another in the network for ever, that is what is reported.
#[test]
fn a_closed_loop_can_deadlock_like_an_open_one() {
    let text = "[topology]\nkind = \"torus\"\nradix = 8\ndimensions = 1\ndirected = true\n[router]\n\
                virtual_channels = 1\n[traffic]\nmode = \"closed-loop\"\noutstanding = 8\n\
                pattern = \"tornado\"\npacket_flits = 16\n";
    let overrides = Overrides {
        allow_deadlock: true,
        ..Overrides::default()
    };
    let plan = Plan::parse(Path::new("ring.toml"), text.to_owned(), overrides);
    let plan = plan.unwrap_or_else(|error| panic!("{error}"));
    let series = &plan.series[0];
    let proved = ProvedSeries::prove(series, true).expect("let through");
    let point = &points_of(&proved, series)[0];
    assert_eq!(point.status, Status::Deadlock);
    assert!(point.deadlock.is_some() && point.latency.is_none());
    assert!(workload(point).round_trip.is_none());
}

/// Failed nodes neither ask nor answer.
#[test]
fn faults_leave_their_nodes_out() {
    let text = "[topology]\nkind = \"mesh\"\nradix = 4\ndimensions = 2\n[faults]\nnodes = [5]\n\
                [routing]\nalgorithm = \"up-down\"\n[traffic]\nmode = \"batch\"\npackets = 3\n\
                packet_flits = 2\n";
    assert_eq!(only(&plan(text)).packets_measured, 15 * 3);
    let closed = text.replace("\"batch\"", "\"closed-loop\"");
    let point = only(&plan(&closed));
    assert_eq!(workload(&point).rounds, 15 * 3);
    assert_eq!(point.packets_measured, 2 * 15 * 3);
}

/// The loads of the top level are those of its open loops.
#[test]
fn a_series_leaves_behind_what_only_an_open_loop_has() {
    let plan = plan(
        "[topology]\nkind = \"mesh\"\nradix = 4\ndimensions = 2\n[traffic]\nprocess = \"on-off\"\n\
         burst_cycles = 20\nidle_cycles = 20\npacket_flits = 2\n[sweep]\nload = [0.1, 0.2]\n\
         load_unit = \"capacity\"\n[[series]]\nname = \"open\"\n[[series]]\nname = \"closed\"\n\
         traffic = { mode = \"closed-loop\", outstanding = [2, 4, 8] }\n[[series]]\nname = \"batch\"\n\
         traffic = { mode = \"batch\", packets = 7 }\n[[series]]\nname = \"trace\"\n\
         traffic = { pattern = \"trace\", path = \"scenarios/task-graph.csv\" }\n",
    );
    let said: Vec<(&str, &str, usize)> = plan
        .series
        .iter()
        .map(|s| (s.pattern_name(), s.load_unit.as_str(), s.loads.len()))
        .collect();
    let expected = [
        ("uniform", "capacity", 2),
        ("uniform", "outstanding/node", 3),
        ("uniform", "packets/node", 1),
        ("trace", "trace", 1),
    ];
    assert_eq!(said, expected);
    let mut definitions: Vec<String> = plan
        .series
        .iter()
        .map(|series| series.definition.to_string())
        .collect();
    definitions.sort();
    definitions.dedup();
    assert_eq!(definitions.len(), 4);
    assert!(!definitions.join(" ").contains("task-graph.csv"), "a hash");
}

fn flitsim(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flitsim"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program starts")
}

const SMALL: &str = r#"
title = "Small workloads"
[topology]
kind = "mesh"
radix = 4
dimensions = 2
[traffic]
packet_flits = 2
[measure]
relative_error = 0.1
[[series]]
name = "closed"
traffic = { mode = "closed-loop", outstanding = [1, 4], service_cycles = 5 }
[[series]]
name = "batch"
traffic = { mode = "batch", packets = [1, 8] }
sweep.replicas = 2
[[series]]
name = "trace"
traffic = { pattern = "trace", path = "trace.csv" }
"#;

#[test]
fn every_file_has_the_same_bytes_for_any_number_of_jobs() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("small.toml"), SMALL).expect("a file");
    let trace = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/task-graph.csv");
    fs::copy(trace, folder.join("trace.csv")).expect("a file");
    for jobs in ["1", "3"] {
        let output = flitsim(
            folder,
            &["sweep", "small.toml", "--jobs", jobs, "--out", jobs],
        );
        assert!(output.status.success(), "{output:?}");
    }
    for file in ["points.csv", "curves.svg", "report.html", "manifest.json"] {
        let read = |jobs: &str| fs::read(folder.join(jobs).join(file)).expect(file);
        assert!(read("1") == read("3"), "{file}");
    }
    let points = fs::read_to_string(folder.join("1/points.csv")).expect("points");
    let mut reader = csv::Reader::from_reader(points.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let rows: Vec<_> = reader.records().map(|row| row.expect("a row")).collect();
    let column = |name: &str| -> Vec<&str> {
        let at = header.iter().position(|c| c == name).expect(name);
        rows.iter()
            .map(|row| row.get(at).expect("a field"))
            .collect()
    };
    assert_eq!(column("load"), ["1", "4", "1", "8", "1"]);
    assert_eq!(column("makespan_cycles")[4], "96");
    let is_empty: Vec<bool> = column("makespan_cycles")
        .iter()
        .map(|m| m.is_empty())
        .collect();
    assert_eq!(is_empty, [true, true, false, false, false]);
    let is_empty: Vec<bool> = column("round_trip_mean")
        .iter()
        .map(|m| m.is_empty())
        .collect();
    assert_eq!(is_empty, [false, false, true, true, true]);
    assert_eq!(column("latency_ci95")[4], "");
    let report = fs::read_to_string(folder.join("1/report.html")).expect("a report");
    assert!(report.contains("a trace of 7 packets, 52 flits in all, 6 dependencies"));
}

#[test]
fn run_prints_makespans_and_round_trips() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let scenario = "scenarios/task-graph.toml";
    let table = flitsim(root, &["run", scenario]);
    let table = String::from_utf8_lossy(&table.stdout).into_owned();
    assert!(table.contains("makespan, cycles"), "{table}");
    assert!(!table.contains("round trip"), "{table}");
    let json = flitsim(root, &["run", scenario, "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!(json[0]["makespan_cycles"], 96.0);
    assert_eq!(json[1]["makespan_cycles"], 126.0);
    assert_eq!(json[0]["round_trip_mean"], serde_json::Value::Null);
    let table = flitsim(root, &["run", "scenarios/ping-pong.toml", "--load", "2"]);
    let table = String::from_utf8_lossy(&table.stdout).into_owned();
    assert!(table.contains("2 outstanding/node"), "{table}");
    assert!(table.contains("round trip, cycles: mean"), "{table}");
    assert!(!table.contains("makespan"), "{table}");
}
