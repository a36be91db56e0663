//! Starter scenarios: what one usually says of a network, each key with a comment, in a file that runs.
//!
//! Invariant: comments and defaults come from the descriptions that scenarios are read by
//! ([`tables`]); virtual channels are enough for the proof, and loads suit what the busiest
//! channel can carry.

use crate::ScenarioError;
use crate::dispatch::uniform_load_max;
use crate::schema::json_default;
use crate::tables;
use crate::topology::{Topology, TopologyTable, is_list, parse_spec, spec_keys};
use flitsim_analysis::uniform::channel_load_max;
use flitsim_engine::EngineConfig;
use flitsim_engine::routing::{Algorithm, RoutingChoice, Tables, Tie};
use flitsim_keys::{Description, Shape};
use flitsim_topology::{Kind, Network};
use std::path::Path;

/// The channel list that goes with the starter of a network from a file.
pub const NETWORK_FILE: &str = "network.csv";

const NETWORK_EXAMPLE: &str = include_str!("ring-of-switches.csv");

/// The most terminals of a network whose busiest channel is found by walking its routing.
const TERMINALS_WALKED_MOST: u32 = 4_096;

/// Columns of a comment.
const WIDTH: usize = 92;

/// A starter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Starter {
    /// The scenario.
    pub text: String,
    /// What belongs into [`NETWORK_FILE`] beside it, where it needs that.
    pub network: Option<&'static str>,
}

/// What a starter says of a network beyond its own keys.
struct Facts {
    algorithm: &'static str,
    virtual_channels: u32,
    /// The highest load that uniform traffic can have, in flits per node per cycle; `None` for very
    /// large networks.
    load_most: Option<f64>,
}

impl Starter {
    /// The starter for `network`, a kind or a topology in one word; `output` is where it will stand.
    ///
    /// # Errors
    /// A network that is not known or cannot be built.
    pub fn of(network: &str, output: Option<&Path>) -> Result<Self, ScenarioError> {
        let is_example = network == "file";
        let kind = Topology::kind_named(network);
        let word = &kind.map_or_else(|| network.to_owned(), Kind::example);
        let facts = match is_example {
            // Of the example: up-down on eight hosts and four switches.
            true => Facts {
                algorithm: "up-down",
                virtual_channels: 4,
                load_most: Some(0.5),
            },
            false => Facts::of(&parse_spec(word)?, word)?,
        };
        let mut keys: Vec<(String, String)> = spec_keys(word)
            .map(|(key, value)| {
                let shown = toml_value(key, value);
                let kind = word.split(':').next().unwrap_or(word);
                let is_one = is_list(kind, key) && !shown.starts_with('[');
                (
                    key.to_owned(),
                    if is_one { format!("[{shown}]") } else { shown },
                )
            })
            .collect();
        let folder = output
            .and_then(Path::parent)
            .filter(|f| *f != Path::new(""));
        if folder.is_some() && !is_example {
            // Paths in a scenario are relative to its folder, those of the command line are not.
            for (key, value) in keys
                .iter_mut()
                .filter(|(key, _)| key == "path" || key == "nodes")
            {
                let path = spec_keys(word)
                    .find(|(k, _)| k == key)
                    .map_or("", |(_, v)| v);
                let absolute = std::path::absolute(path).unwrap_or_else(|_| path.into());
                *value = quoted(&absolute.display().to_string());
            }
        }
        Ok(Self {
            text: text(word, &keys, &facts, output, is_example),
            network: is_example.then_some(NETWORK_EXAMPLE),
        })
    }
}

