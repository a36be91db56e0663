//! A checked value, and those of a table.

use crate::fault::Fault;
use crate::place::{Place, Placed};
use std::sync::Arc;

/// A text file that a key names. It is read with the key: what comes later sees the same text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFile {
    /// The path as the key says it.
    pub path: String,
    /// The path as messages say it.
    pub name: String,
    /// What is in it.
    pub text: String,
}

/// A value that its key takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Integer(u64),
    /// A real number.
    Number(f64),
    /// `true` or `false`.
    Flag(bool),
    /// One of the words of its key.
    Word(&'static str),
    /// A string.
    Text(String),
    /// A text file.
    File(Arc<TextFile>),
    /// An array, with the places of its elements.
    List(Vec<Placed<Value>>),
    /// A table.
    Table(Values),
}

/// Where the value of a key comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// It was left out.
    Default,
    /// It was said.
    Said {
        /// Where the key stands.
        key: Option<Place>,
        /// Where its value stands.
        value: Option<Place>,
    },
    /// What was said is wrong and has been told; the value is the default, if there is one.
    Doubtful {
        /// Where the value stands that is wrong.
        value: Option<Place>,
    },
}

/// A key with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key's name.
    pub name: &'static str,
    /// Its value; `None` where it has none.
    pub value: Option<Value>,
    /// Where that comes from.
    pub origin: Origin,
}

/// The values of a table: each checked and, where it was left out, the default.
///
/// Typed values come out by their [`Key`](crate::Key): [`get`](Self::get), [`sound`](Self::sound). What
/// takes the name of a key, here, takes any name and finds nothing under one that the table does not
/// have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values {
    /// How messages call the table: "`[router]`", or "`load`" for one that is itself a value.
    pub shown: String,
    /// Where the table stands.
    pub table_place: Option<Place>,
    /// The keys, in the order of their descriptions.
    pub entries: Vec<Entry>,
}

impl Values {
    /// The entry of the key called `name`.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// Whether the key was said.
    pub fn is_given(&self, name: &str) -> bool {
        let entry = self.entry(name);
        entry.is_some_and(|entry| !matches!(entry.origin, Origin::Default))
    }

    /// Where the value of the key stands; `None` where it was left out.
    pub fn place(&self, name: &str) -> Option<Place> {
        match &self.entry(name)?.origin {
            Origin::Default => None,
            Origin::Said { value, .. } | Origin::Doubtful { value } => value.clone(),
        }
    }

    /// Where the key itself stands; `None` where it was left out.
    pub fn place_of_key(&self, name: &str) -> Option<Place> {
        match &self.entry(name)?.origin {
            Origin::Said { key, .. } => key.clone(),
            _ => None,
        }
    }

    /// Whether nothing is wrong with any of these keys, and none that must be there is missing.
    pub fn are_sound(&self, names: &[&str]) -> bool {
        names.iter().all(|name| {
            let entry = self.entry(name);
            entry.is_some_and(|entry| !matches!(entry.origin, Origin::Doubtful { .. }))
        })
    }

    /// The keys with which something is wrong.
    pub fn doubtful(&self) -> impl Iterator<Item = &'static str> {
        let doubtful = |entry: &&Entry| matches!(entry.origin, Origin::Doubtful { .. });
        self.entries.iter().filter(doubtful).map(|entry| entry.name)
    }

    /// Whether nothing is wrong with any key of the table.
    pub fn are_all_sound(&self) -> bool {
        self.doubtful().next().is_none()
    }

    /// Whether nothing is wrong with any key of the table but `name`, if with that.
    pub fn are_sound_but(&self, name: &str) -> bool {
        self.doubtful().all(|key| key == name)
    }

    /// Whether every key has a value that can be got: where something was wrong, its default.
    pub fn are_complete(&self) -> bool {
        let is_doubtful = |entry: &Entry| matches!(entry.origin, Origin::Doubtful { .. });
        let mut entries = self.entries.iter();
        entries.all(|entry| entry.value.is_some() || !is_doubtful(entry))
    }

    /// The same, nothing of it to be trusted: the table itself is wrong.
    #[must_use]
    pub fn doubted(mut self) -> Self {
        for entry in &mut self.entries {
            entry.origin = Origin::Doubtful { value: None };
        }
        self
    }

    /// The same, no value of it to be trusted: others may have been said.
    #[must_use]
    pub fn in_doubt(mut self) -> Self {
        let entries = self.entries.iter_mut();
        for entry in entries.filter(|entry| entry.value.is_some()) {
            entry.origin = Origin::Doubtful { value: None };
        }
        self
    }

    /// The elements of the array that is the value of the key, with their places; none where it has
    /// none.
    pub fn elements(&self, name: &str) -> &[Placed<Value>] {
        match self.entry(name).and_then(|entry| entry.value.as_ref()) {
            Some(Value::List(elements)) => elements,
            _ => &[],
        }
    }

    /// The table that is the value of the key.
    pub fn table(&self, name: &str) -> Option<&Self> {
        match self.entry(name)?.value.as_ref()? {
            Value::Table(values) => Some(values),
            _ => None,
        }
    }

    /// Something wrong with the value of the key called `name`: it is underlined, or else the table.
    pub fn fault(&self, name: &'static str, message: impl Into<String>) -> Fault {
        let place = self.place(name).or_else(|| self.table_place.clone());
        Fault::new(place, message).of_key(name)
    }

    /// The key called `name` is wanted and missing.
    pub fn missing(&self, name: &'static str, help: &str) -> Fault {
        let message = format!("`{name}` is missing from {}", self.shown);
        Fault::new(self.table_place.clone(), message)
            .of_key(name)
            .label("here")
            .help(help)
    }
}
