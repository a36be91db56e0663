//! The documentation does what it says: every command of README.md and docs/ runs, what it is shown to
//! print it prints, every scenario is read, every link leads somewhere and every page can be found.
//!
//! Commands are the lines that begin with `$ flitsim` in blocks of `console`, and all lines in blocks of
//! `sh`. Those of a document run one after another in one empty folder, in which `scenarios` and `docs`
//! are as in the repository. Lines between commands in a `console` block are what the command prints, with
//! `...` for what is left out. Comments above a block say more:
//!
//! - `<!-- file: NAME -->`: the block is the text of a file there;
//! - `<!-- before: COMMAND -->`: what has to be there comes from this command;
//! - `<!-- in: FOLDER -->`: its commands run in this folder;
//! - `<!-- exit: 1 -->`: its commands end with this code.

#![cfg(unix)]

mod help;
mod read;

use crate::tier;
use flitsim::scenario::{Overrides, Plan};
use read::{Block, Document, blocks, documents, root};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// Scenarios that take long as they are: what is replaced in the copy that the commands find. That the
/// originals can be read is the business of tests/scenarios.rs.
const COARSER: [(&str, &str, &str); 8] = [
    // 192 points: half a minute.
    (
        "scenarios/grid.toml",
        "relative_error = 0.05",
        "relative_error = 0.3",
    ),
    ("scenarios/grid.toml", "steps = 8", "steps = 3"),
    ("scenarios/grid.toml", "radix = 8", "radix = 4"),
    // 26 points to 2 %: half a minute.
    (
        "scenarios/first-curve.toml",
        "relative_error = 0.02",
        "relative_error = 0.2",
    ),
    ("scenarios/first-curve.toml", "steps = 13", "steps = 3"),
    ("scenarios/first-curve.toml", "to = 0.65", "to = 0.45"),
    // 12 points to 2 %, those with 32 requests outstanding the longest: a quarter of a minute.
    (
        "scenarios/closed-loop.toml",
        "[1, 2, 4, 8, 16, 32]",
        "[1, 4]",
    ),
    (
        "scenarios/closed-loop.toml",
        "[[series]]\nname = \"uniform\"",
        "[measure]\nrelative_error = 0.2\n\n[[series]]\nname = \"uniform\"",
    ),
];

/// Commands that are not run as they stand: what runs in their place, and why.
const INSTEAD: [(&str, Option<&str>, &str); 5] = [
    (
        "flitsim saturate scenarios/saturation.toml",
        Some("flitsim saturate scenarios/saturation.toml --tolerance 0.2"),
        "the last bits of an interval are what takes long",
    ),
    (
        "cargo test --workspace --locked",
        None,
        "it runs this very test",
    ),
    (
        "cargo install --path . --locked",
        None,
        "it builds the program again, optimised, which takes minutes",
    ),
    (
        "cargo run --release --locked --example coverage -- --first-seed 10000 --seeds 1000 --loads \
         0.0674,0.2022,0.55,0.607",
        None,
        "an experiment of minutes, no part of the program; the tests build it",
    ),
    (
        "cargo run --release --locked --example saturate_vs_sweep -- --seeds 3",
        None,
        "an experiment of minutes, no part of the program; the tests build it",
    ),
];

/// A line to type, and what it prints.
struct Typed {
    line: usize,
    command: String,
    printed: Vec<String>,
}

/// The commands of a block.
fn commands(block: &Block) -> Vec<Typed> {
    let mut commands: Vec<Typed> = Vec::new();
    for (line, text) in (block.line..).zip(block.text.lines()) {
        let command = match block.language.as_str() {
            "console" => text.strip_prefix("$ "),
            _ if text.trim().is_empty() || text.starts_with('#') => continue,
            _ => Some(text),
        };
        match (command, commands.last_mut()) {
            // A line that goes on.
            (_, Some(last)) if last.command.ends_with('\\') => {
                last.command.pop();
                last.command += text.trim_start();
            }
            (Some(command), _) => commands.push(Typed {
                line,
                command: command.to_owned(),
                printed: Vec::new(),
            }),
            (None, Some(last)) => last.printed.push(text.to_owned()),
            (None, None) => panic!("line {line}: output without a command; `$ ` marks commands"),
        }
    }
    commands
}

