//! The table `[measure]`: when to start measuring and when to stop.

use crate::error::Fault;
use flitsim_engine::EngineConfig;
use flitsim_keys::{Absent, Shape, Value, Values, Within, table};
use flitsim_measure::measurement::details::{Detail, Detailed, Details};
use flitsim_measure::measurement::{MeasureSettings, Warmup};
use flitsim_topology::Network;
use serde_json::json;

table! {
    /// The table `[measure]`.
    pub static MEASURE = "measure", "When to start measuring, when to stop, and what to report.";

    WARMUP: Value = "warmup" shaped(
            Shape::OneOf(&[Shape::integer(0..=CYCLES_MOST, "cycles"), Shape::Only("auto")])
        )
        .hint("write `warmup = \"auto\"` or, for example, `warmup = 10_000`")
        .or_absent(Absent::Word("auto")),
        "When measurement begins: once the network is steady (auto), or in the given cycle, below `max_cycles`.";
    RELATIVE_ERROR: f64 = "relative_error" number(Within::above(0.0).below(1.0), "")
        .or_number(0.02).hint("0.02 means ± 2 % of the mean latency"),
        "Measure until the half-width of the mean latency's 95 % confidence interval is at most this share of the \
         mean.";
    MAX_CYCLES: u64 = "max_cycles" integer(1..=CYCLES_MOST, "cycles").or(1_000_000),
        "A point (or each replica of it) ends here at the latest.";
    LATENCY_LIMIT: f64 = "latency_limit" number(Within::above(0.0), "reference cycles")
        .or_number(500.0),
        "A point with a higher mean latency is reported as saturated.";
    DETAILS: Vec<&str> = "details" list(&Shape::Word(detail_words), 0, "a detail")
        .or_empty().hint("write an array of words, such as `details = [\"classes\"]`"),
        "What to write besides the rows of points.csv, each in a file of its own; `all` is every one.";
}

/// The longest run, in cycles: far beyond patience, and well within 64 bits.
const CYCLES_MOST: u64 = 1 << 53;

/// The most memory that the details of a point may take, in GiB.
const DETAILS_MOST_GIB: u64 = 4;

/// Refuses a warm-up in `values` of [`MEASURE`] as long as the longest run, where both are known.
///
/// # Errors
/// A warm-up that leaves nothing to measure.
pub fn check_warmup(values: &Values) -> Result<(), Fault> {
    match (values.sound(&WARMUP), values.sound(&MAX_CYCLES)) {
        (Some(Value::Integer(cycles)), Some(max_cycles)) if cycles >= max_cycles => {
            let message = format!(
                "a warm-up of {cycles} cycles leaves nothing to measure of `max_cycles` {max_cycles}"
            );
            Err(values
                .fault_of(&WARMUP, message)
                .label("not below `max_cycles`")
                .help("a shorter `warmup`, or a larger `max_cycles`"))
        }
        _ => Ok(()),
    }
}

/// The measurement that `values` of [`MEASURE`] say.
pub fn of(values: &Values) -> MeasureSettings {
    let mut details = Details::default();
    for word in values.get(&DETAILS) {
        let detail = Detail::each().find(|detail| detail.name() == word);
        details = detail.map_or(Details::all(), |detail| details.union(detail.into()));
    }
    MeasureSettings {
        warmup: match values.get(&WARMUP) {
            Value::Integer(cycles) => Warmup::Cycles(cycles),
            _ => Warmup::Auto,
        },
        relative_error: values.get(&RELATIVE_ERROR),
        max_cycles: values.get(&MAX_CYCLES),
        latency_limit: values.get(&LATENCY_LIMIT),
        details,
    }
}

/// Refuses details for which there is no memory.
///
/// # Errors
/// Details that take too much on `network`.
pub fn check_affordable(
    values: &Values,
    details: Details,
    network: &Network,
    config: &EngineConfig,
) -> Result<(), Fault> {
    let gib = Detailed::bytes_estimate(details, network, config) >> 30;
    if gib < DETAILS_MOST_GIB {
        return Ok(());
    }
    let message = format!("the details of this network would take {gib} GiB of memory a point");
    Err(values
        .fault_of(&DETAILS, message)
        .label(format!("more than {DETAILS_MOST_GIB} GiB"))
        .help("leave out \"sources\" or \"channels\", or ask for them on a smaller network"))
}

/// The words that `details` takes.
fn detail_words() -> Vec<&'static str> {
    let words = Detail::each().map(Detail::name);
    words.chain(["all"]).collect()
}

/// Everything that defines the measurement.
pub fn definition(measure: &MeasureSettings) -> serde_json::Value {
    let MeasureSettings {
        warmup,
        relative_error,
        max_cycles,
        latency_limit,
        details,
    } = measure;
    let mut definition = json!({
        "warmup": match warmup {
            Warmup::Auto => json!("auto"),
            Warmup::Cycles(cycles) => json!(cycles),
        },
        "relative_error": relative_error,
        "max_cycles": max_cycles,
        "latency_limit": latency_limit,
    });
    // What is not asked for leaves a point's key as it was.
    if !details.is_empty() {
        let names: Vec<&str> = details.iter().map(Detail::name).collect();
        definition["details"] = json!(names);
    }
    definition
}
