//! The keys of `torus`, `mesh` and `hypercube`.

use super::Kind;
use crate::error::Fault;
use crate::reader::{Section, array, integer};
use flitsim_topology::Ends;
use serde_json::{Value, json};
use std::ops::RangeInclusive;

/// Nodes of a dimension.
pub const RADIX_RANGE: RangeInclusive<u64> = 2..=u16::MAX as u64;

/// Number of dimensions.
pub const DIMENSIONS: RangeInclusive<u64> = 1..=63;

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
    /// Reads the keys of `kind`.
    ///
    /// # Errors
    /// The first thing wrong.
    pub fn read(kind: Kind, section: &Section<'_>) -> Result<Self, Fault> {
        Ok(Self {
            kind,
            radices: match kind {
                Kind::Hypercube => vec![2; dimensions(section)?],
                _ => radices(section)?,
            },
            directed: section.flag("directed", false)?.value,
        })
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

/// The key `dimensions`.
///
/// # Errors
/// If it is missing or out of range.
pub fn dimensions(section: &Section<'_>) -> Result<usize, Fault> {
    match section.integer("dimensions", DIMENSIONS, "dimensions")? {
        Some(n) => Ok(n.value as usize),
        None => Err(section.missing("dimensions", "add it, such as `dimensions = 2`")),
    }
}

/// Nodes of each dimension, from `radices`, or `radix` and `dimensions`.
///
/// # Errors
/// The first thing wrong.
pub fn radices(section: &Section<'_>) -> Result<Vec<u32>, Fault> {
    const HELP: &str = "either `radix` and `dimensions`, or `radices` alone";
    section.not_both("radices", "radix", HELP)?;
    section.not_both("radices", "dimensions", HELP)?;
    let Some(value) = section.value("radices") else {
        let radix = section.integer("radix", RADIX_RANGE, "nodes a dimension")?;
        let Some(radix) = radix else {
            return Err(section.missing(
                "radix",
                "add `radix` and `dimensions`, such as `radix = 8` and `dimensions = 2`, or \
                 `radices = [8, 4, 2]`",
            ));
        };
        return Ok(vec![radix.value as u32; dimensions(section)?]);
    };
    let values = array(value, "`radices`")?;
    if values.is_empty() || values.len() > 63 {
        let message = format!("`radices` has {} dimensions", values.len());
        return Err(Fault::new(Some(value.span()), message)
            .label("from 1 to 63 dimensions")
            .help("give the nodes of each dimension, such as `radices = [8, 4, 2]`"));
    }
    values
        .iter()
        .enumerate()
        .map(|(dimension, value)| {
            let subject = format!("the radix of dimension {dimension}");
            Ok(integer(value, &subject, RADIX_RANGE, "nodes")?.value as u32)
        })
        .collect()
}
