//! The schema and the reader say the same: every key, word, range and default is asked of the reader
//! itself.

use crate::schema::{Validator, json_of, json_of_value, root};
use flitsim::scenario::key::{Key, Shape};
use flitsim::scenario::keys::{TABLES, described};
use flitsim::scenario::{Overrides, Plan, ScenarioError};
use flitsim::schema;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Networks, one of each kind, each with an algorithm of its own.
const NETWORKS: [(&str, &str); 11] = [
    ("torus", "radix = 4\ndimensions = 2"),
    ("mesh", "radix = 4\ndimensions = 2"),
    ("hypercube", "dimensions = 4"),
    ("express-cube", "radix = 8\ndimensions = 1\ninterval = 2"),
    ("butterfly-fat-tree", "processors = 16"),
    ("fat-pyramid", "processors = 16"),
    ("star", "symbols = 3"),
    ("pruned-torus", "radix = 4\ndimensions = 3"),
    ("manhattan-torus", "radix = 4\ndimensions = 2"),
    ("pruned-manhattan-torus", "radix = 4\ndimensions = 3"),
    ("file", "path = \"files/line.csv\""),
];

/// A scenario that fits, its table `table` last: keys may follow.
struct Case {
    table: &'static str,
    /// What stands before the table.
    before: String,
    /// The table's own keys.
    own: toml::Table,
    after: String,
}

impl Case {
    fn new(table: &'static str, before: &str, own: &str, after: &str) -> Self {
        let own = toml::from_str(own).expect("keys are TOML");
        Self {
            table,
            before: before.to_owned(),
            own,
            after: after.to_owned(),
        }
    }

    /// The scenario with `key`, in place of what stands there, as a TOML value.
    fn text(&self, key: &str, value: &str) -> String {
        let own = self.own.iter().filter(|(k, _)| k.as_str() != key);
        let own: String = own.map(|(k, v)| format!("{k} = {v}\n")).collect();
        let Self {
            table,
            before,
            after,
            ..
        } = self;
        format!("{before}\n[{table}]\n{own}{key} = {value}\n{after}\n")
    }

    fn read(&self, key: &str, value: &str) -> Result<Plan, ScenarioError> {
        let path = root().join("tests/bad_scenarios/probe.toml");
        Plan::parse(&path, self.text(key, value), Overrides::default())
    }

    /// What the reader says of the value.
    fn fault(&self, key: &str, value: &str) -> ScenarioError {
        match self.read(key, value) {
            Err(error) => error,
            Ok(_) => panic!("the reader takes\n{}", self.text(key, value)),
        }
    }
}

const MESH: &str = "[topology]\nkind = \"mesh\"\nradix = 4\ndimensions = 2";

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (kind, keys) in NETWORKS {
        let own = format!("kind = \"{kind}\"\n{keys}");
        cases.push(Case::new(
            "topology",
            "",
            &own,
            "[router]\nvirtual_channels = 16",
        ));
    }
    let radices = "kind = \"mesh\"\nradices = [4, 4]";
    cases.push(Case::new("topology", "", radices, ""));
    for (algorithm, kind) in [
        ("dimension-order", "torus"),
        ("west-first", "mesh"),
        ("north-last", "mesh"),
        ("negative-first", "mesh"),
        ("odd-even", "mesh"),
        ("duato", "mesh"),
        ("minimal-adaptive", "mesh"),
        ("valiant", "torus"),
        ("express", "express-cube"),
        ("nearest-common-ancestor", "butterfly-fat-tree"),
        ("fat-pyramid", "fat-pyramid"),
        ("nhop", "star"),
        ("nbc", "star"),
        ("enhanced-nbc", "star"),
        ("hop-class", "mesh"),
        ("fewest-descents", "manhattan-torus"),
        ("up-down", "mesh"),
    ] {
        let (_, keys) = NETWORKS.iter().find(|(k, _)| *k == kind).expect("a kind");
        let before =
            format!("[topology]\nkind = \"{kind}\"\n{keys}\n[router]\nvirtual_channels = 16");
        let own = format!("algorithm = \"{algorithm}\"");
        cases.push(Case::new("routing", &before, &own, ""));
    }
    for own in [
        "",
        "pattern = \"hotspot\"\nnodes = [1]\nfraction = 0.5",
        "pattern = \"local\"\nradius = 2",
        "pattern = \"local\"\nmean_distance = 2.0",
        "pattern = \"mix\"\nmix = [{ pattern = \"uniform\", weight = 1 }]",
        "process = \"on-off\"\nburst_cycles = 50\nidle_cycles = 50",
        "process = \"pareto\"\nburst_cycles = 50\nidle_cycles = 50",
        "mode = \"closed-loop\"",
        "mode = \"batch\"\npackets = 10",
    ] {
        let loads = "[sweep]\nload = [0.1]";
        let after = if own.contains("mode") { "" } else { loads };
        cases.push(Case::new("traffic", MESH, own, after));
    }
    for (table, own) in [
        ("faults", ""),
        ("router", ""),
        ("channel", ""),
        ("channel", "model = \"linear\""),
        ("cost", ""),
        ("measure", ""),
        ("sweep", ""),
        ("sweep", "load = \"auto\""),
    ] {
        cases.push(Case::new(table, MESH, own, ""));
    }
    cases
}

