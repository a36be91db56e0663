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
pub use keys::TOPOLOGY;
pub use kind::Kind;
pub use spec::{is_spec, keys as spec_keys, parse as parse_spec};
pub use table::TopologyTable;

use super::error::Fault;
use flitsim_keys::Values;
use flitsim_topology::{ExpressParameters, FatTreeKind, Thinning};
use serde_json::{Value, json};

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
    fn of(kind: Kind, values: &Values) -> Result<Self, Fault> {
        Ok(match kind {
            Kind::Torus | Kind::Mesh | Kind::Hypercube => Self::Grid(GridTable::of(kind, values)),
            Kind::ExpressCube => Self::ExpressCube(express::of(values)),
            Kind::ButterflyFatTree => Self::tree(FatTreeKind::Butterfly, values),
            Kind::FatPyramid => Self::tree(FatTreeKind::Pyramid, values),
            Kind::Star => Self::Star {
                symbols: values.get(&keys::SYMBOLS),
            },
            Kind::PrunedTorus => Self::sparse(Thinning::Pruned, values),
            Kind::ManhattanTorus => Self::sparse(Thinning::Manhattan, values),
            Kind::PrunedManhattanTorus => Self::sparse(Thinning::PrunedManhattan, values),
            Kind::File => Self::File(FileTable::of(values)?),
        })
    }

    fn tree(kind: FatTreeKind, values: &Values) -> Self {
        Self::FatTree {
            kind,
            processors: values.get(&keys::PROCESSORS),
        }
    }

    fn sparse(thinning: Thinning, values: &Values) -> Self {
        Self::SparseTorus {
            thinning,
            radix: grid::radix(values),
            dimensions: grid::dimensions(values) as u32,
        }
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