/// `command` as the shell of the test runs it; `None` where it is not run.
fn as_run(command: &str, used: &Mutex<BTreeSet<usize>>) -> Option<String> {
    if let Some(index) = INSTEAD.iter().position(|(known, ..)| *known == command) {
        used.lock().expect("no test has panicked").insert(index);
        return INSTEAD[index].1.map(str::to_owned);
    }
    let built = "cargo run --release --locked -- ";
    let command = match command.strip_prefix(built) {
        Some(arguments) => format!("flitsim {arguments}"),
        None => command.to_owned(),
    };
    assert!(
        command.starts_with("flitsim ") || command.starts_with("cmp "),
        "`{command}` is neither flitsim nor `cmp`, nor in the table of this test"
    );
    Some(command)
}

/// A folder as a reader's: the repository's scenarios and docs, and `flitsim` on the path.
struct Reader {
    folder: tempfile::TempDir,
}

impl Reader {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let link = |to: &Path, name: &str| {
            std::os::unix::fs::symlink(to, folder.path().join(name)).expect("a link");
        };
        fs::create_dir(folder.path().join("bin")).expect("a folder");
        link(Path::new(env!("CARGO_BIN_EXE_flitsim")), "bin/flitsim");
        link(&root().join("docs"), "docs");
        copy(&root().join("scenarios"), &folder.path().join("scenarios"));
        for (scenario, from, to) in COARSER {
            let path = folder.path().join(scenario);
            let text = fs::read_to_string(&path).expect("a scenario");
            assert!(text.contains(from), "{scenario} has no {from:?} any more");
            fs::write(path, text.replace(from, to)).expect("a copy");
        }
        Self { folder }
    }

    /// Runs a command line; what it printed, and what it said on standard error.
    fn run(&self, line: &str, folder: &str, code: i32) -> Result<(String, String), String> {
        let path = std::env::var("PATH").unwrap_or_default();
        let bin = self.folder.path().join("bin");
        let output = Command::new("sh")
            .args(["-euc", line])
            .env("PATH", format!("{}:{path}", bin.display()))
            .env("NO_COLOR", "1")
            .current_dir(self.folder.path().join(folder))
            .output()
            .expect("a shell");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        match output.status.code() == Some(code) {
            true => Ok((printed, said)),
            false => Err(format!(
                "{}, and not {code}\n{printed}{said}",
                output.status
            )),
        }
    }

    /// Runs all that `document` tells to run; what went wrong.
    fn follow(&self, document: &Document, used: &Mutex<BTreeSet<usize>>) -> Result<usize, String> {
        let mut run = 0;
        for block in blocks(&document.text) {
            let place = |line: usize| format!("{}:{line}", document.path.display());
            if let Some(name) = block.directive("file") {
                let path = self.folder.path().join(name);
                fs::write(path, &block.text).expect("a file");
            }
            if !matches!(block.language.as_str(), "console" | "sh" | "bash" | "shell") {
                continue;
            }
            let code = block
                .directive("exit")
                .map_or(0, |code| code.parse().expect("a code"));
            let folder = block.directive("in").unwrap_or(".");
            for before in block.all("before") {
                let wrong = |what: String| format!("{}: `{before}`: {what}", place(block.line));
                self.run(before, ".", 0).map_err(wrong)?;
            }
            for typed in commands(&block) {
                let Some(line) = as_run(&typed.command, used) else {
                    continue;
                };
                run += 1;
                let wrong = |what: String| format!("{}: `{line}`: {what}", place(typed.line));
                let (printed, said) = self.run(&line, folder, code).map_err(&wrong)?;
                let both = format!("{said}{printed}");
                let missing = first_missing(&typed.printed, &both);
                if let Some(missing) = missing {
                    return Err(wrong(format!("does not print {missing:?}, but\n{both}")));
                }
            }
        }
        Ok(run)
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).expect("a copy")),
        }
    }
}

