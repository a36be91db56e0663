//! `flitsim sweep` from the command line: its files, their bytes, and how it refuses.

use crate::crash::unsealed;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const SCENARIO: &str = r#"
title = "Two small networks"
[router]
virtual_channels = 2
[traffic]
packet_flits = 4
[measure]
relative_error = 0.1
details = ["all"]
[sweep]
load = [0.1, 0.3, 0.9]
[[series]]
name = "4-ary 2-cube"
topology = { kind = "torus", radix = 4, dimensions = 2 }
[[series]]
name = "4x4 mesh"
topology = { kind = "mesh", radix = 4, dimensions = 2 }
"#;

const FILES: [&str; 9] = [
    "points.csv",
    "curves.svg",
    "report.html",
    "manifest.json",
    "classes.csv",
    "distances.csv",
    "sources.csv",
    "histogram.csv",
    "channels.csv",
];

fn flitsim(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flitsim"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program starts")
}

fn sweep(folder: &Path, arguments: &[&str]) -> Output {
    fs::write(folder.join("small.toml"), SCENARIO).unwrap();
    flitsim(folder, &[&["sweep", "small.toml"], arguments].concat())
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn every_file_has_the_same_bytes_for_any_number_of_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let whole = sweep(folder.path(), &["--jobs", "1"]);
    assert_eq!(whole.status.code(), Some(0), "{}", stderr(&whole));
    assert!(stderr(&whole).contains("Results are in out/small"));
    for jobs in ["2", "3"] {
        let again = sweep(folder.path(), &["--jobs", jobs, "--out", jobs]);
        assert_eq!(again.status.code(), Some(0), "{}", stderr(&again));
        for file in FILES {
            let one = fs::read(folder.path().join("out/small").join(file)).unwrap();
            let other = fs::read(folder.path().join(jobs).join(file)).unwrap();
            assert!(one == other, "{file} with --jobs {jobs}");
        }
    }
    let points = fs::read_to_string(folder.path().join("out/small/points.csv")).unwrap();
    let order: Vec<String> = csv::Reader::from_reader(points.as_bytes())
        .records()
        .map(|row| row.map(|row| format!("{} {}", &row[1], &row[7])).unwrap())
        .collect();
    assert_eq!(
        order,
        [
            "4-ary 2-cube 0.1",
            "4-ary 2-cube 0.3",
            "4-ary 2-cube 0.9",
            "4x4 mesh 0.1",
            "4x4 mesh 0.3",
            "4x4 mesh 0.9",
        ]
    );
    assert!(!points.contains("NaN") && points.contains(",saturated,"));

    // A row for each of 16 nodes and 3 points; for the 64 channels of a torus and the 48 of a mesh,
    // and their virtual channels.
    let rows = |file: &str| -> Vec<csv::StringRecord> {
        let path = folder.path().join("out/small").join(file);
        let mut reader = csv::Reader::from_path(path).unwrap();
        reader.records().collect::<Result<_, _>>().unwrap()
    };
    let channels = rows("channels.csv");
    assert_eq!(channels.len(), 3 * 3 * (64 + 48));
    assert_eq!(
        channels[0].iter().take(11).collect::<Vec<_>>(),
        [
            "small",
            "4-ary 2-cube",
            "flits/node/cycle",
            "0.1",
            "0",
            "0",
            "1",
            "0",
            "+",
            "",
            ""
        ]
    );
    assert_eq!(&channels[1][10], "0");
    assert_eq!(rows("sources.csv").len(), 2 * 3 * 16);
    assert_eq!(rows("classes.csv").len(), 2 * 3);
    let order: Vec<String> = rows("classes.csv")
        .iter()
        .map(|row| row[3].to_owned())
        .collect();
    assert_eq!(order, ["0.1", "0.3", "0.9", "0.1", "0.3", "0.9"]);
    // Past saturation there are no latencies to count.
    assert!(rows("histogram.csv").iter().all(|row| &row[3] != "0.9"));
}

