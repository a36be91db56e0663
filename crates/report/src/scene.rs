//! What a chart shows: its SVG as paths in pixels, in the order in which they are painted.
//!
//! Elements and attributes are those that our charts have; any other element is an error, and not left out. The fonts
//! are our own, so that a chart looks the same on every machine, and texts become outlines of their glyphs, one after
//! another: our charts have short labels in one direction. What reads any SVG and sets any script is longer to build
//! than all of our charts.

use miniz_oxide::inflate::decompress_to_vec_zlib;
use roxmltree::{Document, Node};
use std::collections::BTreeMap;
use std::str::FromStr;
use tiny_skia::{LineJoin, Path, PathBuilder, Rect, Transform};
use ttf_parser::{Face, OutlineBuilder};

/// DejaVu Sans 2.37, regular and bold (`crates/report/assets/LICENSE-DejaVu.txt`): every character's outline and
/// width, without hints for screens and without ligatures, as a zlib stream: a third. By fonttools: `pyftsubset FONT
/// --unicodes='*' --no-hinting --layout-features='' --drop-tables+=GPOS,GSUB,GDEF,MATH,kern,gasp,FFTM
/// --notdef-outline --no-glyph-names --name-IDs=0,1,2,3,4,5,6,13,14`, and by Python: `zlib.compress(font, 9)`.
const FONTS: [&[u8]; 2] = [
    include_bytes!("../assets/DejaVuSans.ttf.z"),
    include_bytes!("../assets/DejaVuSans-Bold.ttf.z"),
];

/// The longest SVG that is read, which takes some hundred times as much memory.
const BYTES_MOST: usize = 4 << 20;

/// A chart that cannot be drawn but as SVG.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PictureError {
    /// The SVG does not read.
    #[error("the chart cannot be read back: {0}")]
    Svg(#[from] roxmltree::Error),
    /// It has an element or an attribute that is not one of a chart.
    #[error("the chart cannot be read back: {0}")]
    Unknown(String),
    /// It has no area, or too much.
    #[error("the chart has no drawable size")]
    Size,
    /// It has more on it than can be turned into dots.
    #[error("the chart is too large for dots: write SVG, or plot fewer curves and points")]
    TooLarge,
}

/// A chart.
pub(crate) struct Scene {
    pub(crate) width: f32,
    pub(crate) height: f32,
    /// In the order in which they are painted.
    pub(crate) shapes: Vec<Shape>,
}

/// A path, and how it is painted.
pub(crate) struct Shape {
    pub(crate) path: Path,
    pub(crate) fill: Option<Colour>,
    pub(crate) stroke: Option<Stroke>,
    /// Where it shows; everywhere if none.
    pub(crate) clip: Option<Rect>,
}

/// Red, green and blue, and an opacity between 0 and 1.
#[derive(Clone, Copy)]
pub(crate) struct Colour {
    pub(crate) rgb: [u8; 3],
    pub(crate) opacity: f32,
}

/// A line along a path.
pub(crate) struct Stroke {
    pub(crate) colour: Colour,
    pub(crate) width: f32,
    /// How its corners are; its ends are cut.
    pub(crate) join: LineJoin,
    /// Lengths of dashes and gaps in turn, an even number of them; none for a solid line.
    pub(crate) dashes: Vec<f32>,
}

impl Scene {
    /// `svg`, one of our charts.
    ///
    /// # Errors
    /// [`PictureError`].
    pub(crate) fn read(svg: &str) -> Result<Self, PictureError> {
        if svg.len() > BYTES_MOST {
            return Err(PictureError::TooLarge);
        }
        let document = Document::parse(svg)?;
        let root = document.root_element();
        let fonts = FONTS.map(|font| decompress_to_vec_zlib(font).expect("ours are whole"));
        let face = |font| Face::parse(font, 0).expect("ours are well-formed");
        let mut reader = Reader {
            faces: [face(&fonts[0]), face(&fonts[1])],
            clips: BTreeMap::new(),
            shapes: Vec::new(),
        };
        reader.inside(root, Transform::identity(), None)?;
        Ok(Self {
            width: number(root, "width", 0.0)?,
            height: number(root, "height", 0.0)?,
            shapes: reader.shapes,
        })
    }
}

