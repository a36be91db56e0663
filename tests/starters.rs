//! `flitsim new`: the starter of every kind is proved free of deadlock and runs as it stands.

use flitsim::scenario::topology::Topology;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn flitsim(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flitsim"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("flitsim starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn succeeds(folder: &Path, arguments: &[&str]) -> Output {
    let output = flitsim(folder, arguments);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}\n{said}");
    output
}

/// The starter, made short: the measurement is not what is tested here.
fn shorten(path: &Path) {
    let starter = fs::read_to_string(path).expect("a starter");
    let short = starter.replace(
        "relative_error = 0.05\n",
        "relative_error = 0.5\nwarmup = 100\nmax_cycles = 2000\n",
    );
    assert_ne!(short, starter);
    fs::write(path, short).expect("a starter");
}

#[test]
fn the_starter_of_every_kind_is_proved_and_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    for kind in Topology::kinds() {
        let name = kind.name();
        let file = format!("{name}.toml");
        succeeds(here, &["new", name, "-o", &file]);
        let starter = fs::read_to_string(here.join(&file)).expect("a starter");
        assert!(
            starter.lines().all(|line| line.chars().count() <= 100),
            "{starter}"
        );
        assert!(starter.contains(&format!("kind = \"{name}\"")), "{starter}");
        // Printed, it is the same but for its own name.
        if kind.name() != "file" {
            let printed = text(&succeeds(here, &["new", name]).stdout);
            assert_eq!(printed.replace(" FILE ", &format!(" {file} ")), starter);
        }
        if name == "dragonfly" {
            let ugal = "\nalgorithm = \"ugal\"\n";
            assert!(
                starter.contains(ugal) && starter.contains("\n#knowledge = \"local\"\n"),
                "{starter}"
            );
        }
        succeeds(here, &["verify", &file]);
        shorten(&here.join(&file));
        let run = succeeds(here, &["run", &file, "--format", "json"]);
        let point: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
        assert!(point["accepted_flits"].as_f64() > Some(0.0), "{point}");
        assert_ne!(point["status"], "saturated", "{name}");
    }
    let network = fs::read_to_string(here.join("network.csv")).expect("a channel list");
    assert_eq!(
        network,
        include_str!("../scenarios/topologies/ring-of-switches.csv")
    );
}

#[test]
fn the_help_names_every_kind() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let help = text(&succeeds(folder.path(), &["new", "--help"]).stdout);
    let (_, listed) = help.split_once("Kinds: ").expect("a list of kinds");
    // Wherever its lines end.
    let listed: String = listed.split_whitespace().collect();
    let listed: Vec<&str> = listed.split([',', '.']).collect();
    for kind in Topology::kinds() {
        assert!(listed.contains(&kind.name()), "{}", kind.name());
    }
}

#[test]
fn every_default_that_a_starter_shows_may_be_taken() {
    let folder = tempfile::tempdir().expect("a folder");
    for kind in Topology::kinds().filter(|kind| kind.name() != "file") {
        let starter = text(&succeeds(folder.path(), &["new", kind.name()]).stdout);
        // A default is `#key = value`, a comment begins with `# `.
        let lines = starter.lines().map(|line| match line.strip_prefix('#') {
            Some(rest) if rest.starts_with(|c: char| c.is_ascii_lowercase()) => rest,
            _ => line,
        });
        let with_defaults = lines.collect::<Vec<_>>().join("\n");
        assert_ne!(with_defaults, starter);
        let file = folder.path().join("defaults.toml");
        fs::write(&file, with_defaults).expect("a scenario");
        succeeds(folder.path(), &["verify", "defaults.toml"]);
    }
}

#[test]
fn a_topology_in_one_word_is_taken_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let spec = "express-cube:radices=8x4,interval=2,channels_per_level=1x2";
    succeeds(here, &["new", spec, "-o", "cube.toml"]);
    let starter = fs::read_to_string(here.join("cube.toml")).expect("a starter");
    for line in [
        "radices = [8, 4]",
        "interval = 2",
        "channels_per_level = [1, 2]",
    ] {
        assert!(starter.lines().any(|l| l == line), "{line}\n{starter}");
    }
    let network = |what: &str| -> serde_json::Value {
        let output = succeeds(here, &["topology", what, "--format", "json"]);
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let (own, of_starter) = (network(spec), network("cube.toml"));
    for property in ["kind", "nodes", "switches", "channels", "diameter"] {
        assert!(!own[property].is_null());
        assert_eq!(own[property], of_starter[property], "{property}");
    }
}

#[test]
fn a_file_of_ones_own_is_found_from_another_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    fs::write(here.join("pair.csv"), "from,to\na,b\nb,a\n").expect("a network");
    fs::create_dir(here.join("deep")).expect("a folder");
    succeeds(here, &["new", "file:path=pair.csv", "-o", "deep/pair.toml"]);
    succeeds(here, &["verify", "deep/pair.toml"]);
    succeeds(here, &["new", "file:path=pair.csv", "-o", "pair.toml"]);
    let starter = fs::read_to_string(here.join("pair.toml")).expect("a starter");
    assert!(starter.contains("\npath = \"pair.csv\"\n"), "{starter}");
}

#[test]
fn nothing_is_written_over_and_what_is_wrong_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    fs::write(here.join("mine.toml"), "mine").expect("a file");
    fs::write(here.join("network.csv"), "mine").expect("a file");
    for (arguments, says) in [
        (
            &["new", "torus", "-o", "mine.toml"][..],
            "is not overwritten",
        ),
        (
            &["new", "file", "-o", "other.toml"],
            "network.csv is there already",
        ),
        (&["new", "torus", "-o", "."], "is a folder"),
        (&["new", "torsu"], "did you mean \"torus\"?"),
        (&["new", "torus:radix=8"], "`dimensions` is missing"),
        (
            &["new", "torus", "-o", "nowhere/at/all.toml"],
            "cannot write nowhere/at/all.toml",
        ),
    ] {
        let output = flitsim(here, arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}\n{said}");
        assert!(said.contains(says), "{arguments:?}\n{said}");
    }
    assert_eq!(
        fs::read_to_string(here.join("mine.toml")).expect("a file"),
        "mine"
    );
    assert!(!here.join("other.toml").exists());
}
