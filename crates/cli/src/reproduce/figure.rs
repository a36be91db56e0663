//! An item's table as a figure.

use super::items::{Drawn, Item};
use super::table::{Cell, KIND, Line, MODEL, SIMULATED, Table};
use flitsim_measure::point::Status;
use flitsim_report::bars;
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
    let wanted = drawn.rows.iter();
    let wanted = wanted.map(|(column, value)| (column.clone(), value.into()));
    let wanted = wanted.collect();
    let rows: Vec<Line<'_>> = table.select(&wanted).collect();
    let main = [(drawn.y.column.as_str(), drawn.main.as_str())];
    let also = drawn
        .also
        .iter()
        .map(|(column, name)| (column.as_str(), name.as_str()));
    // Groups of bars, or the names of looks.
    let mut names = Vec::new();
    for curve in main.into_iter().chain(also) {
        if drawn.draw == Drawing::Bars {
            add_bars(&mut plot, drawn, &rows, curve, &mut names);
        } else {
            add_curves(&mut plot, drawn, &rows, curve, (simulated, &mut names));
        }
    }
    let is_drawn = |series: &PlotSeries| series.points.iter().any(|point| point.y.is_some());
    if !plot.series.iter().any(is_drawn) {
        return None;
    }
    Some(if drawn.draw == Drawing::Bars {
        plot.without_key = plot.series.iter().all(|series| series.name.is_empty());
        bars::draw(&plot, &names, Size::WIDE.width, &item.name)
    } else {
        plot.draw(Size::WIDE, &item.name)
    })
}

