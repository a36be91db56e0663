//! `[faults]` through the whole program: what is left is routed on, proved, and simulated; what is
//! kept apart is named.

use flitsim::point::Status;
use flitsim::proof::{ProvedPlan, ProvedSeries};
use flitsim::scenario::{Overrides, Plan, ScenarioError, SeriesPlan};
use flitsim::simulate::NoMonitor;
use flitsim::simulate_point;
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

const TORUS: &str = "[topology]\nkind = \"torus\"\nradix = 8\ndimensions = 2\n\
                     [traffic]\npacket_flits = 4\n\
                     [measure]\nrelative_error = 0.1\nmax_cycles = 20_000\n[sweep]\nload = 0.05\n";

fn parse(more: &str) -> Result<Plan, ScenarioError> {
    let text = format!("{TORUS}{more}");
    Plan::parse(Path::new("a.toml"), text, Overrides::default())
}

fn plan(more: &str) -> Plan {
    let plan = parse(more).unwrap_or_else(|error| panic!("{error}"));
    ProvedPlan::prove(plan.clone(), false, &|_, _| {}, |w| panic!("{w}"))
        .unwrap_or_else(|error| panic!("{error}"));
    plan
}

fn series(more: &str) -> SeriesPlan {
    plan(more).series.remove(0)
}

#[test]
fn from_1_to_10_random_faults_are_routed_round_under_a_proof() {
    for faults in 1..=10 {
        for seed in 1..=3 {
            let random = format!("random = {{ channels = {faults}, seed = {seed} }}");
            let series = series(&format!("[faults]\n{random}\n"));
            assert_eq!(series.routing.name(), "up-down", "{random}");
            assert_eq!(series.topology, "torus:radix=8,dimensions=2");
            assert_eq!(series.network.channels(), 256 - 2 * faults);
        }
    }
    let series = series("[faults]\nrandom = { channels = 10, seed = 2 }\n");
    let proved = ProvedSeries::prove(&series, false).expect("free of deadlock");
    let point = simulate_point(&proved, series.loads[0], 1, &NoMonitor).expect("a plan runs");
    assert_eq!(point.status, Status::Converged, "{point:?}");
    let missing = (point.accepted_flits - 0.05).abs();
    assert!(missing <= 2.0 * point.accepted_ci95, "{point:?}");
}

#[test]
fn series_share_the_draw_and_differ_in_its_length() {
    let plan = plan(
        "[faults]\nrandom = { seed = 4 }\n\
         [[series]]\nname = \"whole\"\n\
         [[series]]\nname = \"one\"\nfaults.random.channels = 1\n\
         [[series]]\nname = \"three\"\nfaults.random.channels = 3\n\
         [[series]]\nname = \"same three\"\nfaults.random.channels = 3\nrouter.virtual_channels = 2\n",
    );
    let [whole, one, three, same] = &plan.series[..] else {
        panic!("four series");
    };
    let failed = |series: &SeriesPlan| -> Vec<u64> {
        let channels = series.definition["faults"]["channels"].as_array();
        let channels = channels.into_iter().flatten();
        channels.filter_map(Value::as_u64).collect()
    };
    // Nothing has failed: the family's own algorithm, and the definition of old.
    assert_eq!(whole.routing.name(), "dimension-order");
    assert!(whole.definition.get("faults").is_none());
    assert_eq!((failed(one).len(), failed(three).len()), (2, 6));
    assert!(failed(one).iter().all(|c| failed(three).contains(c)));
    assert!(Arc::ptr_eq(&three.network, &same.network));
    assert!(Arc::ptr_eq(
        &whole.network,
        three.network.damage().unwrap().whole()
    ));
    let other = series("[faults]\nrandom = { seed = 5, channels = 3 }\n");
    assert_ne!(failed(&other), failed(three));
}

