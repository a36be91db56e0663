//! A writer of SVG: elements, attributes, text, and nothing that could be left unescaped.
//!
//! Invariant: the text is well-formed XML whatever names and titles contain; coordinates have at
//! most two decimals, so that the same chart has the same bytes everywhere.

use flitsim_topology::draw::markup;
use std::fmt::Write;

pub use flitsim_topology::draw::markup::{Element, escape};

/// A document that grows element by element.
#[derive(Debug, Default)]
pub struct Svg {
    text: String,
    open: Vec<&'static str>,
}

impl Svg {
    /// Starts `element`; what follows is inside it until [`Svg::close`].
    pub fn open(&mut self, element: Element) {
        self.open.push(element.name());
        self.text += &element.open();
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
        self.text += &element.empty();
    }

    /// An element that holds `text`.
    pub fn add_text(&mut self, element: Element, text: &str) {
        self.text += &element.text(text);
    }

    /// An element that shows `tooltip` where the pointer rests on it.
    pub fn add_with_tooltip(&mut self, element: Element, tooltip: &str) {
        self.text += &element.tooltip(tooltip);
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
            self.0 += &markup::number(number);
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
}
