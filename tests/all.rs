//! One program for all tests of this folder, as in each crate: built and linked once, and its tests run
//! side by side. A file that is not named here would never run; a test holds the lists to the folders.

mod adaptive;
mod adversarial;
mod bad_scenarios;
mod booksim;
mod browser;
mod channel_loads;
mod checkpoint;
mod chromium;
mod cost;
mod crash;
mod deadlock;
mod details;
mod differences;
mod documented;
mod driven;
mod escapes;
mod examples;
mod families;
mod faults;
mod fuzz;
mod golden;
mod grid;
mod hostile;
mod import;
mod import_routing;
mod large;
mod limited;
mod little;
mod model;
mod networks;
mod page;
mod plot;
mod proofs;
mod queueing;
mod recorded;
mod refused;
mod report;
mod reproduce;
mod resume;
mod saturate;
mod saturation;
mod scenarios;
mod schema;
mod slurm;
mod starters;
mod sweep;
mod terminal;
mod threads;
mod tidy;
mod tier;
mod topology;
mod traffic;
mod verify;
mod watch;
mod watch_terminal;
mod workloads;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What `all.rs` of each folder of tests names is what is there.
#[test]
fn every_file_of_tests_is_built() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = fs::read_dir(root.join("crates")).expect("crates");
    let crates = crates.map(|entry| entry.expect("an entry").path().join("tests"));
    // Those of Python have a list of their own.
    let is_ours = |folder: &PathBuf| {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths = entries.map(|entry| entry.path());
        paths.any(|path| path.extension().is_some_and(|ending| ending == "rs"))
    };
    let folders = crates.filter(is_ours);
    for folder in folders.chain([root.join("tests")]) {
        let list = fs::read_to_string(folder.join("all.rs")).expect("a list");
        let named: BTreeSet<String> = list
            .lines()
            .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'))
            .map(str::to_owned)
            .collect();
        let files: BTreeSet<String> = fs::read_dir(&folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
            .map(|path| path.file_stem().expect("a name").to_string_lossy().into())
            .filter(|name| name != "all")
            .collect();
        let forgotten: Vec<_> = files.difference(&named).collect();
        assert!(forgotten.is_empty(), "{}: {forgotten:?}", folder.display());
    }
}
