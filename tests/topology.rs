//! `flitsim topology` from the command line: the papers' tables whole, exports that read back as the
//! same simulation, the values computed apart, and how it refuses.

use crate::tier;
use serde_json::Value;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Greenberg & Guan, "An empirical comparison of area-universal and other parallel computing
/// networks" (1996), tables 1 to 3, recomputed apart from this program.
const GREENBERG_GUAN: &str =
    include_str!("../crates/topology/tests/data/greenberg_guan_tables.csv");

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn flitsim_in(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flitsim"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program starts")
}

/// What the program prints where all is well.
fn printed(folder: &Path, arguments: &[&str]) -> String {
    let output = flitsim_in(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("text")
}

fn json(arguments: &[&str]) -> Value {
    let arguments = [&["topology"], arguments, &["--format", "json"]].concat();
    serde_json::from_str(&printed(root(), &arguments)).expect("JSON")
}

/// The rows of a comparison, by the first cell; a row is its other cells by column.
fn rows(table: &str) -> HashMap<String, HashMap<String, String>> {
    // Columns are two or more spaces apart.
    let cells = |line: &str| -> Vec<String> {
        let parts = line
            .split("  ")
            .map(str::trim)
            .filter(|cell| !cell.is_empty());
        parts.map(str::to_owned).collect()
    };
    let mut lines = table.lines();
    let header = cells(lines.next().expect("a header"));
    lines
        .map(|line| {
            let row = cells(line);
            assert_eq!(row.len(), header.len(), "{line}");
            let named = header.iter().cloned().zip(row.iter().cloned()).skip(1);
            (row[0].clone(), named.collect())
        })
        .collect()
}

fn greenberg_guan(table: &str, value_column: &str, value_over_printed: f64) {
    let scenario = format!("scenarios/papers/greenberg-guan-area-universal/table{table}.toml");
    let rows = rows(&printed(root(), &["topology", &scenario]));
    assert_eq!(rows.len(), 20);
    let mut compared = 0;
    for line in GREENBERG_GUAN.lines() {
        let cells: Vec<&str> = line.split(',').collect();
        if cells[0] != table {
            continue;
        }
        let network = match cells[2] {
            "BFT" => "butterfly-fat-tree",
            other => other,
        };
        let row = &rows[&format!("{network} {}", cells[1])];
        assert_eq!(row["width"], cells[8], "{line}");
        let printed: f64 = cells[4].parse().unwrap();
        let value: f64 = row[value_column].parse().unwrap();
        assert_eq!(value, printed * value_over_printed, "{line}");
        compared += 1;
    }
    assert_eq!(compared, 20);
}

/// Links are two channels each.
#[test]
fn greenberg_guan_table_1_bisection_widths() {
    greenberg_guan("1", "bisection", 2.0);
}

#[test]
fn greenberg_guan_table_2_pin_outs() {
    greenberg_guan("2", "pin-out", 1.0);
}

#[test]
fn greenberg_guan_table_3_wire_densities() {
    greenberg_guan("3", "density", 1.0);
}

/// Parhami & Kwai, "Comparing four classes of torus-based parallel architectures" (2004), table 1,
/// for every even radix from 4 to 32. Its directed rows hold for radices that four divides; of the
/// others, breadth-first search by an independent program gave diameters 1.5 k and 1.5 k + 2. The
/// mean distance of the pruned directed torus is a fit "for k ≥ 8".
#[test]
fn parhami_kwai_table_1() {
    if tier::is_left_out() {
        return;
    }
    let scenario = "scenarios/papers/parhami-kwai-pruned-tori/table1.toml";
    let rows = rows(&printed(root(), &["topology", scenario]));
    assert_eq!(rows.len(), 60);
    for radix in (4..=32u32).step_by(2) {
        let k = f64::from(radix);
        let by_four = radix.is_multiple_of(4);
        let number = |kind: &str, column: &str| -> f64 {
            let cell = &rows[&format!("{kind} {radix}")][column];
            cell.trim_start_matches("≤ ").parse().expect("a number")
        };
        for (kind, degree, beyond, mean, tolerance, bisection_links) in [
            ("torus", 6.0, Some(0.0), 0.75 * k, 1e-4, 2.0 * k * k),
            (
                "pruned-torus",
                4.0,
                Some(0.0),
                0.75 * k + 2.0 / k - 2.0 / (k * k),
                1e-4,
                k * k,
            ),
            (
                "manhattan-torus",
                3.0,
                Some(if by_four { 1.0 } else { 0.0 }),
                0.75 * k + 1.0 - 4.0 / (k * k * k),
                if by_four { 1e-4 } else { 0.5 },
                k * k,
            ),
            (
                "pruned-manhattan-torus",
                2.0,
                Some(if by_four { 3.0 } else { 2.0 }).filter(|_| radix >= 8),
                0.75 * k + 3.5 - 4.0 / k,
                // A fit, for radices from 8 on: what was measured differs by less than this.
                if radix >= 8 && by_four { 0.3 } else { 1.0 },
                0.5 * k * k,
            ),
        ] {
            let of = format!("{kind} {radix}");
            assert_eq!(number(kind, "nodes"), k * k * k, "{of}");
            assert_eq!(number(kind, "degree"), degree, "{of}");
            if let Some(beyond) = beyond {
                assert_eq!(number(kind, "diameter"), 1.5 * k + beyond, "{of}");
            }
            let found = number(kind, "with itself");
            assert!(
                (found - mean).abs() <= tolerance * 1.01,
                "{of}: {found}, not {mean}"
            );
            // The paper counts in links of two channels, one each way.
            assert_eq!(number(kind, "bisection"), 2.0 * bisection_links, "{of}");
        }
        // Fault diameters: D + 1, and Theorem 3 where it holds, k ≥ 4 (n − 1).
        assert_eq!(number("torus", "fault diameter"), 1.5 * k + 1.0);
        if radix >= 8 {
            assert_eq!(number("pruned-torus", "fault diameter"), 2.0 * k - 1.0);
        }
    }
}

/// Values computed apart from this program, by enumeration and breadth-first search.
#[test]
fn values_computed_apart() {
    if tier::is_left_out() {
        return;
    }
    for (spec, diameter, mean) in [
        // Kiasari & Sarbazi-Azad, section 2: the star graph.
        ("star:symbols=5", 6, 3.71429),
        ("star:symbols=6", 7, 4.78999),
    ] {
        let network = json(&[spec]);
        assert_eq!(network["diameter"], diameter, "{spec}");
        let found = network["average_distance"].as_f64().unwrap();
        assert!((found - mean).abs() < 1e-5, "{spec}: {found}");
        assert_eq!(network["node_symmetric"], true, "{spec}");
        assert_eq!(network["bipartite"], true, "{spec}");
    }
    // Parhami & Kwai, table 1 at k = 8, the mean over all N nodes.
    for (kind, diameter, mean) in [
        ("torus", 12, 6.0),
        ("pruned-torus", 12, 6.21875),
        ("manhattan-torus", 13, 6.9921875),
        ("pruned-manhattan-torus", 15, 8.8203125),
    ] {
        let network = json(&[&format!("{kind}:radix=8,dimensions=3")]);
        assert_eq!(network["diameter"], diameter, "{kind}");
        assert_eq!(network["average_distance_with_self"], mean, "{kind}");
        assert_eq!(network["node_symmetric"], true, "{kind}");
    }
    // Greenberg & Guan, section 2: 1,024 processors.
    for (kind, links) in [("butterfly-fat-tree", 1984), ("fat-pyramid", 2816)] {
        let network = json(&[&format!("{kind}:processors=1024")]);
        assert_eq!(network["switches"], 496, "{kind}");
        assert_eq!(network["channels"], 2 * links, "{kind}");
    }
}

/// Dally, "Wire-efficient VLSI multiprocessor communication networks", figure 6: the row density of
/// a binary n-cube is greatest a third of the way along, 1364 wires at n = 20 against 1024 in the
/// middle. The binary 10-cube is the same a 32nd as large: 42 first at cut 11, 32 in the middle.
#[test]
fn the_row_of_a_hypercube_is_densest_off_the_middle() {
    let network = json(&["hypercube:dimensions=10"]);
    assert_eq!(network["row_density_peak"], 42.0);
    assert_eq!(network["row_density_peak_cut"], 11);
    assert_eq!(network["row_density"][15], 32.0);
}

#[test]
fn every_key_of_the_contract_is_there() {
    for spec in ["torus:radix=4,dimensions=2", "fat-pyramid:processors=16"] {
        let network = json(&[spec]);
        for key in [
            "kind",
            "nodes",
            "switches",
            "channels",
            "degree_max",
            "diameter",
            "average_distance",
            "average_distance_with_self",
            "bisection_channels",
            "bisection_method",
            "pin_out",
            "layout_density",
            "bipartite",
            "node_symmetric",
        ] {
            assert!(network.get(key).is_some(), "{spec} has no {key}");
        }
    }
}

/// One of each family, small.
const FAMILIES: [&str; 22] = [
    "torus:radix=4,dimensions=2",
    "torus:radices=4x6,directed=true",
    "mesh:radices=4x3x2",
    "hypercube:dimensions=4",
    "express-cube:radix=16,dimensions=1,interval=4,levels=2",
    "express-cube:radix=8,dimensions=2,interval=2,levels=1,channels_per_level=1x2",
    "express-cube:radix=16,dimensions=1,interval=4,levels=1,interleaved=2",
    "butterfly-fat-tree:processors=16",
    "fat-pyramid:processors=16",
    "star:symbols=4",
    "pruned-torus:radix=4,dimensions=3",
    "manhattan-torus:radix=4,dimensions=2",
    "pruned-manhattan-torus:radix=4,dimensions=3",
    "hyperx:sizes=3x4,parallel=1x2",
    "fully-connected:routers=5",
    "dragonfly:routers=4,global_channels=1",
    "slim-fly:order=3",
    "random-regular:routers=10,degree=4,seed=3",
    "fat-tree:children=2x3,parents=1x2",
    "butterfly:arity=2,stages=3",
    "torus:radix=3,dimensions=2,terminals=2",
    "file:path=scenarios/topologies/ring-of-switches.csv",
];

/// A network exported and read back is the same simulation to the last byte, under its default
/// routing too.
#[test]
fn export_and_import_give_the_same_simulation() {
    if tier::is_left_out() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (number, spec) in FAMILIES.iter().enumerate() {
        let mut results: Vec<String> = Vec::new();
        for format in ["csv", "graphml"] {
            let text = printed(root(), &["topology", spec, "--format", format]);
            let file = format!("{number}.{format}");
            fs::write(folder.path().join(&file), &text).unwrap();
            let again = format!("file:path={file}");
            let back = printed(folder.path(), &["topology", &again, "--format", format]);
            assert!(text == back, "{spec} as {format}");
            results.push(simulated(
                folder.path(),
                &format!("kind = \"file\"\npath = \"{file}\""),
            ));
        }
        results.push(simulated(folder.path(), &topology_table(spec)));
        assert!(results[0].lines().count() == 3, "{spec}: {}", results[0]);
        // The user's own network keeps the name of its file.
        let same = |text: &String| match spec.starts_with("file:") {
            true => text
                .lines()
                .map(|l| l.split(',').skip(3).collect())
                .collect(),
            false => vec![text.clone()],
        };
        assert_eq!(same(&results[0]), same(&results[2]), "{spec} as csv");
        assert_eq!(same(&results[1]), same(&results[2]), "{spec} as graphml");
    }
}

/// The keys of a topology in one word as a scenario's.
fn topology_table(spec: &str) -> String {
    let (kind, keys) = spec.split_once(':').unwrap();
    let mut table = format!("kind = \"{kind}\"\n");
    for pair in keys.split(',') {
        let (key, value) = pair.split_once('=').unwrap();
        let value = match value {
            _ if key == "path" => format!("{:?}", root().join(value)),
            list if list.contains('x') => format!("[{}]", list.replace('x', ", ")),
            other => other.to_owned(),
        };
        table += &format!("{key} = {value}\n");
    }
    table
}

/// The points of a short sweep over the topology.
fn simulated(folder: &Path, topology: &str) -> String {
    let scenario = format!(
        "[topology]\n{topology}\n[router]\nvirtual_channels = 8\n[traffic]\npacket_flits = 4\n\
         [measure]\nrelative_error = 0.2\nmax_cycles = 20000\n[sweep]\nload = [0.02, 0.05]\n"
    );
    fs::write(folder.join("same.toml"), scenario).unwrap();
    printed(folder, &["sweep", "same.toml", "--overwrite", "--quiet"]);
    fs::read_to_string(folder.join("out/same/points.csv")).unwrap()
}

/// An edited export is the user's own network: the family's name no longer holds.
#[test]
fn an_edited_export_is_a_network_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let text = printed(
        root(),
        &["topology", "mesh:radix=3,dimensions=1", "--format", "csv"],
    );
    let closed = text.replacen("0,1\n", "0,1\n0,2\n2,0\n", 1);
    assert_ne!(text, closed);
    fs::write(folder.path().join("ring.csv"), closed).unwrap();
    let arguments = ["topology", "file:path=ring.csv", "--format", "json"];
    let network: Value = serde_json::from_str(&printed(folder.path(), &arguments)).unwrap();
    assert_eq!(
        (&network["kind"], &network["diameter"]),
        (&"file".into(), &1.into())
    );
}

