//! Sweeps that are killed, interrupted, edited: nothing finished is lost or simulated again, and what
//! comes out in the end has the bytes of a sweep that nothing happened to.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// Eight points of some tens of milliseconds each.
const SCENARIO: &str = r#"
title = "A mesh and a torus"
[router]
virtual_channels = 2
[traffic]
packet_flits = 4
[measure]
relative_error = 0.02
[sweep]
load = [0.1, 0.15, 0.2, 0.25]
[[series]]
name = "8-ary 2-cube"
topology = { kind = "torus", radix = 8, dimensions = 2 }
[[series]]
name = "8x8 mesh"
topology = { kind = "mesh", radix = 8, dimensions = 2 }
"#;

fn command(folder: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flitsim"));
    command
        .args(["sweep", "mine.toml", "--out", "out", "--jobs", "2"])
        .args(more)
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

fn sweep(folder: &Path, more: &[&str]) -> Output {
    command(folder, more).output().expect("the program starts")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn prepared(scenario: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mine.toml"), scenario).unwrap();
    folder
}

/// Every file below `folder`: its name and its bytes.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for below in [folder.to_owned(), folder.join("points")] {
        for entry in fs::read_dir(&below).into_iter().flatten().flatten() {
            if entry.file_type().unwrap().is_file() {
                let name = entry.path().strip_prefix(folder).unwrap().to_owned();
                let name = name.to_string_lossy().into_owned();
                found.insert(name, fs::read(entry.path()).unwrap());
            }
        }
    }
    found
}

/// The kept points, and when each was written.
fn kept(folder: &Path) -> BTreeMap<String, SystemTime> {
    let entries = fs::read_dir(folder.join("out/points"));
    let entries = entries.into_iter().flatten().flatten();
    // Beside each there are its latencies, written before it.
    let whole = entries.filter(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        !name.starts_with('.') && name.ends_with(".json")
    });
    whole
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, entry.metadata().unwrap().modified().unwrap())
        })
        .collect()
}

fn assert_same(one: &BTreeMap<String, Vec<u8>>, other: &BTreeMap<String, Vec<u8>>, when: &str) {
    assert!(one.keys().eq(other.keys()), "{when}: {:?}", other.keys());
    for (name, bytes) in one {
        assert!(*bytes == other[name], "{when}: {name} differs");
    }
}

fn ended(mut child: Child, kill: impl FnOnce(&mut Child)) -> Output {
    kill(&mut child);
    child.wait_with_output().unwrap()
}

#[test]
fn a_killed_sweep_goes_on_where_it_was() {
    let whole = prepared(SCENARIO);
    let begin = Instant::now();
    let output = sweep(whole.path(), &[]);
    let took = begin.elapsed();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let wanted = files(&whole.path().join("out"));
    assert_eq!(wanted.len(), 4 + 2 * 8);
    let mut word = 2_u32;
    let mut survivors = Vec::new();
    for trial in 0..10_usize {
        let folder = prepared(SCENARIO);
        // Moments spread over the whole sweep.
        word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let share = (trial as f64 + f64::from(word) / f64::from(u32::MAX)) / 10.0;
        let child = command(folder.path(), &[]).spawn().unwrap();
        ended(child, |child| {
            // By time, or as soon as some points are kept: how long a sweep takes beside other tests cannot be told.
            let is_timed = trial % 2 == 0;
            let wait = if is_timed {
                took.mul_f64(share)
            } else {
                Duration::from_secs(60)
            };
            let until = Instant::now() + wait;
            let is_early = || is_timed || kept(folder.path()).len() < trial % 8;
            while Instant::now() < until && is_early() && child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
            // SIGKILL; one that has ended already is left alone.
            let _ = child.kill();
        });
        let before = kept(folder.path());
        let output = sweep(folder.path(), &["--resume"]);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(0), "{said}");
        let after = kept(folder.path());
        for (name, written) in &before {
            assert_eq!(after[name], *written, "simulated again: {name}");
        }
        let told = format!("{} of 8 points are kept", before.len());
        assert_eq!(said.contains(&told), !before.is_empty(), "{said}");
        assert_same(
            &wanted,
            &files(&folder.path().join("out")),
            &format!("killed in trial {trial}, {} points", before.len()),
        );
        survivors.push(before.len());
    }
    assert!(
        survivors.iter().any(|&points| (1..8).contains(&points)),
        "{survivors:?}"
    );
}

