//! What the series of a scenario are: their own keys over those of all, defaults, the command line over both.

use flitsim_scenario::{Overrides, Plan, ScenarioError, SeriesPlan};
use flitsim_topology::ChannelId;
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

#[test]
fn a_stage_leaves_the_others_and_a_delay_goes_with_its_kind() {
    let text = r#"
topology = { kind = "dragonfly", routers = 4, global_channels = 2 }
channel = { delay = 9, global_delay = 99 }
sweep.load = 0.1
router.pipeline = { routing = 2, vc_allocation = 2, switch_allocation = 3, traversal = 2 }
measure.latency_limit = 10_000.0
[[series]]
name = "all"
[[series]]
name = "one stage"
router.pipeline.routing = 1
[[series]]
name = "a mesh"
topology = { kind = "mesh", radix = 6, dimensions = 2 }
"#;
    let of = |text: &str| plan(text, Overrides::default()).unwrap();
    let all = of(text).series;
    let stages = all.iter().map(|one| one.engine.pipeline.unwrap());
    let stages: Vec<_> = stages
        .map(|of| {
            [
                of.routing,
                of.vc_allocation,
                of.switch_allocation,
                of.traversal,
            ]
        })
        .collect();
    assert_eq!(stages, [[2, 2, 3, 2], [1, 2, 3, 2], [2, 2, 3, 2]]);
    let slowest = |one: &SeriesPlan| {
        let delays = (0..one.network.channels()).map(ChannelId);
        delays
            .map(|channel| one.engine.channel_delay_of(channel))
            .max()
    };
    assert_eq!(
        all.iter().map(slowest).collect::<Vec<_>>(),
        [Some(99), Some(99), Some(9)]
    );
}

/// Whatever tells how far terminals are apart: a closed form, or the graph.
#[test]
fn a_limit_below_the_latency_without_load_is_told() {
    let warnings = |topology: &str, rest: &str| {
        let text = format!(
            "topology = {{ {topology} }}\nsweep.load = 0.1\nrouter.buffer_flits = 10_000\nmeasure.latency_limit = 200.0\n{rest}"
        );
        plan(&text, Overrides::default()).unwrap().warnings
    };
    let dragonfly = "kind = \"dragonfly\", routers = 4, global_channels = 2";
    let mesh = "kind = \"mesh\", radix = 4, dimensions = 2";
    for topology in [
        dragonfly,
        mesh,
        "kind = \"fat-tree\", arity = 4, levels = 2",
    ] {
        assert!(warnings(topology, "").is_empty());
        let told = warnings(topology, "channel.delay = 300\n");
        assert!(
            told.len() == 1 && told[0].contains("`latency_limit` is 200 cycles"),
            "{told:?}"
        );
    }
    assert_eq!(warnings(dragonfly, "channel.global_delay = 900\n").len(), 1);
    assert_eq!(warnings(dragonfly, "channel.global_delay = 9\n").len(), 0);
}

/// A key of an allocator is for the series that have one; where none has, it does nothing.
#[test]
fn keys_of_allocators_that_no_series_has_are_told() {
    let told = |key: &str, allocators: &str| {
        let text = format!(
            "topology = {{ kind = \"mesh\", radix = 4, dimensions = 2 }}\nsweep.load = 0.1\n\
             router = {{ vc_allocator = \"maximum\", maximum = \"longest-waiting\", {key} }}\n\
             grid.router.switch_allocator = [\"wavefront\", {allocators}]\n"
        );
        plan(&text, Overrides::default()).unwrap().warnings
    };
    for (key, name, allocator) in [
        ("pim = \"start\"", "pim", "pim"),
        ("islip_iterations = 2", "islip_iterations", "pim"),
        ("islip_iterations = 2", "islip_iterations", "islip"),
        ("arbiter = \"matrix\"", "arbiter", "separable-output-first"),
    ] {
        let [warning] = &told(key, "\"maximum\"")[..] else {
            panic!("{key}");
        };
        let begin = format!("`{name}` changes nothing here");
        assert!(
            warning.starts_with(&begin) && warning.contains(allocator.split('-').next().unwrap()),
            "{warning}"
        );
        assert!(told(key, &format!("\"{allocator}\"")).is_empty(), "{key}");
    }
    assert!(told("wavefront = \"rotating\"", "\"islip\"").is_empty());
}

/// Heads that ask for all channels select none, and under a routing that offers one ask for that.
#[test]
fn requests_and_selections_that_change_nothing_are_told() {
    let told = |routing: &str, requests: &str| {
        let text = format!(
            "topology = {{ kind = \"mesh\", radix = 4, dimensions = 2 }}\nsweep.load = 0.1\n\
             router = {{ vc_allocator = \"islip\", selection = \"zigzag\", vc_requests = \"{requests}\" }}\n\
             routing.algorithm = \"{routing}\"\n"
        );
        plan(&text, Overrides::default()).unwrap().warnings
    };
    assert!(told("duato", "one-channel").is_empty());
    let warnings = told("duato", "all-channels");
    assert!(warnings.len() == 1 && warnings[0].starts_with("`selection` changes nothing here"));
    let warnings = told("dimension-order", "all-channels");
    assert!(warnings.len() == 2 && warnings[1].starts_with("`vc_requests` changes nothing here"));
}
