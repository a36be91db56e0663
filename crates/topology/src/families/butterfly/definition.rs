//! `butterfly`.

use super::Butterfly;
use crate::TopologyError;
use crate::families::define::{Define, Entries, Kind};
use flitsim_keys::{Fault, Key, Values};

const ARITY: Key<u32> = Key::integer(
    "arity",
    2..=u16::MAX as u64,
    "channels",
    "Channels of a switch, each way: children and parents, or inputs and outputs.",
)
.needed("add it, such as `arity = 4`");

const STAGES: Key<u32> = Key::integer("stages", 1..=25, "stages", "Stages of switches, n.")
    .needed("add it, such as `stages = 3`");

const KINDS: &[Kind] = &[Kind::new(
    "butterfly",
    "Stages of switches, one-way, from the terminals and back to them.",
    &[ARITY.described(), STAGES.described()],
    &[],
    "arity=4,stages=3",
)];

/// A butterfly as a scenario says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ButterflyDefinition {
    /// Channels in and out of a switch.
    pub arity: u32,
    /// Stages of switches.
    pub stages: u32,
}

impl Define for ButterflyDefinition {
    type Built = Butterfly;

    const KINDS: &'static [Kind] = KINDS;

    fn of(_: &'static str, values: &Values) -> Result<Self, Fault> {
        Ok(Self {
            arity: values.get(&ARITY),
            stages: values.get(&STAGES),
        })
    }

    fn word(&self) -> String {
        format!("arity={},stages={}", self.arity, self.stages)
    }

    fn entries(&self) -> Entries {
        vec![ARITY.said(&self.arity), STAGES.said(&self.stages)]
    }

    fn build(&self) -> Result<Butterfly, TopologyError> {
        Butterfly::new(self.arity, self.stages)
    }
}
