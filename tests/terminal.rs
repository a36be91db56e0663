//! What people see at a terminal and programs behind a pipe: help, completions, manual pages, colours,
//! progress, readers that go away, and disks that are full.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const SMALL: &str = r#"
title = "small"
[topology]
kind = "mesh"
radix = 4
dimensions = 2
[traffic]
packet_flits = 4
[measure]
warmup = 200
relative_error = 0.2
max_cycles = 4_000
[sweep]
load = [0.05, 0.1, 0.15, 0.2]
"#;

fn flitsim(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flitsim"));
    command
        .args(arguments)
        .current_dir(folder)
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR")
        .env_remove("CLICOLOR_FORCE");
    command
}

fn output(folder: &Path, arguments: &[&str]) -> Output {
    flitsim(folder, arguments).output().expect("flitsim starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A folder with the small scenario, and one that is wrong.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("small.toml"), SMALL).expect("a scenario");
    fs::write(
        folder.path().join("wrong.toml"),
        "[topology]\nkind = \"torus\"\nradx = 8\n",
    )
    .expect("a scenario");
    folder
}

/// The names of all commands.
fn commands() -> Vec<String> {
    let program = flitsim::command_line();
    program
        .get_subcommands()
        .map(|c| c.get_name().to_owned())
        .collect()
}

#[test]
fn every_command_has_help_with_examples_and_a_page() {
    let folder = folder();
    let commands = commands();
    assert!(commands.len() >= 12, "{commands:?}");
    for command in &commands {
        let help = output(folder.path(), &[command, "--help"]);
        let help = text(&help.stdout);
        assert!(help.contains("Examples:\n  flitsim"), "{help}");
        assert!(!help.contains('\u{1b}'), "{help}");
        let page = output(folder.path(), &["man", command]);
        assert_eq!(page.status.code(), Some(0), "{command}");
        let page = text(&page.stdout);
        assert!(page.contains(&format!(".TH flitsim-{command} 1")), "{page}");
        assert!(page.contains("Examples"), "{page}");
    }
    let page = text(&output(folder.path(), &["man"]).stdout);
    assert!(page.contains(".TH flitsim 1"), "{page}");
    let unknown = output(folder.path(), &["man", "swep"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("did you mean `sweep`?"));
}

#[test]
fn completions_know_values_and_the_help_does_not_list_them() {
    let folder = folder();
    let script = text(&output(folder.path(), &["completions", "bash"]).stdout);
    for word in [
        "butterfly-fat-tree",
        "dally-express-cubes",
        "round_trip_mean",
        "saturation",
    ] {
        assert!(script.contains(word), "{word}");
    }
    let fish = text(&output(folder.path(), &["completions", "fish"]).stdout);
    assert!(
        fish.contains("hypercube") || fish.contains("round_trip_mean"),
        "{fish}"
    );
    let help = text(&output(folder.path(), &["plot", "--help"]).stdout);
    assert!(!help.contains("round_trip_mean"), "{help}");
}

#[test]
fn help_is_wrapped_once_and_own_options_come_first() {
    let folder = folder();
    for command in commands() {
        let help = text(&output(folder.path(), &[&command, "--help"]).stdout);
        let at = |word: &str| {
            help.find(word)
                .unwrap_or_else(|| panic!("{command}: {word}"))
        };
        assert!(
            at("\nOptions of every command:") > at("\nOptions:"),
            "{command}"
        );
        let every = &help[at("\nOptions of every command:")..at("\nExamples:")];
        let names = every
            .lines()
            .filter(|line| line.trim_start().starts_with("--"));
        assert_eq!(names.count(), 4, "{command}: {every}");
        // No terminal tells its width here: lines of prose end where 100 columns do.
        let prose = help[at("\nExamples:")..].split("\n\n").skip(1);
        for paragraph in prose.filter(|paragraph| !paragraph.contains("\n  ")) {
            let lines: Vec<&str> = paragraph.trim().lines().collect();
            for (line, next) in lines.iter().zip(lines.iter().skip(1)) {
                let word = next.split(' ').next().unwrap();
                let room = line.chars().count() + 1 + word.chars().count();
                assert!(room > 100, "{command}: {line}");
            }
        }
    }
}

#[test]
fn completions_know_every_command() {
    let folder = folder();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = output(folder.path(), &["completions", shell]);
        assert_eq!(script.status.code(), Some(0), "{shell}");
        let script = text(&script.stdout);
        for command in commands() {
            assert!(script.contains(&command), "{shell}: {command}");
        }
        assert!(script.contains("progress"), "{shell}");
    }
    let unknown = output(folder.path(), &["completions", "tcsh"]);
    assert_eq!(unknown.status.code(), Some(2));
}

#[test]
fn colours_are_for_terminals_and_for_those_who_ask() {
    let folder = folder();
    let run = |flags: &[&str], variables: &[(&str, &str)]| {
        let mut both = Vec::new();
        // An error of a scenario, one of the command line, and help.
        for arguments in [&["run", "wrong.toml"][..], &["run", "--frob"], &["--help"]] {
            let arguments = [flags, arguments].concat();
            let mut command = flitsim(folder.path(), &arguments);
            command.envs(variables.iter().copied());
            let output = command.output().expect("flitsim starts");
            both.push(text(&output.stderr) + &text(&output.stdout));
        }
        both
    };
    let is_coloured = |text: &String| text.contains('\u{1b}');
    let no_color = [("NO_COLOR", "1")];
    for (flags, variables, coloured) in [
        (&[][..], &[][..], false),
        (&["--color", "auto"], &[], false),
        (&["--color", "always"], &[], true),
        (&["--color=always"], &[], true),
        (&["--color", "always"], &no_color, true),
        (&[], &[("CLICOLOR_FORCE", "1")], true),
        (&["--color", "never"], &[("CLICOLOR_FORCE", "1")], false),
        (&[], &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "0")], false),
    ] {
        for said in run(flags, variables) {
            assert_eq!(
                is_coloured(&said),
                coloured,
                "{flags:?} {variables:?}\n{said}"
            );
        }
    }
}

