//! `slim-fly`.

use super::SlimFly;
use crate::TopologyError;
use crate::families::common::sizes::TERMINALS;
use crate::families::define::{Define, Entries, Kind};
use flitsim_keys::{Fault, Key, Values};

const ORDER: Key<u32> = Key::integer(
    "order",
    1..=u16::MAX as u64,
    "elements",
    "Elements of the field, q: a power of a prime, at least 3, not 2 modulo 4.",
)
.needed("add it, such as `order = 5`");

const KINDS: &[Kind] = &[Kind::new(
    "slim-fly",
    "Routers at most two hops from each other, nearly as many as their degree allows.",
    &[ORDER.described(), TERMINALS.described()],
    &[],
    "order=5",
)];

/// A Slim Fly as a scenario says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlimFlyDefinition {
    /// Elements of the field.
    pub order: u32,
}

impl Define for SlimFlyDefinition {
    type Built = SlimFly;

    const KINDS: &'static [Kind] = KINDS;

    fn of(_: &'static str, values: &Values) -> Result<Self, Fault> {
        Ok(Self {
            order: values.get(&ORDER),
        })
    }

    fn word(&self) -> String {
        format!("order={}", self.order)
    }

    fn entries(&self) -> Entries {
        vec![ORDER.said(&self.order)]
    }

    fn build(&self) -> Result<SlimFly, TopologyError> {
        SlimFly::new(self.order)
    }
}
