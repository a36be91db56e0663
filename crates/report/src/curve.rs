//! Draws one curve: its confidence band, its line and its markers.

use super::frame::Frame;
use super::palette::Style;
use super::svg::{Element, Path, Svg};

const MARKER_RADIUS: f64 = 3.8;

/// A point to draw, in values of the axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Plotted {
    /// Where along the horizontal axis.
    pub x: f64,
    /// The value; `None` where there is none, which breaks the line.
    pub y: Option<f64>,
    /// Half-width of its 95 % confidence interval.
    pub half_width: f64,
    /// Whether its marker is filled.
    pub filled: bool,
    /// What the marker says when pointed at.
    pub tooltip: String,
}

/// A point that has a value, in pixels.
#[derive(Clone, Copy, Debug)]
struct Pixel {
    x: f64,
    y: f64,
    low: f64,
    high: f64,
}

/// The band and the line, to be drawn inside the clipped plot area.
pub fn draw_line(svg: &mut Svg, frame: &Frame, style: Style, points: &[Plotted]) {
    for run in runs(frame, points) {
        if let [alone] = run[..] {
            draw_bars(svg, style, &[alone]);
            continue;
        }
        let mut band = Path::default();
        band.move_to(run[0].x, run[0].high);
        for pixel in &run[1..] {
            band.line_to(pixel.x, pixel.high);
        }
        for pixel in run.iter().rev() {
            band.line_to(pixel.x, pixel.low);
        }
        band.close();
        svg.add(
            Element::new("path")
                .set("class", &style.class("band"))
                .set("d", band.data())
                .set("fill", &style.colour())
                .set("fill-opacity", "0.2"),
        );
        draw_path(svg, style, &run);
    }
}

/// The line alone: of values without intervals.
pub fn draw_bare_line(svg: &mut Svg, frame: &Frame, style: Style, points: &[Plotted]) {
    for run in runs(frame, points) {
        draw_path(svg, style, &run);
    }
}

/// A bar for the interval of each point: for points that no line joins.
pub fn draw_intervals(svg: &mut Svg, frame: &Frame, style: Style, points: &[Plotted]) {
    for run in runs(frame, points) {
        draw_bars(svg, style, &run);
    }
}

fn draw_path(svg: &mut Svg, style: Style, run: &[Pixel]) {
    let mut line = Path::default();
    line.move_to(run[0].x, run[0].y);
    for pixel in &run[1..] {
        line.line_to(pixel.x, pixel.y);
    }
    let line = Element::new("path")
        .set("d", line.data())
        .set("stroke-linejoin", "round");
    svg.add(style.stroke(line, 1.8, style.dashes()));
}

fn draw_bars(svg: &mut Svg, style: Style, pixels: &[Pixel]) {
    for pixel in pixels {
        let mut path = Path::default();
        path.move_to(pixel.x, pixel.low);
        path.line_to(pixel.x, pixel.high);
        svg.add(style.stroke(Element::new("path").set("d", path.data()), 1.5, ""));
    }
}

/// The markers; a point above the plot area gets a small arrow at its upper edge.
pub fn draw_markers(svg: &mut Svg, frame: &Frame, style: Style, points: &[Plotted]) {
    for point in points {
        let Some(y) = point.y.filter(|_| frame.x.contains(point.x)) else {
            continue;
        };
        let x = frame.x.px(point.x);
        let marker = if frame.y.contains(y) {
            style.marker(x, frame.y.px(y), MARKER_RADIUS, point.filled)
        } else if !frame.y.is_beyond(y) {
            continue;
        } else {
            let top = frame.y.end_px();
            let mut arrow = Path::default();
            arrow.move_to(x - 4.0, top + 9.0);
            arrow.line_to(x, top + 2.0);
            arrow.line_to(x + 4.0, top + 9.0);
            style.stroke(Element::new("path").set("d", arrow.data()), 1.8, "")
        };
        svg.add_with_tooltip(marker, &point.tooltip);
    }
}

/// Neighbouring points that have values, in pixels.
fn runs(frame: &Frame, points: &[Plotted]) -> Vec<Vec<Pixel>> {
    points
        .split(|point| point.y.is_none())
        .map(|run| {
            run.iter()
                .filter_map(|point| {
                    let y = point.y?;
                    Some(Pixel {
                        x: frame.x.px(point.x),
                        y: frame.y.px(y),
                        low: frame.y.px((y - point.half_width).max(0.0)),
                        high: frame.y.px(y + point.half_width),
                    })
                })
                .collect::<Vec<_>>()
        })
        .filter(|run| !run.is_empty())
        .collect()
}
