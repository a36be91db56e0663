//! Whatever the text, reading it ends in a plan or in an error that can be printed.

use flitsim_scenario::{Overrides, Plan};
use std::path::Path;

fn read(text: String) {
    if let Err(error) = Plan::parse(Path::new("a.toml"), text, Overrides::default()) {
        assert!(error.to_string().starts_with("a.toml"), "{error}");
    }
}

#[test]
fn no_part_of_a_scenario_is_a_panic() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/definitions");
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a scenario");
        for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
            read(text[..end].to_owned());
        }
        let lines: Vec<&str> = text.lines().collect();
        for left_out in 0..lines.len() {
            let mut rest = lines.clone();
            rest.remove(left_out);
            read(rest.join("\n"));
            // A value of every other type.
            for wrong in [
                "\"x\"",
                "-1",
                "1.5",
                "true",
                "[]",
                "[1]",
                "[[\"a\"]]",
                "{}",
                "{ a = 1 }",
                "1979-05-27",
            ] {
                let Some((key, _)) = lines[left_out].split_once('=') else {
                    continue;
                };
                let line = format!("{key}= {wrong}");
                let mut other = lines.clone();
                other[left_out] = &line;
                read(other.join("\n"));
            }
        }
    }
}
