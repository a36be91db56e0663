//! `mode`, and the keys of those that are no open loop: closed loops and batches. A trace is one of
//! them, though a pattern names it.

use super::length::FLITS;
use crate::error::{Fault, Place};
use crate::load::Sweep;
use crate::plan::{Load, LoadScale};
use crate::reader::{Placed, Section, array, integer};
use flitsim_measure::workload::Workload;
use flitsim_topology::Network;
use flitsim_traffic::{PACKETS_AT_ONCE_MOST, PacketLength};
use serde_json::{Value, json};
use std::ops::RangeInclusive;
use toml::de::DeValue;

/// The keys that some mode has.
pub const MODE_KEYS: [&str; 4] = ["outstanding", "service_cycles", "reply_flits", "packets"];

/// The mode in which sources wait for nothing.
pub const OPEN_LOOP: &str = "open-loop";

const CLOSED_LOOP: &str = "closed-loop";
const BATCH: &str = "batch";

/// The modes' names, each with the keys that it adds.
pub const MODES: [(&str, &[&str]); 3] = [
    (OPEN_LOOP, &[]),
    (CLOSED_LOOP, &MODE_KEYS),
    (BATCH, &["packets"]),
];

/// The most of anything that one node has.
pub const AMOUNT_MOST: u64 = PACKETS_AT_ONCE_MOST;
pub(super) const AMOUNTS: RangeInclusive<u64> = 1..=AMOUNT_MOST;

/// The longest service, and the most requests of a node.
pub(super) const SERVICE_CYCLES: RangeInclusive<u64> = 0..=u32::MAX as u64;
pub(super) const REQUESTS: RangeInclusive<u64> = 1..=1 << 40;

/// The most amounts of one series.
pub(super) const AMOUNTS_MOST: usize = 10_000;

/// The keys that a mode of that name adds; `None` for an unknown name.
pub fn keys_of(mode: &str) -> Option<&'static [&'static str]> {
    let (_, keys) = MODES.iter().find(|(name, _)| *name == mode)?;
    Some(keys)
}

