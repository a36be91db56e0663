//! The table `[topology]`: which network, in words and numbers, before it is built. One file a
//! family whose keys are more than a number.

mod exported;
mod express;
mod file;
mod grid;
mod keys;
mod kind;
mod spec;
mod table;

pub use exported::{write_csv, write_graphml};
pub use file::FileTable;
pub use grid::GridTable;
pub use keys::{TOPOLOGY_KEYS, topology_keys};
pub use kind::Kind;
pub use spec::{is_spec, keys as spec_keys, parse as parse_spec};
pub use table::TopologyTable;

use super::error::Fault;
use super::reader::Section;
use flitsim_topology::{ExpressParameters, FatTreeKind, Thinning};
use serde_json::{Value, json};
use std::ops::RangeInclusive;
use std::path::Path;

/// Processors and symbols; which of them a family has is seen when it is built.
const NUMBERS: RangeInclusive<u64> = 1..=u32::MAX as u64;

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

/// A whole number that the kind cannot do without; `example` is what the help suggests.
fn number(section: &Section<'_>, key: &str, unit: &str, example: u32) -> Result<u32, Fault> {
    match section.integer(key, NUMBERS, unit)? {
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
