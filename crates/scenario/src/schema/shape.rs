//! A key, and what it takes, as a schema.

use crate::key::{Key, Shape, Within};
use serde_json::{Value, json};

/// The schema of a key's value: what it takes, what it means, in which unit, with which default.
pub fn key_schema(key: &Key) -> Value {
    let mut schema = shape_schema(&key.shape);
    schema["description"] = json!(match key.unit() {
        Some(unit) => format!("{} Unit: {unit}.", key.meaning),
        None => key.meaning.to_owned(),
    });
    if let Some(default) = key.default {
        // The defaults are parsed by a test.
        schema["default"] = serde_json::from_str(default).unwrap_or(Value::Null);
    }
    schema
}

/// The schema of a table of `keys`, which must have those that are `required`.
pub fn table_schema(keys: &[Key], required: &[&str]) -> Value {
    let properties = keys
        .iter()
        .map(|key| (key.name.to_owned(), key_schema(key)));
    let mut schema = json!({
        "type": "object",
        "properties": Value::Object(properties.collect()),
        "additionalProperties": false,
    });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn shape_schema(shape: &Shape) -> Value {
    match shape {
        Shape::Integer { least, most, .. } => {
            json!({ "type": "integer", "minimum": least, "maximum": most })
        }
        Shape::Number { within, .. } => number(*within),
        Shape::Flag => json!({ "type": "boolean" }),
        Shape::Text => json!({ "type": "string" }),
        Shape::Word(words) => json!({ "type": "string", "enum": words() }),
        Shape::Only(word) => json!({ "const": word }),
        Shape::Array { of, least, most } => {
            let mut schema = json!({ "type": "array", "items": shape_schema(of) });
            if *least > 0 {
                schema["minItems"] = json!(least);
            }
            if let Some(most) = most {
                schema["maxItems"] = json!(most);
            }
            schema
        }
        Shape::Table { keys, required } => table_schema(keys, required),
        Shape::Network => json!({ "$ref": "#/$defs/network" }),
        Shape::MixPart => json!({ "$ref": "#/$defs/part" }),
        Shape::OneOf(shapes) => {
            json!({ "anyOf": shapes.iter().map(shape_schema).collect::<Vec<_>>() })
        }
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
