//! What a key and a table of keys are, without the type of their values.

use std::ops::RangeInclusive;

/// A key of a table, whatever its type: what [`Key::described`](crate::Key::described) gives.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// The name.
    pub name: &'static str,
    /// What it takes.
    pub shape: Shape,
    /// What it is where it is left out.
    pub absent: Absent,
    /// What it means, in a sentence or two.
    pub meaning: &'static str,
    /// What to say of a value that it does not take, in place of or behind the range; may be empty.
    pub hint: &'static str,
}

impl Description {
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
    /// The path of a text file, which is read with the key.
    File,
    /// One of some words.
    Word(fn() -> Vec<&'static str>),
    /// One word alone.
    Only(&'static str),
    /// An array.
    List {
        /// What each element is.
        of: &'static Shape,
        /// The fewest elements.
        least: usize,
        /// The most; `None` without a limit.
        most: Option<usize>,
        /// How messages call an element, `{}` for its index; empty for "an element of `key`".
        element: &'static str,
    },
    /// A table of its own.
    Table(&'static Table),
    /// Any of several, told apart by their types, and tables by their keys.
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

    /// An array of at least `least` elements, which messages call `element`.
    pub const fn list(of: &'static Shape, least: usize, element: &'static str) -> Self {
        Self::List {
            of,
            least,
            most: None,
            element,
        }
    }

    const fn unit(&self) -> Option<&'static str> {
        match self {
            Self::Integer { unit, .. } | Self::Number { unit, .. } if !unit.is_empty() => {
                Some(*unit)
            }
            Self::List { of, .. } => of.unit(),
            Self::OneOf([first, ..]) => first.unit(),
            _ => None,
        }
    }
}

/// What a key is where it is left out.
#[derive(Clone, Copy, Debug)]
pub enum Absent {
    /// It may not be; a message says this.
    Refused(&'static str),
    /// Nothing, or what depends on others: said in words for readers, empty where `meaning` says it.
    Nothing(&'static str),
    /// A whole number.
    Integer(u64),
    /// A real number.
    Number(f64),
    /// `true` or `false`.
    Flag(bool),
    /// A word.
    Word(&'static str),
    /// An array of nothing.
    Empty,
    /// A table.
    Table(&'static [(&'static str, Absent)]),
    /// What another key of the table is.
    As(&'static str),
}

/// A range of real numbers; neither infinity nor what is no number is ever within.
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
        Self::at_least(low).at_most(high)
    }

    /// The same, and below `high`.
    #[must_use]
    pub const fn below(self, high: f64) -> Self {
        Self {
            low: self.low,
            high: Some((high, false)),
        }
    }

    /// The same, and `high` at most.
    #[must_use]
    pub const fn at_most(self, high: f64) -> Self {
        Self {
            low: self.low,
            high: Some((high, true)),
        }
    }

    /// Whether `x` is within.
    pub fn contains(&self, x: f64) -> bool {
        let above = |(low, included)| x > low || included && x == low;
        let below = |(high, included)| x < high || included && x == high;
        x.is_finite() && self.low.is_none_or(above) && self.high.is_none_or(below)
    }

    /// The range in words, as "above 0 and below 1".
    pub fn in_words(&self) -> String {
        match (self.low, self.high) {
            (Some((low, true)), Some((high, true))) => format!("from {low} to {high}"),
            (low, high) => {
                let low = low.map(|(low, included)| match included {
                    true => format!("at least {low}"),
                    false => format!("above {low}"),
                });
                let high = high.map(|(high, included)| match included {
                    true => format!("at most {high}"),
                    false => format!("below {high}"),
                });
                let ends: Vec<String> = low.into_iter().chain(high).collect();
                ends.join(" and ")
            }
        }
    }
}

/// A table of keys.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// The name, without brackets.
    pub name: &'static str,
    /// What it is about, in a sentence.
    pub about: &'static str,
    /// Its keys, whatever is chosen.
    pub keys: &'static [Description],
    /// Keys whose words bring keys of their own.
    pub choices: &'static [Choice],
    /// What its keys ask of one another.
    pub rules: &'static [Rule],
}

impl Table {
    /// A table of `keys` that ask nothing of one another.
    pub const fn new(
        name: &'static str,
        about: &'static str,
        keys: &'static [Description],
    ) -> Self {
        Self {
            name,
            about,
            keys,
            choices: &[],
            rules: &[],
        }
    }

