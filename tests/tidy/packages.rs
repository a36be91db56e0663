//! Who depends on whom: the crates of the workspace by their manifests, the rest by `Cargo.lock`.

use super::modules::Files;
use std::collections::{BTreeMap, BTreeSet};
use toml::{Table, Value};

/// The crates of this workspace, and what each may name in its manifest: downwards only.
pub const EDGES: [(&str, &[&str]); 14] = [
    ("random", &[]),
    ("keys", &[]),
    ("topology", &["keys", "random"]),
    ("engine", &["topology", "keys", "random"]),
    ("analysis", &["engine", "topology", "random"]),
    ("traffic", &["topology", "keys", "random"]),
    ("models", &["topology"]),
    (
        "measure",
        &["engine", "traffic", "topology", "keys", "random"],
    ),
    (
        "scenario",
        &[
            "measure", "analysis", "engine", "traffic", "topology", "keys", "random",
        ],
    ),
    (
        "sweep",
        &[
            "scenario", "measure", "analysis", "engine", "traffic", "topology", "keys", "random",
        ],
    ),
    (
        "report",
        &[
            "sweep", "scenario", "measure", "engine", "traffic", "topology", "keys", "random",
        ],
    ),
    (
        "flitsim",
        &[
            "report", "sweep", "scenario", "measure", "models", "analysis", "engine", "traffic",
            "topology", "keys", "random",
        ],
    ),
    ("python", &["flitsim", "measure", "topology"]),
    (SIMULATIONS, &["analysis", "engine", "traffic", "topology"]),
];

/// The crate for tests, which the program names for its tests alone.
const SIMULATIONS: &str = "simulations";

/// Who may name whom above for its tests: relations that are simulated there are proved too.
const PROVES: (&str, &str) = ("engine", "analysis");

/// The path of a crate's manifest.
pub fn manifest_of(name: &str) -> String {
    match name {
        "flitsim" => "Cargo.toml".to_owned(),
        SIMULATIONS => format!("tests/{name}/Cargo.toml"),
        name => format!("crates/{name}/Cargo.toml"),
    }
}

fn read(files: &Files, path: &str, faults: &mut Vec<String>) -> Table {
    let text = files.get(path).map_or("", String::as_str);
    toml::from_str(text).unwrap_or_else(|error| {
        faults.push(format!("{path}: {error}"));
        Table::new()
    })
}

/// What a manifest names under `kind`, whatever the platform.
fn named(manifest: &Table, kind: &str) -> BTreeSet<String> {
    let targets = manifest.get("target").and_then(Value::as_table);
    let tables = targets
        .into_iter()
        .flat_map(Table::values)
        .filter_map(Value::as_table);
    let tables = tables
        .chain([manifest])
        .filter_map(|table| table.get(kind)?.as_table());
    tables.flat_map(Table::keys).cloned().collect()
}

