//! The table `[topology]`: which network, in words and numbers, before it is built.

use super::error::{Fault, Place};
use super::reader::{Placed, Section, array, integer};
use flitsim_topology::{Ends, Grid, Network, TopologyError};
use serde_json::{Value, json};

/// The kinds that can be built.
const KINDS: [(&str, Kind); 3] = [
    ("torus", Kind::Torus),
    ("mesh", Kind::Mesh),
    ("hypercube", Kind::Hypercube),
];

/// The kinds that later versions build.
const KINDS_LATER: [&str; 8] = [
    "express-cube",
    "butterfly-fat-tree",
    "fat-pyramid",
    "star",
    "pruned-torus",
    "manhattan-torus",
    "pruned-manhattan-torus",
    "file",
];

/// A family of networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// k-ary n-cube: every dimension a ring.
    Torus,
    /// Every dimension a line.
    Mesh,
    /// Two nodes a dimension.
    Hypercube,
}

impl Kind {
    /// The keys that the kind takes, `kind` among them.
    pub const fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Torus => &["kind", "radix", "dimensions", "radices", "directed"],
            Self::Mesh => &["kind", "radix", "dimensions", "radices"],
            Self::Hypercube => &["kind", "dimensions"],
        }
    }

    /// The kind of that name.
    pub fn named(name: &str) -> Option<Self> {
        KINDS.iter().find(|(word, _)| *word == name).map(|k| k.1)
    }

    /// The name in scenario files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Torus => "torus",
            Self::Mesh => "mesh",
            Self::Hypercube => "hypercube",
        }
    }
}

/// A network as a scenario says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// The family.
    pub kind: Kind,
    /// Nodes of each dimension, dimension 0 first; never empty, each at least 2.
    pub radices: Vec<u32>,
    /// Whether rings lead one way only.
    pub directed: bool,
}

impl Topology {
    /// Reads and checks the table.
    ///
    /// # Errors
    /// The first thing wrong.
    pub fn read(section: &Section<'_>) -> Result<Placed<Self>, Fault> {
        let Some(kind) = section.word("kind", &KINDS, &KINDS_LATER)? else {
            return Err(match section.place() {
                None => Fault::new(None, "the scenario has no `[topology]`").help(
                    "add one, such as:\n[topology]\nkind = \"torus\"\nradix = 8\ndimensions = 2",
                ),
                Some(_) => section.missing(
                    "kind",
                    "write `kind = \"torus\"`, `kind = \"mesh\"` or `kind = \"hypercube\"`",
                ),
            });
        };
        let Placed { value: kind, place } = kind;
        section.only(kind.keys(), &[])?;
        let radices = match kind {
            Kind::Hypercube => vec![2; dimensions(section)?],
            Kind::Torus | Kind::Mesh => radices(section)?,
        };
        let directed = section.flag("directed", false)?.value;
        Ok(Placed {
            value: Self {
                kind,
                radices,
                directed,
            },
            place: section.place().or(place),
        })
    }

    /// What the ends of its dimensions do.
    pub const fn ends(&self) -> Ends {
        match (self.kind, self.directed) {
            (Kind::Torus, false) => Ends::Ring,
            (Kind::Torus, true) => Ends::DirectedRing,
            (Kind::Mesh | Kind::Hypercube, _) => Ends::Open,
        }
    }

    /// Builds the network.
    ///
    /// # Errors
    /// Where it would be too large, with `place` underlined.
    pub fn build(&self, place: Option<Place>) -> Result<Network, Fault> {
        match Grid::new(&self.radices, self.ends()) {
            Ok(grid) => Ok(grid.into_network()),
            Err(TopologyError::TooLarge {
                nodes,
                channels,
                gibibytes,
                limit,
            }) => Err(
                Fault::new(place, format!("{} is too large to build", self.word()))
                    .label(format!("{nodes} nodes and {channels} channels"))
                    .note(format!(
                        "the graph alone would take about {gibibytes} GiB; the limit is {limit} \
                         channels"
                    ))
                    .help("fewer dimensions or smaller radices"),
            ),
            Err(other) => Err(Fault::new(place, other.to_string())),
        }
    }

    /// The topology in one word, as `torus:radix=8,dimensions=2`.
    pub fn word(&self) -> String {
        let mut word = format!("{}:", self.kind.name());
        let first = self.radices[0];
        let dimensions = self.radices.len();
        if self.kind == Kind::Hypercube {
            word += &format!("dimensions={dimensions}");
        } else if self.radices.iter().all(|&k| k == first) {
            word += &format!("radix={first},dimensions={dimensions}");
        } else {
            let radices: Vec<String> = self.radices.iter().map(u32::to_string).collect();
            word += &format!("radices={}", radices.join("x"));
        }
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

fn dimensions(section: &Section<'_>) -> Result<usize, Fault> {
    match section.integer("dimensions", 1..=63, "dimensions")? {
        Some(n) => Ok(n.value as usize),
        None => Err(section.missing("dimensions", "add it, such as `dimensions = 2`")),
    }
}

fn radices(section: &Section<'_>) -> Result<Vec<u32>, Fault> {
    const HELP: &str = "either `radix` and `dimensions`, or `radices` alone";
    const RANGE: std::ops::RangeInclusive<u64> = 2..=u16::MAX as u64;
    section.not_both("radices", "radix", HELP)?;
    section.not_both("radices", "dimensions", HELP)?;
    let Some(value) = section.value("radices") else {
        let radix = section.integer("radix", RANGE, "nodes a dimension")?;
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
            Ok(integer(value, &subject, RANGE, "nodes")?.value as u32)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(kind: Kind, radices: &[u32], directed: bool) -> Topology {
        Topology {
            kind,
            radices: radices.to_vec(),
            directed,
        }
    }

    #[test]
    fn a_topology_has_one_word() {
        assert_eq!(
            grid(Kind::Torus, &[8, 8], false).word(),
            "torus:radix=8,dimensions=2"
        );
        assert_eq!(
            grid(Kind::Torus, &[8, 4], true).word(),
            "torus:radices=8x4,directed=true"
        );
        assert_eq!(
            grid(Kind::Hypercube, &[2; 5], false).word(),
            "hypercube:dimensions=5"
        );
    }
}