#[test]
fn an_edited_scenario_simulates_what_changed() {
    let folder = prepared(SCENARIO);
    assert_eq!(sweep(folder.path(), &[]).status.code(), Some(0));
    let before = kept(folder.path());
    // Another title and another name change no point; a load more, a load less, one other buffer.
    let edited = SCENARIO
        .replace("A mesh and a torus", "Edited")
        .replace("8x8 mesh", "mesh")
        .replace("[0.1, 0.15, 0.2, 0.25]", "[0.1, 0.15, 0.2, 0.22]");
    fs::write(folder.path().join("mine.toml"), &edited).unwrap();
    let output = sweep(folder.path(), &["--resume"]);
    assert!(
        stderr(&output).contains("6 of 8 points are kept"),
        "{}",
        stderr(&output)
    );
    let after = kept(folder.path());
    let same = after
        .iter()
        .filter(|(name, time)| before.get(*name) == Some(time));
    assert_eq!(
        (same.count(), after.len()),
        (8, 10),
        "the two of no point are kept: they may be wanted again"
    );
    let fresh = prepared(&edited);
    sweep(fresh.path(), &[]);
    let wanted = files(&fresh.path().join("out"));
    let mut found = files(&folder.path().join("out"));
    found.retain(|name, _| wanted.contains_key(name));
    assert_same(&wanted, &found, "edited");
    fs::write(folder.path().join("mine.toml"), SCENARIO).unwrap();
    let output = sweep(folder.path(), &["--resume"]);
    let said = stderr(&output);
    assert!(said.contains("8 of 8 points are kept"), "{said}");
}

