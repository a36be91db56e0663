//! Surveys for people: a listing of one network, a line each of several.

use super::words::{bisection_method, failures, fault_diameter, throughput_method};
use super::{Survey, ThroughputMethod};
use crate::aligned::{self, columns};
use flitsim_report::words::count;
use flitsim_scenario::faults::described;
use flitsim_sweep::results::number::brief;
use flitsim_topology::properties::{BisectionMethod, DistanceMethod, DistanceProfile};

/// Digits of numbers that are not whole.
const DIGITS: usize = 6;

/// The listing of one survey, or the comparison of several.
pub fn table(surveys: &[Survey]) -> String {
    match surveys {
        [one] => listing(one),
        several => comparison(several),
    }
}

fn listing(survey: &Survey) -> String {
    let mut lines: Vec<(&str, String)> = vec![("topology", survey.subject.topology.clone())];
    if let Some(failed) = described(&survey.subject.network) {
        lines.push(("failed", failed));
    }
    lines.extend(graph_lines(survey));
    lines.extend(wiring_lines(survey));
    lines.extend(routing_lines(survey));
    aligned::listing(&lines)
}

fn graph_lines(survey: &Survey) -> Vec<(&'static str, String)> {
    let network = &*survey.subject.living();
    let switches = network.nodes() - network.terminals();
    let mut lines = vec![
        ("nodes", network.terminals().to_string()),
        ("switches", switches.to_string()),
        ("channels, one way", network.channels().to_string()),
        (
            "channels out of a router",
            if survey.degree_min == survey.degree_max {
                survey.degree_max.to_string()
            } else {
                format!("{} to {}", survey.degree_min, survey.degree_max)
            },
        ),
    ];
    match &survey.distances {
        None => lines.push((
            "connected",
            "no: some terminals cannot reach some others".to_owned(),
        )),
        Some(distances) => {
            let of = match distances.method {
                DistanceMethod::Exact => String::new(),
                DistanceMethod::Sampled { sources } => format!(", from {sources} sources"),
            };
            lines.push(("diameter, hops", format!("{}{of}", distances.diameter())));
            lines.push((
                "mean distance, hops",
                format!(
                    "{}, with itself {}{of}",
                    brief(distances.mean_without_self(), DIGITS),
                    brief(distances.mean_with_self(), DIGITS)
                ),
            ));
            lines.push(("pairs by distance", shares(&distances.pairs_by_distance)));
        }
    }
    lines.extend(symmetry_lines(survey));
    lines
}

fn symmetry_lines(survey: &Survey) -> Vec<(&'static str, String)> {
    let known = |value: Option<bool>| match value {
        Some(true) => "yes, by automorphisms that were checked",
        Some(false) => "no",
        None => "not known",
    };
    let mut lines = vec![
        (
            "bipartite",
            if survey.is_bipartite { "yes" } else { "no" }.to_owned(),
        ),
        (
            "terminals all alike",
            known(survey.is_node_symmetric).to_owned(),
        ),
        (
            "channels all alike",
            known(survey.is_channel_symmetric).to_owned(),
        ),
    ];
    if let Some(faults) = &survey.faults {
        lines.push(("nodes that part it", failures(&faults.nodes)));
        lines.push(("channels that part it", failures(&faults.channels)));
        if let Some(found) = faults.diameter.filter(|found| found.faults > 0) {
            lines.push(("fault diameter", fault_diameter(&found)));
        }
    }
    if let Some(bound) = survey.fault_diameter_bound {
        lines.push(("fault diameter, theorem", format!("at most {bound}")));
    }
    lines
}

/// The share of each distance among the ordered pairs of different terminals.
fn shares(pairs_by_distance: &[u64]) -> String {
    const SHOWN: usize = 16;
    let others = pairs_by_distance.get(1..).unwrap_or_default();
    let all: u64 = others.iter().sum();
    let each = others.iter().enumerate().filter(|(_, pairs)| **pairs > 0);
    let mut words: Vec<String> = each
        .map(|(i, &pairs)| {
            format!(
                "{}: {} %",
                i + 1,
                brief(100.0 * pairs as f64 / all as f64, 3)
            )
        })
        .collect();
    if words.len() > SHOWN {
        words.truncate(SHOWN);
        words.push("...".to_owned());
    }
    words.join("  ")
}

