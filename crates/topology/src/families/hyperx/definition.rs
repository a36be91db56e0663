//! `hyperx` and `fully-connected`.

use super::HyperX;
use crate::TopologyError;
use crate::families::common::sizes::{TERMINALS, joined};
use crate::families::define::{Define, Entries, Kind};
use flitsim_keys::{Fault, Form, Key, Shape, Values};

const FULLY_CONNECTED: &str = "fully-connected";

const SIZES: Key<Vec<u32>> = Key::list(
    "sizes",
    &Shape::integer(2..=u16::MAX as u64, "routers"),
    1,
    "the size of dimension {}",
    "Routers in each dimension, dimension 0 first.",
)
.needed("give the routers of each dimension, such as `sizes = [4, 4]`");

const PARALLEL: Key<Vec<u32>> = Key::list(
    "parallel",
    &Shape::integer(1..=64, "channels"),
    0,
    "the parallel channels of dimension {}",
    "Parallel channels, each way, between two routers in each dimension. The default is 1 of each.",
)
.or_empty();

const ROUTERS: Key<u32> = Key::integer(
    "routers",
    2..=u16::MAX as u64,
    "routers",
    "Routers; in a dragonfly, those of a group (a).",
)
.needed("add it, such as `routers = 8`");

const KINDS: &[Kind] = &[
    Kind::new(
        "hyperx",
        "Routers in a lattice, joined to all that differ in one coordinate.",
        &[
            SIZES.described(),
            PARALLEL.described(),
            TERMINALS.described(),
        ],
        &[],
        "sizes=4x4",
    ),
    Kind::new(
        FULLY_CONNECTED,
        "Every router joined to every other.",
        &[ROUTERS.described(), TERMINALS.described()],
        &[],
        "routers=8",
    ),
];

/// A HyperX or a fully connected network as a scenario says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HyperXDefinition {
    kind: &'static str,
    /// Routers of each dimension, dimension 0 first.
    pub sizes: Vec<u32>,
    /// Channels side by side, by dimension; empty for 1 of each.
    pub parallel: Vec<u32>,
}

impl Define for HyperXDefinition {
    type Built = HyperX;

    const KINDS: &'static [Kind] = KINDS;

    fn of(kind: &'static str, values: &Values) -> Result<Self, Fault> {
        let (sizes, parallel) = match kind {
            FULLY_CONNECTED => (vec![values.get(&ROUTERS)], Vec::new()),
            _ => (values.get(&SIZES), values.get(&PARALLEL)),
        };
        Ok(Self {
            kind,
            sizes,
            parallel,
        })
    }

    fn kind(&self) -> &'static str {
        self.kind
    }

    fn word(&self) -> String {
        match self.kind {
            FULLY_CONNECTED => format!("routers={}", self.sizes[0]),
            _ if self.parallel.is_empty() => format!("sizes={}", joined(&self.sizes)),
            _ => {
                let (sizes, parallel) = (joined(&self.sizes), joined(&self.parallel));
                format!("sizes={sizes},parallel={parallel}")
            }
        }
    }

    fn entries(&self) -> Entries {
        match self.kind {
            FULLY_CONNECTED => vec![ROUTERS.said(&self.sizes[0])],
            _ => vec![
                ("sizes", self.sizes.write()),
                ("parallel", self.parallel.write()),
            ],
        }
    }

    fn build(&self) -> Result<HyperX, TopologyError> {
        HyperX::new(&self.sizes, &self.parallel)
    }
}
