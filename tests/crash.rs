//! Disks that fill and break, and a program that ends, at every change of the file system in turn: what is
//! started again leaves the bytes of a run that nothing happened to. And one flipped byte in every stored
//! file: found, named, done again.
//!
//! `FLITSIM_CRASH_POINTS` is how many points the sweep has. Where it is not set there is one, and disks fail at
//! every third change; in the first tier all of it is at every fifth. Forty, some minutes:
//!
//! ```sh
//! FLITSIM_CRASH_POINTS=40 cargo test --test all crash -- --nocapture
//! ```

use crate::tier;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Instant;

/// What is written before the fault, what is run under it, and what is run afterwards.
struct Case {
    name: &'static str,
    before: &'static [&'static str],
    under: &'static str,
    after: &'static str,
}

const SWEEP: &str = "sweep s.toml --out out --jobs 1 --checkpoint-every 300";
const AGAIN: &str = "sweep s.toml --out out --jobs 1 --checkpoint-every 300 --resume";

const CASES: [Case; 5] = [
    Case {
        name: "a sweep",
        before: &[],
        under: SWEEP,
        after: AGAIN,
    },
    Case {
        name: "a finished sweep, resumed",
        before: &[SWEEP],
        under: AGAIN,
        after: AGAIN,
    },
    Case {
        name: "a task and a merge",
        before: &["sweep s.toml --out out/parts/1 --claim --jobs 1"],
        under: "merge out --scenario s.toml",
        after: "merge out --scenario s.toml",
    },
    Case {
        name: "a task",
        before: &[],
        under: "sweep s.toml --out out/parts/1 --claim --jobs 1",
        after: "sweep s.toml --out out/parts/1 --claim --jobs 1 --resume",
    },
    Case {
        name: "a report",
        before: &[SWEEP],
        under: "report out",
        after: "report out",
    },
];

const POINTS: &str = "FLITSIM_CRASH_POINTS";

fn points() -> usize {
    let points = std::env::var(POINTS);
    points.map_or(1, |points| points.parse().expect("a number"))
}

/// A folder with the scenario, in memory where the system has files there.
fn prepared() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    let folder = match memory.is_dir() {
        true => tempfile::tempdir_in(memory),
        false => tempfile::tempdir(),
    };
    let folder = folder.expect("a folder");
    let loads: Vec<String> = (1..=points())
        .map(|n| (n as f64 / 50.0).to_string())
        .collect();
    let scenario = format!(
        "[topology]\nkind = \"mesh\"\nradix = 2\ndimensions = 2\n[measure]\nwarmup = 100\n\
         max_cycles = 700\ndetails = [\"sources\"]\n[sweep]\nload = [{}]\n",
        loads.join(", ")
    );
    fs::write(folder.path().join("s.toml"), scenario).expect("a file");
    folder
}

fn flitsim(folder: &Path, line: &str, fault: Option<&str>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flitsim"));
    command.args(line.split(' ')).current_dir(folder);
    command.envs(fault.map(|fault| ("FLITSIM_FAULT", fault)));
    command.output().expect("the program starts")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn works(folder: &Path, line: &str, when: &str) -> String {
    let output = flitsim(folder, line, None);
    let said = said(&output);
    assert_eq!(output.status.code(), Some(0), "{when}: {line}: {said}");
    said
}

/// Every file below `folder`: its name and its bytes.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let (mut found, mut open) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(below) = open.pop() {
        for entry in fs::read_dir(below).into_iter().flatten().flatten() {
            match entry.path() {
                path if path.is_dir() => open.push(path),
                path => {
                    let name = path.strip_prefix(folder).expect("below").to_string_lossy();
                    found.insert(name.into_owned(), fs::read(&path).expect("a file"));
                }
            }
        }
    }
    found
}

fn assert_same(one: &BTreeMap<String, Vec<u8>>, other: &BTreeMap<String, Vec<u8>>, when: &str) {
    assert!(one.keys().eq(other.keys()), "{when}: {:?}", other.keys());
    for (name, bytes) in one {
        assert!(*bytes == other[name], "{when}: {name} differs");
    }
}

