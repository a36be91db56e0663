//! The tables of a series: those of the top level, with its own over them key by key.
//!
//! A series that names another kind of topology, another algorithm, pattern or process leaves behind those of
//! the top level's keys that the new one does not have; one of two keys that say the same thing in two ways
//! (`radices` and `radix`, `packet_bits` and `packet_flits`, `delay` and `model`, `[cost]` and `[channel]
//! width_bits`) displaces the other. `global_delay` goes with a dragonfly. Tables within tables (`faults.random`,
//! `router.pipeline`) are laid over each other too.

use crate::error::{Fault, Place};
use crate::tables::{self, GRID, NAME, SEED, TITLE};
use crate::traffic;
use flitsim_keys::{Placed, Raw, RawTable, Reader, Rule, Table, TextFile, Variant};
use std::collections::HashSet;

/// A curve: its name, and the tables that define it.
#[derive(Clone, Debug)]
pub struct SeriesTables {
    /// The name, unique in the file.
    pub name: String,
    /// The top level's tables with the series' own over them.
    pub tables: RawTable,
}

/// The tables of `series` laid over those of the top level, and the keys that are not known.
pub fn over(reader: &Reader<'_>, top: &RawTable, series: &RawTable) -> (RawTable, Vec<Fault>) {
    let mut tables = top.clone();
    displace_width(&mut tables, series);
    displace_load(&mut tables, series);
    displace_global_delay(&mut tables, series);
    let mut faults = Vec::new();
    for entry in &series.entries {
        let mut name = entry.key.value.as_str();
        if name == NAME.name() {
            continue;
        }
        if tables::named(name).is_none() {
            faults.push(unknown_in_series(reader, &entry.key));
            // What was meant to be a table that is not there is read as that.
            let meant = reader.meant(name, keys_of_series());
            let is_it = |meant: &&str| {
                series.get(meant).is_none() && matches!(entry.value.value, Raw::Table(_))
            };
            name = meant.filter(is_it).unwrap_or(name);
        }
        let Some(table) = tables::named(name) else {
            continue;
        };
        match (
            tables.get_mut(name).map(|v| &mut v.value),
            &entry.value.value,
        ) {
            (Some(Raw::Table(base)), Raw::Table(over)) => merge(table, base, over),
            // Whatever reads the table reports a wrong type with its place.
            _ => {
                let mut entry = entry.clone();
                entry.key.value = name.to_owned();
                tables.set(entry);
            }
        }
    }
    (tables, faults)
}

fn unknown_in_series(reader: &Reader<'_>, key: &Placed<String>) -> Fault {
    let name = &key.value;
    if [TITLE.name(), SEED.name(), GRID, "series"].contains(&name.as_str()) {
        let message = format!("`{name}` cannot differ from series to series");
        return Fault::new(key.place.clone(), message)
            .label("belongs to the scenario's top level")
            .help("write it above the first table of the file");
    }
    let known: Vec<&str> = keys_of_series().collect();
    reader.unknown(key, "`[[series]]`", &known)
}

/// What a series may say.
pub fn keys_of_series() -> impl Iterator<Item = &'static str> {
    [NAME.name()].into_iter().chain(tables::names())
}

/// Takes out of the top level's `tables` the width of channels that `series` says in the other of
/// two ways.
fn displace_width(tables: &mut RawTable, series: &RawTable) {
    let channel = series.table("channel");
    if channel.is_some_and(|channel| channel.get("width_bits").is_some()) {
        tables.remove("cost");
    }
    if series.table("cost").is_some()
        && let Some(Raw::Table(channel)) = tables.get_mut("channel").map(|v| &mut v.value)
    {
        channel.remove("width_bits");
    }
}

/// Takes out of the top level's `tables` the loads of an open loop where the traffic that `series`
/// names is none.
fn displace_load(tables: &mut RawTable, series: &RawTable) {
    let own = series.table("traffic");
    if own.is_some_and(|own| traffic::takes_no_load(own.text("pattern"), own.text("mode")))
        && let Some(Raw::Table(sweep)) = tables.get_mut("sweep").map(|v| &mut v.value)
    {
        for key in ["load", "load_unit", "steps"] {
            sweep.remove(key);
        }
    }
}

