//! What is wrong with a scenario, where in the file, and what would be right.
//!
//! Readers and checks return a [`Fault`], which knows a place in the text but not the file;
//! [`ScenarioError`] adds the file. Displayed it is text without the source line; the program underlines
//! the place.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A range of bytes in the scenario's text.
pub type Place = Range<usize>;

/// Something wrong at a place in a text, not yet tied to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(Box<Parts>);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Parts {
    place: Option<Place>,
    message: String,
    label: String,
    notes: Vec<String>,
    help: Option<String>,
    is_about_routing: bool,
    series: Option<usize>,
}

impl Fault {
    /// `message` says what is wrong; `place` is what to underline, `None` where nothing in the
    /// file is at fault.
    pub fn new(place: Option<Place>, message: impl Into<String>) -> Self {
        Self(Box::new(Parts {
            place,
            message: message.into(),
            ..Parts::default()
        }))
    }

    /// The words beside the underlined place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.0.label = label.into();
        self
    }

    /// What would be right.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// A line that explains, printed before the help.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.0.notes.push(note.into());
        self
    }

    /// Says that the scenario is well-formed, and its routing does not hold on its network.
    #[must_use]
    pub fn about_routing(mut self) -> Self {
        self.0.is_about_routing = true;
        self
    }

    /// Says which of the file's series is at fault, from 0.
    #[must_use]
    pub fn in_series(mut self, index: usize) -> Self {
        self.0.series = Some(index);
        self
    }

    /// Whether the scenario is well-formed, and its routing does not hold on its network.
    pub fn is_about_routing(&self) -> bool {
        self.0.is_about_routing
    }

    /// What is wrong, in one sentence.
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

/// A scenario that cannot be run. Displayed: place, message, notes, help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError(Box<Located>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Located {
    path: PathBuf,
    text: String,
    parts: Parts,
}

impl ScenarioError {
    /// `fault`, in the file `path` with the text `text`.
    pub fn new(path: &Path, text: &str, fault: Fault) -> Self {
        Self(Box::new(Located {
            path: path.to_owned(),
            text: text.to_owned(),
            parts: *fault.0,
        }))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// What is underlined; `None` where nothing in the file is at fault.
    pub fn place(&self) -> Option<Place> {
        self.0.parts.place.clone()
    }

    /// What is wrong, in one sentence.
    pub fn message(&self) -> &str {
        &self.0.parts.message
    }

    /// The same with one more line that explains.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.0.parts.notes.push(note.into());
        self
    }

    /// Whether the scenario is well-formed, and its routing does not hold on its network.
    pub fn is_about_routing(&self) -> bool {
        self.0.parts.is_about_routing
    }

    /// Which of the file's series is at fault, from 0, where it is one's own.
    pub fn series(&self) -> Option<usize> {
        self.0.parts.series
    }

    /// What would be right.
    pub fn help(&self) -> Option<&str> {
        self.0.parts.help.as_deref()
    }

    /// The text of the file.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The words beside what is underlined.
    pub fn label(&self) -> &str {
        &self.0.parts.label
    }

    /// Lines that explain, before the help.
    pub fn notes(&self) -> &[String] {
        &self.0.parts.notes
    }

    /// The line and the column of its place, both from 1.
    pub fn line_and_column(&self) -> Option<(usize, usize)> {
        let text = &self.0.text;
        let mut at = self.place()?.start.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let before = &text[..at];
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = before.matches('\n').count() + 1;
        Some((line, before[line_start..].chars().count() + 1))
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Located { path, parts, .. } = &*self.0;
        let path = path.display().to_string();
        match self.line_and_column() {
            Some((line, column)) => write!(f, "{path}:{line}:{column}: ")?,
            None if !parts.message.contains(&path) => write!(f, "{path}: ")?,
            None => {}
        }
        f.write_str(&parts.message)?;
        if !parts.label.is_empty() {
            write!(f, " ({})", parts.label)?;
        }
        for note in &parts.notes {
            write!(f, "\nnote: {note}")?;
        }
        match &parts.help {
            Some(help) => write!(f, "\nhelp: {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ScenarioError {}

/// The known word nearest to `word`, if any is near enough to be meant: alike as a whole, and either the
/// beginning of the other or at most a third of its letters from it.
pub fn nearest<'w>(word: &str, known: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let plain = |s: &str| s.to_lowercase().replace(['_', ' '], "-");
    let word = plain(word);
    let is_meant = |candidate: &str| {
        let begins = word.starts_with(candidate) || candidate.starts_with(&word);
        let letters = word.chars().count().max(candidate.chars().count());
        (begins && word.len() >= 3) || 3 * strsim::osa_distance(&word, candidate) <= letters
    };
    known
        .into_iter()
        .filter(|candidate| is_meant(&plain(candidate)))
        .map(|candidate| (strsim::jaro_winkler(&word, &plain(candidate)), candidate))
        .filter(|(likeness, _)| *likeness >= 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// The words, each in `quote`s, as a list in a sentence.
pub fn list(words: &[&str], quote: &str) -> String {
    let quoted: Vec<String> = words
        .iter()
        .map(|word| format!("{quote}{word}{quote}"))
        .collect();
    match quoted.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_found_and_a_far_one_is_not() {
        let known = ["buffer_flits", "delay", "virtual_channels"];
        assert_eq!(nearest("bufer_flits", known), Some("buffer_flits"));
        assert_eq!(nearest("Virtual-Channels", known), Some("virtual_channels"));
        assert_eq!(nearest("packet", known), None);
        // They share letters, and neither is meant by the other.
        let known = ["loop", "nodes", "load", "steps", "fraction"];
        for far in ["drop", "file", "lead-in", "stop", "fractal-dimension"] {
            assert_eq!(nearest(far, known), None, "{far}");
        }
        for (near, meant) in [("frac", "fraction"), ("node", "nodes"), ("setps", "steps")] {
            assert_eq!(nearest(near, known), Some(meant));
        }
    }

    #[test]
    fn a_report_names_file_line_and_column() {
        let text = "title = \"x\"\n[router]\nbufer_flits = 8\n";
        let fault = Fault::new(Some(21..32), "unknown key `bufer_flits`")
            .label("not a key of `[router]`")
            .help("did you mean `buffer_flits`?");
        let report = ScenarioError::new(Path::new("a.toml"), text, fault).to_string();
        assert!(report.contains("a.toml:3:1"), "{report}");
        assert!(report.contains("(not a key of `[router]`)"), "{report}");
        assert!(
            report.contains("help: did you mean `buffer_flits`?"),
            "{report}"
        );
    }

    #[test]
    fn a_place_outside_the_text_or_inside_a_character_is_no_panic() {
        let backwards = std::ops::Range { start: 3, end: 1 };
        for place in [0..100, 50..60, 1..2, backwards] {
            let error = ScenarioError::new(Path::new("a.toml"), "é\nb", {
                Fault::new(Some(place), "wrong")
            });
            assert!(error.to_string().contains("wrong"));
        }
    }
}
