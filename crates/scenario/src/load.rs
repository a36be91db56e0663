//! The table `[sweep]`: which loads, in which unit, and how they become flits per node per cycle.

use crate::error::{Fault, Place};
use crate::plan::{AutoLoads, Load, LoadScale};
use flitsim_keys::{Absent, Placed, Shape, Value, Values, Within, Words, table, words};
use flitsim_topology::Network;
use std::collections::HashSet;

const A_LOAD: Shape = Shape::number(Within::above(0.0), "in load_unit");

const AUTO_STEPS_DEFAULT: u64 = 10;

table! {
    /// The table `[sweep]`.
    pub static SWEEP = "sweep", "The offered loads, and how often each is simulated.";

    LOAD: Value = "load" shaped(
            Shape::OneOf(&const {
                [
                    A_LOAD,
                    Shape::list(&A_LOAD, 1, "a load"),
                    Shape::Table(&RANGE),
                    Shape::Only("auto"),
                ]
            })
        )
        .hint("write `load = [0.1, 0.2, 0.3]` or `load = { from = 0.05, to = 0.95, steps = 10 }`")
        .or_absent(Absent::Table(&[
            ("from", Absent::Number(0.05)),
            ("to", Absent::Number(0.95)),
            ("steps", Absent::Integer(10)),
        ])),
        "The offered loads, in `load_unit`: one, several, a range, or `steps` of them placed where the curve bends \
         (auto).";
    /// The loads that a search places; fewer than the least show no bend.
    AUTO_STEPS: Option<u64> = "steps" integer(4..=LOADS_MOST, "loads").optional_as("10"),
        "How many loads `load = \"auto\"` places; refused with any other `load`. The default is 10.";
    LOAD_UNIT: Unit = "load_unit" word().or_word("flits/node/cycle"),
        "The unit of `load`, and of `--load`.";
    REPLICAS: u32 = "replicas" integer(1..=1_000, "simulations").or(1),
        "Independent simulations pooled into each point.";
}

table! {
    /// A range of loads.
    static RANGE = "load", "Loads, evenly spaced.";

    FROM: f64 = "from" shaped(A_LOAD)
        .needed("write `load = { from = 0.05, to = 0.95, steps = 10 }`"),
        "The first load, in `load_unit`.";
    TO: f64 = "to" shaped(A_LOAD).needed("write `load = { from = 0.05, to = 0.95, steps = 10 }`"),
        "The last load, in `load_unit`; at least `from`.";
    STEPS: u64 = "steps" integer(1..=LOADS_MOST, "loads")
        .needed("say how many loads, such as `steps = 10`"),
        "How many loads, evenly spaced, both ends included.";
}

/// The most loads of one series.
const LOADS_MOST: u64 = 10_000;

words! {
    Unit: "flits/node/cycle" Flits, "bits/node/cycle" Bits, "packets/node/cycle" Packets,
        "capacity" Capacity;
}

/// What a load of 1 means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A flit a node a cycle.
    Flits,
    /// A bit of packets a node a cycle.
    Bits,
    /// A packet a node a cycle.
    Packets,
    /// The most uniform traffic that the network's channels can carry.
    Capacity,
}

/// The table, read; loads are not yet checked.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The offered loads, in `unit`; none where `auto` is there.
    pub loads: Vec<Placed<f64>>,
    /// Whether somebody wrote them.
    pub is_said: bool,
    /// Loads that a search places.
    pub auto: Option<AutoLoads>,
    /// Their unit.
    pub unit: Unit,
    /// Where the unit stands.
    pub unit_place: Option<Place>,
    /// Where the file names the first key that is for open loops alone.
    pub load_place: Option<Place>,
    /// Independent simulations pooled into each point.
    pub replicas: u32,
}

impl Sweep {
    /// Whether it takes the routing to know what the loads are on `network`: its capacity, but for a grid's.
    pub fn is_routed(&self, network: &Network) -> bool {
        self.unit == Unit::Capacity && network.grid().is_none()
    }

    /// What `values` of [`SWEEP`] say; `None` where something is wrong with what the loads are.
    ///
    /// # Errors
    /// Loads that are none, and `steps` that nothing asks for.
    pub fn of(values: &Values) -> Option<Result<Self, Fault>> {
        let of_loads = [LOAD.name(), LOAD_UNIT.name(), AUTO_STEPS.name()];
        values.are_sound(&of_loads).then(|| Self::of_sound(values))
    }