#[test]
fn a_folder_with_results_is_refused_and_replaced_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let first = sweep(folder.path(), &["--quiet"]);
    assert_eq!(first.status.code(), Some(0));
    assert_eq!(stderr(&first), "");
    let before = fs::read(folder.path().join("out/small/points.csv")).unwrap();
    let refused = sweep(folder.path(), &["--seed", "2"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        stderr(&refused).contains("--overwrite"),
        "{}",
        stderr(&refused)
    );
    let points = || fs::read(folder.path().join("out/small/points.csv")).unwrap();
    assert!(before == points(), "refused, and nothing touched");
    let replaced = sweep(folder.path(), &["--seed", "2", "--overwrite"]);
    assert_eq!(replaced.status.code(), Some(0), "{}", stderr(&replaced));
    assert!(before != points(), "another seed");
}

#[test]
fn an_output_that_cannot_be_written_is_bad_input() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("taken"), "a file").unwrap();
    for out in ["taken", "taken/below"] {
        let refused = sweep(folder.path(), &["--out", out]);
        assert_eq!(refused.status.code(), Some(2));
        let message = stderr(&refused);
        assert!(
            message.contains(out) && message.contains("--out"),
            "{message}"
        );
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

#[test]
fn details_are_kept_with_their_points() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(sweep(folder.path(), &[]).status.code(), Some(0));
    let out = folder.path().join("out/small");
    let files = || FILES.map(|file| fs::read(out.join(file)).unwrap());
    let whole = files();
    let mut kept: Vec<_> = fs::read_dir(out.join("points"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    kept.sort();
    assert_eq!(kept.len(), 6 * (1 + 6));
    // A point without its row, and one without a part of its details.
    let ends = |suffix: &'static str| {
        move |path: &&std::path::PathBuf| path.to_str().is_some_and(|p| p.ends_with(suffix))
    };
    fs::remove_file(kept.iter().find(ends(".json")).unwrap()).unwrap();
    fs::remove_file(kept.iter().rfind(ends(".channels.csv")).unwrap()).unwrap();
    let resumed = sweep(folder.path(), &["--resume"]);
    assert_eq!(resumed.status.code(), Some(0), "{}", stderr(&resumed));
    let said = stderr(&resumed);
    assert!(said.contains("4 of 6 points are kept"), "{said}");
    assert!(files() == whole, "resumed, and other bytes");
}

#[test]
fn a_manifest_repeats_its_sweep() {
    let folder = tempfile::tempdir().unwrap();
    let whole = sweep(folder.path(), &["--seed", "5"]);
    assert_eq!(whole.status.code(), Some(0), "{}", stderr(&whole));
    // The scenario is not needed any more.
    fs::remove_file(folder.path().join("small.toml")).unwrap();
    let manifest = "out/small/manifest.json";
    let again = flitsim(folder.path(), &["sweep", manifest, "--out", "again"]);
    assert_eq!(again.status.code(), Some(0), "{}", stderr(&again));
    for file in FILES {
        let [one, other] = ["out/small", "again"].map(|out| folder.path().join(out).join(file));
        assert!(fs::read(one).unwrap() == fs::read(other).unwrap(), "{file}");
    }
    // Another seed is another sweep.
    let other = flitsim(
        folder.path(),
        &["run", manifest, "--seed", "6", "--format", "json"],
    );
    let text = String::from_utf8_lossy(&other.stdout).into_owned();
    assert!(
        text.contains("\"seed\": 6") && text.contains("\"scenario\": \"small\""),
        "{text}"
    );

    fs::write(folder.path().join("other.json"), "{ \"points\": [] }").unwrap();
    let refused = flitsim(folder.path(), &["sweep", "other.json"]);
    assert_eq!(refused.status.code(), Some(2));
    let said = stderr(&refused);
    assert!(
        said.contains("other.json is no manifest") && said.contains("`text`"),
        "{said}"
    );
}

#[test]
fn a_manifest_brings_the_files_of_its_scenario() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let ring = "from,to\na,b\nb,c\nc,a\nb,a\nc,b\na,c\n";
    let matrix = "source,destination,weight\na,b,1\nb,c,0.75\nb,a,0.25\nc,a,1\n";
    fs::create_dir(path("there")).unwrap();
    fs::write(path("there/ring.csv"), ring).unwrap();
    fs::write(path("there/who.csv"), matrix).unwrap();
    let scenario = "topology = { kind = \"file\", path = \"ring.csv\" }\n\
        [traffic]\npattern = \"matrix\"\npath = \"who.csv\"\npacket_flits = 2\n\
        [measure]\nrelative_error = 0.2\n[sweep]\nload = [0.1, 0.2]\n";
    fs::write(path("there/mine.toml"), scenario).unwrap();
    let of = |arguments: &[&str]| {
        let output = flitsim(folder.path(), arguments);
        (output.status.code(), stderr(&output))
    };
    let whole = of(&["sweep", "there/mine.toml", "--out", "out"]);
    assert_eq!(whole.0, Some(0), "{}", whole.1);
    for part in ["1/2", "2/2"] {
        let out = format!("parts/{}", &part[..1]);
        of(&["sweep", "there/mine.toml", "--shard", part, "--out", &out]);
    }
    fs::remove_dir_all(path("there")).unwrap();
    let again = of(&["sweep", "out/manifest.json", "--out", "again"]);
    assert_eq!(again.0, Some(0), "{}", again.1);
    let merged = of(&["merge", "merged", "parts/1", "parts/2"]);
    assert_eq!(merged.0, Some(0), "{}", merged.1);
    for other in ["again", "merged"] {
        for file in ["points.csv", "curves.svg", "report.html", "manifest.json"] {
            let [one, other] = ["out", other].map(|out| fs::read(path(out).join(file)).unwrap());
            assert!(one == other, "{file}");
        }
    }
    let page = fs::read(path("out/report.html")).unwrap();
    assert_eq!(of(&["report", "out"]).0, Some(0));
    assert!(page == fs::read(path("out/report.html")).unwrap());
    // A file that is not kept must be the one that was.
    let manifest = fs::read_to_string(path("out/manifest.json")).unwrap();
    let mut kept: serde_json::Value = serde_json::from_str(&unsealed(&manifest)).unwrap();
    assert_eq!(kept["files"][1]["text"], matrix);
    kept["files"][1].as_object_mut().unwrap().remove("text");
    fs::write(path("out/manifest.json"), kept.to_string()).unwrap();
    fs::write(path("out/who.csv"), matrix.replace("0.25", "0.250")).unwrap();
    let refused = of(&["sweep", "out/manifest.json", "--out", "third"]);
    assert_eq!(refused.0, Some(2));
    assert!(
        refused
            .1
            .contains("is not the file that the manifest speaks of"),
        "{}",
        refused.1
    );
    fs::write(path("out/who.csv"), matrix).unwrap();
    assert_eq!(
        of(&["sweep", "out/manifest.json", "--out", "third"]).0,
        Some(0)
    );
    let points = |out: &str| fs::read(path(out).join("points.csv")).unwrap();
    assert!(points("third") == points("out"));
}

