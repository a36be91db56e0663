//! A scenario file as tables: parsed with the place of every key, and one merged document for each
//! series.
//!
//! What stands in the top-level tables is the default of every series, key by key. A series that
//! names another kind of topology, another algorithm, pattern or process leaves behind those of the
//! top level's keys that the new one does not have; one of two keys that say the same thing in two
//! ways (`radices` and `radix`, `packet_bits` and `packet_flits`, `delay` and `model`,
//! `[cost]` and `[channel] width_bits`) displaces the other.

use super::error::{Fault, Place};
use super::keys::{SEEDS, TABLES, TABLES_LATER, top_keys};
use super::reader::{Section, describe, text, unknown_key};
use super::{algorithms, topology, traffic};
use std::collections::HashMap;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A curve: its name, and the tables that define it.
#[derive(Clone, Debug)]
pub struct SeriesTables<'t> {
    /// The name, unique in the file.
    pub name: String,
    /// The top level's tables with the series' own over them.
    pub tables: DeTable<'t>,
}

/// A scenario's text as tables.
#[derive(Clone, Debug)]
pub struct File<'t> {
    /// `title`, if there is one.
    pub title: Option<String>,
    /// `seed`, if there is one.
    pub seed: Option<u64>,
    /// The curves, at least one.
    pub series: Vec<SeriesTables<'t>>,
}

impl<'t> File<'t> {
    /// Parses a scenario's text.
    ///
    /// # Errors
    /// Text that is not TOML, an unknown key at the top level or of a series, series without a name
    /// or with the same one.
    pub fn parse(source: &'t str) -> Result<Self, Fault> {
        let document = DeTable::parse(source).map_err(|error| {
            Fault::new(error.span(), format!("not TOML: {}", error.message()))
                .label("here")
                .help(remedy_of_toml(error.message()))
        })?;
        let mut top = document.into_inner();
        check_top(&top)?;
        let (title, seed) = {
            let section = Section::inline("scenario", &top, 0..0);
            let title = section.text("title")?.map(|title| title.value.to_owned());
            let seed = section.integer("seed", SEEDS, "")?;
            (title, seed.map(|seed| seed.value))
        };
        let own = top.remove("series");
        keep(&mut top, &TABLES);
        let series = match own {
            None => vec![SeriesTables {
                name: "default".to_owned(),
                tables: top,
            }],
            Some(own) => all_series(&top, own)?,
        };
        Ok(Self {
            title,
            seed,
            series,
        })
    }
}

/// What would be right where a text is not TOML.
fn remedy_of_toml(message: &str) -> &'static str {
    match message {
        m if m.contains("duplicate key") => {
            "a key stands once in its table: leave one of the two out, or give the second table another \
             name; series begin with `[[series]]`, in double brackets"
        }
        m if m.contains("string") => {
            "a string ends with the quote that it begins with: `title = \"...\"`"
        }
        _ => "a line is a `[table]`, or `key = value` with strings in quotes: https://toml.io",
    }
}

fn check_top(top: &DeTable<'_>) -> Result<(), Fault> {
    let known = top_keys();
    let unknown = top
        .keys()
        .filter(|key| !known.contains(&key.get_ref().as_ref()))
        .min_by_key(|key| key.span().start);
    match unknown {
        None => Ok(()),
        Some(key) => Err(unknown_key(
            key.get_ref(),
            key.span(),
            "the scenario's top level",
            &known,
            &TABLES_LATER,
        )),
    }
}

fn all_series<'t>(
    top: &DeTable<'t>,
    own: Spanned<DeValue<'t>>,
) -> Result<Vec<SeriesTables<'t>>, Fault> {
    let place = own.span();
    let wrong = describe(own.get_ref());
    let DeValue::Array(values) = own.into_inner() else {
        return Err(Fault::new(
            Some(place),
            format!("`series` must be an array of tables, not {wrong}"),
        )
        .label(wrong)
        .help("begin each series with `[[series]]`, in double brackets"));
    };
    if values.is_empty() {
        return Err(Fault::new(Some(place), "`series` is empty")
            .label("no series")
            .help("leave `series` out, or begin each with `[[series]]`"));
    }
    let mut seen: HashMap<String, Place> = HashMap::new();
    let mut all = Vec::with_capacity(values.len());
    for value in values {
        let (name, name_place, tables) = one_series(top, value)?;
        if seen.insert(name.clone(), name_place.clone()).is_some() {
            let message = format!("two series are named \"{name}\"");
            return Err(Fault::new(Some(name_place), message)
                .label("taken by a series above")
                .help("give each series a name of its own: results are told apart by it"));
        }
        all.push(SeriesTables { name, tables });
    }
    Ok(all)
}

