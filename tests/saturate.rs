//! `flitsim saturate` and `load = "auto"`: what the search finds against what a sweep shows, at what
//! cost, and the same for any number of jobs.

use crate::bad_scenarios::case;
use crate::tier;
use flitsim::proof::ProvedSeries;
use flitsim::saturation::{Ending, NoWatch, Saturation, SearchSettings, find};
use flitsim::scenario::plan::Plan;
use flitsim::scenario::{Overrides, SeriesPlan};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The networks of the comparison: 64 nodes, uniform traffic, packets of 16 flits. The kind, the
/// capacity in flits per node per cycle, and the last stable load of a fine sweep with intervals of
/// 2 %, as `cargo run --release --locked --example saturate_vs_sweep` shows it.
const NETWORKS: [(&str, f64, f64); 2] = [("mesh", 0.5, 0.37), ("torus", 1.0, 0.52)];

fn plan(text: &str) -> Plan {
    Plan::parse(
        Path::new("test.toml"),
        text.to_owned(),
        Overrides::default(),
    )
    .unwrap_or_else(|error| panic!("{error}"))
}

fn network(kind: &str, radix: u32, more: &str) -> SeriesPlan {
    let text = format!(
        "[topology]\nkind = \"{kind}\"\nradix = {radix}\ndimensions = 2\n\
         [traffic]\npacket_flits = 16\n{more}"
    );
    plan(&text).series.remove(0)
}

fn proved(series: &SeriesPlan) -> ProvedSeries<'_> {
    ProvedSeries::prove(series, false).expect("free of deadlock")
}

fn check(found: &Saturation) {
    let bound = found.ideal_bound.unwrap();
    assert_eq!(found.ending, Ending::Found);
    assert!(found.low < found.load && found.load < found.high && found.high <= bound);
}

/// The search against a fine sweep (the example `saturate_vs_sweep` is that sweep, and the search at
/// full precision), in less time: at a coarse tolerance.
#[test]
fn a_coarse_search_agrees_with_the_sweep() {
    if tier::is_left_out() {
        return;
    }
    for (kind, capacity, last_stable) in NETWORKS {
        let found = find(
            &proved(&network(kind, 8, "")),
            SearchSettings::new(0.06, 1),
            &NoWatch,
        )
        .unwrap();
        check(&found);
        let bound = found.ideal_bound.unwrap();
        assert!((bound / capacity - 63.0 / 64.0).abs() < 1e-9, "{bound}");
        // Uniform traffic: no channel passes more than it does at the bound.
        assert!(found.accepted_at_overload < bound, "{found:?}");
        assert!(found.high - found.low <= 0.06 * bound + 1e-9, "{found:?}");
        assert!(
            found.low - 0.01 * capacity <= last_stable
                && last_stable <= found.high + 0.01 * capacity,
            "{kind}: {last_stable}, {found:?}"
        );
        assert!(found.cycles < 200_000, "{found:?}");
    }
}

/// One terminal takes a flit a cycle: of 16 nodes, the 15 others each send 3/10 and a fifteenth of the
/// rest to it, and saturate it at 1 / (15 · (0.3 + 0.7 / 15)) = 1 / 5.2 = 0.192 or before: no channel
/// takes as much. Only what goes there piles up, and the network as a whole accepts more than that at
/// full overload.
#[test]
fn the_queue_of_a_hot_spot_is_found() {
    let hotspot = "pattern = \"hotspot\"\nnodes = [5]\nfraction = 0.3\n";
    let series = network("mesh", 4, hotspot);
    // Under one seed in four the load next below the bound is left undecided.
    let found = find(&proved(&series), SearchSettings::new(0.1, 2), &NoWatch).unwrap();
    check(&found);
    let bound = found.ideal_bound.unwrap();
    assert!((bound - 1.0 / 5.2).abs() < 1e-12, "{bound}");
    assert!(found.load > 0.6 * bound, "{found:?}");
}

/// Every node sends to the next, over a channel of its own: nothing saturates below one flit a cycle,
/// and slow enough a process offers less.
#[test]
fn a_network_that_delivers_all_is_not_saturated() {
    let text = "[topology]\nkind = \"torus\"\nradix = 4\ndimensions = 2\n[router]\n\
                injection = \"unlimited\"\nejection = \"unlimited\"\n[traffic]\npacket_flits = 1\n\
                pattern = \"neighbour\"\n";
    let series = plan(text).series.remove(0);
    let found = find(&proved(&series), SearchSettings::new(0.05, 1), &NoWatch).unwrap();
    assert!(found.high <= found.overload);
    assert!(found.low > 0.9, "{found:?}");
}

fn flitsim(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flitsim"))
        .args(arguments)
        .output()
        .expect("flitsim starts")
}

const SMALL: &str = r#"
title = "Small"
[topology]
kind = "mesh"
radix = 4
dimensions = 2
[traffic]
packet_flits = 4
[measure]
relative_error = 0.2
max_cycles = 20_000
[sweep]
load = "auto"
steps = 8
load_unit = "capacity"
[[series]]
name = "four"
[[series]]
name = "slow"
channel.cycle_time = 2.0
"#;

