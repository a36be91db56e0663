//! `--threads`: several threads on one point give the bytes of one, whatever the network, the router,
//! the allocator and the load.

use flitsim::EngineChoice;
use flitsim::point::PointResult;
use flitsim::proof::{ProvedPlan, ProvedSeries};
use flitsim::results::Finished;
use flitsim::scenario::Overrides;
use flitsim::scenario::plan::{Load, Plan};
use flitsim::simulate::Monitor;
use flitsim::sweep::Kernel;
use flitsim::sweep::{self, PointError, Silent, Simulated, Simulator};
use flitsim::threads::Workers;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

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
[[series]]
name = "what is left of a mesh"
topology = { kind = "mesh", radix = 5, dimensions = 2 }
faults = { nodes = [0, 12] }
[[series]]
name = "one-way streets"
topology = { kind = "manhattan-torus", radix = 4, dimensions = 2 }
router = { virtual_channels = 4 }
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
    assert_eq!(one.lines().count(), 1 + 16);
    for threads in ["2", "7"] {
        assert_eq!(points(threads), one, "{threads} threads");
    }
}

/// Simulates as a sweep does, and counts the points under way.
struct Counting {
    kernel: Kernel,
    under_way: AtomicUsize,
    most: AtomicUsize,
}

impl Simulator for Counting {
    fn simulate(
        &self,
        series: &ProvedSeries<'_>,
        load: Load,
        seed: u64,
        monitor: &dyn Monitor,
    ) -> Result<PointResult, PointError> {
        let now = self.under_way.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        let result = self.kernel.simulate(series, load, seed, monitor);
        self.under_way.fetch_sub(1, Ordering::SeqCst);
        result
    }
}

/// A thread of the sweep that waits for those of its point begins no other point meanwhile.
#[test]
fn points_on_several_threads_come_one_after_another() {
    let text = "[topology]\nkind = \"mesh\"\nradix = 4\ndimensions = 2\n\
                [measure]\nmax_cycles = 2_000\n[traffic]\npacket_flits = 4\n\
                [sweep]\nload = { from = 0.01, to = 0.3, steps = 12 }\n";
    let plan = Plan::parse(
        Path::new("mesh.toml"),
        text.to_owned(),
        Overrides::default(),
    )
    .expect("a scenario");
    let plan = ProvedPlan::prove(plan, false, &|_, _| {}, |_| {}).expect("free of deadlock");
    let workers = Workers::new(Some(1), Some(2), false);
    let counting = Counting {
        kernel: Kernel {
            threads: workers.among(12),
            engine: EngineChoice::Auto,
        },
        under_way: AtomicUsize::new(0),
        most: AtomicUsize::new(0),
    };
    let sink = |_: usize, _: &Finished, _: &Simulated| Ok::<(), std::io::Error>(());
    let jobs = workers.jobs();
    let outcome =
        sweep::run(&plan, &counting, sweep::Todo::all(jobs), &Silent, sink).expect("a sweep");
    assert_eq!(outcome.rows.len(), 12);
    assert_eq!(counting.most.into_inner(), 1);
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
