//! What is wrong with a scenario that was written, where its configuration says so.

use super::language::Settings;
use crate::error::{Fault, Place, ScenarioError, Told};
use std::path::Path;

/// The `error` of the scenario that the configuration `text` of the file `path` is with `overrides`: each fault at the
/// assignment that the fault's line comes from, and with that line.
#[must_use]
pub fn refused(
    error: &ScenarioError,
    path: &Path,
    text: &str,
    overrides: &[String],
) -> ScenarioError {
    let (settings, _) = Settings::read(text, overrides);
    let mut told: Vec<Told> = Vec::new();
    for Told { fault, .. } in error.told() {
        let line = fault.place().map(|place| Line::of(error.text(), &place));
        let place = line.as_ref().and_then(|line| line.assigned_in(&settings));
        let mut there = Fault::new(place, fault.message()).label(fault.beside());
        for note in fault.notes() {
            there = there.note(note);
        }
        let is_told = |told: &Told| {
            told.fault.place() == there.place()
                && told.fault.beside() == there.beside()
                && told.fault.remedy() == fault.remedy()
        };
        // Two keys of a scenario that come from one.
        if there.place().is_some() && told.iter().any(is_told) {
            continue;
        }
        if let Some(line) = line {
            there = there.note(format!("as a scenario: `{}`", line.text));
        }
        if let Some(help) = fault.remedy() {
            there = there.help(help);
        }
        told.push(Told::of_file(there));
    }
    ScenarioError::of_all(path, text, told)
}

/// A line of the scenario, and the comment that says where it comes from.
struct Line<'a> {
    text: &'a str,
    comment: &'a str,
}

impl<'a> Line<'a> {
    /// The line of `scenario` in which `place` begins.
    fn of(scenario: &'a str, place: &Place) -> Self {
        let start = scenario[..place.start].rfind('\n').map_or(0, |end| end + 1);
        let text = scenario[start..].lines().next().unwrap_or_default();
        // A text may have a `#`, as the name of a file; what is behind the last is a comment.
        let (_, comment) = text.rsplit_once(" # ").unwrap_or_default();
        Self { text, comment }
    }

    /// Where the first of the keys that its comment names is set, if the file sets one.
    fn assigned_in(&self, settings: &Settings) -> Option<Place> {
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut words = self.comment.split(|c| !is_of_name(c));
        words.find_map(|word| settings.place(word))
    }
}
