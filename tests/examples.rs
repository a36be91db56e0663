//! The examples of the folder `examples` run to their end. Each is a module here, so that it is built
//! once and lints hold for it.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

#[path = "../examples/own_program.rs"]
mod own_program;
#[path = "../examples/own_routing.rs"]
mod own_routing;
#[path = "../examples/own_topology.rs"]
mod own_topology;
#[path = "../examples/own_traffic.rs"]
mod own_traffic;
#[path = "../examples/sweep_from_code.rs"]
mod sweep_from_code;

#[test]
fn a_sweep_from_code() {
    sweep_from_code::main().expect("it runs");
}

#[test]
fn a_topology_of_ones_own() {
    own_topology::main().expect("it runs");
}

#[test]
fn a_routing_of_ones_own() {
    own_routing::main().expect("it runs");
}

/// In the process of its own that the test below makes: the other tests share this one.
const WORDS: &str = "FLITSIM_OWN_PROGRAM";

/// What the program is called with, in `folder`; each run must succeed.
fn own_program(folder: &Path, words: &str) {
    let this = std::env::current_exe().expect("this program");
    let output = Command::new(this)
        .args(["--exact", "examples::a_program_of_ones_own", "--nocapture"])
        .env(WORDS, words)
        .current_dir(folder)
        .output()
        .expect("the program starts");
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words}: {said}");
}

const OWN: &str = "[sweep]
load = [0.1, 0.3]
[measure]
relative_error = 0.2
details = [\"vc-use\"]
[energy]
technology = \"noxim\"
[[series]]
name = \"ROMM\"
topology = { kind = \"mesh\", radix = 4, dimensions = 2 }
routing.algorithm = \"romm-2d\"
[[series]]
name = \"UGAL\"
topology = { kind = \"mesh\", radices = [5, 3] }
routing.algorithm = \"ugal-2d\"
[[series]]
name = \"ladder\"
topology = { kind = \"ladder\", rungs = 5 }
";

/// Routings, a network and a statistic of another crate are named in a scenario, verified, swept, searched for
/// saturation, and in the report and the schema.
#[test]
fn a_program_of_ones_own() {
    if let Ok(words) = std::env::var(WORDS) {
        own_program::register().expect("names that are free");
        let words = ["flitsim"].into_iter().chain(words.split(' '));
        let words = words.map(OsString::from).collect();
        std::process::exit(flitsim::main_of(words).into());
    }
    let _: fn() -> ExitCode = own_program::main;
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    fs::write(here.join("own.toml"), OWN).expect("a scenario");
    own_program(here, "verify own.toml");
    own_program(here, "topology ladder:rungs=5 --format svg");
    own_program(here, "sweep own.toml --out out --quiet");
    own_program(here, "saturate own.toml --tolerance 0.2 --quiet");
    let read = |name: &str| fs::read_to_string(here.join("out").join(name)).expect("a file");
    let points = read("points.csv");
    for wanted in ["romm-2d", "ugal-2d", "ladder:rungs=5"] {
        let rows = points.lines().filter(|line| line.contains(wanted));
        assert!(
            rows.filter(|row| row.contains("converged")).count() == 2,
            "{points}"
        );
        assert!(read("report.html").contains(wanted), "{wanted}");
    }
    let counted = read("vc-use.csv");
    assert!(
        counted.starts_with("scenario,series,load_unit,load,vc,flits_per_cycle,heads_per_cycle\n")
    );
    // Packets of 16 flits: of the flits one in 16 is a head.
    for line in counted.lines().skip(1) {
        let field = |at: usize| line.split(',').nth(at).and_then(|f| f.parse::<f64>().ok());
        let ratio = field(5).expect("flits") / field(6).expect("heads");
        assert!((ratio / 16.0 - 1.0).abs() < 0.05, "{line}");
    }
    assert!(read("report.html").contains("\"vc-use\""));
}

#[test]
fn traffic_of_ones_own() {
    own_traffic::main().expect("it runs");
}
