//! The scenarios and the documentation hold what they promise: every file under `scenarios/` and
//! every TOML block of the documentation is read.

use crate::bad_scenarios::case;
use flitsim::scenario::{Overrides, Plan, ScenarioError};
use std::fs;
use std::path::{Path, PathBuf};

const FORMAT: &str = "docs/scenario-format.md";

/// What a block that shows a part of a scenario is read with. It stands behind the block, where
/// TOML lets tables stand in any order. Every pattern is defined on it, and no algorithm needs more
/// virtual channels than the default.
const TOPOLOGY: &str = "\n[topology]\nkind = \"mesh\"\nradix = 8\ndimensions = 2\n";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text_of(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The fenced blocks in the language `language`, each with the number of its first line.
fn blocks(text: &str, language: &str) -> Vec<(usize, String)> {
    let opening = format!("```{language}");
    let mut blocks = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (number, line) in text.lines().enumerate() {
        match &mut open {
            None if line == opening => open = Some((number + 2, String::new())),
            None => {}
            Some(_) if line == "```" => blocks.extend(open.take()),
            Some((_, block)) => {
                block.push_str(line);
                block.push('\n');
            }
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

fn is_whole(block: &str) -> bool {
    block.contains("[topology]")
}

fn parse(name: &str, text: String) -> Result<Plan, ScenarioError> {
    Plan::parse(Path::new(name), text, Overrides::default())
}

/// The scenarios under `scenarios/`, in all its folders.
fn scenarios() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join("scenarios")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the scenarios are there") {
            let path = entry.expect("a file").path();
            if path.is_dir() {
                // A million nodes take longer to build than all the others; `large` has their test.
                folders.extend((path != root().join("scenarios/large")).then_some(path));
            } else if path.extension().is_some_and(|e| e == "toml") && !is_of_a_paper(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// What a paper consists of and what it claims: no scenarios, but what `flitsim reproduce` reads.
fn is_of_a_paper(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name == "items.toml" || name == "claims.toml"
}

#[test]
fn every_scenario_is_read_without_warnings() {
    let paths = scenarios();
    assert!(paths.len() >= 20, "{paths:?}");
    let in_papers = |path: &&PathBuf| path.starts_with(root().join("scenarios/papers"));
    assert!(paths.iter().filter(in_papers).count() >= 4, "{paths:?}");
    for path in paths {
        let plan = Plan::read(&path, Overrides::default()).unwrap_or_else(|error| {
            panic!("{error}");
        });
        // What a buffer shorter than the credit round trip costs is what these show.
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_warned = name == "buffers.toml" || name.starts_with("wires-");
        let expected = |warning: &String| match name == "bursty.toml" {
            true => warning.contains("`process = \"pareto\"`"),
            false => {
                let of_phases = name == "buffers.toml" && warning.contains("phases");
                is_warned && (of_phases || warning.contains("credit round trip"))
            }
        };
        assert!(
            plan.warnings.iter().all(expected)
                && (name != "bursty.toml" || plan.warnings.len() == 1),
            "{}: {:?}",
            path.display(),
            plan.warnings
        );
        assert!(
            plan.title != plan.scenario,
            "{} has no title",
            path.display()
        );
    }
}

#[test]
fn every_block_of_the_documentation_is_read() {
    for (document, whole_least, parts_least) in [("README.md", 1, 0), (FORMAT, 3, 5)] {
        let (mut whole, mut parts) = (0, 0);
        for (line, block) in blocks(&text_of(document), "toml") {
            let text = if is_whole(&block) {
                whole += 1;
                block
            } else {
                parts += 1;
                block + TOPOLOGY
            };
            let plan = parse(document, text)
                .unwrap_or_else(|error| panic!("the block at {document}:{line}\n{error}"));
            assert!(plan.warnings.is_empty(), "{document}:{line}");
        }
        assert!(whole >= whole_least, "{document}: {whole} whole scenarios");
        assert!(parts >= parts_least, "{document}: {parts} parts");
    }
}

#[test]
fn the_error_shown_is_the_error_that_comes() {
    let shown = blocks(&text_of(FORMAT), "text");
    let [(_, message)] = &shown[..] else {
        panic!("one message is shown, not {}", shown.len());
    };
    assert_eq!(*message, case("unknown-key").message);
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_is_not_proposed_in_place_of_itself() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("broken.toml");
    std::os::unix::fs::symlink("nowhere", &link).unwrap();
    let error = Plan::read(&link, Overrides::default()).unwrap_err();
    assert!(!error.to_string().contains("did you mean"), "{error}");
}
