//! A writer of SVG: elements, attributes, text, and nothing that could be left unescaped.
//!
//! Invariant: the text is well-formed XML whatever names and titles contain; coordinates have at
//! most two decimals, so that the same chart has the same bytes everywhere.

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

/// A coordinate: two decimals at most, without trailing zeros. What is not finite becomes 0, for
/// one bad number must not spoil a drawing.
pub fn coordinate(value: f64) -> String {
    if !value.is_finite() {
        return "0".to_owned();
    }
    let hundredths = (value * 100.0).round();
    // Dividing an integer by 100 gives the decimal nearest to it, which prints shortest.
    format!("{}", hundredths / 100.0 + 0.0)
}

/// The start tag of an element.
#[derive(Debug)]
pub struct Element {
    name: &'static str,
    tag: String,
}

impl Element {
    /// An element without attributes.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            tag: format!("<{name}"),
        }
    }

    /// With the attribute `name`.
    #[must_use]
    pub fn set(mut self, name: &str, value: &str) -> Self {
        let _ = write!(self.tag, " {name}=\"{}\"", escape(value));
        self
    }

    /// With the attribute `name`, a coordinate or a length.
    #[must_use]
    pub fn number(self, name: &str, value: f64) -> Self {
        self.set(name, &coordinate(value))
    }
}

/// A document that grows element by element.
#[derive(Debug, Default)]
pub struct Svg {
    text: String,
    open: Vec<&'static str>,
}

impl Svg {
    /// Starts `element`; what follows is inside it until [`Svg::close`].
    pub fn open(&mut self, element: Element) {
        self.text.push_str(&element.tag);
        self.text.push_str(">\n");
        self.open.push(element.name);
    }

    /// Ends the innermost element that is open.
    ///
    /// # Panics
    /// If none is open.
    pub fn close(&mut self) {
        let name = self.open.pop().expect("an element is open");
        let _ = writeln!(self.text, "</{name}>");
    }

    /// An element without content.
    pub fn add(&mut self, element: Element) {
        self.text.push_str(&element.tag);
        self.text.push_str("/>\n");
    }

    /// An element that holds `text`.
    pub fn add_text(&mut self, element: Element, text: &str) {
        let _ = writeln!(
            self.text,
            "{}>{}</{}>",
            element.tag,
            escape(text),
            element.name
        );
    }

    /// An element that shows `tooltip` where the pointer rests on it.
    pub fn add_with_tooltip(&mut self, element: Element, tooltip: &str) {
        let _ = writeln!(
            self.text,
            "{}><title>{}</title></{}>",
            element.tag,
            escape(tooltip),
            element.name
        );
    }

    /// The document.
    ///
    /// # Panics
    /// If an element is still open.
    pub fn finish(self) -> String {
        assert!(self.open.is_empty(), "still open: {:?}", self.open);
        self.text
    }
}

/// The data of a path, command by command.
#[derive(Debug, Default)]
pub struct Path(String);

impl Path {
    /// Moves the pen.
    pub fn move_to(&mut self, x: f64, y: f64) {
        self.push('M', &[x, y]);
    }

    /// Draws a straight line.
    pub fn line_to(&mut self, x: f64, y: f64) {
        self.push('L', &[x, y]);
    }

    /// Draws a cubic Bézier curve.
    pub fn curve_to(&mut self, first: (f64, f64), second: (f64, f64), end: (f64, f64)) {
        self.push('C', &[first.0, first.1, second.0, second.1, end.0, end.1]);
    }

    /// Back to where the last move went.
    pub fn close(&mut self) {
        self.0.push('Z');
    }

    /// The attribute `d`.
    pub fn data(&self) -> &str {
        &self.0
    }

    fn push(&mut self, command: char, numbers: &[f64]) {
        self.0.push(command);
        for (i, &number) in numbers.iter().enumerate() {
            if i > 0 {
                self.0.push(' ');
            }
            self.0.push_str(&coordinate(number));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_gets_through_unescaped() {
        let mut svg = Svg::default();
        svg.open(Element::new("g").set("id", "\"><script>"));
        svg.add_text(Element::new("text"), "a < b && c > \u{0}'d'");
        svg.close();
        assert_eq!(
            svg.finish(),
            "<g id=\"&quot;&gt;&lt;script&gt;\">\n\
             <text>a &lt; b &amp;&amp; c &gt; &#39;d&#39;</text>\n</g>\n"
        );
    }

    #[test]
    fn coordinates_are_short() {
        for (value, text) in [
            (1.0, "1"),
            (0.1 + 0.2, "0.3"),
            (12.3456, "12.35"),
            (-0.001, "0"),
            (f64::NAN, "0"),
        ] {
            assert_eq!(coordinate(value), text);
        }
    }
}
