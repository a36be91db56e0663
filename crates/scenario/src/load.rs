//! The table `[sweep]`: which loads, in which unit, and how they become flits per node per cycle.

use super::error::{Fault, Place};
use super::key::{Key, Shape, Within, names, words};
use super::plan::{AutoLoads, Load, LoadScale};
use super::reader::{Placed, Section, array, number};
use std::ops::RangeInclusive;
use toml::Spanned;
use toml::de::DeValue;

/// The keys of `[sweep]`.
pub const SWEEP_KEYS: [Key; 4] = [
    Key::new(
        "load",
        Shape::OneOf(&[
            LOAD,
            Shape::array(&LOAD, 1),
            Shape::Table {
                keys: &RANGE_KEYS,
                required: &["from", "to", "steps"],
            },
            Shape::Only("auto"),
        ]),
        "The offered loads, in `load_unit`: one, several, a range, or as many as `steps` says where \
         the curve bends (auto).",
    )
    .or("{\"from\": 0.05, \"to\": 0.95, \"steps\": 10}"),
    Key::new(
        "steps",
        Shape::integer(STEPS_OF_AUTO, "loads"),
        "How many loads `load = \"auto\"` places; refused without it. The default is 10.",
    ),
    Key::new(
        "load_unit",
        Shape::Word(|| words(&UNITS)),
        "The unit of `load`, and of `--load`.",
    )
    .or("\"flits/node/cycle\""),
    Key::new(
        "replicas",
        Shape::integer(REPLICAS, "simulations"),
        "Independent simulations pooled into each point.",
    )
    .or("1"),
];

const LOAD: Shape = Shape::number(Within::above(0.0), "in load_unit");

/// The keys of a range of loads.
const RANGE_KEYS: [Key; 3] = [
    Key::new("from", LOAD, "The first load, in `load_unit`."),
    Key::new(
        "to",
        LOAD,
        "The last load, in `load_unit`; at least `from`.",
    ),
    Key::new(
        "steps",
        Shape::integer(STEPS_OF_RANGE, "loads"),
        "How many loads, evenly spaced, both ends included.",
    ),
];

const STEPS_OF_AUTO: RangeInclusive<u64> = STEPS_AUTO_LEAST..=LOADS_MOST;
const STEPS_OF_RANGE: RangeInclusive<u64> = 1..=LOADS_MOST;
const REPLICAS: RangeInclusive<u64> = 1..=1_000;

/// The most loads of one series.
const LOADS_MOST: u64 = 10_000;

/// The loads that a search places: by default, and the fewest that show a bend.
const STEPS_AUTO: u64 = 10;
const STEPS_AUTO_LEAST: u64 = 4;

const UNITS: [(&str, Unit); 4] = [
    ("flits/node/cycle", Unit::Flits),
    ("bits/node/cycle", Unit::Bits),
    ("packets/node/cycle", Unit::Packets),
    ("capacity", Unit::Capacity),
];

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

impl Unit {
    /// The name in scenario files and results.
    pub fn name(self) -> &'static str {
        UNITS
            .iter()
            .find(|(_, unit)| *unit == self)
            .map_or("", |(name, _)| name)
    }
}

/// The table, read; loads are not yet checked.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The offered loads, in `unit`; none where `auto` is there.
    pub loads: Vec<Placed<f64>>,
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
    /// Reads the table.
    ///
    /// # Errors
    /// The first thing wrong.
    pub fn read(section: &Section<'_>) -> Result<Self, Fault> {
        section.only(&names(&SWEEP_KEYS), &[])?;
        let unit = section.word("load_unit", &UNITS, &[])?;
        let auto = auto(section)?;
        let loads = match section.value("load") {
            _ if auto.is_some() => Vec::new(),
            None => range(0.05, 0.95, 10).map(Placed::default_of).collect(),
            Some(value) => loads(value)?,
        };
        Ok(Self {
            loads,
            auto,
            load_place: ["load", "load_unit"]
                .iter()
                .find_map(|key| section.place_of_key(key)),
            unit: unit.as_ref().map_or(Unit::Flits, |unit| unit.value),
            unit_place: unit.and_then(|unit| unit.place),
            replicas: section.count("replicas", REPLICAS, "simulations", 1)?.value,
        })
    }
}

