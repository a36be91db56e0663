//! The tables of a sweep's page: its series, their saturation, its points.

use super::Page;
use crate::figure::{Curve, CurvePoint, FLITS};
use crate::html::{begin_table, end_table, of_class, push_cells};
use crate::svg::escape;
use crate::words;
use flitsim_measure::point::Status;
use flitsim_scenario::SeriesPlan;
use flitsim_sweep::results::Row;
use flitsim_sweep::results::number::{self, brief};
use std::fmt::Write;

/// What each series is: what all have in common once, what differs in a table.
pub fn push_series(page: &Page, html: &mut String) {
    html.push_str("<section id=\"simulated\">\n<h2>What was simulated</h2>\n");
    let all = &page.plan.series;
    let described = |name, of: fn(&SeriesPlan) -> String| {
        let cells: Vec<String> = all.iter().map(of).collect();
        (name, cells)
    };
    let columns = [
        described("network", words::network),
        described("routing", words::routing),
        described("router", words::router),
        described("traffic", words::traffic),
    ];
    let is_common = |cells: &[String]| cells.len() > 1 && cells.iter().all(|one| *one == cells[0]);
    let (common, different): (Vec<_>, Vec<_>) =
        columns.into_iter().partition(|(_, cells)| is_common(cells));
    if !common.is_empty() {
        html.push_str("<dl>\n");
        for (name, cells) in &common {
            let cell = escape(&cells[0]);
            let _ = writeln!(html, "<dt>{name} of all series</dt><dd>{cell}</dd>");
        }
        html.push_str("</dl>\n");
    }
    let keys = all.iter().take(1).flat_map(|one| &one.parameters);
    let keys = keys.map(|key| (key.name.as_str(), false));
    let headers = different.iter().map(|(name, _)| (*name, false));
    let headers = std::iter::once(("series", false))
        .chain(keys)
        .chain(headers);
    begin_table(html, "Series", "series", headers);
    for (index, series) in all.iter().enumerate() {
        let _ = write!(html, "<tr><th scope=\"row\">{}</th>", escape(&series.name));
        let keys = series.parameters.iter();
        push_cells(html, "", keys.map(|key| number::field(&key.value)));
        push_cells(
            html,
            "",
            different.iter().map(|(_, cells)| cells[index].clone()),
        );
        html.push_str("</tr>\n");
    }
    end_table(html);
    html.push_str("</section>\n");
}

/// Where each series saturates, beside the bound that its busiest channel sets.
pub fn push_saturation(page: &Page, html: &mut String) {
    if !page.figure.is_open_loop() {
        return;
    }
    let unit = match page.figure.load_unit.as_str() {
        FLITS => "flits per node per cycle",
        other => other,
    };
    let _ = write!(
        html,
        "<section id=\"saturation\">\n<h2>Saturation and bounds</h2>\n<p class=\"faint\">Loads in \
         {unit}. The ideal bound is the load offered at which the busiest channel or \
         port of a series never rests, by the load that its routing and traffic put on every channel: \
         under deterministic routing no router is stable above it; adaptive packets may pass by that \
         channel and do better. Stable is a load whose point converged. Saturation lies between the \
         last stable load and the first saturated one; <code>flitsim saturate</code> searches for it.</p>\n",
    );
    let numbers = [
        "zero-load latency",
        "stable up to",
        "saturated from",
        "accepted at most",
        "ideal bound",
        "accepted / bound",
    ];
    let headers = std::iter::once(("series", false)).chain(numbers.map(|header| (header, true)));
    begin_table(html, "Saturation and bounds", "", headers);
    for (index, curve) in page.figure.curves.iter().enumerate() {
        let prospect = page.prospects.get(index).and_then(Option::as_ref);
        let cells = saturation(curve, prospect.and_then(|prospect| prospect.ideal_flits));
        let _ = write!(html, "<tr><th scope=\"row\">{}</th>", escape(&curve.name));
        push_cells(html, "number", cells);
        html.push_str("</tr>\n");
    }
    end_table(html);
    html.push_str("</section>\n");
}