/// Takes out of the top level's `tables` the delay of channels between groups where the network that `series`
/// names has no groups.
fn displace_global_delay(tables: &mut RawTable, series: &RawTable) {
    let kind = series.table("topology").and_then(|own| own.text("kind"));
    if kind.is_some_and(|kind| kind != "dragonfly")
        && let Some(Raw::Table(channel)) = tables.get_mut("channel").map(|v| &mut v.value)
    {
        channel.remove("global_delay");
    }
}

/// What is wrong with values of the tables of `top` that each of the `series` overrides: none of them reads these.
pub fn overridden(top: &RawTable, series: &[SeriesTables]) -> Vec<Fault> {
    // Files are read for what they are needed.
    let unread = |path: &str| {
        Ok(TextFile {
            path: path.to_owned(),
            name: path.to_owned(),
            text: String::new(),
        })
    };
    let reader = tables::reader(&unread);
    let tables = series.iter().flat_map(|one| &one.tables.entries);
    let keys = tables.clone().filter_map(|table| match &table.value.value {
        Raw::Table(table) => Some(&table.entries),
        _ => None,
    });
    let read = tables.chain(keys.flatten()).map(|entry| &entry.value.place);
    let read: HashSet<&Option<Place>> = read.collect();
    let mut faults = Vec::new();
    for entry in &top.entries {
        let Some(table) = tables::named(&entry.key.value) else {
            continue;
        };
        match &entry.value.value {
            Raw::Table(own) => {
                let unread = own.entries.iter();
                let unread = unread.filter(|key| !read.contains(&key.value.place));
                faults.extend(unread.flat_map(|key| reader.refused(table, key)));
            }
            _ if read.contains(&entry.value.place) => {}
            _ => faults.push(no_table(table.name, &entry.value)),
        }
    }
    faults
}

/// A value where the table `name` belongs.
pub fn no_table(name: &str, said: &Placed<Raw>) -> Fault {
    let wrong = said.value.describe();
    let message = format!("`{name}` must be a table, not {wrong}");
    let help = format!("write `[{name}]` and its keys on the lines below it");
    let fault = Fault::new(said.place.clone(), message);
    fault.label(wrong).help(help)
}

/// Lays `over` over `base`, key by key.
fn merge(table: &Table, base: &mut RawTable, over: &RawTable) {
    for name in left_behind(table, over) {
        base.remove(name);
    }
    let says = |key: &str| over.get(key).is_some();
    // A width alone is the series' own: not that of the reference which the top level names.
    let is_width_alone = table.name == "cost"
        && says("width_bits")
        && !["constraint", "reference", "adapt"]
            .iter()
            .any(|key| says(key));
    if is_width_alone {
        base.entries.clear();
    }
    for entry in &over.entries {
        let name = entry.key.value.as_str();
        // Series that differ in the number of faults, or in one stage, share the rest.
        if [("faults", "random"), ("router", "pipeline")].contains(&(table.name, name))
            && let Raw::Table(own) = &entry.value.value
            && let Some(Raw::Table(base)) = base.get_mut(name).map(|v| &mut v.value)
        {
            own.entries.iter().for_each(|one| base.set(one.clone()));
            continue;
        }
        base.set(entry.clone());
    }
}

/// The keys of a top level's `table` that a series leaves behind which says `over`: those that do not go
/// with what it chooses, and those that say in another way what it says.
fn left_behind(table: &Table, over: &RawTable) -> Vec<&'static str> {
    let mut left: Vec<&str> = Vec::new();
    let mut rules = table.rules.to_vec();
    let mut excluded: Vec<&str> = Vec::new();
    for choice in table.choices {
        let variants = (choice.variants)();
        rules.extend(variants.iter().flat_map(|variant| variant.rules));
        let names = |variant: &Variant| variant.keys.iter().map(|key| key.name);
        let all = variants.iter().flat_map(names);
        if excluded.contains(&choice.key.name) {
            left.extend(all);
            continue;
        }
        let word = over.text(choice.key.name);
        if let Some(chosen) = variants.iter().find(|v| Some(v.word) == word) {
            left.extend(all.filter(|key| names(chosen).all(|own| own != *key)));
            excluded.extend(chosen.without);
        }
    }
    left.extend(excluded);
    let says = |keys: &[&str]| keys.iter().any(|key| over.get(key).is_some());
    for rule in rules {
        if let Rule::Either { one, other, .. } = rule {
            left.extend(if says(one) { other } else { &[] });
            left.extend(if says(other) { one } else { &[] });
        }
    }
    left
}
