//! The table `[routing]`: which algorithm, and whether it fits the network.

use super::error::{Fault, Place, list};
use super::reader::{Placed, Section};
use super::text_file::TextFile;
use super::topology::{Kind, TopologyTable};
use crate::dispatch::check_routing;
use flitsim_engine::ConfigError;
use flitsim_engine::routing::Tie;
use flitsim_topology::Network;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// The algorithms that can be run.
const ALGORITHMS: [(&str, Algorithm); 6] = [
    ("dimension-order", Algorithm::DimensionOrder),
    ("express", Algorithm::Express),
    ("nearest-common-ancestor", Algorithm::NearestCommonAncestor),
    ("fat-pyramid", Algorithm::FatPyramid),
    ("up-down", Algorithm::UpDown),
    ("table", Algorithm::Table),
];

const ALGORITHMS_LATER: [&str; 11] = [
    "duato",
    "minimal-adaptive",
    "west-first",
    "north-last",
    "negative-first",
    "valiant",
    "odd-even",
    "nhop",
    "nbc",
    "enhanced-nbc",
    "hop-class",
];

/// The keys of `[routing]`, whatever the algorithm.
pub const ROUTING_KEYS: [&str; 5] = ["algorithm", "tie", "vc_balance", "slack", "path"];

const TIES: [(&str, Tie); 2] = [("random", Tie::Random), ("positive", Tie::Positive)];

/// A routing algorithm without its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Algorithm {
    DimensionOrder,
    Express,
    NearestCommonAncestor,
    FatPyramid,
    UpDown,
    Table,
}

impl Algorithm {
    fn name(self) -> &'static str {
        ALGORITHMS
            .iter()
            .find(|(_, algorithm)| *algorithm == self)
            .map_or("", |a| a.0)
    }

    const fn keys(self) -> &'static [&'static str] {
        match self {
            Self::DimensionOrder => &["algorithm", "tie", "vc_balance"],
            Self::FatPyramid => &["algorithm", "slack"],
            Self::Table => &["algorithm", "path"],
            Self::Express | Self::NearestCommonAncestor | Self::UpDown => &["algorithm"],
        }
    }
}

/// The algorithms that fit networks of a kind, the default first.
const fn fitting(kind: Kind) -> &'static [Algorithm] {
    use Algorithm::{DimensionOrder, Express, FatPyramid, NearestCommonAncestor, Table, UpDown};
    match kind {
        Kind::Torus | Kind::Mesh | Kind::Hypercube => &[DimensionOrder, UpDown, Table],
        Kind::ExpressCube => &[Express, UpDown, Table],
        Kind::ButterflyFatTree => &[NearestCommonAncestor, UpDown, Table],
        Kind::FatPyramid => &[FatPyramid, NearestCommonAncestor, UpDown, Table],
        Kind::File => &[UpDown, Table],
    }
}

/// The keys that an algorithm of that name takes; `None` for an unknown name.
pub fn keys_of(algorithm: &str) -> Option<Vec<&'static str>> {
    let (_, found) = ALGORITHMS.iter().find(|(name, _)| *name == algorithm)?;
    Some(found.keys().to_vec())
}

/// A routing algorithm by name, with its options; `dispatch` turns it into a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoutingChoice {
    /// `dimension-order`.
    DimensionOrder {
        /// Which way round at half a ring.
        tie: Tie,
        /// Whether packets that never wrap use both classes.
        vc_balance: bool,
    },
    /// `express`: the rule of express cubes.
    Express,
    /// `nearest-common-ancestor`, on trees.
    NearestCommonAncestor,
    /// `fat-pyramid`: up to a level, across its mesh, and down.
    FatPyramid {
        /// Hops that a level may cost beyond the best.
        slack: u32,
    },
    /// `up-down`, from a spanning tree.
    UpDown,
    /// `table`: from a file.
    Table {
        /// The file.
        file: Arc<TextFile>,
    },
}

impl RoutingChoice {
    /// The name in scenario files and results.
    pub fn name(&self) -> &'static str {
        self.algorithm().name()
    }

    const fn algorithm(&self) -> Algorithm {
        match self {
            Self::DimensionOrder { .. } => Algorithm::DimensionOrder,
            Self::Express => Algorithm::Express,
            Self::NearestCommonAncestor => Algorithm::NearestCommonAncestor,
            Self::FatPyramid { .. } => Algorithm::FatPyramid,
            Self::UpDown => Algorithm::UpDown,
            Self::Table { .. } => Algorithm::Table,
        }
    }

    /// Everything that defines the algorithm.
    pub fn definition(&self) -> Value {
        let mut definition = json!({ "algorithm": self.name() });
        match self {
            Self::DimensionOrder { tie, vc_balance } => {
                definition["tie"] = json!(match tie {
                    Tie::Random => "random",
                    Tie::Positive => "positive",
                });
                definition["vc_balance"] = json!(vc_balance);
            }
            Self::FatPyramid { slack } => definition["slack"] = json!(slack),
            Self::Table { file } => definition["table"] = json!(file.digest()),
            Self::Express | Self::NearestCommonAncestor | Self::UpDown => {}
        }
        definition
    }
}

