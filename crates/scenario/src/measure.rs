//! The table `[measure]`: when to start measuring and when to stop.

use super::error::Fault;
use super::error::list;
use super::key::{Key, Shape, Within, names};
use super::reader::{Placed, Section, array, describe, integer, unknown_word};
use flitsim_engine::EngineConfig;
use flitsim_measure::measurement::details::{Detail, Detailed, Details};
use flitsim_measure::measurement::{MeasureSettings, Warmup};
use flitsim_topology::Network;
use serde_json::{Value, json};
use std::ops::RangeInclusive;
use toml::de::DeValue;

/// The keys of `[measure]`.
pub const MEASURE_KEYS: [Key; 5] = [
    Key::new(
        "warmup",
        Shape::OneOf(&[
            Shape::integer(WARMUP_CYCLES, "cycles"),
            Shape::Only("auto"),
        ]),
        "When measurement begins: once the network is steady (auto), or in that cycle, which is below \
         `max_cycles`.",
    )
    .or("\"auto\""),
    Key::new(
        "relative_error",
        Shape::number(Within::closed(0.0, 1.0).without_low().without_high(), ""),
        "Go on until the half-width of the mean latency's 95 % confidence interval is at most this \
         share of the mean.",
    )
    .or("0.02"),
    Key::new(
        "max_cycles",
        Shape::integer(MAX_CYCLES, "cycles"),
        "A point (with replicas, each) ends here in any case.",
    )
    .or("1000000"),
    Key::new(
        "latency_limit",
        Shape::number(Within::above(0.0), "reference cycles"),
        "A point of a higher mean latency is reported saturated.",
    )
    .or("500.0"),
    Key::new(
        "details",
        Shape::array(&Shape::Word(detail_words), 0),
        "What to tell beyond a row of points.csv, each in a file of its own; all is every one.",
    )
    .or("[]"),
];

const WARMUP_CYCLES: RangeInclusive<u64> = 0..=CYCLES_MOST;
const MAX_CYCLES: RangeInclusive<u64> = 1..=CYCLES_MOST;

/// The longest run, in cycles: far beyond patience, and well within 64 bits.
const CYCLES_MOST: u64 = 1 << 53;

/// The most memory that the details of a point may take, in GiB.
const DETAILS_MOST_GIB: u64 = 4;

/// Reads and checks the table of a series on `network`.
///
/// # Errors
/// The first thing wrong.
pub fn read(
    section: &Section<'_>,
    network: &Network,
    config: &EngineConfig,
) -> Result<MeasureSettings, Fault> {
    section.only(&names(&MEASURE_KEYS), &[])?;
    let default = MeasureSettings::default();
    let warmup = match section
        .value("warmup")
        .map(|value| (value, value.get_ref()))
    {
        None => default.warmup,
        Some((_, DeValue::String(word))) if word == "auto" => Warmup::Auto,
        Some((value, DeValue::Integer(_))) => {
            Warmup::Cycles(integer(value, "`warmup`", WARMUP_CYCLES, "cycles")?.value)
        }
        Some((value, _)) => {
            let message = "`warmup` must be \"auto\" or a number of cycles";
            return Err(Fault::new(Some(value.span()), message)
                .label("neither")
                .help("write `warmup = \"auto\"` or, for example, `warmup = 10_000`"));
        }
    };
    let max_cycles = section
        .integer("max_cycles", MAX_CYCLES, "cycles")?
        .map_or(default.max_cycles, |n| n.value);
    if let Warmup::Cycles(cycles) = warmup
        && cycles >= max_cycles
    {
        let message = format!(
            "a warm-up of {cycles} cycles leaves nothing to measure of `max_cycles` {max_cycles}"
        );
        return Err(Fault::new(section.place_of("warmup"), message)
            .label("not below `max_cycles`")
            .help("a shorter `warmup`, or a larger `max_cycles`"));
    }
    let relative_error = positive(section, "relative_error", default.relative_error)?;
    if relative_error.value >= 1.0 {
        let message = format!(
            "`relative_error` is {}; it must be below 1",
            relative_error.value
        );
        return Err(Fault::new(relative_error.place, message)
            .label("half-width of the interval over the mean")
            .help("0.02 means ± 2 % of the mean latency"));
    }
    Ok(MeasureSettings {
        warmup,
        relative_error: relative_error.value,
        max_cycles,
        latency_limit: positive(section, "latency_limit", default.latency_limit)?.value,
        details: affordable(section, details(section)?, network, config)?,
    })
}

/// `details`, where there is memory for them.
fn affordable(
    section: &Section<'_>,
    details: Details,
    network: &Network,
    config: &EngineConfig,
) -> Result<Details, Fault> {
    let gib = Detailed::bytes_estimate(details, network, config) >> 30;
    if gib < DETAILS_MOST_GIB {
        return Ok(details);
    }
    let message = format!("the details of this network would take {gib} GiB of memory a point");
    Err(Fault::new(section.place_of("details"), message)
        .label(format!("more than {DETAILS_MOST_GIB} GiB"))
        .help("leave out \"sources\" or \"channels\", or ask for them on a smaller network"))
}

/// The words that `details` takes.
fn detail_words() -> Vec<&'static str> {
    let mut words = Detail::ALL.map(Detail::name).to_vec();
    words.push("all");
    words
}

/// The words of `details`; `"all"` is every one of them.
fn details(section: &Section<'_>) -> Result<Details, Fault> {
    let Some(value) = section.value("details") else {
        return Ok(Details::default());
    };
    let names = detail_words();
    let help = format!(
        "write an array of {}, such as [\"classes\"]",
        list(&names, "\"")
    );
    let words = array(value, "`details`").map_err(|fault| fault.help(&help))?;
    let mut wanted = Details::default();
    for word in words {
        let DeValue::String(name) = word.get_ref() else {
            let wrong = describe(word.get_ref());
            let message = format!("a detail must be a word, not {wrong}");
            return Err(Fault::new(Some(word.span()), message)
                .label(wrong)
                .help(help));
        };
        let detail = Detail::ALL.into_iter().find(|detail| detail.name() == name);
        wanted = match detail {
            Some(detail) => wanted.union(detail.into()),
            None if name == "all" => Details::all(),
            None => return Err(unknown_word("details", name, word.span(), &names, &[])),
        };
    }
    Ok(wanted)
}

fn positive(section: &Section<'_>, key: &str, default: f64) -> Result<Placed<f64>, Fault> {
    let Some(number) = section.number(key)? else {
        return Ok(Placed::default_of(default));
    };
    if number.value > 0.0 && !number.value.is_infinite() {
        return Ok(number);
    }
    let message = format!("`{key}` is {}; it must be a number above 0", number.value);
    Err(Fault::new(number.place, message)
        .label("out of range")
        .help(format!("the default is `{key} = {default}`")))
}

/// Everything that defines the measurement.
pub fn definition(measure: &MeasureSettings) -> Value {
    let mut definition = json!({
        "warmup": match measure.warmup {
            Warmup::Auto => json!("auto"),
            Warmup::Cycles(cycles) => json!(cycles),
        },
        "relative_error": measure.relative_error,
        "max_cycles": measure.max_cycles,
        "latency_limit": measure.latency_limit,
    });
    // What is not asked for leaves a point's key as it was.
    if !measure.details.is_empty() {
        let names: Vec<&str> = measure.details.iter().map(Detail::name).collect();
        definition["details"] = json!(names);
    }
    definition
}
