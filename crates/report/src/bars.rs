//! Bars: values of things that have no order, one below the other, each with its value written at its end.
//!
//! Colour and the marker at its end tell whose bar it is, so that the key is that of a plot.

use super::frame::{Frame, INK, Labels, Size, label};
use super::notes::OPEN_MARKERS;
use super::palette::Style;
use super::plot::{Plot, PlotPoint, PlotSeries, range};
use super::svg::{Element, Path, Svg};
use super::text::width;
use flitsim_sweep::results::number::{brief, with_interval};

/// Height of a bar with the room around it, in pixels.
const ROW: f64 = 18.0;
const THICKNESS: f64 = 10.0;
/// Room between two groups, in pixels.
const GAP: f64 = 12.0;
const TEXT_SIZE: f64 = 11.0;
const MARKER_RADIUS: f64 = 3.8;
/// Between the end of a bar and its value, in pixels.
const BESIDE: f64 = 9.0;
/// The room beyond the longest bar for its value, as a share of that bar.
const HEADROOM: f64 = 0.2;

/// `plot` as SVG, with a group of bars for each of `groups`, which its points' horizontal values count
/// from 0; its vertical axis is the one along the bars. `id` names it on its page.
pub fn draw(plot: &Plot, groups: &[String], width: f64, id: &str) -> String {
    let group = plot.series.len() as f64 * ROW + GAP;
    let size = Size {
        width,
        plot_height: groups.len() as f64 * group,
    };
    let labels = Labels {
        title: &plot.title,
        x: &plot.y.label,
        y: &plot.x.label,
    };
    let values = plot.series.iter().flat_map(|series| &series.points);
    let tops = values.filter_map(|point| Some(point.y? + point.half_width));
    let mut along = range(&plot.y, tops.clone());
    if plot.y.to.is_none() && !plot.y.logarithmic {
        along.end = (1.0 + HEADROOM) * tops.fold(0.0, f64::max);
    }
    let frame = Frame::of_groups(size, labels, groups, along);
    let key = plot.key(&notes(plot), width);
    let mut svg = Svg::default();
    frame.begin(&mut svg, id, (frame.bottom() + key.height()).ceil());
    frame.draw_axes(&mut svg);
    frame.draw_border(&mut svg);
    for (place, series) in plot.series.iter().enumerate() {
        let beside = (place as f64 - (plot.series.len() - 1) as f64 / 2.0) * ROW;
        for point in &series.points {
            let middle = frame.y.px(groups.len() as f64 - point.x - 0.5);
            draw_bar(
                &mut svg,
                &frame,
                series,
                point,
                (middle + beside, plot.shows_unstable()),
            );
        }
    }
    key.draw(&mut svg, frame.bottom());
    svg.close();
    svg.finish()
}

/// A bar along pixel `y`, what it says, and how sure that is; where `open`, the marker is that of a
/// saturated point.
fn draw_bar(
    svg: &mut Svg,
    frame: &Frame,
    series: &PlotSeries,
    point: &PlotPoint,
    (y, open): (f64, bool),
) {
    let style = Style::of(series.look);
    let start = frame.x.start_px();
    let Some(value) = point.y else {
        if point.is_unstable() {
            svg.add_text(
                label(start + BESIDE, y + 4.0, "start", TEXT_SIZE, INK),
                "saturated",
            );
        }
        return;
    };
    let end_of = |value: f64| frame.x.px(value).clamp(start, frame.x.end_px());
    let end = end_of(value);
    let bar = Element::new("rect")
        .set("class", &style.class("band"))
        .number("x", start)
        .number("y", y - THICKNESS / 2.0)
        .number("width", end - start)
        .number("height", THICKNESS)
        .set("fill", &style.colour())
        .set("fill-opacity", "0.35");
    svg.add(bar);
    let (low, high) = (
        end_of(value - point.half_width),
        end_of(value + point.half_width),
    );
    if point.half_width > 0.0 {
        let mut path = Path::default();
        path.move_to(low, y);
        path.line_to(high, y);
        svg.add(style.stroke(Element::new("path").set("d", path.data()), 1.5, ""));
    }
    let text = if point.half_width > 0.0 {
        with_interval(value, point.half_width)
    } else {
        brief(value, 4)
    };
    let filled = if open {
        !point.is_unstable()
    } else {
        !point.is_stopped()
    };
    let marker = style.marker(end, y, MARKER_RADIUS, filled);
    svg.add_with_tooltip(marker, &format!("{}: {text}", series.name));
    // Where there is no room beyond the bar, its value stands on it.
    let after = high.max(end + MARKER_RADIUS - 1.0) + BESIDE - MARKER_RADIUS;
    let (at, anchor) = if after + width(&text, TEXT_SIZE) < frame.x.end_px() {
        (after, "start")
    } else {
        (low.min(end) - BESIDE, "end")
    };
    svg.add_text(label(at, y + 4.0, anchor, TEXT_SIZE, INK), &text);
}

