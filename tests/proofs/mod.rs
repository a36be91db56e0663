//! Scenarios written for a test, and what the program makes of them.

#![allow(dead_code, reason = "each test uses a part")]

pub mod families;

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A series, as a test writes it.
pub struct Series {
    /// The keys of `[topology]`.
    pub topology: String,
    pub virtual_channels: u32,
    pub algorithm: String,
    /// More keys of `[routing]`.
    pub routing: String,
    /// More keys of `[router]`.
    pub router: String,
}

impl Series {
    /// `algorithm` may have more keys of `[routing]` behind its name and a comma.
    pub fn new(topology: &str, virtual_channels: u32, algorithm: &str) -> Self {
        let (algorithm, routing) = algorithm.split_once(", ").unwrap_or((algorithm, ""));
        Self {
            topology: topology.to_owned(),
            virtual_channels,
            algorithm: algorithm.to_owned(),
            routing: routing.to_owned(),
            router: String::new(),
        }
    }

    fn tables(&self, prefix: &str) -> String {
        let Self {
            topology,
            virtual_channels,
            algorithm,
            routing,
            router,
        } = self;
        format!(
            "[{prefix}topology]\n{topology}\n[{prefix}router]\nvirtual_channels = \
             {virtual_channels}\n{router}\n[{prefix}routing]\nalgorithm = '{algorithm}'\n{routing}\n"
        )
    }

    /// The scenario of this series alone.
    pub fn alone(&self) -> String {
        format!("{}[traffic]\npacket_flits = 4\n", self.tables(""))
    }
}

/// The table of the page `page` that begins with `head` is `table`, times apart; with `UPDATE` it becomes that.
pub fn keep_table(page: &str, head: &str, table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let text = fs::read_to_string(&path).expect("the page");
    let begin = text.find(head).expect("the table");
    let end = begin + text[begin..].find("\n\n").expect("an end") + 1;
    if std::env::var_os("UPDATE").is_some() {
        let written = format!("{}{table}{}", &text[..begin], &text[end..]);
        fs::write(&path, written).expect("the page is kept");
    } else {
        assert_eq!(without_times(&text[begin..end]), without_times(table));
    }
}

/// `table` with every ` in 1.2 ms` left out.
fn without_times(table: &str) -> String {
    let mut parts = table.split(" in ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| match part.split_once(" ms") {
        Some((_, rest)) => text + rest,
        None => format!("{text} in {part}"),
    })
}

/// What `verify` says of several series.
pub struct Proofs {
    pub exit_code: i32,
    pub each: Vec<Value>,
}

impl Proofs {
    pub fn of(series: impl IntoIterator<Item = Series>) -> Self {
        let mut text = "[traffic]\npacket_flits = 4\n".to_owned();
        let mut count = 0;
        for one in series {
            text += &format!("[[series]]\nname = 's{count}'\n{}", one.tables("series."));
            count += 1;
        }
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.toml"), text).unwrap();
        let output = flitsim(folder.path(), &["verify", "a.toml", "--format", "json"]);
        let message = String::from_utf8_lossy(&output.stderr);
        let each = match json_of(&output.stdout).unwrap_or_else(|| panic!("{message}")) {
            Value::Array(proofs) => proofs,
            proof => vec![proof],
        };
        assert_eq!(each.len(), count, "{message}");
        Self {
            exit_code: exit_code(&output),
            each,
        }
    }
}

pub fn flitsim(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flitsim"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .output()
        .expect("the program starts")
}

pub fn exit_code(output: &Output) -> i32 {
    output.status.code().expect("it ends by itself")
}

pub fn json_of(text: &[u8]) -> Option<Value> {
    serde_json::from_slice(text).ok()
}

pub fn strings(list: &Value) -> Vec<String> {
    let list = list.as_array().expect("a list");
    let texts = list.iter().map(|item| item.as_str().expect("a string"));
    texts.map(str::to_owned).collect()
}
