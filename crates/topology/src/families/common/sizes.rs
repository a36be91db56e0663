//! The keys of families whose nodes stand in lines: so many nodes in each of so many dimensions.

use flitsim_keys::{Key, Rule, Shape, Values};

const RADICES_LEGAL: std::ops::RangeInclusive<u64> = 2..=u16::MAX as u64;

pub(crate) const RADIX: Key<Option<u32>> = Key::integer(
    "radix",
    RADICES_LEGAL,
    "nodes a dimension",
    "Nodes in each dimension; with `dimensions`.",
)
.optional();

pub(crate) const DIMENSIONS: Key<Option<u32>> =
    Key::integer("dimensions", 1..=63, "dimensions", "Number of dimensions.").optional();

pub(crate) const RADICES: Key<Option<Vec<u32>>> = Key::shaped(
    "radices",
    Shape::List {
        of: &Shape::integer(RADICES_LEGAL, "nodes"),
        least: 1,
        most: Some(63),
        element: "the radix of dimension {}",
    },
    "Nodes in each dimension, dimension 0 first; instead of `radix` and `dimensions`.",
)
.hint("give the nodes of each dimension, such as `radices = [8, 4, 2]`")
.optional();

/// Terminals of each router, on every network that has it.
pub(crate) const TERMINALS: Key<u32> = Key::integer(
    "terminals",
    1..=4_096,
    "terminals",
    "Terminals of each router.",
)
.or(1);

const ONE_SIZE: &[&str] = &["radix", "dimensions"];

/// Equal radices, and nothing else.
pub(crate) const EQUAL: Rule = Rule::OneOf {
    groups: &[ONE_SIZE],
    help: "add `radix` and `dimensions`, such as `radix = 8` and `dimensions = 2`",
};

/// Either way, not both.
pub(crate) const EITHER: Rule = Rule::Either {
    one: &["radices"],
    other: ONE_SIZE,
    help: "either `radix` and `dimensions`, or `radices` alone",
};

/// One of the ways at least.
pub(crate) const ANY: Rule = Rule::OneOf {
    groups: &[ONE_SIZE, &["radices"]],
    help: "add `radix` and `dimensions`, such as `radix = 8` and `dimensions = 2`, or `radices = [8, 4, \
           2]`",
};

/// Nodes of each dimension, whichever way they are said.
pub(crate) fn radices(values: &Values) -> Vec<u32> {
    values.get(&RADICES).unwrap_or_else(|| {
        let dimensions = values.get(&DIMENSIONS).unwrap_or_default();
        vec![values.get(&RADIX).unwrap_or_default(); dimensions as usize]
    })
}

/// `radix=8,dimensions=2`, or `radices=8x4` where they differ.
pub(crate) fn word(radices: &[u32]) -> String {
    match radices {
        [first, rest @ ..] if rest.iter().all(|k| k == first) => {
            format!("radix={first},dimensions={}", radices.len())
        }
        _ => format!("radices={}", joined(radices)),
    }
}

/// `8x4x2`.
pub(crate) fn joined(numbers: &[u32]) -> String {
    let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
    numbers.join("x")
}
