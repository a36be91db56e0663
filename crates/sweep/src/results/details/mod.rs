//! What a point tells beyond its row, as tables: the files `classes.csv`, `distances.csv`,
//! `sources.csv`, `histogram.csv`, `channels.csv` and `energy.csv` of a sweep, and the `details` of `flitsim run`.
//!
//! Invariant: every number is rounded as it is printed, as in [`Row`]. Latencies and loads are in
//! reference cycles; shares of time, of what the channel or the run itself counts.

mod columns;

use super::row::Row;
use super::{csv, energy, number};
use columns::{
    Bucket, CHANNELS, CLASSES, Channel, Class, Columns, DISTANCES, Distance, ENERGY, HISTOGRAM,
    Point, Rows, SOURCES, Source, rows,
};
use flitsim_engine::Actions;
use flitsim_measure::measurement::details::{Detail, Details, Registered};
use flitsim_measure::point::PointResult;
use flitsim_scenario::{Plan, SeriesPlan};
use flitsim_topology::ChannelId;
use serde_json::{Map, Value};
use std::io::{self, Write};

/// How many columns say which point a row of a file belongs to.
pub(super) const COLUMNS_OF_POINT: usize = 4;

/// Their names.
const POINT: [&str; COLUMNS_OF_POINT] = ["scenario", "series", "load_unit", "load"];

/// The file of `detail`.
pub fn file(detail: Detail) -> &'static str {
    match detail {
        Detail::Classes => "classes.csv",
        Detail::Distances => "distances.csv",
        Detail::Sources => "sources.csv",
        Detail::Histogram => "histogram.csv",
        Detail::Channels => "channels.csv",
        Detail::Energy => "energy.csv",
        Detail::Own(own) => own.file(),
    }
}

/// The details that some series of `plan` asks for.
pub fn asked(plan: &Plan) -> Details {
    let details = plan.series.iter().map(|series| series.measure.details);
    details.fold(Details::default(), Details::union)
}

/// The columns of `detail`, those that say which point left out.
pub fn columns(detail: Detail) -> Vec<&'static str> {
    fn names<T>(columns: &Columns<T>) -> Vec<&'static str> {
        columns.iter().map(|(name, _)| *name).collect()
    }
    match detail {
        Detail::Classes => names(CLASSES),
        Detail::Distances => names(DISTANCES),
        Detail::Sources => names(SOURCES),
        Detail::Histogram => names(HISTOGRAM),
        Detail::Channels => names(CHANNELS),
        Detail::Energy => names(ENERGY),
        Detail::Own(own) => own.statistic().columns.to_vec(),
    }
}

/// The first line of the file of `detail`.
pub fn header(detail: Detail) -> Vec<u8> {
    csv::line(POINT.into_iter().chain(columns(detail)))
}

/// Rows of values: texts, numbers, or null where there is no value.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// What the values of a row are.
    pub columns: Vec<&'static str>,
    /// The rows.
    pub rows: Vec<Vec<Value>>,
}

impl Table {
    /// The rows as lines, without what says which point they belong to: a scenario may call it by
    /// other names.
    pub fn to_csv(&self) -> Vec<u8> {
        let lines = self.rows.iter();
        lines
            .flat_map(|row| csv::line(row.iter().map(number::field)))
            .collect()
    }

    /// The rows that people look for first, before the others, and in which order they are: of sources those that
    /// got least through, and last those that send nothing; of channels and what takes energy the busiest, of channels
    /// without their virtual channels.
    #[must_use]
    pub fn foremost_first(mut self, detail: Detail) -> (Self, &'static str) {
        let column = |name: &str| self.columns.iter().position(|c| *c == name);
        let (by, order) = match detail {
            Detail::Sources => (column("accepted_flits"), "the slowest first"),
            Detail::Channels => {
                if let Some(vc) = column("vc") {
                    self.rows.retain(|row| row[vc].is_null());
                }
                (column("busy"), "the busiest first")
            }
            Detail::Energy => (column("energy_pj"), "all together, then what took most"),
            _ => (None, ""),
        };
        if let Some(by) = by {
            let number = |row: &Vec<Value>, column: usize| row[column].as_f64().unwrap_or(0.0);
            let created = column("created_flits").filter(|_| detail == Detail::Sources);
            let key = |row: &Vec<Value>| match created {
                Some(created) if number(row, created) == 0.0 && number(row, by) == 0.0 => {
                    f64::INFINITY
                }
                Some(_) => number(row, by),
                None => -number(row, by),
            };
            self.rows.sort_by(|a, b| key(a).total_cmp(&key(b)));
        }
        (self, order)
    }

    /// An object a row.
    pub fn to_json(&self) -> Value {
        let object = |row: &Vec<Value>| {
            let names = self.columns.iter().map(|&name| name.to_owned());
            Value::Object(names.zip(row.iter().cloned()).collect::<Map<_, _>>())
        };
        self.rows.iter().map(object).collect()
    }

    /// Aligned columns for people; those without a value in any row are left out.
    pub fn to_text(&self) -> String {
        let used = |column: &usize| self.rows.iter().any(|row| !row[*column].is_null());
        let used: Vec<usize> = (0..self.columns.len()).filter(used).collect();
        let header = used.iter().map(|&c| self.columns[c].to_owned()).collect();
        let mut lines: Vec<Vec<String>> = vec![header];
        lines.extend(self.rows.iter().map(|row| {
            let cell = |&c: &usize| match number::field(&row[c]) {
                empty if empty.is_empty() => "—".to_owned(),
                text => text,
            };
            used.iter().map(cell).collect()
        }));
        let width = |c: usize| lines.iter().map(|line| line[c].chars().count()).max();
        let widths: Vec<usize> = (0..used.len()).map(|c| width(c).unwrap_or(0)).collect();
        let mut page = String::new();
        for line in &lines {
            for (cell, width) in line.iter().zip(&widths) {
                page.push_str(&format!("  {cell:>width$}"));
            }
            page.push('\n');
        }
        page
    }
}

