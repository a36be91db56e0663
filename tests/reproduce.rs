//! `flitsim reproduce`: what it lists, what it writes, the same bytes again, and what it says of what
//! it does not know.

use flitsim::reproduce::library::PAPERS;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const DALLY: &str = "dally-k-ary-n-cubes";

fn reproduce(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flitsim"))
        .args(["--quiet", "reproduce"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program starts")
}

#[test]
fn every_paper_is_whole() {
    for paper in PAPERS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("scenarios/papers")
            .join(paper.name);
        let mut names = BTreeSet::new();
        for entry in fs::read_dir(&folder).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let text = fs::read_to_string(entry.path()).unwrap();
            assert_eq!(
                paper.file(&name),
                Some(text.as_str()),
                "{name} is not in the program"
            );
            names.insert(name);
        }
        let items = paper.items().items;
        let mut seen = BTreeSet::new();
        for item in &items {
            assert!(seen.insert(&item.name), "{} twice", item.name);
            let has_scenario = names.contains(&format!("{}.toml", item.name));
            let needs = item.simulated || item.model || item.networks;
            assert_eq!(has_scenario, needs, "{} {}", paper.name, item.name);
            assert!(
                item.computed.is_some() != needs,
                "{} {}",
                paper.name,
                item.name
            );
        }
        for claim in paper.claims().claims {
            assert!(seen.contains(&claim.item), "{}: {}", paper.name, claim.item);
            assert!(!claim.place.is_empty() && !claim.claim.is_empty());
        }
    }
}

#[test]
fn a_paper_gives_tables_figures_and_verdicts_the_same_again() {
    let folder = tempfile::tempdir().unwrap();
    for out in ["a", "b"] {
        let output = reproduce(folder.path(), &[DALLY, "--out", out]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    let read = |out: &str, name: &str| fs::read(folder.path().join(out).join(name)).unwrap();
    for name in ["claims.csv", "manifest.json"] {
        assert!(read("a", name) == read("b", name), "{name}");
    }
    let claims = String::from_utf8(read("a", "claims.csv")).unwrap();
    let mut lines = claims.lines();
    let header = "paper,item,claim,expected,measured,tolerance,verdict,note";
    assert_eq!(lines.next(), Some(header));
    let holding = lines.filter(|line| line.contains(",holds,")).count();
    assert!(holding >= 8, "{claims}");
    for item in ["fig6", "fig7", "fig8"] {
        for kind in ["csv", "svg"] {
            let name = format!("{DALLY}/{item}.{kind}");
            assert!(read("a", &name) == read("b", &name), "{name}");
        }
        let svg = String::from_utf8(read("a", &format!("{DALLY}/{item}.svg"))).unwrap();
        assert!(roxmltree::Document::parse(&svg).is_ok());
    }
}

#[test]
fn one_item_gives_its_own_claims() {
    let folder = tempfile::tempdir().unwrap();
    let output = reproduce(folder.path(), &[DALLY, "fig6", "--out", "a"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let claims = fs::read_to_string(folder.path().join("a/claims.csv")).unwrap();
    assert_eq!(claims.lines().count(), 4, "{claims}");
    assert!(
        !folder
            .path()
            .join("a")
            .join(DALLY)
            .join("fig8.csv")
            .exists()
    );
}

#[test]
fn what_is_not_known_is_told() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, wanted) in [
        (&["dally-k-ary"][..], "did you mean `dally-k-ary-n-cubes`?"),
        (&[DALLY, "fig88"], "did you mean `fig8`?"),
        (&["--quick", "--full"], "--full"),
    ] {
        let output = reproduce(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(wanted), "{said}");
    }
    let list = reproduce(folder.path(), &["--list"]);
    let list = String::from_utf8(list.stdout).unwrap();
    assert!(list.contains(DALLY) && list.contains("fig8"), "{list}");
    assert!(!folder.path().join("out").exists(), "a list makes nothing");
}