impl Facts {
    fn of(table: &TopologyTable, word: &str) -> Result<Self, ScenarioError> {
        let built = table.build();
        let on_command_line = |fault| ScenarioError::new(Path::new("command line"), word, fault);
        let network = built.map_err(on_command_line)?;
        // Where all of a group want one channel, the shortest way alone carries little.
        let choice = match network.routers().dragonfly() {
            Some(_) => RoutingChoice::from(Algorithm::Ugal),
            None => RoutingChoice::default_on(&network),
        };
        let wanted = choice.virtual_channels_min(&network, &Tables::default());
        let virtual_channels = wanted.max(EngineConfig::default().virtual_channels);
        Ok(Self {
            algorithm: choice.name(),
            virtual_channels,
            load_most: load_most(&choice, &network, virtual_channels),
        })
    }
}

/// The most uniform traffic that the channels and the terminals' own can carry.
fn load_most(choice: &RoutingChoice, network: &Network, virtual_channels: u32) -> Option<f64> {
    let busiest = match network.grid() {
        Some(grid) => channel_load_max(grid, Tie::Random),
        None if network.terminals() <= TERMINALS_WALKED_MOST => {
            let config = EngineConfig {
                virtual_channels,
                ..EngineConfig::default()
            };
            uniform_load_max(choice, network, &config, &Tables::default(), false).ok()?
        }
        None => return None,
    };
    Some((1.0 / busiest).min(1.0))
}

fn text(
    word: &str,
    keys: &[(String, String)],
    facts: &Facts,
    output: Option<&Path>,
    is_example: bool,
) -> String {
    let kind = word.split(':').next().unwrap_or(word);
    let file = output.map_or_else(|| "FILE".to_owned(), |path| path.display().to_string());
    let mut text = String::new();
    comment(
        &mut text,
        &format!("{word} under uniform traffic: a starter, by `flitsim new`."),
    );
    text += &format!(
        "#\n#   flitsim verify {file}    the proof that the routing cannot deadlock\n\
         #   flitsim run {file}       the first load\n\
         #   flitsim sweep {file}     every load: a table, curves and a report in out/\n#\n"
    );
    comment(
        &mut text,
        "A line such as `#directed = false` shows a default: take the # away to change it. \
         docs/scenario-format.md says more of every key. For an editor that completes and checks, \
         keep what `flitsim schema` prints as scenario.schema.json and make \
         `#:schema scenario.schema.json` the first line.",
    );
    if is_example {
        text += "#\n";
        comment(
            &mut text,
            "The network is read from network.csv beside this file: a header `from,to` and a row for \
             each one-way channel; `flitsim new file -o FILE` writes an example.",
        );
    }
    text += &format!(
        "title = {}\nseed = 1\n",
        quoted(&format!("{word}, uniform traffic"))
    );
    let set = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let mut topology = vec![set("kind", &quoted(kind))];
    topology.extend(keys.iter().cloned());
    let of_kind = keys_with("topology", kind);
    let is_said = |key: &str| keys.iter().any(|(said, _)| said == key);
    // `radices` stands for two keys that have no default.
    table(&mut text, "topology", &topology, |key| {
        of_kind.contains(&key.name) && !is_said(key.name)
    });
    let vcs = facts.virtual_channels.to_string();
    let buffer_flits = EngineConfig::default().buffer_flits.to_string();
    let router = [
        set("virtual_channels", &vcs),
        set("buffer_flits", &buffer_flits),
    ];
    table(&mut text, "router", &router, |key| {
        ["flow_control", "delay", "allocator", "selection"].contains(&key.name)
    });
    let options = keys_with("routing", facts.algorithm);
    let routing = [set("algorithm", &quoted(facts.algorithm))];
    table(&mut text, "routing", &routing, |key| {
        options.contains(&key.name)
    });
    let traffic = [set("pattern", "\"uniform\""), set("packet_flits", "4")];
    table(&mut text, "traffic", &traffic, |key| {
        ["process", "self"].contains(&key.name)
    });
    let measure = [set("relative_error", "0.05")];
    table(&mut text, "measure", &measure, |key| {
        ["warmup", "max_cycles", "latency_limit"].contains(&key.name)
    });
    let sweep = [set("load", &loads(facts.load_most))];
    table(&mut text, "sweep", &sweep, |key| {
        ["load_unit", "replicas"].contains(&key.name)
    });
    text
}

