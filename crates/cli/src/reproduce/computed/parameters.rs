//! What `items.toml` gives a formula.

use super::ComputedError;
use std::collections::BTreeMap;

/// Parameters by name.
#[derive(Clone, Debug, Default, PartialEq, serde::Deserialize)]
#[serde(transparent)]
pub struct Parameters(BTreeMap<String, toml::Value>);

impl Parameters {
    /// The number `name`.
    ///
    /// # Errors
    /// Where it is missing or no number.
    pub fn number(&self, name: &str) -> Result<f64, ComputedError> {
        let number = self.0.get(name).and_then(as_number);
        number.ok_or_else(|| ComputedError::Parameter(name.to_owned(), "a number"))
    }

    /// The numbers `name`.
    ///
    /// # Errors
    /// Where they are missing or not all numbers.
    pub fn numbers(&self, name: &str) -> Result<Vec<f64>, ComputedError> {
        let list = self.0.get(name).and_then(toml::Value::as_array);
        let numbers = list.and_then(|list| list.iter().map(as_number).collect());
        numbers.ok_or_else(|| ComputedError::Parameter(name.to_owned(), "an array of numbers"))
    }

    /// The word `name`.
    ///
    /// # Errors
    /// Where it is missing or no text.
    pub fn word(&self, name: &str) -> Result<&str, ComputedError> {
        let word = self.0.get(name).and_then(toml::Value::as_str);
        word.ok_or_else(|| ComputedError::Parameter(name.to_owned(), "a text"))
    }
}

fn as_number(value: &toml::Value) -> Option<f64> {
    value
        .as_float()
        .or_else(|| value.as_integer().map(|number| number as f64))
}