    fn of_sound(values: &Values) -> Result<Self, Fault> {
        let auto = match values.get(&LOAD) {
            Value::Word(_) => Some(AutoLoads {
                steps: values.get(&AUTO_STEPS).unwrap_or(AUTO_STEPS_DEFAULT),
                place: values.place(LOAD.name()),
            }),
            _ if values.is_given(AUTO_STEPS.name()) => {
                let message = "`steps` beside `load` is for `load = \"auto\"`";
                let place = values.place_of_key(AUTO_STEPS.name());
                return Err(Fault::new(place, message)
                    .label("the loads do not come from a search")
                    .help(
                        "write `load = \"auto\"`, or `load = { from = 0.05, to = 0.95, steps = 10 }`",
                    ));
            }
            _ => None,
        };
        Ok(Self {
            loads: loads(values)?,
            is_said: values.is_given(LOAD.name()),
            auto,
            load_place: [LOAD.name(), LOAD_UNIT.name()]
                .iter()
                .find_map(|key| values.place_of_key(key)),
            unit: values.get(&LOAD_UNIT),
            unit_place: values.place(LOAD_UNIT.name()),
            replicas: values.get(&REPLICAS),
        })
    }
}

fn loads(values: &Values) -> Result<Vec<Placed<f64>>, Fault> {
    let load = |value: Placed<Value>| match value.value {
        Value::Number(load) => Some(Placed {
            value: load,
            place: value.place,
        }),
        _ => None,
    };
    let value = values.placed(&LOAD);
    let place = value.place.clone();
    let loads: Vec<Placed<f64>> = match value.value {
        Value::Table(range) => loads_of_range(&range)?,
        Value::List(values) => values.into_iter().filter_map(load).collect(),
        other => load(Placed {
            value: other,
            place: place.clone(),
        })
        .into_iter()
        .collect(),
    };
    if loads.len() as u64 > LOADS_MOST {
        let message = format!("{} loads, and {LOADS_MOST} are the most", loads.len());
        return Err(Fault::new(place, message).label("too many loads"));
    }
    let mut seen = HashSet::new();
    match loads
        .iter()
        .find(|load| !seen.insert((load.value + 0.0).to_bits()))
    {
        None => Ok(loads),
        Some(again) => {
            let message = format!("the load {} stands twice", again.value);
            Err(Fault::new(again.place.clone(), message)
                .label("the same point")
                .help(
                    "name each load once; `replicas` in `[sweep]` simulates points several times",
                ))
        }
    }
}

fn loads_of_range(table: &Values) -> Result<Vec<Placed<f64>>, Fault> {
    let (from, to) = (table.placed(&FROM), table.placed(&TO));
    if to.value < from.value {
        let message = format!("the loads go from {} down to {}", from.value, to.value);
        return Err(Fault::new(to.place, message)
            .label(format!("less than `from`, {}", from.value))
            .help("`to` must be at least `from`"));
    }
    // A load too low is due to `from`, the first; one too high after a good first, to `to`.
    Ok(range(from.value, to.value, table.get(&STEPS))
        .enumerate()
        .map(|(i, value)| Placed {
            value,
            place: if i == 0 { &from } else { &to }.place.clone(),
        })
        .collect())
}

/// `steps` evenly spaced numbers, both ends included and exact. What lies between is rounded to 12
/// decimals, so that a user who types what a table shows names the same point.
fn range(from: f64, to: f64, steps: u64) -> impl Iterator<Item = f64> {
    (0..steps).map(move |i| match i {
        0 => from,
        i if i + 1 == steps => to,
        i => {
            let load = from + (to - from) * (i as f64 / (steps - 1) as f64);
            (load * 1e12).round() / 1e12
        }
    })
}

/// What turns loads into flits, and what limits them.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// The unit of the loads.
    pub unit: Unit,
    /// Flits per node per cycle that a load of 1 is.
    pub flits_per_unit: f64,
    /// The most that a terminal's channel into its router takes, in flits per node per cycle;
    /// `None` where it has no limit.
    pub injection_flits: Option<f64>,
    /// The most that the process creates, in flits per node per cycle.
    pub process_flits: f64,
    /// The name of the process.
    pub process: &'static str,
    /// The least that it creates, in flits per node per cycle; 0 where there is no such limit.
    pub process_flits_least: f64,
    /// Flits of a packet in the mean.
    pub packet_flits: f64,
    /// Reference cycles that a simulated cycle takes: loads are per reference cycle.
    pub cycle_time: f64,
}