/// Goes through the elements.
struct Reader<'a> {
    /// Regular and bold.
    faces: [Face<'a>; 2],
    /// The areas that are known by a name.
    clips: BTreeMap<&'a str, Rect>,
    shapes: Vec<Shape>,
}

impl<'a> Reader<'a> {
    /// What is in `parent`, placed by `place`, and shown in `clip`.
    fn inside(
        &mut self,
        parent: Node<'a, '_>,
        place: Transform,
        clip: Option<Rect>,
    ) -> Result<(), PictureError> {
        for node in parent.children().filter(Node::is_element) {
            let place = place.pre_concat(transform(node)?);
            let path = match node.tag_name().name() {
                "title" => continue,
                "g" => {
                    let clip = match node.attribute("clip-path") {
                        Some(url) => self.clip(node, url)?.transform(place),
                        None => clip,
                    };
                    self.inside(node, place, clip)?;
                    continue;
                }
                "clipPath" => {
                    let areas = node.children().filter(|child| child.has_tag_name("rect"));
                    for area in areas {
                        let name = node.attribute("id").unwrap_or_default();
                        // In an area of no extent, as a plot has whose labels fill the picture, nothing shows.
                        let area = rectangle(area)?.or(Rect::from_xywh(0.0, 0.0, 0.0, 0.0));
                        self.clips.extend(area.map(|area| (name, area)));
                    }
                    continue;
                }
                "rect" => rectangle(node)?.map(PathBuilder::from_rect),
                "circle" => {
                    let at = |name| number(node, name, 0.0);
                    PathBuilder::from_circle(at("cx")?, at("cy")?, at("r")?)
                }
                "line" => {
                    let at = |name| number(node, name, 0.0);
                    let mut line = PathBuilder::new();
                    line.move_to(at("x1")?, at("y1")?);
                    line.line_to(at("x2")?, at("y2")?);
                    line.finish()
                }
                "path" => path(node)?,
                "text" => self.text(node)?,
                _ => return Err(unknown(node, "an element that charts do not have")),
            };
            // Of no extent, or no number: nothing shows.
            let Some(path) = path.and_then(|path| path.transform(place)) else {
                continue;
            };
            self.shapes.push(Shape {
                path,
                // A line has no inside, which some viewers of PDF paint as a thin one.
                fill: match node.has_tag_name("line") {
                    true => None,
                    false => colour(node, "fill", Some("#000000"))?,
                },
                stroke: match colour(node, "stroke", None)? {
                    Some(colour) => Some(stroke(node, colour)?),
                    None => None,
                },
                clip,
            });
        }
        Ok(())
    }

    /// The area that `url`, of `node`, names.
    fn clip(&self, node: Node, url: &str) -> Result<Rect, PictureError> {
        let name = url
            .strip_prefix("url(#")
            .and_then(|url| url.strip_suffix(')'));
        let area = name.and_then(|name| self.clips.get(name));
        area.copied().ok_or_else(|| unknown(node, url))
    }

    /// The outline of the element `node`, a text.
    fn text(&self, node: Node) -> Result<Option<Path>, PictureError> {
        let [regular, bold] = &self.faces;
        let face = match node.attribute("font-weight") {
            Some("600" | "bold") => bold,
            _ => regular,
        };
        let mut pen = Pen {
            path: PathBuilder::new(),
            x: 0.0,
        };
        for letter in node.text().unwrap_or_default().chars() {
            let glyph = face.glyph_index(letter).unwrap_or_default();
            // An empty glyph, such as a space, has no outline.
            let _ = face.outline_glyph(glyph, &mut pen);
            pen.x += f32::from(face.glyph_hor_advance(glyph).unwrap_or(0));
        }
        let scale = number(node, "font-size", 16.0)? / f32::from(face.units_per_em());
        let before = match node.attribute("text-anchor") {
            Some("middle") => 0.5,
            Some("end") => 1.0,
            _ => 0.0,
        };
        let x = number(node, "x", 0.0)? - before * scale * pen.x;
        let y = number(node, "y", 0.0)?;
        let place = Transform::from_row(scale, 0.0, 0.0, -scale, x, y);
        Ok(pen.path.finish().and_then(|path| path.transform(place)))
    }
}