/// The table, read: an algorithm that fits the topology's kind.
#[derive(Clone, Debug)]
pub struct RoutingTable {
    /// The algorithm.
    pub choice: RoutingChoice,
    /// Where the algorithm stands, or else the topology's kind, which chose it.
    algorithm_place: Option<Place>,
    /// Where the path of a table stands.
    path_place: Option<Place>,
    kind: Kind,
}

impl RoutingTable {
    /// Reads the table, for a network of `topology`; paths in it are relative to `folder`.
    ///
    /// # Errors
    /// The first thing wrong, an algorithm that does not fit the kind of network included.
    pub fn read(
        section: &Section<'_>,
        topology: &TopologyTable,
        folder: &Path,
    ) -> Result<Self, Fault> {
        let kind = topology.value.kind();
        let fitting = fitting(kind);
        let given = section.word("algorithm", &ALGORITHMS, &ALGORITHMS_LATER)?;
        if let Some(algorithm) = &given
            && !fitting.contains(&algorithm.value)
        {
            let message = format!(
                "{} does not route a network of the kind \"{}\"",
                algorithm.value.name(),
                kind.name()
            );
            let names: Vec<&str> = fitting.iter().map(|algorithm| algorithm.name()).collect();
            return Err(Fault::new(algorithm.place.clone(), message)
                .label("does not fit the topology")
                .help(format!("these do: {}", list(&names, "\""))));
        }
        let algorithm = given.unwrap_or_else(|| Placed {
            value: fitting[0],
            place: topology.place_of("kind"),
        });
        section.only(algorithm.value.keys(), &["escape", "order"])?;
        Ok(Self {
            choice: choice(algorithm.value, section, folder)?,
            algorithm_place: algorithm.place,
            path_place: section.place_of("path"),
            kind,
        })
    }

    /// Refuses an algorithm that does not fit the network or has too few virtual channels.
    ///
    /// # Errors
    /// What the algorithm says, with what is at fault underlined.
    pub fn check(&self, network: &Network, virtual_channels: &Placed<u32>) -> Result<(), Fault> {
        let Err(error) = check_routing(&self.choice, network, virtual_channels.value) else {
            return Ok(());
        };
        let at = |place: &Option<Place>| Fault::new(place.clone(), error.to_string());
        Err(match (&self.choice, &error) {
            (RoutingChoice::Table { .. }, _) => at(&self.path_place).label("this table").help(
                "a table has the header `at,destination,next`, and a row for each node and \
                     destination that packets pass",
            ),
            (
                _,
                ConfigError::Unpaired { .. }
                | ConfigError::NoPath { .. }
                | ConfigError::TablesTooLarge { .. },
            ) => at(&self.algorithm_place)
                .label(format!("{} does not fit this network", self.choice.name()))
                .help(self.others()),
            (RoutingChoice::DimensionOrder { .. }, _) => at(&virtual_channels.place)
                .label("too few")
                .help("`virtual_channels = 2` or more; a mesh needs only 1"),
            _ => at(&self.algorithm_place)
                .label(self.choice.name())
                .help(self.others()),
        })
    }

    /// What else there is.
    fn others(&self) -> String {
        let others = fitting(self.kind).iter().map(|algorithm| algorithm.name());
        let others: Vec<&str> = others.filter(|name| *name != self.choice.name()).collect();
        format!("`[routing] algorithm` may be {}", list(&others, "\""))
    }
}

fn choice(
    algorithm: Algorithm,
    section: &Section<'_>,
    folder: &Path,
) -> Result<RoutingChoice, Fault> {
    Ok(match algorithm {
        Algorithm::DimensionOrder => {
            let tie = section.word("tie", &TIES, &[])?;
            RoutingChoice::DimensionOrder {
                tie: tie.map_or(Tie::Random, |tie| tie.value),
                vc_balance: section.flag("vc_balance", true)?.value,
            }
        }
        Algorithm::Express => RoutingChoice::Express,
        Algorithm::NearestCommonAncestor => RoutingChoice::NearestCommonAncestor,
        Algorithm::FatPyramid => RoutingChoice::FatPyramid {
            slack: section.count("slack", 0..=1_000, "hops", 1)?.value,
        },
        Algorithm::UpDown => RoutingChoice::UpDown,
        Algorithm::Table => match TextFile::read(section, "path", folder)? {
            Some(file) => RoutingChoice::Table { file },
            None => {
                let why = "name the file of the table, such as `path = \"routes.csv\"`";
                return Err(section.missing("path", why));
            }
        },
    })
}
