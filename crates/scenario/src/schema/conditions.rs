//! What a key allows of others.
//!
//! Two sorts: what holds within a table wherever it stands, at the top level or in a series, and what
//! a scenario without series must have besides, for there nothing comes from elsewhere.

use crate::algorithms::choices_of_keys;
use crate::topology::Kind;
use crate::traffic::{
    MIX, MODE_KEYS, MODES, OPEN_LOOP, PATTERNS, PROCESS_KEYS, PROCESSES, TRACE, all_pattern_keys,
};
use serde_json::{Value, json};

/// The conditions within `table`, wherever it stands.
pub fn within(table: &str) -> Vec<Value> {
    match table {
        "topology" => {
            let mut all: Vec<Value> = Kind::all()
                .map(|kind| when(&is("kind", kind.name()), only(kind.keys())))
                .collect();
            all.extend([
                not_both("radices", "radix"),
                not_both("radices", "dimensions"),
            ]);
            all
        }
        "channel" => vec![not_both("delay", "model")],
        "routing" => choices_of_keys()
            .map(|(name, keys)| when(&is("algorithm", name), only(keys)))
            .collect(),
        "traffic" => traffic(),
        "sweep" => {
            let others = json!({ "required": ["load"], "properties": { "load": { "not": { "const": "auto" } } } });
            vec![when(&others, none_of(["steps"]))]
        }
        _ => Vec::new(),
    }
}

fn traffic() -> Vec<Value> {
    let mut all = vec![when(&is("pattern", TRACE), only(&["pattern", "path"]))];
    for (name, own) in PATTERNS {
        all.push(when(
            &is("pattern", name),
            without(&all_pattern_keys(), own),
        ));
    }
    for (name, own) in MODES {
        let mut others = MODE_KEYS.to_vec();
        if name != OPEN_LOOP {
            others.push("process");
            others.extend(PROCESS_KEYS);
        }
        all.push(when(&is("mode", name), without(&others, own)));
    }
    for (name, own) in PROCESSES {
        all.push(when(&is("process", name), without(&PROCESS_KEYS, own)));
    }
    // `packets` is an amount of a batch, and a limit of a closed loop.
    let several = json!({ "properties": { "packets": { "type": "integer" } } });
    all.push(when(&is("mode", "closed-loop"), several));
    let amount = json!({ "properties": { "packets": { "maximum": crate::traffic::AMOUNT_MOST } } });
    all.push(when(&is("mode", "batch"), amount));
    let short = json!({ "maximum": flitsim_traffic::Process::PARETO_CYCLES_MOST });
    let short = json!({ "properties": { "burst_cycles": short, "idle_cycles": short } });
    all.push(when(&is("process", "pareto"), short));
    all.extend([
        not_both("packet_flits", "packet_bits"),
        not_both("radius", "mean_distance"),
    ]);
    all
}

/// The conditions within a part of `mix`, which is whole wherever it stands.
pub fn mix_part() -> Vec<Value> {
    let mut all = vec![not_both("radius", "mean_distance")];
    for (name, own) in PATTERNS {
        if ![MIX, TRACE].contains(&name) {
            all.push(when(
                &is("pattern", name),
                without(&all_pattern_keys(), own),
            ));
        }
    }
    all.push(when(&has_no("pattern"), none_of(all_pattern_keys())));
    all.extend(pattern_needs());
    all
}

/// What a network must have that is said in one place.
pub fn whole_topology() -> Value {
    let radices = json!({ "anyOf": [
        { "required": ["radices"] },
        { "required": ["radix", "dimensions"] },
    ] });
    let needs = Kind::all().map(|kind| {
        let needs = match kind {
            Kind::Torus | Kind::Mesh => radices.clone(),
            Kind::ExpressCube => json!({ "required": ["interval"], "allOf": [radices] }),
            Kind::Hypercube => requires(&["dimensions"]),
            Kind::ButterflyFatTree | Kind::FatPyramid => requires(&["processors"]),
            Kind::Star => requires(&["symbols"]),
            Kind::PrunedTorus | Kind::ManhattanTorus | Kind::PrunedManhattanTorus => {
                requires(&["radix", "dimensions"])
            }
            Kind::File => requires(&["path"]),
        };
        when(&is("kind", kind.name()), needs)
    });
    let mut all: Vec<Value> = needs.collect();
    let widths = ["module_nodes", "inside_width_bits", "across_width_bits"];
    for width in widths {
        all.push(json!({ "dependentRequired": { width: widths } }));
    }
    json!({ "required": ["kind"], "allOf": all })
}

