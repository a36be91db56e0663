//! `flitsim saturate` against a fine sweep: whether the search finds what a sweep shows, at what cost.
//!
//! On the 8×8 mesh and the 8-ary 2-cube, uniform traffic, packets of 16 flits, default router. The
//! sweep has loads one per cent of capacity apart and intervals of 2 %, and no limit of latency. Its
//! saturation is the highest load at which accepted equals offered within the interval and the source
//! queues do not grow.
//!
//! ```sh
//! cargo run --release --locked --example saturate_vs_sweep -- --seeds 3
//! ```
//!
//! Fails where a search is more than 2 % of capacity off, or takes more than a quarter of the
//! sweep's cycles. `--seeds N` (1): searches and sweeps under each of the seeds 1 to N; `--quiet`
//! leaves out the points of the sweeps.

use flitsim::point::{PointResult, Status};
use flitsim::proof::ProvedSeries;
use flitsim::saturation::{NoWatch, SearchSettings, TOLERANCE, find};
use flitsim::scenario::plan::{Load, Plan};
use flitsim::scenario::{Overrides, SeriesPlan};
use flitsim::simulate::NoMonitor;
use flitsim::simulate_point;
use std::error::Error;
use std::path::Path;

/// The kind of network, its capacity in flits per node per cycle, and the sweep's loads in per cent
/// of that.
const NETWORKS: [(&str, f64, std::ops::RangeInclusive<u32>); 2] =
    [("mesh", 0.5, 60..=80), ("torus", 1.0, 40..=60)];

fn main() -> Result<(), Box<dyn Error>> {
    let (mut seeds, mut is_quiet) = (1, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        match name.as_str() {
            "--quiet" => is_quiet = true,
            "--seeds" => seeds = arguments.next().ok_or("--seeds needs a value")?.parse()?,
            _ => return Err(format!("unknown option {name}").into()),
        }
    }
    let mut all_agree = true;
    for (kind, capacity, loads) in NETWORKS {
        let series = series(kind)?;
        for seed in 1..=seeds {
            let loads = loads.clone().map(|part| f64::from(part) / 100.0 * capacity);
            all_agree &= compare(kind, &series, capacity, loads.collect(), seed, is_quiet)?;
        }
    }
    match all_agree {
        true => Ok(()),
        false => Err("a search does not agree with its sweep".into()),
    }
}

fn series(kind: &str) -> Result<SeriesPlan, Box<dyn Error>> {
    let text = format!(
        "[topology]\nkind = \"{kind}\"\nradix = 8\ndimensions = 2\n\
         [traffic]\npacket_flits = 16\n[measure]\nlatency_limit = 100_000.0\n"
    );
    let mut plan = Plan::parse(Path::new("compare.toml"), text, Overrides::default())?;
    Ok(plan.series.remove(0))
}

/// Prints search and sweep side by side; whether they agree.
fn compare(
    kind: &str,
    series: &SeriesPlan,
    capacity: f64,
    loads: Vec<f64>,
    seed: u64,
    is_quiet: bool,
) -> Result<bool, Box<dyn Error>> {
    let series = &ProvedSeries::prove(series, false)?;
    let found = find(series, SearchSettings::new(TOLERANCE, seed), &NoWatch)?;
    let points: Vec<PointResult> = flitsim_topology::parallel::try_map(loads.len(), |index| {
        let flits = loads[index];
        let in_unit = flits;
        simulate_point(series, Load { in_unit, flits }, seed, &NoMonitor)
    })?;
    for point in points.iter().filter(|_| !is_quiet) {
        println!(
            "{kind}, seed {seed}: offered {:.4}, accepted {:.5} ± {:.5}, {}, {} cycles",
            point.offered_flits,
            point.accepted_flits,
            point.accepted_ci95,
            point.status.as_str(),
            point.cycles
        );
    }
    let stable = points.iter().rfind(|point| is_stable(point));
    let last_stable = stable.ok_or("no load of the sweep is stable")?;
    let sweep = last_stable.offered_flits;
    let cycles: u64 = points.iter().map(|point| point.cycles).sum();
    let off = (found.load - sweep) / capacity;
    let share = found.cycles as f64 / cycles as f64;
    println!(
        "{kind}, seed {seed}: search {:.4} ({:.4} - {:.4}) in {} cycles; sweep {sweep:.4} in {cycles} \
         cycles; {:+.2} % of capacity, {:.1} % of the cycles; {:.4} accepted at an overload of {:.2}",
        found.load,
        found.low,
        found.high,
        found.cycles,
        100.0 * off,
        100.0 * share,
        found.accepted_at_overload,
        found.overload,
    );
    Ok(off.abs() <= 0.02 && share <= 0.25)
}

/// Accepted equals offered within the interval, and the source queues do not grow: a point whose
/// queues grow ends as saturated.
fn is_stable(point: &PointResult) -> bool {
    point.status != Status::Saturated
        && point.accepted_flits + point.accepted_ci95 >= point.offered_flits
}