#[test]
fn resuming_where_nothing_is_begins_and_where_all_is_ends() {
    let folder = prepared(SCENARIO);
    let output = sweep(folder.path(), &["--resume"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let first = files(&folder.path().join("out"));
    let output = sweep(folder.path(), &["--resume"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stderr(&output).contains("8 of 8 points are kept"));
    assert_same(&first, &files(&folder.path().join("out")), "again");
    let refused = sweep(folder.path(), &["--resume", "--overwrite"]);
    assert_eq!(refused.status.code(), Some(2));
    let refused = sweep(folder.path(), &[]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        stderr(&refused).contains("--resume"),
        "{}",
        stderr(&refused)
    );
}

#[test]
fn a_flipped_bit_is_found_and_its_point_simulated_again() {
    let folder = prepared(SCENARIO);
    assert_eq!(sweep(folder.path(), &[]).status.code(), Some(0));
    let out = folder.path().join("out");
    let wanted = files(&out);
    for name in wanted.keys() {
        let mut bytes = wanted[name].clone();
        let at = bytes.len() / 2;
        bytes[at] ^= 1;
        fs::write(out.join(name), bytes).unwrap();
        let output = sweep(folder.path(), &["--resume"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let (said, kept) = (stderr(&output), if name.contains('/') { 7 } else { 8 });
        assert!(
            said.contains(&format!("{kept} of 8 points are kept")),
            "{said}"
        );
        let told = format!("{name} is not as it was written");
        // Pictures and pages are drawn again, and nobody reads them.
        let is_read = !name.ends_with(".svg") && !name.ends_with(".html");
        assert_eq!(said.contains(&told), is_read, "{name}: {said}");
        assert_same(&wanted, &files(&out), name);
    }
}

#[test]
fn a_folder_takes_one_sweep_at_a_time_and_a_killed_one_leaves_no_lock() {
    let long = SCENARIO.replace(
        "relative_error = 0.02",
        "relative_error = 0.0001\nmax_cycles = 2_000_000_000",
    );
    let folder = prepared(&long);
    let first = command(folder.path(), &[]).spawn().unwrap();
    let manifest = folder.path().join("out/manifest.json");
    let deadline = Instant::now() + Duration::from_secs(60);
    while !manifest.exists() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    let says_so = || {
        let status = Command::new(env!("CARGO_BIN_EXE_flitsim"))
            .args(["status", "out"])
            .current_dir(folder.path())
            .output();
        String::from_utf8_lossy(&status.unwrap().stdout).contains("are being simulated here")
    };
    for how in ["--resume", "--overwrite"] {
        let second = sweep(folder.path(), &[how]);
        assert_eq!(second.status.code(), Some(2), "{}", stderr(&second));
        assert!(stderr(&second).contains("another flitsim writes to out"));
        assert!(says_so());
    }
    ended(first, |child| child.kill().unwrap());
    assert!(!says_so());
    fs::write(folder.path().join("mine.toml"), SCENARIO).unwrap();
    let third = sweep(folder.path(), &["--resume"]);
    assert_eq!(third.status.code(), Some(0), "{}", stderr(&third));
}

#[cfg(unix)]
#[test]
fn an_interrupted_sweep_ends_with_what_it_has_and_says_how_to_go_on() {
    // Long enough that the signal finds it at work: the precision of the last points is out of reach.
    let long = SCENARIO
        .replace("[0.1, 0.15, 0.2, 0.25]", "[0.1, 0.2]")
        .replace("[[series]]\nname = \"8x8 mesh\"", "[[series]]\nname = \"8x8 mesh\"\nmeasure = { relative_error = 0.0005, max_cycles = 2_000_000_000 }");
    let folder = prepared(&long);
    let interrupted = |signal: &str, more: &[&str], finished| {
        let child = command(folder.path(), more).spawn().unwrap();
        ended(child, |child| {
            let deadline = Instant::now() + Duration::from_secs(60);
            let begun = || folder.path().join("out/manifest.json").exists();
            while (!begun() || kept(folder.path()).len() < finished) && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(20));
            }
            std::thread::sleep(Duration::from_millis(300));
            let pid = child.id().to_string();
            let sent = Command::new("kill").args([signal, &pid]).status().unwrap();
            assert!(sent.success());
        })
    };
    // Of a part, its own points are counted.
    let said = stderr(&interrupted("-INT", &["--shard", "2/2"], 0));
    assert!(said.contains("stopped before 2 of 2 points"), "{said}");
    let said = stderr(&interrupted("-INT", &["--overwrite"], 1));
    assert!(
        said.contains("with --resume in place of --overwrite simulates the rest"),
        "{said}"
    );
    fs::remove_dir_all(folder.path().join("out")).unwrap();
    for signal in ["-INT", "-TERM"] {
        let output = interrupted(signal, &["--resume"], 2);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("stopped before 2 of 4 points"), "{said}");
        assert!(said.contains("--resume"), "{said}");
        // Whoever stops a sweep does not wait for what is known without simulating, for that may take longer
        // than a point.
        let mesh = said
            .lines()
            .find(|line| line.starts_with("8x8 mesh"))
            .unwrap();
        assert!(mesh.contains(" – "), "{said}");
        let points = fs::read_to_string(folder.path().join("out/points.csv")).unwrap();
        assert_eq!(points.lines().count(), 3);
        let found = files(&folder.path().join("out"));
        let manifest = String::from_utf8_lossy(&found["manifest.json"]).into_owned();
        assert!(manifest.contains("\"status\": \"incomplete\""));
        assert!(manifest.contains("\"status\": \"pending\""));
        assert!(found.contains_key("curves.svg") && found.contains_key("report.html"));
    }
}

/// 2,048 terminals, each of which sends to each other for hundreds of reasons: what is expected of the point
/// takes seconds to sum, without a look at who waits.
#[cfg(unix)]
#[test]
fn a_sweep_whose_point_is_only_prepared_ends_as_soon() {
    let part =
        |node| format!("{{ pattern = \"hotspot\", nodes = [{node}], fraction = 0.1, weight = 1 }}");
    let parts: Vec<String> = (0..500).map(part).collect();
    let scenario = format!(
        "[topology]\nkind = \"mesh\"\nradices = [64, 32]\n[sweep]\nload = [0.01]\n[traffic]\npattern = \"mix\"\nmix = [{}]\n",
        parts.join(", ")
    );
    let folder = prepared(&scenario);
    let child = command(folder.path(), &[]).spawn().unwrap();
    let output = ended(child, |child| {
        let deadline = Instant::now() + Duration::from_secs(60);
        while !folder.path().join("out/manifest.json").exists() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_millis(200));
        let pid = child.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &pid]).status().unwrap();
        assert!(sent.success());
    });
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("stopped while points were under way"),
        "{said}"
    );
    assert!(said.contains("--resume"), "{said}");
}
