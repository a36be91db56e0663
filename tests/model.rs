//! `flitsim model`: the papers' models against numbers computed independently of flitsim, the choice
//! of the model, and its agreement with the simulator's own arithmetic.

use flitsim::analytic::{COLUMNS, Fit, Row, curves};
use flitsim::dispatch::expected_of;
use flitsim::proof::ProvedSeries;
use flitsim::scenario::plan::Plan;
use flitsim::scenario::{Overrides, SeriesPlan};
use flitsim::simulate::NoMonitor;
use flitsim::simulate_point;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// Figure 2 (a) of Kiasari & Sarbazi-Azad and figure 8 of Parhami & Kwai, by separate programs.
const FIGURE_2A: &str =
    include_str!("../crates/models/tests/data/kiasari-sarbazi-azad-figure-2a.csv");
const FIGURE_8: &str = include_str!("../crates/models/tests/data/parhami-kwai-figure-8.csv");

fn plan(text: &str) -> Plan {
    let path = Path::new("test.toml");
    Plan::parse(path, text.to_owned(), Overrides::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn rows_of(plan: &Plan) -> Vec<Row> {
    let rows = curves(plan)
        .into_iter()
        .flat_map(|curve| curve.rows.unwrap().0);
    rows.collect()
}

/// The table as numbers, nothing where a field is empty.
fn table(text: &str) -> Vec<Vec<Option<f64>>> {
    let fields = |line: &str| line.split(',').map(|field| field.parse().ok()).collect();
    text.lines().skip(1).map(fields).collect()
}

/// The loads of a table as a scenario's array.
fn loads(table: &[Vec<Option<f64>>]) -> String {
    let loads: Vec<String> = table
        .iter()
        .map(|row| row[0].unwrap().to_string())
        .collect();
    format!(
        "load = [{}]\nload_unit = \"packets/node/cycle\"\n",
        loads.join(", ")
    )
}

/// Compares the rows of the series `index` with a column, to 1e-3.
fn compare(rows: &[Row], table: &[Vec<Option<f64>>], index: usize, column: usize) {
    let own = &rows[index * table.len()..(index + 1) * table.len()];
    for (row, expected) in own.iter().zip(table) {
        assert_eq!(row.load, expected[0].unwrap());
        match (row.latency, expected[column]) {
            (None, None) => assert!(row.load >= 0.9999 * row.saturation_load.unwrap()),
            (Some(latency), Some(expected)) => {
                assert!(
                    (latency / expected - 1.0).abs() < 1e-3,
                    "{row:?}: {expected}"
                );
                assert!(row.load < 1.0001 * row.saturation_load.unwrap(), "{row:?}");
            }
            _ => panic!("{row:?}: {expected:?}"),
        }
    }
}

#[test]
fn figure_2a_of_kiasari_and_sarbazi_azad() {
    // The last row lies just above the hypercube's saturation and is no solution: see the tests of
    // the models.
    let mut table = table(FIGURE_2A);
    table.truncate(59);
    let scenario = std::fs::read_to_string("scenarios/model.toml").unwrap();
    let (above, below) = scenario.split_once("[sweep]").unwrap();
    let (_, series) = below.split_once("[[series]]").unwrap();
    let plan = plan(&format!(
        "{above}[sweep]\n{}[[series]]{series}",
        loads(&table)
    ));
    let rows = rows_of(&plan);
    assert_eq!(rows.len(), 3 * table.len());
    for index in 0..3 {
        compare(&rows, &table, index, 1 + index);
    }
    assert_eq!(rows[0].model, "kiasari-sarbazi-azad-star");
    assert_eq!(rows.last().unwrap().model, "kiasari-sarbazi-azad-hypercube");
    let fits = plan.series.iter().map(|series| Fit::of(series).unwrap());
    assert!(fits.into_iter().all(|fit| fit.remarks().is_empty()));
}

#[test]
fn figure_8_of_parhami_and_kwai() {
    let mut table = table(FIGURE_8);
    // A load must be above 0, and is as good as that in the first row; beyond the last, nothing can be
    // offered that is not saturated.
    assert_eq!(table.remove(0)[0], Some(1e-9));
    let text = format!(
        "[topology]\nradix = 16\ndimensions = 3\nkind = \"torus\"\n\
         [router]\ndelay = 3\nvirtual_channels = 16\nflow_control = \"virtual-cut-through\"\n\
         [routing]\nalgorithm = \"nhop\"\n\
         [traffic]\npacket_bits = 96\n[sweep]\n{}\
         [[series]]\nname = \"torus\"\nchannel.width_bits = 16\n\
         [[series]]\nname = \"pruned\"\ntopology.kind = \"pruned-torus\"\nchannel.width_bits = 24\n\
         [[series]]\nname = \"directed\"\ntopology.kind = \"manhattan-torus\"\n\
         channel.width_bits = 32\n\
         [[series]]\nname = \"both\"\ntopology.kind = \"pruned-manhattan-torus\"\n\
         channel.width_bits = 48\n",
        loads(&table)
    );
    let rows = rows_of(&plan(&text));
    for index in 0..4 {
        compare(&rows, &table, index, 1 + 2 * index);
    }
    assert!(rows.iter().all(|row| row.model == "parhami-kwai"));
    // The switches at both ends, 2s − 1.
    assert!(rows.iter().all(|row| row.uncounted_cycles == 5.0));
}

/// A series of a small network.
fn series(text: &str) -> SeriesPlan {
    plan(text).series.remove(0)
}

fn grid(topology: &str, rest: &str) -> SeriesPlan {
    series(&format!(
        "[topology]\n{topology}\n[traffic]\npacket_flits = 7\n{rest}"
    ))
}

const EXPRESS: &str = "kind = \"express-cube\"\nradix = 16\ndimensions = 2\ninterval = 4";

/// Without contention a model and the walked routing relation say the same, whatever the router: the
/// latency but for what the model does not count, and the load of the busiest channel.
#[test]
fn models_without_contention_agree_with_the_walked_routes() {
    let directed = "kind = \"torus\"\nradix = 5\ndimensions = 2\ndirected = true";
    let torus = "kind = \"torus\"\nradices = [8, 5]";
    let mesh = "kind = \"mesh\"\nradices = [4, 7]";
    let cube = "kind = \"hypercube\"\ndimensions = 5";
    let slow = "[router]\ndelay = 3\n[channel]\ndelay = 2\nperiod = 2\n";
    let own = "self = true\n";
    let fast_body = "[router]\ndelay = 3\nbody_delay = 1\n[channel]\ndelay = 2\n";
    let forward = "[router]\nflow_control = \"store-and-forward\"\nbuffer_flits = 8\n";
    for (topology, rest, name) in [
        (directed, "", "dally-wormhole"),
        (directed, own, "dally-wormhole"),
        (torus, slow, "dally-wormhole"),
        (torus, "[routing]\ntie = \"positive\"\n", "dally-wormhole"),
        (mesh, "", "dally-wormhole"),
        (mesh, fast_body, "dally-wormhole"),
        (cube, slow, "dally-wormhole"),
        (mesh, forward, "dally-store-and-forward"),
        (EXPRESS, "", "dally-express-cube"),
        (EXPRESS, slow, "dally-express-cube"),
        (EXPRESS, own, "dally-express-cube"),
    ] {
        let series = grid(topology, rest);
        let fit = Fit::of(&series).unwrap();
        assert_eq!(fit.name(), name, "{topology}");
        let walked = expected_of(&series).unwrap();
        let modelled = fit.latency_cycles(1e-6).unwrap().unwrap() + fit.uncounted_cycles();
        let zero_load = walked.zero_load_latency_mean(7);
        assert!(
            (modelled - zero_load).abs() < 1e-9,
            "{topology} {rest}: {modelled} {zero_load}"
        );
        let busiest = walked.channel_loads.iter().copied().fold(0.0, f64::max);
        let period = f64::from(series.engine.channel_period);
        let bound = 1.0 / (busiest * period);
        // Ties on even rings go the same way in both.
        let saturation = fit.saturation_flits();
        assert!(
            (saturation / bound - 1.0).abs() < 1e-9,
            "{topology} {rest}: {saturation} {bound}"
        );
        assert!(fit.latency_cycles(saturation).unwrap().is_none());
        assert!(fit.latency_cycles(0.999 * saturation).unwrap().is_some());
    }
}

/// Cycles twice as long: half the load, twice the latency.
#[test]
fn a_cycle_time_scales_loads_and_latencies() {
    let text = |channel: &str| {
        format!(
            "[topology]\nkind = \"hypercube\"\ndimensions = 4\n[routing]\nalgorithm = \"duato\"\n\
             [traffic]\npacket_flits = 16\n[channel]\n{channel}\n[sweep]\nload = 0.1\n"
        )
    };
    let (fast, slow) = (series(&text("")), series(&text("cycle_time = 2.0")));
    let (fast, slow) = (Fit::of(&fast).unwrap(), Fit::of(&slow).unwrap());
    assert!((fast.saturation_flits() / slow.saturation_flits() - 2.0).abs() < 1e-9);
    let latency = |fit: &Fit, load| fit.latency_cycles(load).unwrap().unwrap();
    let [one, two] = [latency(&fast, 0.4), latency(&slow, 0.2)];
    assert!((two / one - 2.0).abs() < 1e-9, "{one} {two}");
}

/// At low load the contention models are what the simulator shows, to 4 %.
#[test]
fn models_agree_with_simulation_at_low_load() {
    let router = "[router]\nvirtual_channels = 6\nselection = \"random\"\ncrossbar = \"vc\"\nejection = \"unlimited\"\n";
    let star =
        "[topology]\nkind = \"star\"\nsymbols = 4\n[routing]\nalgorithm = \"enhanced-nbc\"\n";
    let cube =
        "[topology]\nkind = \"hypercube\"\ndimensions = 5\n[routing]\nalgorithm = \"duato\"\n";
    let torus = "[topology]\nkind = \"torus\"\nradix = 4\ndimensions = 3\n";
    let cut_through = "[router]\ndelay = 3\ncrossbar = \"vc\"\nflow_control = \
                       \"virtual-cut-through\"\nbuffer_flits = 32\n";
    for (network, router, flits, more) in [
        (star, router, 32, ""),
        (cube, router, 32, ""),
        (torus, cut_through, 6, "self = true\n"),
    ] {
        let series = series(&format!(
            "{network}{router}[traffic]\npacket_flits = {flits}\n{more}[measure]\n\
             relative_error = 0.01\nmax_cycles = 20_000\n[sweep]\nload = 0.04\n"
        ));
        let fit = Fit::of(&series).unwrap();
        assert!(fit.remarks().is_empty(), "{:?}", fit.remarks());
        let load = series.loads[0];
        let proved = ProvedSeries::prove(&series, false).unwrap();
        let simulated = simulate_point(&proved, load, 1, &NoMonitor).unwrap();
        let simulated = simulated.latency.unwrap().mean;
        let modelled = fit.latency_cycles(load.flits).unwrap().unwrap() + fit.uncounted_cycles();
        assert!(
            (modelled / simulated - 1.0).abs() < 0.04,
            "{network}: {modelled} {simulated}"
        );
    }
}

fn flitsim(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flitsim"))
        .args(arguments)
        .output()
        .expect("flitsim starts")
}

fn write(folder: &Path, text: &str) -> String {
    let path = folder.join("curve.toml");
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

const AUTO: &str = r#"
[topology]
kind = "hypercube"
dimensions = 6
[routing]
algorithm = "duato"
[sweep]
load = "auto"
steps = 8
[[series]]
name = "fits"
[[series]]
name = "does not"
traffic.pattern = "transpose"
"#;

#[test]
fn loads_are_placed_by_the_model_and_what_does_not_fit_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), AUTO);
    let output = flitsim(&["model", &path]);
    assert!(output.status.success(), "{output:?}");
    let warnings = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        warnings.contains("series \"does not\": no model fits"),
        "{warnings}"
    );
    assert!(warnings.contains("`transpose`"), "{warnings}");
    assert!(warnings.contains("`crossbar = \"vc\"`"), "{warnings}");
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some(COLUMNS.join(",").as_str()));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 8, "{text}");
    let field = |row: &[&str], name| {
        let column = COLUMNS.iter().position(|&column| column == name).unwrap();
        row[column].to_owned()
    };
    let saturation: f64 = field(&rows[0], "saturation_load").parse().unwrap();
    let mut before = 0.0;
    for row in &rows {
        assert_eq!(field(row, "scenario"), "curve");
        assert_eq!(field(row, "series"), "fits");
        assert_eq!(field(row, "load_unit"), "flits/node/cycle");
        let load: f64 = field(row, "load").parse().unwrap();
        let latency = field(row, "latency");
        assert_eq!(load > saturation, latency.is_empty(), "{row:?}");
        if let Ok(latency) = latency.parse::<f64>() {
            assert!(latency > before, "{text}");
            before = latency;
        }
    }
    // Both sides of the knee.
    assert!(before > 60.0, "{text}");
    assert!(field(&rows[7], "latency").is_empty() && !field(&rows[5], "latency").is_empty());
    // The same as JSON.
    let output = flitsim(&["model", &path, "--format", "json", "--quiet"]);
    assert!(output.stderr.is_empty(), "{output:?}");
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let objects = json.as_array().unwrap();
    assert_eq!(objects.len(), rows.len());
    for (object, row) in objects.iter().zip(&rows) {
        for (&column, &field) in COLUMNS.iter().zip(row) {
            let value = match &object[column] {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                number => number.as_f64().unwrap().to_string(),
            };
            assert_eq!(value, field, "{column}");
        }
    }
}

