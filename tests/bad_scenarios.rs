//! Bad scenarios: each is refused with exit code 2 and clear messages that show the places. Scenarios and
//! messages are kept in `bad_scenarios/*.txt` and compared exactly, most of them in this process:
//! `UPDATE=1 cargo test --test all bad_scenarios` rewrites the messages, for review.

pub(crate) mod cases;

use crate::tier;
pub(crate) use cases::case;
use cases::{Case, Table, folder, lists, tables};
use flitsim::diagnostic::render;
use flitsim::proof::{ProvedPlan, with_cycle};
use flitsim::scenario::{Overrides, Plan, ScenarioError};
use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

/// A folder with every scenario, and the files that they name.
fn scenarios() -> TempDir {
    let here = tempfile::tempdir().expect("a temporary folder");
    for part in ["files", "good"] {
        fs::create_dir(here.path().join(part)).expect("a folder");
        for entry in fs::read_dir(folder().join(part)).expect("files") {
            let entry = entry.expect("a file");
            let copy = here.path().join(part).join(entry.file_name());
            fs::copy(entry.path(), copy).expect("a copy");
        }
    }
    for case in tables().iter().flat_map(|table| &table.cases) {
        let path = here.path().join(format!("{}.toml", case.name));
        fs::write(path, &case.scenario).expect("a scenario");
    }
    here
}

/// What `flitsim run` reads and proves before it simulates.
fn read(path: &Path) -> Result<ProvedPlan, ScenarioError> {
    let overrides = Overrides::default();
    let plan = Plan::read(path, overrides).map_err(|error| with_cycle(error, overrides))?;
    assert!(plan.warnings.is_empty(), "{:?}", plan.warnings);
    ProvedPlan::prove(plan, false, &|_, _| {}, |warning| panic!("{warning}"))
}

fn flitsim(arguments: &[&str], here: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flitsim"))
        .args(arguments)
        .current_dir(here)
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .output()
        .expect("flitsim starts")
}

/// What the program says of bad input.
fn refusal(arguments: &[&str], here: &Path) -> String {
    let output = flitsim(arguments, here);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    assert!(output.stdout.is_empty(), "{arguments:?} prints results");
    assert!(!message.contains('\u{1b}'), "{arguments:?} is coloured");
    message
}

#[test]
fn every_bad_scenario_and_command_is_refused_with_its_message() {
    let here = scenarios();
    let path_before = format!("{}/", here.path().display());
    let lists = lists();
    let mut tables = tables();
    let (mut count, mut differing) = (0, Vec::new());
    for case in tables.iter_mut().flat_map(|table| &mut table.cases) {
        let message = match &case.command {
            Some(words) => {
                let words = words.iter();
                let words =
                    words.map(|word| word.replace("{repository}", env!("CARGO_MANIFEST_DIR")));
                let words: Vec<String> = words.collect();
                refusal(
                    &words.iter().map(String::as_str).collect::<Vec<_>>(),
                    here.path(),
                )
            }
            None => {
                let path = here.path().join(format!("{}.toml", case.name));
                let error = read(&path)
                    .map(|plan| plan.title.clone())
                    .expect_err(&case.name);
                format!("{}\n", render(&error, false)).replace(&path_before, "")
            }
        };
        let message = lists
            .iter()
            .fold(message, |message, (list, name)| message.replace(list, name));
        count += 1;
        if message != case.message {
            let Case {
                name,
                message: expected,
                ..
            } = &case;
            differing.push(format!(
                "{name}: expected\n{expected}\nbut it says\n{message}"
            ));
            case.message = message;
        }
    }
    assert!(count >= 271, "{count} cases");
    if std::env::var_os("UPDATE").is_some() {
        tables.iter().for_each(Table::write);
    } else {
        assert!(differing.is_empty(), "{}", differing.join("\n"));
    }
}

#[test]
fn the_program_says_what_the_library_says() {
    let here = scenarios();
    for name in [
        "unknown-key",
        "one-virtual-channel-on-a-torus",
        "trace-missing",
    ] {
        let message = refusal(&["run", &format!("{name}.toml")], here.path());
        assert_eq!(message, case(name).message);
    }
}

#[test]
fn every_bad_scenario_is_refused_by_sweep_before_it_writes() {
    let here = scenarios();
    for name in ["unknown-key.toml", "one-virtual-channel-on-a-torus.toml"] {
        refusal(&["sweep", name, "--out", "results"], here.path());
        assert!(
            !here.path().join("results").exists(),
            "{name} leaves a folder"
        );
    }
}

#[test]
fn every_message_about_a_file_names_the_line_and_what_would_be_right() {
    for case in tables().iter().flat_map(|table| &table.cases) {
        if case.name.starts_with("command-") {
            continue;
        }
        // Where something is missing altogether, there is no line to name.
        let place = match case.name.as_str() {
            "empty" | "topology-missing" => format!("--> {}.toml\n", case.name),
            _ => format!("--> {}.toml:", case.name),
        };
        for message in case.messages() {
            assert!(message.contains(&place), "{message}");
            assert!(message.contains("help: "), "{message}");
        }
    }
}

#[test]
fn six_faults_get_six_messages() {
    assert_eq!(case("six-faults").messages().len(), 6);
}

/// Whatever the text, reading it ends in a plan or in an error that can be printed.
#[test]
fn no_part_of_a_scenario_is_a_panic() {
    // `crates/scenario/tests/robust.rs` has the like, so that few are enough in the first tier.
    let step = match tier::step() {
        1 => 1,
        some => 5 * some,
    };
    // Cases begin alike.
    let mut seen = HashSet::new();
    let mut read = |text: String| {
        if !seen.insert(text.clone()) {
            return;
        }
        if let Err(error) = Plan::parse(Path::new("a.toml"), text, Overrides::default()) {
            assert!(render(&error, false).starts_with("error: "), "{error}");
        }
    };
    let cases = tables().into_iter().flat_map(|table| table.cases);
    for (number, Case { scenario: text, .. }) in cases.enumerate() {
        let ends = (number % step..text.len()).step_by(step);
        for end in ends.filter(|&end| text.is_char_boundary(end)) {
            read(text[..end].to_owned());
        }
        let lines: Vec<&str> = text.lines().collect();
        for left_out in (number % step..lines.len()).step_by(step) {
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
    let here = scenarios();
    let output = flitsim(
        &["--color", "always", "run", "unknown-key.toml"],
        here.path(),
    );
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains('\u{1b}'), "{message}");
}

#[test]
fn help_and_version_are_no_errors() {
    for arguments in [&["--help"][..], &["run", "--help"], &["--version"]] {
        let output = flitsim(arguments, &folder());
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(!output.stdout.is_empty());
    }
    for arguments in [&[][..], &["frobnicate"], &["run"]] {
        let output = flitsim(arguments, &folder());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}
