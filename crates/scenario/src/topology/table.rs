//! The table as it is read and built: the places of its keys, so that the one at fault is
//! underlined where the network cannot be built.

use super::{Kind, Topology, exported};
use crate::error::{Fault, Place};
use flitsim_keys::Values;
use flitsim_topology::{ExpressCube, FatTree, Grid, Network, SparseTorus, Star, TopologyError};

/// The table, read: a network, and where its keys stand.
#[derive(Clone, Debug)]
pub struct TopologyTable {
    /// The network.
    pub value: Topology,
    /// What the table says, and where.
    values: Values,
}

impl TopologyTable {
    /// The network that `values` of [`TOPOLOGY`](super::TOPOLOGY) say.
    ///
    /// # Errors
    /// What only the files of a network can tell.
    pub fn of(values: &Values) -> Result<Self, Fault> {
        let kind = Kind::named(values.get(&super::keys::KIND)).unwrap_or(Kind::File);
        let value = match Topology::of(kind, values)? {
            Topology::File(file) => exported::family_of(&file).unwrap_or(Topology::File(file)),
            family => family,
        };
        Ok(Self {
            value,
            values: values.clone(),
        })
    }

    /// Where the value of `key` stands, or else the table.
    pub fn place_of(&self, key: &str) -> Option<Place> {
        let place = |key| self.values.place(key);
        let found = place(key).or_else(|| place("radices").filter(|_| key == "radix"));
        found.or_else(|| self.place())
    }

    fn place(&self) -> Option<Place> {
        let table = self.values.table_place.clone();
        table.or_else(|| self.values.place("kind"))
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
        match error {
            TopologyError::TooLarge {
                nodes,
                channels,
                gibibytes,
                limit,
                remedy,
            } => {
                let message = format!("{} is too large to build", self.value.word());
                Fault::new(self.place(), message)
                    .label(format!("{nodes} nodes and {channels} channels"))
                    .note(format!(
                        "the graph alone would take about {gibibytes} GiB; the limit is {limit} \
                         channels"
                    ))
                    .help(*remedy)
            }
            TopologyError::NoMemory {
                nodes,
                channels,
                bytes,
                available,
            } => {
                let message = format!("{} does not fit the memory that is left", self.value.word());
                Fault::new(self.place(), message)
                    .label(format!("{nodes} nodes and {channels} channels"))
                    .note(format!(
                        "building the graph alone would take about {bytes} bytes, and {available} \
                         are available"
                    ))
                    .help("a smaller network, or a machine with more memory")
            }
            TopologyError::Parameter(error) => {
                Fault::new(self.place_of(error.key), error.to_string())
                    .label(&error.label)
                    .help(&error.remedy)
            }
            _ => Fault::new(self.place(), error.to_string()),
        }
    }
}
