//! The keys of `torus`, `mesh` and `hypercube`.

use super::Kind;
use super::keys::{DIMENSIONS, DIRECTED, RADICES, RADIX};
use flitsim_keys::Values;
use flitsim_topology::Ends;
use serde_json::{Value, json};

/// A torus, mesh or hypercube as a scenario says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridTable {
    /// Which of the three.
    pub kind: Kind,
    /// Nodes of each dimension, dimension 0 first; never empty, each at least 2.
    pub radices: Vec<u32>,
    /// Whether rings lead one way only.
    pub directed: bool,
}

impl GridTable {
    /// The network that `values` of `kind` say.
    pub fn of(kind: Kind, values: &Values) -> Self {
        Self {
            kind,
            radices: match kind {
                Kind::Hypercube => vec![2; dimensions(values)],
                _ => radices(values),
            },
            directed: kind == Kind::Torus && values.get(&DIRECTED),
        }
    }

    /// What the ends of its dimensions do.
    pub fn ends(&self) -> Ends {
        match (self.kind, self.directed) {
            (Kind::Torus, false) => Ends::Ring,
            (Kind::Torus, true) => Ends::DirectedRing,
            _ => Ends::Open,
        }
    }

    /// What follows the kind in the topology's one word.
    pub fn word(&self) -> String {
        let mut word = match self.kind {
            Kind::Hypercube => format!("dimensions={}", self.radices.len()),
            _ => radices_word(&self.radices),
        };
        if self.directed {
            word += ",directed=true";
        }
        word
    }

    /// Everything that defines the network.
    pub fn definition(&self) -> Value {
        json!({
            "kind": self.kind.name(),
            "radices": self.radices,
            "directed": self.directed,
        })
    }
}

/// `radix=8,dimensions=2`, or `radices=8x4` where they differ.
pub fn radices_word(radices: &[u32]) -> String {
    match radices {
        [first, rest @ ..] if rest.iter().all(|k| k == first) => {
            format!("radix={first},dimensions={}", radices.len())
        }
        _ => format!("radices={}", joined(radices)),
    }
}

/// `8x4x2`.
pub fn joined(numbers: &[u32]) -> String {
    let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
    numbers.join("x")
}

/// How many dimensions.
pub fn dimensions(values: &Values) -> usize {
    values.get(&DIMENSIONS).unwrap_or_default() as usize
}

/// Nodes of each dimension, from `radices`, or `radix` and `dimensions`.
pub fn radices(values: &Values) -> Vec<u32> {
    let one = || vec![radix(values); dimensions(values)];
    values.get(&RADICES).unwrap_or_else(one)
}

/// Nodes of every dimension.
pub fn radix(values: &Values) -> u32 {
    values.get(&RADIX).unwrap_or_default()
}
