//! Any values against any others: lines, markers with intervals, linear and logarithmic axes.
//!
//! Formulas are drawn as lines and measurements as markers, so that the two are told apart without
//! colour.

use super::curve::{Plotted, draw_bare_line, draw_intervals, draw_line, draw_markers};
use super::frame::{Frame, Head, Labels, Size};
use super::key::{Entry, Key};
use super::notes::{ARROWS, BANDS, MARKED_WALLS, OPEN_MARKERS};
use super::palette::Style;
use super::scale::{Range, round_above, round_below};
use super::svg::{Element, Svg};
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
    pub(crate) fn is_unstable(&self) -> bool {
        matches!(self.status, Some(Status::Saturated | Status::Deadlock))
    }

    /// Whether the simulation was stopped before the wanted precision.
    pub(crate) fn is_stopped(&self) -> bool {
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
    /// Whether the key is left out.
    pub without_key: bool,
    /// Whether the notes are left out.
    pub without_note: bool,
}

impl Plot {
    /// The plot as SVG. `id` names it on its page.
    pub fn draw(&self, size: Size, id: &str) -> String {
        let (x, y) = ranges(&[self]);
        let frame = Frame::over(size, self.labels(), x, y);
        let key = self.key(&self.notes(&[(self, &frame)]), size.width);
        let mut svg = Svg::default();
        frame.begin(&mut svg, id, (frame.bottom() + key.height()).ceil());
        self.draw_inside(&mut svg, &frame, id, self.shows_unstable());
        key.draw(&mut svg, frame.bottom());
        svg.close();
        svg.finish()
    }

    fn labels(&self) -> Labels<'_> {
        Labels {
            title: &self.title,
            x: &self.x.label,
            y: &self.y.label,
        }
    }

    /// The key of the curves, with what is noted below them.
    pub(crate) fn key(&self, note: &str, width: f64) -> Key {
        let entries = self.series.iter().map(|series| Entry {
            style: Style::of(series.look),
            drawing: series.drawing,
            name: series.name.clone(),
            cells: Vec::new(),
        });
        let entries = if self.without_key {
            Vec::new()
        } else {
            entries.collect()
        };
        Key::new(&[], entries, note, width)
    }

    /// The axes and the curves; where `open`, the markers of saturated points.
    fn draw_inside(&self, svg: &mut Svg, frame: &Frame, id: &str, open: bool) {
        let walls = self.walls();
        frame.draw_axes(svg);
        svg.open(Frame::clip(id));
        draw_walls(svg, frame, &walls);
        for series in &self.series {
            let (style, points) = (Style::of(series.look), series.plotted(open));
            match series.drawing {
                Drawing::Both => draw_line(svg, frame, style, &points),
                Drawing::Line => draw_bare_line(svg, frame, style, &points),
                Drawing::Markers | Drawing::Bars => draw_intervals(svg, frame, style, &points),
            }
        }
        svg.close();
        frame.draw_border(svg);
        draw_wall_marks(svg, frame, &walls);
        for series in &self.series {
            if series.drawing != Drawing::Line {
                let points = series.plotted(open);
                draw_markers(svg, frame, Style::of(series.look), &points);
            }
        }
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
    pub(crate) fn shows_unstable(&self) -> bool {
        let points = self.series.iter().filter(|s| s.drawing != Drawing::Line);
        let mut points = points.flat_map(|series| &series.points);
        points.any(|point| point.y.is_some() && point.is_unstable())
    }

    /// The note, and what the marks mean that are drawn in `panels`.
    fn notes(&self, panels: &[(&Self, &Frame)]) -> String {
        if self.without_note {
            return String::new();
        }
        let any = |drawings: &[Drawing], is: &dyn Fn(&PlotPoint, &Frame) -> bool| {
            panels.iter().any(|(plot, frame)| {
                let series = plot.series.iter();
                let series = series.filter(|series| drawings.contains(&series.drawing));
                let mut points = series.flat_map(|series| &series.points);
                points.any(|point| point.y.is_some() && is(point, frame))
            })
        };
        let marked = [Drawing::Both, Drawing::Markers];
        let has_interval = |point: &PlotPoint, _: &Frame| self.confidence && point.half_width > 0.0;
        let is_above = |point: &PlotPoint, frame: &Frame| {
            frame.x.contains(point.x) && point.y.is_some_and(|y| frame.y.is_beyond(y))
        };
        let mut notes = vec![self.note.as_str()];
        if any(&[Drawing::Both], &has_interval) {
            notes.push(BANDS);
        } else if any(&[Drawing::Markers], &has_interval) {
            notes.push("Bars: 95 % confidence intervals.");
        }
        if panels.iter().any(|(plot, _)| !plot.walls().is_empty()) {
            notes.push(MARKED_WALLS);
        }
        if panels.iter().any(|(plot, _)| plot.shows_unstable()) {
            notes.push("Open markers: saturated.");
        } else if any(&marked, &|point, _| point.is_stopped()) {
            notes.push(OPEN_MARKERS);
        }
        if any(&marked, &is_above) {
            notes.push(ARROWS);
        }
        notes.retain(|note| !note.is_empty());
        notes.join(" ")
    }
}

