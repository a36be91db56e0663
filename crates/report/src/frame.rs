//! The frame of a chart: plot area, grid, axes, labels, title.

use super::scale::{Range, Scale};
use super::svg::{Element, Svg};
use super::text::{FONT_FAMILY, width, wrap_evenly};

/// Size of tick labels, in pixels.
const TICK_SIZE: f64 = 12.0;
/// Size of axis labels, in pixels.
const LABEL_SIZE: f64 = 13.0;
/// How much wider bold letters are than others, at most.
const BOLD: f64 = 1.12;

/// Size of the title, in pixels.
const TITLE_SIZE: f64 = 16.0;
const TITLE_LINE: f64 = 21.0;
const MARGIN: f64 = 14.0;
/// Room between the title and the plot area, in pixels.
const HEAD: f64 = 8.0;
/// The same where marks stand above the plot area.
const MARKED_HEAD: f64 = 13.0;

/// Colour of texts and axes.
pub const INK: &str = "#222222";
/// Colour of secondary texts.
pub const FAINT_INK: &str = "#555555";
/// Colour of grid lines.
const GRID: &str = "#e3e3e3";

/// How large a chart is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// Width of the whole, in pixels; the height follows from the key.
    pub width: f64,
    /// Height of the plot area, in pixels.
    pub plot_height: f64,
}

impl Size {
    /// For pages and papers.
    pub const WIDE: Self = Self {
        width: 720.0,
        plot_height: 360.0,
    };
    /// For telephones.
    pub const NARROW: Self = Self {
        width: 360.0,
        plot_height: 260.0,
    };
}

/// What stands at the frame.
#[derive(Clone, Copy, Debug)]
pub struct Labels<'a> {
    /// Above the plot.
    pub title: &'a str,
    /// Below the horizontal axis.
    pub x: &'a str,
    /// Beside the vertical axis.
    pub y: &'a str,
}

/// The plot area and its axes.
#[derive(Clone, Debug)]
pub struct Frame {
    size: Size,
    title: Vec<String>,
    x_label: String,
    y_label: String,
    /// The horizontal axis.
    pub x: Scale,
    /// The vertical axis; its pixels grow downward.
    pub y: Scale,
}

impl Frame {
    /// A frame for values from 0 to `x_end` and `y_end`.
    pub fn new(size: Size, labels: Labels<'_>, x_end: f64, y_end: f64) -> Self {
        let x_tick = width(&format!("{x_end:.2}"), TICK_SIZE) + 22.0;
        Self::laid_out(
            size,
            labels,
            HEAD,
            |from, to| Scale::new(x_end, from, to, x_tick),
            |from, to| Scale::new(y_end, from, to, 44.0),
        )
    }

    /// A frame for just the values of `x` and `y`, with room for the marks of walls.
    pub fn over(size: Size, labels: Labels<'_>, x: Range, y: Range) -> Self {
        let x_tick = width(&format!("{:.2}", x.end), TICK_SIZE) + 22.0;
        Self::laid_out(
            size,
            labels,
            MARKED_HEAD,
            |from, to| Scale::over(x, from, to, x_tick),
            |from, to| Scale::over(y, from, to, 44.0),
        )
    }

    /// A frame for bars: the vertical axis has the names of `groups`, the first at the top.
    pub fn of_groups(size: Size, labels: Labels<'_>, groups: &[String], x: Range) -> Self {
        let x_tick = width(&format!("{:.2}", x.end), TICK_SIZE) + 22.0;
        Self::laid_out(
            size,
            labels,
            HEAD,
            |from, to| Scale::over(x, from, to, x_tick),
            |from, to| Scale::of_groups(groups, from, to),
        )
    }

    /// `x` and `y` make the axes between two pixels; `head` is the room below the title.
    fn laid_out(
        size: Size,
        labels: Labels<'_>,
        head: f64,
        x: impl Fn(f64, f64) -> Scale,
        y: impl Fn(f64, f64) -> Scale,
    ) -> Self {
        let title = title_lines(labels.title, size.width);
        let top = MARGIN + title.len() as f64 * TITLE_LINE + head;
        let y = y(top + size.plot_height, top);
        let ticks = y.ticks().iter().map(|(_, text)| width(text, TICK_SIZE));
        let widest = ticks.fold(0.0, f64::max);
        let left = (MARGIN + LABEL_SIZE + 12.0 + widest + 8.0).round();
        let right = size.width - MARGIN - 8.0;
        Self {
            size,
            title,
            x_label: labels.x.to_owned(),
            y_label: labels.y.to_owned(),
            x: x(left, right),
            y,
        }
    }

    /// The lowest pixel that the frame takes: what follows it starts here.
    pub fn bottom(&self) -> f64 {
        self.y.start_px() + 54.0
    }

    /// Space at the left and right of what stands below the plot.
    pub const fn margin() -> f64 {
        MARGIN
    }

    /// The root of a chart of `height` pixels, with its background and title. `id` names the plot
    /// area for [`Frame::clip`]; it must be unique on a page.
    pub fn begin(&self, svg: &mut Svg, id: &str, height: f64) {
        let whole = self.size.width;
        svg.open(root(whole, height, &self.title));
        self.clip_area(svg, id);
        svg.add(paper(whole, height));
        self.draw_title(svg);
    }