/// Each part of `of`, swept into a folder of `parts`.
fn parts(folder: &Path, of: usize) -> Vec<String> {
    let parts = (1..=of).map(|index| {
        let (shard, out) = (format!("{index}/{of}"), format!("parts{of}/{index}"));
        let part = sweep(folder, &["--shard", &shard, "--out", &out, "--jobs", "1"]);
        assert_eq!(part.status.code(), Some(0), "{}", stderr(&part));
        out
    });
    parts.collect()
}

#[test]
fn parts_that_are_merged_have_the_bytes_of_one_sweep() {
    let folder = tempfile::tempdir().unwrap();
    let whole = sweep(folder.path(), &["--jobs", "2"]);
    assert_eq!(whole.status.code(), Some(0), "{}", stderr(&whole));
    let is_whole = |out: &str| {
        for file in FILES {
            let [one, other] = ["out/small", out].map(|out| folder.path().join(out).join(file));
            assert!(
                fs::read(one).unwrap() == fs::read(other).unwrap(),
                "{out}/{file}"
            );
        }
    };
    // Seven parts of six points: one has nothing to do.
    for of in [1, 2, 3, 7] {
        let parts = parts(folder.path(), of);
        let mut rows = 0;
        for part in &parts {
            let points = fs::read_to_string(folder.path().join(part).join("points.csv")).unwrap();
            rows += points.lines().count() - 1;
        }
        assert_eq!(rows, 6, "every point is in one of {of} parts");
        let out = format!("merged{of}");
        let named: Vec<&str> = parts.iter().map(String::as_str).collect();
        let merged = flitsim(
            folder.path(),
            &[&["merge", out.as_str()], &named[..]].concat(),
        );
        assert_eq!(merged.status.code(), Some(0), "{}", stderr(&merged));
        is_whole(&out);
    }
    // Without names, the parts are the folders in the folder.
    let merged = flitsim(folder.path(), &["merge", "parts3"]);
    assert_eq!(merged.status.code(), Some(0), "{}", stderr(&merged));
    is_whole("parts3");
}

