//! `--threads`: several threads on one point give the bytes of one, whatever the network, the router,
//! the allocator and the load.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Networks that each ask something else of the border between two threads: delays of their own,
/// wide and narrow channels, adaptive routing, packets that fit buffers, nodes without a terminal,
/// past saturation.
const SCENARIO: &str = r#"
title = "Threads"
[traffic]
packet_flits = 4
[measure]
warmup = 300
relative_error = 0.2
max_cycles = 3_000
[sweep]
load = [0.05, 0.9]
replicas = 2
[[series]]
name = "torus"
topology = { kind = "torus", radix = 8, dimensions = 2 }
[[series]]
name = "one-way torus, long wires"
topology = { kind = "torus", radix = 5, dimensions = 2, directed = true }
channel = { model = "linear" }
router = { delay = 2, allocator = "islip" }
[[series]]
name = "adaptive"
topology = { kind = "mesh", radices = [7, 5] }
routing = { algorithm = "minimal-adaptive", escape = "west-first" }
router = { virtual_channels = 3, allocator = "random" }
[[series]]
name = "star"
topology = { kind = "star", symbols = 4 }
router = { virtual_channels = 5, crossbar = "vc", ejection = "unlimited" }
routing = { algorithm = "enhanced-nbc" }
[[series]]
name = "tree, virtual cut-through"
topology = { kind = "butterfly-fat-tree", processors = 64 }
router = { flow_control = "virtual-cut-through", allocator = "oldest-first" }
[[series]]
name = "store-and-forward"
topology = { kind = "hypercube", dimensions = 5 }
router = { flow_control = "store-and-forward" }
channel = { period = 2 }
"#;

fn flitsim(folder: &Path, arguments: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_flitsim"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("flitsim runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}\n{errors}");
    output
}

#[test]
fn the_bytes_do_not_depend_on_the_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("threads.toml"), SCENARIO).expect("a scenario");
    let points = |threads: &str| {
        let arguments = ["sweep", "threads.toml", "--overwrite", "--out", "out"];
        let arguments = [&arguments[..], &["--threads", threads]].concat();
        flitsim(folder.path(), &arguments);
        fs::read_to_string(folder.path().join("out/points.csv")).expect("points")
    };
    let one = points("1");
    assert_eq!(one.lines().count(), 1 + 12);
    for threads in ["2", "7"] {
        assert_eq!(points(threads), one, "{threads} threads");
    }
}

#[test]
fn a_search_does_not_depend_on_the_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "[topology]\nkind = \"mesh\"\nradix = 4\ndimensions = 2\n\
                [measure]\nmax_cycles = 20_000\n[traffic]\npacket_flits = 4\n";
    fs::write(folder.path().join("mesh.toml"), text).expect("a scenario");
    let found = |threads: &str| {
        let arguments = ["saturate", "mesh.toml", "--tolerance", "0.1", "--format"];
        let arguments = [&arguments[..], &["json", "--threads", threads]].concat();
        flitsim(folder.path(), &arguments).stdout
    };
    assert_eq!(found("3"), found("1"));
}

#[test]
fn what_may_deadlock_runs_on_one_thread() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "[topology]\nkind = \"torus\"\nradix = 4\ndimensions = 2\n\
                [router]\nvirtual_channels = 1\n[traffic]\npacket_flits = 8\n\
                [sweep]\nload = [0.9]\n";
    fs::write(folder.path().join("ring.toml"), text).expect("a scenario");
    let output = Command::new(env!("CARGO_BIN_EXE_flitsim"))
        .args(["run", "ring.toml", "--allow-deadlock", "--threads", "2"])
        .current_dir(folder.path())
        .output()
        .expect("flitsim runs");
    assert_eq!(output.status.code(), Some(1), "a deadlock is seen and told");
    assert!(String::from_utf8_lossy(&output.stderr).contains("deadlock by cycle"));
}
