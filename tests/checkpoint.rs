//! Simulations that are killed and go on: what they print and write in the end has the bytes of those that
//! nothing happened to. States that do not fit are refused.

use crate::tier;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A second or two of a debug build, and a thousand looks.
const SCENARIO: &str = r#"
seed = 3
[topology]
kind = "mesh"
radix = 16
dimensions = 2
[measure]
warmup = 3000
relative_error = 0.001
max_cycles = 20_000
details = ["channels", "sources"]
[sweep]
load = [0.2]
"#;

fn flitsim(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flitsim"));
    command.args(arguments).current_dir(folder);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    flitsim(folder, arguments).output().expect("it starts")
}

fn prepared() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mine.toml"), SCENARIO).unwrap();
    folder
}

/// What `run --format json` printed, without how long it took.
fn statistics(output: &Output) -> String {
    assert!(output.status.success(), "{}", stderr(output));
    let mut printed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let members = printed.as_object_mut().unwrap();
    members.remove("wall_seconds").unwrap();
    members.remove("flit_hops_per_second").unwrap();
    printed.to_string()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Waits until `file` is there, or until the program has ended.
fn wait_for(file: &Path, program: &mut Child) {
    let begun = Instant::now();
    while !file.exists() && program.try_wait().unwrap().is_none() {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "{} is late",
            file.display()
        );
        sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_run_that_is_killed_goes_on_and_says_the_same() {
    if tier::is_left_out() {
        return;
    }
    let folder = prepared();
    let plain = ["run", "mine.toml", "--format", "json"];
    let whole = statistics(&run(folder.path(), &plain));
    let kept = [
        &plain[..],
        &[
            "--checkpoint",
            "state",
            "--checkpoint-every",
            "600",
            "--verbose",
        ],
    ]
    .concat();
    let state = folder.path().join("state");
    let mut kills = 0;
    // At other moments each time, while a file is written among them.
    for pause in [0, 31, 3, 74] {
        let mut program = flitsim(folder.path(), &kept).spawn().unwrap();
        wait_for(&state, &mut program);
        sleep(Duration::from_millis(pause));
        kills += u32::from(program.try_wait().unwrap().is_none());
        program.kill().unwrap();
        program.wait().unwrap();
    }
    assert!(kills > 0, "nothing was killed");
    let last = run(folder.path(), &kept);
    assert!(
        stderr(&last).contains("going on from state"),
        "{}",
        stderr(&last)
    );
    assert_eq!(statistics(&last), whole);
    // No kill has left anything half written.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    // What is left is a state of it, too.
    let restarted = [&plain[..], &["--restart", "state"]].concat();
    let bytes = fs::read(&state).unwrap();
    assert_eq!(statistics(&run(folder.path(), &restarted)), whole);
    assert_eq!(fs::read(&state).unwrap(), bytes);
    // With both, the same command goes on from what it has kept since.
    let both = [&restarted[..], &["--checkpoint", "other", "--verbose"]].concat();
    for from in ["state", "other"] {
        let output = run(folder.path(), &both);
        assert_eq!(statistics(&output), whole);
        let said = stderr(&output);
        assert!(said.contains(&format!("going on from {from}")), "{said}");
        fs::copy(&state, folder.path().join("other")).unwrap();
    }
}

#[test]
fn a_state_that_cannot_be_kept_is_refused_before_the_run() {
    let folder = prepared();
    let ended = run(
        folder.path(),
        &["run", "mine.toml", "--checkpoint", "none/state"],
    );
    assert_eq!(ended.status.code(), Some(2));
    let said = stderr(&ended);
    assert!(said.contains("cannot keep the state"), "{said}");
}

#[test]
#[cfg(unix)]
fn a_signal_keeps_the_state_and_ends_the_run() {
    let folder = prepared();
    let plain = ["run", "mine.toml", "--format", "json"];
    // An hour: what is there is the signal's doing.
    let kept = [
        &plain[..],
        &["--checkpoint", "state", "--checkpoint-every", "1h"],
    ]
    .concat();
    let ended_after = |pause| {
        let program = flitsim(folder.path(), &kept).spawn().unwrap();
        sleep(Duration::from_millis(pause));
        let id = program.id().to_string();
        let kill = Command::new("kill").args(["-TERM", &id]).status();
        assert!(kill.unwrap().success());
        program.wait_with_output().unwrap()
    };
    // On a busy machine it may not have begun by then: there is nothing to keep.
    let mut all = [75, 150, 300, 600, 1_200, 2_400]
        .into_iter()
        .map(ended_after);
    let ended = all.find(|ended| stderr(ended).contains("goes on from state"));
    let ended = ended.expect("a run that the signal ends");
    assert_eq!(ended.status.code(), Some(1));
    let again = statistics(&run(folder.path(), &kept));
    assert_eq!(again, statistics(&run(folder.path(), &plain)));
}

/// The second series is of so many cycles that it is under way when the first has ended.
#[test]
#[cfg(unix)]
fn an_interrupted_run_prints_the_series_that_it_has_simulated() {
    let folder = tempfile::tempdir().unwrap();
    let several = "topology = { kind = \"mesh\", radix = 4, dimensions = 2 }\n[sweep]\nload = [0.1]\n\
                   [[series]]\nname = \"quick\"\nmeasure.max_cycles = 2000\n\
                   [[series]]\nname = \"long\"\nmeasure.max_cycles = 9_000_000_000\n\
                   measure.relative_error = 1e-6\n[[series]]\nname = \"last\"\n";
    fs::write(folder.path().join("several.toml"), several).unwrap();
    let interrupted = |more: &[&str]| {
        let asked = ["run", "several.toml", "--quiet", "--progress", "json"];
        let mut program = flitsim(folder.path(), &[&asked, more].concat())
            .spawn()
            .unwrap();
        let mut told = BufReader::new(program.stderr.take().unwrap()).lines();
        let is_long = |line: &str| line.contains("\"series\":\"long\"");
        assert!(told.any(|line| is_long(&line.unwrap())), "it never begins");
        let id = program.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status().unwrap();
        assert!(sent.success());
        let said: Vec<String> = told.map(|line| line.unwrap()).collect();
        let output = program.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{said:?}");
        let wanted = "error: stopped before 2 of 3 series were simulated: \"long\", \"last\"";
        assert_eq!(said.last().map(String::as_str), Some(wanted));
        String::from_utf8(output.stdout).unwrap()
    };
    let found: serde_json::Value =
        serde_json::from_str(&interrupted(&["--format", "json"])).unwrap();
    assert_eq!(found.as_array().unwrap().len(), 1);
    assert_eq!(found[0]["series"], "quick");
    let table = interrupted(&[]);
    assert!(
        table.contains("quick") && !table.contains("long"),
        "{table}"
    );
}

#[test]
fn what_does_not_fit_is_refused() {
    let folder = prepared();
    let kept = [
        "run",
        "mine.toml",
        "--checkpoint",
        "state",
        "--checkpoint-every",
        "1000",
    ];
    assert!(run(folder.path(), &kept).status.success());
    let refused = |arguments: &[&str], says: &str| {
        let output = run(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let said = stderr(&output)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        assert!(said.contains(says), "{arguments:?}: {said}");
    };
    let with = |more: &[&'static str]| [&kept[..], more].concat();
    refused(
        &with(&["--load", "0.1"]),
        "another simulation, series default at 0.2, seed 3",
    );
    refused(&with(&["--seed", "4"]), "another simulation");
    refused(
        &["run", "mine.toml", "--restart", "none"],
        "cannot read the checkpoint none",
    );
    refused(
        &["run", "mine.toml", "--restart", "mine.toml"],
        "is no checkpoint of flitsim",
    );
    refused(
        &["run", "mine.toml", "--checkpoint-every", "60s"],
        "--checkpoint <FILE>",
    );
    refused(
        &[
            "run",
            "mine.toml",
            "--checkpoint",
            "a",
            "--checkpoint-every",
            "1d",
        ],
        "60s, 10min or 2h",
    );
    let state = folder.path().join("state");
    let bytes = fs::read(&state).unwrap();
    let mut damaged = bytes.clone();
    damaged[bytes.len() / 2] ^= 4;
    fs::write(&state, damaged).unwrap();
    refused(&kept, "is damaged");
    let version = env!("CARGO_PKG_VERSION").as_bytes();
    let at = bytes
        .windows(version.len())
        .position(|text| text == version);
    assert!(at.is_some_and(|at| at < 64), "the version stands in front");
    let two = SCENARIO.to_owned() + "[[series]]\nname = \"a\"\n[[series]]\nname = \"b\"\n";
    fs::write(folder.path().join("mine.toml"), two).unwrap();
    refused(&kept, "choose a series with --series");
}

#[test]
fn a_point_of_a_sweep_goes_on_and_leaves_nothing() {
    if tier::is_left_out() {
        return;
    }
    let folder = prepared();
    let sweep = |out: &'static str| ["sweep", "mine.toml", "--out", out, "--verbose"];
    assert!(run(folder.path(), &sweep("whole")).status.success());
    let kept = [
        &sweep("killed")[..],
        &["--resume", "--checkpoint-every", "600"],
    ]
    .concat();
    let points = folder.path().join("killed/points");
    let states = || {
        let entries = fs::read_dir(&points).into_iter().flatten().flatten();
        let files = entries.map(|entry| entry.path());
        files.filter(|file| file.extension().is_some_and(|kind| kind == "checkpoint"))
    };
    let mut program = flitsim(folder.path(), &kept).spawn().unwrap();
    while states().next().is_none() && program.try_wait().unwrap().is_none() {
        sleep(Duration::from_millis(2));
    }
    program.kill().unwrap();
    program.wait().unwrap();
    assert_eq!(states().count(), 1);
    let last = run(folder.path(), &kept);
    assert!(last.status.success(), "{}", stderr(&last));
    assert!(
        stderr(&last).contains("going on from where it was kept"),
        "{}",
        stderr(&last)
    );
    assert_eq!(states().count(), 0);
    for file in ["points.csv", "channels.csv", "sources.csv"] {
        let [one, other] =
            ["whole", "killed"].map(|out| fs::read(folder.path().join(out).join(file)));
        assert_eq!(one.unwrap(), other.unwrap(), "{file}");
    }
}
