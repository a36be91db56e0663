//! The tables of a scenario, and the keys of its top level.

use crate::foreign::FOREIGN;
use crate::{algorithms, channel, cost, energy, faults, load, measure, topology, traffic};
use flitsim_engine::config::keys::ROUTER;
use flitsim_keys::{Description, Key, Reader, Shape, Table, TextFile};

/// The tables that a series may override, in the order of the documentation.
pub static TABLES: [&Table; 10] = [
    &topology::TOPOLOGY,
    &faults::FAULTS,
    &ROUTER,
    &channel::CHANNEL,
    &cost::COST,
    &algorithms::ROUTING,
    &traffic::TRAFFIC,
    &measure::MEASURE,
    &energy::ENERGY,
    &load::SWEEP,
];

/// The title of charts and reports.
pub const TITLE: Key<Option<String>> = Key::text(
    "title",
    "The title of charts and reports. The default is the file's stem.",
)
.optional_as("the file's stem");

/// The seed of every random number.
pub const SEED: Key<u64> = Key::integer(
    "seed",
    0..=i64::MAX as u64,
    "",
    "The seed of every random number; `--seed` overrides it.",
)
.or(1);

/// The keys of the top level that are no tables.
pub static TOP: Table = Table::new(
    "scenario",
    "Which networks to simulate, with which routers, under which traffic.",
    &const { [TITLE.described(), SEED.described()] },
);

/// The name of a series.
pub const NAME: Key<String> = Key::text(
    "name",
    "The name in charts and results; not empty, and unique.",
)
.needed("add one, such as `name = \"torus\"`: results are told apart by it");

/// The table of lists of values, every combination of which is a series.
pub const GRID: &str = "grid";

/// The table called `name`.
pub fn named(name: &str) -> Option<&'static Table> {
    TABLES.into_iter().find(|table| table.name == name)
}

/// The names of the tables.
pub fn names() -> Vec<&'static str> {
    TABLES.iter().map(|table| table.name).collect()
}

/// Every key of the tables that takes a number, such as `router.delay`, as columns of results call it, with what
/// it counts; empty where nothing.
pub fn units() -> Vec<(String, &'static str)> {
    let mut all = Vec::new();
    for table in TABLES {
        add_units(table.name, &table.all_keys(), &mut all);
    }
    all
}

fn add_units(name: &str, keys: &[Description], all: &mut Vec<(String, &'static str)>) {
    for key in keys {
        add_unit(&format!("{name}.{}", key.name), &key.shape, all);
    }
}

/// Of a key that takes several, the first number's.
fn add_unit(name: &str, shape: &Shape, all: &mut Vec<(String, &'static str)>) {
    match shape {
        Shape::Integer { unit, .. } | Shape::Number { unit, .. } => {
            if all.iter().all(|(known, _)| known != name) {
                all.push((name.to_owned(), unit));
            }
        }
        Shape::Table(table) => add_units(name, &table.all_keys(), all),
        Shape::OneOf(shapes) => shapes.iter().for_each(|one| add_unit(name, one, all)),
        Shape::Flag | Shape::Text | Shape::File | Shape::Word(_) | Shape::Only(_) => {}
        // In a column it is text.
        Shape::List { .. } => {}
    }
}

/// The names of the keys of the top level.
pub fn top_keys() -> Vec<&'static str> {
    let mut keys = vec![TITLE.name(), SEED.name()];
    keys.extend(names());
    keys.extend([GRID, "series"]);
    keys
}

/// What reads the tables; `files` finds the text files that they name.
pub fn reader<'r>(files: &'r dyn Fn(&str) -> Result<TextFile, String>) -> Reader<'r> {
    Reader {
        tables: &TABLES,
        top: Some(&TOP),
        foreign: &FOREIGN,
        files,
        is_partial: false,
    }
}
