//! Charts of every kind of sweep, checked as drawings: well-formed, nothing outside, no text on
//! another.

use super::chart::{accepted, latency};
use super::figure::Figure;
use super::frame::Size;
use super::text::width;
use flitsim_measure::point::Status;
use flitsim_sweep::results::Row;
use flitsim_sweep::testing::curves;

const LOADS: [f64; 10] = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5];

const EIGHT: [(&str, f64, f64); 8] = [
    ("mesh, 1 virtual channel", 21.3, 0.22),
    ("mesh, 2 virtual channels", 21.3, 0.31),
    ("mesh, 4 virtual channels", 21.3, 0.38),
    ("mesh, 8 virtual channels", 21.3, 0.42),
    ("torus, 2 virtual channels", 18.9, 0.33),
    ("torus, 4 virtual channels", 18.9, 0.45),
    ("hypercube, 1 virtual channel", 15.1, 0.47),
    ("hypercube, 4 virtual channels", 15.1, 0.9),
];

fn figure(title: &str, given: &[(&str, f64, f64)], rows: &[Row]) -> Figure {
    let series: Vec<_> = given.iter().map(|c| (c.0, Some(c.1))).collect();
    Figure::new(title, &series, rows, 500.0)
}

/// Every kind of sweep by name.
fn gallery() -> Vec<(&'static str, Figure)> {
    let one = [("8-ary 2-cube", 21.07, 0.42)];
    let two = [("torus", 18.9, 0.47), ("mesh", 21.3, 0.335)];
    let lost = [("a", 20.0, 0.0), ("b", 30.0, 0.01)];
    let long = [
        (
            "butterfly fat-tree of 256 processors with slack 1, uniform traffic, and a name that goes on and on and on without any end in sight whatsoever",
            25.0,
            0.3,
        ),
        ("<script>alert('&')</script>", 31.0, 0.4),
    ];
    let mut steep = curves(&one, &LOADS);
    for (row, mean) in steep
        .iter_mut()
        .zip([22.0, 23.0, 25.0, 28.0, 31.0, 36.0, 60.0, 420.0])
    {
        row.latency_mean = Some(mean);
        row.latency_ci95 = Some(0.1 * mean);
    }
    steep[6].status = Status::MaxCycles;
    steep[8].status = Status::Deadlock;
    let mut mixed = curves(&two, &LOADS);
    mixed[0].load_unit = "capacity".to_owned();
    vec![
        (
            "one",
            figure(
                "8-ary 2-cube under uniform traffic",
                &one,
                &curves(&one, &LOADS),
            ),
        ),
        ("two", figure("Torus and mesh", &two, &curves(&two, &LOADS))),
        (
            "eight",
            figure("Virtual channels", &EIGHT, &curves(&EIGHT, &LOADS)),
        ),
        (
            "saturated",
            figure("All saturated", &lost, &curves(&lost, &LOADS[2..])),
        ),
        (
            "single",
            figure("One point only", &one, &curves(&one, &[0.3])),
        ),
        (
            "long",
            figure(
                "A title that is as long as titles get when somebody describes the whole experiment in it, with its network, router and traffic",
                &long,
                &curves(&long, &LOADS),
            ),
        ),
        (
            "steep",
            figure(
                "A point beyond the axis, one imprecise, a deadlock",
                &one,
                &steep,
            ),
        ),
        ("mixed", figure("Two units", &two, &mixed)),
        ("empty", figure("", &one, &[])),
    ]
}

fn charts() -> Vec<(String, String)> {
    let mut charts = Vec::new();
    for (name, figure) in gallery() {
        for (kind, size) in [("wide", Size::WIDE), ("narrow", Size::NARROW)] {
            charts.push((
                format!("{name}-{kind}-latency"),
                latency(&figure, size, "id"),
            ));
            charts.push((
                format!("{name}-{kind}-accepted"),
                accepted(&figure, size, "id"),
            ));
        }
    }
    charts
}

