//! `random-regular`.

use super::RandomRegular;
use crate::TopologyError;
use crate::families::common::sizes::TERMINALS;
use crate::families::define::{Define, Entries, Kind};
use flitsim_keys::{Fault, Key, Values};

const ROUTERS: Key<u32> = Key::integer(
    "routers",
    3..=1 << 25,
    "routers",
    "Routers; in a dragonfly, those of a group (a).",
)
.needed("add it, such as `routers = 16`");

const DEGREE: Key<u32> = Key::integer(
    "degree",
    2..=u16::MAX as u64,
    "links",
    "Links of each router to others.",
)
.needed("add it, such as `degree = 4`");

const SEED: Key<u64> = Key::integer(
    "seed",
    0..=i64::MAX as u64,
    "",
    "Seed of the random links: another seed, another graph.",
)
.or(1);

const KINDS: &[Kind] = &[Kind::new(
    "random-regular",
    "Every router joined to as many others, drawn at random.",
    &[
        ROUTERS.described(),
        DEGREE.described(),
        SEED.described(),
        TERMINALS.described(),
    ],
    &[],
    "routers=16,degree=4",
)];

/// A random regular graph as a scenario says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomRegularDefinition {
    /// Routers.
    pub routers: u32,
    /// Links of each.
    pub degree: u32,
    /// What the links are drawn by.
    pub seed: u64,
}

impl Define for RandomRegularDefinition {
    type Built = RandomRegular;

    const KINDS: &'static [Kind] = KINDS;

    fn of(_: &'static str, values: &Values) -> Result<Self, Fault> {
        Ok(Self {
            routers: values.get(&ROUTERS),
            degree: values.get(&DEGREE),
            seed: values.get(&SEED),
        })
    }

    fn word(&self) -> String {
        let word = format!("routers={},degree={}", self.routers, self.degree);
        match self.seed {
            1 => word,
            seed => format!("{word},seed={seed}"),
        }
    }

    fn entries(&self) -> Entries {
        vec![
            ROUTERS.said(&self.routers),
            DEGREE.said(&self.degree),
            SEED.said(&self.seed),
        ]
    }

    fn build(&self) -> Result<RandomRegular, TopologyError> {
        RandomRegular::new(self.routers, self.degree, self.seed)
    }
}
