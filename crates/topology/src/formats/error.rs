//! Where a file is wrong, and how.
//!
//! Parsers work with byte offsets; lines and columns are counted only once something is wrong.

use flitsim_keys::TextFile;
use std::fmt;
use std::path::Path;

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, as the caller named it.
    pub file: String,
    /// The line, from 1; 0 where the file as a whole is meant.
    pub line: u32,
    /// The column in characters, from 1; 0 where the file as a whole is meant.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => self.file.fmt(f),
            _ => write!(f, "{}:{}:{}", self.file, self.line, self.column),
        }
    }
}

/// A file that describes no network, or not the one meant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct FileError {
    /// Where it is wrong.
    pub place: Place,
    /// What is wrong there, and what would be right.
    pub problem: Problem,
}

/// An error that can be several.
pub trait Several: Sized {
    /// All of `faults`, two or more, in the order of their rows.
    fn several(faults: Vec<Self>) -> Self;

    /// A line for each of `faults`.
    fn lines(faults: &[Self]) -> String
    where
        Self: fmt::Display,
    {
        let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
        lines.join("\n")
    }
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file could not be read at all.
    #[error("cannot be read: {reason}")]
    Unreadable {
        /// What the system said.
        reason: String,
    },
    /// A byte that is not UTF-8 text.
    #[error("not UTF-8 text from here on")]
    NotText,
    /// A GraphML document, for a program that was built without a reader of them.
    #[error("GraphML is not built in; build with the feature `graphml`, or give a channel list")]
    NoGraphml,
    /// More text than offsets reach.
    #[error("the file has {bytes} bytes; the limit is {limit}")]
    TooLong {
        /// Its length.
        bytes: u64,
        /// The longest that is read.
        limit: u64,
    },
    /// Nothing but blank lines and comments.
    #[error("the file is empty; expected {expected}")]
    Empty {
        /// What it should begin with.
        expected: &'static str,
    },
    /// The first line is not the header of a table.
    #[error("a table begins with its header; expected {expected}")]
    Header {
        /// The headers that are known.
        expected: &'static str,
    },
    /// A table that the file, or the files, hold twice.
    #[error("a second {table}: there is one already")]
    SecondTable {
        /// The table's name.
        table: &'static str,
    },
    /// A table that is needed, and not there.
    #[error("there is no {table}; expected {expected}")]
    NoTable {
        /// The table's name.
        table: &'static str,
        /// Its header.
        expected: &'static str,
    },
    /// A column that no table of this kind has.
    #[error(
        "the {table} has no column `{column}`{}; its columns are {known}",
        did_you_mean(nearest)
    )]
    UnknownColumn {
        /// The table's name.
        table: &'static str,
        /// What the header says.
        column: String,
        /// The nearest column that is known.
        nearest: Option<String>,
        /// All that are known.
        known: String,
    },
    /// A column that the header names twice.
    #[error("column `{column}` stands twice in the header")]
    RepeatedColumn {
        /// The column.
        column: &'static str,
    },
    /// A column that a table cannot do without.
    #[error("the {table} needs a column `{column}`")]
    MissingColumn {
        /// The table's name.
        table: &'static str,
        /// The column.
        column: &'static str,
    },
    /// A row that is shorter or longer than its header.
    #[error("this row has {cells} cells; the header has {columns}")]
    CellCount {
        /// Cells of the row.
        cells: usize,
        /// Columns of the header.
        columns: usize,
    },
    /// A quotation that does not end on its line, or a cell that goes on behind it.
    #[error(
        "a quoted cell ends with `\"` before the next comma or the end of the line; a quote in it \
         is written twice"
    )]
    Quotation,
    /// A value that is not what its column holds.
    #[error(
        "`{text}` is no {column}: expected {expected}{}",
        did_you_mean(nearest)
    )]
    Value {
        /// The column.
        column: &'static str,
        /// What is there.
        text: String,
        /// What it should be.
        expected: &'static str,
        /// The nearest word that is known, where words are expected.
        nearest: Option<String>,
    },
    /// A value that others of its column have.
    #[error("`{column}` is missing here, and given elsewhere: give it everywhere, or nowhere")]
    MissingValue {
        /// The column.
        column: &'static str,
    },
    /// A name that cannot be written in every format.
    #[error("`{name}` cannot name a node: a name is not empty and has no control characters")]
    Name {
        /// The name, control characters escaped.
        name: String,
    },
    /// A node that stands twice in the list of nodes.
    #[error("node `{name}` stands here again; it is in line {first_line} already")]
    RepeatedNode {
        /// The node.
        name: String,
        /// Where it stands first.
        first_line: u32,
    },
    /// A name that is not in the list of nodes.
    #[error("there is no node `{name}`{}", did_you_mean(nearest))]
    UnknownNode {
        /// The name.
        name: String,
        /// The nearest node there is.
        nearest: Option<String>,
    },
    /// A channel from a node to itself.
    #[error("a channel from `{name}` to itself: a channel joins two different nodes")]
    SelfLoop {
        /// The node.
        name: String,
    },
    /// Two channels that nothing tells apart.
    #[error(
        "the channel from `{from}` to `{to}` stands here again; it is in line {first_line} \
         already (parallel channels need different numbers in a column `parallel`)"
    )]
    RepeatedChannel {
        /// The node that it leaves.
        from: String,
        /// The node that it enters.
        to: String,
        /// Where it stands first.
        first_line: u32,
    },
    /// A terminal that nothing can leave.
    #[error("no channel leaves terminal `{name}`: each terminal needs one out and one in")]
    NoChannelOut {
        /// The terminal.
        name: String,
    },
    /// A terminal that nothing can reach.
    #[error("no channel enters terminal `{name}`: each terminal needs one out and one in")]
    NoChannelIn {
        /// The terminal.
        name: String,
    },
    /// Two nodes that no path joins.
    #[error("no path leads from `{from}` to `{to}`: every node must reach every other")]
    NoPath {
        /// Where it would begin.
        from: String,
        /// Where it would end.
        to: String,
    },
    /// No channels at all.
    #[error("there is no channel; a network has two or more")]
    NoChannels,
    /// No node with a terminal.
    #[error("there is no terminal: all {switches} nodes are switches")]
    NoTerminals {
        /// Nodes there are.
        switches: usize,
    },
    /// More channels than can be simulated.
    #[error("more than {limit} channels")]
    TooManyChannels {
        /// The most that are accepted.
        limit: usize,
    },
    /// Text that is not well-formed XML.
    #[error("{reason}")]
    Xml {
        /// What the XML parser said.
        reason: String,
    },
    /// An element where GraphML wants another, or that a network does not have.
    #[error("element `{element}`: {expected}")]
    Element {
        /// The element's name.
        element: String,
        /// What would be right.
        expected: &'static str,
    },
    /// An attribute that an element cannot do without.
    #[error("element `{element}` needs an attribute `{attribute}`")]
    MissingAttribute {
        /// The element's name.
        element: &'static str,
        /// The attribute's name.
        attribute: &'static str,
    },
    /// More than one row is wrong.
    #[error("{first}\n{}", Several::lines(others))]
    Several {
        /// What is wrong with the first of them.
        first: Box<Problem>,
        /// The others, in the order of the file.
        others: Vec<FileError>,
    },
}