    /// The same with rules.
    #[must_use]
    pub const fn rules(self, rules: &'static [Rule]) -> Self {
        Self { rules, ..self }
    }

    /// The same with keys that choose others.
    #[must_use]
    pub const fn choices(self, choices: &'static [Choice]) -> Self {
        Self { choices, ..self }
    }

    /// Every key that the table has under some choice, each once: those that choose first.
    pub fn all_keys(&self) -> Vec<Description> {
        let chosen = self.choices.iter().flat_map(|choice| (choice.variants)());
        let chosen = chosen.flat_map(|variant| variant.keys);
        let own = self.choices.iter().map(|choice| &choice.key);
        let mut all: Vec<Description> = Vec::new();
        for key in own.chain(self.keys).chain(chosen) {
            if all.iter().all(|known| known.name != key.name) {
                all.push(*key);
            }
        }
        all
    }

    /// The variants that bring `key` with them, or do not exclude it, and the key that chooses them: the
    /// choice that leaves fewest. `None` where `key` does not depend on a choice.
    pub fn chosen_by(&self, key: &str) -> Option<(&'static Choice, Vec<&'static str>)> {
        let having = self.choices.iter().filter_map(|choice| {
            let brings = |variant: &Variant| variant.keys.iter().any(|own| own.name == key);
            let excludes = |variant: &Variant| variant.without.contains(&key);
            let variants = (choice.variants)();
            let is_brought = variants.iter().any(brings);
            let is_excluded = variants.iter().any(excludes);
            let having = variants.iter().filter(|variant| match is_brought {
                true => brings(variant),
                false => !excludes(variant),
            });
            (is_brought || is_excluded).then(|| (choice, having.map(|v| v.word).collect()))
        });
        having.min_by_key(|(_, words): &(_, Vec<_>)| words.len())
    }
}

/// A key whose word brings keys of its own: `kind`, `algorithm`, `pattern`.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The key, which takes the words of the variants.
    pub key: Description,
    /// What can be chosen.
    pub variants: fn() -> Vec<Variant>,
}

/// A word of a [`Choice`], and what it brings.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// The word.
    pub word: &'static str,
    /// What it stands for, in a sentence.
    pub about: &'static str,
    /// The keys that it brings.
    pub keys: &'static [Description],
    /// The keys of the table, those that choose included, which it does not go with.
    pub without: &'static [&'static str],
    /// What its keys ask of one another.
    pub rules: &'static [Rule],
}

impl Variant {
    /// A variant that brings `keys`.
    pub const fn new(
        word: &'static str,
        about: &'static str,
        keys: &'static [Description],
    ) -> Self {
        Self {
            word,
            about,
            keys,
            without: &[],
            rules: &[],
        }
    }

    /// The same with rules.
    #[must_use]
    pub const fn rules(self, rules: &'static [Rule]) -> Self {
        Self { rules, ..self }
    }

    /// The same, not going with some keys of the table.
    #[must_use]
    pub const fn without(self, without: &'static [&'static str]) -> Self {
        Self { without, ..self }
    }
}

/// What keys of a table ask of one another.
#[derive(Clone, Copy, Debug)]
pub enum Rule {
    /// Two ways of saying the same: keys of one keep out those of the other. What a series says in one
    /// way displaces what the top level says in the other.
    Either {
        /// The keys of one way.
        one: &'static [&'static str],
        /// Those of the other.
        other: &'static [&'static str],
        /// What to do about both.
        help: &'static str,
    },
    /// All keys of one of these groups must be there; of the first, where none is.
    OneOf {
        /// The groups.
        groups: &'static [&'static [&'static str]],
        /// What to do about a key that is missing.
        help: &'static str,
    },
    /// Where one of the `keys` is, all of the `others` must be.
    Needs {
        /// The keys that need others.
        keys: &'static [&'static str],
        /// Those that they need.
        others: &'static [&'static str],
        /// What to do about one that is missing.
        help: &'static str,
    },
}
