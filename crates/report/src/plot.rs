//! Any values against any others: lines, markers with intervals, linear and logarithmic axes.
//!
//! Formulas are drawn as lines and measurements as markers, so that the two are told apart without
//! colour.

use super::curve::{Plotted, draw_bare_line, draw_intervals, draw_line, draw_markers};
use super::frame::{Frame, Labels, Size};
use super::key::{Entry, Key};
use super::notes::{ARROWS, BANDS, MARKED_WALLS, OPEN_MARKERS};
use super::palette::Style;
use super::scale::{Range, round_above, round_below};
use super::svg::Svg;
use super::wall::{draw_wall_marks, draw_walls};
use flitsim_measure::point::Status;
use flitsim_sweep::results::number::{brief, with_interval};

pub use super::key::Drawing;

/// The room left above the largest value of an axis without an end, as a share of it.
const HEADROOM: f64 = 0.05;

/// An axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What is shown, with its unit.
    pub label: String,
    /// The value at its start; where `None`, 0, or on a logarithmic axis a round number below the
    /// least value drawn.
    pub from: Option<f64>,
    /// The value at its end; where `None`, all is drawn.
    pub to: Option<f64>,
    /// Whether equal ratios have equal lengths.
    pub logarithmic: bool,
}

/// A point of a plot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlotPoint {
    /// Where along the horizontal axis.
    pub x: f64,
    /// The value; `None` where there is none, which breaks the line.
    pub y: Option<f64>,
    /// Half-width of its 95 % confidence interval; 0 where it has none.
    pub half_width: f64,
    /// How its simulation ended; `None` where it was not simulated.
    pub status: Option<Status>,
}

impl PlotPoint {
    /// Whether the network was not stable.
    fn is_unstable(&self) -> bool {
        matches!(self.status, Some(Status::Saturated | Status::Deadlock))
    }

    /// Whether the simulation was stopped before the wanted precision.
    fn is_stopped(&self) -> bool {
        self.status == Some(Status::MaxCycles)
    }
}

/// One curve.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotSeries {
    /// The name in the key.
    pub name: String,
    /// What of it is drawn.
    pub drawing: Drawing,
    /// Which colour, dashes and marker it has, from 0: a formula and the measurements of one network
    /// share them.
    pub look: usize,
    /// Its points, in the order in which the line joins them.
    pub points: Vec<PlotPoint>,
}

/// A plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// Above it.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The curves, in the order of the key.
    pub series: Vec<PlotSeries>,
    /// Whether the horizontal axis is a load: a curve without values from some load on then ends at a
    /// wall there.
    pub over_load: bool,
    /// Whether the points' half-widths are those of 95 % confidence intervals.
    pub confidence: bool,
    /// Below the key, before what the marks mean; may be empty.
    pub note: String,
}

impl Plot {
    /// The plot as SVG. `id` names it on its page.
    pub fn draw(&self, size: Size, id: &str) -> String {
        let labels = Labels {
            title: &self.title,
            x: &self.x.label,
            y: &self.y.label,
        };
        let points = || self.series.iter().flat_map(|series| &series.points);
        let walls = self.walls();
        let drawn = points().filter(|p| p.y.is_some()).map(|p| p.x);
        let x = range(&self.x, drawn.chain(walls.iter().map(|wall| wall.1)));
        let tops = points().filter_map(|p| p.y.map(|y| y + p.half_width));
        let y = range(&self.y, tops.chain(points().filter_map(|p| p.y)));
        let frame = Frame::over(size, labels, x, y);
        let entries = self.series.iter().map(|series| Entry {
            style: Style::of(series.look),
            drawing: series.drawing,
            name: series.name.clone(),
            cells: Vec::new(),
        });
        let note = self.notes(&frame, !walls.is_empty());
        let key = Key::new(&[], entries.collect(), &note, size.width);
        let mut svg = Svg::default();
        frame.begin(&mut svg, id, (frame.bottom() + key.height()).ceil());
        frame.draw_axes(&mut svg);
        let open = self.shows_unstable();
        svg.open(Frame::clip(id));
        draw_walls(&mut svg, &frame, &walls);
        for series in &self.series {
            let (style, points) = (Style::of(series.look), series.plotted(open));
            match series.drawing {
                Drawing::Both => draw_line(&mut svg, &frame, style, &points),
                Drawing::Line => draw_bare_line(&mut svg, &frame, style, &points),
                Drawing::Markers => draw_intervals(&mut svg, &frame, style, &points),
            }
        }
        svg.close();
        frame.draw_border(&mut svg);
        draw_wall_marks(&mut svg, &frame, &walls);
        for series in &self.series {
            if series.drawing != Drawing::Line {
                draw_markers(
                    &mut svg,
                    &frame,
                    Style::of(series.look),
                    &series.plotted(open),
                );
            }
        }
        key.draw(&mut svg, frame.bottom());
        svg.close();
        svg.finish()
    }

