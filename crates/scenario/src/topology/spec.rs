//! A topology in one word, `kind:key=value,key=value`: the form in which commands take it and
//! results name it. A key is the scenario's key, a list has `x` between its numbers.
//!
//! Invariant: the word of a topology reads back as that topology, files aside.

use super::keys::TOPOLOGY;
use crate::error::{Fault, Place, list, nearest};
use crate::text_file::Files;
use flitsim_keys::{Placed, Raw, RawEntry, RawTable, Reader, Shape, Values};
use flitsim_topology::Definition;
use std::path::Path;

/// How messages name the place of a topology that no file says.
pub(super) const ON_COMMAND_LINE: &str = "command line";

/// Whether `argument` is meant as a topology in one word, rather than as the path of a scenario.
pub fn is_spec(argument: &str) -> bool {
    match argument.split_once(':') {
        // A colon behind one letter is a drive's.
        Some((before, _)) => before.len() > 1 && !before.contains(['/', '\\', '.']),
        None if Definition::kind_named(argument).is_some() => true,
        None => {
            let kinds = Definition::kinds().map(|kind| kind.name());
            let is_word = !argument.contains(['/', '\\', '.']);
            is_word && nearest(argument, kinds).is_some() && !Path::new(argument).exists()
        }
    }
}

/// The keys and values of a topology in one word, as they stand.
pub fn keys(spec: &str) -> impl Iterator<Item = (&str, &str)> {
    let keys = spec.split_once(':').map_or("", |(_, keys)| keys);
    keys.split(',').filter_map(|pair| pair.split_once('='))
}

/// What the word says, its files among `files`.
///
/// # Errors
/// All that is wrong, with places in the word.
pub(super) fn values(spec: &str, files: &Files<'_>) -> Result<Values, Vec<Fault>> {
    let (table, faults) = table(spec);
    if !faults.is_empty() {
        return Err(faults);
    }
    let reader = Reader {
        tables: &[&TOPOLOGY],
        top: None,
        foreign: &[],
        files: &|path| files.get(path),
        is_partial: false,
    };
    reader.read(&TOPOLOGY, &table, "`[topology]`").sound()
}

/// The table that the word stands for, each value where it stands in the word, and what is wrong with
/// its form.
fn table(spec: &str) -> (RawTable, Vec<Fault>) {
    let (kind, keys) = spec.split_once(':').unwrap_or((spec, ""));
    let place = 0..kind.len();
    let mut table = RawTable {
        place: Some(place.clone()),
        entries: vec![RawEntry {
            key: Placed::at("kind".to_owned(), place.clone()),
            value: Placed::at(Raw::from(kind), place),
        }],
    };
    let mut faults = Vec::new();
    let mut start = kind.len() + 1;
    for pair in keys.split(',').filter(|_| !keys.is_empty()) {
        let place = start..start + pair.len();
        start = place.end + 1;
        let Some((key, value)) = pair.split_once('=') else {
            faults.push(no_value(kind, pair, place));
            continue;
        };
        let key_place = place.start..place.start + key.len();
        if table.entry(key).is_some() {
            let fault = Fault::new(Some(key_place), format!("`{key}` stands twice"));
            faults.push(fault.label("again").help("give each key once"));
            continue;
        }
        let mut value = self::value(value, key_place.end + 1);
        if is_list(kind, key) && !matches!(value.value, Raw::List(_)) {
            let place = value.place.clone();
            value = Placed {
                value: Raw::List(vec![value]),
                place,
            };
        }
        table.entries.push(RawEntry {
            key: Placed::at(key.to_owned(), key_place),
            value,
        });
    }
    (table, faults)
}

/// Whether a list is what the key of this kind takes: one number is a list too.
pub(crate) fn is_list(kind: &str, key: &str) -> bool {
    let kind = Definition::kind_named(kind);
    let mut keys = kind.into_iter().flat_map(|kind| kind.variant.keys);
    keys.any(|known| known.name == key && matches!(known.shape, Shape::List { .. }))
}

fn no_value(kind: &str, pair: &str, place: Place) -> Fault {
    let known = match Definition::kind_named(kind) {
        Some(kind) => kind.variant.keys.to_vec(),
        None => TOPOLOGY.all_keys(),
    };
    let keys = known.iter().map(|key| key.name);
    let keys: Vec<&str> = keys.filter(|key| *key != "kind").collect();
    Fault::new(Some(place), format!("`{pair}` has no value"))
        .label("not `key=value`")
        .help(format!(
            "write `kind:key=value,key=value`, such as `torus:radix=8,dimensions=2`; keys: {}",
            list(&keys, "`")
        ))
}

/// The value that `text`, which starts at `start`, stands for: a list of numbers, a number, true or
/// false, or else a string.
fn value(text: &str, start: usize) -> Placed<Raw> {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !(text.contains('x') && text.split('x').all(is_number)) {
        return scalar(text, start);
    }
    let mut at = start;
    let numbers = text.split('x').map(|part| {
        let number = scalar(part, at);
        at += part.len() + 1;
        number
    });
    Placed::at(Raw::List(numbers.collect()), start..start + text.len())
}

fn scalar(text: &str, start: usize) -> Placed<Raw> {
    let value = match crate::text::parse_value(text) {
        Some(value @ (Raw::Integer { .. } | Raw::Number(_) | Raw::Flag(_))) => value,
        _ => Raw::from(text),
    };
    Placed::at(value, start..start + text.len())
}