/// Nine loads up to nine tenths of `most`; as a search finds them where it is not known.
fn loads(most: Option<f64>) -> String {
    let Some(most) = most else {
        return "\"auto\"".to_owned();
    };
    // Three digits below the point, or as many as the loads of large networks need.
    let digits = (2.0 - most.log10().floor()).max(3.0) as usize;
    let scale = 10f64.powi(digits as i32);
    let rounded = |load: f64| (load * scale).floor() / scale;
    let (from, to) = (rounded(0.1 * most), rounded(0.9 * most));
    format!("{{ from = {from}, to = {to}, steps = 9 }}")
}

/// The keys that `word` brings into a table.
fn keys_with(table: &str, word: &str) -> Vec<&'static str> {
    let choices = tables::named(table).map_or(&[][..], |table| table.choices);
    let variants = choices.iter().flat_map(|choice| (choice.variants)());
    let keys = variants.filter(|variant| variant.word == word);
    keys.flat_map(|variant| variant.keys.iter().map(|key| key.name))
        .collect()
}

/// A table: the keys that are `set`, and of the others those that are `shown` with their defaults.
fn table(
    text: &mut String,
    name: &str,
    set: &[(String, String)],
    shown: impl Fn(&Description) -> bool,
) {
    text.push('\n');
    let Some(described) = tables::named(name) else {
        return;
    };
    comment(text, described.about);
    *text += &format!("[{name}]\n");
    let keys = described.all_keys();
    for (said, value) in set {
        if let Some(key) = keys.iter().find(|key| key.name == said) {
            comment(text, &meaning(key));
        }
        *text += &format!("{said} = {value}\n");
    }
    let is_set = |key: &Description| set.iter().any(|(said, _)| said == key.name);
    for key in keys.iter().filter(|key| !is_set(key) && shown(key)) {
        if let Some(default) = json_default(&key.absent) {
            comment(text, &meaning(key));
            *text += &format!("#{} = {default}\n", key.name);
        }
    }
}

/// What the key means, its unit where that is one of time, size or distance, and its words but for those
/// of which most do not fit the network.
fn meaning(key: &Description) -> String {
    const UNITS: [&str; 6] = [
        "bits",
        "cycles",
        "flits",
        "hops",
        "in load_unit",
        "reference cycles",
    ];
    let mut text = key.meaning.to_owned();
    if let Some(unit) = key.unit().filter(|unit| UNITS.contains(unit)) {
        text += &format!(" Unit: {}.", unit.trim_start_matches("in "));
    }
    if let Shape::Word(words) = key.shape
        && !["kind", "algorithm"].contains(&key.name)
    {
        text += &format!(" Words: {}.", words().join(", "));
    }
    text
}

/// `words` as lines of a comment.
fn comment(text: &mut String, words: &str) {
    let mut line = String::from("#");
    for word in words.split_whitespace() {
        if line.len() > 1 && line.chars().count() + 1 + word.chars().count() > WIDTH {
            *text += &line;
            text.push('\n');
            line = String::from("#");
        }
        line.push(' ');
        line += word;
    }
    *text += &line;
    text.push('\n');
}

/// The value of a key of a topology in one word, as TOML.
fn toml_value(key: &str, value: &str) -> String {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let is_text = ["path", "nodes"].contains(&key);
    if !is_text && value.contains('x') && value.split('x').all(is_number) {
        return format!("[{}]", value.split('x').collect::<Vec<_>>().join(", "));
    }
    let is_plain = is_number(value) || ["true", "false"].contains(&value);
    if is_plain && !is_text {
        value.to_owned()
    } else {
        quoted(value)
    }
}

/// `text` as a string of TOML.
fn quoted(text: &str) -> String {
    // Escapes of JSON are escapes of TOML.
    serde_json::Value::from(text).to_string()
}