/// Channels of terminals are no hops, also where a terminal has failed and where faults are counted; and packets to
/// oneself load those of ports.
#[test]
fn terminals_of_their_own_are_no_hop_away() {
    let folder = tempfile::tempdir().unwrap();
    let survey = |text: &str| -> Value {
        fs::write(
            folder.path().join("s.toml"),
            format!("sweep.load = 0.1\n{text}"),
        )
        .unwrap();
        let arguments = ["topology", "s.toml", "--format", "json"];
        serde_json::from_str(&printed(folder.path(), &arguments)).unwrap()
    };
    let mesh = "topology = { kind = \"mesh\", radix = 3, dimensions = 2, terminals = 2 }\n";
    for text in [mesh.to_owned(), format!("{mesh}faults.nodes = [0]\n")] {
        let found = survey(&text);
        assert_eq!([&found["diameter"], &found["routers"]], [4, 9], "{text}");
    }
    let tree = json(&["fat-tree:arity=4,levels=2"]);
    assert_eq!([&tree["diameter"], &tree["fault_diameter"]], [2, 2]);
    let router = "router = { pipeline = {}, injection_buffers = true, terminal_ports = true }\n";
    let ports = survey(&format!(
        "topology = {{ kind = \"fat-tree\", arity = 4, levels = 2 }}\n{router}"
    ));
    assert_eq!(ports["ideal_throughput"].as_f64(), Some(1.0));
}

