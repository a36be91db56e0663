//! A drawing as SVG: one self-contained document, on a white ground so that it can be read on any
//! page and in print.
//!
//! Lines that look alike are one element, so that a picture of ten thousand channels stays small.

use super::key;
use super::marks::{CHARACTER, TEXT_SIZE, TITLE_SIZE, class_colour, mark, text_scale};
use super::markup::{Element, number, push_path, push_polygon};
use super::scaled::NAMED_LIMIT;
use super::{ChannelStyle, Colour, Drawing, NodeKind, Path, Point, Style};
use crate::{ChannelId, NodeId};
use std::collections::BTreeMap;

const FONT_FAMILY: &str =
    "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', 'Noto Sans', sans-serif";

/// Room round everything, in pixels.
const MARGIN: f64 = 22.0;

/// Titles, keys and notes need this much.
const LEAST_WIDTH: f64 = 420.0;

/// The SVG document of `drawing`.
pub fn svg(drawing: &Drawing, style: &Style) -> String {
    let scale = text_scale(Point::new(drawing.width, drawing.height));
    let width = drawing.width.max(LEAST_WIDTH * scale);
    let mut lines = Lines::default();
    lines.draw_all(drawing, style);
    let (head, head_height) = heading(drawing, style, width, scale);
    let left = (width - drawing.width) / 2.0;
    let mut y = head_height;
    let mut body = Element::new("g")
        .set(
            "transform",
            &format!("translate({} {})", number(left), number(y)),
        )
        .open();
    body.push_str(&lines.finish());
    body.push_str(&marks(drawing));
    body.push_str(&labels(drawing, scale));
    body.push_str("</g>\n");
    y += drawing.height + 16.0 * scale;
    let entries = key::entries(drawing, style, &lines.shown);
    let (key, key_height) = key::draw(&entries, width, y, scale);
    y += key_height;
    let (notes, notes_height) = notes(drawing, style, width, y, scale);
    y += notes_height;
    let margin = MARGIN * scale;
    let (page_width, page_height) = (width + 2.0 * margin, y + 2.0 * margin);
    let root = Element::new("svg")
        .set("xmlns", "http://www.w3.org/2000/svg")
        .number("width", page_width)
        .number("height", page_height)
        .set(
            "viewBox",
            &format!("0 0 {} {}", number(page_width), number(page_height)),
        )
        .verbatim("font-family", FONT_FAMILY)
        .set("fill", &Colour::INK.to_string())
        .set("role", "img");
    let ground = Element::new("rect")
        .set("width", "100%")
        .set("height", "100%")
        .set("fill", "#ffffff");
    let frame = Element::new("g").set(
        "transform",
        &format!("translate({} {})", number(margin), number(margin)),
    );
    let title = if style.title.is_empty() {
        String::new()
    } else {
        Element::new("title").text(style.title)
    };
    [
        root.open(),
        title,
        ground.empty(),
        frame.open(),
        head,
        body,
        key,
        notes,
        "</g>\n</svg>\n".to_owned(),
    ]
    .concat()
}

/// Title and size, and how high they are.
fn heading(drawing: &Drawing, style: &Style, width: f64, scale: f64) -> (String, f64) {
    let mut text = String::new();
    let mut y = 0.0;
    let size = TITLE_SIZE * scale;
    for line in key::wrap(style.title, size, width) {
        y += size * 1.15;
        let line_of_title = Element::new("text")
            .number("y", y - size * 0.25)
            .number("font-size", size)
            .set("font-weight", "bold");
        text.push_str(&line_of_title.text(&line));
    }
    let (lines, height) = small_lines(&key::size_line(drawing), width, y + 2.0 * scale, scale);
    text.push_str(&lines);
    (text, y + height + 16.0 * scale)
}

/// What is shown and how.
fn notes(drawing: &Drawing, style: &Style, width: f64, top: f64, scale: f64) -> (String, f64) {
    let mut text = String::new();
    let mut y = top;
    for note in [drawing.note.as_str(), style.note] {
        let (lines, height) = small_lines(note, width, y + 4.0 * scale, scale);
        text.push_str(&lines);
        y += height + if height > 0.0 { 4.0 * scale } else { 0.0 };
    }
    (text, y - top)
}

