//! What a key allows of others, from the choices and rules of its table.
//!
//! Two sorts: what holds within a table wherever it stands, at the top level or in a series, and what
//! must hold besides where nothing comes from elsewhere.

use super::shape::{needed, properties, shape_schema};
use crate::traffic::{OPEN_LOOP, TRACE};
use flitsim_keys::{Absent, Choice, Description, Rule, Table, Variant};
use serde_json::{Map, Value, json};

/// The conditions within `table`, wherever it stands.
pub fn within(table: &Table) -> Vec<Value> {
    let mut all = Vec::new();
    let described = properties(&all_descriptions(table));
    for Choice { key, variants } in table.choices {
        let variants = variants();
        for variant in &variants {
            let others = none_of(not_with(table, &variants, variant));
            if others != json!(true) {
                all.push(when(&is(key.name, variant.word), others));
            }
            all.extend(narrower(key.name, variant, &described));
        }
    }
    for rule in rules(table) {
        if let Rule::Either { one, other, .. } = rule {
            let pairs = one.iter().flat_map(|a| other.iter().map(move |b| (a, b)));
            let pairs = pairs.map(|(a, b)| json!({ "not": { "required": [a, b] } }));
            for pair in pairs {
                if !all.contains(&pair) {
                    all.push(pair);
                }
            }
        }
    }
    if table.name == "sweep" {
        let others = json!({ "required": ["load"], "properties": { "load": { "not": { "const": "auto" } } } });
        all.push(when(&others, none_of(["steps"])));
    }
    all
}

/// What `table` must have that is said in one place.
pub fn whole(table: &Table) -> Vec<Value> {
    let mut all = Vec::new();
    for Choice { key, variants } in table.choices {
        let variants = variants();
        let default = match key.absent {
            Absent::Word(word) => variants.iter().find(|variant| variant.word == word),
            Absent::Refused(_) => {
                all.push(requires(&[key.name]));
                None
            }
            _ => None,
        };
        if let Some(default) = default {
            let others = none_of(not_with(table, &variants, default));
            if others != json!(true) {
                all.push(when(&json!({ "not": { "required": [key.name] } }), others));
            }
        }
        for variant in &variants {
            let mut needs = groups(variant.rules);
            let needed = needed(variant.keys);
            if !needed.is_empty() {
                needs.push(requires(&needed));
            }
            if !needs.is_empty() {
                all.push(when(&is(key.name, variant.word), all_of(needs)));
            }
        }
    }
    let needed = needed(table.keys);
    if !needed.is_empty() {
        all.push(requires(&needed));
    }
    all.extend(groups(table.rules));
    for rule in rules(table) {
        if let Rule::Needs { keys, others, .. } = rule {
            let others_of = |key: &str| others.iter().filter(|o| **o != key).copied().collect();
            let needs = keys.iter();
            let needs = needs.map(|key| ((*key).to_owned(), others_of(key)));
            let needs: Map<String, Value> = needs.collect();
            all.push(json!({ "dependentRequired": needs }));
        }
    }
    if table.name == "sweep" {
        all.push(json!({ "dependentRequired": { "steps": ["load"] } }));
    }
    all
}

/// What the tables of a scenario without series ask of one another.
pub fn between_tables() -> Vec<Value> {
    let no_loads =
        json!({ "properties": { "sweep": { "propertyNames": { "enum": ["replicas"] } } } });
    let of_traffic =
        |what: Value| json!({ "required": ["traffic"], "properties": { "traffic": what } });
    let modes = crate::traffic::TRAFFIC.choices.iter();
    let modes = modes.filter(|choice| choice.key.name == "mode");
    let modes = modes.flat_map(|choice| (choice.variants)());
    let modes = modes.filter(|mode| mode.word != OPEN_LOOP);
    let mut all: Vec<Value> = vec![when(&of_traffic(is("pattern", TRACE)), no_loads.clone())];
    all.extend(modes.map(|mode| when(&of_traffic(is("mode", mode.word)), no_loads.clone())));
    let sets_the_width = json!({
        "required": ["cost"],
        "properties": { "cost": {
            "anyOf": [{ "required": ["constraint"] }, { "required": ["width_bits"] }],
        } },
    });
    let no_width = json!({ "properties": { "channel": none_of(["width_bits"]) } });
    all.push(when(&sets_the_width, no_width));
    all
}