/// The words between backquotes or quotes behind `after` in a help.
fn listed(help: &str, after: &str, quote: char) -> Option<BTreeSet<String>> {
    let list = help.split_once(after)?.1;
    Some(
        list.split(quote)
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect(),
    )
}

/// The keys of the table that the schema allows beside those of the case.
fn allowed(schema: &Value, case: &Case) -> BTreeSet<String> {
    let table = &schema["$defs"][case.table];
    let properties = table["properties"].as_object().expect("properties");
    let mut allowed: BTreeSet<String> = properties.keys().cloned().collect();
    let own = json_of_value(&toml::Value::Table(case.own.clone()));
    let whole = &schema["$defs"]["whole"]["properties"][case.table]["allOf"];
    let conditions = [&table["allOf"], whole];
    for condition in conditions.iter().filter_map(|all| all.as_array()).flatten() {
        let Some(names) = condition["then"].get("propertyNames") else {
            continue;
        };
        if Validator::new(condition["if"].clone())
            .refuses(&own)
            .is_some()
        {
            continue;
        }
        let listed = |names: &Value| -> BTreeSet<String> {
            let names = names["enum"].as_array().expect("names");
            names
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect()
        };
        match names.get("not") {
            Some(not) => allowed.retain(|key| !listed(not).contains(key)),
            None => allowed.retain(|key| listed(names).contains(key)),
        }
    }
    allowed
}

#[test]
fn reader_and_schema_know_the_same_keys() {
    let schema = schema::scenario();
    let mut seen: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for case in cases() {
        let fault = case.fault("zzzz", "1");
        let help = fault.help().unwrap_or_default();
        let known = listed(help, "allowed here: ", '`').unwrap_or_else(|| panic!("{fault}"));
        assert_eq!(known, allowed(&schema, &case), "{}", case.text("zzzz", "1"));
        seen.entry(case.table).or_default().extend(known);
    }
    for table in TABLES {
        let all: BTreeSet<String> = described(table)
            .iter()
            .map(|key| key.name.to_owned())
            .collect();
        let of_files = |key: &&String| ["path"].contains(&key.as_str());
        let missing: Vec<&String> = all
            .difference(&seen[table])
            .filter(|key| !of_files(key))
            .collect();
        assert!(missing.is_empty(), "no case of `[{table}]` has {missing:?}");
    }
    let text = format!("zzzz = 1\n{MESH}");
    let error = Plan::parse(Path::new("a.toml"), text, Overrides::default()).unwrap_err();
    let known = listed(error.help().unwrap_or_default(), "allowed here: ", '`').expect("a list");
    let properties = schema["properties"].as_object().expect("properties");
    assert_eq!(known, properties.keys().cloned().collect());
}

/// The reader's words about the least, the most and the unit of a whole number.
fn range_of(help: &str) -> Option<(u64, u64, &str)> {
    let range = help.strip_prefix("it must be from ")?;
    let (least, rest) = range.split_once(" to ")?;
    let (most, unit) = rest.split_once(' ').unwrap_or((rest, ""));
    Some((least.parse().ok()?, most.parse().ok()?, unit))
}

