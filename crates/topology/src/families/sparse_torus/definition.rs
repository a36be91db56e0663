//! `pruned-torus`, `manhattan-torus` and `pruned-manhattan-torus`.

use super::{SparseTorus, Thinning};
use crate::TopologyError;
use crate::families::common::sizes::{DIMENSIONS, EQUAL, RADIX, TERMINALS};
use crate::families::define::{Define, Entries, Kind};
use flitsim_keys::{Description, Fault, Key, Values, Words, words};

words! {
    Thinning: "pruned-torus" Pruned, "manhattan-torus" Manhattan, "pruned-manhattan-torus" PrunedManhattan;
}

const KEYS: &[Description] = &[
    RADIX.described(),
    DIMENSIONS.described(),
    TERMINALS.described(),
];

const KINDS: &[Kind] = &[
    kind(Thinning::WORDS[0].0, "radix=4,dimensions=3"),
    kind(Thinning::WORDS[1].0, "radix=8,dimensions=2"),
    kind(Thinning::WORDS[2].0, "radix=4,dimensions=3"),
];

const fn kind(word: &'static str, example: &'static str) -> Kind {
    let about = "A torus without some of its channels.";
    Kind::new(word, about, KEYS, &[EQUAL], example)
}

/// A torus without some of its channels, as a scenario says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SparseTorusDefinition {
    /// Which of them it lacks.
    pub thinning: Thinning,
    /// Nodes of each dimension.
    pub radix: u32,
    /// Dimensions.
    pub dimensions: u32,
}

impl Define for SparseTorusDefinition {
    type Built = SparseTorus;

    const KINDS: &'static [Kind] = KINDS;

    fn of(kind: &'static str, values: &Values) -> Result<Self, Fault> {
        let number = |key: &Key<Option<u32>>| values.get(key).unwrap_or_default();
        Ok(Self {
            thinning: Thinning::named(kind).unwrap_or(Thinning::Pruned),
            radix: number(&RADIX),
            dimensions: number(&DIMENSIONS),
        })
    }

    fn kind(&self) -> &'static str {
        self.thinning.word()
    }

    fn word(&self) -> String {
        format!("radix={},dimensions={}", self.radix, self.dimensions)
    }

    fn entries(&self) -> Entries {
        vec![
            RADIX.said(&Some(self.radix)),
            DIMENSIONS.said(&Some(self.dimensions)),
        ]
    }

    fn build(&self) -> Result<SparseTorus, TopologyError> {
        SparseTorus::new(self.radix, self.dimensions, self.thinning)
    }
}
