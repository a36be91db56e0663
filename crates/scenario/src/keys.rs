//! Which table has which key.

use super::error::list;
use super::key::{Key, Shape, names};
use super::{algorithms, channel, cost, faults, load, measure, router, topology, traffic};
use std::ops::RangeInclusive;

/// The tables that a series may override, in the order of the documentation.
pub const TABLES: [&str; 9] = [
    "topology", "faults", "router", "channel", "cost", "routing", "traffic", "measure", "sweep",
];

/// Tables that later versions read.
pub const TABLES_LATER: [&str; 0] = [];

/// The seeds of a scenario.
pub(super) const SEEDS: RangeInclusive<u64> = 0..=i64::MAX as u64;

/// The keys of the top level that are no tables.
pub const SCENARIO_KEYS: [Key; 2] = [
    Key::new(
        "title",
        Shape::Text,
        "The title of charts and reports. The default is the file's stem.",
    ),
    Key::new(
        "seed",
        Shape::integer(SEEDS, ""),
        "The seed of every random number; `--seed` comes before it.",
    )
    .or("1"),
];

/// The key of a series that is no table.
pub const NAME: Key = Key::new(
    "name",
    Shape::Text,
    "The name in charts and results; not empty, and no two alike.",
);

/// The keys of the top level.
pub fn top_keys() -> Vec<&'static str> {
    let mut keys = names(&SCENARIO_KEYS);
    keys.extend(TABLES);
    keys.push("series");
    keys
}

/// The keys of a table, described, whatever its kind or pattern; none for an unknown table.
pub fn described(table: &str) -> &'static [Key] {
    match table {
        "topology" => &topology::TOPOLOGY_KEYS,
        "faults" => &faults::FAULTS_KEYS,
        "router" => &router::ROUTER_KEYS,
        "channel" => &channel::CHANNEL_KEYS,
        "cost" => &cost::COST_KEYS,
        "routing" => &algorithms::ROUTING_KEYS,
        "traffic" => &traffic::TRAFFIC_KEYS,
        "measure" => &measure::MEASURE_KEYS,
        "sweep" => &load::SWEEP_KEYS,
        _ => &[],
    }
}

/// What a table is about, in a sentence; nothing of an unknown table.
pub fn about(table: &str) -> &'static str {
    match table {
        "topology" => "The network.",
        "faults" => "Channels and nodes that have failed before the simulation begins.",
        "router" => "An input-queued router with virtual channels and credits.",
        "channel" => "How wide a channel is, how often it takes a flit, how long its wires take.",
        "cost" => "The width of channels at which a network costs as much as a reference.",
        "routing" => "How packets find their way.",
        "traffic" => "Who sends to whom, when, and packets of what length.",
        "measure" => "When to start measuring, when to stop, and what to tell.",
        "sweep" => "The offered loads, and how often each is simulated.",
        _ => "",
    }
}

/// The keys of a table, whatever its kind or pattern; none for an unknown table.
pub fn keys_of(table: &str) -> Vec<&'static str> {
    names(described(table))
}

/// The tables that have a key of that name, in words, and with what choice: "`[routing]` (`algorithm`
/// "table" or "source")". `None` where no table has it.
pub fn tables_of(key: &str) -> Option<String> {
    let tables = TABLES.into_iter();
    let having = tables.filter(|table| keys_of(table).contains(&key));
    let described = having.map(|table| match goes_with(table, key) {
        Some(choice) => format!("`[{table}]` ({choice})"),
        None => format!("`[{table}]`"),
    });
    let described: Vec<String> = described.collect();
    let (last, others) = described.split_last()?;
    Some(match others {
        [] => last.clone(),
        _ => format!("{} and {last}", others.join(", ")),
    })
}

/// The choices in a table that bring a key with them, as "`kind = "file"`", where they are few.
pub fn goes_with(table: &str, key: &str) -> Option<String> {
    const FEW: usize = 3;
    let all: Vec<(&str, &str, bool)> = match table {
        "topology" => topology::Kind::all()
            .map(|kind| ("kind", kind.name(), kind.keys().contains(&key)))
            .collect(),
        "routing" => algorithms::ALGORITHMS
            .iter()
            .map(|(name, algorithm)| ("algorithm", *name, algorithm.keys().contains(&key)))
            .collect(),
        "traffic" => traffic::choices(key),
        _ => Vec::new(),
    };
    let with: Vec<_> = all.iter().filter(|(_, _, has)| *has).collect();
    let words: Vec<&str> = with.iter().map(|(_, name, _)| *name).collect();
    let &&(choice, _, _) = with.first()?;
    match words[..] {
        [only] => Some(format!("`{choice} = \"{only}\"`")),
        _ if words.len() <= FEW => Some(format!("`{choice}` {}", list(&words, "\""))),
        _ => None,
    }
}