fn notes(plot: &Plot) -> String {
    let mut points = plot.series.iter().flat_map(|series| &series.points);
    let mut notes = vec![plot.note.as_str()];
    if points
        .clone()
        .any(|point| point.y.is_some() && point.half_width > 0.0)
    {
        notes.push("±: 95 % confidence intervals.");
    }
    if plot.shows_unstable() {
        notes.push("Open markers: saturated.");
    } else if points.any(|point| point.y.is_some() && point.is_stopped()) {
        notes.push(OPEN_MARKERS);
    }
    notes.retain(|note| !note.is_empty());
    notes.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Axis, Drawing};
    use flitsim_measure::point::Status;

    fn plot(values: &[(Option<f64>, Option<Status>)]) -> String {
        let points = values
            .iter()
            .enumerate()
            .map(|(i, &(y, status))| PlotPoint {
                x: i as f64,
                y,
                half_width: 0.5,
                status,
            });
        let plot = Plot {
            title: "Hops".to_owned(),
            x: Axis::default(),
            y: Axis {
                label: "hops".to_owned(),
                ..Axis::default()
            },
            series: vec![PlotSeries {
                name: "mean".to_owned(),
                drawing: Drawing::Bars,
                look: 0,
                points: points.collect(),
            }],
            over_load: false,
            confidence: true,
            note: "A note.".to_owned(),
            without_key: false,
            without_note: false,
        };
        let groups: Vec<String> = (0..values.len()).map(|i| format!("<group {i}>")).collect();
        draw(&plot, &groups, 720.0, "bars")
    }

    #[test]
    fn every_value_has_its_bar_and_its_text() {
        let text = plot(&[(Some(12.0), None), (Some(3.0), None)]);
        assert!(roxmltree::Document::parse(&text).is_ok());
        assert_eq!(text.matches("fill-opacity").count(), 2);
        for part in [
            "12.00 ± 0.50",
            "&lt;group 1&gt;",
            "A note. ±: 95 %",
            "mean: 3.00 ± 0.50",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn what_saturated_says_so() {
        let saturated = Some(Status::Saturated);
        let text = plot(&[(None, saturated), (Some(3.0), None)]);
        assert!(text.contains(">saturated<") && !text.contains("Open markers"));
        let text = plot(&[(Some(2.0), saturated), (Some(3.0), None)]);
        assert!(text.contains("Open markers: saturated."));
        assert_eq!(text.matches("\"hollow c0\"").count(), 1);
        let text = plot(&[(Some(2.0), Some(Status::MaxCycles))]);
        assert!(text.contains(OPEN_MARKERS));
    }

    #[test]
    fn nothing_to_draw_is_an_empty_frame() {
        for values in [&[][..], &[(None, None)], &[(Some(0.0), None)]] {
            let text = plot(values);
            assert!(roxmltree::Document::parse(&text).is_ok());
            assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        }
    }
}
