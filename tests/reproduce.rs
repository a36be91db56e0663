//! `flitsim reproduce`: what it lists, what it writes, the same bytes again, and what it says of what
//! it does not know.

use crate::tier;
use flitsim::PAPERS;
use flitsim::scenario::Overrides;
use flitsim::scenario::plan::Plan;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::thread;
use std::time::Duration;

const DALLY: &str = "dally-k-ary-n-cubes";
const GREENBERG: &str = "greenberg-guan-area-universal";

fn reproduce(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flitsim"))
        .args(["--quiet", "reproduce"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program starts")
}

/// `docs/papers/inventory.csv` has what each paper shows and says; of each, the item that makes it, or why none does.
#[test]
fn everything_in_the_papers_has_its_item_or_its_reason() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/papers/inventory.csv");
    let mut inventory = csv::Reader::from_path(path).unwrap();
    assert_eq!(
        inventory.headers().unwrap(),
        ["paper", "place", "what", "item", "reason"].as_slice()
    );
    let mut seen = BTreeSet::new();
    let mut whole = 0;
    for row in inventory.records() {
        let row = row.unwrap();
        let [paper, place, what, item, reason] = [0, 1, 2, 3, 4].map(|i| row[i].to_owned());
        let items = PAPERS.iter().find(|known| known.name == paper);
        let items = items.unwrap_or_else(|| panic!("{paper}")).items().items;
        assert!(!place.is_empty() && !what.is_empty(), "{row:?}");
        assert!(!item.is_empty() || !reason.is_empty(), "{row:?}");
        assert!(
            item.is_empty() || items.iter().any(|known| known.name == item),
            "{row:?}"
        );
        whole += usize::from(reason.is_empty());
        assert!(seen.insert((paper, place, what)), "twice: {row:?}");
    }
    assert!(
        seen.len() >= 232 && whole >= 215,
        "{whole} of {}",
        seen.len()
    );
}

#[test]
fn every_paper_is_whole() {
    if tier::is_left_out() {
        return;
    }
    let mut differ = 0;
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
            let scenario = item.scenario.as_ref().unwrap_or(&item.name);
            let has_scenario = names.contains(&format!("{scenario}.toml"));
            let needs = item.simulated || item.model || item.networks;
            assert_eq!(has_scenario, needs, "{} {}", paper.name, item.name);
            if let Some((name, text)) = paper.scenario(item) {
                let plan = Plan::parse(Path::new(&name), text.to_owned(), Overrides::default());
                assert!(plan.is_ok(), "{} {name}: {:?}", paper.name, plan.err());
            }
            assert!(
                item.computed.is_some() != needs,
                "{} {}",
                paper.name,
                item.name
            );
        }
        let claims = paper.claims().claims;
        for claim in &claims {
            assert!(seen.contains(&claim.item), "{}: {}", paper.name, claim.item);
            assert!(!claim.place.is_empty() && !claim.claim.is_empty());
            let words = claim.sentence.split_whitespace().count();
            assert!(words <= 50, "too long: {}", claim.sentence);
            if claim.verdict.as_str() == "differs" {
                differ += 1;
                let is_quoted = claim.source.as_str() == "ours" || words > 0;
                assert!(is_quoted, "no sentence of the paper: {}", claim.claim);
                assert!(!claim.note.is_empty(), "no reason: {}", claim.claim);
                let (item, begins) = claim.experiment.split_once(": ").unwrap_or_default();
                let shown = claims.iter().filter(|other| {
                    let holds = other.verdict.as_str() == "holds";
                    holds && other.item == item && other.claim.starts_with(begins)
                });
                assert_eq!(shown.count(), 1, "no experiment: {}", claim.claim);
            }
        }
    }
    assert!(differ <= 75, "{differ} claims differ");
}

/// An item has one way to be shown; one with claims is a curve, bars or a picture, or says that it stays a table.
#[test]
fn every_item_with_claims_has_its_figure() {
    for paper in PAPERS {
        let claims = paper.claims().claims;
        for item in paper.items().items {
            let shown = [item.plot.is_some(), item.picture, item.table];
            let ways = shown.into_iter().filter(|&is| is).count();
            let has_claims = claims.iter().any(|claim| claim.item == item.name);
            let expected = usize::from(has_claims)..=1;
            assert!(
                expected.contains(&ways),
                "{} {}: of `[item.plot]`, `picture` and `table` it has {ways}",
                paper.name,
                item.name
            );
        }
    }
}

#[test]
fn items_give_tables_figures_and_verdicts_the_same_again() {
    let folder = tempfile::tempdir().unwrap();
    let read = |path: String| fs::read(folder.path().join(path)).unwrap();
    // A formula, lone packets, and a few simulated points beside a model.
    for item in ["fig8", "fig4", "fig4-simulated"] {
        for out in ["a", "b"] {
            let out = format!("{out}-{item}");
            let output = reproduce(folder.path(), &[DALLY, item, "--out", &out]);
            assert_eq!(output.status.code(), Some(0), "{output:?}");
        }
        let figure = [format!("{DALLY}/{item}.csv"), format!("{DALLY}/{item}.svg")];
        for name in ["claims.csv", "manifest.json"]
            .map(str::to_owned)
            .iter()
            .chain(&figure)
        {
            let [a, b] = ["a", "b"].map(|out| read(format!("{out}-{item}/{name}")));
            assert!(a == b, "{name}");
        }
        let svg = String::from_utf8(read(format!("a-{item}/{}", figure[1]))).unwrap();
        assert!(roxmltree::Document::parse(&svg).is_ok());
        let claims = String::from_utf8(read(format!("a-{item}/claims.csv"))).unwrap();
        let mut lines = claims.lines();
        let header = "paper,item,claim,expected,measured,tolerance,verdict,note,source,sentence";
        assert_eq!(lines.next(), Some(header));
        let holding = lines.filter(|line| line.contains(",holds,")).count();
        assert!(holding >= 3, "{claims}");
    }
    let table = String::from_utf8(read(format!("a-fig4-simulated/{DALLY}/fig4-simulated.csv")));
    let table = table.unwrap();
    for kind in ["model,", "simulated,"] {
        assert!(table.lines().any(|line| line.starts_with(kind)), "{table}");
    }
}

