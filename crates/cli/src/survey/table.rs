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

/// A line of the listing: its label, and its value; `None` where there is nothing to say.
type Line = (&'static str, fn(&Survey) -> Option<String>);

const LINES: [Line; 26] = [
    ("topology", |s| Some(s.subject.topology.clone())),
    ("failed", |s| described(&s.subject.network)),
    ("nodes", |s| {
        Some(s.subject.living().terminals().to_string())
    }),
    ("switches", |s| Some(switches(s))),
    ("channels, one way", |s| {
        Some(s.subject.living().channels().to_string())
    }),
    ("channels out of a router", |s| {
        Some(if s.degree_min == s.degree_max {
            s.degree_max.to_string()
        } else {
            format!("{} to {}", s.degree_min, s.degree_max)
        })
    }),
    ("connected", |s| {
        let is_parted = s.distances.is_none();
        is_parted.then(|| "no: some terminals cannot reach some others".to_owned())
    }),
    ("diameter, hops", |s| {
        let distances = s.distances.as_ref()?;
        Some(format!("{}{}", distances.diameter(), sources(distances)))
    }),
    ("mean distance, hops", |s| {
        let distances = s.distances.as_ref()?;
        Some(format!(
            "{}, with itself {}{}",
            digits(distances.mean_without_self()),
            digits(distances.mean_with_self()),
            sources(distances)
        ))
    }),
    ("pairs by distance", |s| Some(shares(s.distances.as_ref()?))),
    ("bipartite", |s| {
        Some(if s.is_bipartite { "yes" } else { "no" }.to_owned())
    }),
    ("node-symmetric", |s| Some(known(s.is_node_symmetric))),
    ("channel-symmetric", |s| Some(known(s.is_channel_symmetric))),
    ("node connectivity", |s| {
        Some(failures(&s.faults.as_ref()?.nodes))
    }),
    ("channel connectivity", |s| {
        Some(failures(&s.faults.as_ref()?.channels))
    }),
    ("fault diameter", |s| {
        let found = s.faults.as_ref()?.diameter?;
        (found.faults > 0).then(|| fault_diameter(&found))
    }),
    ("fault diameter, theorem", |s| {
        Some(format!("at most {}", s.fault_diameter_bound?))
    }),
    ("bisection, channels", |s| {
        let found = &s.bisection;
        let method = bisection_method(found.method);
        Some(format!("{} ({method}: {})", found.channels, found.how))
    }),
    ("pin-out, channel widths", |s| Some(s.pin_out.to_string())),
    ("wire length, pitches", |s| {
        let wires = &s.wires;
        let [mean, min, max] =
            [wires.mean_pitches, wires.min_pitches, wires.max_pitches].map(digits);
        Some(format!("mean {mean}, {min} to {max}"))
    }),
    ("wires a row of the layout", |s| {
        let density = s.layout_density.as_ref()?;
        let source = density.source.text();
        Some(format!("{} ({source})", digits(density.wires)))
    }),
    ("channels across a row", |s| {
        let profile = s.row_density.as_ref()?;
        let (cut, _) = profile.peak()?;
        let cuts = profile.cuts().len();
        Some(format!(
            "{} in the middle, at most {}, first at cut {cut} of {cuts}",
            digits(profile.per_line(cuts as u32 / 2 + 1)),
            digits(profile.peak_per_line()),
        ))
    }),
    ("layout, wire pitches", |s| {
        let area = s.area?;
        Some(format!(
            "{} by {}, each times the channel width",
            digits(area.width_wire_pitches),
            digits(area.height_wire_pitches)
        ))
    }),
    ("channel width, bits", |s| {
        Some(s.subject.width_bits?.to_string())
    }),
    ("routing", |s| {
        let virtual_channels = s.subject.engine.virtual_channels.into();
        let routing = s.subject.routing.name();
        Some(format!(
            "{routing}, {}",
            count(virtual_channels, "virtual channel")
        ))
    }),
    ("ideal throughput", |s| {
        let ideal = s.throughput.as_ref()?;
        Some(format!(
            "{} flits/node/cycle, uniform ({})",
            digits(ideal.flits),
            throughput_method(ideal.method)
        ))
    }),
];

fn listing(survey: &Survey) -> String {
    let lines = LINES.iter();
    let lines = lines.filter_map(|(label, value)| Some((*label, value(survey)?)));
    aligned::listing(&lines.collect::<Vec<_>>())
}

fn digits(value: f64) -> String {
    brief(value, DIGITS)
}

fn switches(survey: &Survey) -> String {
    let network = survey.subject.living();
    (network.nodes() - network.terminals()).to_string()
}

/// From how many sources `distances` are, where not from all.
fn sources(distances: &DistanceProfile) -> String {
    match distances.method {
        DistanceMethod::Exact => String::new(),
        DistanceMethod::Sampled { sources } => format!(", from {sources} sources"),
    }
}

fn known(value: Option<bool>) -> String {
    match value {
        Some(true) => "yes, by automorphisms that were checked",
        Some(false) => "no",
        None => "not known",
    }
    .to_owned()
}

/// The share of each distance among the ordered pairs of different terminals.
fn shares(distances: &DistanceProfile) -> String {
    const SHOWN: usize = 16;
    let mut pairs = distances.pairs_by_distance.clone();
    // Others at the same router are as near.
    pairs[0] -= distances.pairs_with_itself;
    let all: u64 = pairs.iter().sum();
    let each = pairs.iter().enumerate().filter(|(_, pairs)| **pairs > 0);
    let mut words: Vec<String> = each
        .map(|(hops, &pairs)| {
            let share = brief(100.0 * pairs as f64 / all as f64, 3);
            format!("{hops}: {share} %")
        })
        .collect();
    if words.len() > SHOWN {
        words.truncate(SHOWN);
        words.push("...".to_owned());
    }
    words.join("  ")
}

/// A column of the comparison: its title, what stands in it, and whether that is a number.
type Column = (&'static str, fn(&Survey) -> String);

const COLUMNS: [Column; 14] = [
    ("nodes", |s| s.subject.living().terminals().to_string()),
    ("switches", switches),
    ("channels", |s| s.subject.network.channels().to_string()),
    ("degree", |s| s.degree_max.to_string()),
    ("diameter", |s| {
        of_distances(s, |d| d.diameter().to_string())
    }),
    ("mean distance", |s| {
        of_distances(s, |d| digits(d.mean_without_self()))
    }),
    ("with itself", |s| {
        of_distances(s, |d| digits(d.mean_with_self()))
    }),
    ("bisection", |s| match s.bisection.method {
        BisectionMethod::Bound => format!("≤ {}", s.bisection.channels),
        BisectionMethod::Formula | BisectionMethod::Exact => s.bisection.channels.to_string(),
    }),
    ("pin-out", |s| s.pin_out.to_string()),
    ("density", |s| {
        s.layout_density
            .as_ref()
            .map_or_else(dash, |d| digits(d.wires))
    }),
    ("width", |s| {
        s.subject.width_bits.map_or_else(dash, |w| w.to_string())
    }),
    ("fault diameter", |s| {
        s.fault_diameter_bound
            .map_or_else(dash, |bound| format!("≤ {bound}"))
    }),
    ("ideal throughput, uniform", |s| {
        s.throughput.as_ref().map_or_else(dash, |t| match t.method {
            ThroughputMethod::EvenLoads | ThroughputMethod::TerminalChannels => {
                format!("≤ {}", brief(t.flits, 4))
            }
            ThroughputMethod::EvenSplit => format!("≈ {}", brief(t.flits, 4)),
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
