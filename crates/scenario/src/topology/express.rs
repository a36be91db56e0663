//! The keys of `express-cube`.

use super::grid::{joined, radices, radices_word};
pub(super) use crate::channel::WIDTHS;
use crate::error::Fault;
use crate::reader::{Section, array, integer};
use flitsim_topology::ExpressParameters;
use flitsim_topology::express::{Decomposition, Interchanges, ModuleWidths};
use serde_json::{Value, json};
use std::ops::RangeInclusive;

pub(super) const DECOMPOSITIONS: [(&str, Decomposition); 4] = [
    ("module", Decomposition::Module),
    ("level-one", Decomposition::LevelOne),
    ("without-ascending", Decomposition::WithoutAscending),
    ("top-only", Decomposition::TopOnly),
];

pub(super) const INTERCHANGES: [(&str, Interchanges); 2] = [
    ("separate", Interchanges::Separate),
    ("interleaved", Interchanges::Interleaved),
];

pub(super) const INTERVAL_NODES: RangeInclusive<u64> = 2..=u16::MAX as u64;
pub(super) const LEVELS: RangeInclusive<u64> = 1..=16;
pub(super) const CHANNELS: RangeInclusive<u64> = 1..=64;
pub(super) const INTERLEAVED: RangeInclusive<u64> = 1..=u16::MAX as u64;
pub(super) const MODULE_NODES_RANGE: RangeInclusive<u64> = 1..=u16::MAX as u64;

/// The keys of channel widths: the size of modules, and a list each.
const MODULE_NODES: &str = "module_nodes";
const INSIDE: &str = "inside_width_bits";
const ACROSS: &str = "across_width_bits";

/// The parameters that `section` gives; their conditions are those of the family itself.
///
/// # Errors
/// The first thing wrong.
pub fn read(section: &Section<'_>) -> Result<ExpressParameters, Fault> {
    let interchanges = section.word("interchanges", &INTERCHANGES, &[])?;
    let radices = radices(section)?;
    let interval = section.integer("interval", INTERVAL_NODES, "nodes")?;
    let Some(interval) = interval else {
        let why = "say how many nodes lie between interchanges, such as `interval = 4`";
        return Err(section.missing("interval", why));
    };
    let decomposition = section.word("decomposition", &DECOMPOSITIONS, &[])?;
    Ok(ExpressParameters {
        radices,
        interval: interval.value as u32,
        levels: section.count("levels", LEVELS, "levels", 1)?.value,
        channels_per_level: channels_per_level(section)?,
        interleaved: section
            .count("interleaved", INTERLEAVED, "interchanges", 1)?
            .value,
        decomposition: decomposition.map_or(Decomposition::Module, |word| word.value),
        interchanges: interchanges.map_or(Interchanges::Separate, |word| word.value),
        widths: widths(section)?,
    })
}

/// All three keys, or none.
fn widths(section: &Section<'_>) -> Result<Option<ModuleWidths>, Fault> {
    let keys = [MODULE_NODES, INSIDE, ACROSS];
    if keys.iter().all(|key| section.value(key).is_none()) {
        return Ok(None);
    }
    if let Some(missing) = keys.into_iter().find(|key| section.value(key).is_none()) {
        let why = "channel widths that change at module boundaries take `module_nodes`, the nodes \
                   of a module along a dimension, and a width for the local channels and for each \
                   level within modules, `inside_width_bits`, and between them, `across_width_bits`";
        return Err(section.missing(missing, why));
    }
    let nodes = section.integer(MODULE_NODES, MODULE_NODES_RANGE, "nodes")?;
    Ok(Some(ModuleWidths {
        nodes: nodes.map_or(0, |nodes| nodes.value as u32),
        inside_bits: bits(section, INSIDE)?,
        across_bits: bits(section, ACROSS)?,
    }))
}

fn bits(section: &Section<'_>, key: &str) -> Result<Vec<u32>, Fault> {
    let Some(value) = section.value(key) else {
        return Ok(Vec::new());
    };
    array(value, &format!("`{key}`"))?
        .iter()
        .enumerate()
        .map(|(level, value)| {
            let subject = format!("the width of channels of level {level}");
            Ok(integer(value, &subject, WIDTHS, "bits")?.value as u32)
        })
        .collect()
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
            Ok(integer(value, &subject, CHANNELS, "channels")?.value as u32)
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
    if parameters.interchanges == Interchanges::Interleaved {
        word += ",interchanges=interleaved";
    }
    if let Some(widths) = &parameters.widths {
        let [inside, across] = [&widths.inside_bits, &widths.across_bits].map(|list| joined(list));
        let nodes = widths.nodes;
        word += &format!(",{MODULE_NODES}={nodes},{INSIDE}={inside},{ACROSS}={across}");
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
    let mut definition = json!({
        "kind": "express-cube",
        "radices": parameters.radices,
        "interval": parameters.interval,
        "levels": parameters.levels,
        "channels_per_level": channels,
        "interleaved": parameters.interleaved,
        "decomposition": name_of(parameters.decomposition),
    });
    if parameters.interchanges == Interchanges::Interleaved {
        definition["interchanges"] = json!("interleaved");
    }
    if let Some(widths) = &parameters.widths {
        definition[MODULE_NODES] = json!(widths.nodes);
        definition[INSIDE] = json!(widths.inside_bits);
        definition[ACROSS] = json!(widths.across_bits);
    }
    definition
}

fn name_of(decomposition: Decomposition) -> &'static str {
    DECOMPOSITIONS
        .iter()
        .find(|(_, meaning)| *meaning == decomposition)
        .map_or("", |(name, _)| name)
}