/// The first of the lines `shown` that `printed` has not: each has to follow the one before, directly but
/// where `...` stands between them. An empty line at the end is none.
fn first_missing<'s>(shown: &'s [String], printed: &str) -> Option<&'s str> {
    let printed: Vec<&str> = printed.lines().map(str::trim_end).collect();
    let (mut at, mut may_skip) = (0, true);
    for line in shown {
        if line.trim() == "..." {
            may_skip = true;
            continue;
        }
        let line_here = line.trim_end();
        let rest = &printed[at.min(printed.len())..];
        let found = rest.iter().position(|one| *one == line_here);
        match found {
            Some(0) => at += 1,
            Some(skipped) if may_skip => at += skipped + 1,
            _ if line_here.is_empty() && rest.is_empty() => {}
            _ => return Some(line),
        }
        may_skip = false;
    }
    None
}

#[test]
fn every_command_of_the_documentation_runs() {
    if tier::is_left_out() {
        return;
    }
    let documents = documents();
    let used = Mutex::new(BTreeSet::new());
    let results: Vec<Result<usize, String>> = std::thread::scope(|scope| {
        let follow = |document| {
            let used = &used;
            move || Reader::new().follow(document, used)
        };
        let threads: Vec<_> = documents.iter().map(|d| scope.spawn(follow(d))).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, _>| thread.join();
        threads
            .into_iter()
            .map(|thread| join(thread).expect("no panic"))
            .collect()
    });
    let wrong: Vec<&String> = results
        .iter()
        .filter_map(|result| result.as_ref().err())
        .collect();
    assert!(
        wrong.is_empty(),
        "{}",
        wrong.iter().map(|e| format!("{e}\n")).collect::<String>()
    );
    let run: usize = results.iter().flatten().sum();
    assert!(run >= 20, "{run} commands were found");
    let used = used.into_inner().expect("no thread has panicked");
    let all: BTreeSet<usize> = (0..INSTEAD.len()).collect();
    assert_eq!(
        used, all,
        "entries of the table that no document has any more"
    );
}

#[test]
fn every_whole_scenario_of_the_documentation_is_read() {
    let mut read = 0;
    for document in documents() {
        for block in blocks(&document.text) {
            if block.language != "toml" || !block.text.contains("[topology]") {
                continue;
            }
            let plan = Plan::parse(&document.path, block.text.clone(), Overrides::default());
            let place = format!("{}:{}", document.path.display(), block.line);
            let plan = plan.unwrap_or_else(|error| panic!("{place}\n{error}"));
            assert!(plan.warnings.is_empty(), "{place}: {:?}", plan.warnings);
            read += 1;
        }
    }
    assert!(read >= 5, "{read} scenarios were found");
}

/// The targets of the links of a document, pictures included, but for those of other sites.
fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    let outside = outside_blocks(text);
    for start in ["](", "src=\"", "href=\""] {
        for (at, _) in outside.match_indices(start) {
            let rest = &outside[at + start.len()..];
            let end = rest.find([')', '"', ' ', '\n']).unwrap_or(rest.len());
            let link = &rest[..end];
            if !link.contains("://") && !link.starts_with("mailto:") {
                links.push(link.to_owned());
            }
        }
    }
    links
}

/// A document without its blocks and without what stands in backquotes.
fn outside_blocks(text: &str) -> String {
    let mut outside = String::new();
    let mut is_inside = false;
    for line in text.lines() {
        if line.starts_with("```") {
            is_inside = !is_inside;
        } else if !is_inside {
            let parts = line.split('`').enumerate();
            outside.extend(parts.filter(|(i, _)| i % 2 == 0).map(|(_, part)| part));
            outside.push('\n');
        }
    }
    outside
}