/// Of trees with more than 4,096 terminals no channel loads are found; a terminal of them has one channel.
#[test]
fn no_bound_passes_the_channels_of_a_terminal() {
    let network = json(&["fat-tree:arity=17,levels=3"]);
    assert_eq!(network["ideal_throughput_method"], "bound");
    assert_eq!(network["ideal_throughput"].as_f64(), Some(1.0));
}

/// The throughput counts what a channel passes in a reference cycle, and no routing passes the bound.
#[test]
fn the_ideal_throughput_follows_the_channels() {
    let folder = tempfile::tempdir().unwrap();
    let ideal = |text: &str| -> f64 {
        fs::write(folder.path().join("s.toml"), text).unwrap();
        let arguments = ["topology", "s.toml", "--format", "json"];
        let network: Value = serde_json::from_str(&printed(folder.path(), &arguments)).unwrap();
        network["ideal_throughput"].as_f64().unwrap()
    };
    let torus = "[sweep]\nload = 0.1\n[topology]\nkind = \"torus\"\nradix = 8\ndimensions = 2\n";
    let whole = ideal(torus);
    assert_eq!(whole, 63.0 / 64.0);
    assert_eq!(
        ideal(&format!("{torus}[channel]\nperiod = 2\n")),
        whole / 2.0
    );
    assert_eq!(
        ideal(&format!("{torus}[channel]\ncycle_time = 2\n")),
        whole / 2.0
    );
    let valiant = ideal(&format!("{torus}[routing]\nalgorithm = \"valiant\"\n"));
    assert!((0.45..0.55).contains(&(valiant / whole)), "{valiant}");
}

