//! What a key of a scenario is: its name, what it takes, its default, and what it means.
//!
//! Every table has the list of its keys beside its reader. The reader takes from there which keys
//! there are, `flitsim schema` what an editor says of them, and `flitsim new` its comments.
//!
//! Invariant: words come from the very tables that the reader compares with, and ranges are those of
//! the reader: `tests/schema.rs` asks the reader about each.

use std::ops::RangeInclusive;

/// A key of a table.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The name.
    pub name: &'static str,
    /// What it takes.
    pub shape: Shape,
    /// What it is where it is left out, as JSON; `None` where that depends, or where there is nothing.
    pub default: Option<&'static str>,
    /// What it means, in a sentence or two.
    pub meaning: &'static str,
}

impl Key {
    /// A key without a default.
    pub const fn new(name: &'static str, shape: Shape, meaning: &'static str) -> Self {
        Self {
            name,
            shape,
            default: None,
            meaning,
        }
    }

    /// The same with a default, as JSON.
    #[must_use]
    pub const fn or(self, default: &'static str) -> Self {
        Self {
            default: Some(default),
            ..self
        }
    }

    /// What it counts, where it is a number or an array of numbers.
    pub const fn unit(&self) -> Option<&'static str> {
        self.shape.unit()
    }
}

/// What a key takes.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A whole number, both ends included.
    Integer {
        /// The least.
        least: u64,
        /// The most.
        most: u64,
        /// What it counts; empty where nothing.
        unit: &'static str,
    },
    /// A real number.
    Number {
        /// Which of them.
        within: Within,
        /// What it counts; empty where nothing.
        unit: &'static str,
    },
    /// `true` or `false`.
    Flag,
    /// Any string.
    Text,
    /// One of some words.
    Word(fn() -> Vec<&'static str>),
    /// One word alone.
    Only(&'static str),
    /// An array, both numbers of elements included.
    Array {
        /// What each element is.
        of: &'static Shape,
        /// The fewest elements.
        least: usize,
        /// The most; `None` without a limit.
        most: Option<usize>,
    },
    /// A table of its own.
    Table {
        /// Its keys.
        keys: &'static [Key],
        /// Those that it cannot do without.
        required: &'static [&'static str],
    },
    /// A network, as in `[topology]`.
    Network,
    /// A part of a mixture: a pattern with its keys and a weight.
    MixPart,
    /// Any of several.
    OneOf(&'static [Shape]),
}

impl Shape {
    /// A whole number in `range`, of which `unit` says what it counts.
    pub const fn integer(range: RangeInclusive<u64>, unit: &'static str) -> Self {
        Self::Integer {
            least: *range.start(),
            most: *range.end(),
            unit,
        }
    }

    /// A real number, of which `unit` says what it counts.
    pub const fn number(within: Within, unit: &'static str) -> Self {
        Self::Number { within, unit }
    }

    /// An array of at least `least` elements.
    pub const fn array(of: &'static Shape, least: usize) -> Self {
        Self::Array {
            of,
            least,
            most: None,
        }
    }

    const fn unit(&self) -> Option<&'static str> {
        match self {
            Self::Integer { unit, .. } | Self::Number { unit, .. } if !unit.is_empty() => {
                Some(*unit)
            }
            Self::Array { of, .. } => of.unit(),
            Self::OneOf([first, ..]) => first.unit(),
            _ => None,
        }
    }
}

/// A range of real numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Within {
    /// The lower end, if there is one, and whether it is within.
    pub low: Option<(f64, bool)>,
    /// The upper end, if there is one, and whether it is within.
    pub high: Option<(f64, bool)>,
}

impl Within {
    /// Above `low`.
    pub const fn above(low: f64) -> Self {
        Self {
            low: Some((low, false)),
            high: None,
        }
    }

    /// From `low` up.
    pub const fn at_least(low: f64) -> Self {
        Self {
            low: Some((low, true)),
            high: None,
        }
    }

    /// From `low` to `high`, both included.
    pub const fn closed(low: f64, high: f64) -> Self {
        Self {
            low: Some((low, true)),
            high: Some((high, true)),
        }
    }

    /// The same range without its lower end.
    #[must_use]
    pub const fn without_low(self) -> Self {
        Self {
            low: match self.low {
                Some((low, _)) => Some((low, false)),
                None => None,
            },
            high: self.high,
        }
    }

    /// The same range without its upper end.
    #[must_use]
    pub const fn without_high(self) -> Self {
        Self {
            low: self.low,
            high: match self.high {
                Some((high, _)) => Some((high, false)),
                None => None,
            },
        }
    }
}

/// The names of the keys, in their order.
pub fn names(keys: &[Key]) -> Vec<&'static str> {
    keys.iter().map(|key| key.name).collect()
}

/// The words of a table of words and what they stand for.
pub fn words<T>(table: &[(&'static str, T)]) -> Vec<&'static str> {
    table.iter().map(|(word, _)| *word).collect()
}
