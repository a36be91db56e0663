//! Charts as PDF, for papers: one page of lines and areas, texts as the outlines of their glyphs.

use crate::png::{PngError, tree};
use resvg::tiny_skia::{Path, PathSegment, Transform};
use resvg::usvg::{Fill, FillRule, Group, LineCap, LineJoin, Node, Paint, Stroke};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Points, of which there are 72 in an inch, in a pixel, of which there are 96.
const POINTS: f32 = 0.75;

/// `svg`, one of our charts, as PDF.
///
/// # Errors
/// [`PngError`].
pub fn pdf(svg: &str) -> Result<Vec<u8>, PngError> {
    let tree = tree(svg)?;
    let (width, height) = (POINTS * tree.size().width(), POINTS * tree.size().height());
    let mut page = Page::default();
    // Upwards, as a page has it.
    let _ = writeln!(page.content, "{POINTS} 0 0 -{POINTS} 0 {height} cm");
    page.group(tree.root(), 1.0);
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
    fn group(&mut self, group: &Group, opacity: f32) {
        let opacity = opacity * group.opacity().get();
        let Transform {
            sx,
            ky,
            kx,
            sy,
            tx,
            ty,
        } = group.transform();
        let _ = writeln!(self.content, "q {sx} {ky} {kx} {sy} {tx} {ty} cm");
        if let Some(clip) = group.clip_path() {
            self.clip(clip.root(), clip.transform());
            self.content += "W n\n";
        }
        for node in group.children() {
            match node {
                Node::Group(inner) => self.group(inner, opacity),
                Node::Path(path) if path.is_visible() => {
                    if let Some(fill) = path.fill() {
                        self.fill(path.data(), fill, opacity);
                    }
                    if let Some(stroke) = path.stroke() {
                        self.stroke(path.data(), stroke, opacity);
                    }
                }
                // Our charts have neither pictures nor, any more, texts.
                _ => {}
            }
        }
        self.content += "Q\n";
    }

    /// The paths of `group`, without painting them.
    fn clip(&mut self, group: &Group, to: Transform) {
        let to = to.pre_concat(group.transform());
        for node in group.children() {
            match node {
                Node::Group(inner) => self.clip(inner, to),
                Node::Path(path) => {
                    if let Some(path) = path.data().clone().transform(to) {
                        self.path(&path);
                    }
                }
                _ => {}
            }
        }
    }

    fn fill(&mut self, path: &Path, fill: &Fill, opacity: f32) {
        self.paint(fill.paint(), fill.opacity().get() * opacity, "rg");
        self.path(path);
        self.content += match fill.rule() {
            FillRule::NonZero => "f\n",
            FillRule::EvenOdd => "f*\n",
        };
    }

    fn stroke(&mut self, path: &Path, stroke: &Stroke, opacity: f32) {
        self.paint(stroke.paint(), stroke.opacity().get() * opacity, "RG");
        let cap = match stroke.linecap() {
            LineCap::Butt => 0,
            LineCap::Round => 1,
            LineCap::Square => 2,
        };
        let join = match stroke.linejoin() {
            LineJoin::Miter | LineJoin::MiterClip => 0,
            LineJoin::Round => 1,
            LineJoin::Bevel => 2,
        };
        let dashes = stroke.dasharray().unwrap_or_default();
        let dashes: Vec<String> = dashes.iter().map(f32::to_string).collect();
        let _ = writeln!(
            self.content,
            "{} w {cap} J {join} j [{}] {} d",
            stroke.width().get(),
            dashes.join(" "),
            stroke.dashoffset(),
        );
        self.path(path);
        self.content += "S\n";
    }

    fn paint(&mut self, paint: &Paint, opacity: f32, operator: &str) {
        let percent = (100.0 * opacity).round() as u8;
        self.percents.insert(percent);
        // Our charts have no gradients.
        if let Paint::Color(colour) = paint {
            let [red, green, blue] =
                [colour.red, colour.green, colour.blue].map(|part| f32::from(part) / 255.0);
            let _ = writeln!(
                self.content,
                "/A{percent} gs {red} {green} {blue} {operator}"
            );
        }
    }

    fn path(&mut self, path: &Path) {
        let mut last = (0.0, 0.0);
        for segment in path.segments() {
            let _ = match segment {
                PathSegment::MoveTo(to) => writeln!(self.content, "{} {} m", to.x, to.y),
                PathSegment::LineTo(to) => writeln!(self.content, "{} {} l", to.x, to.y),
                PathSegment::QuadTo(by, to) => {
                    let third = |from: f32, by: f32| from + 2.0 / 3.0 * (by - from);
                    let (x1, y1) = (third(last.0, by.x), third(last.1, by.y));
                    let (x2, y2) = (third(to.x, by.x), third(to.y, by.y));
                    writeln!(self.content, "{x1} {y1} {x2} {y2} {} {} c", to.x, to.y)
                }
                PathSegment::CubicTo(one, two, to) => writeln!(
                    self.content,
                    "{} {} {} {} {} {} c",
                    one.x, one.y, two.x, two.y, to.x, to.y
                ),
                PathSegment::Close => writeln!(self.content, "h"),
            };
            match segment {
                PathSegment::MoveTo(to)
                | PathSegment::LineTo(to)
                | PathSegment::QuadTo(_, to)
                | PathSegment::CubicTo(_, _, to) => last = (to.x, to.y),
                PathSegment::Close => {}
            }
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
            "/A100 gs 1 0 0 RG\n1 w 0 J 0 j [2 3] 0 d\n0 0 m\n9 9 l\nS",
            "/A20 gs 0 0 0 rg",
            "1 2 m\n31 2 l\n31 12 l\n1 12 l\nh\nW n",
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
