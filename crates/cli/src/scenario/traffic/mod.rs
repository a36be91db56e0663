//! The table `[traffic]`: who sends to whom, when, and packets of what length.

mod length;
mod pattern;
mod process;

use super::error::{Fault, Place};
use super::reader::Section;
use flitsim_topology::Network;
use flitsim_traffic::{PacketLength, Process, TrafficPlan};
use length::Length;
use pattern::PatternTable;
pub use process::PROCESS_KEYS;
use serde_json::{Value, json};
use std::path::Path;

/// The keys of `[traffic]`, whatever the pattern and the process.
const KEYS: [&str; 5] = ["pattern", "process", "packet_flits", "packet_bits", "self"];

/// All the keys of `[traffic]`.
pub fn traffic_keys() -> Vec<&'static str> {
    let mut keys = KEYS.to_vec();
    keys.extend(pattern::all_keys());
    keys.extend(PROCESS_KEYS);
    keys
}

/// The keys of a top level's `[traffic]` that a series leaves behind whose own table names `pattern`
/// and `process`, if it does: those of another pattern or process.
pub fn keys_left(pattern: Option<&str>, process: Option<&str>) -> Vec<&'static str> {
    let mut left = Vec::new();
    if let Some(own) = pattern.and_then(pattern::keys_of) {
        left.extend(pattern::all_keys().iter().filter(|key| !own.contains(key)));
    }
    if let Some(own) = process.and_then(process::keys_of) {
        left.extend(PROCESS_KEYS.iter().filter(|key| !own.contains(key)));
    }
    left
}

/// The table, read.
#[derive(Clone, Debug)]
pub struct TrafficTable {
    /// When packets are created.
    pub process: Process,
    /// How long they are.
    pub length: PacketLength,
    /// Bits that a packet carries in the mean.
    pub packet_bits_mean: f64,
    /// Whether the source is one of its own destinations.
    pub include_self: bool,
    pattern: PatternTable,
    /// The lengths as the scenario defines them.
    lengths: Value,
}

impl TrafficTable {
    /// Reads the table; `width_bits` is the width of a channel, `seed` that of the scenario, and
    /// paths are relative to `folder`.
    ///
    /// # Errors
    /// The first thing wrong.
    pub fn read(
        section: &Section<'_>,
        width_bits: u32,
        seed: u64,
        folder: &Path,
    ) -> Result<Self, Fault> {
        let pattern_name = PatternTable::name(section, true)?;
        let process_name = process::name(section)?;
        let mut known = KEYS.to_vec();
        known.extend(pattern::keys_of(pattern_name.value).unwrap_or_default());
        known.extend(process::keys_of(process_name).unwrap_or_default());
        section.only(&known, &[])?;
        let include_self = section.flag("self", false)?.value;
        let Length {
            length,
            bits_mean,
            definition,
        } = Length::read(section, width_bits, folder)?;
        Ok(Self {
            process: process::read(section, process_name)?,
            length,
            packet_bits_mean: bits_mean,
            include_self,
            pattern: PatternTable::read(section, pattern_name, include_self, seed, folder)?,
            lengths: definition,
        })
    }

    /// The most that the process creates, in flits per node per cycle.
    pub fn load_most(&self) -> f64 {
        self.process.rate_most() * self.length.mean_flits()
    }

    /// The least that the process creates, in flits per node per cycle; 0 under most.
    pub fn load_least(&self) -> f64 {
        self.process.rate_least() * self.length.mean_flits()
    }

    /// Everything about the traffic but the load, on `network`.
    ///
    /// # Errors
    /// What is wrong with the pattern there or with its file, with what is at fault underlined.
    pub fn plan(&self, network: &Network) -> Result<TrafficPlan, Fault> {
        let plan = TrafficPlan {
            pattern: self.pattern.on(network)?,
            process: self.process,
            length: self.length.clone(),
        };
        // The pattern has been checked, and the readers of the others refuse what they would.
        plan.length
            .validate()
            .and_then(|()| plan.process.validate())
            .map_err(|error| fault_of(&error, None, "not possible"))?;
        Ok(plan)
    }

    /// Everything that defines the traffic but its rate.
    pub fn definition(&self) -> Value {
        let mut definition = json!({ "self": self.include_self });
        for part in [
            self.pattern.definition(),
            process::definition(self.process),
            self.lengths.clone(),
        ] {
            if let Value::Object(entries) = part {
                for (key, value) in entries {
                    definition[key] = value;
                }
            }
        }
        definition
    }
}

/// `error` at a place, with the one word beside it.
fn fault_of(error: &dyn std::error::Error, place: Option<Place>, label: &str) -> Fault {
    Fault::new(place, error.to_string()).label(label)
}