#[test]
fn failed_nodes_are_not_counted_and_offered_is_what_is_created() {
    let nodes = "[faults]\nnodes = [9, 27]\n";
    let uniform = series(nodes);
    let proved = ProvedSeries::prove(&uniform, false).expect("free of deadlock");
    let point = simulate_point(&proved, uniform.loads[0], 1, &NoMonitor).expect("a plan runs");
    assert_eq!(
        (point.status, point.offered_flits),
        (Status::Converged, 0.05)
    );
    let missing = (point.accepted_flits - 0.05).abs();
    assert!(missing <= 2.0 * point.accepted_ci95, "{point:?}");
    // Transpose: 9 and 27 are on the diagonal and sent to themselves, so that nobody is silent;
    // 10 is (2, 1), whose packets come from (1, 2).
    let of = |nodes: &str| {
        let pattern = TORUS.replace("packet_flits", "pattern = \"transpose\"\npacket_flits");
        let text = format!("{pattern}[faults]\nnodes = {nodes}\n");
        let plan = Plan::parse(Path::new("a.toml"), text, Overrides::default());
        let series = plan
            .unwrap_or_else(|error| panic!("{error}"))
            .series
            .remove(0);
        let proved = ProvedSeries::prove(&series, false).expect("free of deadlock");
        let point = simulate_point(&proved, series.loads[0], 1, &NoMonitor);
        point.expect("a plan runs")
    };
    assert_eq!(of("[9, 27]").offered_flits, 0.05);
    let silent = of("[10]");
    assert!((silent.offered_flits - 0.05 * 62.0 / 63.0).abs() < 1e-12);
    let missing = (silent.accepted_flits - silent.offered_flits).abs();
    assert!(missing <= 2.0 * silent.accepted_ci95, "{silent:?}");
}

#[test]
fn algorithms_that_adapt_are_those_that_are_proposed() {
    let fault = "[faults]\nchannels = [\"3-4\"]\n[router]\nvirtual_channels = 12\n[routing]\n";
    for algorithm in ["up-down", "hop-class", "nhop", "nbc", "enhanced-nbc"] {
        plan(&format!("{fault}algorithm = \"{algorithm}\"\n"));
    }
    plan(&format!(
        "{fault}algorithm = \"minimal-adaptive\"\nescape = \"up-down\"\n"
    ));
    for algorithm in ["dimension-order", "duato", "valiant"] {
        let error = parse(&format!("{fault}algorithm = \"{algorithm}\"\n")).unwrap_err();
        assert!(error.is_about_routing());
        let help = error.told()[0].fault.remedy().unwrap_or_default();
        assert!(
            help.contains("\"up-down\"") && !help.contains(algorithm),
            "{error}"
        );
    }
    let one_way = "[faults]\nchannels = [\"3->4\"]\n[router]\nvirtual_channels = 12\n";
    assert_eq!(series(one_way).routing.name(), "hop-class");
}

fn flitsim(arguments: &[&str], scenario: &str) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("faults.toml");
    std::fs::write(&path, scenario).expect("a scenario");
    let output = Command::new(env!("CARGO_BIN_EXE_flitsim"))
        .args(arguments)
        .arg(path)
        .output()
        .expect("flitsim starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn what_is_kept_apart_is_named_by_verify_and_refused_by_run() {
    let apart = format!("{TORUS}[faults]\nchannels = [\"0-1\", \"0-8\", \"0-7\", \"0-56\"]\n");
    let (code, json, _) = flitsim(&["verify", "--format", "json"], &apart);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(code, Some(1));
    assert_eq!(json["deadlock_free"], false);
    assert_eq!(json["reaches_every_pair"], false);
    assert_eq!(json["cycle"], Value::Array(Vec::new()));
    // Node 0 from and to 63 others.
    let reason = json["reason"].as_str().unwrap_or_default();
    assert!(
        reason.contains("`0` to `1`") && reason.contains("122 more pairs"),
        "{reason}"
    );
    let (code, _, message) = flitsim(&["run"], &apart);
    assert_eq!(code, Some(2));
    assert!(message.contains("122 more pairs"), "{message}");
    // The node gone, the rest is connected.
    let (code, json, _) = flitsim(
        &["verify", "--format", "json"],
        &format!("{TORUS}[faults]\nnodes = [0]\n"),
    );
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(
        (code, &json["reaches_every_pair"]),
        (Some(0), &Value::Bool(true))
    );
}

#[test]
fn topology_shows_what_is_left() {
    let scenario = format!(
        "{TORUS}[faults]\nnodes = [5]\nchannels = [\"0->1\"]\n[router]\nvirtual_channels = 12\n"
    );
    let (code, json, _) = flitsim(&["topology", "--format", "json"], &scenario);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(code, Some(0));
    assert_eq!((&json["nodes"], &json["switches"]), (&63.into(), &0.into()));
    assert_eq!(json["channels"], 256 - 8 - 1);
    assert_eq!(json["failed_nodes"], serde_json::json!(["5"]));
    assert_eq!(json["failed_channels"], serde_json::json!(["0->1"]));
    assert_eq!(
        (&json["connected"], &json["degree_min"]),
        (&true.into(), &3.into())
    );
    let (_, csv, _) = flitsim(&["topology", "--format", "csv"], &scenario);
    assert!(csv.starts_with("from,to"), "{csv}");
    let has = |row: &str| csv.lines().any(|line| line.starts_with(row));
    assert!(has("1,0,") && !has("0,1,") && !has("5,") && !has("4,5,"));
}
