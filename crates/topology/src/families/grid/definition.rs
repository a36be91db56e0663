//! `torus`, `mesh` and `hypercube`.

use super::Grid;
use crate::families::common::sizes::{
    ANY, DIMENSIONS, EITHER, RADICES, RADIX, TERMINALS, radices, word,
};
use crate::families::define::{Define, Entries, Kind};
use crate::{Ends, TopologyError};
use flitsim_keys::{Fault, Form, Key, Rule, Values};

const TORUS: &str = "torus";
const HYPERCUBE: &str = "hypercube";

const DIRECTED: Key<bool> =
    Key::flag("directed", "Rings lead one way only, upward.").or_flag(false);

const KINDS: &[Kind] = &[
    Kind::new(
        TORUS,
        "Every dimension is a ring.",
        &[
            RADIX.described(),
            DIMENSIONS.described(),
            RADICES.described(),
            DIRECTED.described(),
            TERMINALS.described(),
        ],
        &[EITHER, ANY],
        "radix=8,dimensions=2",
    ),
    Kind::new(
        "mesh",
        "Every dimension is a line.",
        &[
            RADIX.described(),
            DIMENSIONS.described(),
            RADICES.described(),
            TERMINALS.described(),
        ],
        &[EITHER, ANY],
        "radix=8,dimensions=2",
    ),
    Kind::new(
        HYPERCUBE,
        "Two nodes a dimension.",
        &[DIMENSIONS.described(), TERMINALS.described()],
        &[Rule::OneOf {
            groups: &[&["dimensions"]],
            help: "add it, such as `dimensions = 2`",
        }],
        "dimensions=6",
    ),
];

/// A torus, mesh or hypercube as a scenario says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridDefinition {
    kind: &'static str,
    /// Nodes of each dimension, dimension 0 first; never empty, each at least 2.
    pub radices: Vec<u32>,
    /// Whether rings lead one way only.
    pub directed: bool,
}

impl GridDefinition {
    /// What the ends of its dimensions do.
    pub fn ends(&self) -> Ends {
        match self.kind {
            TORUS if self.directed => Ends::DirectedRing,
            TORUS => Ends::Ring,
            _ => Ends::Open,
        }
    }
}

impl Define for GridDefinition {
    type Built = Grid;

    const KINDS: &'static [Kind] = KINDS;

    fn of(kind: &'static str, values: &Values) -> Result<Self, Fault> {
        let dimensions = || values.get(&DIMENSIONS).unwrap_or_default() as usize;
        Ok(Self {
            kind,
            radices: if kind == HYPERCUBE {
                vec![2; dimensions()]
            } else {
                radices(values)
            },
            directed: kind == TORUS && values.get(&DIRECTED),
        })
    }

    fn kind(&self) -> &'static str {
        self.kind
    }

    fn word(&self) -> String {
        let size = match self.kind {
            HYPERCUBE => format!("dimensions={}", self.radices.len()),
            _ => word(&self.radices),
        };
        size + if self.directed { ",directed=true" } else { "" }
    }

    fn entries(&self) -> Entries {
        vec![
            ("radices", self.radices.write()),
            DIRECTED.said(&self.directed),
        ]
    }

    fn build(&self) -> Result<Grid, TopologyError> {
        Grid::new(&self.radices, self.ends())
    }
}
