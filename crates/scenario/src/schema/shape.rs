//! A key, and what it takes, as a schema.

use flitsim_keys::{Absent, Description, Shape, Table, Within};
use serde_json::{Map, Value, json};

/// The schemas of `keys`, by name. Of a key that is described twice, what either takes.
pub fn properties(keys: &[Description]) -> Map<String, Value> {
    let mut all = Map::new();
    for key in keys.iter().filter(|key| !key.name.is_empty()) {
        if all.contains_key(key.name) {
            continue;
        }
        let shapes = keys.iter().filter(|other| other.name == key.name);
        let shapes: Vec<Shape> = shapes
            .flat_map(|other| alternatives(&other.shape))
            .collect();
        all.insert(key.name.to_owned(), described(key, any_of(&shapes)));
    }
    all
}

/// The schema of a key's value: what it takes, what it means, in which unit, with which default.
pub fn key_schema(key: &Description) -> Value {
    described(key, shape_schema(&key.shape))
}

fn described(key: &Description, mut schema: Value) -> Value {
    schema["description"] = json!(match key.unit() {
        Some(unit) => format!("{} Unit: {unit}.", key.meaning),
        None => key.meaning.to_owned(),
    });
    if let Some(default) = json_default(&key.absent) {
        schema["default"] = default;
    }
    schema
}

/// A default as JSON; `None` where there is none, or where it depends.
pub fn json_default(absent: &Absent) -> Option<Value> {
    match absent {
        Absent::Refused(_) | Absent::Nothing(_) | Absent::As(_) => None,
        Absent::Integer(number) => Some(json!(number)),
        Absent::Number(number) => Some(json!(number)),
        Absent::Flag(flag) => Some(json!(flag)),
        Absent::Word(word) => Some(json!(word)),
        Absent::Empty => Some(json!([])),
        Absent::Table(entries) => {
            let entries = entries.iter();
            let entries = entries.map(|(key, value)| ((*key).to_owned(), json_default(value)));
            let entries = entries.filter_map(|(key, value)| Some((key, value?)));
            Some(Value::Object(entries.collect()))
        }
    }
}

/// The schema of a table of `keys`, which must have those that cannot be left out where it `is_whole`.
pub fn table_schema(keys: &[Description], is_whole: bool) -> Value {
    let mut schema = json!({
        "type": "object",
        "properties": Value::Object(properties(keys)),
        "additionalProperties": false,
    });
    let required = needed(keys);
    if is_whole && !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// The keys that cannot be left out.
pub fn needed(keys: &[Description]) -> Vec<&'static str> {
    let needed = keys.iter();
    let needed = needed.filter(|key| matches!(key.absent, Absent::Refused(_)));
    needed.map(|key| key.name).collect()
}

/// The shapes of which a value may have any.
fn alternatives(shape: &Shape) -> Vec<Shape> {
    match shape {
        Shape::OneOf(shapes) => shapes.iter().flat_map(alternatives).collect(),
        shape => vec![*shape],
    }
}

fn any_of(shapes: &[Shape]) -> Value {
    let mut schemas: Vec<Value> = Vec::new();
    let mut taken: Vec<&Shape> = Vec::new();
    for shape in shapes {
        let schema = shape_schema(shape);
        if !schemas.contains(&schema) && !taken.iter().any(|other| contains(other, shape)) {
            schemas.push(schema);
            taken.push(shape);
        }
    }
    match schemas.len() {
        1 => schemas.remove(0),
        _ => json!({ "anyOf": schemas }),
    }
}

/// Whether `one` takes every number that `other` takes.
fn contains(one: &Shape, other: &Shape) -> bool {
    match (one, other) {
        (
            Shape::Integer { least, most, .. },
            Shape::Integer {
                least: low,
                most: high,
                ..
            },
        ) => least <= low && high <= most,
        (Shape::Number { within, .. }, Shape::Number { within: other, .. }) => {
            within.low == other.low
                && match (within.high, other.high) {
                    (Some((most, _)), Some((high, _))) => high <= most,
                    (most, _) => most.is_none(),
                }
        }
        _ => false,
    }
}

pub fn shape_schema(shape: &Shape) -> Value {
    match shape {
        Shape::Integer { least, most, .. } => {
            json!({ "type": "integer", "minimum": least, "maximum": most })
        }
        Shape::Number { within, .. } => number(*within),
        Shape::Flag => json!({ "type": "boolean" }),
        Shape::Text | Shape::File => json!({ "type": "string" }),
        Shape::Word(words) => json!({ "type": "string", "enum": words() }),
        Shape::Only(word) => json!({ "const": word }),
        Shape::List {
            of, least, most, ..
        } => {
            let mut schema = json!({ "type": "array", "items": shape_schema(of) });
            if *least > 0 {
                schema["minItems"] = json!(least);
            }
            if let Some(most) = most {
                schema["maxItems"] = json!(most);
            }
            schema
        }
        Shape::Table(table) => inner_table(table),
        Shape::OneOf(_) => any_of(&alternatives(shape)),
    }
}

/// A table as a value: one whose keys depend on a choice has a definition of its own.
fn inner_table(table: &Table) -> Value {
    match table.name {
        "topology" => json!({ "$ref": "#/$defs/network" }),
        name if !table.choices.is_empty() => json!({ "$ref": format!("#/$defs/{name}") }),
        _ => table_schema(table.keys, true),
    }
}

fn number(within: Within) -> Value {
    let mut schema = json!({ "type": "number" });
    let ends = [
        (within.low, "minimum", "exclusiveMinimum"),
        (within.high, "maximum", "exclusiveMaximum"),
    ];
    for (end, included, excluded) in ends {
        if let Some((end, is_included)) = end {
            schema[if is_included { included } else { excluded }] = json!(end);
        }
    }
    schema
}