/// Adds the bars of `column`, a group for each name of a row that is new.
fn add_bars(
    plot: &mut Plot,
    drawn: &Drawn,
    rows: &[Line<'_>],
    (column, suffix): (&str, &str),
    groups: &mut Vec<String>,
) {
    for row in rows {
        let kind = kind_of(row);
        let group = match drawn.x.column.contains('{') {
            true => filled(&drawn.x.column, row),
            false => row
                .cell(&drawn.x.column)
                .map(Cell::text)
                .unwrap_or_default(),
        };
        let x = position_or_push(groups, &group) as f64;
        let (_, name) = names_of(drawn, row, &kind, suffix);
        let look = plot.series.len();
        let points = plot.points_of(name, || (Drawing::Bars, look));
        points.push(point(drawn, row, &kind, column, x));
    }
}

/// Whether `row` is of a model or of a simulation; empty where it is of neither. Networks have a kind, too.
fn kind_of(row: &Line<'_>) -> String {
    let kind = row.cell(KIND).map(Cell::text);
    let kind = kind.filter(|kind| [MODEL, SIMULATED].contains(&kind.as_str()));
    kind.unwrap_or_default()
}

/// What `row` has in `column`, at `x`.
fn point(drawn: &Drawn, row: &Line<'_>, kind: &str, column: &str, x: f64) -> PlotPoint {
    let interval = drawn.interval.as_ref();
    let own_column = drawn.simulated.as_deref().filter(|_| kind == SIMULATED);
    // Next to saturation a model's latency may be millions: what is far above the axis stays there, but
    // within what programs that show figures can count.
    let top = drawn.y.to.map_or(f64::MAX, |to| 1000.0 * to.abs());
    PlotPoint {
        x,
        y: row.number(own_column.unwrap_or(column)).map(|y| y.min(top)),
        half_width: interval
            .and_then(|column| row.number(column))
            .unwrap_or(0.0),
        status: (kind == SIMULATED)
            .then(|| row.cell("status"))
            .flatten()
            .and_then(|cell| Status::of_word(&cell.text())),
    }
}

/// Adds the curves of `column`, in the order in which their first rows come. `simulated` is how simulated
/// points are drawn, `looks` who has which look: what was counted has that of what it checks.
fn add_curves(
    plot: &mut Plot,
    drawn: &Drawn,
    rows: &[Line<'_>],
    (column, suffix): (&str, &str),
    (simulated, looks): (Drawing, &mut Vec<String>),
) {
    let is_counted = drawn.counted.iter().any(|counted| counted == column);
    for row in rows {
        let Some(x) = row.number(&drawn.x.column) else {
            continue;
        };
        let kind = kind_of(row);
        let (mut look, name) = names_of(drawn, row, &kind, suffix);
        if is_counted {
            look = names_of(drawn, row, &kind, &drawn.main).0;
        }
        let points = plot.points_of(name, || {
            let drawing = match kind.as_str() {
                MODEL => Drawing::Line,
                SIMULATED => simulated,
                _ if is_counted => Drawing::Markers,
                _ => drawn.draw,
            };
            (drawing, position_or_push(looks, &look))
        });
        points.push(point(drawn, row, &kind, column, x));
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
    let name = match (look.as_str(), kind) {
        (_, "") => look.clone(),
        ("", _) => kind.to_owned(),
        _ => format!("{look} ({kind})"),
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

#[cfg(test)]
mod tests {
    use super::super::library::from_toml;
    use super::*;

    fn table() -> Table {
        let mut table = Table::default();
        for (network, k, hops, walked) in [
            ("torus", 4.0, 2.0, 2.0),
            ("torus", 8.0, 4.0, 4.0),
            ("mesh", 4.0, 2.5, 2.5),
            ("mesh", 8.0, 5.25, 5.5),
        ] {
            table.push(vec![
                ("kind", "of a network".into()),
                ("network", network.into()),
                ("k", Cell::Number(k)),
                ("hops", Cell::Number(hops)),
                ("walked", Cell::Number(walked)),
            ]);
        }
        table
    }

    fn drawn(plot: &str) -> String {
        let text = format!("name = \"a\"\ntitle = \"Hops\"\n[plot]\n{plot}");
        svg(&from_toml(&text).unwrap(), &table()).unwrap_or_default()
    }

    const AXES: &str = r#"
        x = { column = "k", label = "radix" }
        y = { column = "hops", label = "hops" }
        also = { walked = "walked" }
        counted = ["walked"]
        draw = "line"
    "#;

    #[test]
    fn what_was_counted_is_a_marker_in_the_colour_of_its_line() {
        let text = drawn(&format!("{AXES}series = [\"network\"]"));
        let count = |what: &str| text.matches(what).count();
        // A curve, its sample in the key and two intervals; two markers and their sample.
        assert_eq!([count("\"stroke c0\""), count("\"stroke c1\"")], [4, 4]);
        assert_eq!([count("\"mark c0\""), count("\"mark c1\"")], [3, 3]);
        assert!(text.contains(">mesh, walked<") && !text.contains("of a network"));
        let one = drawn(&format!(
            "{AXES}series = []\nwhere = {{ network = \"mesh\" }}"
        ));
        assert!(
            one.contains("walked: 8, 5") && !one.contains("mark c1"),
            "{one}"
        );
        let none = drawn(&format!(
            "{AXES}series = []\nwhere = {{ network = \"ring\" }}"
        ));
        assert!(none.is_empty());
    }

    #[test]
    fn rows_without_an_order_are_groups_of_bars() {
        let text = drawn(
            r#"
            x = { column = "{network} of {k}", label = "" }
            y = { column = "hops", label = "hops" }
            main = "by formula"
            also = { walked = "walked" }
            series = []
            draw = "bars"
            "#,
        );
        for part in ["torus of 4", "mesh of 8", "by formula", "5.25", "5.5"] {
            assert!(text.contains(&format!(">{part}<")), "{part}: {text}");
        }
        assert_eq!(text.matches("fill-opacity").count(), 8);
        // Bars of one kind need no key.
        let text = drawn(
            r#"
            x = { column = "network", label = "" }
            y = { column = "hops", label = "hops" }
            where = { k = 8 }
            series = []
            draw = "bars"
            "#,
        );
        assert_eq!(text.matches("mark c0").count(), 2);
    }
}
