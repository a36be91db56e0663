//! The key of a chart: a small table below the plot, where it can cover no data, with a sample of
//! each curve, its name, and the numbers that the curve is about.

use super::frame::{FAINT_INK, Frame, INK, label, line};
use super::palette::Style;
use super::svg::{Element, Svg};
use super::text::{width, wrap};
use serde::Deserialize;

const SIZE: f64 = 12.5;
const SMALL_SIZE: f64 = 11.0;
const LINE: f64 = 17.0;
const SMALL_LINE: f64 = 15.0;
const SAMPLE: f64 = 38.0;
/// Lines of notes at most.
const NOTES_MOST: usize = 7;
const GAP: f64 = 16.0;

/// What of a curve is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Drawing {
    /// A line, and a marker at each point.
    #[default]
    Both,
    /// A line: values of a formula.
    Line,
    /// Markers: values that were measured, each by itself.
    Markers,
    /// A bar up to each value: of things that have no order.
    Bars,
}

/// One curve's line in the key.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The look of the curve.
    pub style: Style,
    /// What is drawn of it.
    pub drawing: Drawing,
    /// Its name.
    pub name: String,
    /// Its numbers, one for each column.
    pub cells: Vec<String>,
}

/// Names with less room than this stand above their numbers, in pixels.
const NAMES_LEAST: f64 = 160.0;

/// A key laid out for a width.
#[derive(Debug)]
pub struct Key {
    /// Whether numbers stand below the names.
    stacked: bool,
    headers: Vec<[String; 2]>,
    /// Right ends of the columns, in pixels.
    ends: Vec<f64>,
    rows: Vec<(Entry, Vec<String>)>,
    notes: Vec<String>,
}

impl Key {
    /// The key with a column of numbers for each of `headers` (two lines each), and `notes` below. Where
    /// there are no columns, nothing stands above the names.
    ///
    /// # Panics
    /// If an entry has not one cell for each header.
    pub fn new(headers: &[[&str; 2]], entries: Vec<Entry>, notes: &str, whole: f64) -> Self {
        let inner = whole - 2.0 * Frame::margin();
        let mut ends = Vec::new();
        let mut columns = 0.0;
        for (i, header) in headers.iter().enumerate() {
            let cells = entries.iter().map(|entry| {
                assert_eq!(entry.cells.len(), headers.len());
                width(&entry.cells[i], SIZE)
            });
            let widest = header
                .iter()
                .map(|text| width(text, SMALL_SIZE))
                .chain(cells);
            columns += widest.fold(0.0, f64::max) + GAP;
            ends.push(columns);
        }
        // The names take what they need, up to what the columns leave.
        let room = inner - SAMPLE - 10.0;
        let stacked = room - columns < NAMES_LEAST;
        let names_most = if stacked { room } else { room - columns };
        let rows: Vec<_> = entries
            .into_iter()
            .map(|entry| {
                let lines = wrap(&entry.name, SIZE, names_most, 2);
                (entry, lines)
            })
            .collect();
        let names = rows
            .iter()
            .flat_map(|(_, lines)| lines)
            .map(|line| width(line, SIZE))
            .fold(width("series", SMALL_SIZE), f64::max);
        let names = if stacked { 0.0 } else { names };
        let start = Frame::margin() + SAMPLE + 10.0 + names;
        Self {
            stacked,
            headers: headers.iter().map(|h| h.map(str::to_owned)).collect(),
            ends: ends.into_iter().map(|end| start + end).collect(),
            rows,
            notes: wrap(notes, SMALL_SIZE, inner, NOTES_MOST),
        }
    }

    /// Height of the key, in pixels.
    pub fn height(&self) -> f64 {
        let rows: f64 = self
            .rows
            .iter()
            .map(|(_, name)| self.row_height(name))
            .sum();
        let notes = self.notes.len() as f64 * SMALL_LINE;
        let head = if self.headers.is_empty() {
            4.0
        } else {
            2.0 * SMALL_LINE + 10.0
        };
        head + rows + 8.0 + notes + 8.0
    }

    fn row_height(&self, name: &[String]) -> f64 {
        let lines = name.len().max(1) + usize::from(self.stacked);
        lines as f64 * LINE
    }

    /// Draws the key below pixel `top`.
    pub fn draw(&self, svg: &mut Svg, top: f64) {
        let left = Frame::margin();
        let name_at = left + SAMPLE + 10.0;
        let mut y = self.draw_head(svg, top);
        for (entry, name) in &self.rows {
            draw_sample(svg, entry, left, y + LINE / 2.0 + 1.0);
            for (i, line) in name.iter().enumerate() {
                let at = y + (i + 1) as f64 * LINE - 3.5;
                svg.add_text(label(name_at, at, "start", SIZE, INK), line);
            }
            let height = self.row_height(name);
            let line = if self.stacked { height } else { LINE };
            for (cell, &end) in entry.cells.iter().zip(&self.ends) {
                svg.add_text(label(end, y + line - 3.5, "end", SIZE, INK), cell);
            }
            y += height;
        }
        y += 8.0;
        for line in &self.notes {
            y += SMALL_LINE;
            svg.add_text(label(left, y - 3.0, "start", SMALL_SIZE, FAINT_INK), line);
        }
    }

    /// The names of the columns over a rule; nothing where there are none. Returns where the rows
    /// start.
    fn draw_head(&self, svg: &mut Svg, top: f64) -> f64 {
        let Some(&right) = self.ends.last() else {
            return top;
        };
        let left = Frame::margin();
        let second = top + 2.0 * SMALL_LINE - 3.0;
        if !self.stacked {
            let name_at = left + SAMPLE + 10.0;
            let series = label(name_at, second, "start", SMALL_SIZE, FAINT_INK);
            svg.add_text(series, "series");
        }
        for (header, &end) in self.headers.iter().zip(&self.ends) {
            for (line, text) in header.iter().enumerate() {
                let y = second - (1 - line) as f64 * (SMALL_LINE - 2.0);
                svg.add_text(label(end, y, "end", SMALL_SIZE, FAINT_INK), text);
            }
        }
        let y = top + 2.0 * SMALL_LINE + 3.0;
        svg.add(rule(left, right, y));
        y + 3.0
    }
}

fn draw_sample(svg: &mut Svg, entry: &Entry, left: f64, y: f64) {
    let style = entry.style;
    if matches!(entry.drawing, Drawing::Both | Drawing::Line) {
        let sample = line(Element::new("line"), (left, y), (left + SAMPLE, y));
        svg.add(style.stroke(sample, 1.8, style.dashes()));
    }
    if entry.drawing != Drawing::Line {
        svg.add(style.marker(left + SAMPLE / 2.0, y, 3.8, true));
    }
}

fn rule(left: f64, right: f64, y: f64) -> Element {
    let rule = Element::new("line").set("class", "grid");
    line(rule, (left, y), (right, y))
        .set("stroke", "#bbbbbb")
        .number("stroke-width", 0.8)
}