/// A heading's anchor, as GitHub has it: lower case, spaces as hyphens, nothing but letters, digits,
/// hyphens and underscores.
fn anchor(heading: &str) -> String {
    let heading = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = heading
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// `path` without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

#[test]
fn every_link_leads_somewhere() {
    let mut found = 0;
    let mut dead = Vec::new();
    for name in ["CONTRIBUTING.md", "CHANGELOG.md"] {
        let text = fs::read_to_string(root().join(name)).expect("text");
        let path = PathBuf::from(name);
        dead.extend(dead_links(&Document { path, text }, &mut found));
    }
    for document in documents() {
        dead.extend(dead_links(&document, &mut found));
    }
    assert!(dead.is_empty(), "{dead:#?}");
    assert!(found >= 60, "{found} links were found");
}

fn dead_links(document: &Document, found: &mut usize) -> Vec<String> {
    let mut dead = Vec::new();
    let folder = document.path.parent().expect("a folder");
    for link in links(&document.text) {
        *found += 1;
        let (file, heading) = link.split_once('#').unwrap_or((&link, ""));
        let target = match file {
            "" => document.path.clone(),
            file => plain(&folder.join(file)),
        };
        let leads = root().join(&target).exists() && {
            let text = || fs::read_to_string(root().join(&target)).unwrap_or_default();
            heading.is_empty()
                || text()
                    .lines()
                    .any(|l| l.starts_with('#') && anchor(l) == heading)
        };
        if !leads {
            dead.push(format!("{}: {link}", document.path.display()));
        }
    }
    dead
}

/// The pages that links lead to, from one on.
fn reachable_from(start: &str) -> BTreeSet<PathBuf> {
    let mut reached = BTreeSet::from([PathBuf::from(start)]);
    let mut next = vec![PathBuf::from(start)];
    while let Some(path) = next.pop() {
        let text = fs::read_to_string(root().join(&path)).expect("a page");
        for link in links(&text) {
            let file = link.split('#').next().unwrap_or_default();
            let target = plain(&path.parent().expect("a folder").join(file));
            let is_page = target
                .extension()
                .is_some_and(|extension| extension == "md");
            if is_page && reached.insert(target.clone()) {
                next.push(target);
            }
        }
    }
    reached
}

/// From the table of contents every page is one click away, or two, for those of a folder.
#[test]
fn every_page_is_in_the_table_of_contents() {
    let contents = fs::read_to_string(root().join("docs/README.md")).expect("a table of contents");
    let listed: BTreeSet<PathBuf> = links(&contents)
        .iter()
        .map(|link| plain(&Path::new("docs").join(link)))
        .collect();
    let reached = reachable_from("docs/README.md");
    for document in documents() {
        let path = &document.path;
        assert!(
            reached.contains(path),
            "no way from docs/README.md to {}",
            path.display()
        );
        let is_top = path.parent() == Some(Path::new("docs")) && !path.ends_with("docs/README.md");
        assert!(
            !is_top || listed.contains(path),
            "docs/README.md does not list {}",
            path.display()
        );
    }
    assert!(reachable_from("README.md").contains(Path::new("docs/README.md")));
}

#[test]
fn what_is_shown_has_to_be_printed_in_order() {
    let shown = |lines: &[&str]| {
        lines
            .iter()
            .map(|line| line.to_string())
            .collect::<Vec<_>>()
    };
    let printed = "a\nb\nc\nd\n";
    assert_eq!(first_missing(&shown(&["a", "b"]), printed), None);
    assert_eq!(first_missing(&shown(&["b", "...", "d", ""]), printed), None);
    assert_eq!(first_missing(&shown(&["a", "c"]), printed), Some("c"));
    assert_eq!(
        first_missing(&shown(&["...", "c", "b"]), printed),
        Some("b")
    );
    assert_eq!(first_missing(&shown(&["e"]), printed), Some("e"));
}

#[test]
fn links_are_found_and_those_in_code_are_none() {
    let text =
        "[a](b.md#c) ![d](e.svg) `[f](g)`\n```\n[h](i)\n```\n[j](https://k)\n<img src=\"l\">";
    assert_eq!(links(text), ["b.md#c", "e.svg", "l"]);
    assert_eq!(anchor("## `[router]`: the `key`s"), "router-the-keys");
    assert_eq!(plain(Path::new("docs/../a/./b")), Path::new("a/b"));
}

/// Two commands do all: the first builds and runs the main job, the second passes the tests.
#[test]
fn the_quick_start_is_two_commands() {
    let text = fs::read_to_string(root().join("README.md")).expect("a README");
    let section = text.split("\n## ").find(|s| s.starts_with("Quick start\n"));
    let blocks = blocks(section.expect("a section"));
    assert!(blocks.iter().all(|block| block.language == "sh"));
    let lines: Vec<&str> = blocks.iter().map(|block| block.text.trim()).collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with("cargo run --release --locked -- sweep "));
    assert_eq!(lines[1], "cargo test --workspace --locked");
}
