//! What a plot is given and does not show: each reason is told once, with how many it leaves out.

use super::rows::CsvFile;
use super::{Plot, SATURATION};
use flitsim_report::plot::{self, Axis, PlotPoint};

/// Why rows of `files` and points of `panels` are not drawn, as `arguments` ask for them.
pub fn reasons(arguments: &Plot, files: &[CsvFile], panels: &[plot::Plot]) -> Vec<String> {
    let y = match arguments.y.as_str() {
        SATURATION => "load",
        y => y,
    };
    let columns = [arguments.x.as_str(), y];
    let files = files.iter();
    // Of some of the curves it is not known which rows are theirs.
    let files = files.filter(|_| arguments.only.is_empty());
    let mut told: Vec<String> = files
        .flat_map(|file| columns.iter().filter_map(|column| file.words(column)))
        .collect();
    told.extend(off_the_axes(arguments, panels));
    told
}

/// Points of `panels` that have a value and no place along an axis.
fn off_the_axes(arguments: &Plot, panels: &[plot::Plot]) -> Vec<String> {
    let series = panels.iter().flat_map(|panel| &panel.series);
    let points = series.flat_map(|series| &series.points);
    let drawn: Vec<(f64, f64)> = points.filter_map(valued).collect();
    let Some(panel) = panels.first().filter(|_| !drawn.is_empty()) else {
        return Vec::new();
    };
    let all = drawn.len();
    let mut told = Vec::new();
    let mut none_at = |axis: &Axis, column: &str, of: &dyn Fn(&(f64, f64)) -> f64| {
        let below = drawn.iter().filter(|point| of(point) <= 0.0).count();
        if axis.logarithmic && below > 0 {
            told.push(format!(
                "{below} of {all} points are left out: `{column}` is not above 0 there, and its axis is \
                 logarithmic"
            ));
        }
    };
    none_at(&panel.x, &arguments.x, &|point| point.0);
    none_at(&panel.y, &arguments.y, &|point| point.1);
    // What is above the vertical axis has an arrow. Who shows a part wants the rest left out, but not all.
    let (from, to) = ends(&panel.x);
    let is_shown = |&(x, y): &(f64, f64)| from <= x && x <= to && ends(&panel.y).0 <= y;
    if !drawn.iter().any(is_shown) {
        told.push(format!(
            "nothing is drawn: all {all} points are outside --x-range or --y-range"
        ));
    }
    told
}

fn valued(point: &PlotPoint) -> Option<(f64, f64)> {
    Some((point.x, point.y?))
}

/// What an axis shows at most.
fn ends(axis: &Axis) -> (f64, f64) {
    let (from, to) = (axis.from, axis.to);
    (
        from.unwrap_or(f64::NEG_INFINITY),
        to.unwrap_or(f64::INFINITY),
    )
}
