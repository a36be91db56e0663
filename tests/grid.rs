//! A grid from the scenario to the picture: its series, the columns of their keys, the same bytes in parts
//! and resumed, and saturation against a key in one command.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// The same with few points, each of some milliseconds.
const SMALL: &str = r#"
topology = { kind = "mesh", radix = 4, dimensions = 2 }
traffic.packet_flits = 4
measure = { relative_error = 0.2, max_cycles = 20_000 }
sweep.load = [0.2, 0.4, 0.9]
[grid]
router.virtual_channels = [1, 4]
traffic.pattern = ["uniform", "transpose"]
"#;

fn flitsim(folder: &Path, arguments: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_flitsim"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {output:?}");
    output
}

fn swept() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mine.toml"), SMALL).unwrap();
    flitsim(folder.path(), &["sweep", "mine.toml", "--out", "out"]);
    folder
}

fn text(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

fn column<'t>(points: &'t str, name: &str) -> Vec<&'t str> {
    let mut lines = points.lines();
    let header = lines.next().unwrap();
    // No field before these has a comma but `topology`, in quotes.
    let behind = header.split(',').rev().position(|own| own == name).unwrap();
    lines
        .map(|line| line.rsplit(',').nth(behind).unwrap())
        .collect()
}

#[test]
fn points_end_with_the_keys_in_which_series_differ() {
    let folder = swept();
    let points = text(folder.path(), "out/points.csv");
    let header = points.lines().next().unwrap();
    assert!(
        header.ends_with(",router.virtual_channels,traffic.pattern"),
        "{header}"
    );
    let vcs = column(&points, "router.virtual_channels");
    assert_eq!(
        vcs,
        ["1", "1", "1", "1", "1", "1", "4", "4", "4", "4", "4", "4"]
    );
    let patterns = column(&points, "traffic.pattern");
    assert_eq!(
        patterns[3..9],
        [
            "transpose",
            "transpose",
            "transpose",
            "uniform",
            "uniform",
            "uniform"
        ]
    );
    assert!(points.contains(",virtual_channels=4 pattern=transpose,"));
    let run = [
        "run",
        "mine.toml",
        "--load",
        "0.2",
        "--series",
        "4",
        "--format",
        "json",
    ];
    let run = flitsim(folder.path(), &run).stdout;
    let run: serde_json::Value = serde_json::from_slice(&run).unwrap();
    assert_eq!(run["router.virtual_channels"], 4, "{run}");
}

#[test]
fn parts_and_a_resumed_sweep_have_the_same_bytes() {
    let folder = swept();
    let whole = text(folder.path(), "out/points.csv");
    for part in ["1/2", "2/2"] {
        let out = format!("parts/{}", &part[..1]);
        flitsim(
            folder.path(),
            &["sweep", "mine.toml", "--shard", part, "--out", &out],
        );
    }
    flitsim(folder.path(), &["merge", "merged", "parts/1", "parts/2"]);
    for file in ["points.csv", "manifest.json", "report.html"] {
        let merged = text(folder.path(), &format!("merged/{file}"));
        assert!(
            merged == text(folder.path(), &format!("out/{file}")),
            "{file}"
        );
    }
    // Two series more: what is there already is kept, and called by its new columns.
    let more = SMALL.replace("[1, 4]", "[1, 2, 4]");
    fs::write(folder.path().join("mine.toml"), more).unwrap();
    let resumed = flitsim(
        folder.path(),
        &["sweep", "mine.toml", "--out", "out", "--resume"],
    );
    let said = String::from_utf8_lossy(&resumed.stderr).into_owned();
    assert!(said.contains("12 of 18 points are kept"), "{said}");
    let points = text(folder.path(), "out/points.csv");
    assert!(
        whole
            .lines()
            .all(|line| points.lines().any(|other| other == line))
    );
    fs::remove_dir_all(folder.path().join("out/points")).unwrap();
    flitsim(folder.path(), &["report", "out"]);
}

#[test]
fn saturation_against_a_key_is_one_command() {
    let folder = swept();
    let draw = |more: &[&str]| {
        let mut arguments = vec!["plot", "out/points.csv", "-o", "a.svg"];
        arguments.extend(["--x", "router.virtual_channels", "--y", "saturation"]);
        arguments.extend(more);
        flitsim(folder.path(), &arguments);
        text(folder.path(), "a.svg")
    };
    let svg = draw(&[]);
    let document = roxmltree::Document::parse(&svg).unwrap();
    let texts: Vec<&str> = document
        .descendants()
        .filter_map(|node| node.text())
        .collect();
    // 0.4 is accepted, 0.9 is not.
    for wanted in [
        "pattern=uniform",
        "pattern=transpose",
        "saturation load (flits/node/cycle)",
        "pattern=uniform: 4, 0.65 ± 0.25",
    ] {
        assert!(texts.contains(&wanted), "{wanted}: {texts:?}");
    }
    let panels = draw(&[
        "--facet",
        "traffic.pattern",
        "--width",
        "900",
        "--height",
        "200",
    ]);
    let document = roxmltree::Document::parse(&panels).unwrap();
    assert_eq!(document.root_element().attribute("width"), Some("900"));
    let clips = document
        .descendants()
        .filter(|node| node.has_tag_name("clipPath"));
    assert_eq!(clips.count(), 2);
    let chosen = draw(&["--only", "transpose", "--name", "transpose=T", "--no-note"]);
    assert!(!chosen.contains("pattern=uniform") && chosen.contains(">T<"));
    assert!(!chosen.contains("Bands and bars"));
    assert!(!draw(&["--no-key"]).contains(">pattern=uniform<"));
}

#[test]
fn a_search_ends_with_the_keys_too() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mine.toml"), SMALL).unwrap();
    let search = [
        "saturate",
        "mine.toml",
        "--tolerance",
        "0.3",
        "--format",
        "csv",
    ];
    let found = flitsim(folder.path(), &search).stdout;
    let found = String::from_utf8(found).unwrap();
    assert_eq!(found.lines().count(), 5, "{found}");
    assert!(found.starts_with("series,saturation_load,low,high,half_width,load_unit,"));
    let vcs = column(&found, "router.virtual_channels");
    assert_eq!(vcs, ["1", "1", "4", "4"]);
    fs::write(folder.path().join("found.csv"), &found).unwrap();
    let draw = "plot found.csv -o a.svg --x router.virtual_channels --y saturation_load --interval half_width";
    flitsim(folder.path(), &draw.split(' ').collect::<Vec<_>>());
    let svg = text(folder.path(), "a.svg");
    assert!(
        svg.contains("pattern=transpose: 4, ") && svg.contains(" ± "),
        "{svg}"
    );
}

#[test]
fn the_grid_of_the_documentation_has_all_its_points() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join("scenarios/grid.toml");
    assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 16);
    let plan = flitsim::scenario::Plan::read(&file, flitsim::scenario::Overrides::default());
    let plan = plan.unwrap();
    let points: usize = plan.series.iter().map(|series| series.loads.len()).sum();
    assert_eq!((plan.series.len(), points), (24, 192));
}
