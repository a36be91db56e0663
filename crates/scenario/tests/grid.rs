//! A grid: every combination of its values is a series, and the keys in which series differ are known.

use flitsim_scenario::{Overrides, Plan, ScenarioError};
use serde_json::{Value, json};
use std::path::Path;

const MESH: &str = "[topology]\nkind = \"mesh\"\nradix = 4\ndimensions = 2\n";

fn plan(text: &str) -> Result<Plan, ScenarioError> {
    Plan::parse(Path::new("g.toml"), text.to_owned(), Overrides::default())
}

fn names(plan: &Plan) -> Vec<&str> {
    plan.series.iter().map(|series| &*series.name).collect()
}

fn parameters(plan: &Plan, series: usize) -> Value {
    let all = plan.series[series].parameters.iter();
    all.map(|one| json!([one.name, one.value])).collect()
}

#[test]
fn every_combination_is_a_series_named_by_its_values() {
    let grid = "[grid]\nrouter.virtual_channels = [1, 2]\n\
                \"traffic.pattern\" = [\"uniform\", \"transpose\"]\nrouter.delay = [3]\n";
    let plan = plan(&format!("{MESH}{grid}")).unwrap();
    assert_eq!(
        names(&plan),
        [
            "virtual_channels=1 pattern=uniform delay=3",
            "virtual_channels=1 pattern=transpose delay=3",
            "virtual_channels=2 pattern=uniform delay=3",
            "virtual_channels=2 pattern=transpose delay=3",
        ]
    );
    let last = &plan.series[3];
    assert_eq!(last.engine.virtual_channels, 2);
    assert_eq!(last.pattern_name(), "transpose");
    // In the delay they do not differ.
    let wanted = json!([
        ["router.virtual_channels", 2],
        ["traffic.pattern", "transpose"]
    ]);
    assert_eq!(parameters(&plan, 3), wanted);
}

#[test]
fn a_grid_is_the_scenario_that_writes_its_series_out() {
    let grid = "[grid]\nrouter.buffer_flits = [2, 8]\n\
                [[series]]\nname = \"mesh\"\n\
                [[series]]\nname = \"torus\"\ntopology.kind = \"torus\"\n";
    let written = "[[series]]\nname = \"mesh buffer_flits=2\"\nrouter.buffer_flits = 2\n\
                   [[series]]\nname = \"mesh buffer_flits=8\"\n\
                   [[series]]\nname = \"torus buffer_flits=2\"\ntopology.kind = \"torus\"\n\
                   router.buffer_flits = 2\n\
                   [[series]]\nname = \"torus buffer_flits=8\"\ntopology.kind = \"torus\"\n\
                   router.buffer_flits = 8\n";
    let grid = plan(&format!("{MESH}{grid}")).unwrap();
    let written = plan(&format!("{MESH}{written}")).unwrap();
    assert_eq!(names(&grid), names(&written));
    for (one, other) in grid.series.iter().zip(&written.series) {
        assert_eq!(one.definition, other.definition);
        assert_eq!(one.loads, other.loads);
        assert_eq!(one.parameters, other.parameters);
    }
    let differ = json!([["topology.kind", "torus"], ["router.buffer_flits", 8]]);
    // 8 is the default, and a value as any other.
    assert_eq!(parameters(&written, 3), differ);
}

/// Those of a table that is left out, and of a key whose default is the network's, too.
#[test]
fn keys_that_a_series_leaves_out_have_their_defaults() {
    let text = "[[series]]\nname = \"whole\"\n[[series]]\nname = \"damaged\"\n\
                routing.algorithm = \"up-down\"\nfaults.random = { channels = 2 }\n";
    let plan = plan(&format!("{MESH}{text}")).unwrap();
    let of = |channels: u32, algorithm: &str| {
        json!([
            ["faults.random.channels", channels],
            ["routing.algorithm", algorithm]
        ])
    };
    assert_eq!(parameters(&plan, 0), of(0, "dimension-order"));
    assert_eq!(parameters(&plan, 1), of(2, "up-down"));
}

#[test]
fn what_depends_on_a_value_of_the_grid_goes_with_it() {
    let text = format!(
        "{MESH}[traffic]\npattern = \"hotspot\"\nnodes = [3]\nfraction = 0.2\n\
         [faults]\nrandom = {{ channels = 1, seed = 5 }}\n[routing]\nalgorithm = \"up-down\"\n\
         [router]\ndelay = 2\n\
         [grid]\ntopology.kind = [\"torus\", \"mesh\"]\nfaults.random.channels = [0, 2]\n\
         channel.delay = [0, 1]\nrouter.credit_delay = [1]\n"
    );
    let clash = plan(&text).unwrap_err().message();
    assert!(clash.contains("`topology.kind` is in `[grid]` and in `[topology]`"));
    assert!(clash.contains("`faults.random.channels` is in `[grid]` and in `[faults]`"));
    let text = text
        .replace("kind = \"mesh\"\n", "")
        .replace("channels = 1, ", "");
    let plan = plan(&text).unwrap();
    assert_eq!(plan.series.len(), 8);
    assert_eq!(
        plan.series[3].name,
        "kind=torus channels=2 delay=1 credit_delay=1"
    );
    // The seed of the faults stays.
    let faulty = plan.series[3].network.damage().expect("faults");
    assert_eq!(faulty.failed_channels().len(), 4);
    assert_eq!(plan.series[0].definition["topology"]["kind"], "torus");
}

#[test]
fn a_value_that_is_a_table_keeps_its_other_keys() {
    let text = "[topology]\nkind = \"mesh\"\nradix = 4\ndimensions = 2\n\
                [sweep]\nload = { from = 0.1, to = 0.4 }\n[grid]\nsweep.load.steps = [2, 4]\n";
    let plan = plan(text).unwrap();
    let loads: Vec<usize> = plan.series.iter().map(|one| one.loads.len()).collect();
    assert_eq!(loads, [2, 4]);
    // Loads have columns of their own.
    assert_eq!(parameters(&plan, 0), json!([]));
}

#[test]
fn a_large_grid_is_read_in_reasonable_time() {
    let list: Vec<String> = (1..=10).map(|n| n.to_string()).collect();
    let list = list.join(", ");
    let grid = format!(
        "[grid]\nrouter.virtual_channels = [{list}]\nrouter.buffer_flits = [{list}]\n\
         router.delay = [{list}]\n"
    );
    let plan = plan(&format!("{MESH}{grid}")).unwrap();
    assert_eq!(plan.series.len(), 1_000);
    assert_eq!(plan.series[999].parameters.len(), 3);
}

#[test]
fn what_numbers_of_keys_count() {
    let all = flitsim_scenario::tables::units();
    let of = |name: &str| {
        let found = all.iter().find(|(key, _)| key == name);
        found.map(|(_, unit)| *unit)
    };
    assert_eq!(of("router.buffer_flits"), Some("flits"));
    assert_eq!(of("router.pipeline.traversal"), Some("cycles"));
    assert_eq!(of("channel.delay"), Some("cycles"));
    assert_eq!(of("router.virtual_channels"), Some("virtual channels"));
    assert_eq!(of("topology.seed"), Some(""));
    assert_eq!(of("routing.algorithm"), None);
    assert_eq!(of("measure.details"), None);
}
