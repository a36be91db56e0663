//! The documents, their fenced blocks, and what stands above a block for whoever runs it.

use std::fs;
use std::path::{Path, PathBuf};

/// A fenced block.
pub struct Block {
    /// The number of its first line.
    pub line: usize,
    /// The language behind the fence; empty where there is none.
    pub language: String,
    /// Its lines.
    pub text: String,
    /// What comments of the form `<!-- name: value -->` right above it say.
    pub directives: Vec<(String, String)>,
}

impl Block {
    /// The values of the directives `name`.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let named = self
            .directives
            .iter()
            .filter(move |(known, _)| known == name);
        named.map(|(_, value)| value.as_str())
    }

    /// The value of the directive `name`.
    pub fn directive(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }
}

/// A document of the repository.
pub struct Document {
    /// From the repository's root.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
}

/// The repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// README.md and every Markdown file under docs/, in order.
pub fn documents() -> Vec<Document> {
    let mut paths = vec![PathBuf::from("README.md")];
    let mut folders = vec![PathBuf::from("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).expect("a folder") {
            let entry = entry.expect("an entry");
            let path = folder.join(entry.file_name());
            if entry.path().is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let document = |path: PathBuf| Document {
        text: fs::read_to_string(root().join(&path)).expect("text"),
        path,
    };
    paths.into_iter().map(document).collect()
}

/// The blocks of `text`.
pub fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    let mut directives = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        match &mut open {
            Some(_) if line.trim_end() == "```" => blocks.extend(open.take()),
            Some(block) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            None => {
                if let Some(language) = line.strip_prefix("```") {
                    open = Some(Block {
                        line: number + 1,
                        language: language.trim().to_owned(),
                        text: String::new(),
                        directives: std::mem::take(&mut directives),
                    });
                } else if let Some(directive) = directive(line) {
                    directives.push(directive);
                } else if !line.trim().is_empty() {
                    directives.clear();
                }
            }
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

/// `<!-- name: value -->`
fn directive(line: &str) -> Option<(String, String)> {
    let inside = line.trim().strip_prefix("<!--")?.strip_suffix("-->")?;
    let (name, value) = inside.split_once(':')?;
    Some((name.trim().to_owned(), value.trim().to_owned()))
}
