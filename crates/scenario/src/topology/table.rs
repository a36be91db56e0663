//! The table as it is read and built: the places of its keys, so that the one at fault is
//! underlined where the network cannot be built.

use super::keys::KIND;
use super::{exported, spec};
use crate::ScenarioError;
use crate::error::{Fault, Place, Told};
use crate::plan::KeptFile;
use crate::text_file::Files;
use flitsim_keys::Values;
use flitsim_topology::{Definition, Network, TopologyError};
use std::path::Path;

/// The table, read: a network, and where its keys stand.
#[derive(Clone, Debug)]
pub struct TopologyTable {
    /// The network.
    pub value: Definition,
    /// What the table says, and where.
    values: Values,
}

impl TopologyTable {
    /// The network that `values` of [`TOPOLOGY`](super::TOPOLOGY) say; in a file that was exported from a family and is
    /// unchanged, that family's.
    ///
    /// # Errors
    /// What only the files of a network can tell.
    pub fn of(values: &Values) -> Result<Self, Fault> {
        let said = Definition::of(values.get(&KIND), values);
        let said = said.map_err(|fault| placed(fault, values))?;
        Ok(Self {
            value: exported::family_of(&said).unwrap_or(said),
            values: values.clone(),
        })
    }

    /// Where the value of `key` stands, or else the table.
    pub fn place_of(&self, key: &str) -> Option<Place> {
        place_of(&self.values, key)
    }

    /// Builds the network.
    ///
    /// # Errors
    /// A condition of its family that does not hold, with the key at fault underlined.
    pub fn build(&self) -> Result<Network, Fault> {
        let word = || self.value.word();
        let of_table = |message: String| Fault::new(place(&self.values), message);
        self.value.build().map_err(|error| match error {
            TopologyError::Parameter(fault) => placed(fault, &self.values),
            TopologyError::TooLarge {
                nodes,
                channels,
                gibibytes,
                limit,
                remedy,
            } => of_table(format!("{} is too large to build", word()))
                .label(format!("{nodes} nodes and {channels} channels"))
                .note(format!(
                    "the graph alone would take about {gibibytes} GiB; the limit is {limit} channels"
                ))
                .help(remedy),
            TopologyError::NoMemory {
                nodes,
                channels,
                bytes,
                available,
            } => of_table(format!("{} does not fit the memory that is left", word()))
                .label(format!("{nodes} nodes and {channels} channels"))
                .note(format!(
                    "building the graph alone would take about {bytes} bytes, and {available} are \
                     available"
                ))
                .help("a smaller network, or a machine with more memory"),
            error => of_table(error.to_string()),
        })
    }
}

/// Reads a topology in one word; paths in it are relative to the working directory.
///
/// # Errors
/// What is wrong, with its place in the word underlined.
pub fn parse_spec(word: &str) -> Result<TopologyTable, ScenarioError> {
    parse_spec_with(word, &[])
}

/// The same, but files that are `kept` are taken from there.
///
/// # Errors
/// As [`parse_spec`].
pub fn parse_spec_with(word: &str, kept: &[KeptFile]) -> Result<TopologyTable, ScenarioError> {
    let values = spec::values(word, &Files::new(Path::new(""), kept));
    let table = values.and_then(|values| TopologyTable::of(&values).map_err(|fault| vec![fault]));
    table.map_err(|faults| {
        let told = faults.into_iter().map(Told::of_file).collect();
        ScenarioError::of_all(Path::new(spec::ON_COMMAND_LINE), word, told)
    })
}

/// A fault of a family, at the key that it names.
fn placed(fault: Fault, values: &Values) -> Fault {
    let place = fault.key().and_then(|key| place_of(values, key));
    fault.or_at(place)
}

fn place_of(values: &Values, key: &str) -> Option<Place> {
    let found = values.place(key);
    let found = found.or_else(|| values.place("radices").filter(|_| key == "radix"));
    found.or_else(|| place(values))
}

fn place(values: &Values) -> Option<Place> {
    let table = values.table_place.clone();
    table.or_else(|| values.place(KIND.name()))
}
