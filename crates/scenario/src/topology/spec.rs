//! A topology in one word, `kind:key=value,key=value`: the form in which commands take it and
//! results name it. A key is the scenario's key, a list has `x` between its numbers.
//!
//! Invariant: the word of a topology reads back as that topology, files aside.

use super::{Kind, TopologyTable, topology_keys};
use crate::ScenarioError;
use crate::error::{Fault, Place, list};
use crate::reader::Section;
use std::borrow::Cow;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

/// How messages name the place of a topology that no file says.
const ON_COMMAND_LINE: &str = "command line";

/// Whether `argument` is meant as a topology in one word, rather than as the path of a scenario.
pub fn is_spec(argument: &str) -> bool {
    match argument.split_once(':') {
        // A colon behind one letter is a drive's.
        Some((before, _)) => before.len() > 1 && !before.contains(['/', '\\', '.']),
        None => Kind::named(argument).is_some(),
    }
}

/// Reads a topology in one word; paths in it are relative to the working directory.
///
/// # Errors
/// What is wrong, with its place in the word underlined.
pub fn parse(spec: &str) -> Result<TopologyTable, ScenarioError> {
    read(spec, Path::new(""))
        .map_err(|fault| ScenarioError::new(Path::new(ON_COMMAND_LINE), spec, fault))
}

/// The keys and values of a topology in one word, as they stand.
pub fn keys(spec: &str) -> impl Iterator<Item = (&str, &str)> {
    let keys = spec.split_once(':').map_or("", |(_, keys)| keys);
    keys.split(',').filter_map(|pair| pair.split_once('='))
}

/// As [`parse`], with paths relative to `folder`.
pub(super) fn read(spec: &str, folder: &Path) -> Result<TopologyTable, Fault> {
    let tables = tables(spec)?;
    TopologyTable::read(&Section::of(&tables, "topology")?, folder)
}

/// The scenario's tables that the word stands for, each value where it stands in the word.
fn tables(spec: &str) -> Result<DeTable<'_>, Fault> {
    let (kind, keys) = spec.split_once(':').unwrap_or((spec, ""));
    let kind_place = 0..kind.len();
    let mut table = DeTable::new();
    insert(&mut table, "kind", kind_place.clone(), {
        Spanned::new(kind_place.clone(), DeValue::String(Cow::Borrowed(kind)))
    });
    let mut start = kind.len() + 1;
    for pair in keys.split(',') {
        let place = start..start + pair.len();
        start = place.end + 1;
        if pair.is_empty() && keys.is_empty() {
            continue;
        }
        let Some((key, value)) = pair.split_once('=') else {
            return Err(no_value(kind, pair, place));
        };
        let key_place = place.start..place.start + key.len();
        if table.contains_key(key) {
            return Err(Fault::new(Some(key_place), format!("`{key}` stands twice"))
                .label("again")
                .help("give each key once"));
        }
        let value = self::value(value, key_place.end + 1);
        insert(&mut table, key, key_place, value);
    }
    let mut top = DeTable::new();
    let whole = Spanned::new(0..spec.len(), DeValue::Table(table));
    insert(&mut top, "topology", kind_place, whole);
    Ok(top)
}

fn insert<'t>(table: &mut DeTable<'t>, key: &'t str, place: Place, value: Spanned<DeValue<'t>>) {
    table.insert(Spanned::new(place, Cow::Borrowed(key)), value);
}

fn no_value(kind: &str, pair: &str, place: Place) -> Fault {
    let known = Kind::named(kind).map_or_else(topology_keys, |kind| kind.keys().to_vec());
    let keys: Vec<&str> = known.into_iter().filter(|key| *key != "kind").collect();
    Fault::new(Some(place), format!("`{pair}` has no value"))
        .label("not `key=value`")
        .help(format!(
            "write `kind:key=value,key=value`, such as `torus:radix=8,dimensions=2`; keys: {}",
            list(&keys, "`")
        ))
}

/// The value that `text`, which starts at `start`, stands for: a list of numbers, a number, true or
/// false, or else a string.
fn value(text: &str, start: usize) -> Spanned<DeValue<'_>> {
    let place = start..start + text.len();
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if text.contains('x') && text.split('x').all(is_number) {
        let mut at = start;
        let numbers = text.split('x').map(|part| {
            let number = scalar(part, at);
            at += part.len() + 1;
            number
        });
        return Spanned::new(place, DeValue::Array(numbers.collect::<DeArray<'_>>()));
    }
    scalar(text, start)
}

fn scalar(text: &str, start: usize) -> Spanned<DeValue<'_>> {
    let place = start..start + text.len();
    let word = || DeValue::String(Cow::Borrowed(text));
    let value = match DeValue::parse(text).map(Spanned::into_inner) {
        Ok(value @ (DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_))) => value,
        _ => word(),
    };
    Spanned::new(place, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_reads_back_as_its_topology() {
        for word in [
            "torus:radix=8,dimensions=2",
            "torus:radices=8x4,directed=true",
            "mesh:radices=8x4x2",
            "hypercube:dimensions=5",
            "express-cube:radix=16,dimensions=2,interval=4,levels=1",
            "express-cube:radix=16,dimensions=1,interval=4,levels=1,channels_per_level=1x2",
            "butterfly-fat-tree:processors=64",
            "fat-pyramid:processors=64",
            "star:symbols=5",
            "pruned-torus:radix=4,dimensions=3",
            "manhattan-torus:radix=4,dimensions=2",
            "pruned-manhattan-torus:radix=4,dimensions=3",
        ] {
            assert!(is_spec(word));
            assert_eq!(parse(word).unwrap().value.word(), word);
        }
    }

    #[test]
    fn paths_are_told_from_words() {
        for path in [
            "a.toml",
            "dir/a.toml",
            r"C:\a.toml",
            "./torus:8",
            "torus.toml",
        ] {
            assert!(!is_spec(path), "{path}");
        }
        for word in [
            "torus",
            "torsu:radix=8",
            "star:symbols=5",
            "file:path=a/b.csv",
        ] {
            assert!(is_spec(word), "{word}");
        }
    }

    #[test]
    fn what_is_wrong_is_underlined_in_the_word() {
        for (word, says) in [
            ("torsu:radix=8", "did you mean \"torus\"?"),
            ("torus", "`radix` is missing"),
            ("torus:radix", "`radix` has no value"),
            ("torus:radix=8,radix=4,dimensions=2", "`radix` stands twice"),
            ("torus:radix=0,dimensions=2", "out of its range"),
            ("torus:radix=eight,dimensions=2", "must be a whole number"),
            ("torus:radix=8,dimension=2", "did you mean `dimensions`?"),
            (
                "mesh:radix=8,dimensions=2,directed=true",
                "does not apply here",
            ),
            ("star:", "`symbols` is missing"),
            ("star:symbols=5,", "has no value"),
        ] {
            let error = parse(word).unwrap_err().to_string();
            assert!(error.contains(says), "{word}: {error}");
            assert!(error.contains("command line:1:"), "{word}: {error}");
        }
    }
}
