//! `star`.

use super::Star;
use crate::TopologyError;
use crate::families::common::sizes::TERMINALS;
use crate::families::define::{Define, Entries, Kind};
use flitsim_keys::{Fault, Key, Values};

const SYMBOLS: Key<u32> = Key::integer(
    "symbols",
    1..=u32::MAX as u64,
    "symbols",
    "Symbols of each permutation, from 2 to 10.",
)
.needed("add it, such as `symbols = 5`");

const KINDS: &[Kind] = &[Kind::new(
    "star",
    "Permutations; a channel swaps the symbol in the first place with another.",
    &[SYMBOLS.described(), TERMINALS.described()],
    &[],
    "symbols=5",
)];

/// A star graph as a scenario says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StarDefinition {
    /// Symbols of each permutation.
    pub symbols: u32,
}

impl Define for StarDefinition {
    type Built = Star;

    const KINDS: &'static [Kind] = KINDS;

    fn of(_: &'static str, values: &Values) -> Result<Self, Fault> {
        Ok(Self {
            symbols: values.get(&SYMBOLS),
        })
    }

    fn word(&self) -> String {
        format!("symbols={}", self.symbols)
    }

    fn entries(&self) -> Entries {
        vec![SYMBOLS.said(&self.symbols)]
    }

    fn build(&self) -> Result<Star, TopologyError> {
        Star::new(self.symbols)
    }
}