/// What a scenario without series must have.
pub fn whole() -> Value {
    let mut traffic = vec![
        when(&has_no("pattern"), none_of(all_pattern_keys())),
        when(&has_no("process"), none_of(PROCESS_KEYS)),
        when(&has_no("mode"), none_of(MODE_KEYS)),
        when(
            &is("process", "on-off"),
            requires(&["burst_cycles", "idle_cycles"]),
        ),
        when(
            &is("process", "pareto"),
            requires(&["burst_cycles", "idle_cycles"]),
        ),
        when(&is("mode", "batch"), requires(&["packets"])),
    ];
    traffic.extend(pattern_needs());
    let path = requires(&["path"]);
    let no_loads = json!({ "properties": { "sweep": only(&["replicas"]) } });
    let of_traffic =
        |what: Value| json!({ "required": ["traffic"], "properties": { "traffic": what } });
    let mut all: Vec<Value> = vec![
        when(&of_traffic(is("pattern", TRACE)), no_loads.clone()),
        when(&of_traffic(is("mode", "closed-loop")), no_loads.clone()),
        when(&of_traffic(is("mode", "batch")), no_loads),
    ];
    let sets_the_width = json!({
        "required": ["cost"],
        "properties": { "cost": {
            "anyOf": [{ "required": ["constraint"] }, { "required": ["width_bits"] }],
        } },
    });
    let no_width = json!({ "properties": { "channel": none_of(["width_bits"]) } });
    all.push(when(&sets_the_width, no_width));
    json!({
        "required": ["topology"],
        "properties": {
            "topology": whole_topology(),
            "channel": { "dependentRequired": { "wires": ["model"] } },
            "cost": { "dependentRequired": {
                "constraint": ["reference"],
                "reference": ["constraint"],
                "adapt": ["constraint"],
            } },
            "routing": { "allOf": [
                when(&is("algorithm", "table"), path.clone()),
                when(&is("algorithm", "source"), path),
            ] },
            "traffic": { "allOf": traffic },
            "sweep": { "dependentRequired": { "steps": ["load"] } },
        },
        "allOf": all,
    })
}

/// The keys that patterns cannot do without.
fn pattern_needs() -> Vec<Value> {
    let local = json!({ "anyOf": [requires(&["radius"]), requires(&["mean_distance"])] });
    vec![
        when(&is("pattern", "hotspot"), requires(&["nodes", "fraction"])),
        when(&is("pattern", "local"), local),
        when(&is("pattern", "permutation"), requires(&["path"])),
        when(&is("pattern", "matrix"), requires(&["path"])),
        when(&is("pattern", TRACE), requires(&["path"])),
        when(&is("pattern", MIX), requires(&["mix"])),
    ]
}

fn when(condition: &Value, then: Value) -> Value {
    json!({ "if": condition, "then": then })
}

fn is(key: &str, word: &str) -> Value {
    json!({ "required": [key], "properties": { key: { "const": word } } })
}

fn has_no(key: &str) -> Value {
    json!({ "not": { "required": [key] } })
}

fn requires(keys: &[&str]) -> Value {
    json!({ "required": keys })
}

fn only(keys: &[&str]) -> Value {
    json!({ "propertyNames": { "enum": keys } })
}

fn none_of<'k>(keys: impl IntoIterator<Item = &'k str>) -> Value {
    let keys: Vec<&str> = keys.into_iter().collect();
    if keys.is_empty() {
        return json!(true);
    }
    json!({ "propertyNames": { "not": { "enum": keys } } })
}

/// None of `all` but `own`.
fn without(all: &[&str], own: &[&str]) -> Value {
    none_of(all.iter().copied().filter(|key| !own.contains(key)))
}

fn not_both(one: &str, other: &str) -> Value {
    json!({ "not": { "required": [one, other] } })
}
