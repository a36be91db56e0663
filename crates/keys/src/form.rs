//! How the types of a program read checked values, and say them again.

use crate::place::Placed;
use crate::value::{TextFile, Value, Values};
use std::sync::Arc;

/// A type that a key's value can have.
///
/// A key that takes one of several shapes has a type of its own, such as "automatic, or a number of
/// cycles", which implements this.
pub trait Form: Sized {
    /// Reads a value that its key takes; `None` is that of a key left out without a default.
    ///
    /// `None` comes back where the value has another shape: a mistake in the description of the key.
    fn read(value: Option<&Value>) -> Option<Self>;

    /// The value that reads back as this; `None` where the key is to be left out.
    fn write(&self) -> Option<Value>;
}

/// A type whose values are words in scenarios.
///
/// ```
/// # use flitsim_keys::Words;
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// enum Crossbar { Port, Vc }
///
/// impl Words for Crossbar {
///     const WORDS: &'static [(&'static str, Self)] = &[("port", Self::Port), ("vc", Self::Vc)];
/// }
///
/// assert_eq!(Crossbar::named("vc"), Some(Crossbar::Vc));
/// assert_eq!(Crossbar::Port.word(), "port");
/// ```
pub trait Words: Copy + PartialEq + 'static {
    /// Each word with what it stands for, in the order of the documentation.
    const WORDS: &'static [(&'static str, Self)];

    /// What `word` stands for.
    fn named(word: &str) -> Option<Self> {
        let found = Self::WORDS.iter().find(|(known, _)| *known == word);
        found.map(|(_, meaning)| *meaning)
    }

    /// The word for this; empty where there is none.
    fn word(self) -> &'static str {
        let found = Self::WORDS.iter().find(|(_, meaning)| *meaning == self);
        found.map_or("", |(word, _)| word)
    }

    /// All words.
    fn all() -> Vec<&'static str> {
        Self::WORDS.iter().map(|(word, _)| *word).collect()
    }
}

/// [`Words`] of enums, each variant with its word: `words! { Port: "channel" Channel, "unlimited" Unlimited; }`.
#[macro_export]
macro_rules! words {
    ($($type:ty: $($word:literal $variant:ident $({ $($field:tt)* })?),+;)+) => {$(
        impl $crate::Words for $type {
            const WORDS: &'static [(&'static str, Self)] =
                &[$(($word, Self::$variant $({ $($field)* })?)),+];

            fn word(self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $word),+
                }
            }
        }
    )+};
}

impl<T: Words> Form for T {
    fn read(value: Option<&Value>) -> Option<Self> {
        match value? {
            Value::Word(word) => T::named(word),
            _ => None,
        }
    }

    fn write(&self) -> Option<Value> {
        Some(Value::Word(self.word()))
    }
}

/// A type of whole numbers that a key can have.
pub trait Whole: Copy + TryFrom<u64> + Into<u64> {
    /// The largest.
    const MOST: u64;
}

macro_rules! whole {
    ($($integer:ident)*) => {$(
        impl Whole for $integer {
            const MOST: u64 = $integer::MAX as u64;
        }

        impl Form for $integer {
            fn read(value: Option<&Value>) -> Option<Self> {
                match value? {
                    Value::Integer(number) => Self::try_from(*number).ok(),
                    _ => None,
                }
            }

            fn write(&self) -> Option<Value> {
                Some(Value::Integer((*self).into()))
            }
        }
    )*};
}

whole!(u8 u16 u32 u64);

impl Form for f64 {
    fn read(value: Option<&Value>) -> Option<Self> {
        match value? {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    fn write(&self) -> Option<Value> {
        Some(Value::Number(*self))
    }
}

impl Form for bool {
    fn read(value: Option<&Value>) -> Option<Self> {
        match value? {
            Value::Flag(flag) => Some(*flag),
            _ => None,
        }
    }

    fn write(&self) -> Option<Value> {
        Some(Value::Flag(*self))
    }
}

/// One of the words of its key, where these are not those of a type.
impl Form for &'static str {
    fn read(value: Option<&Value>) -> Option<Self> {
        match value? {
            Value::Word(word) => Some(word),
            _ => None,
        }
    }

    fn write(&self) -> Option<Value> {
        Some(Value::Word(self))
    }
}

impl Form for String {
    fn read(value: Option<&Value>) -> Option<Self> {
        match value? {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    fn write(&self) -> Option<Value> {
        Some(Value::Text(self.clone()))
    }
}

impl Form for Arc<TextFile> {
    fn read(value: Option<&Value>) -> Option<Self> {
        match value? {
            Value::File(file) => Some(Self::clone(file)),
            _ => None,
        }
    }

    fn write(&self) -> Option<Value> {
        Some(Value::File(Self::clone(self)))
    }
}

/// As it is, for a key of several shapes.
impl Form for Value {
    fn read(value: Option<&Value>) -> Option<Self> {
        value.cloned()
    }

    fn write(&self) -> Option<Value> {
        Some(self.clone())
    }
}

impl Form for Values {
    fn read(value: Option<&Value>) -> Option<Self> {
        match value? {
            Value::Table(values) => Some(values.clone()),
            _ => None,
        }
    }

    fn write(&self) -> Option<Value> {
        Some(Value::Table(self.clone()))
    }
}

impl<T: Form> Form for Vec<T> {
    fn read(value: Option<&Value>) -> Option<Self> {
        match value? {
            Value::List(elements) => elements.iter().map(|e| T::read(Some(&e.value))).collect(),
            _ => None,
        }
    }

    fn write(&self) -> Option<Value> {
        let elements = self.iter().filter_map(T::write).map(Placed::default_of);
        Some(Value::List(elements.collect()))
    }
}

/// A key that may be left out and has no default.
impl<T: Form> Form for Option<T> {
    fn read(value: Option<&Value>) -> Option<Self> {
        match value {
            None => Some(None),
            Some(_) => T::read(value).map(Some),
        }
    }

    fn write(&self) -> Option<Value> {
        self.as_ref().and_then(T::write)
    }
}
