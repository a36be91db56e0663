//! Which table has which key.

use super::{algorithms, channel, cost, faults, load, measure, router, topology, traffic};

/// The tables that a series may override, in the order of the documentation.
pub const TABLES: [&str; 9] = [
    "topology", "faults", "router", "channel", "cost", "routing", "traffic", "measure", "sweep",
];

/// Tables that later versions read.
pub const TABLES_LATER: [&str; 0] = [];

/// The keys of a table, whatever its kind or pattern; none for an unknown table.
pub fn keys_of(table: &str) -> Vec<&'static str> {
    match table {
        "topology" => topology::topology_keys(),
        "faults" => faults::FAULTS_KEYS.to_vec(),
        "router" => router::ROUTER_KEYS.to_vec(),
        "channel" => channel::CHANNEL_KEYS.to_vec(),
        "cost" => cost::COST_KEYS.to_vec(),
        "routing" => algorithms::ROUTING_KEYS.to_vec(),
        "traffic" => traffic::keys_of("hotspot").unwrap_or_default(),
        "measure" => measure::MEASURE_KEYS.to_vec(),
        "sweep" => load::SWEEP_KEYS.to_vec(),
        _ => Vec::new(),
    }
}

/// The first table that has a key of that name.
pub fn table_of(key: &str) -> Option<&'static str> {
    TABLES
        .into_iter()
        .find(|table| keys_of(table).contains(&key))
}