/// The second series is of so many cycles and so fine a tolerance that its search is under way when the first has ended.
#[cfg(unix)]
#[test]
fn an_interrupted_search_prints_the_series_that_it_has_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.toml");
    let long = SMALL.replace(
        "channel.cycle_time = 2.0",
        "topology.radix = 32\nmeasure.max_cycles = 2_000_000_000\nmeasure.relative_error = 1e-6",
    );
    std::fs::write(&path, long).unwrap();
    let path = path.to_str().unwrap();
    let asked = ["saturate", path, "--format", "json", "--tolerance", "0.001"];
    let mut child = Command::new(env!("CARGO_BIN_EXE_flitsim"))
        .args(asked)
        .args(["--jobs", "2", "--quiet", "--progress", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
    let first_ends = told.find(|line| line.as_ref().unwrap().contains("\"done\":1"));
    assert!(first_ends.is_some(), "no series ended");
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &pid]).status().unwrap();
    assert!(sent.success());
    let rest: Vec<String> = told.map(|line| line.unwrap()).collect();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{rest:?}");
    let said = "stopped before the saturation of 1 of 2 series was found";
    assert!(rest.iter().any(|line| line.contains(said)), "{rest:?}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let names: Vec<&Value> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|o| &o["series"])
        .collect();
    assert_eq!(names, ["four"]);
}

#[test]
fn the_json_is_the_same_for_any_number_of_jobs_and_scales_with_the_cycle() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.toml");
    std::fs::write(&path, SMALL).unwrap();
    let path = path.to_str().unwrap();
    let printed = ["1", "2"].map(|jobs| {
        let output = flitsim(&[
            "saturate",
            path,
            "--tolerance",
            "0.1",
            "--format",
            "json",
            "--jobs",
            jobs,
        ]);
        assert!(output.status.success(), "{output:?}");
        output.stdout
    });
    assert_eq!(printed[0], printed[1]);
    let found: Value = serde_json::from_slice(&printed[0]).unwrap();
    let [four, slow] = &found.as_array().unwrap()[..] else {
        panic!("{found}");
    };
    let number = |of: &Value, key: &str| of[key].as_f64().unwrap_or_else(|| panic!("{key}: {of}"));
    for series in [four, slow] {
        assert_eq!(series["load_unit"], "capacity");
        assert!((number(series, "ideal_bound") - 1.0).abs() < 1e-6);
        let (low, high) = (number(series, "low"), number(series, "high"));
        let load = number(series, "saturation_load");
        assert!(
            low < load && load < high && high - low <= 0.1001,
            "{series}"
        );
        assert!(number(series, "accepted_at_overload") < 1.0);
        assert!(series["cycles"].as_u64().unwrap() > 1_000);
    }
    assert_eq!(
        (&four["series"], &slow["series"]),
        (&"four".into(), &"slow".into())
    );
    // Half the flits in a cycle twice as long are the same share of capacity; the random streams
    // differ.
    let apart = number(four, "saturation_load") - number(slow, "saturation_load");
    assert!(apart.abs() < 0.1, "{found}");
    let asked = ["saturate", path, "--tolerance", "0.1", "--format", "json"];
    let more = |more: &[&str]| flitsim(&[&asked[..], more].concat()).stdout;
    assert_ne!(more(&["--seed", "2"]), printed[0]);
    let alone: Value = serde_json::from_slice(&more(&["--series", "slow"])).unwrap();
    assert_eq!(alone, Value::Array(vec![slow.clone()]));
}

#[test]
fn a_sweep_places_its_points_where_the_curve_bends() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.toml");
    std::fs::write(&path, SMALL).unwrap();
    let path = path.to_str().unwrap();
    let files = ["1", "2"].map(|jobs| {
        let out = folder.path().join(jobs);
        let out = out.to_str().unwrap();
        let output = flitsim(&["--quiet", "sweep", path, "--out", out, "--jobs", jobs]);
        assert!(output.status.success(), "{output:?}");
        let read = |file| std::fs::read_to_string(Path::new(out).join(file)).unwrap();
        (read("points.csv"), read("manifest.json"))
    });
    assert_eq!(files[0], files[1]);
    let manifest: Value = serde_json::from_str(&files[0].1).unwrap();
    let points = manifest["points"].as_array().unwrap();
    assert_eq!(points.len(), 16);
    for series in ["four", "slow"] {
        let of = |p: &&Value| p["series"] == series;
        let loads: Vec<f64> = points
            .iter()
            .filter(of)
            .map(|p| p["load"].as_f64().unwrap())
            .collect();
        let steps: Vec<f64> = loads.windows(2).map(|pair| pair[1] - pair[0]).collect();
        // Six below saturation in shrinking steps, two above.
        assert!(loads[0] < 0.2 * loads[5], "{loads:?}");
        assert!(
            steps[..5].is_sorted_by(|a, b| a > b) && steps[4] > 0.0,
            "{loads:?}"
        );
        let status = |i: usize| points.iter().filter(of).nth(i).unwrap()["status"].clone();
        assert_eq!(status(0), "converged");
        assert_eq!(status(7), "saturated", "{loads:?}");
    }
    // A point is repeated by its load.
    let row = files[0].0.lines().nth(1).unwrap();
    let load = points[0]["load"].to_string();
    let run = flitsim(&["run", path, "--load", &load, "--format", "json"]);
    let run: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert!(
        row.contains(&run[0]["latency_mean"].to_string()),
        "{row} {run}"
    );
}