/// A ring without a node is a line: the theorem of tori speaks of two dimensions or more.
#[test]
fn no_fault_diameter_is_above_its_theorem() {
    for spec in [
        "torus:radix=8,dimensions=1",
        "torus:radix=5,dimensions=2",
        "torus:radices=4x6",
    ] {
        let network = json(&[spec]);
        let found = network["fault_diameter"].as_u64().unwrap();
        if let Some(bound) = network["fault_diameter_bound"].as_u64() {
            assert!(found <= bound, "{spec}: {found} above {bound}");
        }
    }
    assert!(json(&["torus:radix=8,dimensions=1"])["fault_diameter_bound"].is_null());
}

#[test]
fn pictures_and_graphs_are_drawn() {
    for spec in FAMILIES {
        let svg = printed(root(), &["topology", spec, "--format", "svg"]);
        let document = roxmltree::Document::parse(&svg).expect("well-formed");
        assert_eq!(document.root_element().tag_name().name(), "svg", "{spec}");
        let dot = printed(root(), &["topology", spec, "--format", "dot"]);
        assert!(dot.starts_with("digraph"), "{spec}");
    }
}

#[test]
fn what_cannot_be_built_is_refused_with_what_would_be_right() {
    for (arguments, says) in [
        (&["pruned-torus:radix=7,dimensions=3"][..], "multiple of 2"),
        (&["pruned-torus:radix=8,dimensions=4"], "multiple of 3"),
        (&["manhattan-torus:radix=5,dimensions=2"], "multiple of 2"),
        (&["butterfly-fat-tree:processors=48"], "processors = 64"),
        (
            &["star:symbols=11"],
            "39916800 nodes and 399168000 channels",
        ),
        (&["star:symbols=1"], "symbols = 2"),
        (&["torus:radix=60000,dimensions=3"], "GiB"),
        (&["torus:radix=0,dimensions=2"], "out of its range"),
        (&["torsu:radix=8"], "did you mean \"torus\"?"),
        (
            &["file:path=tests/bad_scenarios/files/parts.csv"],
            "no path",
        ),
        (&["file:path=nowhere.csv"], "nowhere.csv"),
        (&["scenarios/first-curve.tml"], "first-curve.toml"),
        (
            &[
                "star:symbols=4",
                "torus:radix=4,dimensions=2",
                "--format",
                "svg",
            ],
            "one network",
        ),
        (&["star:symbols=4", "--series", "x"], "--series"),
        (&["star:symbols=8", "--format", "svg"], "too large"),
    ] {
        let output = flitsim_in(root(), &[&["topology"], arguments].concat());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
        assert!(errors.contains(says), "{arguments:?}: {errors}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}