fn one_series<'t>(
    top: &DeTable<'t>,
    value: Spanned<DeValue<'t>>,
) -> Result<(String, Place, DeTable<'t>), Fault> {
    let place = value.span();
    let wrong = describe(value.get_ref());
    let DeValue::Table(mut series) = value.into_inner() else {
        let message = format!("a series must be a table, not {wrong}");
        return Err(Fault::new(Some(place), message)
            .label(wrong)
            .help("begin each series with `[[series]]`"));
    };
    let Some(name) = series.remove("name") else {
        return Err(Fault::new(Some(place), "a series has no `name`")
            .label("here")
            .help("add one, such as `name = \"torus\"`: results are told apart by it"));
    };
    let name_place = name.span();
    let name = text(&name, "name")?.value.to_owned();
    if name.trim().is_empty() {
        return Err(
            Fault::new(Some(name_place), "the name of a series is empty")
                .label("empty")
                .help("results are told apart by it"),
        );
    }
    let mut tables = top.clone();
    displace_width(&mut tables, &series);
    displace_load(&mut tables, &series);
    for (key, value) in series {
        if !TABLES.contains(&key.get_ref().as_ref()) {
            return Err(unknown_in_series(key.get_ref(), key.span()));
        }
        let DeValue::Table(over) = value.get_ref() else {
            // Whatever reads the table reports the wrong type with its place.
            tables.insert(key, value);
            continue;
        };
        let table_name = key.get_ref().to_string();
        match tables.get_mut(table_name.as_str()).map(Spanned::get_mut) {
            Some(DeValue::Table(base)) => merge(&table_name, base, over),
            _ => {
                tables.insert(key, value);
            }
        }
    }
    Ok((name, name_place, tables))
}

fn unknown_in_series(key: &str, place: Place) -> Fault {
    const TOP_ONLY: [&str; 3] = ["title", "seed", "series"];
    if TOP_ONLY.contains(&key) {
        let message = format!("`{key}` cannot differ from series to series");
        return Fault::new(Some(place), message)
            .label("belongs to the scenario's top level")
            .help("write it above the first table of the file");
    }
    let mut known = vec!["name"];
    known.extend(TABLES);
    unknown_key(key, place, "`[[series]]`", &known, &TABLES_LATER)
}

/// Takes out of the top level's `tables` the width of channels that `series` says in the other of
/// two ways.
fn displace_width(tables: &mut DeTable<'_>, series: &DeTable<'_>) {
    let own = |name: &str| series.get(name)?.get_ref().as_table();
    if own("channel").is_some_and(|channel| channel.contains_key("width_bits")) {
        tables.remove("cost");
    }
    if own("cost").is_some()
        && let Some(DeValue::Table(channel)) = tables.get_mut("channel").map(Spanned::get_mut)
    {
        channel.remove("width_bits");
    }
}

/// Takes out of the top level's `tables` the loads of an open loop where the traffic that `series`
/// names is none.
fn displace_load(tables: &mut DeTable<'_>, series: &DeTable<'_>) {
    let own = series
        .get("traffic")
        .and_then(|own| own.get_ref().as_table());
    if own.is_some_and(|own| traffic::takes_no_load(word(own, "pattern"), word(own, "mode")))
        && let Some(DeValue::Table(sweep)) = tables.get_mut("sweep").map(Spanned::get_mut)
    {
        for key in ["load", "load_unit", "steps"] {
            sweep.remove(key);
        }
    }
}

/// Lays `over` over `base`, key by key.
fn merge<'t>(table_name: &str, base: &mut DeTable<'t>, over: &DeTable<'t>) {
    match table_name {
        "topology" => {
            let kind = word(over, "kind").and_then(topology::Kind::named);
            if let Some(kind) = kind {
                keep(base, kind.keys());
            }
            displace(base, over, &["radices"], &["radix", "dimensions"]);
        }
        "traffic" => {
            for key in traffic::keys_left(
                word(over, "pattern"),
                word(over, "process"),
                word(over, "mode"),
            ) {
                base.remove(key);
            }
            displace(base, over, &["packet_bits"], &["packet_flits"]);
        }
        "routing" => {
            if let Some(keys) = word(over, "algorithm").and_then(algorithms::keys_of) {
                keep(base, &keys);
            }
        }
        "channel" => displace(base, over, &["delay"], &["model", "wires"]),
        // A width alone is the series' own: not that of the reference which the top level names.
        "cost" => {
            let says = |key: &&str| over.contains_key(*key);
            if says(&"width_bits") && !["constraint", "reference", "adapt"].iter().any(says) {
                keep(base, &[]);
            }
        }
        _ => {}
    }
    for (key, value) in over.iter() {
        if table_name == "faults"
            && let Some(random) = value.get_ref().as_table()
            && let Some(DeValue::Table(base)) = base.get_mut("random").map(Spanned::get_mut)
        {
            // Series that differ in the number of faults share the rest, the seed above all.
            merge("random", base, random);
            continue;
        }
        // The key of an entry that is there already keeps its old place: take it out first.
        base.remove(key.get_ref().as_ref());
        base.insert(key.clone(), value.clone());
    }
}

/// Takes out of `table` every key that is not in `keys`.
fn keep(table: &mut DeTable<'_>, keys: &[&str]) {
    let others: Vec<String> = table
        .keys()
        .map(|key| key.get_ref().to_string())
        .filter(|key| !keys.contains(&key.as_str()))
        .collect();
    for key in others {
        table.remove(key.as_str());
    }
}

/// Takes out of `base` what `over` says in the other of two ways.
fn displace<'t>(base: &mut DeTable<'t>, over: &DeTable<'t>, one: &[&str], other: &[&str]) {
    let says = |keys: &[&str]| keys.iter().any(|key| over.contains_key(*key));
    let (says_one, says_other) = (says(one), says(other));
    for key in other.iter().filter(|_| says_one) {
        base.remove(*key);
    }
    for key in one.iter().filter(|_| says_other) {
        base.remove(*key);
    }
}

fn word<'a>(table: &'a DeTable<'_>, key: &str) -> Option<&'a str> {
    table.get(key)?.get_ref().as_str()
}