/// The edges between crates that are not allowed, and crates that [`EDGES`] does not know.
pub fn edges(files: &Files, faults: &mut Vec<String>) {
    let manifests = files
        .keys()
        .filter_map(|path| path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml"));
    for name in manifests.chain(["flitsim", SIMULATIONS]) {
        let path = manifest_of(name);
        let Some((_, allowed)) = EDGES.iter().find(|(known, _)| *known == name) else {
            faults.push(format!(
                "{path}: what may `{name}` depend on? Say so in tests/tidy/packages.rs"
            ));
            continue;
        };
        let manifest = read(files, &path, faults);
        for kind in ["dependencies", "build-dependencies", "dev-dependencies"] {
            for dependency in named(&manifest, kind) {
                let Some(crate_name) = dependency.strip_prefix("flitsim-") else {
                    continue;
                };
                let is_for_tests = kind == "dev-dependencies"
                    && (crate_name == SIMULATIONS || (name, crate_name) == PROVES);
                if !allowed.contains(&crate_name) && !is_for_tests {
                    faults.push(format!("{path}: `{name}` may not depend on `{crate_name}`"));
                }
            }
        }
    }
}

/// Tests in the source of libraries that are not built for tests: nobody would run them.
pub fn tests_never_run(files: &Files, faults: &mut Vec<String>) {
    for path in files.keys().filter(|path| path.ends_with("Cargo.toml")) {
        let manifest = read(files, path, faults);
        let lib = manifest.get("lib").and_then(|lib| lib.get("test"));
        if lib != Some(&Value::Boolean(false)) {
            continue;
        }
        let source = path.replace("Cargo.toml", "src/");
        for (file, text) in files.iter().filter(|(file, _)| file.starts_with(&source)) {
            if text.contains("#[cfg(test)]") || text.contains("#[test]") {
                faults.push(format!("{file}: no test runs here, as {path} says"));
            }
        }
    }
}

/// The packages beneath a crate, itself among them, by `Cargo.lock`: those of every platform and of the
/// features that any crate here turns on, so at least those of `cargo tree -e normal`.
pub fn beneath(name: &str, files: &Files, faults: &mut Vec<String>) -> BTreeSet<String> {
    let lock = read(files, "Cargo.lock", faults);
    let packages = lock.get("package").and_then(Value::as_array);
    let packages: Vec<&Table> = packages
        .into_iter()
        .flatten()
        .filter_map(Value::as_table)
        .collect();
    let text = |package: &Table, key: &str| {
        package
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let (mut seen, mut open) = (BTreeSet::new(), vec![format!("flitsim-{name}")]);
    while let Some(one) = open.pop() {
        // A version follows where there are several.
        let (name, version) = one.split_once(' ').unwrap_or((&one, ""));
        let is_it =
            |p: &&&Table| text(p, "name") == name && [&text(p, "version"), ""].contains(&version);
        let Some(package) = packages.iter().find(is_it) else {
            faults.push(format!("Cargo.lock: no {one}"));
            continue;
        };
        let its = package.get("dependencies").and_then(Value::as_array);
        let mut its: Vec<&str> = its
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        // Of our own the lock names what the tests need, too.
        if let Some(own) = name.strip_prefix("flitsim-") {
            let normal = named(&read(files, &manifest_of(own), faults), "dependencies");
            its.retain(|one| normal.contains(one.split(' ').next().unwrap_or_default()));
        }
        let new = its.into_iter().map(str::to_owned);
        open.extend(new.filter(|one| !seen.contains(one)));
        seen.insert(one);
    }
    seen
}

/// What is wrong with the licences, sources and doubles of the packages in `metadata`, which `cargo metadata`
/// prints, by the lists of `deny.toml`; `is_all` where those of every system are among them.
pub fn refused(metadata: &serde_json::Value, deny: &Table, is_all: bool) -> Vec<String> {
    let list = |table: &str, key: &str| deny[table][key].as_array().cloned().unwrap_or_default();
    let allowed: Vec<String> = list("licenses", "allow")
        .iter()
        .filter_map(|licence| Some(licence.as_str()?.to_owned()))
        .collect();
    // No expression here has an `OR` within an `AND` but in brackets at its begin.
    let is_allowed = |expression: &str| {
        let all = expression.split(" AND ");
        all.map(|one| one.trim_matches(['(', ')'])).all(|one| {
            let mut any = one.split(" OR ").flat_map(|one| one.split('/'));
            any.any(|one| allowed.iter().any(|allowed| allowed == one.trim()))
        })
    };
    let packages = metadata["packages"].as_array().expect("packages");
    let text = |package: &serde_json::Value, key: &str| {
        package[key].as_str().unwrap_or_default().to_owned()
    };
    let mut faults = Vec::new();
    let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in packages {
        let (name, licence, source) = (
            text(package, "name"),
            text(package, "license"),
            text(package, "source"),
        );
        if !is_allowed(&licence) {
            faults.push(format!(
                "{name}: deny.toml does not allow its licence, `{licence}`"
            ));
        }
        if !source.is_empty() && source != "registry+https://github.com/rust-lang/crates.io-index" {
            faults.push(format!("{name} comes from {source}"));
        }
        versions
            .entry(name)
            .or_default()
            .push(text(package, "version"));
    }
    let mut skipped: BTreeSet<String> = list("bans", "skip")
        .iter()
        .filter_map(|skip| Some(skip.get("crate")?.as_str()?.to_owned()))
        .collect();
    for (name, versions) in versions.iter().filter(|(_, versions)| versions.len() > 1) {
        let known = versions
            .iter()
            .filter(|version| skipped.remove(&format!("{name}@{version}")));
        if known.count() + 1 < versions.len() {
            faults.push(format!("{name} is there as {}", versions.join(" and ")));
        }
    }
    faults.extend(
        skipped
            .iter()
            .filter(|_| is_all)
            .map(|one| format!("deny.toml skips {one}, which is there once or not at all")),
    );
    faults
}