/// What the axes of `panels` show: the same in all of them.
fn ranges(panels: &[&Plot]) -> (Range, Range) {
    let points = || {
        let series = panels.iter().flat_map(|plot| &plot.series);
        series.flat_map(|series| &series.points)
    };
    let walls = panels.iter().flat_map(|plot| plot.walls());
    let drawn = points().filter(|p| p.y.is_some()).map(|p| p.x);
    let tops = points().filter_map(|p| p.y.map(|y| y + p.half_width));
    let Some(first) = panels.first() else {
        let none = |axis| range(&axis, std::iter::empty());
        return (none(Axis::default()), none(Axis::default()));
    };
    (
        range(&first.x, drawn.chain(walls.map(|wall| wall.1))),
        range(&first.y, tops.chain(points().filter_map(|p| p.y))),
    )
}

/// The narrowest panel among several, in pixels.
const PANEL_LEAST: f64 = 300.0;

/// Several plots of the same curves as panels of one picture, each under its title: the axes are the same,
/// and the key of the first is that of all. `id` names it on its page.
pub fn draw_panels(title: &str, panels: &[Plot], size: Size, id: &str) -> String {
    let [first, ..] = panels else {
        return String::new();
    };
    let columns = (panels.len() as f64).sqrt().ceil();
    let columns = columns.min((size.width / PANEL_LEAST).floor()).max(1.0);
    let panel = Size {
        width: (size.width / columns).floor(),
        ..size
    };
    let all: Vec<&Plot> = panels.iter().collect();
    let (x, y) = ranges(&all);
    let frame = |plot: &Plot| Frame::over(panel, plot.labels(), x, y);
    let frames: Vec<Frame> = panels.iter().map(frame).collect();
    let drawn: Vec<(&Plot, &Frame)> = panels.iter().zip(&frames).collect();
    let key = first.key(&first.notes(&drawn), size.width);
    let open = panels.iter().any(Plot::shows_unstable);
    let head = Head::new(title, size.width);
    let height = frames.iter().map(Frame::bottom).fold(0.0, f64::max);
    let rows = (panels.len() as f64 / columns).ceil();
    let bottom = head.bottom() + rows * height;
    let mut svg = Svg::default();
    head.begin(&mut svg, size.width, (bottom + key.height()).ceil());
    for (index, (plot, frame)) in drawn.iter().enumerate() {
        let (row, column) = ((index as f64 / columns).floor(), index as f64 % columns);
        let (x, y) = (column * panel.width, head.bottom() + row * height);
        let id = format!("{id}-{index}");
        svg.open(Element::new("g").set("transform", &format!("translate({x} {y})")));
        frame.draw_head(&mut svg, &id);
        plot.draw_inside(&mut svg, frame, &id, open);
        svg.close();
    }
    key.draw(&mut svg, bottom);
    svg.close();
    svg.finish()
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
pub(crate) fn range(axis: &Axis, values: impl Iterator<Item = f64>) -> Range {
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
            without_key: false,
            without_note: false,
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
