//! A typed reader of TOML tables that keeps the place of every value.
//!
//! A [`Section`] hands out values by key, each checked for type and range, and every [`Fault`] it
//! returns underlines the value (or the key) at fault. A missing key is `None`: defaults belong to
//! the reader of each table.

use super::error::{Fault, Place, list, nearest};
use super::keys::{goes_with, keys_of, tables_of};
use super::traffic::{MODE_KEYS, PROCESS_KEYS};
use std::ops::RangeInclusive;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value, and where it stands; no place where it is a default or comes from the command line.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub place: Option<Place>,
}

impl<T> Placed<T> {
    /// A value that no file says.
    pub const fn default_of(value: T) -> Self {
        Self { value, place: None }
    }

    fn at(value: T, place: Place) -> Self {
        Self {
            value,
            place: Some(place),
        }
    }

    /// Another value at the same place.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Placed<U> {
        Placed {
            value: f(self.value),
            place: self.place,
        }
    }
}

/// One table of a scenario.
#[derive(Clone, Debug)]
pub struct Section<'t> {
    /// How messages call it: "`[router]`", or "`load`" for a table that is itself a value.
    shown: String,
    table: Option<&'t DeTable<'t>>,
    place: Option<Place>,
}

impl<'t> Section<'t> {
    /// The table `name` of `parent`, empty where it is not there.
    ///
    /// # Errors
    /// If it is there and no table.
    pub fn of(parent: &'t DeTable<'t>, name: &'t str) -> Result<Self, Fault> {
        let Some((key, value)) = parent.get_key_value(name) else {
            return Ok(Self {
                shown: format!("`[{name}]`"),
                table: None,
                place: None,
            });
        };
        let DeValue::Table(table) = value.get_ref() else {
            let wrong = describe(value.get_ref());
            let message = format!("`{name}` must be a table, not {wrong}");
            return Err(Fault::new(Some(value.span()), message)
                .label(wrong)
                .help(format!(
                    "write `[{name}]` and its keys on the lines below it"
                )));
        };
        Ok(Self {
            shown: format!("`[{name}]`"),
            table: Some(table),
            place: Some(key.span()),
        })
    }

    /// A table that is itself a value, as `load = { from = 0.1, to = 0.9, steps = 9 }`.
    pub fn inline(name: &'t str, table: &'t DeTable<'t>, place: Place) -> Self {
        Self {
            shown: format!("`{name}`"),
            table: Some(table),
            place: Some(place),
        }
    }

    /// Where the table's name stands.
    pub fn place(&self) -> Option<Place> {
        self.place.clone()
    }

    /// Whether the key is there.
    pub fn has(&self, key: &str) -> bool {
        self.table.is_some_and(|table| table.contains_key(key))
    }

    /// Where the key's value stands.
    pub fn place_of(&self, key: &str) -> Option<Place> {
        self.table?.get(key).map(Spanned::span)
    }

    /// Where the key itself stands.
    pub fn place_of_key(&self, key: &str) -> Option<Place> {
        Some(self.table?.get_key_value(key)?.0.span())
    }

    /// Refuses every key that is not in `known`; those in `later` with the word that they are not
    /// available yet.
    ///
    /// # Errors
    /// The first unknown key, in the order of the file.
    pub fn only(&self, known: &[&str], later: &[&str]) -> Result<(), Fault> {
        let unknown = self
            .table
            .into_iter()
            .flat_map(|table| table.keys())
            .filter(|key| !known.contains(&key.get_ref().as_ref()))
            .min_by_key(|key| key.span().start);
        let Some(key) = unknown else {
            return Ok(());
        };
        Err(unknown_key(
            key.get_ref(),
            key.span(),
            &self.shown,
            known,
            later,
        ))
    }

    /// The value of `key` as it stands.
    pub fn value(&self, key: &str) -> Option<&'t Spanned<DeValue<'t>>> {
        self.table?.get(key)
    }

    /// A whole number in `range`; `unit` says what it counts, as in "flits".
    ///
    /// # Errors
    /// A wrong type, or a number outside the range.
    pub fn integer(
        &self,
        key: &str,
        range: RangeInclusive<u64>,
        unit: &str,
    ) -> Result<Option<Placed<u64>>, Fault> {
        self.value(key)
            .map(|value| integer(value, &format!("`{key}`"), range, unit))
            .transpose()
    }

    /// As [`Section::integer`], in 32 bits, with a default.
    ///
    /// # Errors
    /// As [`Section::integer`].
    pub fn count(
        &self,
        key: &str,
        range: RangeInclusive<u64>,
        unit: &str,
        default: u32,
    ) -> Result<Placed<u32>, Fault> {
        debug_assert!(*range.end() <= u64::from(u32::MAX), "`{key}` has 32 bits");
        // The range keeps the number within 32 bits.
        Ok(self
            .integer(key, range, unit)?
            .map_or(Placed::default_of(default), |n| n.map(|n| n as u32)))
    }

