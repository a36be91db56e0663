//! All that is wrong with a scenario is told at once, in the order of the file, each thing once, and
//! nothing that follows from another.

use flitsim_scenario::{Overrides, Plan, ScenarioError};
use std::path::Path;

fn refused(text: &str) -> ScenarioError {
    let plan = Plan::parse(Path::new("a.toml"), text.to_owned(), Overrides::default());
    plan.expect_err("the scenario is bad")
}

/// Line, message and, where a note names them, the series of each fault.
fn told(text: &str) -> Vec<String> {
    let error = refused(text);
    let told = error.told().iter().map(|told| {
        let line = told.fault.place();
        let line = line.map_or(0, |place| error.line_and_column(&place).0);
        let notes = told.fault.notes().iter();
        let series = notes.filter_map(|note| note.strip_prefix("in the series "));
        let series: Vec<&str> = series.collect();
        format!("{line} {}  {}", told.fault.message(), series.join(" "))
            .trim_end()
            .to_owned()
    });
    told.collect()
}

#[test]
fn faults_of_keys_tables_and_series_are_all_told() {
    let text = r#"titel = "many"
[topology]
kind = "torus"
radix = 8
dimensions = 2
[router]
bufer_flits = 8
delay = 0
allocator = "round-robbin"
[traffic]
pattern = "hotspot"
fraction = 0.1
packet_flits = "16"
[sweep]
replicas = 0
[[series]]
name = ""
[[series]]
name = "a"
routing.algorithm = "west-first"
[[series]]
name = "a"
router.virtual_channels = 1
[[series]]
name = "b"
measure.relative_error = 2
rooter.delay = 1
traffic = { pattern = "uniform", packet_flits = 0 }
"#;
    assert_eq!(
        told(text),
        [
            "1 unknown key `titel` in the scenario's top level",
            "7 unknown key `bufer_flits` in `[router]`",
            "8 `delay` is 0, out of its range  \"number 1\", \"a\" and \"number 3\"",
            "9 unknown `allocator`: \"round-robbin\"",
            "10 `nodes` is missing from `[traffic]`  \"number 1\", \"a\" and \"number 3\"",
            "13 `packet_flits` must be a whole number, a table of `short`, `long` and `long_share` or \
             a table of `path`, not a string  \"number 1\", \"a\" and \"number 3\"",
            "15 `replicas` is 0, out of its range",
            "17 the name of a series is empty",
            "20 west-first does not route torus:radix=8,dimensions=2  \"a\"",
            "22 two series are named \"a\"",
            "23 dimension-order on rings needs at least 2 virtual channels, for the dateline that keeps \
             a ring from waiting on itself; there is 1  \"number 3\"",
            "26 `relative_error` is 2, out of its range  \"b\"",
            "27 unknown key `rooter` in `[[series]]`",
            "28 `packet_flits` is 0, out of its range  \"b\"",
        ]
    );
}

#[test]
fn what_follows_from_another_fault_is_not_told() {
    // Without the network nothing is known of its routing, its pattern or its loads.
    let text = "[topology]\nkind = \"tours\"\nradix = 7\n[routing]\nalgorithm = \"west-first\"\n\
                [traffic]\npattern = \"transpose\"\n[sweep]\nload_unit = \"capacity\"\n";
    assert_eq!(told(text), ["2 unknown `kind`: \"tours\""]);
    // The key that was meant is neither missing nor what its default is.
    let text = "[topology]\nkind = \"torus\"\nradx = 8\ndimensions = 2\n\
                [router]\nvirtual_chanels = 1\n";
    assert_eq!(
        told(text),
        [
            "3 unknown key `radx` in `[topology]`",
            "6 unknown key `virtual_chanels` in `[router]`",
        ]
    );
    assert_eq!(told(""), ["0 the scenario has no `[topology]`"]);
}

#[test]
fn faults_of_checks_between_tables_are_told_together() {
    let text = "[topology]\nkind = \"torus\"\nradix = 6\ndimensions = 2\n\
                [router]\nvirtual_channels = 1\nbuffer_flits = 4\nflow_control = \"virtual-cut-through\"\n\
                [traffic]\npattern = \"bit-reverse\"\n\
                [measure]\nwarmup = 100\nmax_cycles = 100\n\
                [sweep]\nload = [0.5, 2.0, 3.0]\n";
    let told = told(text);
    let lines: Vec<&str> = told.iter().filter_map(|t| t.split(' ').next()).collect();
    assert_eq!(lines, ["6", "7", "10", "12", "15", "15"], "{told:#?}");
}

