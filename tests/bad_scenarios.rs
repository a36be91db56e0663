//! Bad scenarios: each is refused with exit code 2 and one clear message that shows the place. The
//! messages are kept beside the scenarios and compared exactly: `UPDATE=1 cargo test --test all
//! bad_scenarios` rewrites them, for review.

use flitsim::scenario::{Overrides, Plan};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Cases beyond one scenario file: the message's file stem, and the arguments.
const COMMANDS: [(&str, &[&str]); 12] = [
    (
        "command-missing-file",
        &["run", "fluw-control-unknown.toml"],
    ),
    ("command-missing-folder", &["sweep", "nowhere/at-all.toml"]),
    ("command-directory", &["run", "."]),
    (
        "command-load-too-high",
        &["run", "good/torus.toml", "--load", "1.5"],
    ),
    (
        "command-load-negative",
        &["run", "good/torus.toml", "--load", "-0.1"],
    ),
    (
        "command-load-nan",
        &["run", "good/torus.toml", "--load", "nan"],
    ),
    (
        "command-tolerance-0",
        &["saturate", "good/torus.toml", "--tolerance", "0"],
    ),
    (
        "command-model-none-fits",
        &["model", "../../scenarios/topologies/fat-pyramid.toml"],
    ),
    (
        "command-saturate-may-deadlock",
        &["saturate", "one-virtual-channel-on-a-torus.toml"],
    ),
    (
        "command-saturate-a-closed-loop",
        &["saturate", "good/closed-loop.toml"],
    ),
    (
        "command-load-of-a-trace",
        &["run", "good/trace.toml", "--load", "0.2"],
    ),
    (
        "command-load-of-a-closed-loop",
        &["run", "good/closed-loop.toml", "--load", "0.2"],
    ),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad_scenarios")
}

fn flitsim(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flitsim"))
        .args(arguments)
        .current_dir(folder())
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .output()
        .expect("flitsim starts")
}

/// Compares what the command says with what is kept, or keeps it. Returns what differs.
fn check(stem: &str, arguments: &[&str]) -> Option<String> {
    let output = flitsim(arguments);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.code() != Some(2) {
        return Some(format!(
            "{stem}: exit code {:?}, not 2\n{message}",
            output.status.code()
        ));
    }
    assert!(output.stdout.is_empty(), "{stem} prints results");
    assert!(!message.contains("panicked"), "{stem}:\n{message}");
    assert!(!message.contains('\u{1b}'), "{stem} is coloured");
    let kept = folder().join(format!("{stem}.txt"));
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&kept, &message).expect("messages can be kept");
        return None;
    }
    let expected = fs::read_to_string(&kept).unwrap_or_default();
    (message != expected).then(|| format!("{stem}: expected\n{expected}\nbut it says\n{message}"))
}

#[test]
fn every_bad_scenario_is_refused_with_its_message() {
    let mut names: Vec<String> = fs::read_dir(folder())
        .expect("the scenarios are there")
        .map(|entry| entry.expect("a file").file_name())
        .filter_map(|name| name.into_string().ok())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    names.sort();
    assert!(names.len() > 50, "{names:?}");
    let differing: Vec<String> = names
        .iter()
        .filter_map(|name| {
            let stem = name.trim_end_matches(".toml");
            check(stem, &["run", name])
        })
        .collect();
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn every_bad_command_is_refused_with_its_message() {
    let differing: Vec<String> = COMMANDS
        .iter()
        .filter_map(|(stem, arguments)| check(stem, arguments))
        .collect();
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn every_bad_scenario_is_refused_by_sweep_before_it_writes() {
    let out = tempfile::tempdir().expect("a temporary folder");
    let results = out.path().join("results");
    let results = results.to_str().expect("a path in UTF-8");
    for name in ["unknown-key.toml", "one-virtual-channel-on-a-torus.toml"] {
        let output = flitsim(&["sweep", name, "--out", results]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(!Path::new(results).exists(), "{name} leaves a folder");
    }
}

#[test]
fn every_message_about_a_file_names_the_line_and_what_would_be_right() {
    for entry in fs::read_dir(folder()).expect("the scenarios are there") {
        let path = entry.expect("a file").path();
        let stem = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.extension().is_none_or(|e| e != "txt") || stem.starts_with("command-") {
            continue;
        }
        let message = fs::read_to_string(&path).expect("a message");
        // Where something is missing altogether, there is no line to name.
        let place = match stem.as_str() {
            "empty" | "topology-missing" => format!("--> {stem}.toml\n"),
            _ => format!("--> {stem}.toml:"),
        };
        assert!(message.contains(&place), "{message}");
        assert!(message.contains("help: "), "{message}");
    }
}

/// Whatever the text, reading it ends in a plan or in an error that can be printed.
#[test]
fn no_part_of_a_scenario_is_a_panic() {
    let read = |text: String| {
        if let Err(error) = Plan::parse(Path::new("a.toml"), text, Overrides::default()) {
            assert!(error.to_string().starts_with("error: "), "{error}");
        }
    };
    for entry in fs::read_dir(folder()).expect("the scenarios are there") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a scenario");
        for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
            read(text[..end].to_owned());
        }
        let lines: Vec<&str> = text.lines().collect();
        for left_out in 0..lines.len() {
            let mut rest = lines.clone();
            rest.remove(left_out);
            read(rest.join("\r\n"));
        }
    }
    for text in [
        "topology = [[[[]]]]",
        "[[topology]]\nkind = \"torus\"",
        "[topology]\nkind.kind = 1",
        "[topology]\nkind = \"mesh\"\nradices = [[8]]",
        "[topology]\nkind = \"mesh\"\nradices = [99999999999999999999]",
        "[topology]\nkind = \"mesh\"\nradix = 0x10\ndimensions = 0b10",
        "[topology]\nkind = \"mesh\"\nradix = 2\ndimensions = 63",
        "series = [1, 2]",
        "series = []",
        "[[series]]\nname = 1979-05-27",
        "[[series]]\nname = \"\\u0000é\"\ntopology = 3",
        "[sweep]\nload = { from = -inf, to = inf, steps = 3 }\n[topology]\nkind = \"mesh\"",
        "\u{feff}[topology]\nkind = \"mesh\"\nradix = 1e3",
        "seed = 1\nseed = 2",
        "\"\" = 1",
    ] {
        read(text.to_owned());
    }
}

#[test]
fn colour_comes_when_asked_for() {
    let output = flitsim(&["--color", "always", "run", "unknown-key.toml"]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains('\u{1b}'), "{message}");
}

#[test]
fn help_and_version_are_no_errors() {
    for arguments in [&["--help"][..], &["run", "--help"], &["--version"]] {
        let output = flitsim(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(!output.stdout.is_empty());
    }
    for arguments in [&[][..], &["frobnicate"], &["run"]] {
        let output = flitsim(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}