/// All of `conditions`.
pub fn all_of(mut conditions: Vec<Value>) -> Value {
    match conditions.len() {
        1 => conditions.remove(0),
        _ => json!({ "allOf": conditions }),
    }
}

/// Every description of a key of `table`, some keys several times.
pub fn all_descriptions(table: &Table) -> Vec<Description> {
    let mut all: Vec<Description> = table.choices.iter().map(|choice| choice.key).collect();
    all.extend(table.keys);
    for choice in table.choices {
        all.extend((choice.variants)().iter().flat_map(|variant| variant.keys));
    }
    all
}

fn rules(table: &Table) -> Vec<Rule> {
    let mut rules = table.rules.to_vec();
    for choice in table.choices {
        rules.extend((choice.variants)().iter().flat_map(|variant| variant.rules));
    }
    rules
}

/// The keys that do not go with `chosen`, one of `variants`.
fn not_with(table: &Table, variants: &[Variant], chosen: &Variant) -> Vec<&'static str> {
    let mut others: Vec<&str> = Vec::new();
    let mut add = |key: &'static str| {
        if chosen.keys.iter().all(|own| own.name != key) && !others.contains(&key) {
            others.push(key);
        }
    };
    let keys = variants.iter().flat_map(|variant| variant.keys);
    keys.for_each(|key| add(key.name));
    for name in chosen.without {
        add(name);
        let choices = table.choices.iter();
        for choice in choices.filter(|choice| choice.key.name == *name) {
            let variants = (choice.variants)();
            let keys = variants.iter().flat_map(|variant| variant.keys);
            keys.for_each(|key| add(key.name));
        }
    }
    others
}

/// The keys of `variant` that take less than the same keys of others.
fn narrower(choice: &str, variant: &Variant, described: &Map<String, Value>) -> Option<Value> {
    let mut narrow = Map::new();
    for key in variant.keys {
        let own = shape_schema(&key.shape);
        let all = described.get(key.name).cloned().unwrap_or_default();
        let is_same = own
            .as_object()?
            .iter()
            .all(|(name, value)| all[name] == *value);
        if !is_same {
            narrow.insert(key.name.to_owned(), own);
        }
    }
    let then = json!({ "properties": narrow });
    (!narrow.is_empty()).then(|| when(&is(choice, variant.word), then))
}

/// The groups of keys of which one must be there.
fn groups(rules: &[Rule]) -> Vec<Value> {
    let groups = rules.iter().filter_map(|rule| match rule {
        Rule::OneOf { groups, .. } => Some(groups),
        _ => None,
    });
    groups
        .map(|groups| {
            let mut groups: Vec<Value> = groups.iter().map(|group| requires(group)).collect();
            match groups.len() {
                1 => groups.remove(0),
                _ => json!({ "anyOf": groups }),
            }
        })
        .collect()
}

fn when(condition: &Value, then: Value) -> Value {
    json!({ "if": condition, "then": then })
}

fn is(key: &str, word: &str) -> Value {
    json!({ "required": [key], "properties": { key: { "const": word } } })
}

fn requires(keys: &[&str]) -> Value {
    json!({ "required": keys })
}

fn none_of<'k>(keys: impl IntoIterator<Item = &'k str>) -> Value {
    let keys: Vec<&str> = keys.into_iter().collect();
    if keys.is_empty() {
        return json!(true);
    }
    json!({ "propertyNames": { "not": { "enum": keys } } })
}
