//! The documentation of networks is what the program says today: the pictures in docs/networks, the
//! README's table, and every output that docs/networks.md shows.
//!
//! `UPDATE=1 cargo test --test all networks` rewrites pictures and outputs, for review.

use flitsim::scenario::topology::{TOPOLOGY, Topology};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Each picture's file stem and what it shows. Every kind is shown by one that bears its name.
const PICTURES: [(&str, &str); 19] = [
    ("torus", "torus:radix=4,dimensions=2"),
    ("mesh", "mesh:radix=4,dimensions=2"),
    ("hypercube", "hypercube:dimensions=4"),
    (
        "express-cube",
        "express-cube:radix=16,dimensions=1,interval=2,levels=3",
    ),
    (
        "express-cube-interleaved",
        "express-cube:radix=6,dimensions=2,interval=2,interchanges=interleaved",
    ),
    ("butterfly-fat-tree", "butterfly-fat-tree:processors=16"),
    ("fat-pyramid", "fat-pyramid:processors=16"),
    ("star", "star:symbols=4"),
    ("pruned-torus", "pruned-torus:radix=4,dimensions=3"),
    ("manhattan-torus", "manhattan-torus:radix=4,dimensions=2"),
    (
        "pruned-manhattan-torus",
        "pruned-manhattan-torus:radix=4,dimensions=3",
    ),
    ("hyperx", "hyperx:sizes=4x4"),
    ("fully-connected", "fully-connected:routers=8"),
    ("dragonfly", "dragonfly:routers=4,global_channels=2"),
    ("slim-fly", "slim-fly:order=5"),
    ("random-regular", "random-regular:routers=16,degree=4"),
    ("fat-tree", "fat-tree:arity=4,levels=2"),
    ("butterfly", "butterfly:arity=2,stages=3"),
    ("file", "file:path=ring-of-switches.csv"),
];

/// The largest picture, in bytes.
const PICTURE_BYTES_MAX: usize = 100_000;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Where specs are run, for the file that one of them names.
fn folder() -> PathBuf {
    root().join("scenarios/topologies")
}

fn text_of(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn printed(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_flitsim"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("flitsim starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("text")
}

fn json(spec: &str) -> Value {
    let text = printed(&folder(), &["topology", spec, "--format", "json"]);
    serde_json::from_str(&text).expect("JSON")
}

fn updates() -> bool {
    std::env::var_os("UPDATE").is_some()
}

#[test]
fn every_picture_is_what_the_program_draws() {
    let pictures = root().join("docs/networks");
    for (stem, spec) in PICTURES {
        let drawn = printed(&folder(), &["topology", spec, "--format", "svg"]);
        assert!(drawn.len() < PICTURE_BYTES_MAX, "{stem}: {}", drawn.len());
        let path = pictures.join(format!("{stem}.svg"));
        if updates() {
            fs::write(&path, &drawn).expect("pictures can be kept");
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == drawn, "docs/networks/{stem}.svg is not {spec} now");
    }
    let kept = fs::read_dir(pictures).expect("the pictures are there");
    assert_eq!(kept.count(), PICTURES.len(), "a picture that nobody draws");
}

/// The cells of the table's row of `kind`.
fn row<'t>(readme: &'t str, kind: &str) -> Vec<&'t str> {
    let word = format!("| `{kind}` |");
    let rows: Vec<&str> = readme.lines().filter(|l| l.contains(&word)).collect();
    let [row] = rows[..] else {
        panic!("{} rows of `{kind}` in README.md", rows.len());
    };
    row.trim_matches('|').split('|').map(str::trim).collect()
}

#[test]
fn the_readme_has_a_row_of_every_kind_that_says_what_the_program_says() {
    let text = text_of("README.md");
    let (_, networks) = text.split_once("\n## Networks\n").expect("the section");
    for kind in Topology::kinds().map(|kind| kind.name()) {
        let [picture, _, _, size, routing, virtual_channels, scenario] = row(networks, kind)[..]
        else {
            panic!("the row of `{kind}` has not 7 cells");
        };
        assert!(
            picture.contains(&format!("src=\"docs/networks/{kind}.svg\"")),
            "{picture}"
        );
        let (_, spec) = PICTURES
            .iter()
            .find(|(stem, _)| *stem == kind)
            .expect("a picture of every kind");
        let json = json(spec);
        let (nodes, switches) = (&json["nodes"], &json["switches"]);
        let nodes = match switches.as_u64() {
            Some(0) => format!("{nodes} nodes"),
            _ => format!("{nodes} nodes, {switches} switches"),
        };
        assert_eq!(size, format!("{nodes}, {} channels", json["channels"]));
        let default = json["routing"].as_str().expect("a word");
        assert!(
            routing.starts_with(&format!("`{default}`")),
            "{kind}: {routing}"
        );
        let first = virtual_channels.split([':', ',', ' ']).next();
        assert_eq!(
            first,
            Some(&*json["virtual_channels"].to_string()),
            "{kind}"
        );
        assert_eq!(
            scenario,
            format!("[{kind}.toml](scenarios/topologies/{kind}.toml)")
        );
        let scenario = fs::read_to_string(folder().join(format!("{kind}.toml")));
        let is_its = scenario
            .unwrap_or_default()
            .contains(&format!("kind = \"{kind}\""));
        assert!(is_its, "scenarios/topologies/{kind}.toml");
    }
}

#[test]
fn every_kind_and_every_key_of_the_json_is_documented() {
    let text = text_of("docs/networks.md");
    for kind in TOPOLOGY.choices.iter().flat_map(|c| (c.variants)()) {
        let name = kind.word;
        assert!(
            text.contains(&format!("(networks/{name}.svg)")),
            "no {name}"
        );
        for key in kind.keys.iter().map(|key| key.name) {
            assert!(text.contains(&format!("`{key}")), "{name}: no `{key}`");
        }
    }
    let (_, keys) = text.split_once("\n## The JSON\n").expect("the section");
    let keys = keys.split("\n## ").next().unwrap_or_default();
    let mut named = BTreeSet::from(["series".to_owned()]);
    for (_, spec) in PICTURES {
        let json = json(spec);
        named.extend(json.as_object().expect("an object").keys().cloned());
    }
    for key in named {
        let row = keys
            .lines()
            .find(|l| l.starts_with('|') && l.contains(&format!("`{key}`")));
        assert!(row.is_some(), "no row of `{key}`");
    }
}

/// A block that begins with `$ flitsim` shows all that the command prints.
#[test]
fn every_output_shown_is_what_the_program_prints() {
    let text = text_of("docs/networks.md");
    let mut now = String::new();
    let mut rest = text.as_str();
    let mut shown = 0;
    while let Some((before, block)) = rest.split_once("```console\n$ ") {
        let (block, after) = block.split_once("```\n").expect("an end of the block");
        let command = block.lines().next().unwrap_or_default();
        let arguments: Vec<&str> = command.split(' ').collect();
        assert_eq!(arguments[0], "flitsim");
        let output = printed(&folder(), &arguments[1..]);
        now += &format!("{before}```console\n$ {command}\n{output}```\n");
        rest = after;
        shown += 1;
    }
    now += rest;
    assert!(shown >= 5, "{shown} outputs");
    if updates() {
        fs::write(root().join("docs/networks.md"), now).expect("documentation can be written");
    } else if let Some((was, is)) = text.lines().zip(now.lines()).find(|(was, is)| was != is) {
        panic!("docs/networks.md says\n{was}\nwhere flitsim prints\n{is}");
    } else {
        assert_eq!(text.len(), now.len(), "an output is cut short");
    }
}
