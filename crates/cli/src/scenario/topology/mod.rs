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
    ExpressCube, ExpressParameters, FatTree, FatTreeKind, Grid, Network, SparseTorus, Star,
    Thinning, TopologyError,
};
use serde_json::{Value, json};
use std::path::Path;

/// The kinds that can be built.
const KINDS: [(&str, Kind); 11] = [
    ("torus", Kind::Torus),
    ("mesh", Kind::Mesh),
    ("hypercube", Kind::Hypercube),
    ("express-cube", Kind::ExpressCube),
    ("butterfly-fat-tree", Kind::ButterflyFatTree),
    ("fat-pyramid", Kind::FatPyramid),
    ("star", Kind::Star),
    ("pruned-torus", Kind::PrunedTorus),
    ("manhattan-torus", Kind::ManhattanTorus),
    ("pruned-manhattan-torus", Kind::PrunedManhattanTorus),
    ("file", Kind::File),
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
    /// Permutations, joined by swaps with the first place.
    Star,
    /// A torus with part of its links.
    PrunedTorus,
    /// A torus with one way of each link.
    ManhattanTorus,
    /// A torus with one way of part of its links.
    PrunedManhattanTorus,
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
            Self::Star => &["kind", "symbols"],
            Self::PrunedTorus | Self::ManhattanTorus | Self::PrunedManhattanTorus => {
                &["kind", "radix", "dimensions"]
            }
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
    /// A star graph.
    Star {
        /// Symbols of each permutation.
        symbols: u32,
    },
    /// A torus without some of its channels.
    SparseTorus {
        /// Which of them.
        thinning: Thinning,
        /// Nodes of each dimension.
        radix: u32,
        /// Dimensions.
        dimensions: u32,
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
            Kind::Star => Self::Star {
                symbols: number(section, "symbols", "symbols", 5)?,
            },
            Kind::PrunedTorus => Self::sparse(Thinning::Pruned, section)?,
            Kind::ManhattanTorus => Self::sparse(Thinning::Manhattan, section)?,
            Kind::PrunedManhattanTorus => Self::sparse(Thinning::PrunedManhattan, section)?,
            Kind::File => Self::File(FileTable::read(section, folder)?),
        })
    }

    fn sparse(thinning: Thinning, section: &Section<'_>) -> Result<Self, Fault> {
        let radix = section.integer("radix", grid::RADIX_RANGE, "nodes a dimension")?;
        let Some(radix) = radix else {
            return Err(section.missing("radix", "add it, such as `radix = 8`"));
        };
        Ok(Self::SparseTorus {
            thinning,
            radix: radix.value as u32,
            dimensions: grid::dimensions(section)? as u32,
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
            Self::Star { .. } => Kind::Star,
            Self::SparseTorus { thinning, .. } => match thinning {
                Thinning::Pruned => Kind::PrunedTorus,
                Thinning::Manhattan => Kind::ManhattanTorus,
                Thinning::PrunedManhattan => Kind::PrunedManhattanTorus,
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
            Self::Star { symbols } => format!("symbols={symbols}"),
            Self::SparseTorus {
                radix, dimensions, ..
            } => format!("radix={radix},dimensions={dimensions}"),
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
            Self::Star { symbols } => json!({ "kind": "star", "symbols": symbols }),
            Self::SparseTorus {
                radix, dimensions, ..
            } => json!({
                "kind": self.kind().name(),
                "radix": radix,
                "dimensions": dimensions,
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
        let Some(kind) = section.word("kind", &KINDS, &[])? else {
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
            Topology::Star { symbols } => Star::new(*symbols).map(Star::into_network),
            Topology::SparseTorus {
                thinning,
                radix,
                dimensions,
            } => SparseTorus::new(*radix, *dimensions, *thinning).map(SparseTorus::into_network),
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
            TopologyError::SymbolsOutOfRange { symbols, low, high } => at("symbols")
                .label("out of range")
                .help(format!("`symbols = {}`", symbols.clamp(low, high))),
            TopologyError::TooFewDimensions { low, .. } => at("dimensions")
                .label("too few")
                .help(format!("`dimensions = {low}`")),
            TopologyError::RadixCondition { unit, nearest, .. } => at("radix")
                .label(format!("not a multiple of {unit}"))
                .help(format!("`radix = {nearest}`")),
            _ => at("radix")
                .label("cannot be built")
                .help("choose another radix"),
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
            (Topology::Star { symbols: 5 }, "star:symbols=5"),
            (
                Topology::SparseTorus {
                    thinning: Thinning::PrunedManhattan,
                    radix: 4,
                    dimensions: 3,
                },
                "pruned-manhattan-torus:radix=4,dimensions=3",
            ),
        ] {
            assert_eq!(topology.word(), word);
            assert_eq!(topology.definition()["kind"], topology.kind().name());
        }
    }
}
