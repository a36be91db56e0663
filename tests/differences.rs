//! Series under the same arrivals: what their mean latencies differ by, in the results, on the page and in
//! the terminal.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;

const SCENARIO: &str = r#"
[topology]
kind = "mesh"
radix = 4
dimensions = 2
[traffic]
packet_flits = 4
[measure]
relative_error = 0.01
[sweep]
load = [0.3]
replicas = 2
[[series]]
name = "wide"
[[series]]
name = "narrow"
router.virtual_channels = 1
[[series]]
name = "turned"
traffic.pattern = "transpose"
[[series]]
name = "once"
traffic.pattern = "tornado"
sweep.replicas = 1
[[series]]
name = "turning"
traffic.pattern = "tornado"
[[series]]
name = "turning slowly"
traffic.pattern = "tornado"
router.delay = 3
[[series]]
name = "slow"
router.delay = 3
"#;

type Row = HashMap<String, String>;

/// The terminal's text and the rows by series.
fn sweep(folder: &Path, arguments: &[&str]) -> (String, HashMap<String, Row>) {
    let output = Command::new(env!("CARGO_BIN_EXE_flitsim"))
        .args([&["sweep", "pairs.toml", "--out", "out"], arguments].concat())
        .current_dir(folder)
        .output()
        .expect("the program starts");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{told}");
    let mut reader = csv::Reader::from_path(folder.join("out/points.csv")).unwrap();
    let rows = reader.deserialize().map(|row| {
        let row: Row = row.unwrap();
        (row["series"].clone(), row)
    });
    (told, rows.collect())
}

#[test]
fn series_under_the_same_arrivals_are_compared_with_the_first_of_them() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("pairs.toml"), SCENARIO).unwrap();
    let (told, rows) = sweep(folder.path(), &[]);
    let row = |series: &str| &rows[series];
    let number = |row: &Row, column: &str| row[column].parse::<f64>().unwrap();
    for alone in ["wide", "turned", "once", "turning"] {
        assert_eq!(row(alone)["compared_with"], "", "{alone}");
        assert_eq!(row(alone)["latency_difference"], "", "{alone}");
    }
    for (series, sign) in [("narrow", -1.0), ("slow", 1.0)] {
        let [wide, other] = ["wide", series].map(row);
        assert_eq!(other["compared_with"], "wide");
        let found = number(other, "latency_difference");
        let half_width = number(other, "latency_difference_ci95");
        let of_each = [wide, other].map(|row| number(row, "latency_ci95"));
        let means = number(other, "latency_mean") - number(wide, "latency_mean");
        let apart = of_each[0].hypot(of_each[1]);
        // Packets that share no channel are not cut up by one another: one virtual channel is faster.
        assert!(sign * found > half_width, "{series}: {found} {half_width}");
        assert!((found - means).abs() < 2.0 * apart, "{found} {means}");
        assert!(half_width < 0.6 * apart, "{half_width} {apart}");
    }
    // The first under these arrivals with as many replicas.
    assert_eq!(row("turning slowly")["compared_with"], "turning");
    // Two more cycles in each of the routers that 8/3 hops pass.
    let slow = number(row("slow"), "latency_difference");
    assert!((slow - 2.0 * (8.0 / 3.0 + 1.0)).abs() < 0.5, "{slow}");
    assert!(told.contains("slow: mean latency "), "{told}");
    assert!(
        told.contains("above that of wide at 0.3 flits/node/cycle"),
        "{told}"
    );
    let page = fs::read_to_string(folder.path().join("out/report.html")).unwrap();
    assert!(page.contains("from wide</td>"));

    // What is taken from the folder is compared like what is simulated.
    let points = fs::read(folder.path().join("out/points.csv")).unwrap();
    sweep(folder.path(), &["--resume"]);
    assert_eq!(
        fs::read(folder.path().join("out/points.csv")).unwrap(),
        points
    );
}
