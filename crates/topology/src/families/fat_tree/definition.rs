//! `butterfly-fat-tree` and `fat-pyramid`.

use super::{FatTree, FatTreeKind};
use crate::TopologyError;
use crate::families::define::{Define, Entries, Kind};
use flitsim_keys::{Fault, Key, Values, Words, words};

words! {
    FatTreeKind: "butterfly-fat-tree" Butterfly, "fat-pyramid" Pyramid;
}

const PROCESSORS: Key<u32> = Key::integer(
    "processors",
    1..=u32::MAX as u64,
    "processors",
    "Processors, a power of four.",
)
.needed("add it, such as `processors = 64`");

const KINDS: &[Kind] = &[
    Kind::new(
        FatTreeKind::WORDS[0].0,
        "Four processors on each leaf switch, two parents a switch.",
        &[PROCESSORS.described()],
        &[],
        "processors=64",
    ),
    Kind::new(
        FatTreeKind::WORDS[1].0,
        "The same, each copy of a level a mesh.",
        &[PROCESSORS.described()],
        &[],
        "processors=64",
    ),
];

/// A butterfly fat-tree or fat-pyramid as a scenario says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FatTreeDefinition {
    /// Which of the two.
    pub kind: FatTreeKind,
    /// Processors asked for.
    pub processors: u32,
}

impl Define for FatTreeDefinition {
    type Built = FatTree;

    const KINDS: &'static [Kind] = KINDS;

    fn of(kind: &'static str, values: &Values) -> Result<Self, Fault> {
        Ok(Self {
            kind: FatTreeKind::named(kind).unwrap_or(FatTreeKind::Butterfly),
            processors: values.get(&PROCESSORS),
        })
    }

    fn kind(&self) -> &'static str {
        self.kind.word()
    }

    fn word(&self) -> String {
        format!("processors={}", self.processors)
    }

    fn entries(&self) -> Entries {
        vec![PROCESSORS.said(&self.processors)]
    }

    fn build(&self) -> Result<FatTree, TopologyError> {
        FatTree::new(self.processors, self.kind)
    }
}