/// Writes the lines `rows`, as [`Table::to_csv`] has them, each behind what says that its point is that of `row`.
///
/// # Errors
/// Those of `to`.
pub fn write_rows(row: &Row, rows: &[u8], to: &mut impl Write) -> io::Result<()> {
    let load = number::text(Some(row.load));
    let mut point = csv::line([&row.scenario, &row.series, &row.load_unit, &load]);
    *point.last_mut().expect("the end of the line") = b',';
    for line in csv::lines(rows) {
        to.write_all(&point)?;
        to.write_all(line)?;
    }
    Ok(())
}

/// What `result`, that of a point of `series`, tells of `detail`; `None` where it was not asked for.
pub fn table(detail: Detail, series: &SeriesPlan, result: &PointResult) -> Option<Table> {
    let point = || {
        Some(Point {
            series,
            details: result.details.as_deref()?,
            // Past saturation a latency would only tell how long the run was.
            has_latency: result.latency.is_some(),
        })
    };
    let rows = match detail {
        Detail::Classes => point()?.classes()?,
        Detail::Distances => point()?.distances()?,
        Detail::Sources => point()?.sources()?,
        // Counted for every point, whatever was asked for.
        Detail::Histogram => histogram(result),
        Detail::Channels => point()?.channels()?,
        Detail::Energy => point()?.energy()?,
        Detail::Own(own) => point()?.own(own)?,
    };
    Some(Table {
        columns: columns(detail),
        rows,
    })
}

/// How often each latency was seen.
fn histogram(result: &PointResult) -> Rows {
    let buckets = &result.latency_buckets;
    let all = buckets.iter().map(|bucket| bucket.packets).sum();
    let mut seen = 0;
    let each = buckets.iter().map(|bucket| {
        seen += bucket.packets;
        Bucket { bucket, seen, all }
    });
    rows(HISTOGRAM, each)
}

impl Point<'_> {
    fn classes(&self) -> Option<Rows> {
        let classes = self.details.classes.as_ref()?;
        let each = (1..).zip(classes).map(|(number, class)| Class {
            point: self,
            number,
            class,
        });
        Some(rows(CLASSES, each))
    }

    fn distances(&self) -> Option<Rows> {
        let distances = self.details.distances.as_ref()?;
        let there = (0..).zip(distances).filter(|(_, g)| g.packets() > 0);
        let each = there.map(|(hops, group)| Distance {
            point: self,
            hops,
            group,
        });
        Some(rows(DISTANCES, each))
    }

    fn sources(&self) -> Option<Rows> {
        let sources = self.details.sources.as_ref()?;
        let each = self.series.network.living_terminals().map(|node| Source {
            point: self,
            node,
            source: &sources[node.index()],
        });
        Some(rows(SOURCES, each))
    }

    fn channels(&self) -> Option<Rows> {
        let network = &*self.series.network;
        let totals = self.details.channels.as_ref()?;
        let each = (0..network.channels()).map(ChannelId).flat_map(|channel| {
            let course = network.course(channel);
            let of = move |(vc, total)| Channel {
                point: self,
                channel,
                course,
                vc,
                total,
            };
            let vcs = 0..totals.virtual_channels();
            let all = std::iter::once((None, totals.channel(channel)));
            let each = vcs.map(move |vc| (Some(vc), totals.virtual_channel(channel, vc)));
            all.chain(each).map(of)
        });
        Some(rows(CHANNELS, each))
    }

    /// What another crate makes of its counters.
    fn own(&self, own: Registered) -> Option<Rows> {
        let statistic = own.statistic();
        let found = self
            .details
            .own
            .iter()
            .find(|found| found.statistic == own)?;
        let network = &*self.series.network;
        let rows = (statistic.rows)(network, &found.counters, self.details.window_cycles);
        let cell = |value| number::rounded(value).map_or(Value::Null, Value::from);
        let whole = |row: Vec<f64>| {
            let cells = row
                .into_iter()
                .map(cell)
                .chain(std::iter::repeat(Value::Null));
            cells.take(statistic.columns.len()).collect()
        };
        Some(rows.into_iter().map(whole).collect())
    }

    /// All together, then each channel and each terminal.
    fn energy(&self) -> Option<Rows> {
        let places: Vec<_> = energy::places(self.series, self.details)?.collect();
        let actions = places.iter().map(|place| place.actions);
        let all = energy::Place {
            channel: None,
            node: None,
            actions: actions.reduce(Actions::and)?,
            picojoules: self.series.energy.map(|_| {
                let each = places.iter().filter_map(|place| place.picojoules);
                each.sum()
            }),
        };
        let each = std::iter::once(&all).chain(&places);
        Some(rows(ENERGY, each.map(|place| (self, place))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn sources_that_send_nothing_come_last() {
        let rows = [
            ("a", 0.2, 0.2),
            ("b", 0.0, 0.0),
            ("c", 0.3, 0.0),
            ("d", 0.3, 0.1),
        ];
        let table = Table {
            columns: vec!["node", "created_flits", "accepted_flits"],
            rows: rows
                .map(|(node, created, accepted)| vec![json!(node), json!(created), json!(accepted)])
                .into(),
        };
        let (table, _) = table.foremost_first(Detail::Sources);
        let nodes: Vec<&Value> = table.rows.iter().map(|row| &row[0]).collect();
        assert_eq!(nodes, ["c", "d", "a", "b"]);
    }
}
