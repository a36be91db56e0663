//! What stands round a picture: its title, its size, the key of its marks and colours, notes.

use super::marks::{CHARACTER, TEXT_SIZE, class_colour, mark};
use super::markup::{Element, push_polygon};
use super::{Colour, Drawing, NodeKind, Point, Style};

/// A symbol of the key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Symbol {
    Node(NodeKind),
    Line(Colour),
    Arrow,
}

/// An entry of the key.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub symbol: Symbol,
    pub text: String,
}

/// What the picture has to explain: kinds of nodes where there are several, classes of channels
/// that were drawn in their own colour where there are several, and what one-way channels are.
/// `shown` says for each class whether any channel was.
pub(super) fn entries(drawing: &Drawing, style: &Style, shown: &[bool]) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut add = |symbol, text: &str| {
        let text = text.to_owned();
        entries.push(Entry { symbol, text });
    };
    if drawing.count(NodeKind::Terminal) < drawing.nodes.len() {
        for (kind, text) in [
            (NodeKind::Terminal, "terminal"),
            (NodeKind::Switch, "switch"),
            (NodeKind::Interchange, "interchange"),
        ] {
            if drawing.count(kind) > 0 {
                add(Symbol::Node(kind), text);
            }
        }
    }
    let classes = drawing.classes.iter().zip(shown);
    let classes: Vec<_> = classes.filter(|(_, shown)| **shown).collect();
    if classes.len() > 1 {
        for (class, _) in classes {
            add(Symbol::Line(class_colour(class)), &class.name);
        }
    }
    for &(colour, text) in style.key {
        add(Symbol::Line(colour), text);
    }
    if drawing.has_one_way_channels() {
        add(Symbol::Arrow, "one-way channel");
    }
    entries
}

/// The size of the network in words.
pub(super) fn size_line(drawing: &Drawing) -> String {
    let counts = [
        (drawing.nodes.len(), "node", "nodes"),
        (drawing.channels.len(), "channel", "channels"),
    ];
    let in_words = counts.map(|(count, one, many)| match count {
        1 => format!("1 {one}"),
        _ => format!("{} {many}", grouped(count)),
    });
    let terminals = drawing.count(NodeKind::Terminal);
    let kinds = if terminals < drawing.nodes.len() {
        let switches = drawing.nodes.len() - terminals;
        format!(
            " ({} with a terminal, {} without)",
            grouped(terminals),
            grouped(switches)
        )
    } else {
        String::new()
    };
    let lines = if drawing.has_one_way_channels() {
        ""
    } else {
        "; a line is two channels, one each way"
    };
    format!("{}{kinds}, {}{lines}", in_words[0], in_words[1])
}

/// A number with its thousands set apart.
pub fn grouped(number: impl ToString) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `text` in lines of at most `width` pixels: broken between words, and a word that is too long, such
/// as a topology with many keys, behind its commas, colons and strokes.
pub(super) fn wrap(text: &str, size: f64, width: f64) -> Vec<String> {
    let most = (width / (size * CHARACTER)).max(8.0) as usize;
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let is_long = word.chars().count() > most;
        let breaks = |c: char| is_long && matches!(c, ',' | ':' | '/');
        let mut space = " ";
        for part in word.split_inclusive(breaks) {
            match lines.last_mut() {
                Some(line) if line.chars().count() + space.len() + part.chars().count() <= most => {
                    line.push_str(space);
                    line.push_str(part);
                }
                _ => lines.push(part.to_owned()),
            }
            space = "";
        }
    }
    lines
}

/// The key, entry by entry, in rows of at most `width`; its height is returned with it. `scale`
/// enlarges it for large pictures.
pub(super) fn draw(entries: &[Entry], width: f64, top: f64, scale: f64) -> (String, f64) {
    let (symbol, gap, row) = (26.0 * scale, 18.0 * scale, 20.0 * scale);
    let size = TEXT_SIZE * scale;
    let (mut x, mut y) = (0.0, top);
    let mut svg = String::new();
    for entry in entries {
        let long = symbol + entry.text.chars().count() as f64 * size * CHARACTER;
        if x > 0.0 && x + long > width {
            x = 0.0;
            y += row;
        }
        let middle = Point::new(x + 10.0 * scale, y + 8.0 * scale);
        svg.push_str(&symbol_of(entry.symbol, middle, scale));
        let text = Element::new("text")
            .number("x", x + symbol)
            .number("y", y + 12.0 * scale)
            .number("font-size", size);
        svg.push_str(&text.text(&entry.text));
        x += long + gap;
    }
    let height = if entries.is_empty() {
        0.0
    } else {
        y + row - top
    };
    (svg, height)
}

fn symbol_of(symbol: Symbol, middle: Point, scale: f64) -> String {
    let half = Point::new(10.0 * scale, 0.0);
    let line = |colour: Colour| {
        Element::new("line")
            .number("x1", middle.x - half.x)
            .number("y1", middle.y)
            .number("x2", middle.x + half.x)
            .number("y2", middle.y)
            .set("stroke", &colour.to_string())
            .number("stroke-width", 2.2 * scale)
    };
    match symbol {
        Symbol::Node(kind) => mark(kind, middle, 6.5 * scale)
            .number("stroke-width", 1.2 * scale)
            .empty(),
        Symbol::Line(colour) => line(colour).empty(),
        Symbol::Arrow => {
            let tip = middle + half;
            let (back, up) = (Point::new(7.0 * scale, 0.0), Point::new(0.0, 3.5 * scale));
            let mut data = String::new();
            push_polygon(&mut data, &[tip, tip - back + up, tip - back - up]);
            let head = Element::new("path")
                .set("d", &data)
                .set("fill", &Colour::GREY.to_string())
                .set("stroke", "none");
            line(Colour::GREY).empty() + &head.empty()
        }
    }
}
