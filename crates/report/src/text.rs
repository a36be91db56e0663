//! How wide a text is, without a font: an upper bound for the sans-serif faces in use, so that
//! texts never touch whatever face the reader's machine picks.

/// The faces of every text, the commonest first.
pub const FONT_FAMILY: &str =
    "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', 'Noto Sans', sans-serif";

/// Width of `text` at `size` pixels, in pixels: that of DejaVu Sans, the widest of the faces.
pub fn width(text: &str, size: f64) -> f64 {
    text.chars().map(advance_em).sum::<f64>() * size
}

fn advance_em(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | 'I' | '\'' | '.' | ',' | ':' | ';' | '|' | ' ' | '!' => 0.35,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '-' | '"' => 0.42,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '—' | '…' => 1.0,
        'A'..='Z' | '+' | '=' | '<' | '>' | '~' | '#' | '±' | '×' | '≤' | '≥' => 0.8,
        '\u{0300}'..='\u{036f}' => 0.0,
        '\u{2e80}'.. => 1.05,
        _ => 0.64,
    }
}

/// `text` in at most `lines_most` lines of at most `width_most` pixels at `size`; what does not fit
/// ends in an ellipsis. Lines break at spaces where they can.
///
/// # Panics
/// If `lines_most` is 0.
pub fn wrap(text: &str, size: f64, width_most: f64, lines_most: usize) -> Vec<String> {
    assert!(lines_most > 0, "a text needs a line");
    let mut lines: Vec<String> = Vec::new();
    for piece in pieces(text, size, width_most) {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {piece}"), size) <= width_most => {
                line.push(' ');
                line.push_str(&piece);
            }
            _ => lines.push(piece),
        }
    }
    if lines.len() > lines_most {
        let rest = lines.split_off(lines_most - 1).join(" ");
        lines.push(shorten(&rest, size, width_most));
    }
    lines
}

/// As [`wrap`], but lines of about equal length where more than one is needed: for titles.
pub fn wrap_evenly(text: &str, size: f64, width_most: f64, lines_most: usize) -> Vec<String> {
    let mut lines = wrap(text, size, width_most, lines_most);
    for percent in (50..100).rev() {
        let narrower = width_most * f64::from(percent) / 100.0;
        // With a line to spare, a text that needs it is not cut but seen to be longer.
        let tried = wrap(text, size, narrower, lines_most + 1);
        if lines.len() < 2 || tried.len() != lines.len() {
            break;
        }
        lines = tried;
    }
    lines
}

/// What stays on one line: words, and what belongs together like `L = 150 bits`.
fn units(text: &str, size: f64, width_most: f64) -> Vec<String> {
    let is_number = |word: &str| {
        word.bytes()
            .all(|byte| byte.is_ascii_digit() || b".,".contains(&byte))
    };
    let mut units: Vec<String> = Vec::new();
    let mut last = "";
    for word in text.split_whitespace() {
        let belongs = word == "=" || last == "=" || (is_number(last) && !last.ends_with(','));
        match units.last_mut() {
            Some(unit) if belongs && width(&format!("{unit} {word}"), size) <= width_most => {
                unit.push(' ');
                unit.push_str(word);
            }
            _ => units.push(word.to_owned()),
        }
        last = word;
    }
    units
}

/// The units of `text`, those longer than a line in pieces.
fn pieces(text: &str, size: f64, width_most: f64) -> Vec<String> {
    let mut pieces = Vec::new();
    for unit in units(text, size, width_most) {
        let mut rest = unit.as_str();
        while !rest.is_empty() && width(rest, size) > width_most {
            let fits = fitting_chars(rest, size, width_most).max(1);
            let cut = rest.char_indices().nth(fits).map_or(rest.len(), |c| c.0);
            pieces.push(rest[..cut].to_owned());
            rest = &rest[cut..];
        }
        if !rest.is_empty() {
            pieces.push(rest.to_owned());
        }
    }
    pieces
}

fn fitting_chars(text: &str, size: f64, width_most: f64) -> usize {
    let mut used = 0.0;
    text.chars()
        .take_while(|&c| {
            used += advance_em(c) * size;
            used <= width_most
        })
        .count()
}

/// `text` with an ellipsis where it is wider than `width_most`.
fn shorten(text: &str, size: f64, width_most: f64) -> String {
    if width(text, size) <= width_most {
        return text.to_owned();
    }
    let fits = fitting_chars(text, size, width_most - width("…", size));
    let kept: String = text.chars().take(fits).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_and_say_where_they_were_cut() {
        let name = "a rather long name of a series that nobody would write but somebody will";
        let lines = wrap(name, 12.0, 160.0, 2);
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().all(|line| width(line, 12.0) <= 160.0));
        assert!(lines[1].ends_with('…'));
        assert_eq!(wrap("short", 12.0, 160.0, 2), ["short"]);
        assert!(wrap("", 12.0, 160.0, 2).is_empty());
    }

    #[test]
    fn a_title_breaks_into_even_lines_and_not_within_an_equation() {
        let title =
            "Latency against dimension at equal bisection width, linear wire delay, L = 150 bits";
        let even = [
            "Latency against dimension at equal bisection",
            "width, linear wire delay, L = 150 bits",
        ];
        assert_eq!(wrap_evenly(title, 16.0, 692.0, 2), even);
        assert_eq!(
            wrap_evenly("Mean distance", 16.0, 692.0, 2),
            ["Mean distance"]
        );
        let cut = wrap_evenly(title, 16.0, 200.0, 2);
        assert!(cut.len() == 2 && cut[1].ends_with('…'), "{cut:?}");
        assert_eq!(
            wrap("width, L = 150 bits", 12.0, 70.0, 3),
            ["width,", "L = 150", "bits"]
        );
    }

    #[test]
    fn a_word_longer_than_a_line_breaks() {
        let word = "x".repeat(100);
        let lines = wrap(&word, 12.0, 100.0, 3);
        assert_eq!(lines.len(), 3);
        assert!(lines.iter().all(|line| width(line, 12.0) <= 100.0));
        assert_eq!(wrap("é中", 12.0, 1.0, 5), ["é", "中"]);
        assert_eq!(wrap("ab", 12.0, -1.0, 5), ["a", "b"]);
    }
}