#[test]
fn a_deadlock_is_reported_with_its_load() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("one-virtual-channel-on-a-torus.toml");
    std::fs::write(&path, case("one-virtual-channel-on-a-torus").scenario).unwrap();
    let scenario = path.to_str().unwrap();
    let output = flitsim(&[
        "saturate",
        scenario,
        "--allow-deadlock",
        "--tolerance",
        "0.1",
        "--format",
        "json",
    ]);
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("deadlock by cycle"), "{message}");
    assert!(
        serde_json::from_slice::<Value>(&output.stdout)
            .unwrap()
            .is_array()
    );
}

/// What the limit of cycles leaves undecided has no headline: the middle of "somewhere" is no answer.
#[test]
fn an_undecided_search_tells_the_interval_and_no_number() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("short.toml");
    let scenario = "[topology]\nkind = \"mesh\"\nradices = [4, 4]\n[traffic]\npacket_flits = 16\n\
                    [measure]\nmax_cycles = 3000\n";
    std::fs::write(&path, scenario).unwrap();
    let path = path.to_str().unwrap();
    let json = flitsim(&["saturate", path, "--format", "json"]);
    assert!(json.status.success(), "{json:?}");
    let found: Value = serde_json::from_slice(&json.stdout).unwrap();
    let found = &found[0];
    assert_eq!(found["status"], "undecided", "{found}");
    assert!(found["saturation_load"].is_null() && found["ratio_to_ideal"].is_null());
    let (low, high) = (found["low"].as_f64(), found["high"].as_f64());
    assert!(low < high, "{found}");
    let told = String::from_utf8(json.stderr).unwrap();
    assert!(
        told.contains("undecided: `max_cycles` 3000 are too few to tell whether it delivers"),
        "{told}"
    );
    let table = flitsim(&["saturate", path]);
    let table = String::from_utf8(table.stdout).unwrap();
    let row = table.lines().nth(1).unwrap();
    assert!(
        row.contains("undecided") && !row.contains(" % of "),
        "{table}"
    );
    assert!(
        row.starts_with("mesh  – ") || row.contains("  –  "),
        "{table}"
    );
}

/// Credits limit what passes the dateline, one flow in four: its one virtual channel there holds one flit, and a
/// credit is back after two cycles. All channels look alike to who counts flits.
#[test]
fn what_credits_limit_is_found() {
    let text = "[topology]\nkind = \"torus\"\nradix = 4\ndimensions = 1\ndirected = true\n[router]\n\
                virtual_channels = 2\nbuffer_flits = 1\n[traffic]\npacket_flits = 1\npattern = \"neighbour\"\n";
    let series = plan(text).series.remove(0);
    for seed in 1..=3 {
        let found = find(&proved(&series), SearchSettings::new(0.02, seed), &NoWatch).unwrap();
        check(&found);
        assert!(found.low <= 0.5 && 0.5 <= found.high, "{seed}: {found:?}");
    }
}

/// In few cycles bursts look like a backlog that grows.
#[test]
fn bursts_are_not_taken_for_overload() {
    if tier::is_left_out() {
        return;
    }
    let bursts = "process = \"on-off\"\nburst_cycles = 50\nidle_cycles = 150\n";
    let series = network("mesh", 4, bursts);
    let [one, other] = [1, 2]
        .map(|seed| find(&proved(&series), SearchSettings::new(0.04, seed), &NoWatch).unwrap());
    check(&one);
    assert!(
        one.low < other.high && other.low < one.high,
        "{one:?}, {other:?}"
    );
}

/// Not even the run at full overload can be judged, so nothing is known but the bound.
#[test]
fn what_cannot_be_judged_is_undecided() {
    let short = "[measure]\nmax_cycles = 100\n".to_owned();
    let bursts = |cycles| {
        format!(
            "process = \"on-off\"\nburst_cycles = 400\nidle_cycles = 400\n[measure]\nmax_cycles = {cycles}\n"
        )
    };
    for (more, points) in [(short, 2), (bursts(90_000), 1)] {
        let series = network("mesh", 4, &more);
        let found = find(&proved(&series), SearchSettings::new(0.1, 1), &NoWatch).unwrap();
        assert_eq!(
            (found.ending, found.points),
            (Ending::Undecided, points),
            "{found:?}"
        );
        assert_eq!(found.low, 0.0);
        assert!(found.high > 0.5 * found.ideal_bound.unwrap());
    }
}