    /// A real number, not yet checked for its range.
    ///
    /// # Errors
    /// A wrong type.
    pub fn number(&self, key: &str) -> Result<Option<Placed<f64>>, Fault> {
        self.value(key)
            .map(|value| number(value, &format!("`{key}`")))
            .transpose()
    }

    /// `true` or `false`, with a default.
    ///
    /// # Errors
    /// A wrong type.
    pub fn flag(&self, key: &str, default: bool) -> Result<Placed<bool>, Fault> {
        match self.value(key) {
            None => Ok(Placed::default_of(default)),
            Some(value) => match value.get_ref() {
                DeValue::Boolean(flag) => Ok(Placed::at(*flag, value.span())),
                _ => Err(wrong_type_of(&format!("`{key}`"), "true or false", value)
                    .help(format!("write `{key} = true` or `{key} = false`"))),
            },
        }
    }

    /// A string.
    ///
    /// # Errors
    /// A wrong type.
    pub fn text(&self, key: &str) -> Result<Option<Placed<&'t str>>, Fault> {
        self.value(key).map(|value| text(value, key)).transpose()
    }

    /// One of the `words`, by what it stands for; those in `later` are refused with the word that
    /// they are not available yet.
    ///
    /// # Errors
    /// A wrong type, or an unknown word.
    pub fn word<T: Copy>(
        &self,
        key: &str,
        words: &[(&str, T)],
        later: &[&str],
    ) -> Result<Option<Placed<T>>, Fault> {
        let names: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
        let Some(value) = self.value(key) else {
            return Ok(None);
        };
        let DeValue::String(given) = value.get_ref() else {
            let fault = wrong_type_of(&format!("`{key}`"), "a word", value);
            return Err(fault.help(format!("write one of {}", list(&names, "\""))));
        };
        match words.iter().find(|(name, _)| name == given) {
            Some((_, meaning)) => Ok(Some(Placed::at(*meaning, value.span()))),
            None => Err(unknown_word(key, given, value.span(), &names, later)),
        }
    }

    /// Refuses two keys that say the same thing in two ways.
    ///
    /// # Errors
    /// If both are there; the second is underlined.
    pub fn not_both(&self, one: &str, other: &str, help: &str) -> Result<(), Fault> {
        if self.has(one) && self.has(other) {
            let message = format!("{} has both `{one}` and `{other}`", self.shown);
            let start = |key| self.place_of_key(key).map(|place| place.start);
            let (first, second) = match start(one) < start(other) {
                true => (one, other),
                false => (other, one),
            };
            return Err(Fault::new(self.place_of_key(second), message)
                .label(format!("`{first}` is there already"))
                .help(help));
        }
        Ok(())
    }

    /// What to say where `key` is wanted and missing.
    pub fn missing(&self, key: &str, why: &str) -> Fault {
        Fault::new(
            self.place(),
            format!("`{key}` is missing from {}", self.shown),
        )
        .label("here")
        .help(why)
    }
}

/// The fault of a key that `place_name` does not have.
pub fn unknown_key(
    key: &str,
    place: Place,
    place_name: &str,
    known: &[&str],
    later: &[&str],
) -> Fault {
    let keys = format!("allowed here: {}", list(known, "`"));
    if later.contains(&key) {
        let message =
            format!("`{key}` in {place_name} is not available in this version of flitsim");
        return Fault::new(Some(place), message)
            .label("not available")
            .help(keys);
    }
    if let Some((table, choice)) = chosen_by(key, place_name, known) {
        let message = format!("`{key}` in {place_name} does not apply here");
        return Fault::new(Some(place), message)
            .label(match goes_with(table, key) {
                Some(choice) => format!("goes with {choice}"),
                None => format!("goes with another {choice}"),
            })
            .help(keys);
    }
    let elsewhere = tables_of(key);
    let near = nearest(key, known.iter().copied());
    Fault::new(Some(place), format!("unknown key `{key}` in {place_name}"))
        .label(format!("not a key of {place_name}"))
        .help(match (elsewhere, near) {
            (Some(tables), _) => format!("`{key}` is a key of {tables}"),
            (None, Some(near)) => format!("did you mean `{near}`?"),
            (None, None) => keys,
        })
}

/// The table that `place_name` names, and its key whose value decides whether `key` belongs there; the
/// other keys leave `known`. `None` where nothing decides it.
fn chosen_by(key: &str, place_name: &str, known: &[&str]) -> Option<(&'static str, &'static str)> {
    let (_, table, choice) = [
        ("`[topology]`", "topology", "kind"),
        ("`reference`", "topology", "kind"),
        ("`[routing]`", "routing", "algorithm"),
        ("`[traffic]`", "traffic", "pattern"),
    ]
    .into_iter()
    .find(|(name, _, _)| *name == place_name)?;
    // A trace knows neither modes nor processes.
    if table == "traffic" && known.contains(&"mode") {
        if MODE_KEYS.contains(&key) || key == "process" {
            return Some((table, "mode"));
        }
        if PROCESS_KEYS.contains(&key) {
            return Some((table, "process"));
        }
    }
    keys_of(table).contains(&key).then_some((table, choice))
}

