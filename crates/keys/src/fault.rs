//! What is wrong with a value, and what would be right.

use crate::place::Place;
use std::fmt;

/// The label of a number that no scenario can have there, whatever else it says.
pub const OUT_OF_RANGE: &str = "out of range";

/// Something wrong with what a scenario says, not tied to a file.
///
/// It names the key at fault, what is wrong, and what would be right; whoever knows the text underlines
/// the [`place`](Self::place) in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fault(Box<Parts>);

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Parts {
    key: Option<&'static str>,
    place: Option<Place>,
    message: String,
    label: String,
    notes: Vec<String>,
    help: Option<String>,
    is_about_routing: bool,
}

impl Fault {
    /// `message` says what is wrong, in one sentence; `place` is what to underline, `None` where
    /// nothing in a text is at fault.
    pub fn new(place: Option<Place>, message: impl Into<String>) -> Self {
        Self(Box::new(Parts {
            place,
            message: message.into(),
            ..Parts::default()
        }))
    }

    /// The key at fault.
    #[must_use]
    pub fn of_key(mut self, key: &'static str) -> Self {
        self.0.key = Some(key);
        self
    }

    /// What to underline, where it is not known better.
    #[must_use]
    pub fn or_at(mut self, place: Option<Place>) -> Self {
        self.0.place = self.0.place.or(place);
        self
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

    /// A line that explains, before the help.
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

    /// The key at fault, where one is.
    pub fn key(&self) -> Option<&'static str> {
        self.0.key
    }

    /// What to underline.
    pub fn place(&self) -> Option<Place> {
        self.0.place.clone()
    }

    /// What is wrong, in one sentence.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The words beside the underlined place; empty where there are none.
    pub fn beside(&self) -> &str {
        &self.0.label
    }

    /// Lines that explain.
    pub fn notes(&self) -> &[String] {
        &self.0.notes
    }

    /// What would be right.
    pub fn remedy(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// Whether the scenario is well-formed, and its routing does not hold on its network.
    pub fn is_about_routing(&self) -> bool {
        self.0.is_about_routing
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        for note in &self.0.notes {
            write!(f, "; {note}")?;
        }
        match &self.0.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Fault {}

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
