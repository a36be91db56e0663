//! The two charts of a sweep: latency against offered load, and accepted against offered load.
//!
//! The latency axis is chosen from stable points only, and low enough that the flat part of the
//! curves stays readable; what is higher leaves at the top, with an arrow.

use super::curve::{Plotted, draw_line, draw_markers};
use super::figure::{Curve, FLITS, Figure};
use super::frame::{FAINT_INK, Frame, Labels, Size, line};
use super::key::{Drawing, Entry, Key};
use super::notes::{ARROWS, BANDS, OPEN_MARKERS, WALLS};
use super::palette::Style;
use super::svg::{Element, Svg};
use super::wall::draw_walls;
use flitsim_measure::point::Status;
use flitsim_sweep::results::number::{brief, with_interval};

/// The latency axis shows at least this many times the largest zero-load latency.
const LEAST_OVER_BASE: f64 = 3.0;
/// And at most this many times.
const MOST_OVER_BASE: f64 = 8.0;

/// Mean latency against offered load, or what stands for it in a workload. `id` names the chart on its page.
pub fn latency(figure: &Figure, size: Size, id: &str) -> String {
    let x_name = if figure.is_open_loop() {
        "offered load"
    } else {
        "amount"
    };
    let x_label = format!("{x_name} ({})", figure.load_unit);
    let y_label = format!("{} (cycles)", figure.time().name());
    let labels = Labels {
        title: &figure.title,
        x: &x_label,
        y: &y_label,
    };
    // Room for the hatching of the last wall.
    let x_end = loads_end(figure) * 1.03;
    let frame = Frame::new(size, labels, x_end, latency_end(figure));
    let key = latency_key(figure, size, &frame);
    let mut svg = Svg::default();
    begin(&mut svg, &frame, &key, id);
    let walls: Vec<(Style, f64)> = styled(figure)
        .filter_map(|(style, curve)| Some((style, curve.first_unstable()?.load)))
        .collect();
    svg.open(Frame::clip(id));
    draw_walls(&mut svg, &frame, &walls);
    for (style, curve) in styled(figure) {
        draw_zero_load(&mut svg, &frame, style, curve);
        draw_line(&mut svg, &frame, style, &latency_points(figure, curve));
    }
    svg.close();
    frame.draw_border(&mut svg);
    for (style, curve) in styled(figure) {
        draw_markers(&mut svg, &frame, style, &latency_points(figure, curve));
    }
    end(svg, &frame, &key)
}

/// Accepted load against offered load, both in flits per node per cycle; or, where no load is asked
/// for, against the amount of what is to be delivered.
pub fn accepted(figure: &Figure, size: Size, id: &str) -> String {
    let points = || figure.curves.iter().flat_map(|curve| &curve.points);
    let asked = figure.is_open_loop();
    let x_of = |p: &super::CurvePoint| if asked { p.offered_flits } else { p.load };
    let offered_end = points().map(x_of).fold(0.0, f64::max);
    let accepted_end = points()
        .filter_map(|p| p.accepted_flits.map(|a| a + p.accepted_ci95))
        .fold(0.0, f64::max);
    let x_label = if asked {
        format!("offered load ({FLITS})")
    } else {
        format!("amount ({})", figure.load_unit)
    };
    let y_label = format!("accepted load ({FLITS})");
    let labels = Labels {
        title: &figure.title,
        x: &x_label,
        y: &y_label,
    };
    let y_end = if accepted_end > 0.0 {
        accepted_end
    } else {
        offered_end
    };
    let frame = Frame::new(size, labels, offered_end * 1.03, y_end * 1.08);
    let key = accepted_key(figure, size);
    let mut svg = Svg::default();
    begin(&mut svg, &frame, &key, id);
    svg.open(Frame::clip(id));
    if asked {
        draw_diagonal(&mut svg, &frame);
    }
    for (style, curve) in styled(figure) {
        draw_line(&mut svg, &frame, style, &accepted_points(curve, x_of));
    }
    svg.close();
    frame.draw_border(&mut svg);
    for (style, curve) in styled(figure) {
        draw_markers(&mut svg, &frame, style, &accepted_points(curve, x_of));
    }
    end(svg, &frame, &key)
}

/// Where all that is offered is accepted.
fn draw_diagonal(svg: &mut Svg, frame: &Frame) {
    let far = frame.x.end().min(frame.y.end());
    let place = |load: f64| (frame.x.px(load), frame.y.px(load));
    let guide = Element::new("line").set("class", "guide");
    svg.add(
        line(guide, place(0.0), place(far))
            .set("stroke", FAINT_INK)
            .number("stroke-width", 1.0)
            .set("stroke-dasharray", "2 3"),
    );
}

fn begin(svg: &mut Svg, frame: &Frame, key: &Key, id: &str) {
    frame.begin(svg, id, (frame.bottom() + key.height()).ceil());
    frame.draw_axes(svg);
}

fn end(mut svg: Svg, frame: &Frame, key: &Key) -> String {
    key.draw(&mut svg, frame.bottom());
    svg.close();
    svg.finish()
}

fn styled(figure: &Figure) -> impl Iterator<Item = (Style, &Curve)> {
    let curves = figure.curves.iter().enumerate();
    curves.map(|(index, curve)| (Style::of(index), curve))
}

/// Where the loads of the latency chart end: at the last wall, or at the last load of a series that
/// has none.
fn loads_end(figure: &Figure) -> f64 {
    let ends = figure.curves.iter().filter_map(|curve| {
        let end = curve.first_unstable().or(curve.points.last());
        end.map(|point| point.load)
    });
    ends.fold(0.0, f64::max)
}

