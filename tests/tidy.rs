//! Holds the architecture: who may depend on whom, no circles among modules, how long files and functions
//! may be, one generator of random numbers, small libraries.
//!
//! `FLITSIM_TIDY=FOLDER cargo test --test all tidy` looks at another tree than this one.

mod modules;
mod packages;
mod source;

use modules::{Crate, Files, Knot};
use packages::{EDGES, beneath};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Lines of a file, and of a function outside tests.
const FILE_LINES: usize = 500;
const FUNCTION_LINES: usize = 70;

/// Functions that may be longer: the file, the name, and why.
const LONG_FUNCTIONS: &[[&str; 3]] = &[
    [
        "crates/analysis/src/verify/fold/ring.rs",
        "enumerate_of",
        "not divided yet",
    ],
    ["crates/scenario/src/routing.rs", "check", "not divided yet"],
    ["crates/scenario/src/starter.rs", "text", "not divided yet"],
];

/// Libraries for those who want no program, and the most packages beneath each.
const LIBRARIES: [&str; 2] = ["measure", "sweep"];
const PACKAGES: usize = 35;
/// What the libraries do without.
const PROGRAM_ONLY: [&str; 6] = [
    "annotate-snippets",
    "clap",
    "crossterm",
    "indicatif",
    "tiny-skia",
    "ttf-parser",
];
/// In `Cargo.lock` beneath the libraries for features that only the program turns on.
const NOT_THEIRS: [&str; 9] = [
    "cfg-if",
    "equivalent",
    "getrandom",
    "hashbrown",
    "indexmap",
    "libc",
    "r-efi",
    "roxmltree",
    "toml_writer",
];

fn root() -> PathBuf {
    let here = || Path::new(env!("CARGO_MANIFEST_DIR")).to_owned();
    std::env::var_os("FLITSIM_TIDY").map_or_else(here, PathBuf::from)
}

/// Sources and manifests of the tree.
fn files(root: &Path) -> Files {
    let mut files = Files::new();
    let mut open: Vec<PathBuf> = ["crates", "tests", "examples", "benches"]
        .map(|folder| root.join(folder))
        .into();
    let mut keep = |path: &Path| {
        let name = path
            .strip_prefix(root)
            .expect("a path below")
            .to_string_lossy()
            .into_owned();
        files.insert(name, fs::read_to_string(path).expect("a text"));
    };
    ["Cargo.toml", "Cargo.lock"]
        .iter()
        .for_each(|name| keep(&root.join(name)));
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") || path.ends_with("Cargo.toml") {
                keep(&path);
            }
        }
    }
    files
}

/// The crates of the tree, and what of them cannot be read.
fn crates(files: &Files, faults: &mut Vec<String>) -> Vec<Crate> {
    let roots = files
        .keys()
        .filter(|path| path.starts_with("crates/") && path.ends_with("/src/lib.rs"));
    let crates = roots.map(|root| {
        let name = root.split('/').nth(1).unwrap_or_default();
        Crate::read(name, root, files, faults)
    });
    crates.collect()
}

/// What is wrong with the lengths of files and functions.
fn lengths(files: &Files, crates: &[Crate], allowed: &[[&str; 3]], faults: &mut Vec<String>) {
    for (path, text) in files.iter().filter(|(path, _)| path.ends_with(".rs")) {
        let lines = text.lines().count();
        if lines > FILE_LINES {
            faults.push(format!(
                "{path}: {lines} lines, and {FILE_LINES} are the most"
            ));
        }
    }
    let mut long = Vec::new();
    for (path, function) in crates.iter().flat_map(Crate::functions) {
        let (name, line, lines) = (function.name.as_str(), function.line, function.lines);
        if lines <= FUNCTION_LINES {
            continue;
        }
        long.push((path, name));
        if !allowed.iter().any(|known| known[..2] == [path, name]) {
            let most = FUNCTION_LINES;
            faults.push(format!(
                "{path}:{line}: {lines} lines of `{name}`, and {most} are the most"
            ));
        }
    }
    for [path, name, _] in allowed
        .iter()
        .filter(|known| !long.contains(&(known[0], known[1])))
    {
        faults.push(format!(
            "{path}: `{name}` is not too long, and is listed as such"
        ));
    }
}

