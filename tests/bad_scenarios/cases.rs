//! Cases as they are kept: a file a table of the scenario, in it one case after another,
//!
//! ```text
//! === name
//! the scenario, after a line `$ flitsim …` where a command line is at fault
//! ---
//! what is said of it
//! ```
//!
//! Where a message lists every word of a key, the list stands as `{table.key}`: a new word edits no
//! message.

use flitsim::scenario::error::list;
use flitsim::schema;
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

pub struct Case {
    pub name: String,
    /// The arguments that the program gets; none where the scenario is at fault.
    pub command: Option<Vec<String>>,
    pub scenario: String,
    pub message: String,
}

impl Case {
    /// Its one message or several.
    pub fn messages(&self) -> Vec<&str> {
        let ends = self
            .message
            .match_indices("\nerror: ")
            .map(|(at, _)| at + 1);
        let starts: Vec<usize> = [0].into_iter().chain(ends).collect();
        let ends = starts.iter().skip(1).copied().chain([self.message.len()]);
        starts
            .iter()
            .zip(ends)
            .map(|(&start, end)| &self.message[start..end])
            .collect()
    }
}

/// The cases of one file.
pub struct Table {
    path: PathBuf,
    pub cases: Vec<Case>,
}

impl Table {
    fn read(path: PathBuf) -> Self {
        let text = fs::read_to_string(&path).expect("cases");
        let text = text.strip_prefix("=== ").expect("a case");
        let cases = text.split("\n=== ").map(|case| {
            let (name, rest) = case.split_once('\n').expect("a name");
            let (scenario, message) = format!("\n{rest}").split_once("\n---\n").map_or_else(
                || panic!("{name}: no line `---`"),
                |(scenario, message)| {
                    (format!("{scenario}\n"), format!("{}\n", message.trim_end()))
                },
            );
            let mut scenario = scenario.trim_start_matches('\n');
            let mut command = None;
            if let Some((line, rest)) = scenario
                .strip_prefix("$ flitsim ")
                .and_then(|s| s.split_once('\n'))
            {
                command = Some(line.split(' ').map(str::to_owned).collect());
                scenario = rest;
            }
            Case {
                name: name.to_owned(),
                command,
                scenario: scenario.to_owned(),
                message,
            }
        });
        let cases = cases.collect();
        Self { path, cases }
    }

    /// Keeps what the cases say now.
    pub fn write(&self) {
        let mut text = String::new();
        for (index, case) in self.cases.iter().enumerate() {
            let gap = if index > 0 { "\n" } else { "" };
            let command = case
                .command
                .as_ref()
                .map(|words| format!("$ flitsim {}\n", words.join(" ")));
            let Case {
                name,
                scenario,
                message,
                ..
            } = case;
            write!(
                text,
                "{gap}=== {name}\n{}{scenario}---\n{message}",
                command.unwrap_or_default()
            )
            .expect("a text");
        }
        fs::write(&self.path, text).expect("messages can be kept");
    }
}

pub fn folder() -> PathBuf {
    // Of the program's tests, or of a package in one of their folders.
    let mut above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let found = above.find_map(|root| {
        let folder = root.join("tests/bad_scenarios");
        folder.is_dir().then_some(folder)
    });
    found.expect("the cases are there")
}

/// Every file of cases.
pub fn tables() -> Vec<Table> {
    let files = fs::read_dir(folder()).expect("the cases are there");
    let mut paths: Vec<PathBuf> = files.map(|entry| entry.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "txt"));
    paths.sort();
    paths.into_iter().map(Table::read).collect()
}

/// The case of that name.
pub fn case(name: &str) -> Case {
    let mut cases = tables().into_iter().flat_map(|table| table.cases);
    cases
        .find(|case| case.name == name)
        .unwrap_or_else(|| panic!("no case {name}"))
}

/// The lists of all words of a key, each with what stands for it.
pub fn lists() -> Vec<(String, String)> {
    let schema = schema::scenario();
    let tables = schema["$defs"].as_object().expect("definitions");
    let mut lists = Vec::new();
    for (table, definition) in tables {
        for (key, value) in definition["properties"].as_object().into_iter().flatten() {
            let words = value.get("items").unwrap_or(value)["enum"].as_array();
            let words: Vec<&str> = words
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            // Two words are no list that grows.
            if words.len() > 2 {
                lists.push((list(&words, "\""), format!("{{{table}.{key}}}")));
            }
        }
    }
    lists
}