/// What flitsim writes on a terminal of its own, made by `script`; `None` where there is none.
#[cfg(target_os = "linux")]
fn on_a_terminal(folder: &Path, arguments: &str, variables: &[(&str, &str)]) -> Option<String> {
    let line = format!("{} {arguments}", env!("CARGO_BIN_EXE_flitsim"));
    let mut command = Command::new("script");
    command
        .args(["-qec", &line, "/dev/null"])
        .current_dir(folder)
        .env("TERM", "xterm-256color")
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR")
        .envs(variables.iter().copied())
        .stdin(Stdio::null());
    match command.output() {
        Ok(output) => Some(text(&output.stdout)),
        Err(error) => {
            println!("skipped, no `script` makes a terminal: {error}");
            None
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_has_colours_unless_no_color_and_bars_unless_quiet() {
    let folder = folder();
    let on = |arguments: &str, variables: &[(&str, &str)]| {
        on_a_terminal(folder.path(), arguments, variables)
    };
    let Some(said) = on("run wrong.toml", &[]) else {
        return;
    };
    assert!(
        said.contains("\u{1b}[1;91m") || said.contains("\u{1b}[1m"),
        "{said:?}"
    );
    let plain = on("run wrong.toml", &[("NO_COLOR", "1")]).unwrap_or_default();
    assert!(
        plain.contains("unknown key") && !plain.contains('\u{1b}'),
        "{plain:?}"
    );
    let plain = on("--color never run wrong.toml", &[]).unwrap_or_default();
    assert!(
        plain.contains("unknown key") && !plain.contains('\u{1b}'),
        "{plain:?}"
    );
    let bar = on("sweep small.toml --jobs 1", &[]).unwrap_or_default();
    assert!(bar.contains("/4 points"), "{bar:?}");
    assert!(bar.contains("1 running: 0."), "{bar:?}");
    for silent in ["--quiet", "--progress none"] {
        let sweep = format!("{silent} sweep small.toml --jobs 1 --overwrite");
        let bar = on(&sweep, &[]).unwrap_or_default();
        assert!(!bar.contains("/4 points"), "{bar:?}");
    }
}

/// The lines of JSON on standard error.
fn lines(output: &Output) -> Vec<Value> {
    let lines = text(&output.stderr);
    let lines = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")));
    lines.collect()
}

#[test]
fn progress_is_silent_behind_a_pipe_and_lines_of_json_where_asked_for() {
    let folder = folder();
    let here = folder.path();
    let silent = output(here, &["sweep", "small.toml"]);
    let said = text(&silent.stderr);
    assert!(
        !said.contains("running") && !said.contains('\u{1b}'),
        "{said}"
    );

    let asked = ["--quiet", "--progress", "json"];
    let sweep = [
        &asked[..],
        &["sweep", "small.toml", "--jobs", "2", "--overwrite"],
    ]
    .concat();
    let sweep = output(here, &sweep);
    assert_eq!(sweep.status.code(), Some(0));
    let lines_of_sweep = lines(&sweep);
    let of_points: Vec<&Value> = lines_of_sweep
        .iter()
        .filter(|l| l["event"] != "stage")
        .collect();
    let (first, last) = (of_points[0], of_points[of_points.len() - 1]);
    assert_eq!(
        (first["event"].as_str(), last["event"].as_str()),
        (Some("progress"), Some("end"))
    );
    assert_eq!(
        (last["done"].as_u64(), last["running"].as_u64()),
        (Some(4), Some(0))
    );
    for line in &of_points {
        assert_eq!(line["command"], "sweep");
        assert_eq!(line["total"], 4);
        let points = line["points"].as_array().expect("points");
        assert_eq!(line["running"].as_u64(), Some(points.len() as u64));
        let (done, running) = (line["done"].as_u64(), line["running"].as_u64());
        assert!(
            done.zip(running)
                .is_some_and(|(done, running)| done + running <= 4),
            "{line}"
        );
        assert!(line["elapsed_seconds"].is_number() && line.get("eta_seconds").is_some());
        for point in points {
            assert_eq!(point["series"], "default");
            assert!(point["load"].as_f64() > Some(0.0), "{line}");
            assert!(point.get("relative_half_width").is_some(), "{line}");
        }
    }
    let resumed = [&asked[..], &["sweep", "small.toml", "--resume"]].concat();
    let resumed = lines(&output(here, &resumed));
    assert_eq!(resumed.last().expect("an end")["done"], 4);

    let saturate = [
        &asked[..],
        &["saturate", "small.toml", "--tolerance", "0.2"],
    ]
    .concat();
    let saturate = output(here, &saturate);
    assert_eq!(saturate.status.code(), Some(0));
    let lines_of_search = lines(&saturate);
    let last = lines_of_search.last().expect("an end");
    assert_eq!(
        (last["event"].as_str(), last["done"].as_u64()),
        (Some("end"), Some(1))
    );
    let trying = |line: &&Value| line["searches"][0]["load"].as_f64() > Some(0.0);
    assert!(
        lines_of_search.iter().any(|line| trying(&line)),
        "{lines_of_search:?}"
    );
    assert!(
        serde_json::from_slice::<Value>(&saturate.stdout).is_err(),
        "a table"
    );
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let folder = folder();
    let long = "topology torus:radix=64,dimensions=2 --format csv";
    for arguments in [
        long,
        "schema",
        "completions bash",
        "man sweep",
        "--help",
        "new torus",
    ] {
        let line = format!(
            "set -o pipefail; {} {arguments} | true",
            env!("CARGO_BIN_EXE_flitsim")
        );
        let shell = Command::new("bash")
            .args(["-c", &line])
            .current_dir(folder.path())
            .output()
            .expect("a shell");
        let said = text(&shell.stderr);
        assert!(!said.contains("panicked"), "{arguments}\n{said}");
        assert_eq!(shell.status.code(), Some(0), "{arguments}\n{said}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn results_that_find_no_room_on_standard_output_are_told() {
    let folder = folder();
    for arguments in [
        &["run", "small.toml", "--load", "0.05"][..],
        &["topology", "torus:radix=4,dimensions=2"],
        &["verify", "small.toml", "--format", "json"],
        &["schema"],
        &["new", "torus"],
        &["reproduce", "--list"],
    ] {
        let full = fs::File::create("/dev/full").expect("/dev/full");
        let mut command = flitsim(folder.path(), arguments);
        let output = command.stdout(full).output().expect("flitsim starts");
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}\n{said}");
        assert!(
            said.contains("cannot write to standard output: No space left"),
            "{said}"
        );
        assert!(!said.contains("panicked"), "{said}");
    }
}

/// Runs flitsim where no file may grow beyond so many blocks of 512 bytes or of 1,024.
#[cfg(unix)]
fn where_files_are_small(folder: &Path, blocks: u32, arguments: &str) -> Output {
    let line = format!(
        "ulimit -f {blocks}; exec {} {arguments}",
        env!("CARGO_BIN_EXE_flitsim")
    );
    Command::new("bash")
        .args(["-c", &line])
        .current_dir(folder)
        .output()
        .expect("a shell")
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_told_and_what_is_done_is_kept() {
    let folder = folder();
    let here = folder.path();
    let whole = output(here, &["sweep", "small.toml", "--out", "whole"]);
    assert_eq!(whole.status.code(), Some(0));

    // No file at all may grow: nothing is simulated.
    let none = where_files_are_small(here, 0, "sweep small.toml --out none");
    let said = text(&none.stderr);
    assert_eq!(none.status.code(), Some(1), "{said}");
    assert!(
        said.contains("none/manifest.json") && said.contains("nothing was simulated"),
        "{said}"
    );
    assert!(!said.contains("panicked"), "{said}");

    // Points find room, the page does not.
    let part = where_files_are_small(here, 8, "sweep small.toml --out part");
    let said = text(&part.stderr);
    assert_eq!(part.status.code(), Some(1), "{said}");
    for says in [
        "cannot write part/report.html",
        "4 points are kept in part",
        "--resume",
        "File too large",
    ] {
        assert!(said.contains(says), "{says}\n{said}");
    }
    assert!(!said.contains("panicked"), "{said}");

    // With room again it goes on, and ends where it would have.
    let resumed = output(here, &["sweep", "small.toml", "--out", "part", "--resume"]);
    assert_eq!(resumed.status.code(), Some(0), "{}", text(&resumed.stderr));
    let bytes = |folder: &str| fs::read(here.join(folder).join("points.csv")).expect("points");
    assert_eq!(bytes("part"), bytes("whole"));

    let plot = where_files_are_small(here, 1, "plot whole/points.csv -o curves.svg");
    let said = text(&plot.stderr);
    assert_eq!(plot.status.code(), Some(1), "{said}");
    assert!(
        said.contains("curves.svg") && said.contains("make room"),
        "{said}"
    );
    assert!(!here.join("curves.svg").exists());
    let new = where_files_are_small(here, 0, "new torus -o torus.toml");
    assert_eq!(new.status.code(), Some(1));
    assert!(!here.join("torus.toml").exists(), "half a scenario is left");
}
