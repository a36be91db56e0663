//! The keys of `express-cube`.

use super::grid::{joined, radices, radices_word};
use super::keys::{
    ACROSS, CHANNELS_PER_LEVEL, DECOMPOSITION, INSIDE, INTERCHANGES, INTERLEAVED, INTERVAL, LEVELS,
    MODULE_NODES,
};
use flitsim_keys::{Values, Words};
use flitsim_topology::ExpressParameters;
use flitsim_topology::express::{Decomposition, Interchanges, ModuleWidths};
use serde_json::{Value, json};

/// The parameters that `values` say; their conditions are those of the family itself.
pub fn of(values: &Values) -> ExpressParameters {
    ExpressParameters {
        radices: radices(values),
        interval: values.get(&INTERVAL),
        levels: values.get(&LEVELS),
        channels_per_level: values.get(&CHANNELS_PER_LEVEL).unwrap_or_default(),
        interleaved: values.get(&INTERLEAVED),
        decomposition: values.get(&DECOMPOSITION),
        interchanges: values.get(&INTERCHANGES),
        widths: values.get(&MODULE_NODES).map(|nodes| ModuleWidths {
            nodes,
            inside_bits: values.get(&INSIDE).unwrap_or_default(),
            across_bits: values.get(&ACROSS).unwrap_or_default(),
        }),
    }
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
        word += &format!(",decomposition={}", parameters.decomposition.word());
    }
    if parameters.interchanges == Interchanges::Interleaved {
        word += ",interchanges=interleaved";
    }
    if let Some(widths) = &parameters.widths {
        let [inside, across] = [&widths.inside_bits, &widths.across_bits].map(|list| joined(list));
        let nodes = widths.nodes;
        word +=
            &format!(",module_nodes={nodes},inside_width_bits={inside},across_width_bits={across}");
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
        "decomposition": parameters.decomposition.word(),
    });
    if parameters.interchanges == Interchanges::Interleaved {
        definition["interchanges"] = json!("interleaved");
    }
    if let Some(widths) = &parameters.widths {
        definition[MODULE_NODES.name()] = json!(widths.nodes);
        definition[INSIDE.name()] = json!(widths.inside_bits);
        definition[ACROSS.name()] = json!(widths.across_bits);
    }
    definition
}
