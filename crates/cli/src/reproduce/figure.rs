//! An item's table as a figure.

use super::items::{Drawn, Item};
use super::table::{Cell, KIND, Line, MODEL, SIMULATED, Table};
use flitsim_measure::point::Status;
use flitsim_report::frame::Size;
use flitsim_report::plot::{Drawing, Plot, PlotPoint, PlotSeries, is_load};

/// The figure of `item` as SVG; `None` where it is a table, or there is nothing to draw.
pub fn svg(item: &Item, table: &Table) -> Option<String> {
    let drawn = item.plot.as_ref()?;
    let of_kind = |kind: &str| {
        let mut rows = table.rows();
        rows.any(|row| row.cell(KIND).is_some_and(|cell| cell.text() == kind))
    };
    // Markers stand apart from a model's lines; where there is none, lines join them as in the papers.
    let simulated = if of_kind(MODEL) {
        Drawing::Markers
    } else {
        Drawing::Both
    };
    let mut note = drawn.note.clone();
    if item.simulated && !of_kind(SIMULATED) {
        note = format!("{note} Simulated under --full only.");
    }
    let mut plot = Plot {
        title: item.title.clone(),
        x: (&drawn.x).into(),
        y: (&drawn.y).into(),
        series: Vec::new(),
        over_load: is_load(&drawn.x.column),
        confidence: true,
        note: note.trim_start().to_owned(),
        without_key: false,
        without_note: false,
    };
    let main = [(drawn.y.column.as_str(), drawn.main.as_str())];
    let also = drawn
        .also
        .iter()
        .map(|(column, name)| (column.as_str(), name.as_str()));
    for (column, suffix) in main.into_iter().chain(also) {
        add_curves(&mut plot, drawn, table, (column, suffix), simulated);
    }
    let is_drawn = |series: &PlotSeries| series.points.iter().any(|point| point.y.is_some());
    plot.series
        .iter()
        .any(is_drawn)
        .then(|| plot.draw(Size::WIDE, &item.name))
}

/// Adds the curves of `column`, in the order in which their first rows come.
/// `simulated` is how simulated points are drawn.
fn add_curves(
    plot: &mut Plot,
    drawn: &Drawn,
    table: &Table,
    (column, suffix): (&str, &str),
    simulated: Drawing,
) {
    let mut names: Vec<String> = Vec::new();
    // Next to saturation a model's latency may be millions: what is far above the axis stays there, but
    // within what programs that show figures can count.
    let top = drawn.y.to.map_or(f64::MAX, |to| 1000.0 * to.abs());
    for row in table.rows() {
        let Some(x) = row.number(&drawn.x.column) else {
            continue;
        };
        let kind = row.cell(KIND).map(Cell::text).unwrap_or_default();
        let (look_name, name) = names_of(drawn, &row, &kind, suffix);
        let points = plot.points_of(name, || {
            let drawing = match kind.as_str() {
                MODEL => Drawing::Line,
                SIMULATED => simulated,
                _ => drawn.draw,
            };
            let look = position_or_push(&mut names, &look_name);
            (drawing, look + look_offset(drawn, column))
        });
        let interval = drawn.interval.as_ref();
        let own_column = drawn.simulated.as_deref().filter(|_| kind == SIMULATED);
        points.push(PlotPoint {
            x,
            y: row.number(own_column.unwrap_or(column)).map(|y| y.min(top)),
            half_width: interval
                .and_then(|column| row.number(column))
                .unwrap_or(0.0),
            status: (kind == SIMULATED)
                .then(|| row.cell("status"))
                .flatten()
                .and_then(|cell| Status::of_word(&cell.text())),
        });
    }
}

/// The name that rows with one look share, and the name of the row's curve.
fn names_of(drawn: &Drawn, row: &Line<'_>, kind: &str, suffix: &str) -> (String, String) {
    let mut parts: Vec<String> = match &drawn.names {
        Some(names) => vec![filled(names, row)],
        None => {
            let cells = drawn.series.iter().filter_map(|column| row.cell(column));
            cells.map(Cell::text).collect()
        }
    };
    parts.push(suffix.to_owned());
    parts.retain(|part| !part.is_empty());
    let look = parts.join(", ");
    let name = if kind.is_empty() {
        look.clone()
    } else {
        format!("{look} ({kind})")
    };
    (look, name)
}

/// `names` with the row's values for `{column}`.
fn filled(names: &str, row: &Line<'_>) -> String {
    let mut text = names.to_owned();
    for column in row.columns() {
        let place = format!("{{{column}}}");
        if text.contains(&place) {
            let value = row.cell(column).map(Cell::text).unwrap_or_default();
            text = text.replace(&place, &value);
        }
    }
    text
}

fn position_or_push(names: &mut Vec<String>, name: &str) -> usize {
    names.iter().position(|n| n == name).unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    })
}

/// Further columns have looks of their own.
fn look_offset(drawn: &Drawn, column: &str) -> usize {
    let also = drawn.also.keys().position(|name| name == column);
    also.map_or(0, |index| index + 1)
}