    /// The points of the curve `name`; where there is none yet, `new` says what is drawn of it and its
    /// look.
    pub fn points_of(
        &mut self,
        name: String,
        new: impl FnOnce() -> (Drawing, usize),
    ) -> &mut Vec<PlotPoint> {
        let known = self.series.iter().position(|series| series.name == name);
        let index = known.unwrap_or(self.series.len());
        if known.is_none() {
            let (drawing, look) = new();
            self.series.push(PlotSeries {
                name,
                drawing,
                look,
                points: Vec::new(),
            });
        }
        &mut self.series[index].points
    }

    /// The walls, and whose they are.
    fn walls(&self) -> Vec<(Style, f64)> {
        let series = self.series.iter().filter(|_| self.over_load);
        series
            .filter_map(|series| Some((Style::of(series.look), series.wall()?)))
            .collect()
    }

    /// Whether markers stand where the network was not stable. They are open then, and those of
    /// simulations stopped early are not: what is accepted at saturation is what such a plot is about.
    fn shows_unstable(&self) -> bool {
        let points = self.series.iter().filter(|s| s.drawing != Drawing::Line);
        let mut points = points.flat_map(|series| &series.points);
        points.any(|point| point.y.is_some() && point.is_unstable())
    }

    /// The note, and what the marks that are drawn mean.
    fn notes(&self, frame: &Frame, has_walls: bool) -> String {
        let with = |drawing: Drawing| {
            let series = self.series.iter();
            series.filter(move |series| series.drawing == drawing)
        };
        let any = |drawing: Drawing, is: &dyn Fn(&PlotPoint) -> bool| {
            let mut points = with(drawing).flat_map(|series| &series.points);
            points.any(|point| point.y.is_some() && is(point))
        };
        let marked =
            |is: &dyn Fn(&PlotPoint) -> bool| any(Drawing::Both, is) || any(Drawing::Markers, is);
        let has_interval = |point: &PlotPoint| self.confidence && point.half_width > 0.0;
        let is_above = |point: &PlotPoint| {
            frame.x.contains(point.x) && point.y.is_some_and(|y| frame.y.is_beyond(y))
        };
        let mut notes = vec![self.note.as_str()];
        if any(Drawing::Both, &has_interval) {
            notes.push(BANDS);
        } else if any(Drawing::Markers, &has_interval) {
            notes.push("Bars: 95 % confidence intervals.");
        }
        if has_walls {
            notes.push(MARKED_WALLS);
        }
        if self.shows_unstable() {
            notes.push("Open markers: saturated.");
        } else if marked(&PlotPoint::is_stopped) {
            notes.push(OPEN_MARKERS);
        }
        if marked(&is_above) {
            notes.push(ARROWS);
        }
        notes.retain(|note| !note.is_empty());
        notes.join(" ")
    }
}

/// Whether `column` of the results is a load, from low to high.
pub fn is_load(column: &str) -> bool {
    ["load", "offered_flits"].contains(&column)
}

impl PlotSeries {
    /// The first load at which the network was not stable and nothing can be drawn.
    fn wall(&self) -> Option<f64> {
        let unstable = self.points.iter().filter(|point| point.is_unstable());
        let places = unstable
            .filter(|point| point.y.is_none())
            .map(|point| point.x);
        places.reduce(f64::min)
    }

    fn plotted(&self, shows_unstable: bool) -> Vec<Plotted> {
        let points = self.points.iter().map(|point| Plotted {
            x: point.x,
            y: point.y,
            half_width: point.half_width,
            filled: if shows_unstable {
                !point.is_unstable()
            } else {
                !point.is_stopped()
            },
            tooltip: point.y.map_or_else(String::new, |y| {
                let y = with_interval(y, point.half_width);
                format!("{}: {}, {y}", self.name, brief(point.x, 4))
            }),
        });
        points.collect()
    }
}

