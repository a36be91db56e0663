//! The table `[topology]`: which network, in words and numbers, before it is built. One file a
//! family whose keys are more than a number.
//!
//! The conditions of a family are checked where it is built; [`TopologyTable`] keeps the places of
//! the keys, so that the one at fault is underlined.

mod express;
mod file;
mod grid;

pub use file::FileTable;
pub use grid::GridTable;

use super::error::{Fault, Place, list};
use super::reader::{Placed, Section};
use flitsim_topology::{
    ExpressCube, ExpressParameters, FatTree, FatTreeKind, Grid, Network, TopologyError,
};
use serde_json::{Value, json};
use std::path::Path;

/// The kinds that can be built.
const KINDS: [(&str, Kind); 7] = [
    ("torus", Kind::Torus),
    ("mesh", Kind::Mesh),
    ("hypercube", Kind::Hypercube),
    ("express-cube", Kind::ExpressCube),
    ("butterfly-fat-tree", Kind::ButterflyFatTree),
    ("fat-pyramid", Kind::FatPyramid),
    ("file", Kind::File),
];

/// The kinds that later versions build.
const KINDS_LATER: [&str; 4] = [
    "star",
    "pruned-torus",
    "manhattan-torus",
    "pruned-manhattan-torus",
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
    /// A mesh with interchanges and express channels.
    ExpressCube,
    /// Processors below switches with two parents each.
    ButterflyFatTree,
    /// The same, each copy of a level a mesh.
    FatPyramid,
    /// The user's own.
    File,
}

impl Kind {
    /// The keys that the kind takes, `kind` among them.
    pub const fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Torus => &["kind", "radix", "dimensions", "radices", "directed"],
            Self::Mesh => &["kind", "radix", "dimensions", "radices"],
            Self::Hypercube => &["kind", "dimensions"],
            Self::ExpressCube => &[
                "kind",
                "radix",
                "dimensions",
                "radices",
                "interval",
                "levels",
                "channels_per_level",
                "interleaved",
                "interchanges",
                "decomposition",
            ],
            Self::ButterflyFatTree | Self::FatPyramid => &["kind", "processors"],
            Self::File => &["kind", "path", "nodes"],
        }
    }

    /// The kind of that name.
    pub fn named(name: &str) -> Option<Self> {
        KINDS.iter().find(|(word, _)| *word == name).map(|k| k.1)
    }

    /// The name in scenario files.
    pub fn name(self) -> &'static str {
        KINDS
            .iter()
            .find(|(_, kind)| *kind == self)
            .map_or("", |k| k.0)
    }
}

/// The keys of `[topology]`, whatever the kind.
pub fn topology_keys() -> Vec<&'static str> {
    let mut keys = Vec::new();
    for key in KINDS.iter().flat_map(|(_, kind)| kind.keys()) {
        if !keys.contains(key) {
            keys.push(*key);
        }
    }
    keys
}

/// A network as a scenario says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Topology {
    /// A torus, mesh or hypercube.
    Grid(GridTable),
    /// An express cube.
    ExpressCube(ExpressParameters),
    /// A butterfly fat-tree or fat-pyramid.
    FatTree {
        /// Which of the two.
        kind: FatTreeKind,
        /// Processors asked for.
        processors: u32,
    },
    /// The user's own.
    File(FileTable),
}

impl Topology {
    fn read(kind: Kind, section: &Section<'_>, folder: &Path) -> Result<Self, Fault> {
        Ok(match kind {
            Kind::Torus | Kind::Mesh | Kind::Hypercube => {
                Self::Grid(GridTable::read(kind, section)?)
            }
            Kind::ExpressCube => Self::ExpressCube(express::read(section)?),
            Kind::ButterflyFatTree | Kind::FatPyramid => Self::FatTree {
                kind: match kind {
                    Kind::FatPyramid => FatTreeKind::Pyramid,
                    _ => FatTreeKind::Butterfly,
                },
                processors: number(section, "processors", "processors", 64)?,
            },
            Kind::File => Self::File(FileTable::read(section, folder)?),
        })
    }

    /// The kind in scenario files.
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Grid(grid) => grid.kind,
            Self::ExpressCube(_) => Kind::ExpressCube,
            Self::FatTree { kind, .. } => match kind {
                FatTreeKind::Butterfly => Kind::ButterflyFatTree,
                FatTreeKind::Pyramid => Kind::FatPyramid,
            },
            Self::File(_) => Kind::File,
        }
    }

    /// The topology in one word, as `torus:radix=8,dimensions=2`.
    pub fn word(&self) -> String {
        let keys = match self {
            Self::Grid(grid) => grid.word(),
            Self::ExpressCube(parameters) => express::word(parameters),
            Self::FatTree { processors, .. } => format!("processors={processors}"),
            Self::File(file) => file.word(),
        };
        format!("{}:{keys}", self.kind().name())
    }

    /// Everything that defines the network.
    pub fn definition(&self) -> Value {
        match self {
            Self::Grid(grid) => grid.definition(),
            Self::ExpressCube(parameters) => express::definition(parameters),
            Self::FatTree { processors, .. } => json!({
                "kind": self.kind().name(),
                "processors": processors,
            }),
            Self::File(file) => file.definition(),
        }
    }
}

