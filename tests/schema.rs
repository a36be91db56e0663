//! The schema and the reader say the same: every scenario is valid, every key, word, range and default
//! is asked of the reader itself, and what the reader refuses for a key or a type the schema refuses.

use boon::{Compiler, SchemaIndex, Schemas};
use flitsim::scenario::key::{Key, Shape};
use flitsim::scenario::keys::{TABLES, described};
use flitsim::scenario::{Overrides, Plan, ScenarioError};
use flitsim::schema;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const KEPT: &str = "docs/scenario.schema.json";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text_of(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The schema, compiled once.
struct Validator {
    schemas: Schemas,
    scenario: SchemaIndex,
}

impl Validator {
    fn new(schema: Value) -> Self {
        let mut compiler = Compiler::new();
        let name = "urn:flitsim:tested";
        compiler
            .add_resource(name, schema)
            .expect("the schema is a resource");
        let mut schemas = Schemas::new();
        let scenario = compiler
            .compile(name, &mut schemas)
            .unwrap_or_else(|error| panic!("the schema does not compile: {error:#}"));
        Self { schemas, scenario }
    }

    /// Why `scenario` is not valid.
    fn refuses(&self, scenario: &Value) -> Option<String> {
        let checked = self.schemas.validate(scenario, self.scenario);
        checked.err().map(|error| format!("{error:#}"))
    }
}

/// A text as JSON; dates become tables, and infinities null: no schema takes them for what they are.
fn json_of(text: &str) -> Option<Value> {
    let table: toml::Table = toml::from_str(text).ok()?;
    Some(json_of_value(&toml::Value::Table(table)))
}

fn json_of_value(value: &toml::Value) -> Value {
    match value {
        toml::Value::String(text) => json!(text),
        toml::Value::Integer(number) => json!(number),
        toml::Value::Float(number) => json!(number),
        toml::Value::Boolean(flag) => json!(flag),
        toml::Value::Datetime(_) => json!({ "a date": true }),
        toml::Value::Array(values) => values.iter().map(json_of_value).collect(),
        toml::Value::Table(table) => {
            let entries = table.iter().map(|(key, v)| (key.clone(), json_of_value(v)));
            Value::Object(entries.collect())
        }
    }
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("a file").path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn scenarios() -> Vec<PathBuf> {
    let mut paths = files(&root().join("scenarios"), "toml");
    // What a paper consists of and what it claims are no scenarios.
    paths.retain(|path| !path.ends_with("items.toml") && !path.ends_with("claims.toml"));
    assert!(paths.len() > 60, "{}", paths.len());
    paths
}

#[test]
fn the_schema_in_the_documentation_is_the_one_that_is_printed() {
    let path = root().join(KEPT);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, schema::text()).expect("the schema can be kept");
    }
    assert!(
        text_of(&path) == schema::text(),
        "{KEPT} is not what `flitsim schema` prints: UPDATE=1 cargo test --test all schema"
    );
}

#[test]
fn the_schema_is_one_of_its_dialect() {
    let mut compiler = Compiler::new();
    let mut schemas = Schemas::new();
    let dialect = "https://json-schema.org/draft/2020-12/schema";
    let dialect = compiler
        .compile(dialect, &mut schemas)
        .expect("the dialect is known");
    if let Err(error) = schemas.validate(&schema::scenario(), dialect) {
        panic!("{error:#}");
    }
}

#[test]
fn every_scenario_names_the_schema_and_is_valid() {
    let validator = Validator::new(schema::scenario());
    for path in scenarios() {
        let text = text_of(&path);
        let name = path.display();
        let line = text.lines().next().unwrap_or_default();
        let relative = line
            .strip_prefix("#:schema ")
            .unwrap_or_else(|| panic!("{name} begins with no `#:schema`"));
        let named = path.with_file_name("").join(relative);
        let named = named
            .canonicalize()
            .unwrap_or_else(|error| panic!("{name}: {relative}: {error}"));
        assert_eq!(
            named,
            root().join(KEPT).canonicalize().expect("kept"),
            "{name}"
        );
        let scenario = json_of(&text).expect("a scenario is TOML");
        if let Some(why) = validator.refuses(&scenario) {
            panic!("{name} is not valid\n{why}");
        }
    }
}

/// What a schema without networks and files can see: keys, types, words and ranges.
fn is_of_a_schema(message: &str) -> bool {
    let line = message.lines().next().unwrap_or_default();
    line.contains("unknown key")
        || line.contains("error: unknown `")
        || line.contains("does not apply here")
        || line.contains("is not available in this version")
        || (line.contains(" must be ") && line.contains(", not a"))
        || (line.contains("` is missing from `[") && !line.contains("`kind`"))
}

#[test]
fn what_is_wrong_by_a_key_a_type_or_a_word_is_not_valid() {
    let validator = Validator::new(schema::scenario());
    let folder = root().join("tests/bad_scenarios");
    let (mut refused, mut taken) = (BTreeSet::new(), BTreeSet::new());
    for path in files(&folder, "toml") {
        let is_here = path.parent() == Some(folder.as_path());
        let (Some(scenario), true) = (json_of(&text_of(&path)), is_here) else {
            continue;
        };
        let name = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let message = text_of(&path.with_extension("txt"));
        match validator.refuses(&scenario) {
            Some(_) => refused.insert(name),
            None => {
                assert!(!is_of_a_schema(&message), "{name} is valid\n{message}");
                taken.insert(name)
            }
        };
    }
    assert!(
        refused.len() > 90,
        "{} are refused: {refused:?}",
        refused.len()
    );
    // And it must not be that everything is.
    assert!(taken.len() > 50, "{} are valid: {taken:?}", taken.len());
    for good in files(&folder.join("good"), "toml") {
        let scenario = json_of(&text_of(&good)).expect("a scenario is TOML");
        assert_eq!(validator.refuses(&scenario), None, "{}", good.display());
    }
}

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