fn small_lines(text: &str, width: f64, top: f64, scale: f64) -> (String, f64) {
    let size = TEXT_SIZE * scale;
    let mut lines = String::new();
    let mut y = top;
    for line in key::wrap(text, size, width) {
        y += size * 1.25;
        let element = Element::new("text")
            .number("y", y - size * 0.3)
            .number("font-size", size)
            .set("fill", "#555555");
        lines.push_str(&element.text(&line));
    }
    (lines, y - top)
}

/// How a line looks, in the order in which lines are drawn: faint ones first, emphasised ones last.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Look {
    layer: u8,
    colour: String,
    /// In hundredths of a pixel.
    width: u64,
}

/// All lines of one look.
#[derive(Debug, Default)]
struct Group {
    lines: String,
    heads: String,
    /// Elements of their own: lines with a tooltip.
    own: String,
}

/// The lines of a picture.
#[derive(Debug, Default)]
struct Lines {
    groups: BTreeMap<Look, Group>,
    /// By class: whether any channel is drawn in its colour.
    shown: Vec<bool>,
}

impl Lines {
    fn draw_all(&mut self, drawing: &Drawing, style: &Style) {
        self.shown = vec![false; drawing.classes.len()];
        for (id, line) in (0..).map(ChannelId).zip(&drawing.channels) {
            let own = (style.channel)(id);
            let Some(opposite) = line.opposite else {
                self.draw(drawing, id, &line.path, &own, true);
                continue;
            };
            let other = (style.channel)(opposite);
            if own == other && !own.emphasised {
                if id < opposite {
                    self.draw(drawing, id, &line.path, &own, false);
                }
                continue;
            }
            let apart = drawing.line_width * (0.4 + 0.6 * own.width.max(other.width));
            let path = line.path.aside(-apart, drawing.radius * 0.7);
            self.draw(drawing, id, &path, &own, true);
        }
    }

    /// Draws a channel, and what says which way it leads if `arrow`.
    fn draw(
        &mut self,
        drawing: &Drawing,
        id: ChannelId,
        path: &Path,
        style: &ChannelStyle,
        arrow: bool,
    ) {
        let line = &drawing.channels[id.index()];
        let class = &drawing.classes[line.class];
        self.shown[line.class] |= style.colour.is_none();
        let more = if style.emphasised { 2.0 } else { 1.0 };
        let width = (drawing.line_width * style.width * more).clamp(0.1, 50.0);
        let look = Look {
            layer: match (style.emphasised, class.faint && style.colour.is_none()) {
                (true, _) => 2,
                (false, false) => 1,
                (false, true) => 0,
            },
            colour: style
                .colour
                .unwrap_or_else(|| class_colour(class))
                .to_string(),
            width: (width * 100.0).round() as u64,
        };
        let group = self.groups.entry(look).or_default();
        let mut data = String::new();
        push_path(&mut data, path);
        match &style.tooltip {
            None => group.lines.push_str(&data),
            Some(tooltip) => {
                let element = Element::new("path").set("d", &data);
                group.own.push_str(&element.tooltip(tooltip));
            }
        }
        if arrow {
            push_polygon(&mut group.heads, &arrow_head(drawing, id, path, width));
        }
    }

    fn finish(&self) -> String {
        let mut svg = String::new();
        for (look, group) in &self.groups {
            let width = look.width as f64 / 100.0;
            let all = Element::new("g")
                .set("stroke", &look.colour)
                .number("stroke-width", width)
                .set("fill", "none")
                .set("stroke-linejoin", "round");
            svg.push_str(&all.open());
            if !group.lines.is_empty() {
                svg.push_str(&Element::new("path").set("d", &group.lines).empty());
            }
            svg.push_str(&group.own);
            if !group.heads.is_empty() {
                let heads = Element::new("path")
                    .set("d", &group.heads)
                    .set("fill", &look.colour)
                    .set("stroke", "none");
                svg.push_str(&heads.empty());
            }
            svg.push_str("</g>\n");
        }
        svg
    }
}

