//! Results on standard output.

use serde_json::Value;
use std::io::{self, Write};

/// Prints `text`, its colours where somebody looks at them.
///
/// # Errors
/// An output that does not take it.
pub fn print(text: &[u8]) -> io::Result<()> {
    let mut out = anstream::stdout();
    out.write_all(text)?;
    out.flush()
}

/// Prints `value` as JSON.
///
/// # Errors
/// An output that does not take it.
pub fn print_json(value: &Value) -> io::Result<()> {
    print(json_text(value).as_bytes())
}

/// `value` as it is printed.
pub fn json_text(value: &Value) -> String {
    format!("{value:#}\n")
}

/// The only one of `values` by itself, several as an array.
pub fn one_or_all(values: impl Iterator<Item = Value>) -> Value {
    let mut values: Vec<Value> = values.collect();
    match values.len() {
        1 => values.remove(0),
        _ => Value::Array(values),
    }
}