impl Several for FileError {
    fn several(mut faults: Vec<Self>) -> Self {
        let first = faults.remove(0);
        Self {
            place: first.place,
            problem: Problem::Several {
                first: Box::new(first.problem),
                others: faults,
            },
        }
    }
}

fn did_you_mean(nearest: &Option<String>) -> String {
    nearest
        .as_ref()
        .map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"))
}

/// The text of a file, and its name for messages.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The file's name.
    pub file: &'a str,
    /// What is in it.
    pub text: &'a str,
}

impl Source<'_> {
    /// Whether it is a GraphML document: its name ends in `.graphml` or `.xml`, or it begins as no table does.
    pub(crate) fn is_graphml(&self) -> bool {
        let ends = Path::new(self.file).extension().is_some_and(|extension| {
            extension.eq_ignore_ascii_case("graphml") || extension.eq_ignore_ascii_case("xml")
        });
        ends || self
            .text
            .trim_start_matches('\u{feff}')
            .trim_start()
            .starts_with('<')
    }
}

impl<'a> From<&'a TextFile> for Source<'a> {
    fn from(file: &'a TextFile) -> Self {
        Self {
            file: &file.name,
            text: &file.text,
        }
    }
}

impl Source<'_> {
    /// The place of the byte at `offset`.
    pub fn place(&self, offset: usize) -> Place {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Place {
            file: self.file.to_owned(),
            line: before.matches('\n').count() as u32 + 1,
            column: before[line_start..].chars().count() as u32 + 1,
        }
    }

    /// The file as a whole.
    pub fn place_of_all(&self) -> Place {
        Place {
            file: self.file.to_owned(),
            line: 0,
            column: 0,
        }
    }

    /// `problem` at the byte at `offset`.
    pub fn error(&self, offset: usize, problem: Problem) -> FileError {
        FileError {
            place: self.place(offset),
            problem,
        }
    }

    /// `problem` of the file as a whole.
    pub fn error_in_all(&self, problem: Problem) -> FileError {
        FileError {
            place: self.place_of_all(),
            problem,
        }
    }
}
