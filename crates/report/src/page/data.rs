//! What the page's script draws, as JSON in a `script` element.
//!
//! Invariant: nothing in it ends the element, whatever a scenario calls its series.

use super::Page;
use super::extra::bars;
use super::picture::{BYTES_MOST, hottest, packed, picture};
use crate::figure::Time;
use crate::words;
use flitsim_sweep::results::{COLUMNS, PointTable, Row};
use serde_json::{Value, json};

/// The most bytes of measured channel loads: above, they are kept of every other point, every third, ….
const MEASURED_BYTES_MOST: usize = 900_000;

/// The most rows that the details of all points together have, of each kind; one a point at least.
const TABLE_ROWS_MOST: usize = 4_000;

/// Channels named where there is no picture.
const HOTTEST: usize = 10;

/// `value` as text that may stand in a `script` element.
pub fn in_script(value: &Value) -> String {
    // Only texts have these characters, and there the escapes mean the same.
    let text = value.to_string();
    text.replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// The data of `page`.
pub fn of_page(page: &Page) -> Value {
    let (networks, network_of) = networks(page);
    let every = every_measured(page);
    let rows_most = (TABLE_ROWS_MOST / page.rows.len().max(1)).max(1);
    let time = page.figure.time();
    let columns = columns(page);
    let keys: Vec<&str> = page.plan.series.first().map_or_else(Vec::new, |one| {
        let names = one.parameters.iter();
        names.map(|parameter| parameter.name.as_str()).collect()
    });
    let series = page.plan.series.iter().enumerate().map(|(index, series)| {
        let loads = |values: &[f64]| match networks[network_of[index]].get("why") {
            None => packed(values),
            Some(_) => hottest(&series.network, values, HOTTEST),
        };
        let prospect = page.prospects.get(index).and_then(Option::as_ref);
        let rows = page.rows.iter().zip(page.extras).enumerate();
        let mine = rows.filter(|(_, (row, _))| row.series == series.name);
        let points = mine.enumerate().map(|(nth, (_, (row, extra)))| {
            let mut point = of_row(row, time);
            let values = row.to_json();
            point["v"] = columns
                .iter()
                .map(|column| values[*column].clone())
                .collect();
            point["bars"] = bars(&extra.buckets);
            let tables = extra.tables.iter();
            point["tables"] = tables.map(|of| table(of, rows_most)).collect();
            let busy = extra.busy.as_ref().filter(|_| nth.is_multiple_of(every));
            point["measured"] = busy.map_or(Value::Null, |busy| loads(busy));
            point
        });
        json!({
            "name": series.name,
            "unit": series.load_unit,
            "zero_load": prospect.filter(|_| time == Time::Latency).map(|p| p.zero_load_cycles),
            "ideal": prospect.and_then(|p| p.ideal_flits),
            "oblivious": prospect.map(|p| p.is_oblivious),
            "expected": prospect.map(|p| loads(&p.busy)),
            "network": network_of[index],
            "topology": series.topology,
            "keys": series.parameters.iter().map(|one| &one.value).collect::<Vec<_>>(),
            "points": points.collect::<Vec<_>>(),
        })
    });
    json!({
        "unit": page.figure.load_unit,
        "open_loop": page.figure.is_open_loop(),
        "time": time.name(),
        "limit": page.figure.latency_limit_cycles,
        "every_measured": every,
        "columns": described(&columns, &page.figure.load_unit),
        "keys": keys,
        "series": series.collect::<Vec<_>>(),
        "networks": networks,
    })
}

/// The columns in which some row has a number.
fn columns(page: &Page) -> Vec<&'static str> {
    let rows: Vec<_> = page.rows.iter().map(Row::to_json).collect();
    let mut columns = COLUMNS.to_vec();
    columns.retain(|name| {
        !["nodes", "seed"].contains(name) && rows.iter().any(|row| row[*name].is_number())
    });
    columns
}

/// By column: its name, what to call it, and where the half-widths of its intervals are.
fn described(columns: &[&str], unit: &str) -> Value {
    let describe = |name: &&str| {
        let interval = words::interval_of(name);
        json!({
            "name": name,
            "label": words::column(name, Some(unit)),
            "interval": columns.iter().position(|other| *other == interval),
        })
    };
    columns.iter().map(describe).collect()
}

/// A detail of a point: its columns that have a value, and its first rows.
fn table(of: &PointTable, rows_most: usize) -> Value {
    let PointTable {
        name,
        order,
        table,
        rows,
    } = of;
    let used = |column: &usize| table.rows.iter().any(|row| !row[*column].is_null());
    let used: Vec<usize> = (0..table.columns.len()).filter(used).collect();
    let cells = |row: &Vec<Value>| used.iter().map(|&at| row[at].clone()).collect::<Value>();
    json!({
        "name": name,
        "order": order,
        "columns": used.iter().map(|&at| table.columns[at]).collect::<Vec<_>>(),
        "rows": table.rows.iter().take(rows_most).map(cells).collect::<Vec<_>>(),
        "all": rows,
    })
}

fn of_row(row: &Row, time: Time) -> Value {
    let (value, ci95) = time.at(row);
    json!({
        "load": row.load,
        "offered": row.offered_flits,
        "accepted": row.accepted_flits,
        "accepted_ci95": row.accepted_ci95,
        "latency": row.latency_mean.filter(|_| row.is_stable()),
        "time": value,
        "time_ci95": ci95,
        "p50": row.latency_p50,
        "p95": row.latency_p95,
        "p99": row.latency_p99,
        "max": row.latency_max,
        "status": row.status.as_str(),
    })
}

/// The networks of a page, each once, and by series which it is.
fn networks(page: &Page) -> (Vec<Value>, Vec<usize>) {
    let series = &page.plan.series;
    let mut first: Vec<usize> = Vec::new();
    let mut networks = Vec::new();
    let mut room = BYTES_MOST;
    let mut network_of = Vec::with_capacity(series.len());
    for (index, one) in series.iter().enumerate() {
        let known = first.iter().position(|&other| {
            let other = &series[other];
            other.topology == one.topology
                && other.network.channels() == one.network.channels()
                && (other.network.damage().is_none() && one.network.damage().is_none()
                    || std::sync::Arc::ptr_eq(&other.network, &one.network))
        });
        network_of.push(known.unwrap_or(networks.len()));
        if known.is_some() {
            continue;
        }
        first.push(index);
        networks.push(match picture(&one.network, room) {
            Ok(value) => {
                room = room.saturating_sub(value.to_string().len());
                value
            }
            Err(why) => json!({ "why": why }),
        });
    }
    (networks, network_of)
}

/// Of which points of a series the measured channel loads are shown: of every `n`-th.
fn every_measured(page: &Page) -> usize {
    let bytes = page.extras.iter().filter_map(|extra| extra.busy.as_ref());
    let bytes: usize = bytes.map(|busy| 2 * busy.len()).sum();
    bytes.div_ceil(MEASURED_BYTES_MOST).max(1)
}