/// The head of an arrow that touches the mark of the channel's target.
fn arrow_head(drawing: &Drawing, id: ChannelId, path: &Path, width: f64) -> [Point; 3] {
    let radius = drawing.radius_of(drawing.channels[id.index()].target);
    let points = path.points();
    let length: f64 = points
        .windows(2)
        .map(|pair| pair[0].distance(pair[1]))
        .sum();
    let visible = (length - 2.0 * radius).max(radius * 0.5);
    let size = (drawing.radius * 0.5).max(width * 3.2).min(visible * 0.8);
    let tip_at = radius * 1.06;
    let (tip, _) = path.before_end(tip_at);
    let (back, _) = path.before_end(tip_at + size);
    let way = (tip - back).unit();
    let back = tip - way * size;
    let half = way.left() * (size * 0.45);
    [tip, back + half, back - half]
}

fn marks(drawing: &Drawing) -> String {
    let width = (drawing.radius * 0.09).clamp(0.4, 1.4);
    let mut svg = Element::new("g").number("stroke-width", width).open();
    for (id, node) in (0..).map(NodeId).zip(&drawing.nodes) {
        let tooltip = if node.detail.is_empty() {
            node.label.clone()
        } else {
            format!("{}: {}", node.label, node.detail)
        };
        let mark = mark(node.kind, node.place, drawing.radius_of(id));
        svg.push_str(&mark.tooltip(&tooltip));
    }
    svg.push_str("</g>\n");
    svg
}

/// The names of the nodes, where there are few, and the captions.
fn labels(drawing: &Drawing, scale: f64) -> String {
    let mut svg = String::new();
    for caption in &drawing.captions {
        let text = Element::new("text")
            .number("x", caption.place.x)
            .number("y", caption.place.y)
            .number("font-size", TEXT_SIZE * scale)
            .set("text-anchor", "end")
            .set("fill", "#555555");
        svg.push_str(&text.text(&caption.text));
    }
    svg.push_str(&Element::new("g").set("text-anchor", "middle").open());
    if drawing.nodes.len() <= NAMED_LIMIT {
        for kind in [NodeKind::Terminal, NodeKind::Switch, NodeKind::Interchange] {
            svg.push_str(&labels_of(drawing, kind));
        }
    }
    svg.push_str("</g>\n");
    svg
}

/// The names of all nodes of a kind: in their marks where the longest fits, else below them.
fn labels_of(drawing: &Drawing, kind: NodeKind) -> String {
    const LEAST_SIZE: f64 = 7.5;
    let nodes = || drawing.nodes.iter().filter(|node| node.kind == kind);
    let longest = nodes().map(|node| node.label.chars().count()).max();
    let Some(longest) = longest else {
        return String::new();
    };
    let radius = kind.radius(drawing.radius);
    let room = match kind {
        NodeKind::Terminal | NodeKind::Switch => 1.7 * radius,
        NodeKind::Interchange => 1.25 * radius,
    };
    let fitting = room / (CHARACTER * longest.max(1) as f64);
    let within = fitting >= LEAST_SIZE;
    let size = if within {
        fitting.min(radius * 0.95).min(14.0)
    } else {
        10.0
    };
    let mut svg = String::new();
    for node in nodes() {
        let two = within && !node.second_label.is_empty();
        let drop = match (within, two) {
            (true, false) => size * 0.36,
            (true, true) => -radius * 0.05,
            (false, _) => radius + size,
        };
        let text = |size: f64, drop: f64| {
            Element::new("text")
                .number("x", node.place.x)
                .number("y", node.place.y + drop)
                .number("font-size", size)
        };
        svg.push_str(&text(size, drop).text(&node.label));
        if two {
            let second = room / (CHARACTER * node.second_label.chars().count() as f64);
            let second = second.min(radius * 0.5);
            let line = text(second, radius * 0.52).set("fill", "#555555");
            svg.push_str(&line.text(&node.second_label));
        }
    }
    svg
}
