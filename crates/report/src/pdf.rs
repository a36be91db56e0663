//! Charts as PDF, for papers: one page of lines and areas, texts as the outlines of their glyphs.

use crate::scene::{Colour, PictureError, Scene, Shape, Stroke};
use flitsim_topology::draw::markup::number;
use std::collections::BTreeSet;
use std::fmt::Write;
use tiny_skia::{LineJoin, Path, PathSegment, Point};

/// Points, of which there are 72 in an inch, in a pixel, of which there are 96.
const POINTS: f32 = 0.75;

/// `svg`, one of our charts, as PDF.
///
/// # Errors
/// [`PictureError`].
pub fn pdf(svg: &str) -> Result<Vec<u8>, PictureError> {
    let scene = Scene::read(svg)?;
    let (width, height) = (POINTS * scene.width, POINTS * scene.height);
    let mut page = Page::default();
    // Upwards, as a page has it.
    let _ = writeln!(page.content, "{POINTS} 0 0 -{POINTS} 0 {height} cm");
    scene.shapes.iter().for_each(|shape| page.shape(shape));
    let Page { content, percents } = page;
    let mut states = String::new();
    for percent in percents {
        let opacity = f32::from(percent) / 100.0;
        let _ = write!(states, "/A{percent} <</ca {opacity} /CA {opacity}>> ");
    }
    Ok(file(&[
        "<</Type /Catalog /Pages 2 0 R>>".to_owned(),
        "<</Type /Pages /Kids [3 0 R] /Count 1>>".to_owned(),
        format!(
            "<</Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents 4 0 R \
             /Resources <</ExtGState <<{states}>>>>>>"
        ),
        format!("<</Length {}>>\nstream\n{content}endstream", content.len()),
    ]))
}

/// A file of `objects`, the first of which is the catalog.
fn file(objects: &[String]) -> Vec<u8> {
    let mut text = "%PDF-1.4\n".to_owned();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (number, object) in (1..).zip(objects) {
        let _ = writeln!(table, "{:010} 00000 n ", text.len());
        let _ = write!(text, "{number} 0 obj\n{object}\nendobj\n");
    }
    let (size, start) = (objects.len() + 1, text.len());
    let _ = write!(
        text,
        "{table}trailer\n<</Size {size} /Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n"
    );
    text.into_bytes()
}

/// What is drawn.
#[derive(Default)]
struct Page {
    content: String,
    /// The opacities used.
    percents: BTreeSet<u8>,
}

impl Page {
    fn shape(&mut self, shape: &Shape) {
        if let Some(area) = shape.clip {
            self.content += "q ";
            self.numbers(&[area.x(), area.y(), area.width(), area.height()]);
            self.content += "re W n\n";
        }
        if let Some(colour) = shape.fill {
            self.colour(colour, "rg");
            self.path(&shape.path);
            self.content += "f\n";
        }
        if let Some(stroke) = &shape.stroke {
            self.colour(stroke.colour, "RG");
            self.line(stroke);
            self.path(&shape.path);
            self.content += "S\n";
        }
        if shape.clip.is_some() {
            self.content += "Q\n";
        }
    }

    fn colour(&mut self, colour: Colour, operator: &str) {
        let percent = (100.0 * colour.opacity).round() as u8;
        self.percents.insert(percent);
        let [red, green, blue] = colour.rgb.map(|part| f32::from(part) / 255.0);
        let _ = writeln!(
            self.content,
            "/A{percent} gs {red} {green} {blue} {operator}"
        );
    }

    fn line(&mut self, stroke: &Stroke) {
        let join = u8::from(stroke.join == LineJoin::Round);
        self.numbers(&[stroke.width]);
        let _ = write!(self.content, "w 0 J {join} j [ ");
        self.numbers(&stroke.dashes);
        self.content += "] 0 d\n";
    }

    fn path(&mut self, path: &Path) {
        let mut last = Point::zero();
        for segment in path.segments() {
            let (to, operator) = match segment {
                PathSegment::MoveTo(to) => (vec![to], "m"),
                PathSegment::LineTo(to) => (vec![to], "l"),
                PathSegment::QuadTo(by, to) => {
                    let part = |from: f32, by: f32| from + 2.0 / 3.0 * (by - from);
                    let third = |from: Point| (part(from.x, by.x), part(from.y, by.y)).into();
                    (vec![third(last), third(to), to], "c")
                }
                PathSegment::CubicTo(first, second, to) => (vec![first, second, to], "c"),
                PathSegment::Close => (vec![], "h"),
            };
            last = to.last().copied().unwrap_or(last);
            to.iter().for_each(|to| self.numbers(&[to.x, to.y]));
            self.content += operator;
            self.content.push('\n');
        }
    }

    fn numbers(&mut self, numbers: &[f32]) {
        for &value in numbers {
            self.content += &number(value.into());
            self.content.push(' ');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_holds_what_the_chart_has() {
        let chart = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"60\" height=\"20\">\
             <clipPath id=\"c\"><rect x=\"1\" y=\"2\" width=\"30\" height=\"10\"/></clipPath>\
             <g clip-path=\"url(#c)\"><line x1=\"0\" y1=\"0\" x2=\"9\" y2=\"9\" stroke=\"#ff0000\" \
             stroke-dasharray=\"2 3\"/></g><rect width=\"5\" height=\"5\" fill-opacity=\"0.2\"/></svg>";
        let bytes = pdf(chart).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        for wanted in [
            "/MediaBox [0 0 45 15]",
            "0.75 0 0 -0.75 0 15 cm",
            "/A100 gs 1 0 0 RG\n1 w 0 J 0 j [ 2 3 ] 0 d\n0 0 m\n9 9 l\nS",
            "/A20 gs 0 0 0 rg",
            "q 1 2 30 10 re W n",
            "/A20 <</ca 0.2 /CA 0.2>>",
        ] {
            assert!(text.contains(wanted), "{wanted}\n{text}");
        }
        // The table says where each object begins, and the stream how long it is.
        let table = &text[text.find("xref\n").unwrap()..];
        for (number, line) in (1..=4).zip(table.lines().skip(3)) {
            let at: usize = line[..10].parse().unwrap();
            assert!(
                text[at..].starts_with(&format!("{number} 0 obj\n")),
                "{line}"
            );
        }
        let stream = text.split("stream\n").nth(1).unwrap();
        let stream = stream.strip_suffix("end").unwrap();
        assert!(text.contains(&format!("/Length {}>>", stream.len())));
        let start = text.find("xref\n").unwrap();
        assert!(text.ends_with(&format!("startxref\n{start}\n%%EOF\n")));
        assert_eq!(text.matches("q ").count(), text.matches("Q\n").count());
    }
}
