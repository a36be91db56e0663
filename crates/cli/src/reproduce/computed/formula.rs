//! What a formula takes from `items.toml`, and what it gives.

use super::super::table::Table;
use serde_json::Value;
use std::collections::BTreeMap;
use std::error::Error;

/// Why a table cannot be computed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ComputedError {
    /// No table has this name.
    #[error("no table `{0}` is known")]
    Unknown(String),
    /// A parameter is wrong, or a formula outside its domain.
    #[error(transparent)]
    Formula(Failure),
}

/// Whatever a formula, a network or a router refuses.
pub type Failure = Box<dyn Error + Send + Sync>;

/// A table, or why there is none.
pub type Computed = Result<Table, Failure>;

/// What computes a table.
pub type Formula = fn(&Parameters) -> Computed;

/// A parameter that is missing or of another kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the parameter `{0}` must be {1}")]
pub struct BadParameter(String, &'static str);

/// Parameters by name.
#[derive(Clone, Debug, Default, PartialEq, serde::Deserialize)]
#[serde(transparent)]
pub struct Parameters(BTreeMap<String, Value>);

impl Parameters {
    /// The number `name`.
    ///
    /// # Errors
    /// Where it is missing or no number.
    pub fn number(&self, name: &str) -> Result<f64, BadParameter> {
        let number = self.0.get(name).and_then(Value::as_f64);
        number.ok_or_else(|| BadParameter(name.to_owned(), "a number"))
    }

    /// The whole number `name`.
    ///
    /// # Errors
    /// Where it is missing or no number.
    pub fn whole(&self, name: &str) -> Result<u32, BadParameter> {
        Ok(self.number(name)? as u32)
    }

    /// The numbers `name`.
    ///
    /// # Errors
    /// Where they are missing or not all numbers.
    pub fn numbers(&self, name: &str) -> Result<Vec<f64>, BadParameter> {
        let list = self.0.get(name).and_then(Value::as_array);
        let numbers = list.and_then(|list| list.iter().map(Value::as_f64).collect());
        numbers.ok_or_else(|| BadParameter(name.to_owned(), "an array of numbers"))
    }

    /// The word `name`.
    ///
    /// # Errors
    /// Where it is missing or no text.
    pub fn word(&self, name: &str) -> Result<&str, BadParameter> {
        let word = self.0.get(name).and_then(Value::as_str);
        word.ok_or_else(|| BadParameter(name.to_owned(), "a text"))
    }
}

/// The one of `all` that the parameter `parameter` names.
///
/// # Errors
/// Where it names none; `words` says which there are.
pub fn one_of<T: Copy>(
    parameters: &Parameters,
    parameter: &str,
    all: &[(&str, T)],
    words: &'static str,
) -> Result<T, BadParameter> {
    let word = parameters.word(parameter)?;
    let found = all.iter().find(|(name, _)| *name == word);
    found
        .map(|(_, one)| *one)
        .ok_or_else(|| BadParameter(parameter.to_owned(), words))
}