/// The fault of a word that `key` does not know.
pub fn unknown_word(key: &str, word: &str, place: Place, known: &[&str], later: &[&str]) -> Fault {
    let allowed = list(known, "\"");
    if later.contains(&word) {
        let message = format!("`{key} = \"{word}\"` is not available in this version of flitsim");
        return Fault::new(Some(place), message)
            .label("not available")
            .help(format!("available: {allowed}"));
    }
    let message = format!("unknown `{key}`: \"{word}\"");
    let fault = Fault::new(Some(place), message);
    match nearest(word, known.iter().chain(later).copied()) {
        Some(near) => fault
            .label(format!("did you mean \"{near}\"?"))
            .help(format!("allowed: {allowed}")),
        None => fault
            .label("not one of the words allowed")
            .help(format!("allowed: {allowed}")),
    }
}

/// A whole number in `range`; `subject` is what the message calls it.
///
/// # Errors
/// A wrong type, or a number outside the range.
pub fn integer(
    value: &Spanned<DeValue<'_>>,
    subject: &str,
    range: RangeInclusive<u64>,
    unit: &str,
) -> Result<Placed<u64>, Fault> {
    let (low, high) = (range.start(), range.end());
    let DeValue::Integer(given) = value.get_ref() else {
        let fault = wrong_type_of(subject, "a whole number", value);
        return Err(fault.help(match value.get_ref() {
            DeValue::String(text) if text.parse::<u64>().is_ok() => {
                format!("remove the quotes: {text}")
            }
            _ => format!("write a number of {unit} from {low} to {high}"),
        }));
    };
    match u64::from_str_radix(given.as_str(), given.radix()) {
        Ok(number) if range.contains(&number) => Ok(Placed::at(number, value.span())),
        _ => Err(Fault::new(
            Some(value.span()),
            format!("{subject} is {given}, out of its range"),
        )
        .label("out of range")
        .help(format!("it must be from {low} to {high} {unit}").trim_end())),
    }
}

/// A real number; `subject` is what the message calls it.
///
/// # Errors
/// A wrong type.
pub fn number(value: &Spanned<DeValue<'_>>, subject: &str) -> Result<Placed<f64>, Fault> {
    let number = match value.get_ref() {
        DeValue::Integer(n) => i64::from_str_radix(n.as_str(), n.radix())
            .ok()
            .map(|n| n as f64),
        DeValue::Float(x) => x.as_str().parse().ok(),
        other => {
            let fault = wrong_type_of(subject, "a number", value);
            return Err(match other {
                DeValue::String(text) if text.parse::<f64>().is_ok() => {
                    fault.help(format!("remove the quotes: {text}"))
                }
                _ => fault.help("write a number, such as 0.5"),
            });
        }
    };
    match number {
        Some(number) => Ok(Placed::at(number, value.span())),
        None => Err(
            Fault::new(Some(value.span()), format!("{subject} is too large"))
                .label("too large a number")
                .help("write a number of fewer digits, or with an exponent, such as 1e6"),
        ),
    }
}

/// A string; `key` is what the message calls it.
///
/// # Errors
/// A wrong type.
pub fn text<'t>(value: &'t Spanned<DeValue<'t>>, key: &str) -> Result<Placed<&'t str>, Fault> {
    match value.get_ref() {
        DeValue::String(text) => Ok(Placed::at(text.as_ref(), value.span())),
        _ => Err(wrong_type_of(&format!("`{key}`"), "a string", value)
            .help(format!("write it in quotes: `{key} = \"...\"`"))),
    }
}

/// The elements of an array; `subject` is what the message calls it.
///
/// # Errors
/// A wrong type.
pub fn array<'t>(
    value: &'t Spanned<DeValue<'t>>,
    subject: &str,
) -> Result<Vec<&'t Spanned<DeValue<'t>>>, Fault> {
    match value.get_ref() {
        DeValue::Array(values) => Ok(values.iter().collect()),
        _ => Err(wrong_type_of(subject, "an array", value)
            .help("write the values in square brackets, such as [1, 2, 3]")),
    }
}

fn wrong_type_of(subject: &str, wanted: &str, value: &Spanned<DeValue<'_>>) -> Fault {
    let given = describe(value.get_ref());
    let message = format!("{subject} must be {wanted}, not {given}");
    Fault::new(Some(value.span()), message).label(given)
}

/// The type of a value in words.
pub fn describe(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}
