//! Charts as pictures of dots, for slides and documents that take no SVG.
//!
//! The fonts are our own, so that a chart looks the same on every machine. Texts become outlines of
//! their glyphs here, one after another: our charts have short labels in one direction, and what sets
//! any script of the world would be a fifth of every build.

use crate::svg::{Element, Path};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::roxmltree::{Document, Node};
use resvg::usvg::{Options, Tree};
use ttf_parser::{Face, OutlineBuilder};

/// DejaVu Sans 2.37, regular and bold (`crates/report/assets/LICENSE-DejaVu.txt`): every character's outline and
/// width, without hints for screens and without ligatures, a quarter less. By fonttools: `pyftsubset FONT
/// --unicodes='*' --no-hinting --layout-features='' --drop-tables+=GPOS,GSUB,GDEF,MATH,kern,gasp,FFTM
/// --notdef-outline --no-glyph-names --name-IDs=0,1,2,3,4,5,6,13,14`.
const REGULAR: &[u8] = include_bytes!("../assets/DejaVuSans.ttf");
const BOLD: &[u8] = include_bytes!("../assets/DejaVuSans-Bold.ttf");

/// Dots for each pixel of the chart: sharp in print at its width of a column.
const SCALE: f32 = 3.0;

/// The longest SVG that is turned into dots, which takes some hundred times as much memory.
const BYTES_MOST: usize = 4 << 20;

/// A chart that cannot be turned into dots.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PngError {
    /// The SVG does not read.
    #[error("the chart cannot be read back: {0}")]
    Svg(#[from] resvg::usvg::Error),
    /// It has no area, or too much.
    #[error("the chart has no drawable size")]
    Size,
    /// It has more on it than can be turned into dots.
    #[error("the chart is too large for dots: write SVG, or plot fewer curves and points")]
    TooLarge,
    /// The dots cannot be written.
    #[error("the picture cannot be encoded: {0}")]
    Encode(String),
}

/// `svg`, one of our charts, as PNG.
///
/// # Errors
/// [`PngError`].
pub fn png(svg: &str) -> Result<Vec<u8>, PngError> {
    let tree = tree(svg)?;
    let size = tree.size().to_int_size();
    let scaled = size.scale_by(SCALE).ok_or(PngError::Size)?;
    let mut dots = Pixmap::new(scaled.width(), scaled.height()).ok_or(PngError::Size)?;
    resvg::render(
        &tree,
        Transform::from_scale(SCALE, SCALE),
        &mut dots.as_mut(),
    );
    dots.encode_png()
        .map_err(|error| PngError::Encode(error.to_string()))
}

/// `svg` read, with a path in place of each text.
pub(crate) fn tree(svg: &str) -> Result<Tree, PngError> {
    if svg.len() > BYTES_MOST {
        return Err(PngError::TooLarge);
    }
    Ok(Tree::from_str(&outlined(svg)?, &Options::default())?)
}

/// `svg` with a path in place of each text.
fn outlined(svg: &str) -> Result<String, PngError> {
    let faces =
        [REGULAR, BOLD].map(|font| Face::parse(font, 0).expect("our fonts are well-formed"));
    let document = Document::parse(svg).map_err(resvg::usvg::Error::from)?;
    let texts = document
        .descendants()
        .filter(|node| node.has_tag_name("text"));
    // Names in tooltips and comments are no elements: what is left stays as it was.
    let mut outlined = String::with_capacity(2 * svg.len());
    let mut done = 0;
    for text in texts {
        outlined += &svg[done..text.range().start];
        outlined += &outline(text, &faces);
        done = text.range().end;
    }
    outlined += &svg[done..];
    Ok(outlined)
}

/// The element `text` as a path in the units of its font, put where the text would stand.
fn outline(text: Node, [regular, bold]: &[Face; 2]) -> String {
    let weight = text.attribute("font-weight").unwrap_or_default();
    let face = if matches!(weight, "600" | "bold") {
        bold
    } else {
        regular
    };
    let number = |name, default: f64| {
        let value = text.attribute(name).and_then(|value| value.parse().ok());
        value.unwrap_or(default)
    };
    let mut pen = Pen::default();
    for letter in text.text().unwrap_or_default().chars() {
        let glyph = face.glyph_index(letter).unwrap_or_default();
        // An empty glyph, such as a space, has no outline.
        let _ = face.outline_glyph(glyph, &mut pen);
        pen.x += f32::from(face.glyph_hor_advance(glyph).unwrap_or(0));
    }
    let scale = number("font-size", 16.0) / f64::from(face.units_per_em());
    let before = match text.attribute("text-anchor") {
        Some("middle") => 0.5,
        Some("end") => 1.0,
        _ => 0.0,
    };
    let x = number("x", 0.0) - before * scale * f64::from(pen.x);
    let turn = text.attribute("transform").unwrap_or_default();
    let y = number("y", 0.0);
    let place = format!("{turn} translate({x} {y}) scale({scale} {})", -scale);
    let mut path = Element::new("path")
        .set("d", pen.path.data())
        .set("transform", &place);
    for name in ["class", "fill"] {
        if let Some(value) = text.attribute(name) {
            path = path.set(name, value);
        }
    }
    path.empty()
}

/// Draws glyphs side by side.
#[derive(Default)]
struct Pen {
    path: Path,
    /// Where the next glyph begins, and where the pen is, in units of the font.
    x: f32,
    at: (f32, f32),
}

impl Pen {
    fn place(&mut self, x: f32, y: f32) -> (f64, f64) {
        self.at = (x, y);
        (f64::from(self.x + x), f64::from(y))
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let (x0, y0) = self.at;
        let third = |from: f32, to: f32| from + 2.0 / 3.0 * (to - from);
        self.curve_to(
            third(x0, x1),
            third(y0, y1),
            third(x, x1),
            third(y, y1),
            x,
            y,
        );
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let (first, second) = (self.place(x1, y1), self.place(x2, y2));
        let end = self.place(x, y);
        self.path.curve_to(first, second, end);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_drawn() {
        let chart = |text: &str| {
            format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"60\" height=\"20\">\
                 <rect width=\"60\" height=\"20\" fill=\"#ffffff\"/>\
                 <text x=\"4\" y=\"15\" font-family=\"Helvetica, sans-serif\">{text}</text></svg>"
            )
        };
        let dots = png(&chart("load")).unwrap();
        assert_eq!(&dots[..4], b"\x89PNG");
        let dark = |dots: &[u8]| {
            let pixmap = Pixmap::decode_png(dots).unwrap();
            assert_eq!((pixmap.width(), pixmap.height()), (180, 60));
            pixmap.pixels().iter().filter(|dot| dot.red() < 128).count()
        };
        assert!(dark(&dots) > 300);
        assert_eq!(dark(&png(&chart("")).unwrap()), 0);
        assert!(png("<svg").is_err());
    }
}
