//! The keys of `express-cube`.

use super::grid::{joined, radices, radices_word};
use crate::scenario::error::Fault;
use crate::scenario::reader::{Section, array, integer};
use flitsim_topology::ExpressParameters;
use flitsim_topology::express::{Decomposition, ExpressError};
use serde_json::{Value, json};

const DECOMPOSITIONS: [(&str, Decomposition); 4] = [
    ("module", Decomposition::Module),
    ("level-one", Decomposition::LevelOne),
    ("without-ascending", Decomposition::WithoutAscending),
    ("top-only", Decomposition::TopOnly),
];

/// The parameters that `section` gives; their conditions are those of the family itself.
///
/// # Errors
/// The first thing wrong.
pub fn read(section: &Section<'_>) -> Result<ExpressParameters, Fault> {
    section.word("interchanges", &[("separate", ())], &["interleaved"])?;
    let radices = radices(section)?;
    let interval = section.integer("interval", 2..=u64::from(u16::MAX), "nodes")?;
    let Some(interval) = interval else {
        let why = "say how many nodes lie between interchanges, such as `interval = 4`";
        return Err(section.missing("interval", why));
    };
    let decomposition = section.word("decomposition", &DECOMPOSITIONS, &[])?;
    Ok(ExpressParameters {
        radices,
        interval: interval.value as u32,
        levels: section.count("levels", 1..=16, "levels", 1)?.value,
        channels_per_level: channels_per_level(section)?,
        interleaved: section
            .count("interleaved", 1..=u32::from(u16::MAX), "interchanges", 1)?
            .value,
        decomposition: decomposition.map_or(Decomposition::Module, |word| word.value),
    })
}

fn channels_per_level(section: &Section<'_>) -> Result<Vec<u32>, Fault> {
    let Some(value) = section.value("channels_per_level") else {
        return Ok(Vec::new());
    };
    array(value, "`channels_per_level`")?
        .iter()
        .enumerate()
        .map(|(level, value)| {
            let subject = format!("the number of channels of level {level}");
            Ok(integer(value, &subject, 1..=64, "channels")?.value as u32)
        })
        .collect()
}

/// What follows the kind in the topology's one word.
pub fn word(parameters: &ExpressParameters) -> String {
    let mut word = format!(
        "{},interval={},levels={}",
        radices_word(&parameters.radices),
        parameters.interval,
        parameters.levels
    );
    if parameters.channels_per_level.iter().any(|&m| m != 1) {
        let channels = joined(&parameters.channels_per_level);
        word += &format!(",channels_per_level={channels}");
    }
    if parameters.interleaved > 1 {
        word += &format!(",interleaved={}", parameters.interleaved);
    }
    if parameters.decomposition != Decomposition::Module {
        word += &format!(",decomposition={}", name_of(parameters.decomposition));
    }
    word
}

/// Everything that defines the network.
pub fn definition(parameters: &ExpressParameters) -> Value {
    let levels = parameters.levels as usize + 1;
    let channels = match parameters.channels_per_level.is_empty() {
        true => vec![1; levels],
        false => parameters.channels_per_level.clone(),
    };
    json!({
        "kind": "express-cube",
        "radices": parameters.radices,
        "interval": parameters.interval,
        "levels": parameters.levels,
        "channels_per_level": channels,
        "interleaved": parameters.interleaved,
        "decomposition": name_of(parameters.decomposition),
    })
}

/// The key at fault, and what would be right.
pub fn remedy(error: &ExpressError) -> (&'static str, String) {
    match error {
        ExpressError::NoRoom { .. } => ("radix", "`radix = 3` or more".to_owned()),
        ExpressError::Interval { interval, high } => {
            let nearest = (*interval).clamp(2, (*high).max(2));
            ("interval", format!("`interval = {nearest}`"))
        }
        ExpressError::Levels { levels, high } => (
            "levels",
            format!("`levels = {}`", (*levels).clamp(1, *high)),
        ),
        ExpressError::Interleaved { nearest, .. } => {
            ("interleaved", format!("`interleaved = {nearest}`"))
        }
        ExpressError::InterleavedLevels { .. } => {
            ("levels", "`levels = 1`, or `interleaved = 1`".to_owned())
        }
        ExpressError::LevelCount { wanted, .. } => (
            "channels_per_level",
            format!(
                "give {wanted} numbers, such as `[{}]`",
                vec!["1"; *wanted as usize].join(", ")
            ),
        ),
        ExpressError::Parallel { channels, high, .. } => (
            "channels_per_level",
            format!("{} channels there", (*channels).clamp(1, *high)),
        ),
        ExpressError::ParallelDecomposed { .. } => (
            "channels_per_level",
            "1 for each level, or `decomposition = \"module\"`".to_owned(),
        ),
        _ => (
            "kind",
            "an interval below the radix, and 1 level or more".to_owned(),
        ),
    }
}

fn name_of(decomposition: Decomposition) -> &'static str {
    DECOMPOSITIONS
        .iter()
        .find(|(_, meaning)| *meaning == decomposition)
        .map_or("", |(name, _)| name)
}