/// What `axis` shows of `values`.
fn range(axis: &Axis, values: impl Iterator<Item = f64>) -> Range {
    let is_drawn = |value: &f64| value.is_finite() && (!axis.logarithmic || *value > 0.0);
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut whole = true;
    for value in values.filter(is_drawn) {
        (least, most) = (least.min(value), most.max(value));
        whole &= value.fract() == 0.0;
    }
    // Round numbers at the ends of a logarithmic axis: no marker on its border, and a tick there.
    let (start, end) = if !axis.logarithmic {
        (least.min(0.0), most + HEADROOM * most.abs())
    } else if least <= most {
        (round_below(least), round_above(most))
    } else {
        (least, most)
    };
    Range {
        start: axis.from.unwrap_or(start),
        end: axis.to.unwrap_or(end),
        logarithmic: axis.logarithmic,
        whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(name: &str, drawing: Drawing, values: &[(f64, f64)]) -> PlotSeries {
        let points = values.iter().map(|&(x, y)| PlotPoint {
            x,
            y: y.is_finite().then_some(y),
            half_width: if drawing == Drawing::Line { 0.0 } else { 1.0 },
            status: None,
        });
        PlotSeries {
            name: name.to_owned(),
            drawing,
            look: 0,
            points: points.collect(),
        }
    }

    fn plot(logarithmic: bool, series: Vec<PlotSeries>) -> String {
        let axis = |label: &str| Axis {
            label: label.to_owned(),
            logarithmic,
            ..Axis::default()
        };
        let plot = Plot {
            title: "Pins & <wires>".to_owned(),
            x: axis("dimension"),
            y: axis("pins per node"),
            series,
            over_load: true,
            confidence: true,
            note: "A note.".to_owned(),
        };
        plot.draw(Size::WIDE, "plot")
    }

    #[test]
    fn a_formula_is_a_line_and_a_measurement_a_marker() {
        let values = [(2.0, 32.0), (4.0, 16.0), (8.0, 16.0)];
        let model = plot(false, vec![series("model", Drawing::Line, &values)]);
        let measured = plot(false, vec![series("measured", Drawing::Markers, &values)]);
        let both = plot(false, vec![series("both", Drawing::Both, &values)]);
        let count = |text: &str, what: &str| text.matches(what).count();
        for (text, markers, bands) in [(&model, 0, 0), (&measured, 4, 0), (&both, 4, 1)] {
            assert!(roxmltree::Document::parse(text).is_ok());
            // Three points and the sample in the key.
            assert_eq!(count(text, "<circle"), markers);
            assert_eq!(count(text, "fill-opacity"), bands);
            assert!(text.contains("pins per node") && text.contains("Pins &amp; &lt;wires&gt;"));
        }
        assert!(measured.contains("measured: 2, 32.0 ± 1.0"));
    }

    #[test]
    fn a_curve_that_saturates_ends_at_a_wall() {
        let mut curve = series(
            "a",
            Drawing::Both,
            &[(0.1, 20.0), (0.2, 30.0), (0.4, f64::NAN)],
        );
        curve.points[1].status = Some(Status::MaxCycles);
        let hollow = "\"hollow c0\"";
        let without = plot(false, vec![curve.clone()]);
        assert!(!without.contains("Hatched"));
        assert!(without.contains(hollow));
        curve.points[2].status = Some(Status::Saturated);
        let with = plot(false, vec![curve.clone()]);
        assert!(with.contains("Hatched walls"));
        // Two points, the sample in the key, and the mark of the wall.
        assert_eq!(with.matches("<circle").count(), 4);
        // The axis goes on to the wall.
        let has_tick = |text: &str| text.contains(">0.40<");
        assert!(has_tick(&with) && !has_tick(&without));
        // What saturated and has a value is an open marker, and no wall.
        curve.points[2].y = Some(31.0);
        let accepted = plot(false, vec![curve.clone()]);
        assert!(!accepted.contains("Hatched") && accepted.contains("Open markers: saturated"));
        assert_eq!(accepted.matches(hollow).count(), 1);
    }

    #[test]
    fn nothing_to_draw_is_an_empty_frame() {
        for logarithmic in [false, true] {
            for values in [
                vec![],
                vec![(1.0, f64::NAN)],
                vec![(0.0, 0.0)],
                vec![(5.0, 5.0)],
            ] {
                let text = plot(logarithmic, vec![series("a", Drawing::Both, &values)]);
                assert!(roxmltree::Document::parse(&text).is_ok());
                assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
            }
        }
    }
}
