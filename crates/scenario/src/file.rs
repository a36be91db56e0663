//! A scenario file as tables: parsed with the place of every key, and one merged document for each
//! series.

use crate::error::{Fault, Place};
use crate::grid::{SERIES_MOST, combine};
use crate::overlay::{SeriesTables, keys_of_series, over, overridden};
use crate::tables::{self, GRID, NAME, SEED, TITLE, TOP, top_keys};
use crate::text::Text;
use flitsim_keys::{Placed, Raw, RawEntry, RawTable, Reader, outline, reads_as, unfit};
use std::collections::BTreeMap;

/// A scenario's text as tables.
#[derive(Clone, Debug)]
pub struct File {
    /// `title`, if there is one.
    pub title: Option<String>,
    /// `seed`, if there is one.
    pub seed: Option<u64>,
    /// The curves, at least one where nothing is wrong.
    pub series: Vec<SeriesTables>,
    /// Unknown keys at the top level or of a series, series without a name or with the same one.
    pub faults: Vec<Fault>,
}

impl File {
    /// Of what could be read of a scenario's text.
    pub fn new(text: &Text, reader: &Reader<'_>) -> Self {
        let mut top = text.top.clone();
        let mut faults = unknown(reader, &mut top);
        let own = |entry: &&RawEntry| TOP.keys.iter().any(|key| key.name == entry.key.value);
        let own = RawTable {
            place: None,
            entries: top.entries.iter().filter(own).cloned().collect(),
        };
        let read = reader.read(&TOP, &own, "the scenario's top level");
        faults.extend(read.faults);
        let mut tables = top.clone();
        keep_tables(&mut tables);
        let series = match top.get("series") {
            None => vec![alone(&tables)],
            Some(own) => all_series(reader, &tables, own, &mut faults),
        };
        let series = match top.get(GRID) {
            None => series,
            Some(grid) => {
                let own = own_tables(&top);
                combine(reader, grid, series, (&top, &own), &mut faults)
            }
        };
        faults.extend(overridden(&top, &series));
        faults.retain(|fault| text.is_read(fault));
        faults.extend(text.faults.iter().cloned());
        let seed = read.values.get(&SEED);
        Self {
            title: read.values.get(&TITLE),
            seed: read.values.is_given(SEED.name()).then_some(seed),
            series,
            faults,
        }
    }
}

/// The tables of `[[series]]`, as they were written.
fn own_tables(top: &RawTable) -> Vec<&RawTable> {
    let Some(Raw::List(values)) = top.get("series").map(|series| &series.value) else {
        return Vec::new();
    };
    let tables = values.iter().filter_map(|value| match &value.value {
        Raw::Table(table) => Some(table),
        _ => None,
    });
    tables.collect()
}

/// The keys that the top level does not have. What was meant to be a table that is not there is read as that.
fn unknown(reader: &Reader<'_>, top: &mut RawTable) -> Vec<Fault> {
    let known = top_keys();
    let mut faults = Vec::new();
    for at in 0..top.entries.len() {
        let key = &top.entries[at].key;
        if known.contains(&key.value.as_str()) {
            continue;
        }
        faults.push(reader.unknown(key, "the scenario's top level", &known));
        let meant = reader.meant(&key.value, known.iter().copied());
        let is_table = matches!(top.entries[at].value.value, Raw::Table(_) | Raw::List(_));
        let is_it = |meant: &&str| {
            let is_key = TOP.keys.iter().any(|key| key.name == *meant);
            is_key != is_table && top.get(meant).is_none()
        };
        if let Some(meant) = meant.filter(is_it) {
            top.entries[at].key.value = meant.to_owned();
        }
    }
    faults
}

/// Leaves of the top level what a series may override.
fn keep_tables(top: &mut RawTable) {
    let names = tables::names();
    top.entries
        .retain(|entry| names.contains(&entry.key.value.as_str()));
}

/// The one series of a scenario that names none.
fn alone(tables: &RawTable) -> SeriesTables {
    SeriesTables {
        name: "default".to_owned(),
        tables: tables.clone(),
    }
}

