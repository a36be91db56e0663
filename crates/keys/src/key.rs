//! A key with the type of its values.

use crate::description::{Absent, Description, Shape, Table, Within};
use crate::fault::Fault;
use crate::form::{Form, Whole, Words};
use crate::place::Placed;
use crate::value::{Value, Values};
use std::marker::PhantomData;
use std::ops::RangeInclusive;

/// A key of a scenario: everything about it, with the type `T` of its values.
///
/// It is a constant. Without [`or`](Self::or), [`optional`](Self::optional) or another of their kind it
/// must be said.
#[derive(Debug)]
pub struct Key<T> {
    description: Description,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for Key<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Key<T> {}

impl<T> Key<T> {
    const fn of(description: Description) -> Self {
        let of = PhantomData;
        Self { description, of }
    }

    /// A key of any shape: `T` reads the values of `shape`.
    pub const fn shaped(name: &'static str, shape: Shape, meaning: &'static str) -> Self {
        let description = Description {
            name,
            shape,
            absent: Absent::Refused(""),
            meaning,
            hint: "",
        };
        Self::of(description)
    }

    /// A default that is no number, flag or word of the type: an array of nothing, a table, what another
    /// key is, what a type of its own reads.
    #[must_use]
    pub const fn or_absent(self, absent: Absent) -> Self {
        let description = Description {
            absent,
            ..self.description
        };
        Self::of(description)
    }

    /// The default is what the key called `other` is.
    #[must_use]
    pub const fn or_as(self, other: &'static str) -> Self {
        self.or_absent(Absent::As(other))
    }

    /// There is no default, and a scenario without the key is answered with `help`.
    #[must_use]
    pub const fn needed(self, help: &'static str) -> Self {
        self.or_absent(Absent::Refused(help))
    }

    /// The key may be left out; there is nothing then.
    pub const fn optional(self) -> Key<Option<T>> {
        self.optional_as("")
    }

    /// The key may be left out; `what` there is then, in words for the documentation.
    pub const fn optional_as(self, what: &'static str) -> Key<Option<T>> {
        let key = Key::of(self.description);
        key.or_absent(Absent::Nothing(what))
    }

    /// What to say of a value that the key does not take: behind the range, or in place of an example.
    #[must_use]
    pub const fn hint(self, hint: &'static str) -> Self {
        let description = Description {
            hint,
            ..self.description
        };
        Self::of(description)
    }

    /// The name.
    pub const fn name(&self) -> &'static str {
        self.description.name
    }

    /// The key without its type, for lists of keys.
    pub const fn described(&self) -> Description {
        self.description
    }
}

impl<T: Form> Key<T> {
    /// The key with a value, as an entry of a definition; `None` where it is left out.
    pub fn said(&self, value: &T) -> (&'static str, Option<Value>) {
        (self.name(), value.write())
    }
}

impl<T: Whole> Key<T> {
    /// A whole number in `range`; `unit` says what it counts.
    pub const fn integer(
        name: &'static str,
        range: RangeInclusive<u64>,
        unit: &'static str,
        meaning: &'static str,
    ) -> Self {
        assert!(*range.start() <= *range.end() && *range.end() <= T::MOST);
        Self::shaped(name, Shape::integer(range, unit), meaning)
    }

    /// The least and the most.
    pub const fn range(&self) -> (u64, u64) {
        match self.description.shape {
            Shape::Integer { least, most, .. } => (least, most),
            _ => (0, T::MOST),
        }
    }

    /// The default.
    #[must_use]
    pub const fn or(self, default: u64) -> Self {
        if let Shape::Integer { least, most, .. } = self.description.shape {
            assert!(least <= default && default <= most, "a default in range");
        }
        self.or_absent(Absent::Integer(default))
    }
}

impl Key<f64> {
    /// A real number; `unit` says what it counts.
    pub const fn number(
        name: &'static str,
        within: Within,
        unit: &'static str,
        meaning: &'static str,
    ) -> Self {
        Self::shaped(name, Shape::number(within, unit), meaning)
    }

    /// The default.
    #[must_use]
    pub const fn or_number(self, default: f64) -> Self {
        self.or_absent(Absent::Number(default))
    }
}

