//! Text that is XML: elements with attributes, numbers with at most two decimals, nothing that
//! could be left unescaped.

use super::{Path, Piece, Point};
use std::fmt::Write;

/// `text` with the characters that mean something in XML and HTML, quotes included, replaced, and
/// those that XML forbids left out.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\t' | '\n' | '\r' => escaped.push(c),
            '\u{fffe}' | '\u{ffff}' => {}
            c if c.is_control() => {}
            c => escaped.push(c),
        }
    }
    escaped
}

/// A number with at most two decimals; what is not finite becomes 0.
pub fn number(value: f64) -> String {
    if !value.is_finite() {
        return "0".to_owned();
    }
    // An integer divided by 100 prints shortest; adding 0 makes -0 a 0.
    format!("{}", (value * 100.0).round() / 100.0 + 0.0)
}

/// An element with its attributes, not closed yet.
#[derive(Debug)]
pub struct Element {
    name: &'static str,
    tag: String,
}

impl Element {
    /// One without attributes.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            tag: format!("<{name}"),
        }
    }

    /// With the attribute `name`.
    #[must_use]
    pub fn set(mut self, name: &str, value: &str) -> Self {
        // Writing to a string cannot fail.
        let _ = write!(self.tag, " {name}=\"{}\"", escape(value));
        self
    }

    /// With the attribute `name`, whose value needs no escape.
    #[must_use]
    pub fn verbatim(mut self, name: &str, value: &'static str) -> Self {
        let _ = write!(self.tag, " {name}=\"{value}\"");
        self
    }

    /// With the attribute `name`, a coordinate or a length.
    #[must_use]
    pub fn number(self, name: &str, value: f64) -> Self {
        self.set(name, &number(value))
    }

    /// What it is called.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The start tag; what follows is inside, until the end tag.
    pub fn open(self) -> String {
        format!("{}>\n", self.tag)
    }

    /// The whole element, empty.
    pub fn empty(self) -> String {
        format!("{}/>\n", self.tag)
    }

    /// The whole element with text in it.
    pub fn text(self, text: &str) -> String {
        format!("{}>{}</{}>\n", self.tag, escape(text), self.name)
    }

    /// The whole element, which shows `tooltip` where the pointer rests on it.
    pub fn tooltip(self, tooltip: &str) -> String {
        let title = escape(tooltip);
        format!("{}><title>{title}</title></{}>\n", self.tag, self.name)
    }
}

/// Appends `path` to the data of a `path` element.
pub fn push_path(data: &mut String, path: &Path) {
    push_points(data, 'M', &[path.start]);
    for piece in &path.pieces {
        match piece {
            Piece::Line(end) => push_points(data, 'L', &[*end]),
            Piece::Curve(points) => push_points(data, 'C', points),
        }
    }
}

/// Appends a polygon to the data of a `path` element.
pub fn push_polygon(data: &mut String, points: &[Point]) {
    for (i, &point) in points.iter().enumerate() {
        push_points(data, if i == 0 { 'M' } else { 'L' }, &[point]);
    }
    data.push('Z');
}

fn push_points(data: &mut String, command: char, points: &[Point]) {
    data.push(command);
    for (i, point) in points.iter().enumerate() {
        if i > 0 {
            data.push(' ');
        }
        let _ = write!(data, "{} {}", number(point.x), number(point.y));
    }
}