#[test]
fn what_a_merge_misses_is_named_and_simulated_later() {
    let folder = tempfile::tempdir().unwrap();
    let parts = parts(folder.path(), 3);
    fs::remove_dir_all(folder.path().join(&parts[1])).unwrap();
    let merged = flitsim(folder.path(), &["merge", "all", &parts[0], &parts[2]]);
    assert_eq!(merged.status.code(), Some(1), "{}", stderr(&merged));
    let said = stderr(&merged);
    assert!(said.contains("1 of 6 points are missing"), "{said}");
    assert!(said.contains("series 4x4 mesh, load 0.9"), "{said}");
    let points = fs::read_to_string(folder.path().join("all/points.csv")).unwrap();
    assert_eq!(points.lines().count(), 1 + 5);
    let resumed = sweep(folder.path(), &["--resume", "--out", "all"]);
    assert_eq!(resumed.status.code(), Some(0), "{}", stderr(&resumed));
    assert!(stderr(&resumed).contains("5 of 6 points are kept"));

    let other = sweep(
        folder.path(),
        &["--seed", "9", "--shard", "2/3", "--out", "other"],
    );
    assert_eq!(other.status.code(), Some(0), "{}", stderr(&other));
    let refused = flitsim(folder.path(), &["merge", "mixed", &parts[0], "other"]);
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
    assert!(
        stderr(&refused).contains("the seed differs"),
        "{}",
        stderr(&refused)
    );
    fs::create_dir(folder.path().join("empty")).unwrap();
    for (arguments, said) in [
        (["merge", "empty"], "empty holds no results of a sweep"),
        (["merge", "nowhere"], "nowhere does not exist"),
        (["status", "nowhere"], "nowhere does not exist"),
    ] {
        let none = flitsim(folder.path(), &arguments);
        assert_eq!(none.status.code(), Some(2), "{}", stderr(&none));
        assert!(stderr(&none).contains(said), "{}", stderr(&none));
    }
    let wrong = sweep(folder.path(), &["--shard", "4/3"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        stderr(&wrong).contains("2/7: the second of seven"),
        "{}",
        stderr(&wrong)
    );
}

#[test]
fn a_sweep_of_a_workload_tells_what_it_is_for() {
    let folder = tempfile::tempdir().unwrap();
    let graph = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/task-graph.toml");
    let closed = folder.path().join("closed.toml");
    let text = "[topology]\nkind = \"mesh\"\nradix = 2\ndimensions = 1\n[traffic]\nmode = \"closed-loop\"\n\
                outstanding = [1, 2]\n";
    fs::write(&closed, text).unwrap();
    for (scenario, result, found) in [
        (graph, "  makespan  ", "96 cycles for 1 trace"),
        (
            closed,
            "  most accepted  ",
            " flits/node/cycle at 2 outstanding",
        ),
    ] {
        let swept = flitsim(folder.path(), &["sweep", scenario.to_str().unwrap()]);
        let said = stderr(&swept);
        let tells = |name: &str, what| {
            said.lines()
                .any(|line| line.starts_with(name) && line.contains(what))
        };
        assert!(
            tells("series ", result) && tells("default", found),
            "{said}"
        );
    }
}