/// What the reader says of `shape`'s elements differs from what the shape says.
fn check_shape(
    case: &Case,
    key: &Key,
    shape: &Shape,
    wrap: &dyn Fn(&str) -> String,
    seen: &mut Seen,
) {
    let fault = |value: &str| case.fault(key.name, &wrap(value));
    let place = format!("`{}` of `[{}]`", key.name, case.table);
    match shape {
        Shape::Integer { least, most, unit } => {
            let said = fault("-1");
            let help = said.help().unwrap_or_default().to_owned();
            let Some(range) = range_of(&help) else { return };
            // Packets of a batch are fewer than requests: the schema says so beside the mode.
            let is_of_batch = key.name == "packets" && range.2 == "packets";
            if !is_of_batch {
                assert_eq!(range, (*least, *most, *unit), "{place}");
            }
            seen.ranges += 1;
        }
        Shape::Word(words) => {
            let said = fault("\"?\"");
            let help = said.help().unwrap_or_default().to_owned();
            let known =
                listed(&help, "allowed: ", '"').unwrap_or_else(|| panic!("{place}\n{said}"));
            let words: BTreeSet<String> = words().into_iter().map(str::to_owned).collect();
            assert_eq!(known, words, "{place}");
            seen.words += 1;
        }
        Shape::Number { within, .. } => {
            for (end, is_included) in [within.low, within.high].into_iter().flatten() {
                let beyond = if Some((end, is_included)) == within.low {
                    -1.0
                } else {
                    1.0
                };
                let outside = match is_included {
                    true => end + beyond * (end.abs() * 1e-3).max(1e-9),
                    false => end,
                };
                // The reader of a mean distance asks the network.
                if key.name != "mean_distance" {
                    fault(&format!("{outside:?}"));
                    seen.ranges += 1;
                }
            }
        }
        Shape::Array { of, least, .. } => {
            if *least > 0 {
                fault("[]");
            }
            check_shape(case, key, of, &|value| wrap(&format!("[{value}]")), seen);
        }
        Shape::Table { keys, .. } => {
            let said = fault("{ zzzz = 1 }");
            let known = listed(said.help().unwrap_or_default(), "allowed here: ", '`');
            if let Some(known) = known {
                assert!(
                    keys.iter().all(|key| known.contains(key.name)),
                    "{place}: {known:?}"
                );
                seen.tables += 1;
            }
        }
        Shape::OneOf(shapes) => {
            for shape in *shapes {
                check_shape(case, key, shape, wrap, seen);
            }
        }
        Shape::Flag | Shape::Text | Shape::Only(_) | Shape::Network | Shape::MixPart => {
            // Of another type, whatever it is.
            fault("1979-05-27");
        }
    }
}

#[derive(Debug, Default)]
struct Seen {
    ranges: u32,
    words: u32,
    tables: u32,
}

#[test]
fn reader_and_schema_know_the_same_words_and_ranges() {
    let schema = schema::scenario();
    let validator = Validator::new(schema.clone());
    let mut seen = Seen::default();
    for case in cases() {
        let allowed = allowed(&schema, &case);
        for key in described(case.table)
            .iter()
            .filter(|key| allowed.contains(key.name))
        {
            // What chooses the keys of a case cannot be another in it.
            let is_other_way = case.own.contains_key("radices")
                && ["radix", "dimensions"].contains(&key.name)
                || case.own.contains_key("radix") && key.name == "radices"
                || case.own.contains_key("model") && key.name == "delay"
                || case.own.contains_key("radius") && key.name == "mean_distance"
                || case.own.contains_key("mean_distance") && key.name == "radius";
            if is_other_way {
                continue;
            }
            check_shape(&case, key, &key.shape, &str::to_owned, &mut seen);
            for wrong in ["1979-05-27", "{ a = { b = 1 } }"] {
                case.fault(key.name, wrong);
                let scenario = json_of(&case.text(key.name, wrong)).expect("TOML");
                assert!(
                    validator.refuses(&scenario).is_some(),
                    "the schema takes\n{}",
                    case.text(key.name, wrong)
                );
            }
        }
    }
    assert!(
        seen.ranges > 60 && seen.words > 40 && seen.tables > 3,
        "{seen:?}"
    );
}

#[test]
fn defaults_are_those_of_the_reader() {
    let schema = schema::scenario();
    let mut seen = BTreeSet::new();
    for case in cases() {
        let allowed = allowed(&schema, &case);
        let own: String = case
            .own
            .iter()
            .map(|(k, v)| format!("{k} = {v}\n"))
            .collect();
        let Case {
            table,
            before,
            after,
            ..
        } = &case;
        let path = root().join("tests/bad_scenarios/probe.toml");
        let read = |text: String| Plan::parse(&path, text, Overrides::default());
        let plain = read(format!("{before}\n[{table}]\n{own}{after}\n"))
            .unwrap_or_else(|error| panic!("{error}"));
        for key in described(table)
            .iter()
            .filter(|key| allowed.contains(key.name))
        {
            let Some(default) = key.default else { continue };
            let parsed: Value =
                serde_json::from_str(default).unwrap_or_else(|error| panic!("{default}: {error}"));
            if case.own.contains_key(key.name) || parsed.is_object() {
                continue;
            }
            // One that does not go with this network is tried with another.
            let Ok(said) = case.read(key.name, default) else {
                continue;
            };
            assert_eq!(
                said.series[0].definition, plain.series[0].definition,
                "`{}` of `[{table}]` = {default}",
                key.name
            );
            assert_eq!(said.series[0].loads.len(), plain.series[0].loads.len());
            seen.insert((*table, key.name));
        }
    }
    for table in TABLES {
        for key in described(table).iter().filter(|key| key.default.is_some()) {
            let is_seen = seen.contains(&(table, key.name));
            let is_table = key.default.is_some_and(|default| default.starts_with('{'));
            assert!(
                is_seen || is_table,
                "the default of `{}` of `[{table}]` is not tried",
                key.name
            );
        }
    }
}