fn saturation(curve: &Curve, ideal: Option<f64>) -> [String; 6] {
    let offered = |point: Option<&CurvePoint>| number(point.map(|point| point.load));
    let units_per_flit = (curve.points.first()).map_or(1.0, |p| p.load / p.offered_flits);
    let ideal = ideal.map(|flits| flits * units_per_flit);
    let wall = curve.first_unstable();
    let mut from = offered(wall);
    if wall.is_some_and(|point| point.status == Status::Deadlock) {
        from.push_str(" (deadlock)");
    }
    let accepted = curve.points.iter().filter_map(|point| point.accepted_flits);
    let accepted = accepted.reduce(f64::max);
    let accepted = accepted.map(|flits| flits * units_per_flit);
    // Of more load it may accept more.
    let least = if wall.is_some() { "" } else { "≥ " };
    let share = accepted
        .zip(ideal)
        .map(|(accepted, ideal)| accepted / ideal);
    [
        number(curve.zero_load_cycles),
        offered(curve.last_stable()),
        from,
        accepted.map_or_else(
            || number(None),
            |load| format!("{least}{}", number(Some(load))),
        ),
        number(ideal),
        share.map_or_else(
            || number(None),
            |share| format!("{least}{} %", brief(share * 100.0, 3)),
        ),
    ]
}

/// The points.
pub fn push_points(page: &Page, html: &mut String) {
    html.push_str(
        "<section id=\"points\">\n<h2>Points</h2>\n<p class=\"faint\">Loads in flits per node per cycle \
         where no unit is given, latencies in cycles. points.csv has the same numbers and \
         more.</p>\n",
    );
    let more = Columns::of(page.rows);
    let mut headers = vec![
        "load",
        "offered",
        "accepted",
        "mean latency",
        "median",
        "99 %",
        "in the network",
        "hops",
        "packets",
    ];
    headers.extend(more.round_trip.then_some("round trip"));
    headers.extend(more.makespan.then_some("makespan"));
    headers.extend(more.difference.then_some("difference of means"));
    let headers = headers.into_iter().map(|header| (header, true));
    let ends = |header| std::iter::once((header, false));
    let headers = ends("series").chain(headers).chain(ends("status"));
    begin_table(html, "Points", "points sortable", headers);
    let mut before = None;
    for row in page.rows {
        let first = before.is_some_and(|name| name != &row.series);
        push_row(html, row, first, more);
        before = Some(&row.series);
    }
    end_table(html);
    html.push_str("</section>\n");
}

/// The columns that only some reports have.
#[derive(Clone, Copy)]
struct Columns {
    round_trip: bool,
    makespan: bool,
    difference: bool,
}

impl Columns {
    fn of(rows: &[Row]) -> Self {
        Self {
            round_trip: rows.iter().any(|row| row.round_trip_mean.is_some()),
            makespan: rows.iter().any(|row| row.makespan_cycles.is_some()),
            difference: rows.iter().any(|row| row.latency_difference.is_some()),
        }
    }
}

fn push_row(html: &mut String, row: &Row, first: bool, more: Columns) {
    let unstable = matches!(row.status, Status::Saturated | Status::Deadlock);
    let class = match (unstable, first) {
        (true, true) => "unstable first",
        (true, false) => "unstable",
        (false, true) => "first",
        (false, false) => "",
    };
    let class = of_class(class);
    let _ = write!(
        html,
        "<tr{class}><td class=\"name\">{}</td>",
        escape(&row.series)
    );
    let unit = match row.load_unit.as_str() {
        FLITS => String::new(),
        unit => format!(" {unit}"),
    };
    let mut cells = vec![
        format!("{}{unit}", brief(row.load, 6)),
        number(row.offered_flits),
        with_interval(row.accepted_flits, row.accepted_ci95),
        with_interval(row.latency_mean, row.latency_ci95),
        number(row.latency_p50),
        number(row.latency_p99),
        number(row.network_latency_mean),
        number(row.hops_mean),
        row.packets_measured.to_string(),
    ];
    if more.round_trip {
        cells.push(with_interval(row.round_trip_mean, row.round_trip_ci95));
    }
    if more.makespan {
        // Counted: every digit.
        let whole = row.makespan_cycles.map(|cycles| brief(cycles, 12));
        cells.push(match (whole, row.makespan_ci95) {
            (Some(whole), None) => whole,
            _ => with_interval(row.makespan_cycles, row.makespan_ci95),
        });
    }
    if more.difference {
        let with = row.compared_with.as_deref();
        let with = with.map_or_else(String::new, |with| format!(" from {with}"));
        let difference = with_interval(row.latency_difference, row.latency_difference_ci95);
        cells.push(difference + &with);
    }
    push_cells(html, "number", cells);
    let _ = writeln!(
        html,
        "<td class=\"status\">{}</td></tr>",
        row.status.as_str()
    );
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| brief(value, 4))
}

fn with_interval(value: Option<f64>, half_width: Option<f64>) -> String {
    match (value, half_width) {
        (Some(value), Some(half)) => number::with_interval(value, half),
        _ => number(value),
    }
}