/// The circles of modules, each with a use of one by another all round.
fn knots(crates: &[Crate], faults: &mut Vec<String>) {
    let knots = crates.iter().flat_map(Crate::knots);
    faults.extend(knots.map(
        |Knot {
             parent,
             children,
             uses,
         }| {
            let children = children.join(" ");
            format!(
                "a circle of modules in {parent}: {children}\n  {}",
                uses.join("\n  ")
            )
        },
    ));
}

/// Files that mix bits as SplitMix64 does, by its constant.
fn splitmix(files: &Files) -> Vec<&String> {
    let has = |text: &str| {
        text.to_lowercase()
            .replace('_', "")
            .contains("bf58476d1ce4e5b9")
    };
    let sources = files.iter().filter(|(path, _)| path.contains("/src/"));
    sources
        .filter(|(_, text)| has(text))
        .map(|(path, _)| path)
        .collect()
}

fn assert_none(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn crates_depend_on_those_below_alone() {
    let mut faults = Vec::new();
    let files = files(&root());
    packages::edges(&files, &mut faults);
    packages::tests_never_run(&files, &mut faults);
    assert_none(&faults);
}

#[test]
fn modules_use_one_another_in_no_circle_and_nothing_is_too_long() {
    let (files, mut faults) = (files(&root()), Vec::new());
    let crates = crates(&files, &mut faults);
    assert!(crates.len() > 3);
    knots(&crates, &mut faults);
    lengths(&files, &crates, LONG_FUNCTIONS, &mut faults);
    assert_none(&faults);
}

#[test]
fn random_bits_are_mixed_in_one_place() {
    let files = files(&root());
    let mixed = splitmix(&files);
    assert_eq!(mixed.len(), 1, "{mixed:?}");
}

/// Lints are of the optimised build: what debug builds alone have would escape them.
#[test]
fn all_builds_have_the_same_code() {
    let files = files(&root());
    let named = |text: &str| text.contains(concat!("debug", "_assertions"));
    let differing = files.iter().filter(|(_, text)| named(text));
    let differing: Vec<&String> = differing.map(|(path, _)| path).collect();
    assert!(differing.is_empty(), "{differing:?}");
}

#[test]
fn the_libraries_need_no_terminal_and_few_packages() {
    let (files, mut faults) = (files(&root()), Vec::new());
    for library in LIBRARIES {
        let mut packages = beneath(library, &files, &mut faults);
        packages.retain(|package| {
            let name = package.split(' ').next().unwrap_or_default();
            !NOT_THEIRS.contains(&name)
        });
        let heavy: Vec<&str> = PROGRAM_ONLY
            .into_iter()
            .filter(|name| packages.contains(*name))
            .collect();
        if !heavy.is_empty() || packages.len() > PACKAGES {
            faults.push(format!(
                "flitsim-{library}: {heavy:?}, {} packages: {packages:?}",
                packages.len()
            ));
        }
    }
    assert_none(&faults);
}

/// A crate that is published is its own folder. (The program's is the root.)
#[test]
fn crates_include_nothing_from_beyond_their_folder() {
    let (files, mut included) = (files(&root()), 0);
    let sources = files.iter().filter(|(path, _)| {
        path.starts_with("crates/") && path.contains("/src/") && !path.starts_with("crates/cli/")
    });
    for (path, text) in sources {
        let quoted =
            |after: &'static str| text.split(after).skip(1).map(|rest| rest.split('"').next());
        for file in quoted("include_str!(\"")
            .chain(quoted("include_bytes!(\""))
            .flatten()
        {
            let (up, depth) = (file.matches("../").count(), path.split('/').count() - 3);
            assert!(up <= depth, "{path} includes {file}");
            included += 1;
        }
    }
    assert!(included > 5);
}

/// What cargo knows of the packages in Cargo.lock without a network.
fn metadata(more: &[&str]) -> Result<serde_json::Value, String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--format-version=1", "--locked", "--offline"]);
    cargo.arg("--manifest-path").arg(root().join("Cargo.toml"));
    let output = cargo.args(more).output().expect("cargo");
    match output.status.success() {
        true => Ok(serde_json::from_slice(&output.stdout).expect("JSON")),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// What `cargo deny check licenses bans sources` says, without it.
#[test]
fn packages_have_licences_that_are_allowed_and_few_doubles() {
    // Where nobody has fetched those of other systems, those of this one, which the tests were built from.
    let all = metadata(&[]);
    let is_all = all.is_ok();
    let mut metadata = all.unwrap_or_else(|_| {
        let cargo = Command::new(env!("CARGO")).arg("-vV").output();
        let versions = String::from_utf8(cargo.expect("cargo").stdout).expect("UTF-8");
        let mut lines = versions.lines();
        let host = lines.find_map(|line| line.strip_prefix("host: "));
        let of_host = metadata(&["--filter-platform", host.expect("a host")]);
        of_host.unwrap_or_else(|error| panic!("{error}"))
    });
    let deny = fs::read_to_string(root().join("deny.toml")).expect("a text");
    let deny: toml::Table = toml::from_str(&deny).expect("TOML");
    assert_none(&packages::refused(&metadata, &deny, is_all));
    let other = serde_json::json!({
        "name": "syn", "version": "9.0.0", "license": "MIT AND GPL-3.0-only", "source": "git+x",
    });
    metadata["packages"]
        .as_array_mut()
        .expect("packages")
        .push(other);
    assert_eq!(packages::refused(&metadata, &deny, is_all).len(), 3);
}

/// Where tests can break it: `crates/sweep/src/disk.rs`.
#[test]
fn the_file_system_is_changed_in_one_place() {
    let (files, mut changes) = (files(&root()), Vec::new());
    let changing = [
        "fs::write(",
        "fs::rename(",
        "fs::remove",
        "fs::hard_link(",
        "fs::create_dir",
        "fs::copy(",
        "File::create",
        "File::options(",
        "OpenOptions",
        "set_len(",
    ];
    for (path, text) in files.iter().filter(|(path, _)| path.contains("/src/")) {
        let program = text
            .split("#[cfg(test)]\nmod tests")
            .next()
            .unwrap_or_default();
        let lines = program
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        if lines
            .filter(|line| changing.iter().any(|call| line.contains(call)))
            .count()
            > 0
        {
            changes.push(path.as_str());
        }
    }
    // Tests alone.
    changes.retain(|path| !path.ends_with("/tests.rs") && !path.ends_with("/gallery.rs"));
    assert_eq!(changes, ["crates/sweep/src/disk.rs"]);
}

/// A tree of these files.
fn tree(files: &[(&str, &str)]) -> Files {
    files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect()
}

/// The knots of a crate of these files.
fn knots_of(files: &[(&str, &str)]) -> Vec<String> {
    let mut faults = Vec::new();
    let tree = tree(files);
    let crates = [Crate::read("a", "a/lib.rs", &tree, &mut faults)];
    assert_none(&faults);
    let knots = crates[0].knots().into_iter();
    knots
        .map(|knot| format!("{}: {}", knot.parent, knot.children.join(" ")))
        .collect()
}

#[test]
fn a_circle_is_found_however_it_is_written() {
    let lib = ("a/lib.rs", "pub mod b;\nmod c;\npub use b::Shown;");
    let b = (
        "a/b.rs",
        "use crate::c::{d::{self as e}, X};\npub struct Shown;",
    );
    for way in [
        "use crate::b;",
        "use crate::{b::Shown as Other};",
        "use super::b::*;",
        "fn f() { assert!(super::b::g()); }",
        // By a name that the root passes on.
        "fn f(_: crate::Shown) {}",
        "use super::Shown;",
        "use crate::*;\nfn f() { b::g() }",
        "#[cfg(not(test))]\nuse crate::b;",
        "#[cfg(test)]\nmod tests { use super::*; }\nuse crate::b;",
        "#[cfg(test)]\nuse crate::{x, y};\nuse crate::b;",
    ] {
        assert_eq!(knots_of(&[lib, b, ("a/c.rs", way)]), ["a: b c"], "{way}");
    }
    for none in [
        "// use crate::b;\n/// [`crate::b`]\nfn f() -> &'static str { \"crate::b::X\" }",
        "#[cfg(test)]\nmod tests { use crate::b; }",
        "#[cfg(test)]\nuse crate::b;",
        "struct S { #[cfg(test)] x: Vec<crate::b::Shown>, y: u8 }",
        "#[cfg(any(test, feature = \"testing\"))]\npub fn f<A, B>(x: crate::b::X) { }",
        "use std::b::c; fn f() { other::b::f() }",
        "pub(in crate::b) fn f() {}",
        "mod b { pub fn f() {} }\nuse self::b::f;",
        "",
    ] {
        assert_eq!(knots_of(&[lib, b, ("a/c.rs", none)]), [""; 0], "{none}");
    }
}

#[test]
fn a_circle_deep_down_is_one_there_alone_and_children_may_use_their_parent() {
    let deep = [
        ("a/lib.rs", "mod b;\nmod z;"),
        (
            "a/b/mod.rs",
            "mod c;\nmod d;\nmod e { use super::Own; }\nstruct Own;\nuse e::X;",
        ),
        ("a/b/c.rs", "mod f;\nuse super::d::X;"),
        ("a/b/c/f.rs", "use crate::z;\nuse super::super::Own;"),
        ("a/b/d/mod.rs", "fn g() { super::c::f::h() }"),
        ("a/z.rs", ""),
    ];
    assert_eq!(knots_of(&deep), ["a::b: c d"]);
    // The same from a child's child is a circle of the parents.
    let mut up = deep;
    up[5].1 = "use crate::b::d;";
    assert_eq!(knots_of(&up), ["a: b z", "a::b: c d"]);
}

#[test]
fn what_breaks_a_rule_is_reported() {
    let long = format!("fn f() {{{}}}", "\n".repeat(FUNCTION_LINES));
    let tree = tree(&[
        (
            "Cargo.toml",
            "[dependencies]\nflitsim-sweep.workspace = true",
        ),
        (
            "crates/traffic/Cargo.toml",
            "[target.x.dependencies]\nflitsim-engine.workspace = true",
        ),
        ("crates/new/Cargo.toml", "[lib]\ntest = false"),
        ("crates/new/src/lib.rs", "mod b;\nmod c;\nmod long;"),
        ("crates/new/src/b.rs", "use crate::c;"),
        ("crates/new/src/c.rs", "use super::b::X;"),
        (
            "crates/new/src/long.rs",
            &format!("{long}\n#[cfg(test)]\nmod tests {{ {long} }}"),
        ),
        ("tests/all.rs", &"\n".repeat(FILE_LINES + 1)),
        (
            "Cargo.lock",
            "[[package]]\nname = \"flitsim-traffic\"\ndependencies = [\"flitsim-engine\"]\n[[package]]\nname = \"flitsim-engine\"",
        ),
    ]);
    let mut faults = Vec::new();
    packages::edges(&tree, &mut faults);
    packages::tests_never_run(&tree, &mut faults);
    let read = crates(&tree, &mut faults);
    lengths(
        &tree,
        &read,
        &[["crates/new/src/lib.rs", "g", "no reason"]],
        &mut faults,
    );
    knots(&read, &mut faults);
    assert_eq!(
        faults,
        [
            "crates/new/Cargo.toml: what may `new` depend on? Say so in tests/tidy/packages.rs",
            "crates/traffic/Cargo.toml: `traffic` may not depend on `engine`",
            "crates/new/src/long.rs: no test runs here, as crates/new/Cargo.toml says",
            "tests/all.rs: 501 lines, and 500 are the most",
            "crates/new/src/long.rs:1: 71 lines of `f`, and 70 are the most",
            "crates/new/src/lib.rs: `g` is not too long, and is listed as such",
            "a circle of modules in new: b c\n  crates/new/src/b.rs:1: crate::c\n  crates/new/src/c.rs:1: super::b::X",
        ]
    );
    let beneath = beneath("traffic", &tree, &mut faults);
    assert!(beneath.contains("flitsim-engine"), "{beneath:?}");
    assert_eq!(EDGES.len(), 14);
}