/// Keys of one table are held against one another where something is wrong with a third.
#[test]
fn a_wrong_key_hides_no_contradiction_of_others_in_its_table() {
    let text = r#"topology = { kind = "mesh", radix = 4, dimensions = 2 }
[router]
speculative = true
ejection = "unlimited"
ejection_vcs = 2
hold_switch = 3
[measure]
warmup = 2000
max_cycles = 1000
relative_error = 2
[sweep]
load = { from = 0.5, to = 0.1, steps = 3 }
replicas = 0
"#;
    let lines = |text| {
        let told = told(text);
        let line = |fault: &String| fault.split(' ').next().unwrap().to_owned();
        told.iter().map(line).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(lines(text), "3 5 6 8 10 12 13");
    // What is wrong may be what is asked for.
    let doubtful = text.replace("hold_switch = 3", "pipeline = 3");
    assert_eq!(lines(&doubtful), "5 6 8 10 12 13");
    let doubtful = text.replace("max_cycles = 1000", "max_cycles = 0");
    assert_eq!(lines(&doubtful), "3 5 6 9 10 12 13");
}

/// Keys of `[router]`, with some of what each takes.
const ROUTER: &[(&str, &[&str])] = &[
    (
        "flow_control",
        &[
            "\"wormhole\"",
            "\"virtual-cut-through\"",
            "\"store-and-forward\"",
        ],
    ),
    ("pipeline", &["{}", "{ switch_allocation = 4 }"]),
    ("speculative", &["true", "false"]),
    ("vc_allocator", &["\"islip\"", "\"maximum\"", "\"pim\""]),
    (
        "switch_allocator",
        &["\"wavefront\"", "\"separable-input-first\"", "\"pim\""],
    ),
    (
        "input_arbiter",
        &["\"round-robin\"", "\"least-recently-served\""],
    ),
    ("wavefront", &["\"rotating\"", "\"longest-waiting\""]),
    ("maximum", &["\"rotating\"", "\"longest-waiting\""]),
    ("pim", &["\"start\"", "\"uniform\""]),
    ("crossbar", &["\"port\"", "\"vc\""]),
    ("injection", &["\"channel\"", "\"unlimited\""]),
    ("ejection", &["\"channel\"", "\"unlimited\""]),
    ("ejection_vcs", &["1", "2", "30"]),
    ("injection_buffers", &["true", "false"]),
    ("terminal_ports", &["true", "false"]),
    (
        "buffer_sharing",
        &["\"private\"", "\"shared\"", "\"dynamic\""],
    ),
    ("buffer_reserve", &["1", "3", "40"]),
    ("virtual_channels", &["1", "2", "40"]),
    ("injection_vcs", &["1", "2", "40"]),
    ("buffer_flits", &["2", "500", "10_000", "30_000"]),
    ("input_speedup", &["1", "2"]),
    ("output_speedup", &["1", "2"]),
    ("internal_speedup", &["1", "2"]),
    ("output_queues", &["true", "false"]),
    ("hold_switch", &["true", "false"]),
    ("interleave_flits", &["true", "false"]),
];

/// What is told beside a wrong key is wrong whatever that key should have said.
#[test]
fn what_is_told_beside_a_wrong_key_does_not_follow_from_it() {
    let mut state = 1u64;
    let mut below = |most: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % most
    };
    let messages = |lines: &[(&str, &str)]| {
        let lines = lines
            .iter()
            .map(|(key, value)| format!("{key} = {value}\n"));
        let text = format!(
            "topology = {{ kind = \"mesh\", radix = 2, dimensions = 2 }}\nsweep.load = 0.1\n[router]\n{}",
            lines.collect::<String>()
        );
        let plan = Plan::parse(Path::new("a.toml"), text, Overrides::default());
        let told: Option<Vec<String>> = plan.err().map(|error| {
            error
                .told()
                .iter()
                .map(|told| told.fault.message().to_owned())
                .collect()
        });
        told.unwrap_or_default()
    };
    let mut contradictions = 0;
    for _ in 0..1_500 {
        let mut said: Vec<(&str, &str)> = Vec::new();
        for (key, values) in ROUTER {
            if below(3) == 0 {
                said.push((key, values[below(values.len())]));
            }
        }
        let (wrong, values) = ROUTER[below(ROUTER.len())];
        said.retain(|&(key, _)| key != wrong);
        let with = |value| [&said[..], &[(wrong, value)]].concat();
        let mut told = messages(&with("[7]"));
        told.retain(|message| !message.starts_with(&format!("`{wrong}` ")));
        contradictions += told.len();
        for one in told {
            for &value in values {
                let lines = with(value);
                assert!(
                    messages(&lines).contains(&one),
                    "{one}, beside a wrong `{wrong}`: {lines:?}"
                );
            }
        }
    }
    assert!(contradictions > 500, "{contradictions}");
}

#[test]
fn the_whole_is_text_without_a_terminal() {
    let text = "[topology]\nkind = \"star\"\nsymbols = 3\n[router]\ndelay = 0\nbufer_flits = 1\n";
    assert_eq!(
        refused(text).to_string(),
        "a.toml:5:9: `delay` is 0, out of its range (out of range)\n\
         help: it must be from 1 to 10000 cycles\n\
         a.toml:6:1: unknown key `bufer_flits` in `[router]` (not a key of `[router]`)\n\
         help: did you mean `buffer_flits`?"
    );
}

#[test]
fn of_very_many_keys_that_nobody_knows_the_first_are_told_and_the_rest_counted() {
    let keys: String = (0..90_000).map(|key| format!("x{key} = 1\n")).collect();
    let told = told(&format!(
        "[topology]\nkind = \"mesh\"\nradix = 4\ndimensions = 2\n{keys}"
    ));
    assert_eq!(told.len(), 101, "{told:#?}");
    assert_eq!(told[0], "5 unknown key `x0` in `[topology]`");
    assert_eq!(
        told[100],
        "105 89900 more keys that do not belong in `[topology]`"
    );
}

#[test]
fn a_grid_has_so_many_keys_and_a_key_no_value_twice() {
    let network = "[topology]\nkind = \"mesh\"\nradix = 4\ndimensions = 2\n";
    let keys: String = (0..101)
        .map(|key| format!("router.x{key} = [1]\n"))
        .collect();
    assert_eq!(
        told(&format!("{network}[grid]\n{keys}")),
        ["5 `[grid]` has 101 keys, more than 100"]
    );
    let values: String = (1..90_000).map(|value| format!("{value},")).collect();
    assert_eq!(
        told(&format!(
            "{network}[grid]\nrouter.virtual_channels = [{values}1]"
        )),
        ["6 `router.virtual_channels` in `[grid]` has 1 twice"]
    );
}
