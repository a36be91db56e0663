//! `fat-tree`.

use super::Xgft;
use crate::TopologyError;
use crate::families::common::sizes::joined;
use crate::families::define::{Define, Entries, Kind};
use flitsim_keys::{Fault, Form, Key, Rule, Shape, Values};

const ARITY: Key<Option<u32>> = Key::integer(
    "arity",
    2..=u16::MAX as u64,
    "children",
    "Channels of a switch, each way: children and parents, or inputs and outputs.",
)
.optional();

const LEVELS: Key<Option<u32>> = Key::integer(
    "levels",
    1..=16,
    "levels",
    "Levels of interchanges, or of switches.",
)
.optional();

const CHILDREN: Key<Option<Vec<u32>>> = list(
    "children",
    "the number of children of level {}",
    "Children of a switch, by level from the lowest; with `parents`, instead of `arity` and `levels`.",
);

const PARENTS: Key<Option<Vec<u32>>> = list(
    "parents",
    "the number of parents of level {}",
    "Parents of a node, by level from the terminals; with `children`.",
);

const fn list(
    name: &'static str,
    element: &'static str,
    meaning: &'static str,
) -> Key<Option<Vec<u32>>> {
    const NUMBERS: Shape = Shape::integer(1..=u16::MAX as u64, "nodes");
    Key::list(name, &NUMBERS, 1, element, meaning).optional()
}

const K_ARY: &[&str] = &["arity", "levels"];

const GENERAL: &[&str] = &["children", "parents"];

const KINDS: &[Kind] = &[Kind::new(
    "fat-tree",
    "Switches in levels over the terminals, with several parents each.",
    &[
        ARITY.described(),
        LEVELS.described(),
        CHILDREN.described(),
        PARENTS.described(),
    ],
    &[
        Rule::Either {
            one: GENERAL,
            other: K_ARY,
            help: "either `arity` and `levels`, or `children` and `parents`",
        },
        Rule::OneOf {
            groups: &[K_ARY, GENERAL],
            help: "add `arity` and `levels`, such as `arity = 4` and `levels = 3`, or `children = [4, 4]` and \
                   `parents = [1, 2]`",
        },
    ],
    "arity=4,levels=3",
)];

/// A fat-tree as a scenario says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XgftDefinition {
    /// Children of a switch, by level from the lowest.
    pub children: Vec<u32>,
    /// Parents of a node, by level from the terminals.
    pub parents: Vec<u32>,
}

impl Define for XgftDefinition {
    type Built = Xgft;

    const KINDS: &'static [Kind] = KINDS;

    fn of(_: &'static str, values: &Values) -> Result<Self, Fault> {
        let arity = values.get(&ARITY).unwrap_or_default();
        let levels = values.get(&LEVELS).unwrap_or_default() as usize;
        let mut parents = vec![arity; levels];
        parents.iter_mut().take(1).for_each(|first| *first = 1);
        Ok(Self {
            children: values.get(&CHILDREN).unwrap_or_else(|| vec![arity; levels]),
            parents: values.get(&PARENTS).unwrap_or(parents),
        })
    }

    fn word(&self) -> String {
        let (arity, levels) = (self.children.first().copied(), self.children.len());
        let arity = arity.unwrap_or_default();
        let is_k_ary = self.children.iter().all(|&k| k == arity)
            && self.parents.first() == Some(&1)
            && self.parents.iter().skip(1).all(|&k| k == arity);
        match is_k_ary {
            true => format!("arity={arity},levels={levels}"),
            false => {
                let (children, parents) = (joined(&self.children), joined(&self.parents));
                format!("children={children},parents={parents}")
            }
        }
    }

    fn entries(&self) -> Entries {
        vec![
            ("children", self.children.write()),
            ("parents", self.parents.write()),
        ]
    }

    fn build(&self) -> Result<Xgft, TopologyError> {
        Xgft::new(&self.children, &self.parents)
    }
}
