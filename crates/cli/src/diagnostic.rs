//! What is wrong with a scenario, shown in its file: the source line with the place underlined.

use crate::stderr::shown;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use flitsim_scenario::ScenarioError;
use flitsim_scenario::error::{Fault, Place};

/// How many faults are shown: more than anybody mends before looking again.
const SHOWN: usize = 100;

/// How many bytes of source lines are shown to the renderer, which reads each line whole.
const SOURCE_BYTES: usize = 1 << 20;

/// `error` as a user reads it: of each fault message, place, source line and help, and how many there
/// are where there are several; in colour where `coloured`.
pub fn render(error: &ScenarioError, coloured: bool) -> String {
    let told = error.told();
    let mut source_bytes = 0;
    let mut all = Vec::new();
    for told in told.iter().take(SHOWN) {
        if source_bytes > SOURCE_BYTES {
            break;
        }
        let line = told.fault.place().map(|at| Line::of(error.text(), &at));
        source_bytes += line.as_ref().map_or(0, |line| line.source.len());
        all.push(render_one(error, &told.fault, line, coloured));
    }
    if all.len() < told.len() {
        all.push(format!(
            "{} errors; the first {} are shown",
            told.len(),
            all.len()
        ));
    } else if all.len() > 1 {
        all.push(format!("{} errors", all.len()));
    }
    all.join("\n\n")
}

fn render_one(
    error: &ScenarioError,
    fault: &Fault,
    line: Option<Line<'_>>,
    coloured: bool,
) -> String {
    let path = error.path().display().to_string();
    let mut group = Group::with_title(Level::ERROR.primary_title(shown(fault.message())));
    if let Some(line) = line {
        let annotation = AnnotationKind::Primary
            .span(line.place)
            .label(shown(fault.beside()));
        let snippet = Snippet::source(line.source)
            .line_start(line.number)
            .path(&path);
        group = group.element(snippet.annotation(annotation));
    } else if !fault.message().contains(&path) {
        group = group.element(Origin::path(&path));
    }
    let notes = fault
        .notes()
        .iter()
        .map(|note| Level::NOTE.message(shown(note)));
    let help = fault
        .remedy()
        .into_iter()
        .map(|help| Level::HELP.message(shown(help)));
    let report = [group.elements(notes).elements(help)];
    let renderer = if coloured {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    renderer.render(&report).to_string()
}

/// The line on which a place begins.
struct Line<'t> {
    source: &'t str,
    /// From 1.
    number: usize,
    /// The part of the place that is in it.
    place: Place,
}

impl<'t> Line<'t> {
    fn of(text: &'t str, place: &Place) -> Self {
        let floor = |at: usize| (0..=at.min(text.len())).rfind(|&at| text.is_char_boundary(at));
        let start = floor(place.start).unwrap_or(0);
        let end = floor(place.end.max(start)).unwrap_or(start);
        let mark = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let begin = text[..start]
            .rfind('\n')
            .map_or(mark, |newline| newline + 1);
        let from = begin.min(start);
        let source = text[from..].lines().next().unwrap_or_default();
        let before = text.as_bytes()[..from].iter();
        Self {
            source,
            number: 1 + before.filter(|&&byte| byte == b'\n').count(),
            place: (start - from).min(source.len())..(end - from).min(source.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitsim_scenario::error::Told;
    use std::path::Path;

    #[test]
    fn a_report_names_file_line_and_column_and_underlines() {
        let text = "title = \"x\"\n[router]\nbufer_flits = 8\n";
        let fault = Fault::new(Some(21..32), "unknown key `bufer_flits`")
            .label("not a key of `[router]`")
            .help("did you mean `buffer_flits`?");
        let report = render(&ScenarioError::new(Path::new("a.toml"), text, fault), false);
        for part in [
            "a.toml:3:1",
            "^^^^^^^^^^^ not a key of `[router]`",
            "help: did you mean `buffer_flits`?",
        ] {
            assert!(report.contains(part), "{report}");
        }
    }

    #[test]
    fn a_line_that_ends_as_on_windows_is_shown_without_its_end() {
        let text = "title = \"x\"\r\nbufer = 8\r\n";
        let error =
            ScenarioError::new(Path::new("a.toml"), text, Fault::new(Some(13..23), "wrong"));
        let report = render(&error, false);
        assert!(report.contains("a.toml:2:1"), "{report}");
        assert!(
            report.lines().any(|line| line == "2 | bufer = 8"),
            "{report}"
        );
    }

    #[test]
    fn of_very_many_faults_the_first_are_shown_and_all_are_counted() {
        let report = |text: &str| {
            let faults = (0..9_000).map(|at| Told::of_file(Fault::new(Some(at..at + 1), "wrong")));
            let error = ScenarioError::of_all(Path::new("a.toml"), text, faults.collect());
            render(&error, false)
        };
        let lines = report(&"n;\n".repeat(9_000));
        assert_eq!(lines.matches("error: wrong").count(), SHOWN);
        assert!(
            lines.ends_with("9000 errors; the first 100 are shown"),
            "{lines}"
        );
        // A line as long as a file may be is read a few times only.
        let long = report(&"n;".repeat(SOURCE_BYTES / 4));
        assert_eq!(long.matches("error: wrong").count(), 3);
    }

    #[test]
    fn a_place_outside_the_text_or_inside_a_character_is_no_panic() {
        let backwards = std::ops::Range { start: 3, end: 1 };
        for place in [0..100, 50..60, 1..2, backwards] {
            let fault = Fault::new(Some(place), "wrong");
            let error = ScenarioError::new(Path::new("a.toml"), "é\nb", fault);
            assert!(render(&error, false).contains("wrong"));
        }
    }
}