/// The name of the mode.
///
/// # Errors
/// No word, or an unknown one.
pub fn name(section: &Section<'_>) -> Result<Placed<&'static str>, Fault> {
    let names = MODES.map(|(name, _)| (name, name));
    let name = section.word("mode", &names, &[])?;
    Ok(name.unwrap_or(Placed::default_of(OPEN_LOOP)))
}

/// Traffic that is no open loop.
#[derive(Clone, Debug)]
pub struct ModeTable {
    /// What it is; `None` for a trace, whose file is not read yet.
    pub workload: Option<Workload>,
    /// Where the file names it.
    pub place: Option<Place>,
    /// How much of it at each point.
    amounts: Vec<Placed<u64>>,
    /// The key that says how much.
    amount_key: &'static str,
}

impl ModeTable {
    /// Reads the keys of the mode of that name; `None` for an open loop. `length` is that of packets.
    ///
    /// # Errors
    /// The first thing wrong.
    pub fn read(
        section: &Section<'_>,
        name: Placed<&'static str>,
        length: &PacketLength,
    ) -> Result<Option<Self>, Fault> {
        let (workload, amounts, amount_key) = match name.value {
            BATCH => {
                let key = "packets";
                let Some(amounts) = amounts(section, key, "packets")? else {
                    let why = "say how many packets each node sends, such as `packets = 100`, or \
                               an array of such numbers for a point each";
                    return Err(section.missing(key, why));
                };
                (Workload::Batch, amounts, key)
            }
            CLOSED_LOOP => {
                let key = "outstanding";
                let one = || vec![Placed::default_of(1)];
                let amounts = amounts(section, key, "requests")?.unwrap_or_else(one);
                (closed_loop(section, length)?, amounts, key)
            }
            _ => return Ok(None),
        };
        Ok(Some(Self {
            workload: Some(workload),
            place: name.place,
            amounts,
            amount_key,
        }))
    }

    /// A trace, named at `place`.
    pub fn of_trace(place: Option<Place>) -> Self {
        Self {
            workload: None,
            place,
            amounts: vec![Placed::default_of(1)],
            amount_key: "path",
        }
    }

    /// Refuses more packets at once than are held in memory.
    ///
    /// # Errors
    /// The first amount that is too large for `network`.
    pub fn check_fits(&self, network: &Network) -> Result<(), Fault> {
        let is_fine = |amount: &&Placed<u64>| amount.value > self.amount_most(network);
        match self.amounts.iter().find(is_fine) {
            Some(amount) => Err(self.too_large(amount, network)),
            None => Ok(()),
        }
    }

    /// The most that a node of `network` may have.
    fn amount_most(&self, network: &Network) -> u64 {
        PACKETS_AT_ONCE_MOST / u64::from(network.terminals().max(1))
    }

    fn too_large(&self, amount: &Placed<u64>, network: &Network) -> Fault {
        let (key, terminals) = (self.amount_key, network.terminals());
        let all = amount.value.saturating_mul(u64::from(terminals));
        let message = format!(
            "`{key}` {} of each of {terminals} nodes are {all} packets at once; the limit is \
             {PACKETS_AT_ONCE_MOST}",
            amount.value
        );
        Fault::new(amount.place.clone(), message)
            .label("too many to hold in memory")
            .help(format!(
                "here at most {}{}",
                self.amount_most(network),
                match key {
                    "packets" =>
                        "; `mode = \"closed-loop\"` with `packets` has few of many at once",
                    _ => "",
                }
            ))
    }

    /// The points: an amount each, `given` on the command line in place of the file's.
    ///
    /// # Errors
    /// Loads of an open loop, and an amount given that is none.
    pub fn loads(
        &self,
        sweep: &Sweep,
        given: Option<f64>,
        network: &Network,
    ) -> Result<(Vec<Load>, LoadScale), Fault> {
        self.refuse_loads(sweep)?;
        let scale = LoadScale {
            flits_per_unit: 1.0,
            flits_most: f64::INFINITY,
        };
        let load = |amount: u64| Load {
            in_unit: amount as f64,
            flits: amount as f64,
        };
        let Some(given) = given else {
            let amounts = self.amounts.iter().map(|amount| load(amount.value));
            return Ok((amounts.collect(), scale));
        };
        let most = self.amount_most(network);
        if self.workload.is_none() {
            let message = format!("`--load` is {given}, and a trace takes no load");
            return Err(Fault::new(self.place.clone(), message)
                .label("a trace says itself how much is sent, and when")
                .help("leave `--load` out"));
        }
        if given.fract() != 0.0 || !(1.0..=most as f64).contains(&given) {
            let key = self.amount_key;
            let message = format!("`--load` is {given}, and stands for `{key}` here");
            return Err(Fault::new(self.place.clone(), message)
                .label(format!("takes `{key}` in place of a load"))
                .help(format!("a whole number from 1 to {most}")));
        }
        Ok((vec![load(given as u64)], scale))
    }

    fn refuse_loads(&self, sweep: &Sweep) -> Result<(), Fault> {
        let Some(place) = sweep.load_place.clone() else {
            return Ok(());
        };
        let (what, help) = match &self.workload {
            None => (
                "a trace says itself how much is sent, and when",
                "remove it from `[sweep]`",
            ),
            Some(Workload::Batch) => (
                "in a batch everything is there in cycle 0",
                "`packets` in `[traffic]` says how much; an array of numbers is a point each",
            ),
            Some(_) => (
                "in a closed loop the answers set the pace",
                "`outstanding` in `[traffic]` says how much; an array of numbers is a point each",
            ),
        };
        Err(Fault::new(Some(place), "loads are for open loops")
            .label(what)
            .help(help))
    }

    /// Everything that defines it but how much.
    pub fn definition(&self) -> Value {
        match &self.workload {
            None => json!({}),
            Some(Workload::ClosedLoop {
                service_cycles,
                reply,
                requests,
            }) => json!({
                "mode": CLOSED_LOOP,
                "service_cycles": service_cycles,
                "reply_flits": reply.shares(),
                "packets": requests,
            }),
            Some(_) => json!({ "mode": BATCH }),
        }
    }
}

/// The keys of a closed loop but how much; replies are as long as requests where nothing else is
/// said.
fn closed_loop(section: &Section<'_>, length: &PacketLength) -> Result<Workload, Fault> {
    let service = section.integer("service_cycles", SERVICE_CYCLES, "cycles")?;
    let reply = section.integer("reply_flits", FLITS, "flits")?;
    let requests = section.integer("packets", REQUESTS, "requests")?;
    Ok(Workload::ClosedLoop {
        service_cycles: service.map_or(0, |cycles| cycles.value),
        // The range keeps the number within 32 bits.
        reply: reply.map_or_else(
            || length.clone(),
            |flits| PacketLength::Fixed(flits.value as u32),
        ),
        requests: requests.map(|requests| requests.value),
    })
}

/// A whole number, or several for a point each; `None` where the key is not there.
fn amounts(
    section: &Section<'_>,
    key: &str,
    unit: &str,
) -> Result<Option<Vec<Placed<u64>>>, Fault> {
    let Some(value) = section.value(key) else {
        return Ok(None);
    };
    if !matches!(value.get_ref(), DeValue::Array(_)) {
        let amount = section.integer(key, AMOUNTS, unit)?;
        return Ok(amount.map(|amount| vec![amount]));
    }
    let values = array(value, &format!("`{key}`"))?;
    if values.is_empty() || values.len() > AMOUNTS_MOST {
        let message = format!("`{key}` holds {} numbers", values.len());
        return Err(Fault::new(Some(value.span()), message)
            .label("a point for each")
            .help(format!(
                "1 to {AMOUNTS_MOST} of them, such as `{key} = [1, 2, 4]`"
            )));
    }
    let amounts = values
        .iter()
        .map(|value| integer(value, &format!("a number in `{key}`"), AMOUNTS, unit));
    Ok(Some(amounts.collect::<Result<_, Fault>>()?))
}
