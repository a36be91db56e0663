//! Input that somebody made to do harm, or that is broken in odd ways: refused, bounded or right, and never a
//! panic. Each was once found by an attack.

#![cfg(unix)]

use crate::tier;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const SCENARIO: &str = "[topology]\nkind = \"mesh\"\nradix = 3\ndimensions = 2\n\
    [measure]\nmax_cycles = 2000\nwarmup = 10\n[sweep]\nload = 0.1\n";

/// Longer than any of this takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn flitsim(folder: &Path, arguments: &[&str]) -> Output {
    flitsim_with(folder, arguments, &[])
}

fn flitsim_with(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    let begin = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_flitsim"));
    command
        .args(arguments)
        .current_dir(folder)
        .envs(environment.iter().copied())
        .stdin(Stdio::null());
    let output = command.output().expect("the program starts");
    assert!(begin.elapsed() < PATIENCE, "{arguments:?}");
    output
}

/// What is said of bad input, `wanted` in it.
fn refused(folder: &Path, arguments: &[&str], wanted: &str) {
    let output = flitsim(folder, arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
    assert!(said.contains(wanted), "{arguments:?}: {said}");
    assert!(
        !said.contains(['\u{1b}', '\u{7}', '\u{202e}']),
        "{arguments:?}: {said:?}"
    );
}

fn works(folder: &Path, arguments: &[&str]) -> String {
    let output = flitsim(folder, arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn prepared(scenario: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s.toml"), scenario).unwrap();
    folder
}

#[test]
fn a_link_in_a_folder_of_results_leads_nothing_elsewhere() {
    let folder = prepared(SCENARIO);
    let here = folder.path();
    works(here, &["sweep", "s.toml", "--out", "out"]);
    let victim = here.join("victim");
    fs::write(&victim, "mine").unwrap();
    for name in ["report.html", "points.csv", "manifest.json", "curves.svg"] {
        symlink(&victim, here.join(format!("out/.{name}.part"))).unwrap();
        fs::remove_file(here.join("out").join(name)).unwrap();
        symlink(&victim, here.join("out").join(name)).unwrap();
        works(here, &["sweep", "s.toml", "--out", "out", "--resume"]);
        assert_eq!(fs::read_to_string(&victim).unwrap(), "mine", "{name}");
    }
    works(here, &["report", "out"]);
    symlink(&victim, here.join(".p.svg.part")).unwrap();
    works(here, &["plot", "out/points.csv", "-o", "p.svg"]);
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
    fs::create_dir_all(here.join("led")).unwrap();
    symlink(here, here.join("led/points")).unwrap();
    refused(here, &["sweep", "s.toml", "--out", "led"], "it is a link");
}

#[test]
fn texts_are_one_line_of_visible_characters() {
    let folder = prepared("");
    let here = folder.path();
    let long = "y".repeat(70_000);
    let names = [
        (long.as_str(), "70000 characters"),
        ("a\\u001b[2J", "U+001B"),
        ("a\\nb", "U+000A"),
        ("a\\u202eb", "U+202E"),
        ("a\\u200b", "U+200B"),
        ("a ", "begins or ends with a space"),
    ];
    for (name, wanted) in names {
        let series = format!("{SCENARIO}[[series]]\nname = \"{name}\"\n");
        let titled = format!("title = \"{name}\"\n{SCENARIO}");
        for text in [series, titled] {
            fs::write(here.join("s.toml"), text).unwrap();
            for command in ["run", "sweep", "saturate"] {
                refused(here, &[command, "s.toml"], wanted);
            }
        }
    }
}

#[test]
fn names_that_read_the_same_are_not_two_series() {
    let folder = prepared("");
    let here = folder.path();
    let series = |names: [&str; 2]| {
        let names = names.map(|name| format!("[[series]]\nname = \"{name}\"\n"));
        fs::write(here.join("s.toml"), SCENARIO.to_owned() + &names.concat()).unwrap();
    };
    let composed = ["caf\u{e9}", "\u{1ec7}\u{1ec7}", "\u{ac00}"];
    let decomposed = [
        "cafe\u{301}",
        "e\u{323}\u{302}\u{ea}\u{323}",
        "\u{1100}\u{1161}",
    ];
    for (one, other) in composed.into_iter().zip(decomposed) {
        for names in [[one, other], [other, one]] {
            series(names);
            refused(
                here,
                &["topology", "s.toml"],
                "the same letters, composed otherwise",
            );
        }
    }
    // Not in the time of all pairs.
    let many = (0..4_000).map(|i| format!("[[series]]\nname = \"{}{i}\"\n", "\u{e9}".repeat(900)));
    fs::write(
        here.join("s.toml"),
        SCENARIO.to_owned() + &many.collect::<String>(),
    )
    .unwrap();
    works(here, &["verify", "s.toml", "--series", "1"]);
    for names in [
        ["cafe", "caf\u{e9}"],
        ["caf\u{e9}", "caf\u{e8}"],
        ["e\u{301}", "e\u{300}"],
        ["\u{e9}", "\u{e9}\u{e9}"],
        ["\u{3bb}", "\u{3bb}\u{302}"],
        ["\u{3bb}", "x\u{304}"],
        ["\u{65e5}", "e\u{301}"],
    ] {
        series(names);
        works(here, &["topology", "s.toml"]);
    }
}

#[test]
fn what_is_no_file_or_has_no_end_is_not_read() {
    let folder = prepared(&SCENARIO.replace(
        "kind = \"mesh\"\nradix = 3\ndimensions = 2",
        "kind = \"file\"\npath = \"/dev/zero\"",
    ));
    let here = folder.path();
    assert!(
        Command::new("mkfifo")
            .arg(here.join("pipe"))
            .status()
            .unwrap()
            .success()
    );
    let wanted = "not a regular file";
    refused(here, &["run", "s.toml"], wanted);
    for path in ["/dev/zero", "pipe"] {
        refused(here, &["run", path], wanted);
        refused(here, &["plot", path, "-o", "p.svg"], wanted);
        refused(here, &["topology", &format!("file:path={path}")], wanted);
    }
    let sparse = fs::File::create(here.join("sparse.toml")).unwrap();
    sparse.set_len(5 << 30).unwrap();
    refused(here, &["run", "sparse.toml"], "more than");
}

#[test]
fn a_document_that_grows_while_it_is_parsed_is_refused() {
    let folder = prepared("");
    let here = folder.path();
    let body = "<graph edgedefault=\"undirected\"></graph>";
    let attributes: String = (0..100_000).map(|i| format!(" a{i}=\"\"")).collect();
    let nested: String = (0..3000).map(|i| format!("<x xmlns:a{i}=\"b\">")).collect();
    for (text, wanted) in [
        (
            format!(
                "<!DOCTYPE g [<!ENTITY x \"{}\">]><graphml><graph><desc>{}</desc></graph></graphml>",
                "A".repeat(100_000),
                "&x;".repeat(100_000)
            ),
            "entities of one's own are not expanded",
        ),
        (
            format!("<graphml{attributes}>{body}</graphml>"),
            "more than 1000 attributes",
        ),
        (
            format!("<graphml>{nested}</graphml>"),
            "more than 1000 namespaces",
        ),
    ] {
        fs::write(here.join("q.graphml"), text).unwrap();
        refused(here, &["topology", "file:path=q.graphml"], wanted);
    }
}

#[test]
fn numbers_at_the_end_of_their_range_are_drawn() {
    let folder = prepared("");
    let here = folder.path();
    for value in ["1e308", "1e305", "5e-324", "-1e308"] {
        let text = format!("series,load,latency_mean\na,0.1,{value}\na,0.2,1\n");
        fs::write(here.join("p.csv"), text).unwrap();
        works(here, &["plot", "p.csv", "-o", "p.svg"]);
        let bytes = fs::metadata(here.join("p.svg")).unwrap().len();
        assert!(bytes < 1_000_000, "{value}: {bytes} bytes");
    }
}

#[test]
fn a_picture_of_too_much_is_refused_as_dots() {
    let folder = prepared("");
    let here = folder.path();
    let rows: String = (1..60_000).map(|i| format!("s,{i},{i}\n")).collect();
    fs::write(
        here.join("p.csv"),
        format!("series,load,latency_mean\n{rows}"),
    )
    .unwrap();
    let output = flitsim(here, &["plot", "p.csv", "-o", "p.png"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("write SVG"), "{said}");
    let series: String = (0..20_000)
        .map(|i| format!("[[series]]\nname = \"{i}\"\n"))
        .collect();
    fs::write(here.join("s.toml"), format!("{SCENARIO}{series}")).unwrap();
    refused(here, &["run", "s.toml"], "10000 are the most");
}

#[test]
fn a_load_stands_once() {
    for loads in ["[0.1, 0.1]", "{ from = 0.1, to = 0.1, steps = 3 }"] {
        let folder = prepared(&SCENARIO.replace("load = 0.1", &format!("load = {loads}")));
        refused(folder.path(), &["sweep", "s.toml"], "stands twice");
    }
}

#[test]
fn lists_have_a_stated_length() {
    let many: Vec<String> = (1..=20_000).map(|load| format!("{load}e-6")).collect();
    let loads = SCENARIO.replace("load = 0.1", &format!("load = [{}]", many.join(",")));
    let series = |at| format!("[[series]]\nname = \"{at}\"\n");
    let series: String = (0..10_001).map(series).collect();
    for (text, wanted) in [
        (loads, "20000 loads, and 10000 are the most"),
        (
            SCENARIO.to_owned() + &series,
            "10001 series, and 10000 are the most",
        ),
    ] {
        refused(prepared(&text).path(), &["verify", "s.toml"], wanted);
    }
}

#[test]
fn what_measured_nothing_is_not_converged() {
    let folder = prepared(SCENARIO);
    let here = folder.path();
    for load in ["1e-19", "1e-300"] {
        let told = works(here, &["run", "s.toml", "--load", load, "--format", "json"]);
        assert!(told.contains("\"max-cycles\""), "{told}");
    }
    fs::write(
        here.join("t.csv"),
        "cycle,source,destination,flits\n0,0,1,1\n18446744073710,0,1,1\n",
    )
    .unwrap();
    let trace = "[channel]\ncycle_time = 1e-6\n[traffic]\npattern = \"trace\"\npath = \"t.csv\"\n";
    let text = SCENARIO.replace("[sweep]\nload = 0.1\n", trace);
    fs::write(here.join("s.toml"), text).unwrap();
    let told = works(here, &["run", "s.toml", "--format", "json"]);
    assert!(told.contains("\"max-cycles\""), "{told}");
    // What goes from a terminal to itself takes no channel, and arrives.
    fs::write(
        here.join("t.csv"),
        "cycle,source,destination,flits\n0,1,1,3\n",
    )
    .unwrap();
    let told = works(here, &["run", "s.toml", "--format", "json"]);
    assert!(told.contains("\"converged\""), "{told}");
}

#[test]
fn results_stay_below_out_and_seeds_can_be_written_down() {
    let folder = prepared(SCENARIO);
    let here = folder.path();
    fs::write(here.join("points.csv"), "mine").unwrap();
    fs::write(here.join("...toml"), SCENARIO).unwrap();
    works(here, &["sweep", "...toml", "--overwrite"]);
    assert_eq!(fs::read_to_string(here.join("points.csv")).unwrap(), "mine");
    assert!(!here.join("manifest.json").exists());
    refused(
        here,
        &["run", "s.toml", "--seed", "9223372036854775808"],
        "9223372036854775807",
    );
}

#[test]
fn memory_ends_with_a_message_where_the_system_limits_it() {
    if tier::is_left_out() {
        return;
    }
    let folder = prepared(&SCENARIO.replace("radix = 3", "radix = 4095"));
    let limited = "ulimit -v 8000000; exec \"$0\" run s.toml";
    let output = Command::new("bash")
        .args(["-c", limited, env!("CARGO_BIN_EXE_flitsim")])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
}

#[test]
fn proofs_and_surveys_say_what_they_do_and_end_in_time() {
    if tier::is_left_out() {
        return;
    }
    let long = "[topology]\nkind = \"torus\"\nradix = 8\ndimensions = 4\n[sweep]\nload = 0.1\n\
        [[series]]\nname = \"quick\"\n[series.topology]\nkind = \"mesh\"\nradix = 3\n\
        dimensions = 2\n[[series]]\nname = \"long\"\n[series.topology]\nkind = \"pruned-torus\"\nradix = 8\ndimensions = 5\n";
    let folder = prepared(long);
    let here = folder.path();
    let unsettled = |arguments: &[&str]| {
        // Time runs out on one core as on all.
        let output = flitsim_with(here, arguments, &[("RAYON_NUM_THREADS", "1")]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
        assert!(said.contains("not settled within"), "{arguments:?}: {said}");
        (said, String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (said, known) = unsettled(&["verify", "s.toml", "--time-limit", "6s"]);
    assert!(said.contains("5 s: long: proof"), "{said}");
    assert!(
        said.contains("not settled within 6 s: long: proof"),
        "{said}"
    );
    assert!(known.contains("free of deadlock"), "{known}");
    let json = ["verify", "s.toml", "--format", "json", "--time-limit", "1s"];
    let (_, known) = unsettled(&json);
    let known: serde_json::Value = serde_json::from_str(&known).unwrap();
    assert_eq!(known["deadlock_free"], true, "{known}");
    let large = "pruned-torus:radix=8,dimensions=5";
    let (said, _) = unsettled(&["new", large, "--time-limit", "1s"]);
    assert!(said.contains("pruned-torus"), "{said}");
    let mesh = "[topology]\nkind = \"mesh\"\nradix = 8\ndimensions = 4\n[sweep]\nload = 0.1\n\
        [routing]\nalgorithm = \"enhanced-nbc\"\n[router]\nvirtual_channels = 20\n";
    fs::write(here.join("s.toml"), mesh).unwrap();
    let (said, known) = unsettled(&["topology", "s.toml", "--time-limit", "3s"]);
    assert!(said.contains("within 3 s: default: "), "{said}");
    assert!(known.contains("diameter, hops"), "{known}");
    // What is quickly known of the networks behind one that takes long is known.
    let slow = mesh.replace("dimensions = 4", "dimensions = 3")
        + "[[series]]\nname = \"slow\"\n[[series]]\nname = \"quick\"\ntopology.radix = 3\n";
    fs::write(here.join("s.toml"), slow).unwrap();
    let (said, known) = unsettled(&["topology", "s.toml", "--time-limit", "1s"]);
    assert!(said.contains("within 1 s: slow: channel loads"), "{said}");
    assert!(known.contains("quick"), "{known}");
    refused(
        here,
        &["verify", "s.toml", "--time-limit", "7"],
        "60s, 10min or 2h",
    );
}

/// What other series make of a load does not matter where one is chosen, and no load matters where none is
/// looked at.
#[test]
fn loads_matter_where_they_are_offered() {
    let folder = prepared(
        "[topology]\nkind = \"mesh\"\nradix = 3\ndimensions = 2\n[measure]\nmax_cycles = 2000\n\
         warmup = 10\n[[series]]\nname = \"open\"\nsweep.load = 1.5\n[[series]]\nname = \"closed\"\n\
         traffic.mode = \"closed-loop\"\n[[series]]\nname = \"searched\"\nsweep.load = \"auto\"\n",
    );
    let here = folder.path();
    for (series, load) in [("open", "0.1"), ("closed", "8"), ("searched", "0.1")] {
        let arguments = ["run", "s.toml", "--series", series, "--load", load];
        assert!(works(here, &arguments).contains(series));
    }
    works(here, &["run", "s.toml", "--series", "closed"]);
    let of =
        |series, more: &[&'static str]| [&["run", "s.toml", "--series", series], more].concat();
    refused(here, &of("open", &[]), "above the injection bandwidth");
    refused(here, &of("open", &["--load", "8"]), "`--load` of 8");
    refused(
        here,
        &of("closed", &["--load", "0.1"]),
        "stands for `outstanding`",
    );
    refused(here, &of("searched", &[]), "names none");
    refused(
        here,
        &["run", "s.toml", "--load", "0.1"],
        "stands for `outstanding`",
    );
    works(here, &["verify", "s.toml"]);
    works(here, &["topology", "s.toml"]);
    let open = SCENARIO.replace("load = 0.1", "load = 1.5");
    fs::write(here.join("s.toml"), open).unwrap();
    works(here, &["saturate", "s.toml"]);
}

#[test]
fn messages_end_and_name_what_is_odd() {
    let folder = prepared(&SCENARIO.replace("mesh", &"m".repeat(1_000_000)));
    let here = folder.path();
    let output = flitsim(here, &["run", "s.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stderr.len() < 20_000, "{}", output.stderr.len());
    for (text, wanted) in [
        ("a = 1\n\0b = 2\n", "s.toml:2:1"),
        ("\u{feff}\u{feff}seed = 1\n", "U+FEFF"),
        ("seed = 1\n\u{1a}", "U+001A"),
    ] {
        fs::write(here.join("s.toml"), text).unwrap();
        refused(here, &["run", "s.toml"], wanted);
        refused(here, &["run", "s.toml"], "a character that is not visible");
    }
    fs::write(here.join("s.toml"), b"seed = 1\ntitle = \"\xff\"\n").unwrap();
    refused(here, &["run", "s.toml"], "in line 2, is not UTF-8");
    fs::write(
        here.join("s.toml"),
        "[topology]\nkind = \"file\"\npath = \"\"\n",
    )
    .unwrap();
    refused(here, &["run", "s.toml"], "the path of a file is empty");
    fs::write(here.join("m.json"), "{\n\"scenario\": 3}").unwrap();
    refused(
        here,
        &["sweep", "m.json"],
        "expected a string at line 2 column",
    );
    let columns: String = (0..100_000).map(|i| format!(",c{i}")).collect();
    fs::write(here.join("p.csv"), format!("a{columns}\n")).unwrap();
    let output = flitsim(here, &["plot", "p.csv", "-o", "p.svg"]);
    assert!(output.stderr.len() < 20_000, "{}", output.stderr.len());
    let submit = ["submit", "s.toml", "--out", "o", "--dry-run", "--time", "2"];
    refused(here, &submit, "give 3 minutes at least");
}

#[test]
fn a_picture_has_so_many_curves_and_its_ending_in_any_case() {
    let folder = prepared("");
    let here = folder.path();
    let with = |curves: usize| {
        let rows: String = (0..curves).map(|i| format!("s{i},0.1,3\n")).collect();
        fs::write(
            here.join("p.csv"),
            format!("series,load,latency_mean\n{rows}"),
        )
        .unwrap();
    };
    with(1001);
    refused(here, &["plot", "p.csv", "-o", "p.png"], "1000 are the most");
    with(10_001);
    refused(
        here,
        &["plot", "p.csv", "-o", "p.svg"],
        "10000 are the most",
    );
    with(2);
    works(here, &["plot", "p.csv", "-o", "p.SVG"]);
}

#[test]
fn help_that_cannot_be_printed_fails() {
    for words in [&["--help"][..], &["--version"], &["run", "--help"]] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_flitsim"));
        let status = command
            .args(words)
            .stdout(full)
            .stderr(Stdio::null())
            .status();
        assert_eq!(status.unwrap().code(), Some(1), "{words:?}");
    }
}
