//! The results of one scenario, byte for byte: whatever the number of jobs, in debug and release
//! builds (continuous integration compares the release build's with the same file), today and
//! tomorrow. A change here is a change of results and belongs in the changelog.
//!
//! `UPDATE=1 cargo test --test all golden` rewrites the file, for review.

use std::fs;
use std::path::Path;
use std::process::Command;

const KEPT: &str = "tests/golden/quick-points.csv";

#[test]
fn the_quick_scenario_gives_the_kept_results() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for jobs in ["1", "2"] {
        let out = tempfile::tempdir().expect("a temporary folder");
        let results = out.path().join("results");
        let output = Command::new(env!("CARGO_BIN_EXE_flitsim"))
            .current_dir(root)
            .args(["--quiet", "sweep", "scenarios/quick.toml", "--jobs", jobs])
            .arg("--out")
            .arg(&results)
            .output()
            .expect("flitsim starts");
        assert!(output.status.success(), "{output:?}");
        let found = fs::read_to_string(results.join("points.csv")).expect("points.csv");
        if std::env::var_os("UPDATE").is_some() {
            fs::write(root.join(KEPT), &found).expect("the results can be kept");
        }
        let kept = fs::read_to_string(root.join(KEPT)).expect("the kept results");
        assert_eq!(found, kept, "with {jobs} jobs");
    }
}
