//! The examples of every `--help` run as they stand.

use super::Reader;
use crate::tier;
use std::collections::BTreeSet;
use std::fs;

const NO_SLURM: &str = "it needs Slurm: tests/slurm.rs";

/// Examples that are not run as they stand: what runs in their place, and why.
const INSTEAD: [(&str, Option<&str>, &str); 9] = [
    (
        "flitsim submit scenarios/quick.toml --out out/cluster --tasks 20 --time 2:00:00 --partition main",
        Some(
            "flitsim submit scenarios/quick.toml --out out/cluster --tasks 20 --time 2:00:00 --partition main --dry-run",
        ),
        NO_SLURM,
    ),
    (
        "flitsim submit scenarios/quick.toml --out out/cluster --sbatch-option=--cpus-per-task=4",
        Some(
            "flitsim submit scenarios/quick.toml --out out/cluster --sbatch-option=--cpus-per-task=4 --dry-run",
        ),
        NO_SLURM,
    ),
    (
        "flitsim submit scenarios/quick.toml --out out/cluster",
        Some("flitsim submit scenarios/quick.toml --out out/cluster --dry-run"),
        NO_SLURM,
    ),
    (
        "flitsim saturate scenarios/first-curve.toml --tolerance 0.01 --seed 2",
        Some("flitsim saturate scenarios/first-curve.toml --tolerance 0.3 --seed 2"),
        "the last bits of an interval are what takes long",
    ),
    (
        "flitsim reproduce dally-k-ary-n-cubes fig8",
        Some("flitsim reproduce dally-k-ary-n-cubes fig8 --quick"),
        "minutes",
    ),
    ("flitsim reproduce --full --out out/papers", None, "hours"),
    (
        "flitsim watch scenarios/first-curve.toml",
        Some("flitsim run scenarios/first-curve.toml"),
        "it needs a terminal: tests/watch_terminal.rs",
    ),
    (
        "flitsim watch scenarios/first-curve.toml --load 0.4 --series mesh",
        Some("flitsim run scenarios/first-curve.toml --load 0.4 --series mesh"),
        "it needs a terminal: tests/watch_terminal.rs",
    ),
    (
        "flitsim man sweep | man -l -",
        Some("flitsim man sweep"),
        "not every machine has `man`",
    ),
];

/// Searches of minutes in the scenarios that examples name.
const COARSER: (&str, &str, &str) = (
    "scenarios/saturation.toml",
    "max_cycles = 400_000",
    "max_cycles = 2_000",
);

/// What `flitsim` and `arguments` print.
fn printed(reader: &Reader, arguments: &str) -> String {
    let (printed, _) = reader.run(&format!("flitsim {arguments}"), ".", 0).unwrap();
    printed
}

/// The lines of `help` that are examples.
fn examples(help: &str) -> Vec<&str> {
    let (_, after) = help.split_once("\nExamples:\n").unwrap_or_default();
    let lines = after.lines().take_while(|line| line.starts_with("  "));
    lines.map(str::trim).collect()
}

#[test]
fn every_example_of_every_help_runs() {
    if tier::is_left_out() {
        return;
    }
    let reader = Reader::new();
    let folder = reader.folder.path();
    let (scenario, from, to) = COARSER;
    let text = fs::read_to_string(folder.join(scenario)).unwrap();
    assert!(text.contains(from), "{scenario} has no {from:?} any more");
    fs::write(folder.join(scenario), text.replace(from, to)).unwrap();
    for made in ["before", "after", "home/.zfunc"] {
        fs::create_dir_all(folder.join(made)).unwrap();
    }
    for made in [
        "home/.local/share/bash-completion/completions",
        "home/.config/fish/completions",
    ] {
        fs::create_dir_all(folder.join(made)).unwrap();
    }
    let help = printed(&reader, "--help");
    let (_, commands) = help.split_once("\nCommands:\n").unwrap();
    let commands = commands.lines().take_while(|line| !line.is_empty());
    let mut commands: Vec<&str> = commands
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|command| *command != "help")
        .collect();
    assert!(commands.len() >= 15, "{commands:?}");
    // A report is of something that was made.
    commands.sort_by_key(|command| *command == "report");
    let mut helps = vec![help.clone()];
    helps.extend(
        commands
            .iter()
            .map(|command| printed(&reader, &format!("{command} --help"))),
    );
    let (mut used, mut run) = (0, BTreeSet::new());
    for (help, command) in helps.iter().zip(std::iter::once(&"").chain(&commands)) {
        let examples = examples(help);
        assert!(
            !examples.is_empty(),
            "`flitsim {command} --help` has no examples"
        );
        for example in examples {
            assert!(example.starts_with("flitsim "), "{command}: {example}");
            let instead = INSTEAD.iter().find(|(known, ..)| *known == example);
            used += usize::from(instead.is_some());
            let line = match instead {
                Some((_, None, _)) => continue,
                Some((_, Some(line), _)) => line,
                None => example,
            };
            let line = line.replace("~/", "home/");
            // Some stand in the help of the program and in that of their command.
            if !run.insert(line.clone()) {
                continue;
            }
            if let Err(wrong) = reader.run(&line, ".", 0) {
                panic!("`flitsim {command} --help`: `{example}`: {wrong}");
            }
            for copy in ["before", "after"] {
                let points = folder.join("out/first-curve/points.csv");
                if points.exists() {
                    fs::copy(points, folder.join(copy).join("points.csv")).unwrap();
                }
            }
        }
    }
    assert_eq!(
        used,
        INSTEAD.len(),
        "entries of the table that no help has any more"
    );
}
