//! The scripts of the report's page without a browser: they read, and what of them needs no page does what it
//! says. Where there is no Node.js, the test says so and passes; with `FLITSIM_BROWSER=1` it fails.

use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// What Node.js says to a `script`; `None` where there is none.
fn node(arguments: &[&str], script: &str) -> Option<Output> {
    let child = Command::new("node")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        assert!(
            std::env::var_os("FLITSIM_BROWSER").is_none(),
            "there is no Node.js in PATH"
        );
        let _ = writeln!(
            std::io::stderr(),
            "test of the page's scripts: left out, no Node.js"
        );
        return None;
    };
    let mut input = child.stdin.take().expect("an input");
    input.write_all(script.as_bytes()).expect("a script");
    drop(input);
    Some(child.wait_with_output().expect("Node.js ends"))
}

fn source(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/report/src/page");
    fs::read_to_string(folder.join(name)).expect(name)
}

/// What `expression` is with `explore.js` and `data`.
fn evaluated(data: &Value, expression: &str) -> Option<Value> {
    let script = format!(
        "{}\nconst data = {data};\nconst series = data.series;\n\
         process.stdout.write(JSON.stringify({expression}));\n",
        source("explore.js")
    );
    let output = node(&["-"], &script)?;
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(serde_json::from_slice(&output.stdout).expect("JSON"))
}

/// Two keys with two values each; what saturates does so at 0.3.
fn data() -> Value {
    let point = |load: f64, latency: Option<u32>, status: &str| json!({ "load": load, "status": status, "v": [load, latency, 0.5] });
    let series = |name: &str, vcs: u32, pattern: &str, base: u32| {
        json!({ "name": name, "keys": [vcs, pattern], "points": [
            point(0.2, Some(base + 5), "converged"),
            point(0.1, Some(base), "converged"),
            point(0.3, None, "saturated"),
        ]})
    };
    json!({
        "columns": [
            { "name": "load", "interval": null },
            { "name": "latency_mean", "interval": 2 },
            { "name": "latency_ci95", "interval": null },
        ],
        "keys": ["router.virtual_channels", "traffic.pattern"],
        "series": [
            series("a", 1, "uniform", 20), series("b", 1, "tornado", 30),
            series("c", 4, "uniform", 18), series("d", 4, "tornado", 28),
        ],
    })
}

#[test]
fn the_scripts_of_a_page_read() {
    let names = [
        "common",
        "chart",
        "download",
        "network",
        "histogram",
        "explore",
        "sweep",
        "explorer",
    ];
    let all: String = names
        .iter()
        .map(|name| source(&format!("{name}.js")))
        .collect();
    let page = format!("(() => {{\n\"use strict\";\n{all}}})();\n");
    let Some(output) = node(&["--check", "-"], &page) else {
        return;
    };
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn every_curve_has_its_points_in_its_panel() {
    let choice = "{ x: 'load', y: 'latency_mean', by: 'series', facet: 'traffic.pattern' }";
    let shown =
        "gather(data, series, CHOICE).map((panel) => [panel.name, panel.curves.map((curve) =>
        [curve.name, curve.index, curve.points.map((p) => [p.x, p.y, p.half])])])";
    let Some(found) = evaluated(&data(), &shown.replace("CHOICE", choice)) else {
        return;
    };
    let curve = |name: &str, index: u32, base: u32| {
        json!([
            name,
            index,
            [[0.1, base, 0.5], [0.2, base + 5, 0.5], [0.3, null, 0.5]]
        ])
    };
    assert_eq!(
        found,
        json!([
            [
                "pattern=uniform",
                [
                    curve("virtual_channels=1", 0, 20),
                    curve("virtual_channels=4", 1, 18)
                ]
            ],
            [
                "pattern=tornado",
                [
                    curve("virtual_channels=1", 0, 30),
                    curve("virtual_channels=4", 1, 28)
                ]
            ],
        ])
    );
    // Without panels each series is a curve.
    let plain = "gather(data, series, { x: 'load', y: 'latency_mean', by: 'series', facet: '' })[0].curves.map((c) => c.name)";
    assert_eq!(evaluated(&data(), plain), Some(json!(["a", "b", "c", "d"])));
    // A key along the axis: a curve is of one load.
    let by_key = "gather(data, series, { x: 'router.virtual_channels', y: 'latency_mean', by: 'series', facet: '' })[0]
        .curves.map((c) => [c.name, c.points.map((p) => [p.x, p.y])])[1]";
    let expected = json!(["pattern=uniform, load 0.1", [[1, 20], [4, 18]]]);
    assert_eq!(evaluated(&data(), by_key), Some(expected));
}

#[test]
fn saturation_is_bracketed_as_by_the_program() {
    let shown = "gather(data, series, { x: 'router.virtual_channels', y: 'saturation', by: 'series', facet: '' })[0]
        .curves.map((c) => [c.name, c.points.map((p) => [p.x, p.y.toFixed(3), p.half.toFixed(3)])])";
    let Some(found) = evaluated(&data(), shown) else {
        return;
    };
    let points = json!([[1, "0.250", "0.050"], [4, "0.250", "0.050"]]);
    assert_eq!(
        found,
        json!([["pattern=uniform", points], ["pattern=tornado", points]])
    );
    let none = "[bracket([{ load: 1, status: 'converged' }]), bracket([{ load: 1, status: 'saturated' }]), bracket([])]";
    assert_eq!(evaluated(&data(), none), Some(json!([null, null, null])));
}

#[test]
fn axes_hold_all_that_is_drawn_and_typed_ends_come_first() {
    for (expression, expected) in [
        (
            "rangeOf([1, 4, null], false, [null, null])",
            json!([0, 4.2, false]),
        ),
        ("rangeOf([1, 4], false, [2, null])", json!([2, 4.2, false])),
        (
            "rangeOf([0, 1, 4], true, [null, 10])",
            json!([0.9, 10, true]),
        ),
        ("rangeOf([1, 4], true, [-1, null])", json!([0.9, 4.4, true])),
        ("rangeOf([], false, [null, null])", json!([0, 1.05, false])),
        ("rangeOf([3], false, [5, 5])", json!([5, 6, false])),
    ] {
        let rounded = format!(
            "{expression}.map((end) => (end === false || end === true ? end : Math.round(end * 1e9) / 1e9))"
        );
        let Some(found) = evaluated(&data(), &rounded) else {
            return;
        };
        let numbers = |value: &Value| {
            value
                .as_array()
                .map(|all| all.iter().map(Value::as_f64).collect::<Vec<_>>())
        };
        assert_eq!(numbers(&found), numbers(&expected), "{expression}");
        assert_eq!(found[2], expected[2]);
    }
}
