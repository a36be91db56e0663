//! `mode`, and the keys of those that are no open loop: closed loops and batches. A trace is one of
//! them, though a pattern names it.

use super::length::REPLY_FLITS;
use crate::error::{Fault, Place};
use crate::load::Sweep;
use crate::plan::{Load, LoadScale};
use flitsim_keys::{Absent, Key, Placed, Shape, Value, Values, Variant};
use flitsim_measure::workload::Workload;
use flitsim_topology::Network;
use flitsim_traffic::{PACKETS_AT_ONCE_MOST, PacketLength};
use serde_json::json;

/// Whether nodes wait.
pub(super) const MODE: Key<&str> = Key::one_of(
    "mode",
    || variants().iter().map(|variant| variant.word).collect(),
    "Whether nodes send at a load, wait for replies, or have all their packets at the start.",
)
.or_choice(OPEN_LOOP);

/// The mode in which sources wait for nothing.
pub const OPEN_LOOP: &str = "open-loop";

const CLOSED_LOOP: &str = "closed-loop";
const BATCH: &str = "batch";

/// The most of anything that one node has.
const AMOUNT: Shape = Shape::integer(1..=PACKETS_AT_ONCE_MOST, "packets");
const REQUESTS_AT_ONCE: Shape = Shape::integer(1..=PACKETS_AT_ONCE_MOST, "requests");

/// A number for each point.
const fn several(of: &'static Shape, element: &'static str) -> Shape {
    Shape::List {
        of,
        least: 1,
        most: Some(10_000),
        element,
    }
}

const OUTSTANDING: Key<Value> = Key::shaped(
    "outstanding",
    Shape::OneOf(&[
        REQUESTS_AT_ONCE,
        several(&REQUESTS_AT_ONCE, "a number in `outstanding`"),
    ]),
    "closed-loop: requests of a node on the way or in service at once; an array makes a point of each number.",
)
.hint("a number, or 1 to 10000 of them, a point for each, such as `outstanding = [1, 2, 4]`")
.or_absent(Absent::Integer(1));

const SERVICE_CYCLES: Key<u64> = Key::integer(
    "service_cycles",
    0..=u32::MAX as u64,
    "cycles",
    "closed-loop: time from the arrival of a request to the creation of its reply, in reference cycles.",
)
.or(0);

const PACKETS_MEANING: &str = "batch: packets of each node, at most 16777216 in all; an array makes a point of each \
                               number. closed-loop: requests of each node in total, a single number; without it, no \
                               end.";

const REQUESTS: Key<Option<u64>> =
    Key::integer("packets", 1..=1 << 40, "requests", PACKETS_MEANING).optional_as("no end");

const PACKETS: Key<Value> = Key::shaped(
    "packets",
    Shape::OneOf(&[AMOUNT, several(&AMOUNT, "a number in `packets`")]),
    PACKETS_MEANING,
)
.needed(
    "say how many packets each node sends, such as `packets = 100`, or an array of such numbers for a \
     point each",
)
.hint("a number, or 1 to 10000 of them, a point for each, such as `packets = [1, 2, 4]`");

/// The modes, each with the keys that it adds. Processes are those of open loops.
pub(super) fn variants() -> Vec<Variant> {
    vec![
        Variant::new(OPEN_LOOP, "Nodes send at a load.", &[]),
        Variant::new(
            CLOSED_LOOP,
            "Nodes send requests, and wait for the replies.",
            &const {
                [
                    OUTSTANDING.described(),
                    SERVICE_CYCLES.described(),
                    REPLY_FLITS.described(),
                    REQUESTS.described(),
                ]
            },
        )
        .without(&["process"]),
        Variant::new(
            BATCH,
            "Nodes have all of it at the start.",
            &const { [PACKETS.described()] },
        )
        .without(&["process"]),
    ]
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
    /// The mode that `values` of `[traffic]` say; `None` for an open loop. `length` is that of packets.
    pub fn of(values: &Values, length: &PacketLength) -> Option<Self> {
        let (workload, amount) = match values.get(&MODE) {
            BATCH => (Workload::Batch, &PACKETS),
            CLOSED_LOOP => (closed_loop(values, length), &OUTSTANDING),
            _ => return None,
        };
        Some(Self {
            workload: Some(workload),
            place: values.place(MODE.name()),
            amounts: amounts(values, amount),
            amount_key: amount.name(),
        })
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
    pub fn definition(&self) -> serde_json::Value {
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
fn closed_loop(values: &Values, length: &PacketLength) -> Workload {
    let reply = values.get(&REPLY_FLITS).map(PacketLength::Fixed);
    Workload::ClosedLoop {
        service_cycles: values.get(&SERVICE_CYCLES),
        reply: reply.unwrap_or_else(|| length.clone()),
        requests: values.get(&REQUESTS),
    }
}

/// A whole number, or several for a point each.
fn amounts(values: &Values, key: &Key<Value>) -> Vec<Placed<u64>> {
    let amount = |value: Placed<Value>| match value.value {
        Value::Integer(amount) => Some(Placed {
            value: amount,
            place: value.place,
        }),
        _ => None,
    };
    let said = values.placed(key);
    match said.value {
        Value::List(several) => several.into_iter().filter_map(amount).collect(),
        _ => amount(said).into_iter().collect(),
    }
}