fn copied(files: &BTreeMap<String, Vec<u8>>, folder: &Path) {
    let _ = fs::remove_dir_all(folder);
    for (name, bytes) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }
}

/// How many changes the case makes.
fn break_everywhere(case: &Case, fault: &str) -> usize {
    let folder = prepared();
    let (here, out) = (folder.path(), folder.path().join("out"));
    let prepare = case.before.iter();
    prepare.for_each(|line| drop(works(here, line, case.name)));
    let before = files(&out);
    works(here, case.under, case.name);
    works(here, case.after, case.name);
    let wanted = files(&out);
    let every = match std::env::var_os(POINTS) {
        Some(_) => 1,
        None => tier::step().max(if fault == "end" { 1 } else { 3 }),
    };
    for change in (1..).step_by(every) {
        copied(&before, &out);
        let when = format!("{}, {fault}@{change}", case.name);
        let output = flitsim(here, case.under, Some(&format!("{fault}@{change}")));
        let said = said(&output);
        if !said.contains("a fault at change") {
            assert_eq!(output.status.code(), Some(0), "{when}: {said}");
            return change - 1;
        }
        assert!(!said.contains("panicked"), "{when}: {said}");
        match output.status.code() {
            None => assert_eq!(fault, "end", "{when}: {said}"),
            // What fails is told, but where it was of no account.
            Some(code) => assert!(
                code <= 2 && (code == 0 || said.contains("error: ")),
                "{when}: {said}"
            ),
        }
        works(here, case.after, &when);
        assert_same(&wanted, &files(&out), &when);
    }
    unreachable!("changes end")
}

fn break_all(fault: &str) {
    for case in &CASES {
        let begun = Instant::now();
        let changes = break_everywhere(case, fault);
        assert!(changes > 3, "{}: {changes} changes", case.name);
        let seconds = begun.elapsed().as_secs_f64();
        println!(
            "{}, {fault} at each of {changes} changes: {seconds:.0} s",
            case.name
        );
    }
}

#[test]
fn what_ends_at_any_change_goes_on_to_the_same_bytes() {
    break_all("end");
}

#[test]
fn what_finds_a_full_disk_goes_on_to_the_same_bytes() {
    break_all("full");
}

#[test]
fn what_finds_a_broken_disk_goes_on_to_the_same_bytes() {
    break_all("broken");
}

#[test]
fn a_flipped_byte_in_any_stored_file_is_found_named_and_done_again() {
    let folder = prepared();
    let (here, out) = (folder.path(), folder.path().join("out"));
    works(here, SWEEP, "as it is");
    let wanted = files(&out);
    let mut flips = 0;
    for (name, bytes) in &wanted {
        for at in (0..bytes.len()).step_by(bytes.len() / 4 + 1) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            fs::write(out.join(name), damaged).expect("a file");
            let when = format!("byte {at} of {name}");
            // Pages and pictures are drawn anew, and read by nobody.
            let is_read = !name.ends_with(".svg") && !name.ends_with(".html");
            // A page reads of a point what it shows.
            if is_read && !(name.starts_with("points/") && name.ends_with("sources.csv")) {
                let report = flitsim(here, "report out", None);
                assert!(said(&report).contains(name), "{when}: {}", said(&report));
            }
            let told = works(here, AGAIN, &when);
            let named = format!("{name} is not as it was written");
            assert_eq!(told.contains(&named), is_read, "{when}: {told}");
            assert_same(&wanted, &files(&out), &when);
            flips += 1;
        }
    }
    println!("{flips} bytes flipped in {} files", wanted.len());
}

/// A manifest as older versions wrote it, without digests of itself and of tables: it can be edited.
pub fn unsealed(manifest: &str) -> String {
    let mut manifest: serde_json::Value = serde_json::from_str(manifest).expect("JSON");
    let members = manifest.as_object_mut().expect("an object");
    members.remove("hash").expect("a digest");
    members.remove("tables");
    format!("{manifest:#}\n")
}
