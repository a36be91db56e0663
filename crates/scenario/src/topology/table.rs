//! The table as it is read and built: the places of its keys, so that the one at fault is
//! underlined where the network cannot be built.

use super::kind::KINDS;
use super::{Topology, exported};
use crate::error::{Fault, Place, list};
use crate::reader::{Placed, Section};
use flitsim_topology::{ExpressCube, FatTree, Grid, Network, SparseTorus, Star, TopologyError};
use std::path::Path;

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
        let value = match Topology::read(kind, section, folder)? {
            Topology::File(file) => exported::family_of(&file).unwrap_or(Topology::File(file)),
            family => family,
        };
        Ok(Self {
            value,
            place: section.place().or(place),
            keys: keys
                .filter_map(|key| Some((*key, section.place_of(key)?)))
                .collect(),
        })
    }

    /// Where the value of `key` stands, or else the table.
    pub fn place_of(&self, key: &str) -> Option<Place> {
        let find = |key| self.keys.iter().find(|(name, _)| *name == key);
        let found = find(key).or_else(|| find("radices").filter(|_| key == "radix"));
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
        match error {
            TopologyError::TooLarge {
                nodes,
                channels,
                gibibytes,
                limit,
                remedy,
            } => {
                let message = format!("{} is too large to build", self.value.word());
                Fault::new(self.place.clone(), message)
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
                Fault::new(self.place.clone(), message)
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
            _ => Fault::new(self.place.clone(), error.to_string()),
        }
    }
}
