//! Any values against any others: lines, markers with intervals, linear and logarithmic axes.
//!
//! Formulas are drawn as lines and measurements as markers, so that the two are told apart without
//! colour.

use super::curve::{Plotted, draw_bare_line, draw_intervals, draw_line, draw_markers};
use super::frame::{Frame, Labels, Size};
use super::key::{Entry, Key};
use super::palette::Style;
use super::scale::Range;
use super::svg::Svg;
use crate::results::number::brief;

pub use super::key::Drawing;

/// The room left above the largest value of an axis without an end, as a share of it.
const HEADROOM: f64 = 0.05;

/// An axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What is shown, with its unit.
    pub label: String,
    /// The value at its start; where `None`, 0, or on a logarithmic axis the least value drawn.
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
    /// Below the key; may be empty.
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
        let x = range(&self.x, points().filter(|p| p.y.is_some()).map(|p| p.x));
        let tops = points().filter_map(|p| p.y.map(|y| y + p.half_width));
        let y = range(&self.y, tops.chain(points().filter_map(|p| p.y)));
        let frame = Frame::over(size, labels, x, y);
        let entries = self.series.iter().map(|series| Entry {
            style: Style::of(series.look),
            drawing: series.drawing,
            name: series.name.clone(),
            cells: Vec::new(),
        });
        let key = Key::new(&[], entries.collect(), &self.note, size.width);
        let mut svg = Svg::default();
        frame.begin(&mut svg, id, (frame.bottom() + key.height()).ceil());
        frame.draw_axes(&mut svg);
        svg.open(Frame::clip(id));
        for series in &self.series {
            let (style, points) = (Style::of(series.look), series.plotted());
            match series.drawing {
                Drawing::Both => draw_line(&mut svg, &frame, style, &points),
                Drawing::Line => draw_bare_line(&mut svg, &frame, style, &points),
                Drawing::Markers => draw_intervals(&mut svg, &frame, style, &points),
            }
        }
        svg.close();
        frame.draw_border(&mut svg);
        for series in &self.series {
            if series.drawing != Drawing::Line {
                draw_markers(&mut svg, &frame, Style::of(series.look), &series.plotted());
            }
        }
        key.draw(&mut svg, frame.bottom());
        svg.close();
        svg.finish()
    }
}

impl PlotSeries {
    fn plotted(&self) -> Vec<Plotted> {
        let points = self.points.iter().map(|point| Plotted {
            x: point.x,
            y: point.y,
            half_width: point.half_width,
            filled: true,
            tooltip: point.y.map_or_else(String::new, |y| {
                let mut text = format!("{}: {}, {}", self.name, brief(point.x, 4), brief(y, 4));
                if point.half_width > 0.0 {
                    text.push_str(&format!(" ± {}", brief(point.half_width, 2)));
                }
                text
            }),
        });
        points.collect()
    }
}

/// What `axis` shows of `values`.
fn range(axis: &Axis, values: impl Iterator<Item = f64>) -> Range {
    let is_drawn = |value: &f64| value.is_finite() && (!axis.logarithmic || *value > 0.0);
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values.filter(is_drawn) {
        (least, most) = (least.min(value), most.max(value));
    }
    let start = if axis.logarithmic {
        least
    } else {
        least.min(0.0)
    };
    let end = if axis.logarithmic {
        most
    } else {
        most + HEADROOM * most.abs()
    };
    Range {
        start: axis.from.unwrap_or(start),
        end: axis.to.unwrap_or(end),
        logarithmic: axis.logarithmic,
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
        assert!(measured.contains("measured: 2, 32 ± 1"));
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