/// Every item that is not simulated has the verdicts that its claims foresee, and the figure that it asks for.
#[test]
fn what_is_computed_has_the_verdicts_foreseen() {
    if tier::is_left_out() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for name in [DALLY, "dally-express-cubes", GREENBERG] {
        let paper = PAPERS.iter().find(|paper| paper.name == name).unwrap();
        for item in paper.items().items.iter().filter(|item| !item.simulated) {
            let output = reproduce(folder.path(), &[name, &item.name]);
            assert_eq!(output.status.code(), Some(0), "{}: {output:?}", item.name);
            let Some(plot) = &item.plot else {
                continue;
            };
            // A column that is misspelt would draw nothing.
            let made = folder.path().join("out/reproduce").join(name);
            let made = made.join(&item.name);
            let mut table = csv::Reader::from_path(made.with_extension("csv")).unwrap();
            let columns: BTreeSet<&str> = table.headers().unwrap().iter().collect();
            let main = [&plot.x.column, &plot.y.column];
            let named = main.into_iter().chain(plot.also.keys()).chain(&plot.series);
            let named = named.chain(plot.rows.keys()).chain(&plot.counted);
            for column in named.filter(|column| !column.contains('{')) {
                assert!(columns.contains(column.as_str()), "{}: {column}", item.name);
            }
            assert!(made.with_extension("svg").exists(), "{}", item.name);
        }
    }
}

#[test]
fn one_item_gives_its_own_claims() {
    let folder = tempfile::tempdir().unwrap();
    let output = reproduce(folder.path(), &[DALLY, "fig6", "--out", "a"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let claims = fs::read_to_string(folder.path().join("a/claims.csv")).unwrap();
    let dally = PAPERS.iter().find(|paper| paper.name == DALLY).unwrap();
    let known = &dally.claims().claims;
    let of_item = known.iter().filter(|claim| claim.item == "fig6").count();
    assert_eq!(claims.lines().count(), 1 + of_item, "{claims}");
    assert!(
        !folder
            .path()
            .join("a")
            .join(DALLY)
            .join("fig8.csv")
            .exists()
    );
}

/// Every file below `folder` with its bytes; what a killed writer left half done begins with a dot.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(below) = folders.pop() {
        for entry in fs::read_dir(&below).into_iter().flatten().flatten() {
            let name = entry.path().strip_prefix(folder).unwrap().to_owned();
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            } else if !entry.file_name().to_string_lossy().starts_with('.') {
                found.insert(
                    name.to_string_lossy().into_owned(),
                    fs::read(entry.path()).unwrap(),
                );
            }
        }
    }
    found
}

#[test]
fn killed_and_run_again_gives_the_same_bytes() {
    if tier::is_left_out() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let item = [DALLY, "fig4-simulated", "--jobs", "1", "--out"];
    let output = reproduce(folder.path(), &[&item[..], &["whole"]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let whole = files(&folder.path().join("whole"));
    assert!(whole.len() >= 10, "{:?}", whole.keys());
    for points_before in [1, 3] {
        let out = format!("after-{points_before}");
        let mut child = Command::new(env!("CARGO_BIN_EXE_flitsim"))
            .args(["--quiet", "reproduce"])
            .args(item)
            .arg(&out)
            .current_dir(folder.path())
            .spawn()
            .expect("the program starts");
        let points = folder.path().join(&out).join("points");
        while files(&points).len() < points_before && child.try_wait().unwrap().is_none() {
            thread::sleep(Duration::from_millis(2));
        }
        // Where it was faster than this test, there is nothing to kill and nothing left to do.
        child.kill().ok();
        child.wait().unwrap();
        let output = reproduce(folder.path(), &[&item[..], &[out.as_str()]].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let resumed = files(&folder.path().join(&out));
        assert!(
            resumed.keys().eq(whole.keys()),
            "{:?}",
            resumed.keys().collect::<Vec<_>>()
        );
        for (name, bytes) in &whole {
            assert!(resumed[name] == *bytes, "{name}");
        }
    }
}

#[test]
fn what_is_not_known_is_told() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    for (arguments, wanted) in [
        (&["dally-k-ary"][..], "did you mean `dally-k-ary-n-cubes`?"),
        (&[DALLY, "fig88"], "did you mean `fig8`?"),
        (
            &["fig2a"],
            "`flitsim reproduce kiasari-sarbazi-azad-star-vs-hypercube fig2a`",
        ),
        (&["--quick", "--full"], "--full"),
        (
            &[DALLY, "fig8", "--out", "file"],
            "cannot write results to file",
        ),
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
