//! `flitsim report`: the page that a sweep wrote, again from its folder; and what it says of folders
//! that are none.

use crate::crash::unsealed;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const SWEPT: &str = r#"
title = "Read back"
[topology]
kind = "mesh"
radix = 3
dimensions = 2
[router]
virtual_channels = 2
[traffic]
packet_flits = 4
[measure]
relative_error = 0.1
details = ["all"]
[sweep]
load = [0.1, 0.4]
[[series]]
name = "mesh, with a comma"
[[series]]
name = "torus"
topology = { kind = "torus", radix = 3, dimensions = 2 }
measure = { details = [] }
sweep = { load = [0.95, 0.2] }
"#;

const FROM_FILE: &str = r#"
[topology]
kind = "file"
path = "line.csv"
[traffic]
packet_flits = 2
[measure]
relative_error = 0.2
[sweep]
load = "auto"
steps = 4
"#;

fn flitsim(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flitsim"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program starts")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[track_caller]
fn good(folder: &Path, arguments: &[&str]) {
    let output = flitsim(folder, arguments);
    assert!(output.status.success(), "{}", stderr(&output));
}

/// What is said of bad input.
#[track_caller]
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = flitsim(folder, arguments);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    stderr(&output)
}

#[test]
fn a_sweeps_folder_gives_the_page_that_the_sweep_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("a.toml"), SWEPT).unwrap();
    good(folder, &["sweep", "a.toml", "--seed", "7", "--out", "out"]);
    let page = folder.join("out/report.html");
    let written = fs::read_to_string(&page).unwrap();
    fs::remove_file(&page).unwrap();
    good(folder, &["report", "out"]);
    assert!(fs::read_to_string(&page).unwrap() == written);

    // Elsewhere, and with rows as a sweep writes them before its end: as they come.
    let manifest = fs::read_to_string(folder.join("out/manifest.json")).unwrap();
    fs::write(folder.join("out/manifest.json"), unsealed(&manifest)).unwrap();
    let points = fs::read_to_string(folder.join("out/points.csv")).unwrap();
    let mut lines: Vec<&str> = points.lines().collect();
    lines[1..].reverse();
    fs::write(folder.join("out/points.csv"), lines.join("\n")).unwrap();
    fs::rename(folder.join("out"), folder.join("moved")).unwrap();
    good(folder, &["report", "moved"]);
    let page = folder.join("moved/report.html");
    assert!(fs::read_to_string(&page).unwrap() == written);

    // Of the points that are not kept any more, the histograms of those who asked are in a file.
    fs::remove_dir_all(folder.join("moved/points")).unwrap();
    good(folder, &["report", "moved"]);
    let less = fs::read_to_string(&page).unwrap();
    let known = |page: &str| page.matches("\"bars\":{").count();
    assert_eq!((known(&written), known(&less)), (3, 2), "0.95 is saturated");
    let measured = |page: &str| page.matches("\"measured\":{").count();
    assert_eq!((measured(&written), measured(&less)), (2, 2));

    // A row less is a point less.
    lines.pop();
    fs::write(folder.join("moved/points.csv"), lines.join("\n")).unwrap();
    good(folder, &["report", "moved"]);
    let less = fs::read_to_string(&page).unwrap();
    assert!(less.contains("1 point is not simulated yet"), "{less}");
}

#[test]
fn files_of_the_scenario_are_in_the_manifest_or_beside_the_scenario() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("in")).unwrap();
    fs::write(folder.join("in/b.toml"), FROM_FILE).unwrap();
    fs::write(folder.join("in/line.csv"), "from,to\n0,1\n1,0\n1,2\n2,1\n").unwrap();
    good(folder, &["sweep", "in/b.toml", "--out", "out"]);
    let page = folder.join("out/report.html");
    let written = fs::read_to_string(&page).unwrap();
    good(folder, &["report", "out"]);
    assert!(fs::read_to_string(&page).unwrap() == written);
    // That of a file too large to be kept, and of older versions.
    let manifest = fs::read_to_string(folder.join("out/manifest.json")).unwrap();
    let mut bare: serde_json::Value = serde_json::from_str(&unsealed(&manifest)).unwrap();
    bare.as_object_mut().unwrap().remove("files");
    fs::write(folder.join("out/manifest.json"), bare.to_string()).unwrap();
    let said = refused(folder, &["report", "out"]);
    assert!(
        said.contains("line.csv") && said.contains("--scenario"),
        "{said}"
    );
    good(folder, &["report", "out", "--scenario", "in/b.toml"]);
    assert!(fs::read_to_string(&page).unwrap() == written);
}

#[test]
fn other_folders_are_refused_with_what_would_be_right() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let said = refused(folder, &["report", "none"]);
    assert!(said.contains("there is no folder none"), "{said}");
    let said = refused(folder, &["report", "."]);
    assert!(
        said.contains("points.csv and manifest.json") && said.contains("claims.csv"),
        "{said}"
    );

    fs::write(folder.join("claims.csv"), "paper,item\n").unwrap();
    let said = refused(folder, &["report", "."]);
    assert!(said.contains("no column `claim`"), "{said}");
    let said = refused(folder, &["report", ".", "--scenario", "a.toml"]);
    assert!(said.contains("leave out --scenario"), "{said}");

    fs::write(folder.join("a.toml"), SWEPT).unwrap();
    good(folder, &["sweep", "a.toml", "--out", "out"]);
    fs::write(folder.join("junk"), [0xff, 0, 0x80]).unwrap();
    fs::write(folder.join("bad.toml"), SWEPT.replace("radix", "radius")).unwrap();
    for (scenario, wanted) in [
        ("none.toml", "none.toml"),
        ("junk", "junk"),
        ("bad.toml", "`radius`"),
    ] {
        let said = refused(folder, &["report", "out", "--scenario", scenario]);
        assert!(said.contains(wanted), "{said}");
    }
    let manifest = fs::read_to_string(folder.join("out/manifest.json")).unwrap();
    let damaged = manifest.replace("radix = 3\\n", "radix = 4\\n");
    fs::write(folder.join("out/manifest.json"), damaged).unwrap();
    let said = refused(folder, &["report", "out"]);
    assert!(said.contains("it is not as it was written"), "{said}");
    let manifest = unsealed(&manifest);
    let with = |manifest: &str| {
        fs::write(folder.join("out/manifest.json"), manifest).unwrap();
        refused(folder, &["report", "out"])
    };
    let said = with(&manifest[..manifest.len() / 2]);
    assert!(
        said.contains("manifest.json: EOF") && said.contains("sweep the scenario again"),
        "{said}"
    );
    let said = with(&manifest.replace("packet_flits = 4", "packet_flits = 5"));
    assert!(said.contains("sweep it again"), "{said}");
    let said = with(&manifest.replace("radix = 3\\n", "radius = 3\\n"));
    assert!(
        said.contains("does not read") && said.contains("`radius`"),
        "{said}"
    );

    fs::write(folder.join("out/manifest.json"), &manifest).unwrap();
    let points = fs::read_to_string(folder.join("out/points.csv")).unwrap();
    let with = |points: &str| {
        fs::write(folder.join("out/points.csv"), points).unwrap();
        refused(folder, &["report", "out"])
    };
    let said = with(&points.replacen("accepted_flits", "accepted", 1));
    assert!(said.contains("no column `accepted_flits`"), "{said}");
    let said = with(&points.replacen(",converged,", ",done,", 1));
    assert!(said.contains("line 2 is no row"), "{said}");
    let said = with(&points.replacen("a,torus,", "a,ring,", 1));
    assert!(said.contains("series \"ring\""), "{said}");
}
