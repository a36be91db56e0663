//! Saturation as a wall: a hatched vertical line at the first load at which the network was not
//! stable. Between the last stable load and the wall nothing was measured, and nothing is drawn.

use super::frame::Frame;
use super::palette::Style;
use super::svg::{Element, Path, Svg};

/// Height of one stroke of the hatching, in pixels.
const STROKE: f64 = 8.0;
/// Radius of the markers above walls, in pixels.
const MARK_RADIUS: f64 = 3.2;
/// How far their middles are from the plot area, and from each other, in pixels.
const MARK_ABOVE: f64 = 6.0;
const MARK_STEP: f64 = 9.0;
/// Width of the hatching, in pixels.
pub const HATCH_WIDTH: f64 = 7.0;

/// The walls of all curves. Walls at one load share a line: their colours take turns along it.
pub fn draw_walls(svg: &mut Svg, frame: &Frame, walls: &[(Style, f64)]) {
    let mut drawn: Vec<f64> = Vec::new();
    for &(_, at) in walls {
        if drawn.contains(&at) {
            continue;
        }
        drawn.push(at);
        let here: Vec<Style> = walls.iter().filter(|w| w.1 == at).map(|w| w.0).collect();
        for (turn, &style) in here.iter().enumerate() {
            draw_wall(svg, frame, style, at, turn, here.len());
        }
    }
}

fn draw_wall(svg: &mut Svg, frame: &Frame, style: Style, at: f64, turn: usize, turns: usize) {
    let x = frame.x.px(at);
    let (top, bottom) = (frame.y.end_px(), frame.y.start_px());
    let strokes = ((bottom - top) / STROKE).ceil() as usize;
    let (mut line, mut hatching) = (Path::default(), Path::default());
    for i in (turn..strokes).step_by(turns) {
        let y = bottom - i as f64 * STROKE;
        line.move_to(x, y);
        line.line_to(x, (y - STROKE).max(top));
        hatching.move_to(x, y);
        hatching.line_to(x + HATCH_WIDTH, y - HATCH_WIDTH);
    }
    svg.add(style.stroke(Element::new("path").set("d", line.data()), 1.6, ""));
    svg.add(style.stroke(Element::new("path").set("d", hatching.data()), 0.8, ""));
}

/// The marker of the curve that ends at a wall, above it: whose it is shows without colour. Curves that
/// end at one wall have their markers side by side.
pub fn draw_wall_marks(svg: &mut Svg, frame: &Frame, walls: &[(Style, f64)]) {
    let shown = walls.iter().filter(|wall| frame.x.contains(wall.1));
    for (index, &(style, at)) in shown.enumerate() {
        let same = |wall: &&(Style, f64)| wall.1 == at;
        let all = walls.iter().filter(same).count() as f64;
        let before = walls.iter().filter(|wall| frame.x.contains(wall.1));
        let before = before.take(index).filter(same).count() as f64;
        let x = frame.x.px(at) + (before - (all - 1.0) / 2.0) * MARK_STEP;
        svg.add(style.marker(x, frame.y.end_px() - MARK_ABOVE, MARK_RADIUS, true));
    }
}