    /// The same for a part of a chart: its plot area by the name `id`, and its title.
    pub fn draw_head(&self, svg: &mut Svg, id: &str) {
        self.clip_area(svg, id);
        self.draw_title(svg);
    }

    fn clip_area(&self, svg: &mut Svg, id: &str) {
        svg.open(Element::new("clipPath").set("id", id));
        svg.add(self.plot_area());
        svg.close();
    }

    fn draw_title(&self, svg: &mut Svg) {
        draw_title(svg, &self.title, self.size.width);
    }

    /// Grid, ticks and labels.
    pub fn draw_axes(&self, svg: &mut Svg) {
        let (left, right) = (self.x.start_px(), self.x.end_px());
        let (bottom, top) = (self.y.start_px(), self.y.end_px());
        for (value, text) in self.x.ticks() {
            let x = self.x.px(*value);
            svg.add(grid_line(x, top, x, bottom));
            svg.add_text(label(x, bottom + 18.0, "middle", TICK_SIZE, INK), text);
        }
        for (value, text) in self.y.ticks() {
            let y = self.y.px(*value);
            svg.add(grid_line(left, y, right, y));
            svg.add_text(label(left - 8.0, y + 4.2, "end", TICK_SIZE, INK), text);
        }
        let middle = (left + right) / 2.0;
        svg.add_text(
            label(middle, bottom + 40.0, "middle", LABEL_SIZE, INK),
            &self.x_label,
        );
        let middle = (top + bottom) / 2.0;
        let turn = format!("translate({} {middle}) rotate(-90)", MARGIN + LABEL_SIZE);
        svg.add_text(
            label(0.0, 0.0, "middle", LABEL_SIZE, INK).set("transform", &turn),
            &self.y_label,
        );
    }

    /// The border of the plot area, over what was drawn inside.
    pub fn draw_border(&self, svg: &mut Svg) {
        svg.add(
            self.plot_area()
                .set("class", "axis")
                .set("fill", "none")
                .set("stroke", INK)
                .number("stroke-width", 1.0),
        );
    }

    /// A group whose content is cut off at the plot area.
    pub fn clip(id: &str) -> Element {
        Element::new("g").set("clip-path", &format!("url(#{id})"))
    }

    fn plot_area(&self) -> Element {
        Element::new("rect")
            .number("x", self.x.start_px())
            .number("y", self.y.end_px())
            .number("width", self.x.end_px() - self.x.start_px())
            .number("height", self.y.start_px() - self.y.end_px())
    }
}

/// The title above a chart of several panels.
#[derive(Clone, Debug)]
pub struct Head(Vec<String>);

impl Head {
    /// `title`, wrapped to `whole` pixels.
    pub fn new(title: &str, whole: f64) -> Self {
        Self(title_lines(title, whole))
    }

    /// The lowest pixel that it takes.
    pub fn bottom(&self) -> f64 {
        MARGIN + self.0.len() as f64 * TITLE_LINE
    }

    /// The root of a chart of `whole` by `height` pixels, with its background and this title.
    pub fn begin(&self, svg: &mut Svg, whole: f64, height: f64) {
        svg.open(root(whole, height, &self.0));
        svg.add(paper(whole, height));
        draw_title(svg, &self.0, whole);
    }
}

fn title_lines(title: &str, whole: f64) -> Vec<String> {
    wrap_evenly(title, TITLE_SIZE, (whole - 2.0 * MARGIN) / BOLD, 2)
}

fn draw_title(svg: &mut Svg, lines: &[String], whole: f64) {
    for (i, line) in lines.iter().enumerate() {
        let y = MARGIN + i as f64 * TITLE_LINE + TITLE_SIZE;
        let title = label(whole / 2.0, y, "middle", TITLE_SIZE, INK);
        svg.add_text(title.set("font-weight", "600"), line);
    }
}

fn root(whole: f64, height: f64, title: &[String]) -> Element {
    Element::new("svg")
        .set("xmlns", "http://www.w3.org/2000/svg")
        .number("width", whole)
        .number("height", height)
        .set("viewBox", &format!("0 0 {whole} {height}"))
        .set("role", "img")
        .set("aria-label", &title.join(" "))
        .set("font-family", FONT_FAMILY)
}

fn paper(whole: f64, height: f64) -> Element {
    Element::new("rect")
        .set("class", "paper")
        .number("width", whole)
        .number("height", height)
        .set("fill", "#ffffff")
}

/// A text element at a place; `anchor` is `start`, `middle` or `end`.
pub fn label(x: f64, y: f64, anchor: &str, size: f64, colour: &str) -> Element {
    let class = if colour == INK { "ink" } else { "faint" };
    Element::new("text")
        .set("class", class)
        .number("x", x)
        .number("y", y)
        .set("text-anchor", anchor)
        .number("font-size", size)
        .set("fill", colour)
}

fn grid_line(x1: f64, y1: f64, x2: f64, y2: f64) -> Element {
    line(
        Element::new("line").set("class", "grid"),
        (x1, y1),
        (x2, y2),
    )
    .set("stroke", GRID)
    .number("stroke-width", 1.0)
}

/// `element`, a line, between two places.
pub fn line(element: Element, from: (f64, f64), to: (f64, f64)) -> Element {
    element
        .number("x1", from.0)
        .number("y1", from.1)
        .number("x2", to.0)
        .number("y2", to.1)
}