impl Conversion {
    /// Converts and checks a load; `subject` is what the message calls it.
    ///
    /// # Errors
    /// A load that is no positive number, or that the terminals cannot offer.
    pub fn load(&self, given: &Placed<f64>, subject: &str) -> Result<Load, Fault> {
        let in_unit = given.value;
        let unit = self.unit.word();
        let place: Option<Place> = given.place.clone();
        if !(in_unit > 0.0 && in_unit.is_finite()) {
            let message = format!("{subject} is {in_unit}; a load is a number above 0");
            return Err(Fault::new(place, message)
                .label(format!("in {unit}"))
                .help(self.limit()));
        }
        let flits = in_unit * self.flits_per_unit;
        // Converted loads may round past a limit that they meet exactly.
        let slack = 1.0 + 1e-12;
        if let Some(most) = self.injection_flits.filter(|most| flits > most * slack) {
            let message = format!(
                "{subject} of {in_unit} {unit} is above the injection bandwidth of {most} \
                 flit/node/cycle"
            );
            let fault = Fault::new(place, message).label(self.in_flits(flits));
            return Err(self.of_slow_cycles(fault).help(self.limit()));
        }
        if flits > self.process_flits * slack {
            let message = format!(
                "{subject} of {in_unit} {unit} is more than the process `{}` can create",
                self.process
            );
            let fault = Fault::new(place, message)
                .label(self.in_flits(flits))
                .note(format!(
                    "with packets of {} flits it creates at most {} flits/node/cycle{}",
                    self.packet_flits,
                    self.process_flits,
                    match self.process {
                        "on-off" | "pareto" => ": a packet in each cycle of a burst",
                        _ => "",
                    }
                ));
            return Err(self.of_slow_cycles(fault).help(self.limit()));
        }
        if flits < self.process_flits_least * slack {
            let message = format!(
                "{subject} of {in_unit} {unit} is less than a packet in 10,000 bursts of the \
                 process `{}`",
                self.process
            );
            let least = self.process_flits_least / self.flits_per_unit;
            return Err(Fault::new(place, message)
                .label("too little")
                .help(format!("loads here begin at about {least:.2e} {unit}")));
        }
        let flits = flits.min(self.most_flits());
        Ok(Load { in_unit, flits })
    }

    /// `fault`, with what a cycle of this network is where it is not the reference cycle.
    fn of_slow_cycles(&self, fault: Fault) -> Fault {
        if self.cycle_time == 1.0 {
            return fault;
        }
        fault.note(format!(
            "loads are per reference cycle, and `cycle_time` is {}: a load of {} flits/node/cycle \
             is one flit in each of this network's own cycles",
            self.cycle_time,
            rounded(1.0 / self.cycle_time)
        ))
    }

    fn in_flits(&self, flits: f64) -> String {
        match self.unit {
            Unit::Flits => "too much".to_owned(),
            _ => format!("{} flits/node/cycle", rounded(flits)),
        }
    }

    fn most_flits(&self) -> f64 {
        self.process_flits
            .min(self.injection_flits.unwrap_or(f64::INFINITY))
    }

    /// The unit in flits, and what can be offered.
    pub fn scale(&self) -> LoadScale {
        LoadScale {
            flits_per_unit: self.flits_per_unit,
            flits_most: self.most_flits(),
        }
    }

    /// So much of what can be offered, in `unit`.
    pub fn share(&self, share: f64) -> f64 {
        rounded(share * self.most_flits() / self.flits_per_unit)
    }

    fn limit(&self) -> String {
        format!(
            "loads here go up to {} {}",
            self.share(1.0),
            self.unit.word()
        )
    }
}

/// A number for people: four significant digits, rounded down so that a limit is never passed.
fn rounded(x: f64) -> f64 {
    if x <= 0.0 || !x.is_finite() {
        return x;
    }
    let scale = 10f64.powi(3 - x.log10().floor() as i32);
    let up = (x * scale).round() / scale;
    if up <= x {
        up
    } else {
        (x * scale).floor() / scale
    }
}
