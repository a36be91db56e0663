//! The scenarios under `scenarios/large`, at a size that takes no time: they run, and say what they
//! keep. And what no machine could hold is refused before it is tried.

use crate::proofs;
use crate::tier;

use proofs::{exit_code, flitsim, json_of};
use std::fs;
use std::path::Path;

/// What stands in a scenario, and what takes its place.
type Change = (&'static str, &'static str);

/// The scenario `name` with `changes` to its lines, in `folder`.
fn small(name: &str, changes: &[Change], folder: &Path) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = path.join("scenarios/large").join(name);
    let mut text = fs::read_to_string(&path).expect("the scenario is there");
    for (from, to) in changes {
        assert!(text.contains(from), "{name}: {from}");
        text = text.replace(from, to);
    }
    fs::write(folder.join("a.toml"), text).unwrap();
}

/// The bytes a node in all, from the table that `--verbose` prints.
fn bytes_each(message: &str) -> f64 {
    let total = message.lines().find(|line| line.starts_with("  total "));
    let total = total.unwrap_or_else(|| panic!("no total in:\n{message}"));
    total.split_whitespace().last().unwrap().parse().unwrap()
}

#[test]
fn large_scenarios_run_and_tell_what_they_keep() {
    if tier::is_left_out() {
        return;
    }
    let cases: [(&str, &[Change], f64); 7] = [
        // Lists of what comes in, and room for packets, weigh more in a small network.
        (
            "torus-1024.toml",
            &[("= 1024", "= 64"), ("0.00002", "0.002")],
            1_100.0,
        ),
        ("torus-32-4d.toml", &[("radix = 32", "radix = 6")], 1_900.0),
        ("cube-20.toml", &[("= 20", "= 9")], 2_200.0),
        (
            "star-10.toml",
            &[
                ("symbols = 10", "symbols = 5"),
                ("= 8", "= 5"),
                ("0.002", "0.02"),
            ],
            4_000.0,
        ),
        (
            "dragonfly-46.toml",
            &[("= 46 ", "= 4 "), ("= 23 ", "= 2 "), ("0.002", "0.02")],
            1_300.0,
        ),
        (
            "slim-fly-89.toml",
            &[("= 89 ", "= 5 "), ("= 66 ", "= 4 "), ("0.002", "0.02")],
            1_500.0,
        ),
        (
            "hyperx-32.toml",
            &[
                ("[32, 32, 32]", "[4, 4, 4]"),
                ("= 32 ", "= 4 "),
                ("0.002", "0.02"),
            ],
            1_500.0,
        ),
    ];
    for (name, changes, most) in cases {
        let folder = tempfile::tempdir().unwrap();
        small(name, changes, folder.path());
        let arguments = ["run", "a.toml", "--format", "json", "--verbose"];
        let arguments = [&arguments[..], &["--engine", "sparse"]].concat();
        let output = flitsim(folder.path(), &arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(exit_code(&output), 0, "{name}: {message}");
        let result = json_of(&output.stdout).expect("the output is JSON");
        assert!(
            result["flit_hops"].as_u64().unwrap() > 100,
            "{name}: {result}"
        );
        for part in [
            "lanes",
            "flit buffers",
            "packets",
            "calendar of arrivals",
            "coordinates",
        ] {
            assert!(
                message.contains(&format!("\n  {part} ")),
                "{name}: {message}"
            );
        }
        let each = bytes_each(&message);
        assert!(
            (200.0..most).contains(&each),
            "{name}: {each} bytes a node\n{message}"
        );
    }
}

#[test]
fn without_verbose_nobody_is_told() {
    let folder = tempfile::tempdir().unwrap();
    small("torus-1024.toml", &[("= 1024", "= 16")], folder.path());
    let output = flitsim(folder.path(), &["run", "a.toml"]);
    assert_eq!(exit_code(&output), 0);
    assert!(!String::from_utf8_lossy(&output.stderr).contains("memory by part"));
}

#[test]
fn what_no_machine_holds_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    for (topology, what) in [
        ("kind = 'torus'\nradix = 60_000\ndimensions = 3", "GiB"),
        ("kind = 'mesh'\nradix = 2_000\ndimensions = 3", "GiB"),
        ("kind = 'hypercube'\ndimensions = 40", "GiB"),
        ("kind = 'star'\nsymbols = 12", "GiB"),
        (
            "kind = 'butterfly-fat-tree'\nprocessors = 268_435_456",
            "GiB",
        ),
        ("kind = 'fat-pyramid'\nprocessors = 268_435_456", "GiB"),
        (
            "kind = 'pruned-torus'\nradix = 6_000\ndimensions = 3",
            "GiB",
        ),
        (
            "kind = 'manhattan-torus'\nradix = 60_000\ndimensions = 2",
            "GiB",
        ),
        (
            "kind = 'express-cube'\nradix = 60_000\ndimensions = 2\ninterval = 4\nlevels = 1",
            "GiB",
        ),
        // Not the graph: the buffers.
        (
            "kind = 'torus'\nradix = 512\ndimensions = 2\n[router]\nvirtual_channels = 64\n\
             buffer_flits = 32_768",
            "GiB",
        ),
    ] {
        let text = format!("[topology]\n{topology}\n[sweep]\nload = [0.1]\n");
        fs::write(folder.path().join("a.toml"), text).unwrap();
        let output = flitsim(folder.path(), &["run", "a.toml"]);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(exit_code(&output), 2, "{topology}: {message}");
        assert!(message.contains(what), "{topology}: {message}");
    }
}