impl Key<bool> {
    /// `true` or `false`.
    pub const fn flag(name: &'static str, meaning: &'static str) -> Self {
        Self::shaped(name, Shape::Flag, meaning)
    }

    /// The default.
    #[must_use]
    pub const fn or_flag(self, default: bool) -> Self {
        self.or_absent(Absent::Flag(default))
    }
}

impl Key<String> {
    /// A string.
    pub const fn text(name: &'static str, meaning: &'static str) -> Self {
        Self::shaped(name, Shape::Text, meaning)
    }
}

impl Key<std::sync::Arc<crate::value::TextFile>> {
    /// The path of a text file, relative to the folder of the scenario file.
    pub const fn file(name: &'static str, meaning: &'static str) -> Self {
        Self::shaped(name, Shape::File, meaning)
    }
}

impl Key<&'static str> {
    /// One of `words`, which a registry knows: the key of a choice.
    pub const fn one_of(
        name: &'static str,
        words: fn() -> Vec<&'static str>,
        meaning: &'static str,
    ) -> Self {
        Self::shaped(name, Shape::Word(words), meaning)
    }

    /// The default.
    #[must_use]
    pub const fn or_choice(self, default: &'static str) -> Self {
        self.or_absent(Absent::Word(default))
    }
}

impl Key<Values> {
    /// A table of its own.
    pub const fn table(name: &'static str, table: &'static Table, meaning: &'static str) -> Self {
        Self::shaped(name, Shape::Table(table), meaning)
    }
}

impl<T> Key<Vec<T>> {
    /// An array of at least `least` elements, each an `of`, which messages call `element`, with `{}` for
    /// its index: "the radix of dimension {}".
    pub const fn list(
        name: &'static str,
        of: &'static Shape,
        least: usize,
        element: &'static str,
        meaning: &'static str,
    ) -> Self {
        Self::shaped(name, Shape::list(of, least, element), meaning)
    }

    /// The default is an array of nothing.
    #[must_use]
    pub const fn or_empty(self) -> Self {
        self.or_absent(Absent::Empty)
    }
}

impl<T: Words> Key<T> {
    /// One of the words of `T`.
    pub const fn word(name: &'static str, meaning: &'static str) -> Self {
        Self::shaped(name, Shape::Word(T::all), meaning)
    }

    /// The default, a word of `T`: the compiler refuses another.
    #[must_use]
    pub const fn or_word(self, word: &'static str) -> Self {
        let mut at = 0;
        while at < T::WORDS.len() {
            if is_same(T::WORDS[at].0, word) {
                return self.or_absent(Absent::Word(word));
            }
            at += 1;
        }
        panic!("the default is no word of the type")
    }
}

const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

impl Values {
    /// The value of `key`: what was said, or the default.
    ///
    /// # Panics
    /// If the table has no such key, or its type reads other shapes than the key takes; or where the key
    /// must be said and was not, which the reader has told. These are mistakes of a program: no scenario
    /// leads here once its faults have been looked at.
    pub fn get<T: Form>(&self, key: &Key<T>) -> T {
        let entry = self.entry(key.name());
        let value = entry.and_then(|entry| T::read(entry.value.as_ref()));
        match value {
            Some(value) => value,
            None => panic!("no value of `{}` in {}", key.name(), self.shown),
        }
    }

    /// The value of `key`, where nothing is wrong with it; `None` where something is, or where it must be
    /// said and was not.
    pub fn sound<T: Form>(&self, key: &Key<T>) -> Option<T> {
        if !self.are_sound(&[key.name()]) {
            return None;
        }
        T::read(self.entry(key.name())?.value.as_ref())
    }

    /// The value of `key` with its place.
    ///
    /// # Panics
    /// As [`get`](Self::get).
    pub fn placed<T: Form>(&self, key: &Key<T>) -> Placed<T> {
        Placed {
            value: self.get(key),
            place: self.place(key.name()),
        }
    }

    /// Something wrong with the value of `key`: it is underlined, or else the table.
    pub fn fault_of<T>(&self, key: &Key<T>, message: impl Into<String>) -> Fault {
        self.fault(key.name(), message)
    }
}