/// Where the latency axis ends.
fn latency_end(figure: &Figure) -> f64 {
    let stable = figure.curves.iter().flat_map(|curve| {
        let mean = |p: &super::CurvePoint| p.latency.map(|mean| mean + p.latency_ci95);
        curve.points.iter().filter_map(mean)
    });
    let highest = stable.fold(0.0, f64::max);
    if !figure.is_open_loop() && highest > 0.0 {
        // No wall ends these curves: every point is shown.
        return 1.1 * highest;
    }
    let base = figure
        .curves
        .iter()
        .filter_map(|curve| {
            let least = curve.points.iter().filter_map(|point| point.latency);
            curve.zero_load_cycles.or(least.reduce(f64::min))
        })
        .fold(0.0, f64::max);
    let end = (1.1 * highest).clamp(LEAST_OVER_BASE * base, MOST_OVER_BASE * base);
    let limit = figure.latency_limit_cycles.max(1.25 * base);
    if end > 0.0 { end.min(limit) } else { limit }
}

fn latency_points(figure: &Figure, curve: &Curve) -> Vec<Plotted> {
    let points = curve.points.iter().map(|point| Plotted {
        x: point.load,
        y: point.latency,
        half_width: point.latency_ci95,
        filled: point.status == Status::Converged,
        tooltip: point.latency.map_or_else(String::new, |mean| {
            format!(
                "{}: {} cycles at {} {}",
                curve.name,
                with_interval(mean, point.latency_ci95),
                brief(point.load, 4),
                figure.load_unit,
            )
        }),
    });
    points.collect()
}

fn accepted_points(curve: &Curve, x_of: impl Fn(&super::CurvePoint) -> f64) -> Vec<Plotted> {
    let points = curve.points.iter().map(|point| Plotted {
        x: x_of(point),
        y: point.accepted_flits,
        half_width: point.accepted_ci95,
        filled: !matches!(point.status, Status::Saturated | Status::Deadlock),
        tooltip: format!(
            "{}: accepts {} of {} {FLITS}, {}",
            curve.name,
            brief(point.accepted_flits.unwrap_or(f64::NAN), 4),
            brief(point.offered_flits, 4),
            point.status.as_str(),
        ),
    });
    points.collect()
}

/// A bar on the axis, and a thin line to the first point of the curve.
fn draw_zero_load(svg: &mut Svg, frame: &Frame, style: Style, curve: &Curve) {
    let Some(cycles) = curve.zero_load_cycles else {
        return;
    };
    let (axis, y) = (frame.x.start_px(), frame.y.px(cycles));
    let level = |to: f64| line(Element::new("line"), (axis, y), (to, y));
    svg.add(style.stroke(level(axis + 9.0), 3.0, ""));
    let first = curve.points.first().filter(|p| p.latency.is_some());
    if let Some(first) = first {
        svg.add(style.stroke(level(frame.x.px(first.load)), 0.9, "4 3"));
    }
}

fn latency_key(figure: &Figure, size: Size, frame: &Frame) -> Key {
    let load = |point: Option<&super::CurvePoint>| {
        point.map_or_else(|| "–".to_owned(), |point| brief(point.load, 4))
    };
    let entries = styled(figure).map(|(style, curve)| {
        let wall = curve.first_unstable();
        let mut from = load(wall);
        if wall.is_some_and(|point| point.status == Status::Deadlock) {
            from.push('†');
        }
        let cycles = curve.zero_load_cycles.unwrap_or(f64::NAN);
        Entry {
            drawing: Drawing::Both,
            style,
            name: curve.name.clone(),
            cells: vec![brief(cycles, 4), load(curve.last_stable()), from],
        }
    });
    let notes = latency_notes(figure, frame);
    Key::new(
        &[
            ["zero load", "(cycles)"],
            ["stable", "up to"],
            ["saturated", "from"],
        ],
        entries.collect(),
        &notes,
        size.width,
    )
}

/// What the marks of the latency chart mean; only those that it has.
fn latency_notes(figure: &Figure, frame: &Frame) -> String {
    let points = || figure.curves.iter().flat_map(|curve| &curve.points);
    let any = |status: Status| points().any(|point| point.status == status);
    let above = |latency: f64| !frame.y.contains(latency);
    let mut notes = vec![BANDS];
    if figure.curves.iter().any(|c| c.zero_load_cycles.is_some()) {
        notes.push("Bars on the left axis: latency at zero load.");
    }
    if figure.curves.iter().any(|c| c.first_unstable().is_some()) {
        notes.push(WALLS);
    }
    if any(Status::Deadlock) {
        notes.push("†: deadlock.");
    }
    if any(Status::MaxCycles) {
        notes.push(OPEN_MARKERS);
    }
    if points().any(|point| point.latency.is_some_and(above)) {
        notes.push(ARROWS);
    }
    notes.join(" ")
}

fn accepted_key(figure: &Figure, size: Size) -> Key {
    let entries = styled(figure).map(|(style, curve)| {
        let accepted = curve.points.iter().filter_map(|p| p.accepted_flits);
        let last = curve.points.last();
        let number = |value: Option<f64>| brief(value.unwrap_or(f64::NAN), 4);
        Entry {
            drawing: Drawing::Both,
            style,
            name: curve.name.clone(),
            cells: vec![
                number(accepted.reduce(f64::max)),
                number(last.and_then(|point| point.accepted_flits)),
            ],
        }
    });
    Key::new(
        &[["accepted", "at most"], ["accepted at", "the last load"]],
        entries.collect(),
        if figure.is_open_loop() {
            "Dashed diagonal: all that is offered is accepted. Open markers: saturated. Bands: \
                 95 % confidence intervals."
        } else {
            BANDS
        },
        size.width,
    )
}
