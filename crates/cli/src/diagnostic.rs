//! What is wrong with a scenario, shown in its file: the source line with the place underlined.

use crate::stderr::shown;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use flitsim_scenario::ScenarioError;
use flitsim_scenario::error::{Fault, Place};

/// `error` as a user reads it: of each fault message, place, source line and help, and how many there
/// are where there are several; in colour where `coloured`.
pub fn render(error: &ScenarioError, coloured: bool) -> String {
    let told = error.told().iter();
    let mut all: Vec<String> = told
        .map(|told| render_one(error, &told.fault, coloured))
        .collect();
    if all.len() > 1 {
        all.push(format!("{} errors", all.len()));
    }
    all.join("\n\n")
}

fn render_one(error: &ScenarioError, fault: &Fault, coloured: bool) -> String {
    let path = error.path().display().to_string();
    let mut group = Group::with_title(Level::ERROR.primary_title(shown(fault.message())));
    if let Some(place) = fault.place() {
        let place = printable(error.text(), &place);
        let annotation = AnnotationKind::Primary
            .span(place)
            .label(shown(fault.beside()));
        let snippet = Snippet::source(error.text()).path(&path);
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

fn printable(text: &str, place: &Place) -> Place {
    let floor = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = floor(place.start);
    let end = floor(place.end.max(start));
    let line = text[start..end].find('\n').unwrap_or(end - start);
    start..start + line
}

#[cfg(test)]
mod tests {
    use super::*;
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
    fn a_place_outside_the_text_or_inside_a_character_is_no_panic() {
        let backwards = std::ops::Range { start: 3, end: 1 };
        for place in [0..100, 50..60, 1..2, backwards] {
            let fault = Fault::new(Some(place), "wrong");
            let error = ScenarioError::new(Path::new("a.toml"), "é\nb", fault);
            assert!(render(&error, false).contains("wrong"));
        }
    }
}