fn all_series(
    reader: &Reader<'_>,
    top: &RawTable,
    own: &Placed<Raw>,
    faults: &mut Vec<Fault>,
) -> Vec<SeriesTables> {
    let wrong = own.value.describe();
    let values = match &own.value {
        Raw::List(values) => &values[..],
        Raw::Table(_) if reader.is_partial => std::slice::from_ref(own),
        other => {
            let message = format!("`series` must be an array of tables, not {wrong}");
            faults.push(
                Fault::new(own.place.clone(), message)
                    .label(wrong)
                    .help("begin each series with `[[series]]`, in double brackets"),
            );
            // What else is wrong is told all the same: a table is meant as the one series.
            match other {
                Raw::Table(_) => std::slice::from_ref(own),
                _ => return vec![alone(top)],
            }
        }
    };
    if values.is_empty() {
        faults.push(
            Fault::new(own.place.clone(), "`series` is empty")
                .label("no series")
                .help("leave `series` out, or begin each with `[[series]]`"),
        );
        return vec![alone(top)];
    }
    if values.len() > SERIES_MOST {
        let message = format!("{} series, and {SERIES_MOST} are the most", values.len());
        faults.push(Fault::new(own.place.clone(), message).label("too many series"));
        return Vec::new();
    }
    let mut all: Vec<SeriesTables> = Vec::with_capacity(values.len());
    let mut names = Names::new();
    for value in values {
        let Raw::Table(series) = &value.value else {
            let wrong = value.value.describe();
            let message = format!("a series must be a table, not {wrong}");
            faults.push(
                Fault::new(value.place.clone(), message)
                    .label(wrong)
                    .help("begin each series with `[[series]]`"),
            );
            continue;
        };
        let name = match name_of(series, value.place.clone(), &mut names) {
            Ok(name) => name,
            Err(fault) => {
                let is_there = series.get(NAME.name()).is_some();
                if is_there || !reader.is_partial && !is_name_meant(reader, series) {
                    faults.push(fault);
                }
                // What else is wrong with it is told all the same.
                format!("number {}", all.len() + 1)
            }
        };
        let (tables, unknown) = over(reader, top, series);
        faults.extend(unknown);
        all.push(SeriesTables { name, tables });
    }
    all
}

/// Whether a key of `series` was meant to be its name.
fn is_name_meant(reader: &Reader<'_>, series: &RawTable) -> bool {
    let mut keys = series.entries.iter().map(|entry| &entry.key.value);
    keys.any(|key| reader.meant(key, keys_of_series()) == Some(NAME.name()))
}

/// By outline, the names of series above, and whether they have marks.
type Names = BTreeMap<String, BTreeMap<String, bool>>;

/// The name of a series that stands at `place` behind those of `names`, which it joins.
fn name_of(series: &RawTable, place: Option<Place>, names: &mut Names) -> Result<String, Fault> {
    let Some(said) = series.get(NAME.name()) else {
        return Err(Fault::new(place, "a series has no `name`")
            .label("here")
            .help("add one, such as `name = \"torus\"`: results are told apart by it"));
    };
    let at = |message: String| Fault::new(said.place.clone(), message);
    let Raw::Text(name) = &said.value else {
        let wrong = said.value.describe();
        return Err(at(format!("`name` must be a string, not {wrong}"))
            .label(wrong)
            .help("write it in quotes: `name = \"...\"`"));
    };
    if name.trim().is_empty() {
        return Err(at("the name of a series is empty".to_owned())
            .label("empty")
            .help("results are told apart by it"));
    }
    if let Some(why) = unfit(name) {
        return Err(at(format!("`name` {why}"))
            .label("not as it can be shown")
            .help("names stand in tables, charts and terminals: one line of visible characters"));
    }
    let (outline, has_marks) = outline(name);
    let alike = names.entry(outline).or_default();
    if alike.contains_key(name) {
        return Err(at(format!("two series are named \"{name}\""))
            .label("taken by a series above")
            .help("give each series a name of its own: results are told apart by it"));
    }
    let mut others = alike.iter().filter(|&(_, &marks)| marks || has_marks);
    if let Some((other, _)) = others.find(|(other, _)| reads_as(other, name)) {
        let message = format!("\"{name}\" reads as \"{other}\" does, a series above");
        return Err(at(message).label("the same letters, composed otherwise").help(
            "an accented letter is one character, or a letter and its marks: names differ in more than that",
        ));
    }
    alike.insert(name.clone(), has_marks);
    Ok(name.clone())
}
