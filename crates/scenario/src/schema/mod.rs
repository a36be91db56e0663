//! The JSON Schema of scenario files (draft 2020-12), for editors that complete and check.
//!
//! It is derived from the lists of keys beside the readers of the tables
//! ([`key`](crate::key)), from which the readers themselves take what they allow. What depends on another key of
//! the same table (a kind's keys, a pattern's) is in `conditions`, from the readers' own tables of
//! kinds, algorithms, patterns, modes and processes.
//!
//! Invariant: a scenario that `flitsim run` reads is valid here, but for one that is read only because
//! every series replaces what the top level says; the reverse does not hold, for a schema knows no
//! networks. `tests/schema.rs` asks the reader about every key.

mod conditions;
mod shape;

use crate::key::Key;
use crate::keys::{NAME, SCENARIO_KEYS, TABLES, about, described};
use crate::resolve::sorted;
use crate::traffic::{MIX, PATTERNS, TRACE, WEIGHT};
use serde_json::{Map, Value, json};
use shape::{key_schema, table_schema};

/// Where the schema's dialect is described.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The schema, its keys in alphabetical order.
pub fn scenario() -> Value {
    let mut properties = keys_schema(&SCENARIO_KEYS);
    for table in TABLES {
        properties.insert(table.to_owned(), reference(table));
    }
    properties.insert(
        "series".to_owned(),
        json!({
            "description": "Curves. What stands in the top-level tables is the default of each, key by key.",
            "type": "array",
            "minItems": 1,
            "items": { "$ref": "#/$defs/series" },
        }),
    );
    let schema = json!({
        "$schema": DIALECT,
        "$id": "urn:flitsim:scenario",
        "title": "flitsim scenario",
        "description": "Which networks to simulate, with which routers, under which traffic. \
                        `flitsim schema` prints this; docs/scenario-format.md says more.",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
        // Without series, the tables are the one series: nothing may be missing.
        "if": { "not": { "required": ["series"] } },
        "then": { "$ref": "#/$defs/whole" },
        "$defs": definitions(),
    });
    sorted(schema)
}

/// The schema as text.
pub fn text() -> String {
    format!("{:#}\n", scenario())
}

fn definitions() -> Value {
    let mut definitions = Map::new();
    for table in TABLES {
        let mut schema = table_schema(described(table), &[]);
        schema["description"] = json!(about(table));
        let conditions = conditions::within(table);
        if !conditions.is_empty() {
            schema["allOf"] = Value::Array(conditions);
        }
        definitions.insert(table.to_owned(), schema);
    }
    definitions.insert(
        "network".to_owned(),
        json!({ "allOf": [reference("topology"), conditions::whole_topology()] }),
    );
    definitions.insert("part".to_owned(), mix_part());
    definitions.insert("series".to_owned(), series());
    definitions.insert("whole".to_owned(), conditions::whole());
    Value::Object(definitions)
}

/// A part of `mix`: a pattern that is neither a mixture nor a trace, with its keys and a weight.
fn mix_part() -> Value {
    let patterns = PATTERNS
        .iter()
        .filter(|(name, _)| ![MIX, TRACE].contains(name));
    let mut own: Vec<&str> = vec!["pattern"];
    own.extend(patterns.clone().flat_map(|(_, keys)| *keys));
    let keys = described("traffic").iter();
    let mut keys: Vec<Key> = keys
        .filter(|key| own.contains(&key.name))
        .copied()
        .collect();
    keys.push(WEIGHT);
    let mut schema = table_schema(&keys, &[WEIGHT.name]);
    let words: Vec<&str> = patterns.map(|(name, _)| *name).collect();
    schema["properties"]["pattern"]["enum"] = json!(words);
    schema["allOf"] = Value::Array(conditions::mix_part());
    schema
}

fn series() -> Value {
    let mut properties = Map::new();
    let mut name = key_schema(&NAME);
    name["pattern"] = json!("\\S");
    properties.insert(NAME.name.to_owned(), name);
    for table in TABLES {
        properties.insert(table.to_owned(), reference(table));
    }
    json!({
        "description": "A curve: its name, and what differs from the top level.",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
        "required": [NAME.name],
    })
}

fn keys_schema(keys: &[Key]) -> Map<String, Value> {
    keys.iter()
        .map(|key| (key.name.to_owned(), key_schema(key)))
        .collect()
}

fn reference(definition: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{definition}") })
}
