//! The table `[traffic]`: who sends to whom, when, and packets of what length.

mod length;
mod mode;
mod pattern;
mod process;

use crate::definition;
use crate::error::{Fault, Place};
use crate::text_file::digest;
use flitsim_keys::{Choice, Key, Rule, Table, Value as Said, Values, Variant};
use flitsim_measure::workload::Workload;
use flitsim_topology::Network;
use flitsim_traffic::{Bernoulli, PART, PacketLength, Process, TrafficPlan};
use length::{Length, PACKET_BITS, PACKET_FLITS};
pub use mode::OPEN_LOOP;
use mode::{MODE, ModeTable};
pub use pattern::TRACE;
use pattern::{PATTERN, PatternTable};
use process::PROCESS;
use serde_json::{Value, json};
use std::sync::Arc;

const SELF: Key<bool> = Key::flag(
    "self",
    "Whether random destinations include the source itself.",
)
.or_flag(false);

/// The table `[traffic]`.
pub static TRAFFIC: Table = Table::new(
    "traffic",
    "Who sends to whom, when, and in packets of what length.",
    &const {
        [
            PACKET_FLITS.described(),
            PACKET_BITS.described(),
            SELF.described(),
        ]
    },
)
.choices(
    &const {
        [
            Choice {
                key: PATTERN.described(),
                variants: pattern::variants,
            },
            Choice {
                key: MODE.described(),
                variants: mode::variants,
            },
            Choice {
                key: PROCESS.described(),
                variants: Process::variants,
            },
        ]
    },
)
.rules(&[Rule::Either {
    one: &["packet_flits"],
    other: &["packet_bits"],
    help: "a packet's length is given once: in flits, or in bits over the channel's `width_bits`",
}]);

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
    /// The process and the lengths as the scenario defines them.
    arrivals: Value,
    lengths: Value,
}

impl TrafficTable {
    /// The traffic that `values` of [`TRAFFIC`] say; `width_bits` is the width of a channel, `seed` that
    /// of the scenario.
    ///
    /// # Errors
    /// Lengths and bursts that cannot be, and then what is wrong with the pattern on `network`, too.
    pub fn of(
        values: &Values,
        width_bits: u32,
        seed: u64,
        network: Option<&Network>,
    ) -> Result<Self, Vec<Fault>> {
        if values.get(&PATTERN) == TRACE {
            return Ok(Self::of_trace(values, seed));
        }
        let include_self = values.get(&SELF);
        let pattern = PatternTable::of(values, include_self, seed);
        let length = Length::of(values, width_bits);
        let arrivals = match values.get(&MODE) {
            OPEN_LOOP => process::of(values).map(|process| (process, process::definition(values))),
            _ => Ok((Process::Bernoulli(Bernoulli), json!({}))),
        };
        let (length, (process, arrivals)) = match (length, arrivals) {
            (Ok(length), Ok(arrivals)) => (length, arrivals),
            (length, arrivals) => {
                let on_network = network.and_then(|network| pattern.on(network).err());
                let faults = [length.err(), arrivals.err(), on_network];
                return Err(faults.into_iter().flatten().collect());
            }
        };
        Ok(Self {
            process,
            mode: ModeTable::of(values, &length.length),
            length: length.length,
            packet_bits_mean: length.bits_mean,
            include_self,
            pattern,
            arrivals,
            lengths: length.definition,
        })
    }

    /// A trace: it says who sends how much to whom, and when.
    fn of_trace(values: &Values, seed: u64) -> Self {
        Self {
            process: Process::Bernoulli(Bernoulli),
            length: PacketLength::Fixed(1),
            packet_bits_mean: 1.0,
            include_self: true,
            mode: Some(ModeTable::of_trace(values.place(PATTERN.name()))),
            pattern: PatternTable::of(values, true, seed),
            arrivals: json!({}),
            lengths: json!({}),
        }
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

    /// The longest packet, in flits, but those of a trace, which the pattern has and no mode.
    pub fn longest_flits(&self) -> u32 {
        let workload = self.mode.as_ref().and_then(|mode| mode.workload.as_ref());
        match workload {
            Some(workload) => workload.longest_flits(&self.length),
            None => self.length.longest_flits(),
        }
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
                None => self.arrivals.clone(),
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

/// What `choice` chooses of `variants`, with what `values` say of the keys of that.
fn chosen(values: &Values, choice: &Key<&'static str>, variants: &[Variant]) -> Value {
    let word = values.get(choice);
    let mut definition = json!({ choice.name(): word });
    let own = variants.iter().find(|variant| variant.word == word);
    let keys = own.map_or(&[][..], |variant| variant.keys);
    for key in keys {
        match values.entry(key.name).and_then(|entry| entry.value.clone()) {
            None => {}
            Some(Said::File(file)) => definition["file"] = json!(digest(&file)),
            Some(Said::List(parts)) if key.name == "mix" => {
                definition[key.name] = parts.iter().filter_map(|p| part_of_mix(&p.value)).collect();
            }
            Some(said) => definition[key.name] = definition::json_of(said),
        }
    }
    definition
}

/// A part of a mixture.
fn part_of_mix(said: &Said) -> Option<Value> {
    let Said::Table(part) = said else {
        return None;
    };
    let mut definition = chosen(part, &PATTERN, &pattern::variants());
    for key in PART.keys {
        let said = part.entry(key.name).and_then(|entry| entry.value.clone());
        definition[key.name] = said.map_or(Value::Null, definition::json_of);
    }
    Some(definition)
}

/// `error` at a place, with the one word beside it.
fn fault_of(error: &dyn std::error::Error, place: Option<Place>, label: &str) -> Fault {
    Fault::new(place, error.to_string()).label(label)
}
