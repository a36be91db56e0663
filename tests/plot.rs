//! `flitsim plot`: files in, pictures out, and what it says of files that it cannot draw.

use crate::tier;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const POINTS: &str = "series,load_unit,load,latency_mean,latency_ci95,status
mesh,flits/node/cycle,0.1,20,0.5,converged
mesh,flits/node/cycle,0.2,25,0.5,converged
mesh,flits/node/cycle,0.3,,,saturated
\"torus, 8-ary\",flits/node/cycle,0.1,18,0.5,converged
\"torus, 8-ary\",flits/node/cycle,0.2,21,0.5,converged
";

fn plot(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flitsim"))
        .arg("plot")
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program starts")
}

fn prepared() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for below in ["before", "after"] {
        fs::create_dir(folder.path().join(below)).unwrap();
        fs::write(folder.path().join(below).join("points.csv"), POINTS).unwrap();
    }
    folder
}

#[test]
fn a_sweep_is_drawn_with_its_curves_and_units() {
    let folder = prepared();
    let output = plot(folder.path(), &["before/points.csv", "-o", "a.svg"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let svg = fs::read_to_string(folder.path().join("a.svg")).unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let texts: Vec<&str> = document
        .descendants()
        .filter_map(|node| node.text())
        .collect();
    for wanted in [
        "before",
        "mesh",
        "torus, 8-ary",
        "offered load (flits/node/cycle)",
        "mean packet latency (cycles)",
        "mesh: 0.1, 20.00 ± 0.50",
    ] {
        assert!(texts.contains(&wanted), "{wanted}: {texts:?}");
    }
    assert!(
        texts.iter().any(|text| text.contains("Hatched walls")),
        "the mesh ends at a wall: {texts:?}"
    );
    assert!(
        !texts.iter().any(|text| text.starts_with("mesh: 0.3")),
        "nothing there to draw"
    );
}

#[test]
fn several_files_are_told_apart_by_their_folders() {
    let folder = prepared();
    let files = [
        "before/points.csv",
        "after/points.csv",
        "-o",
        "b.svg",
        "--title",
        "Both",
    ];
    assert_eq!(plot(folder.path(), &files).status.code(), Some(0));
    let svg = fs::read_to_string(folder.path().join("b.svg")).unwrap();
    for name in [
        "before, mesh",
        "after, mesh",
        "before, torus, 8-ary",
        "Both",
    ] {
        assert!(svg.contains(name), "{name}");
    }
    let again = plot(folder.path(), &files);
    assert_eq!(again.status.code(), Some(0));
    assert_eq!(
        svg,
        fs::read_to_string(folder.path().join("b.svg")).unwrap()
    );
}

#[test]
fn folders_of_one_name_are_told_apart_by_those_above() {
    let folder = prepared();
    for above in ["one", "two"] {
        let sweep = folder.path().join(above).join("before");
        fs::create_dir_all(&sweep).unwrap();
        fs::write(sweep.join("points.csv"), POINTS).unwrap();
    }
    let files = [
        "one/before/points.csv",
        "two/before",
        "after",
        "-o",
        "c.svg",
    ];
    assert_eq!(plot(folder.path(), &files).status.code(), Some(0));
    let svg = fs::read_to_string(folder.path().join("c.svg")).unwrap();
    for name in ["one/before, mesh", "two/before, mesh", "after, mesh"] {
        assert!(svg.contains(name), "{name}");
    }
    let twice = plot(folder.path(), &["after", "after/points.csv", "-o", "d.svg"]);
    assert_eq!(twice.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&twice.stderr).contains("is given twice"));
}

#[test]
fn a_picture_of_dots_is_sharp() {
    if tier::is_left_out() {
        return;
    }
    let folder = prepared();
    assert_eq!(
        plot(folder.path(), &["before/points.csv", "-o", "a.png"])
            .status
            .code(),
        Some(0)
    );
    let png = fs::read(folder.path().join("a.png")).unwrap();
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let width = u32::from_be_bytes(png[16..20].try_into().unwrap());
    assert_eq!(width, 2160);
    let pdf = ["before/points.csv", "-o", "a.pdf", "--width", "400"];
    assert_eq!(plot(folder.path(), &pdf).status.code(), Some(0));
    let pdf = String::from_utf8(fs::read(folder.path().join("a.pdf")).unwrap()).unwrap();
    assert!(pdf.starts_with("%PDF") && pdf.contains("/MediaBox [0 0 300 "));
}

#[test]
fn saturation_that_no_load_reaches_is_told() {
    const STATES: [(&str, &str); 3] = [
        ("calm.csv", "converged"),
        ("wild.csv", "saturated"),
        ("both.csv", ""),
    ];
    let folder = tempfile::tempdir().unwrap();
    for (name, state) in STATES {
        let mut rows = "series,load_unit,load,router.virtual_channels,status\n".to_owned();
        for (vcs, load) in [(1, 0.1), (1, 0.2), (2, 0.1), (2, 0.2)] {
            let reached = ["converged", "saturated"][usize::from(vcs == 1 && load > 0.1)];
            let status = if state.is_empty() { reached } else { state };
            rows += &format!("{vcs},flits/node/cycle,{load},{vcs},{status}\n");
        }
        fs::write(folder.path().join(name), rows).unwrap();
    }
    let said = |files: &[&str]| {
        let axes = ["--x", "router.virtual_channels", "--y", "saturation"];
        let output = plot(
            folder.path(),
            &[files, &axes[..], &["-o", "a.svg"]].concat(),
        );
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let calm = said(&["calm.csv"]);
    assert!(
        calm.contains("no series of calm.csv saturated: higher loads, or `load = \"auto\"`, would"),
        "{calm}"
    );
    let wild = said(&["wild.csv"]);
    assert!(
        wild.contains("2 of 2 are not drawn: the loads do not enclose their saturation"),
        "{wild}"
    );
    let both = said(&["both.csv", "calm.csv"]);
    assert!(both.contains("3 of 4 are not drawn"), "{both}");
}

#[test]
fn what_cannot_be_drawn_is_told() {
    let folder = prepared();
    let of_saturation = ["--y", "saturation", "--interval", "latency_ci95"];
    let of_saturation = [&["before/points.csv", "-o", "a.svg"], &of_saturation[..]].concat();
    for (arguments, wanted) in [
        (
            &["before/points.csv", "-o", "a.jpg"][..],
            "name it .svg, .pdf or .png",
        ),
        (&of_saturation, "leave `--interval` out"),
        (
            &["before/points.csv", "-o", "a.svg", "--y", "latency_men"],
            "did you mean `latency_mean`?",
        ),
        (
            &["before/points.csv", "-o", "a.svg", "--y", "status"],
            "`--facet status` a panel",
        ),
        (
            &["before/points.csv", "-o", "a.svg", "--x", "series"],
            "holds words, such as \"",
        ),
        (
            &["before/points.csv", "-o", "a.svg", "--interval", "status"],
            "holds words, such as \"converged\", and --interval names",
        ),
        (
            &["before/points.csv", "-o", "none/a.svg"],
            "cannot write none/a.svg",
        ),
        (&["before/points.csv"], "--output"),
    ] {
        let output = plot(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(wanted), "{said}");
    }
}

#[test]
fn files_that_do_not_read_are_told_with_their_places() {
    let folder = tempfile::tempdir().unwrap();
    let header = "load,latency_mean,series\n";
    for (name, text) in [
        ("open.csv", format!("{header}1,2,\"a\n2,3,b\n3,4,b\n")),
        ("closed-later.csv", format!("{header}1,2,\"a\n2,3,\"b\"\n")),
        ("short.csv", format!("\u{feff}{header}1,2,a\r\n\r\n2,3\r\n")),
        ("empty.csv", "\n".to_owned()),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    fs::write(folder.path().join("latin.csv"), b"load\n1\n\xe9\n").unwrap();
    fs::write(
        folder.path().join("good.csv"),
        format!("{header}1,2,\"a \"\"b\"\"\nc\"\r\n"),
    )
    .unwrap();
    let files = [
        "none.csv",
        "open.csv",
        "closed-later.csv",
        "short.csv",
        "empty.csv",
        "latin.csv",
        "good.csv",
        "nor.csv",
    ];
    let output = plot(folder.path(), &[&files[..], &["-o", "a.svg"]].concat());
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<&str> = said.lines().collect();
    for (line, wanted) in lines.iter().zip([
        "cannot read none.csv: ",
        "open.csv:2:5: a quoted cell ends with `\"`",
        "closed-later.csv:2:5: a quoted cell ends with",
        "short.csv:4:1: this row has 2 cells; the header has 3",
        "empty.csv: the file is empty; expected a header",
        "latin.csv:3:1: not UTF-8 text",
        "cannot read nor.csv: ",
    ]) {
        assert!(line.contains(wanted), "{said}");
    }
    assert_eq!(lines.len(), 7, "{said}");
    let good = plot(folder.path(), &["good.csv", "-o", "a.svg"]);
    assert_eq!(good.status.code(), Some(0), "{good:?}");
}

#[test]
fn what_is_left_out_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let rows = "x,y\n0,1\n1,2\n2,word\n3,NaN\n4,0\n,5\n5,\n";
    fs::write(folder.path().join("a.csv"), rows).unwrap();
    let told = |more: &[&str]| {
        let given = ["a.csv", "-o", "a.svg", "--x", "x", "--y", "y"];
        let output = plot(folder.path(), &[&given, more].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let words =
        "warning: 2 of 7 rows of a.csv are left out: `y` is no number there, such as \"word\"\n";
    assert_eq!(told(&[]), words);
    let axis = |column: &str| {
        format!(
            "{words}warning: 1 of 3 points are left out: `{column}` is not above 0 there, and its axis is logarithmic\n"
        )
    };
    assert_eq!(told(&["--log-x"]), axis("x"));
    assert_eq!(told(&["--log-y"]), axis("y"));
    assert_eq!(told(&["--x-range", "1:3"]), words);
    let nothing = "warning: nothing is drawn: all 3 points are outside --x-range or --y-range\n";
    for outside in [["--x-range", "5:9"], ["--y-range", "3:"]] {
        assert_eq!(told(&outside), format!("{words}{nothing}"));
    }
}
