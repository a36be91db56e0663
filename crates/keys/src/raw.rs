//! A value as somebody wrote it, before it is known what its key takes.

use crate::place::{Place, Placed};

/// A value as it was written, in a file, in one word of the command line, or by a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Raw {
    /// A whole number.
    Integer {
        /// As it was written.
        said: String,
        /// Its value; `None` beyond 128 bits.
        value: Option<i128>,
    },
    /// A number with a fraction; `None` where it is too large.
    Number(Option<f64>),
    /// `true` or `false`.
    Flag(bool),
    /// A string.
    Text(String),
    /// A date or a time, which no key takes.
    Date,
    /// An array.
    List(Vec<Placed<Raw>>),
    /// A table.
    Table(RawTable),
}

impl Raw {
    /// The type of the value in words.
    pub const fn describe(&self) -> &'static str {
        match self {
            Self::Text(_) => "a string",
            Self::Integer { .. } => "a whole number",
            Self::Number(_) => "a number with a fraction",
            Self::Flag(_) => "true or false",
            Self::Date => "a date",
            Self::List(_) => "an array",
            Self::Table(_) => "a table",
        }
    }
}

impl From<u64> for Raw {
    fn from(value: u64) -> Self {
        Self::Integer {
            said: value.to_string(),
            value: Some(value.into()),
        }
    }
}

impl From<f64> for Raw {
    fn from(value: f64) -> Self {
        Self::Number(Some(value))
    }
}

impl From<bool> for Raw {
    fn from(value: bool) -> Self {
        Self::Flag(value)
    }
}

impl From<&str> for Raw {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl<T: Into<Self>> From<Vec<T>> for Raw {
    fn from(values: Vec<T>) -> Self {
        let values = values.into_iter().map(|v| Placed::default_of(v.into()));
        Self::List(values.collect())
    }
}

/// A key of a table as it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct RawEntry {
    /// The key, and where it stands.
    pub key: Placed<String>,
    /// Its value, and where that stands.
    pub value: Placed<Raw>,
}

/// A table as it was written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawTable {
    /// Where its name stands, or the whole of it where it is a value.
    pub place: Option<Place>,
    /// Its keys, no two alike.
    pub entries: Vec<RawEntry>,
}

impl RawTable {
    /// The entry of `key`.
    pub fn entry(&self, key: &str) -> Option<&RawEntry> {
        self.entries.iter().find(|entry| entry.key.value == key)
    }

    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<&Placed<Raw>> {
        Some(&self.entry(key)?.value)
    }

    /// The value of `key`, to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Placed<Raw>> {
        let mut entries = self.entries.iter_mut();
        let entry = entries.find(|entry| entry.key.value == key)?;
        Some(&mut entry.value)
    }

    /// The table that is the value of `key`.
    pub fn table(&self, key: &str) -> Option<&Self> {
        match &self.get(key)?.value {
            Raw::Table(table) => Some(table),
            _ => None,
        }
    }

    /// The string that is the value of `key`.
    pub fn text(&self, key: &str) -> Option<&str> {
        match &self.get(key)?.value {
            Raw::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Puts `entry` in the place of one with the same key.
    pub fn set(&mut self, entry: RawEntry) {
        self.remove(&entry.key.value);
        self.entries.push(entry);
    }

    /// Takes the entry of `key` out.
    pub fn remove(&mut self, key: &str) -> Option<RawEntry> {
        let mut entries = self.entries.iter();
        let at = entries.position(|entry| entry.key.value == key)?;
        Some(self.entries.remove(at))
    }
}

impl<'k, V: Into<Raw>, const N: usize> From<[(&'k str, V); N]> for RawTable {
    fn from(entries: [(&'k str, V); N]) -> Self {
        let entries = entries.map(|(key, value)| RawEntry {
            key: Placed::default_of(key.to_owned()),
            value: Placed::default_of(value.into()),
        });
        Self {
            place: None,
            entries: entries.into(),
        }
    }
}