/// The table, read: a network, and where its keys stand.
#[derive(Clone, Debug)]
pub struct TopologyTable {
    /// The network.
    pub value: Topology,
    /// Where the table's name stands.
    place: Option<Place>,
    /// Where the values of the keys that are there stand.
    keys: Vec<(&'static str, Place)>,
}

impl TopologyTable {
    /// Reads the table; paths in it are relative to `folder`.
    ///
    /// # Errors
    /// The first thing wrong.
    pub fn read(section: &Section<'_>, folder: &Path) -> Result<Self, Fault> {
        let Some(kind) = section.word("kind", &KINDS, &KINDS_LATER)? else {
            return Err(match section.place() {
                None => Fault::new(None, "the scenario has no `[topology]`").help(
                    "add one, such as:\n[topology]\nkind = \"torus\"\nradix = 8\ndimensions = 2",
                ),
                Some(_) => {
                    let names = KINDS.map(|(name, _)| name);
                    let kinds = list(&names, "\"");
                    section.missing("kind", &format!("write `kind = ` and one of {kinds}"))
                }
            });
        };
        let Placed { value: kind, place } = kind;
        section.only(kind.keys(), &[])?;
        let keys = kind.keys().iter();
        Ok(Self {
            value: Topology::read(kind, section, folder)?,
            place: section.place().or(place),
            keys: keys
                .filter_map(|key| Some((*key, section.place_of(key)?)))
                .collect(),
        })
    }

    /// Where the value of `key` stands, or else the table.
    pub fn place_of(&self, key: &str) -> Option<Place> {
        let found = self.keys.iter().find(|(name, _)| *name == key);
        found.map(|(_, place)| place.clone()).or(self.place.clone())
    }

    /// Builds the network.
    ///
    /// # Errors
    /// A condition of its family that does not hold, with the key at fault underlined.
    pub fn build(&self) -> Result<Network, Fault> {
        let built = match &self.value {
            Topology::Grid(grid) => Grid::new(&grid.radices, grid.ends()).map(Grid::into_network),
            Topology::ExpressCube(parameters) => {
                ExpressCube::new(parameters.clone()).map(ExpressCube::into_network)
            }
            Topology::FatTree { kind, processors } => {
                FatTree::new(*processors, *kind).map(FatTree::into_network)
            }
            Topology::File(file) => {
                return file.build(self.place_of("path"), self.place_of("nodes"));
            }
        };
        built.map_err(|error| self.fault(&error))
    }

    fn fault(&self, error: &TopologyError) -> Fault {
        let at = |key| Fault::new(self.place_of(key), error.to_string());
        match error {
            TopologyError::TooLarge {
                nodes,
                channels,
                gibibytes,
                limit,
            } => {
                let message = format!("{} is too large to build", self.value.word());
                Fault::new(self.place.clone(), message)
                    .label(format!("{nodes} nodes and {channels} channels"))
                    .note(format!(
                        "the graph alone would take about {gibibytes} GiB; the limit is {limit} \
                         channels"
                    ))
                    .help(match self.value {
                        Topology::FatTree { .. } => "fewer processors",
                        _ => "fewer dimensions or smaller radices",
                    })
            }
            TopologyError::ProcessorsNotPowerOfFour { nearest, .. } => at("processors")
                .label("not a power of four that can be built")
                .help(format!("`processors = {nearest}`")),
            TopologyError::Express(error) => {
                let (key, help) = express::remedy(error);
                at(key).label("does not fit").help(help)
            }
            _ => at("kind")
                .label("cannot be built")
                .help("see the condition"),
        }
    }
}

/// A whole number that the kind cannot do without; `example` is what the help suggests.
fn number(section: &Section<'_>, key: &str, unit: &str, example: u32) -> Result<u32, Fault> {
    match section.integer(key, 1..=u64::from(u32::MAX), unit)? {
        Some(number) => Ok(number.value as u32),
        None => Err(section.missing(key, &format!("add it, such as `{key} = {example}`"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(kind: Kind, radices: &[u32], directed: bool) -> Topology {
        Topology::Grid(GridTable {
            kind,
            radices: radices.to_vec(),
            directed,
        })
    }

    #[test]
    fn a_topology_has_one_word() {
        let tree = |kind| Topology::FatTree {
            kind,
            processors: 64,
        };
        for (topology, word) in [
            (
                grid(Kind::Torus, &[8, 8], false),
                "torus:radix=8,dimensions=2",
            ),
            (
                grid(Kind::Torus, &[8, 4], true),
                "torus:radices=8x4,directed=true",
            ),
            (
                grid(Kind::Hypercube, &[2; 5], false),
                "hypercube:dimensions=5",
            ),
            (
                Topology::ExpressCube(ExpressParameters::new(16, 2, 4, 1)),
                "express-cube:radix=16,dimensions=2,interval=4,levels=1",
            ),
            (
                tree(FatTreeKind::Butterfly),
                "butterfly-fat-tree:processors=64",
            ),
            (tree(FatTreeKind::Pyramid), "fat-pyramid:processors=64"),
        ] {
            assert_eq!(topology.word(), word);
            assert_eq!(topology.definition()["kind"], topology.kind().name());
        }
    }
}
