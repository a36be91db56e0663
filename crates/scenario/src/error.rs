//! Everything that is wrong with a scenario, where in the file, and what would be right.
//!
//! Readers and checks return [`Fault`]s, which know a place in the text but not the file;
//! [`ScenarioError`] adds the file. Displayed it is text without the source lines; the program underlines
//! the places.

pub use flitsim_keys::{Fault, Place, list, nearest};

use std::fmt;
use std::path::{Path, PathBuf};

/// A fault of a scenario, and the series that have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// What is wrong.
    pub fault: Fault,
    /// Which of the file's series have it, from 0, where it is theirs.
    pub series: Vec<usize>,
}

impl Told {
    /// A fault of the file as a whole.
    pub const fn of_file(fault: Fault) -> Self {
        let series = Vec::new();
        Self { fault, series }
    }
}

/// A scenario that cannot be run, with everything that is wrong with it, in the order of the file.
/// Displayed: of each fault its place, message, notes and help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError(Box<Located>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Located {
    path: PathBuf,
    text: String,
    told: Vec<Told>,
}

impl ScenarioError {
    /// `fault`, in the file `path` with the text `text`.
    pub fn new(path: &Path, text: &str, fault: Fault) -> Self {
        Self::of_all(path, text, vec![Told::of_file(fault)])
    }

    /// All that is wrong with the file, at least one thing.
    pub fn of_all(path: &Path, text: &str, mut told: Vec<Told>) -> Self {
        told.sort_by_key(|told| told.fault.place().map_or(usize::MAX, |place| place.start));
        Self(Box::new(Located {
            path: path.to_owned(),
            text: text.to_owned(),
            told,
        }))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The text of the file.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// What is wrong, in the order of the file.
    pub fn told(&self) -> &[Told] {
        &self.0.told
    }

    /// What is wrong, a sentence for each fault.
    pub fn message(&self) -> String {
        let messages = self.0.told.iter().map(|told| told.fault.message());
        messages.collect::<Vec<_>>().join("; ")
    }

    /// The same with one more line that explains the fault number `at`.
    #[must_use]
    pub fn note(mut self, at: usize, note: impl Into<String>) -> Self {
        if let Some(told) = self.0.told.get_mut(at) {
            told.fault = told.fault.clone().note(note);
        }
        self
    }

    /// Whether the scenario is well-formed, and its routing does not hold on its networks.
    pub fn is_about_routing(&self) -> bool {
        let mut told = self.0.told.iter();
        told.all(|told| told.fault.is_about_routing())
    }

    /// The line and the column of `place`, both from 1.
    pub fn line_and_column(&self, place: &Place) -> (usize, usize) {
        let text = &self.0.text;
        let mut at = place.start.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let before = &text[..at];
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = before.matches('\n').count() + 1;
        // A byte order mark is no column.
        let before = before[line_start..].trim_start_matches('\u{feff}');
        (line, before.chars().count() + 1)
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path().display().to_string();
        for (at, Told { fault, .. }) in self.told().iter().enumerate() {
            if at > 0 {
                writeln!(f)?;
            }
            match fault.place() {
                Some(place) => {
                    let (line, column) = self.line_and_column(&place);
                    write!(f, "{path}:{line}:{column}: ")?;
                }
                None if !fault.message().contains(&path) => write!(f, "{path}: ")?,
                None => {}
            }
            f.write_str(fault.message())?;
            if !fault.beside().is_empty() {
                write!(f, " ({})", fault.beside())?;
            }
            for note in fault.notes() {
                write!(f, "\nnote: {note}")?;
            }
            if let Some(help) = fault.remedy() {
                write!(f, "\nhelp: {help}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for ScenarioError {}