/// `load = "auto"`, and how many. Without it, `steps` belongs into a range.
fn auto(section: &Section<'_>) -> Result<Option<AutoLoads>, Fault> {
    let value = section.value("load");
    let is_auto = value
        .is_some_and(|value| matches!(value.get_ref(), DeValue::String(word) if word == "auto"));
    if !is_auto {
        if let Some(place) = section.place_of_key("steps") {
            let message = "`steps` beside `load` is for `load = \"auto\"`";
            return Err(Fault::new(Some(place), message)
                .label("the loads do not come from a search")
                .help(
                    "write `load = \"auto\"`, or `load = { from = 0.05, to = 0.95, steps = 10 }`",
                ));
        }
        return Ok(None);
    }
    let steps = section.integer("steps", STEPS_OF_AUTO, "loads")?;
    Ok(Some(AutoLoads {
        steps: steps.map_or(STEPS_AUTO, |steps| steps.value),
        place: section.place_of("load"),
    }))
}

fn loads(value: &Spanned<DeValue<'_>>) -> Result<Vec<Placed<f64>>, Fault> {
    match value.get_ref() {
        DeValue::Integer(_) | DeValue::Float(_) => Ok(vec![number(value, "`load`")?]),
        DeValue::Array(_) => {
            let values = array(value, "`load`")?;
            if values.is_empty() {
                return Err(Fault::new(Some(value.span()), "`load` is empty")
                    .label("no load to simulate")
                    .help("give at least one, such as `load = [0.1, 0.2, 0.3]`"));
            }
            values.iter().map(|value| number(value, "a load")).collect()
        }
        DeValue::Table(table) => loads_of_range(&Section::inline("load", table, value.span())),
        _ => Err(Fault::new(
            Some(value.span()),
            "`load` must be a number, an array of numbers, a table of `from`, `to` and `steps`, or \
             \"auto\"",
        )
        .label("none of these")
        .help("write `load = { from = 0.05, to = 0.95, steps = 10 }`")),
    }
}

fn loads_of_range(section: &Section<'_>) -> Result<Vec<Placed<f64>>, Fault> {
    section.only(&names(&RANGE_KEYS), &[])?;
    let bound = |key| -> Result<Placed<f64>, Fault> {
        section.number(key)?.ok_or_else(|| {
            section.missing(key, "write `load = { from = 0.05, to = 0.95, steps = 10 }`")
        })
    };
    let (from, to) = (bound("from")?, bound("to")?);
    let Some(steps) = section.integer("steps", STEPS_OF_RANGE, "loads")? else {
        return Err(section.missing("steps", "say how many loads, such as `steps = 10`"));
    };
    if to.value < from.value {
        let message = format!("the loads go from {} down to {}", from.value, to.value);
        return Err(Fault::new(to.place, message)
            .label(format!("less than `from`, {}", from.value))
            .help("`to` must be at least `from`"));
    }
    // A load too low is due to `from`, the first; one too high after a good first, to `to`.
    Ok(range(from.value, to.value, steps.value)
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
        let unit = self.unit.name();
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

    fn limit(&self) -> String {
        let most = self.most_flits() / self.flits_per_unit;
        format!("loads here go up to {} {}", rounded(most), self.unit.name())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_exact_ends_and_clean_steps() {
        let loads: Vec<f64> = range(0.05, 0.95, 10).collect();
        assert_eq!(
            loads,
            [0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95]
        );
        assert_eq!(range(0.3, 0.9, 1).collect::<Vec<_>>(), [0.3]);
    }

    #[test]
    fn loads_convert_and_their_limits_hold() {
        let conversion = Conversion {
            unit: Unit::Packets,
            flits_per_unit: 10.0,
            injection_flits: Some(1.0),
            process_flits: 10.0,
            process: "bernoulli",
            packet_flits: 10.0,
            process_flits_least: 0.001,
            cycle_time: 1.0,
        };
        let load = |x| conversion.load(&Placed::default_of(x), "a load");
        assert_eq!(load(0.05).unwrap().flits, 0.5);
        assert_eq!(load(0.1).unwrap().flits, 1.0);
        for wrong in [0.1001, 0.00009, -0.1, 0.0, f64::NAN, f64::INFINITY] {
            assert!(load(wrong).is_err(), "{wrong}");
        }
    }
}
