//! What the series of a scenario are: their own keys over those of all, defaults, the command line over both.

use flitsim_scenario::{Overrides, Plan, ScenarioError};
use std::path::Path;
use std::sync::Arc;

const TWO: &str = r#"
title = "two"
[topology]
kind = "torus"
radix = 8
dimensions = 2
directed = true
[traffic]
packet_flits = 4
pattern = "hotspot"
nodes = [3]
fraction = 0.1
[sweep]
load = [0.1, 0.2]
[[series]]
name = "torus"
[[series]]
name = "mesh"
topology.kind = "mesh"
traffic = { pattern = "uniform", packet_bits = 100 }
router.virtual_channels = 1
[[series]]
name = "mixed"
topology.radices = [8, 8]
sweep = { load = 0.5, load_unit = "capacity" }
"#;

fn plan(text: &str, overrides: Overrides) -> Result<Plan, ScenarioError> {
    Plan::parse(Path::new("dir/two.toml"), text.to_owned(), overrides)
}

#[test]
fn a_series_overrides_key_by_key() {
    let plan = plan(TWO, Overrides::default()).unwrap();
    assert_eq!(
        (plan.scenario.as_str(), plan.title.as_str()),
        ("two", "two")
    );
    let [torus, mesh, mixed] = &plan.series[..] else {
        panic!("three series");
    };
    assert_eq!(torus.topology, "torus:radix=8,dimensions=2,directed=true");
    assert_eq!(mesh.topology, "mesh:radix=8,dimensions=2");
    assert_eq!(mesh.engine.virtual_channels, 1);
    assert_eq!(mesh.engine.injection_vcs, 1);
    assert_eq!(mesh.traffic.pattern.name(), "uniform");
    assert_eq!(mesh.definition["traffic"]["packet_flits"], 4);
    assert_eq!(mesh.definition["traffic"]["packet_bits"], 100);
    assert!(Arc::ptr_eq(&torus.network, &mixed.network));
    assert_eq!(mixed.loads.len(), 1);
    let capacity = 2.0 / 7.0 * 63.0 / 64.0;
    assert!((mixed.loads[0].flits - 0.5 * capacity).abs() < 1e-12);
}

#[test]
fn the_command_line_overrides_load_and_seed() {
    let overrides = Overrides {
        seed: Some(7),
        load: Some(0.3),
        ..Overrides::default()
    };
    let plan = plan(TWO, overrides).unwrap();
    assert_eq!(plan.seed, 7);
    assert!(plan.series.iter().all(|series| series.loads.len() == 1));
    assert_eq!(plan.series[0].loads[0].flits, 0.3);
}

#[test]
fn the_definition_is_canonical_and_complete() {
    let short = "[topology]\nkind = \"mesh\"\nradix = 4\ndimensions = 2\n";
    let long = "[sweep]\nload = 0.7\n[router]\nbuffer_flits = 8\ndelay = 1\n\
                [topology]\nradices = [4, 4]\nkind = \"mesh\"\n";
    let of = |text| {
        plan(text, Overrides::default()).unwrap().series[0]
            .definition
            .clone()
    };
    assert_eq!(of(short).to_string(), of(long).to_string());
    let text = of(short).to_string();
    assert!(
        text.starts_with("{\"channel\":{\"delay\":0,\"period\":1"),
        "{text}"
    );
}

#[test]
fn defaults_need_only_a_topology() {
    let text = "[topology]\nkind = \"hypercube\"\ndimensions = 4\n";
    let plan = plan(text, Overrides::default()).unwrap();
    let series = &plan.series[0];
    assert_eq!(series.name, "default");
    assert_eq!(series.loads.len(), 10);
    assert_eq!(series.load_unit, "flits/node/cycle");
    assert!(plan.warnings.is_empty(), "{:?}", plan.warnings);
}
