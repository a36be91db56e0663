//! Traffic through the whole program: what matrices, mixtures, bursts and lengths promise holds for
//! the simulated network too.

use flitsim::dispatch::expected_of;
use flitsim::point::{PointResult, Status};
use flitsim::proof::ProvedSeries;
use flitsim::scenario::{Load, Overrides, Plan, ScenarioError, SeriesPlan};
use flitsim::simulate::NoMonitor;
use flitsim::simulate_point;
use std::path::Path;

const MESH: &str = "\n[topology]\nkind = \"mesh\"\nradix = 4\ndimensions = 2\n";

fn kept(stem: &str) -> Plan {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenarios/{stem}.toml"));
    Plan::read(&path, Overrides::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn parse(traffic: &str) -> Result<Plan, ScenarioError> {
    let text = format!("[traffic]\n{traffic}{MESH}");
    Plan::parse(Path::new("traffic.toml"), text, Overrides::default())
}

fn series(traffic: &str) -> SeriesPlan {
    let plan = parse(traffic).unwrap_or_else(|error| panic!("{error}"));
    plan.series.into_iter().next().expect("a series")
}

fn simulate(series: &SeriesPlan, flits: f64) -> PointResult {
    let load = Load {
        in_unit: flits,
        flits,
    };
    let proved = ProvedSeries::prove(series, false).expect("free of deadlock");
    simulate_point(&proved, load, 5, &NoMonitor).expect("a resolved plan runs")
}

/// Twice the half-width of a 95 % interval: four standard errors.
fn check_accepted(point: &PointResult, flits: f64, what: &str) {
    assert_eq!(point.status, Status::Converged, "{what}: {point:?}");
    let missing = (point.accepted_flits - flits).abs();
    assert!(missing <= 2.0 * point.accepted_ci95, "{what}: {point:?}");
}

/// By hand. A quarter is a corner c, its neighbours a and b, and d. A core sends half its packets to
/// a memory, and a quarter to each of the others. Near: a and b take 1/2 · 1 + 1/4 · 2 + 1/4 · 1
/// hops, d takes 1/2 · 2 + 1/4 + 1/4, the memory (1 + 1 + 2)/3. Far: the memory is 5, 5 and 4 hops
/// away. A memory is sent 3/2 of what a node offers; far, these requests share the middle of its
/// column with a third of another memory's answers.
#[test]
fn matrices_have_the_hops_and_the_bound_of_a_count_by_hand() {
    let plan = kept("matrix");
    let hops = [
        (1.25 + 1.25 + 1.5 + 4.0 / 3.0) / 4.0,
        (3.25 + 3.25 + 2.5 + 14.0 / 3.0) / 4.0,
    ];
    let loads_max: [f64; 2] = [1.5, 1.5 + 1.0 / 3.0];
    for ((series, hops), load_max) in plan.series.iter().zip(hops).zip(loads_max) {
        let expected = expected_of(series).expect("a routing that delivers");
        assert!((expected.hops_mean - hops).abs() < 1e-6, "{}", series.name);
        assert!((expected.ejection_load_max - 1.5).abs() < 1e-6);
        assert!((expected.ideal_throughput - 1.0 / load_max).abs() < 1e-6);
        let point = simulate(series, 0.2);
        check_accepted(&point, 0.2, &series.name);
        let measured = point.latency.expect("latencies").hops_mean;
        assert!((measured / hops - 1.0).abs() < 0.03, "{measured}");
    }
}

#[test]
fn every_process_and_length_delivers_the_load_asked() {
    for traffic in [
        "process = \"on-off\"\nburst_cycles = 20\nidle_cycles = 60\npacket_flits = 4\n",
        "process = \"pareto\"\nburst_cycles = 10\nidle_cycles = 10\nshape = 1.7\npacket_flits = 2\n",
        "packet_flits = { short = 1, long = 9, long_share = 0.25 }\n",
        "packet_bits = { short = 40, long = 300, long_share = 0.5 }\n",
        "pattern = \"local\"\nmean_distance = 1.5\npacket_flits = 2\n",
        "pattern = \"mix\"\nmix = [{ weight = 1 }, { weight = 2, pattern = \"local\", radius = 2 }]\n",
    ] {
        check_accepted(&simulate(&series(traffic), 0.15), 0.15, traffic);
    }
}

/// Whole packets move, so that no buffer may be shorter than the longest, and an empty network takes
/// H + F cycles for each length F: in the mean, the mean.
#[test]
fn packets_of_several_lengths_cross_an_empty_network_in_the_mean_time() {
    for flow_control in ["wormhole", "virtual-cut-through"] {
        let traffic = format!(
            "packet_flits = {{ short = 2, long = 10, long_share = 0.25 }}\n\
             [router]\nflow_control = \"{flow_control}\"\nbuffer_flits = 10\n"
        );
        let point = simulate(&series(&traffic), 0.004);
        let latency = point.latency.expect("latencies");
        let expected = latency.hops_mean + 4.0;
        let ratio = latency.mean / expected;
        assert!((0.99..1.04).contains(&ratio), "{flow_control}: {ratio}");
    }
}

/// The definition tells points apart, and only those that differ.
#[test]
fn definitions_hold_all_that_matters() {
    let of = |traffic: &str| series(traffic).definition["traffic"].to_string();
    let all = [
        "",
        "packet_flits = { short = 1, long = 9, long_share = 0.25 }\n",
        "packet_flits = { short = 1, long = 9, long_share = 0.5 }\n",
        "packet_bits = { short = 1, long = 900, long_share = 0.5 }\n",
        "process = \"on-off\"\nburst_cycles = 20\nidle_cycles = 60\npacket_flits = 64\n",
        "process = \"on-off\"\nburst_cycles = 20\nidle_cycles = 70\npacket_flits = 64\n",
        "process = \"pareto\"\nburst_cycles = 20\nidle_cycles = 60\npacket_flits = 64\n",
        "process = \"pareto\"\nburst_cycles = 20\nidle_cycles = 60\nshape = 1.2\npacket_flits = 64\n",
        "pattern = \"local\"\nradius = 1\n",
        "pattern = \"local\"\nradius = 2\n",
        "pattern = \"local\"\nmean_distance = 2\n",
        "pattern = \"mix\"\nmix = [{ weight = 1 }, { weight = 2, pattern = \"transpose\" }]\n",
        "pattern = \"mix\"\nmix = [{ weight = 1 }, { weight = 3, pattern = \"transpose\" }]\n",
        "pattern = \"matrix\"\npath = \"scenarios/matrix-near.csv\"\n",
        "pattern = \"matrix\"\npath = \"scenarios/matrix-far.csv\"\n",
    ];
    let definitions: Vec<String> = all.iter().map(|traffic| of(traffic)).collect();
    for (i, definition) in definitions.iter().enumerate() {
        assert!(!definitions[..i].contains(definition), "{definition}");
    }
    assert_eq!(of(""), of("packet_flits = 16\nprocess = \"bernoulli\"\n"));
}

#[test]
fn a_series_leaves_behind_the_keys_of_another_process_or_pattern() {
    let text = format!(
        "[traffic]\npattern = \"local\"\nradius = 1\nprocess = \"on-off\"\nburst_cycles = 20\n\
         idle_cycles = 20\n[[series]]\nname = \"a\"\n[[series]]\nname = \"b\"\n\
         traffic.process = \"poisson\"\n[[series]]\nname = \"c\"\ntraffic.pattern = \"transpose\"\n\
         [[series]]\nname = \"d\"\ntraffic.burst_cycles = 30\n{MESH}"
    );
    let plan = Plan::parse(Path::new("a.toml"), text, Overrides::default());
    let plan = plan.unwrap_or_else(|error| panic!("{error}"));
    let said: Vec<(&str, &str)> = plan
        .series
        .iter()
        .map(|s| (s.traffic.pattern.name(), s.traffic.process.name()))
        .collect();
    let expected = [
        ("local", "on-off"),
        ("local", "poisson"),
        ("transpose", "on-off"),
        ("local", "on-off"),
    ];
    assert_eq!(said, expected);
    // A slip at the top level is not lost on the way to a series.
    let slip = "radius = 1\n[[series]]\nname = \"a\"\ntraffic.packet_flits = 2\n";
    assert!(parse(slip).is_err());
}

/// Each replica has phases of its own, which differ by more than one of them can know.
#[test]
fn intervals_under_periodic_traffic_are_those_of_the_replicas() {
    let text = "process = \"periodic\"\npacket_flits = 4\n[sweep]\nreplicas = 8\n\
                [topology]\nkind = \"mesh\"\nradix = 2\ndimensions = 1\n";
    let plan = |replicas: u32| {
        let text = text.replace("replicas = 8", &format!("replicas = {replicas}"));
        let text = format!("[traffic]\n{text}");
        Plan::parse(Path::new("periodic.toml"), text, Overrides::default()).expect("a scenario")
    };
    assert!(plan(8).warnings.is_empty() && plan(1).warnings.len() == 1);
    let of = |seed, replicas| {
        let series = plan(replicas).series.remove(0);
        let proved = ProvedSeries::prove(&series, false).expect("free of deadlock");
        let load = Load {
            in_unit: 0.4,
            flits: 0.4,
        };
        let point = simulate_point(&proved, load, seed, &NoMonitor).expect("a plan that runs");
        point.latency.expect("a latency")
    };
    let truth = (0..200).map(|seed| of(1_000 + seed, 1).mean).sum::<f64>() / 200.0;
    let holds = |seed: u64| {
        let latency = of(seed, 8);
        (latency.mean - truth).abs() <= 1.5 * latency.ci95
    };
    assert!((0..8).filter(|&seed| holds(seed)).count() >= 7);
}