#[derive(Debug)]
struct TextBox {
    _text: String,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

/// Where the horizontal texts of a chart lie; widths are upper bounds.
fn text_boxes(document: &roxmltree::Document<'_>) -> Vec<TextBox> {
    let number = |node: &roxmltree::Node<'_, '_>, name: &str| -> f64 {
        node.attribute(name).unwrap().parse().unwrap()
    };
    let texts = document
        .descendants()
        .filter(|node| node.tag_name().name() == "text" && node.attribute("transform").is_none());
    texts
        .map(|node| {
            let text = node.text().unwrap_or_default().to_owned();
            let (x, y) = (number(&node, "x"), number(&node, "y"));
            let size = number(&node, "font-size");
            let wide = width(&text, size);
            let left = match node.attribute("text-anchor").unwrap() {
                "start" => x,
                "middle" => x - wide / 2.0,
                _ => x - wide,
            };
            TextBox {
                _text: text,
                left,
                right: left + wide,
                top: y - 0.75 * size,
                bottom: y + 0.2 * size,
            }
        })
        .collect()
}

#[test]
fn every_chart_is_well_formed_and_no_text_covers_another() {
    for (name, svg) in charts() {
        let document = roxmltree::Document::parse(&svg).unwrap_or_else(|e| panic!("{name}: {e}"));
        let root = document.root_element();
        let number = |name: &str| root.attribute(name).unwrap().parse::<f64>().unwrap();
        let (whole_width, height) = (number("width"), number("height"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{name}");
        let boxes = text_boxes(&document);
        assert!(boxes.len() > 4, "{name}");
        for (i, a) in boxes.iter().enumerate() {
            assert!(a.left >= 0.0 && a.right <= whole_width, "{name}: {a:?}");
            assert!(a.top >= 0.0 && a.bottom <= height, "{name}: {a:?}");
            for b in &boxes[i + 1..] {
                let apart =
                    a.right < b.left || b.right < a.left || a.bottom < b.top || b.bottom < a.top;
                assert!(apart, "{name}: {a:?} and {b:?}");
            }
        }
    }
}

#[test]
fn every_curve_has_its_line_markers_wall_and_zero_load() {
    let rows = curves(&EIGHT, &LOADS);
    let svg = latency(&figure("t", &EIGHT, &rows), Size::WIDE, "id");
    let document = roxmltree::Document::parse(&svg).unwrap();
    for (index, curve) in EIGHT.iter().enumerate() {
        let drawn = |role: &str, pointed_at: bool| {
            let class = format!("{role} c{index}");
            let drawn = document.descendants();
            drawn
                .filter(|node| node.attribute("class") == Some(class.as_str()))
                .filter(|node| node.has_children() == pointed_at)
                .count()
        };
        let stable = LOADS.iter().filter(|&&load| load < curve.2).count();
        let arrows = drawn("stroke", true);
        assert_eq!(drawn("band", false), 1, "{}", curve.0);
        assert_eq!(drawn("mark", true) + arrows, stable, "{}", curve.0);
        // In the key.
        assert_eq!(drawn("mark", false), 1, "{}", curve.0);
        // Line, bar and thin line at zero load, sample; where saturated the wall and its hatching.
        let wall = if stable < LOADS.len() { 2 } else { 0 };
        assert_eq!(drawn("stroke", false), 4 + wall, "{}", curve.0);
    }
}

#[test]
fn the_same_rows_give_the_same_bytes_in_any_order_of_series_rows() {
    let mut rows = curves(&EIGHT, &LOADS);
    let before = latency(&figure("t", &EIGHT, &rows), Size::WIDE, "id");
    rows.reverse();
    assert_eq!(
        before,
        latency(&figure("t", &EIGHT, &rows), Size::WIDE, "id")
    );
}

/// `UPDATE=1 cargo test -p flitsim-report golden` rewrites the file, for review.
#[test]
fn a_chart_equals_its_golden_file() {
    let (_, figure) = gallery().swap_remove(1);
    let svg = latency(&figure, Size::WIDE, "plot");
    if std::env::var_os("UPDATE").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/golden/two.svg");
        std::fs::write(path, &svg).unwrap();
        return;
    }
    let golden = include_str!("golden/two.svg");
    assert!(
        svg == golden,
        "the chart changed: see how to rewrite it above"
    );
}
