//! What defines a point is the same for ever: results are found again by a hash of it.

use flitsim_scenario::{Overrides, Plan};
use serde_json::Value;
use std::fs;
use std::path::Path;

#[test]
fn definitions_are_as_they_were_kept() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/definitions");
    let mut seen = 0;
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let plan = Plan::read(&path, Overrides::default());
        let plan = plan.unwrap_or_else(|error| panic!("{error}"));
        let kept = fs::read_to_string(path.with_extension("json")).expect("it is kept");
        let kept: Value = serde_json::from_str(&kept).expect("it is JSON");
        assert_eq!(plan.series[0].definition, kept, "{}", path.display());
        seen += 1;
    }
    assert!(seen > 9, "{seen} definitions are kept");
}
