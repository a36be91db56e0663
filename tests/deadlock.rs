//! Deadlocks at run time, through the program: the status, the circle of channels on standard
//! error, the exit code, and the rest of a sweep that goes on.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A ring of one-way channels that packets go round, as far as `hops`, on one virtual channel. With
/// one hop nothing waits for long; with two, every packet may hold what the one behind it wants.
fn write_scenario(folder: &Path) {
    let nodes = ["a", "b", "c", "d", "e"];
    let next = |i: usize| nodes[(i + 1) % nodes.len()];
    let mut channels = String::from("from,to\n");
    let mut routes = String::from("source,destination,next\n");
    for (i, from) in nodes.iter().enumerate() {
        channels += &format!("{from},{}\n", next(i));
        for hops in 1..nodes.len() {
            let destination = nodes[(i + hops) % nodes.len()];
            for hop in 0..hops {
                routes += &format!("{from},{destination},{}\n", next(i + hop));
            }
        }
    }
    fs::write(folder.join("ring.csv"), channels).unwrap();
    fs::write(folder.join("routes.csv"), routes).unwrap();
    let scenario = r#"
[topology]
kind = "file"
path = "ring.csv"
[router]
virtual_channels = 1
buffer_flits = 2
[routing]
algorithm = "source"
path = "routes.csv"
[traffic]
pattern = "uniform"
packet_flits = 16
[measure]
relative_error = 0.2
max_cycles = 50_000
[sweep]
load = [0.4]
[[series]]
name = "round"
[[series]]
name = "neighbours"
topology = { kind = "torus", radix = 4, dimensions = 1, directed = true }
router.virtual_channels = 2
routing.algorithm = "dimension-order"
traffic.pattern = "neighbour"
"#;
    fs::write(folder.join("ring.toml"), scenario).unwrap();
}

fn flitsim(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flitsim"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program starts")
}

/// The channels of the ring, from the one that the message begins with.
fn names_the_ring(message: &str) -> bool {
    let channels = ["a->b#0", "b->c#0", "c->d#0", "d->e#0", "e->a#0"];
    (0..channels.len()).any(|first| {
        let mut turned = channels;
        turned.rotate_left(first);
        message.contains(&turned.join(", "))
    })
}

#[test]
fn run_names_the_circle_and_fails() {
    let folder = tempfile::tempdir().unwrap();
    write_scenario(folder.path());
    let output = flitsim(
        folder.path(),
        &["run", "ring.toml", "--allow-deadlock", "--format", "json"],
    );
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(
        message.contains("series round: deadlock by cycle "),
        "{message}"
    );
    assert!(message.contains("round 5 channels: "), "{message}");
    assert!(names_the_ring(&message), "{message}");
    assert!(!message.contains("neighbours"), "{message}");
    let results = String::from_utf8_lossy(&output.stdout);
    assert!(results.contains("\"status\": \"deadlock\""), "{results}");
    assert!(results.contains("\"status\": \"converged\""), "{results}");
}

#[test]
fn a_sweep_goes_on_after_a_deadlock_and_fails_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    write_scenario(folder.path());
    let output = flitsim(folder.path(), &["sweep", "ring.toml", "--allow-deadlock"]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(
        message.contains("series round, load 0.4: deadlock by cycle "),
        "{message}"
    );
    assert!(names_the_ring(&message), "{message}");
    let points = fs::read_to_string(folder.path().join("out/ring/points.csv")).unwrap();
    let mut points = csv::Reader::from_reader(points.as_bytes());
    let status = points.headers().unwrap().iter().position(|n| n == "status");
    let status = status.expect("a column");
    let statuses = points.records().map(|row| row.unwrap()[status].to_owned());
    let statuses: Vec<String> = statuses.collect();
    assert_eq!(statuses, ["deadlock", "converged"]);
}