/// Draws glyphs side by side, in units of their font.
struct Pen {
    path: PathBuilder,
    /// Where the next glyph begins.
    x: f32,
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.path.move_to(self.x + x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.path.line_to(self.x + x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.path.quad_to(self.x + x1, y1, self.x + x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let [x1, x2, x] = [x1, x2, x].map(|x| self.x + x);
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

/// That `what` of `node` is not a chart's.
fn unknown(node: Node, what: &str) -> PictureError {
    PictureError::Unknown(format!("<{}>: {what}", node.tag_name().name()))
}

/// `text`, of `node`, read.
fn read<T: FromStr>(node: Node, text: &str) -> Result<T, PictureError> {
    text.trim().parse().map_err(|_| unknown(node, text))
}

/// The number `name` of `node`.
fn number(node: Node, name: &str, default: f32) -> Result<f32, PictureError> {
    node.attribute(name)
        .map_or(Ok(default), |text| read(node, text))
}

/// Numbers with spaces between them.
fn numbers(node: Node, text: &str) -> Result<Vec<f32>, PictureError> {
    text.split_whitespace()
        .map(|number| read(node, number))
        .collect()
}

/// The area of a `rect`, if it has one.
fn rectangle(node: Node) -> Result<Option<Rect>, PictureError> {
    let at = |name| number(node, name, 0.0);
    Ok(Rect::from_xywh(
        at("x")?,
        at("y")?,
        at("width")?,
        at("height")?,
    ))
}

/// What moves and turns `node`.
fn transform(node: Node) -> Result<Transform, PictureError> {
    let mut to = Transform::identity();
    let steps = node.attribute("transform").unwrap_or_default();
    for step in steps.split_terminator(')') {
        let (name, by) = step.split_once('(').unwrap_or((step, ""));
        to = match (name.trim(), &numbers(node, by)?[..]) {
            ("translate", &[x, y]) => to.pre_translate(x, y),
            ("rotate", &[degrees]) => to.pre_concat(Transform::from_rotate(degrees)),
            _ => return Err(unknown(node, step)),
        };
    }
    Ok(to)
}

/// The colour that `node` has as `name`.
fn colour(node: Node, name: &str, default: Option<&str>) -> Result<Option<Colour>, PictureError> {
    let Some(text) = node.attribute(name).or(default).filter(|&c| c != "none") else {
        return Ok(None);
    };
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
    let bits = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let [_, rgb @ ..] = bits.ok_or_else(|| unknown(node, text))?.to_be_bytes();
    let opacity = number(node, &format!("{name}-opacity"), 1.0)?;
    Ok(Some(Colour { rgb, opacity }))
}

/// The line of `colour` with which `node` is drawn.
fn stroke(node: Node, colour: Colour) -> Result<Stroke, PictureError> {
    let dashes = numbers(node, node.attribute("stroke-dasharray").unwrap_or_default())?;
    Ok(Stroke {
        colour,
        width: number(node, "stroke-width", 1.0)?,
        join: match node.attribute("stroke-linejoin") {
            None => LineJoin::Miter,
            Some("round") => LineJoin::Round,
            Some(join) => return Err(unknown(node, join)),
        },
        // After an odd number of them, dashes and gaps change places.
        dashes: dashes.repeat(1 + dashes.len() % 2),
    })
}

/// The path of a `path`, if it has any: moves, lines, curves and ways back, each with its letter.
fn path(node: Node) -> Result<Option<Path>, PictureError> {
    let mut path = PathBuilder::new();
    let mut rest = node.attribute("d").unwrap_or_default();
    while !rest.is_empty() {
        let (letter, after) = rest
            .split_at_checked(1)
            .ok_or_else(|| unknown(node, rest))?;
        let end = after.find(char::is_alphabetic).unwrap_or(after.len());
        let (to, next) = after.split_at(end);
        match (letter, &numbers(node, to)?[..]) {
            ("M", &[x, y]) => path.move_to(x, y),
            ("L", &[x, y]) => path.line_to(x, y),
            ("C", &[x1, y1, x2, y2, x, y]) => path.cubic_to(x1, y1, x2, y2, x, y),
            ("Z", []) => path.close(),
            _ => return Err(unknown(node, rest)),
        }
        rest = next;
    }
    Ok(path.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene(inside: &str) -> Result<Scene, PictureError> {
        Scene::read(&format!("<svg width=\"60\" height=\"20\">{inside}</svg>"))
    }

    #[test]
    fn shapes_are_where_all_transforms_around_them_put_them() {
        let scene = scene(
            "<clipPath id=\"c\"><rect x=\"1\" y=\"2\" width=\"3\" height=\"4\"/></clipPath>\
             <g transform=\"translate(10 20)\"><g clip-path=\"url(#c)\">\
             <line x1=\"1\" y1=\"2\" x2=\"5\" y2=\"2\" transform=\"translate(3 4) rotate(-90)\" \
             stroke=\"#0180ff\" stroke-dasharray=\"3\"><title>a &lt; b</title></line></g>\
             <path d=\"M0 1L2 3C4 5 6 7 8 9Z\" fill=\"none\"/></g>",
        )
        .unwrap();
        let [line, path] = &scene.shapes[..] else {
            panic!("{} shapes", scene.shapes.len());
        };
        let bounds = line.path.bounds();
        let [left, top, bottom] = [bounds.left(), bounds.top(), bounds.bottom()].map(f32::round);
        assert_eq!((left, top, bottom), (15.0, 19.0, 23.0));
        assert_eq!(line.clip, Rect::from_xywh(11.0, 22.0, 3.0, 4.0));
        assert!(line.fill.is_none());
        let stroke = line.stroke.as_ref().unwrap();
        assert_eq!(stroke.colour.rgb, [1, 128, 255]);
        assert_eq!(stroke.dashes, [3.0, 3.0]);
        assert_eq!((path.path.len(), path.clip), (4, None));
        assert!(path.fill.is_none() && path.stroke.is_none());
    }

    #[test]
    fn in_a_plot_without_extent_nothing_shows() {
        let chart = "<svg width=\"4\" height=\"4\">\
             <clipPath id=\"c\"><rect x=\"9\" y=\"1\" width=\"-6\" height=\"2\"/></clipPath>\
             <g clip-path=\"url(#c)\"><rect width=\"4\" height=\"4\"/></g></svg>";
        let area = Scene::read(chart).unwrap().shapes[0].clip;
        assert_eq!(area, Rect::from_xywh(0.0, 0.0, 0.0, 0.0));
        let without = "<svg width=\"4\" height=\"4\"></svg>";
        assert_eq!(
            crate::png::png(chart).unwrap(),
            crate::png::png(without).unwrap()
        );
        let page = String::from_utf8(crate::pdf::pdf(chart).unwrap()).unwrap();
        assert!(page.contains("q 0 0 0 0 re W n"), "{page}");
    }

    #[test]
    fn what_no_chart_has_is_refused_and_not_left_out() {
        for (inside, named) in [
            ("<ellipse rx=\"1\"/>", "<ellipse>"),
            ("<path d=\"M0 0A1 1\"/>", "<path>: A1 1"),
            ("<path d=\"M0\"/>", "<path>: M0"),
            ("<path d=\"é\"/>", "<path>: é"),
            ("<rect width=\"wide\"/>", "<rect>: wide"),
            ("<g transform=\"skewX(3)\"/>", "<g>: skewX(3"),
            ("<g clip-path=\"url(#none)\"/>", "<g>: url(#none)"),
            ("<line y2=\"1\" stroke=\"red\"/>", "<line>: red"),
            (
                "<line y2=\"1\" stroke=\"#000000\" stroke-linejoin=\"bevel\"/>",
                "<line>: bevel",
            ),
        ] {
            let error = scene(inside).err().expect(inside).to_string();
            assert!(error.contains(named), "{inside}: {error}");
        }
    }
}
