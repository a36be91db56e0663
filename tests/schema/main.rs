//! The schema and the reader say the same: every scenario is valid, and what the reader refuses for a
//! key or a type the schema refuses.

#[path = "../bad_scenarios/cases.rs"]
#[allow(dead_code)]
mod cases;

use boon::{Compiler, SchemaIndex, Schemas};
use cases::{Case, folder, tables};
use flitsim::schema;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const KEPT: &str = "docs/scenario.schema.json";

fn root() -> &'static Path {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    root.expect("this package is in it")
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
    let (mut refused, mut taken) = (BTreeSet::new(), BTreeSet::new());
    for case in tables().into_iter().flat_map(|table| table.cases) {
        let Case {
            name,
            scenario,
            message,
            ..
        } = case;
        let Some(scenario) = json_of(&scenario) else {
            continue;
        };
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
    for good in files(&folder().join("good"), "toml") {
        let scenario = json_of(&text_of(&good)).expect("a scenario is TOML");
        assert_eq!(validator.refuses(&scenario), None, "{}", good.display());
    }
}
