//! Keys that take one of several shapes.

use super::scalar::wrong_type;
use crate::description::{Description, Shape, Table};
use crate::fault::{Fault, list};
use crate::place::Placed;
use crate::raw::Raw;

/// The shape that a value is meant to have, by its type; a table, by its keys.
pub(super) fn fitting<'s>(shapes: &'s [Shape], raw: &Raw) -> Option<&'s Shape> {
    let is_meant = |shape: &&Shape| match (shape, raw) {
        (Shape::Integer { .. } | Shape::Number { .. }, Raw::Integer { .. }) => true,
        (Shape::Number { .. }, Raw::Number(_)) => true,
        (Shape::Flag, Raw::Flag(_)) => true,
        (Shape::Text | Shape::File | Shape::Word(_), Raw::Text(_)) => true,
        (Shape::Only(word), Raw::Text(text)) => text == word,
        (Shape::List { .. }, Raw::List(_)) => true,
        _ => false,
    };
    let Raw::Table(raw) = raw else {
        return shapes.iter().find(is_meant);
    };
    let known = |table: &Table| {
        let keys = table.all_keys();
        let said = keys.iter().filter(|key| raw.get(key.name).is_some());
        said.count()
    };
    let tables = shapes.iter().filter_map(|shape| match shape {
        Shape::Table(table) => Some((known(table), shape)),
        _ => None,
    });
    // Of as many, the first.
    let mut best: Option<(usize, &Shape)> = None;
    for (known, shape) in tables {
        if best.is_none_or(|(most, _)| known > most) {
            best = Some((known, shape));
        }
    }
    best.map(|(_, shape)| shape)
}

pub(super) fn none_fits(
    key: &Description,
    shapes: &[Shape],
    subject: &str,
    raw: &Placed<Raw>,
) -> Fault {
    let wanted: Vec<String> = shapes.iter().map(in_words).collect();
    let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
    let fault = wrong_type(raw, subject, &list(&wanted, ""));
    match key.hint {
        "" => fault.help(format!("write `{} = ` and one of these", key.name)),
        hint => fault.help(hint),
    }
}

fn in_words(shape: &Shape) -> String {
    match shape {
        Shape::Integer { .. } => "a whole number".to_owned(),
        Shape::Number { .. } => "a number".to_owned(),
        Shape::Flag => "true or false".to_owned(),
        Shape::Text => "a string".to_owned(),
        Shape::File => "a path".to_owned(),
        Shape::Word(words) => list(&words(), "\""),
        Shape::Only(word) => format!("\"{word}\""),
        Shape::List { of, .. } => match of {
            Shape::Integer { .. } | Shape::Number { .. } => "an array of numbers".to_owned(),
            _ => "an array".to_owned(),
        },
        Shape::Table(table) => {
            let keys = table.all_keys();
            let names: Vec<&str> = keys.iter().map(|key| key.name).collect();
            format!("a table of {}", list(&names, "`").replace(" or ", " and "))
        }
        Shape::OneOf(shapes) => {
            let words: Vec<String> = shapes.iter().map(in_words).collect();
            words.join(" or ")
        }
    }
}
