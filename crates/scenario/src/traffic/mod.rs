//! The table `[traffic]`: who sends to whom, when, and packets of what length.

mod keys;
mod length;
mod mode;
mod pattern;
mod process;

use super::error::{Fault, Place};
use super::reader::{Placed, Section};
use flitsim_measure::workload::Workload;
use flitsim_topology::Network;
use flitsim_traffic::{PacketLength, Process, TrafficPlan};
pub use keys::{TRAFFIC_KEYS, WEIGHT, traffic_keys};
use length::Length;
use mode::ModeTable;
pub use mode::{AMOUNT_MOST, MODE_KEYS, MODES, OPEN_LOOP};
use pattern::PatternTable;
pub use pattern::{MIX, PATTERNS, TRACE, all_keys as all_pattern_keys};
pub use process::{PROCESS_KEYS, PROCESSES};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// The keys of `[traffic]`, whatever the pattern and the process.
const KEYS: [&str; 6] = [
    "pattern",
    "mode",
    "process",
    "packet_flits",
    "packet_bits",
    "self",
];

/// The keys of a top level's `[traffic]` that a series leaves behind whose own table names `pattern`,
/// `process` and `mode`, if it does: those of another pattern, process or mode.
pub fn keys_left(
    pattern: Option<&str>,
    process: Option<&str>,
    mode: Option<&str>,
) -> Vec<&'static str> {
    if pattern == Some(TRACE) {
        return traffic_keys();
    }
    let mut left = Vec::new();
    if let Some(own) = mode.and_then(mode::keys_of) {
        left.extend(MODE_KEYS.iter().filter(|key| !own.contains(key)));
        if mode != Some(OPEN_LOOP) {
            left.push("process");
            left.extend(PROCESS_KEYS);
        }
    }
    if let Some(own) = pattern.and_then(pattern::keys_of) {
        left.extend(pattern::all_keys().iter().filter(|key| !own.contains(key)));
    }
    if let Some(own) = process.and_then(process::keys_of) {
        left.extend(PROCESS_KEYS.iter().filter(|key| !own.contains(key)));
    }
    left
}

/// Every pattern, mode and process, by the key that names it, and whether it adds `key`.
pub fn choices(key: &str) -> Vec<(&'static str, &'static str, bool)> {
    let patterns = PATTERNS
        .iter()
        .map(|(name, keys)| ("pattern", *name, *keys));
    let modes = MODES.iter().map(|(name, keys)| match *name {
        // Processes are those of open loops.
        OPEN_LOOP => ("mode", OPEN_LOOP, &["process"][..]),
        name => ("mode", name, *keys),
    });
    let processes = PROCESSES
        .iter()
        .map(|(name, keys)| ("process", *name, *keys));
    patterns
        .chain(modes)
        .chain(processes)
        .map(|(choice, name, keys)| (choice, name, keys.contains(&key)))
        .collect()
}

/// Whether traffic of that pattern and mode, as far as they are named, is no open loop.
pub fn takes_no_load(pattern: Option<&str>, mode: Option<&str>) -> bool {
    pattern == Some(TRACE) || mode.is_some_and(|mode| mode != OPEN_LOOP)
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
    /// What is no open loop.
    pub mode: Option<ModeTable>,
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
        if pattern_name.value == TRACE {
            return Self::of_trace(section, pattern_name, seed, folder);
        }
        let mode_name = mode::name(section)?;
        let process_name = process::name(section)?;
        let mut known = KEYS.to_vec();
        known.extend(pattern::keys_of(pattern_name.value).unwrap_or_default());
        known.extend(mode::keys_of(mode_name.value).unwrap_or_default());
        match mode_name.value {
            OPEN_LOOP => known.extend(process::keys_of(process_name).unwrap_or_default()),
            _ => known.retain(|key| *key != "process"),
        }
        section.only(&known, &[])?;
        let include_self = section.flag("self", false)?.value;
        let Length {
            length,
            bits_mean,
            definition,
        } = Length::read(section, width_bits, folder)?;
        Ok(Self {
            process: process::read(section, process_name)?,
            mode: ModeTable::read(section, mode_name, &length)?,
            length,
            packet_bits_mean: bits_mean,
            include_self,
            pattern: PatternTable::read(section, pattern_name, include_self, seed, folder)?,
            lengths: definition,
        })
    }

    /// A trace: it says who sends how much to whom, and when.
    fn of_trace(
        section: &Section<'_>,
        name: Placed<&'static str>,
        seed: u64,
        folder: &Path,
    ) -> Result<Self, Fault> {
        let mut known = vec!["pattern"];
        known.extend(pattern::keys_of(TRACE).unwrap_or_default());
        section.only(&known, &[])?;
        Ok(Self {
            process: Process::Bernoulli,
            length: PacketLength::Fixed(1),
            packet_bits_mean: 1.0,
            include_self: true,
            mode: Some(ModeTable::of_trace(name.place.clone())),
            pattern: PatternTable::read(section, name, true, seed, folder)?,
            lengths: json!({}),
        })
    }

    /// What there is in place of an open loop, on `network`. Where whole packets move, none may be
    /// longer than `buffer_flits`.
    ///
    /// # Errors
    /// What is wrong with the file of a trace, and amounts that are too large for the network.
    pub fn workload(
        &self,
        network: &Network,
        buffer_flits: Option<u32>,
    ) -> Result<Option<Workload>, Fault> {
        let Some(mode) = &self.mode else {
            return Ok(None);
        };
        mode.check_fits(network)?;
        Ok(match self.pattern.trace(network, buffer_flits)? {
            Some(trace) => Some(Workload::Trace(Arc::new(trace))),
            None => mode.workload.clone(),
        })
    }

    /// The longest packet but those of a trace, in flits.
    pub fn longest_flits(&self) -> u32 {
        let mode = self.mode.as_ref().and_then(|mode| mode.workload.as_ref());
        let reply = match mode {
            Some(Workload::ClosedLoop { reply, .. }) => reply.longest_flits(),
            _ => 0,
        };
        reply.max(self.length.longest_flits())
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
            match &self.mode {
                None => process::definition(self.process),
                Some(mode) => mode.definition(),
            },
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