/// What each model asks for, one thing wrong at a time.
#[test]
fn what_no_model_fits_says_why() {
    let cube =
        "[topology]\nkind = \"hypercube\"\ndimensions = 4\n[routing]\nalgorithm = \"duato\"\n";
    let pruned = "[topology]\nkind = \"pruned-torus\"\nradix = 4\ndimensions = 3\n\
                  [router]\nflow_control = \"virtual-cut-through\"\nbuffer_flits = 16\n";
    let express = format!("[topology]\n{EXPRESS}\n");
    for (text, reason) in [
        (format!("{cube}[channel]\ndelay = 1\n"), "one cycle a hop"),
        (format!("{cube}[router]\ndelay = 2\n"), "one cycle a hop"),
        (format!("{cube}[router]\npipeline = {{}}\n"), "in stages"),
        (format!("{cube}[router]\nbody_delay = 3\n"), "`body_delay` is 3 and `delay` 1"),
        (format!("{express}[router]\ndelay = 3\nbody_delay = 1\n[channel]\nperiod = 2\n"), "`body_delay` is 1"),
        (format!("{cube}[traffic]\nprocess = \"periodic\"\n"), "`periodic`"),
        (format!("{cube}[traffic]\npattern = \"tornado\"\n").replace("tornado", "bit-complement"), "`bit-complement`"),
        (
            format!("{cube}[traffic]\nmode = \"batch\"\npackets = 4\n"),
            "the traffic is a batch, and",
        ),
        (format!("{pruned}[channel]\nperiod = 2\n"), "`period = 1`"),
        (pruned.replace("virtual-cut-through", "wormhole"), "virtual-cut-through"),
        (format!("{express}decomposition = \"level-one\"\nlevels = 2\n"), "whole modules"),
        (format!("{express}interleaved = 2\n"), "whole modules"),
        (format!("{express}rings = true\n[router]\nvirtual_channels = 2\n"), "not rings"),
        ("[topology]\nkind = \"star\"\nsymbols = 4\n".to_owned(), "`enhanced-nbc`"),
        ("[topology]\nkind = \"fat-pyramid\"\nprocessors = 16\n".to_owned(), "no model of fat-pyramid"),
        ("[topology]\nkind = \"mesh\"\nradix = 4\ndimensions = 2\n[routing]\nalgorithm = \"valiant\"\n".to_owned(), "`valiant` leaves shortest paths"),
        ("[topology]\nkind = \"torus\"\nradix = 4\ndimensions = 2\n[channel]\nmodel = \"linear\"\nwires = \"pipelined\"\n".to_owned(), "differ in their delay"),
    ] {
        let error = Fit::of(&series(&text)).unwrap_err().to_string();
        assert!(error.contains(reason), "{text}: {error}");
    }
}

#[test]
fn where_no_model_fits_the_models_are_listed() {
    let output = flitsim(&["model", "scenarios/topologies/butterfly-fat-tree.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    for part in [
        "no model of butterfly-fat-tree",
        "`enhanced-nbc`",
        "`duato`",
        "`express`",
        "parhami-kwai",
    ] {
        assert!(message.contains(part), "{message}");
    }
}
