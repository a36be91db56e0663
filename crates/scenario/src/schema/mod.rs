//! The JSON Schema of scenario files (draft 2020-12), for editors that complete and check.
//!
//! It is derived from the descriptions of the tables ([`tables`](crate::tables)), by which scenarios are
//! read, choices and rules included.
//!
//! Invariant: a scenario that `flitsim run` reads is valid here, but for one that is read only because
//! every series replaces what the top level says; the reverse does not hold, for a schema knows no
//! networks.

mod conditions;
mod shape;

use crate::definition::sorted;
use crate::tables::{GRID, NAME, TABLES, TOP};
use conditions::{all_descriptions, all_of, between_tables, whole, within};
use flitsim_keys::Table;
use flitsim_traffic::PART;
use serde_json::{Map, Value, json};
pub use shape::json_default;
use shape::{key_schema, properties, table_schema};

/// Where the schema's dialect is described.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The schema, its keys in alphabetical order.
pub fn scenario() -> Value {
    let mut all = properties(TOP.keys);
    for table in TABLES {
        all.insert(table.name.to_owned(), reference(table.name));
    }
    all.insert(
        "series".to_owned(),
        json!({
            "description": "Curves. Keys of the top-level tables are the defaults of every series, key by key.",
            "type": "array",
            "minItems": 1,
            "items": { "$ref": "#/$defs/series" },
        }),
    );
    all.insert(GRID.to_owned(), grid());
    let schema = json!({
        "$schema": DIALECT,
        "$id": "urn:flitsim:scenario",
        "title": "flitsim scenario",
        "description": format!(
            "{} `flitsim schema` prints this; docs/scenario-format.md says more.",
            TOP.about
        ),
        "type": "object",
        "properties": all,
        "additionalProperties": false,
        // Without series, the tables are the one series: nothing may be missing.
        "if": { "not": { "anyOf": [{ "required": ["series"] }, { "required": [GRID] }] } },
        "then": { "$ref": "#/$defs/whole" },
        "$defs": definitions(),
    });
    sorted(schema)
}

/// The schema as text.
pub fn text() -> String {
    format!("{:#}\n", scenario())
}

fn grid() -> Value {
    let tables = TABLES.iter().map(|table| {
        let keys = table.all_keys().into_iter();
        let keys = keys.map(|key| (key.name.to_owned(), reference("values")));
        let keys = json!({
            "type": "object",
            "properties": Value::Object(keys.collect()),
            "additionalProperties": false,
        });
        (table.name.to_owned(), keys)
    });
    let names: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
    json!({
        "description": "Values of keys of the other tables: every combination is a series.",
        "type": "object",
        "minProperties": 1,
        "properties": Value::Object(tables.collect()),
        "patternProperties": { format!("^({})\\.", names.join("|")): reference("values") },
        "additionalProperties": false,
    })
}

fn definitions() -> Value {
    let mut definitions = Map::new();
    for table in TABLES {
        definitions.insert(table.name.to_owned(), table_definition(table));
    }
    let mut network = vec![reference("topology")];
    network.extend(
        TABLES
            .iter()
            .filter(|t| t.name == "topology")
            .flat_map(|t| whole(t)),
    );
    definitions.insert("network".to_owned(), json!({ "allOf": network }));
    let mut part = table_definition(&PART);
    let conditions = [within(&PART), whole(&PART)].concat();
    part["allOf"] = Value::Array(conditions);
    definitions.insert(PART.name.to_owned(), part);
    definitions.insert("series".to_owned(), series());
    let values = json!({
        "description": "The values of a key, or the keys of the table that is its value.",
        "anyOf": [
            { "type": "array", "minItems": 1 },
            { "type": "object", "additionalProperties": reference("values") },
        ],
    });
    definitions.insert("values".to_owned(), values);
    let tables = TABLES.iter().map(|table| (table.name, whole(table)));
    let tables = tables.filter(|(_, conditions)| !conditions.is_empty());
    let tables = tables.map(|(name, conditions)| (name.to_owned(), all_of(conditions)));
    let scenario = json!({
        "required": ["topology"],
        "properties": Value::Object(tables.collect()),
        "allOf": between_tables(),
    });
    definitions.insert("whole".to_owned(), scenario);
    Value::Object(definitions)
}

fn table_definition(table: &Table) -> Value {
    let mut schema = table_schema(&all_descriptions(table), false);
    schema["description"] = json!(table.about);
    let conditions = within(table);
    if !conditions.is_empty() {
        schema["allOf"] = Value::Array(conditions);
    }
    schema
}

fn series() -> Value {
    let mut properties = Map::new();
    let mut name = key_schema(&NAME.described());
    name["pattern"] = json!("\\S");
    properties.insert(NAME.name().to_owned(), name);
    for table in TABLES {
        properties.insert(table.name.to_owned(), reference(table.name));
    }
    json!({
        "description": "A curve: its name, and what differs from the top level.",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
        "required": [NAME.name()],
    })
}

fn reference(definition: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{definition}") })
}
