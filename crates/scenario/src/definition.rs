//! Definitions: everything that decides the results of a point, in a canonical form.

use flitsim_keys::Value as Said;
use serde_json::{Map, Value, json};

/// Keys with their values as an object; a key without one is null.
pub fn of(entries: Vec<(&'static str, Option<Said>)>) -> Value {
    let entries = entries.into_iter();
    let entries = entries.map(|(key, said)| (key.to_owned(), said.map_or(Value::Null, json_of)));
    Value::Object(entries.collect())
}

/// A value of a key.
pub fn json_of(said: Said) -> Value {
    match said {
        Said::Integer(number) => json!(number),
        Said::Number(number) => json!(number),
        Said::Flag(flag) => json!(flag),
        Said::Word(word) => json!(word),
        Said::Text(text) => json!(text),
        Said::File(file) => json!(crate::text_file::digest(&file)),
        Said::List(values) => values.into_iter().map(|said| json_of(said.value)).collect(),
        Said::Table(values) => of(values
            .entries
            .into_iter()
            .map(|entry| (entry.name, entry.value))
            .collect()),
    }
}

/// The same value with the keys of every object in ascending order, whatever serde_json keeps.
pub fn sorted(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<(String, Value)> = map.into_iter().collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            let entries = entries.into_iter().map(|(key, value)| (key, sorted(value)));
            Value::Object(entries.collect::<Map<_, _>>())
        }
        Value::Array(values) => Value::Array(values.into_iter().map(sorted).collect()),
        other => other,
    }
}
