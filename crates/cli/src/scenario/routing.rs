//! The table `[routing]`: which algorithm, and whether it fits the network.

use super::error::Fault;
use super::reader::{Placed, Section};
use crate::dispatch::check_routing;
use flitsim_engine::routing::Tie;
use flitsim_topology::Network;
use serde_json::{Value, json};

const ALGORITHMS: [(&str, ()); 1] = [("dimension-order", ())];

const ALGORITHMS_LATER: [&str; 16] = [
    "duato",
    "minimal-adaptive",
    "west-first",
    "north-last",
    "negative-first",
    "valiant",
    "express",
    "nearest-common-ancestor",
    "fat-pyramid",
    "odd-even",
    "nhop",
    "nbc",
    "enhanced-nbc",
    "hop-class",
    "up-down",
    "table",
];

/// The keys of `[routing]`.
pub const ROUTING_KEYS: [&str; 3] = ["algorithm", "tie", "vc_balance"];

const TIES: [(&str, Tie); 2] = [("random", Tie::Random), ("positive", Tie::Positive)];

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
}

impl RoutingChoice {
    /// Reads the table.
    ///
    /// # Errors
    /// The first thing wrong.
    pub fn read(section: &Section<'_>) -> Result<Self, Fault> {
        section.only(&ROUTING_KEYS, &["slack", "escape", "order"])?;
        section.word("algorithm", &ALGORITHMS, &ALGORITHMS_LATER)?;
        let tie = section.word("tie", &TIES, &[])?;
        Ok(Self::DimensionOrder {
            tie: tie.map_or(Tie::Random, |tie| tie.value),
            vc_balance: section.flag("vc_balance", true)?.value,
        })
    }

    /// The name in scenario files and results.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::DimensionOrder { .. } => "dimension-order",
        }
    }

    /// Refuses an algorithm that does not fit the network or has too few virtual channels.
    ///
    /// # Errors
    /// What the algorithm says, with the number of virtual channels underlined.
    pub fn check(&self, network: &Network, virtual_channels: &Placed<u32>) -> Result<(), Fault> {
        check_routing(self, network, virtual_channels.value).map_err(|error| {
            Fault::new(virtual_channels.place.clone(), error.to_string())
                .label("too few")
                .help("`virtual_channels = 2` or more; a mesh needs only 1")
        })
    }

    /// Everything that defines the algorithm.
    pub fn definition(&self) -> Value {
        match self {
            Self::DimensionOrder { tie, vc_balance } => json!({
                "algorithm": self.name(),
                "tie": match tie {
                    Tie::Random => "random",
                    Tie::Positive => "positive",
                },
                "vc_balance": vc_balance,
            }),
        }
    }
}