fn wiring_lines(survey: &Survey) -> Vec<(&'static str, String)> {
    let found = &survey.bisection;
    let mut lines = vec![
        (
            "bisection, channels",
            format!(
                "{} ({}: {})",
                found.channels,
                bisection_method(found.method),
                found.how
            ),
        ),
        ("pin-out, channel widths", survey.pin_out.to_string()),
    ];
    let wires = &survey.wires;
    lines.push((
        "wire length, pitches",
        format!(
            "mean {}, {} to {}",
            brief(wires.mean_pitches, DIGITS),
            brief(wires.min_pitches, DIGITS),
            brief(wires.max_pitches, DIGITS)
        ),
    ));
    if let Some(density) = &survey.layout_density {
        lines.push((
            "wires a row of the layout",
            format!(
                "{} ({})",
                brief(density.wires, DIGITS),
                density.source.text()
            ),
        ));
    }
    if let Some((profile, (cut, _))) = survey
        .row_density
        .as_ref()
        .and_then(|p| Some((p, p.peak()?)))
    {
        let middle = profile.cuts().len() as u32 / 2 + 1;
        lines.push((
            "channels across a row",
            format!(
                "{} in the middle, at most {}, first at cut {cut} of {}",
                brief(profile.per_line(middle), DIGITS),
                brief(profile.peak_per_line(), DIGITS),
                profile.cuts().len()
            ),
        ));
    }
    if let Some(area) = &survey.area {
        lines.push((
            "layout, wire pitches",
            format!(
                "{} by {}, each times the channel width",
                brief(area.width_wire_pitches, DIGITS),
                brief(area.height_wire_pitches, DIGITS)
            ),
        ));
    }
    if let Some(width_bits) = survey.subject.width_bits {
        lines.push(("channel width, bits", width_bits.to_string()));
    }
    lines
}

fn routing_lines(survey: &Survey) -> Vec<(&'static str, String)> {
    let subject = &survey.subject;
    let mut lines = vec![(
        "routing",
        format!(
            "{}, {}",
            subject.routing.name(),
            count(subject.engine.virtual_channels.into(), "virtual channel")
        ),
    )];
    if let Some(ideal) = &survey.throughput {
        lines.push((
            "ideal throughput",
            format!(
                "{} flits/node/cycle, uniform ({})",
                brief(ideal.flits, DIGITS),
                throughput_method(ideal.method)
            ),
        ));
    }
    lines
}

/// A column of the comparison: its title, what stands in it, and whether that is a number.
type Column = (&'static str, fn(&Survey) -> String);

const COLUMNS: [Column; 14] = [
    ("nodes", |s| s.subject.living().terminals().to_string()),
    ("switches", |s| {
        let network = s.subject.living();
        (network.nodes() - network.terminals()).to_string()
    }),
    ("channels", |s| s.subject.network.channels().to_string()),
    ("degree", |s| s.degree_max.to_string()),
    ("diameter", |s| {
        of_distances(s, |d| d.diameter().to_string())
    }),
    ("mean distance", |s| {
        of_distances(s, |d| brief(d.mean_without_self(), DIGITS))
    }),
    ("with itself", |s| {
        of_distances(s, |d| brief(d.mean_with_self(), DIGITS))
    }),
    ("bisection", |s| match s.bisection.method {
        BisectionMethod::Bound => format!("≤ {}", s.bisection.channels),
        BisectionMethod::Formula | BisectionMethod::Exact => s.bisection.channels.to_string(),
    }),
    ("pin-out", |s| s.pin_out.to_string()),
    ("density", |s| {
        s.layout_density
            .as_ref()
            .map_or_else(dash, |d| brief(d.wires, DIGITS))
    }),
    ("width", |s| {
        s.subject.width_bits.map_or_else(dash, |w| w.to_string())
    }),
    ("fault diameter", |s| {
        s.fault_diameter_bound
            .map_or_else(dash, |bound| format!("≤ {bound}"))
    }),
    ("ideal throughput", |s| {
        s.throughput.as_ref().map_or_else(dash, |t| match t.method {
            ThroughputMethod::EvenLoads => format!("≤ {}", brief(t.flits, 4)),
            ThroughputMethod::Formula | ThroughputMethod::ExactLoads => brief(t.flits, 4),
        })
    }),
    ("routing", |s| s.subject.routing.name().to_owned()),
];

fn dash() -> String {
    "–".to_owned()
}

fn of_distances(survey: &Survey, text: impl Fn(&DistanceProfile) -> String) -> String {
    survey.distances.as_ref().map_or_else(dash, text)
}

/// A line a network. Columns that say nothing of any network are left out.
fn comparison(surveys: &[Survey]) -> String {
    let mut rows: Vec<Vec<String>> = vec![vec!["network".to_owned()]];
    rows.extend(
        surveys
            .iter()
            .map(|survey| vec![survey.subject.title().to_owned()]),
    );
    for (title, cell) in COLUMNS {
        let cells: Vec<String> = surveys.iter().map(cell).collect();
        if cells.iter().all(|cell| *cell == dash()) {
            continue;
        }
        rows[0].push(title.to_owned());
        for (row, cell) in rows[1..].iter_mut().zip(cells) {
            row.push(cell);
        }
    }
    columns(&rows)
}
