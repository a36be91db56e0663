//! `load = "auto"`: points where the curve bends, from a fast first search.
//!
//! A curve of latency against load is flat near zero load, bends at the knee and rises like
//! 1 / (1 - load / saturation). Even steps of load leave its rise to two or three points; steps that
//! halve the distance to saturation again and again leave its foot empty. The loads are half way
//! between the two.
//!
//! Invariant: the loads depend on the series, how many are wanted and the seed, and on nothing else.

use super::found::{Ending, Saturation};
use super::search::{SearchSettings, find};
use super::watch::Searches;
use crate::threads::Threads;
use flitsim_measure::simulate::SimulateError;
use flitsim_scenario::SeriesPlan;
use flitsim_scenario::plan::{Load, LoadScale};
use flitsim_scenario::proof::{ProvedPlan, ProvedSeries};

/// The width of the first search's interval over the ideal bound.
const TOLERANCE: f64 = 0.05;

/// The lowest load, and the bounds of the highest stable one, over the saturation. Between them it
/// is the lower end of what was found: a point that saturates after all tells little of the bend.
const FIRST: f64 = 0.1;
const LAST: [f64; 2] = [0.9, 0.97];

/// Loads above saturation, over the upper end of its interval.
const ABOVE: [f64; 2] = [1.05, 1.2];

/// Digits of a load, in its unit: what a table shows names the same point.
const DIGITS: usize = 3;

/// Finds the loads of every series of `plan` whose scenario leaves them to flitsim, series side by
/// side on the threads of the current pool, each point on those that `threads` says; `searches` watches.
/// Returns what the searches found, `None` where loads are given.
///
/// # Errors
/// As [`find`].
pub fn place(
    plan: &mut ProvedPlan,
    threads: Threads,
    searches: &dyn Searches,
) -> Result<Vec<Option<Saturation>>, SimulateError> {
    let seed = plan.seed;
    let series: Vec<ProvedSeries<'_>> = plan.proved_series().collect();
    let of = |series: &ProvedSeries<'_>| match series.loads_auto {
        Some(_) => {
            let settings = SearchSettings {
                threads: threads.of(series),
                ..SearchSettings::new(TOLERANCE, seed)
            };
            find(series, settings, &*searches.started(series)).map(Some)
        }
        None => Ok(None),
    };
    let found = flitsim_topology::parallel::try_map(series.len(), |index| of(&series[index]))?;
    let placed: Vec<Option<Vec<Load>>> = series
        .iter()
        .zip(&found)
        .map(|(series, found)| {
            let auto = series.loads_auto.as_ref()?;
            Some(loads(found.as_ref()?, auto.steps, series))
        })
        .collect();
    for (index, loads) in placed.into_iter().enumerate() {
        if let Some(loads) = loads {
            plan.set_loads(index, loads);
        }
    }
    Ok(found)
}

/// `steps` loads around the saturation that was found.
fn loads(found: &Saturation, steps: u64, series: &SeriesPlan) -> Vec<Load> {
    let is_saturated = found.ending != Ending::NotSaturated;
    let high = is_saturated.then_some(found.high);
    // Loads that were left undecided are worth a point: they may be stable.
    let (bend, low) = match found.ending {
        Ending::Undecided => (found.high, found.high),
        Ending::Found | Ending::NotSaturated => (found.load, found.low),
    };
    around(bend, low / bend, high, steps, &series.load_scale)
}

/// `steps` loads, most of them below `saturation`, the last of these about the share `last` of it, and
/// two above `high` where there is such a load; loads in flits per node per reference cycle.
pub fn around(
    saturation: f64,
    last: f64,
    high: Option<f64>,
    steps: u64,
    scale: &LoadScale,
) -> Vec<Load> {
    let mut flits = Vec::new();
    if let Some(high) = high {
        let most = ABOVE.len().min(steps as usize / 4);
        let above = ABOVE.iter().take(most).map(|factor| factor * high);
        flits.extend(above.filter(|&load| load < scale.flits_most));
    }
    let below = steps as usize - flits.len();
    let last = last.clamp(LAST[0], LAST[1]);
    flits.extend((0..below).map(|i| saturation * share(i, below, last)));
    let mut in_units: Vec<f64> = flits
        .iter()
        .map(|flits| rounded(flits / scale.flits_per_unit))
        .collect();
    in_units.sort_by(f64::total_cmp);
    in_units.dedup();
    in_units
        .into_iter()
        .map(|in_unit| Load {
            in_unit,
            flits: (in_unit * scale.flits_per_unit).min(scale.flits_most),
        })
        .collect()
}

/// The i-th of n loads below saturation, up to `last`, over it: half way between even steps and steps
/// that leave ever the same share of what is left.
fn share(i: usize, n: usize, last: f64) -> f64 {
    if n < 2 {
        return 0.5;
    }
    let along = i as f64 / (n - 1) as f64;
    let even = FIRST + (last - FIRST) * along;
    let shrinking = 1.0 - (1.0 - FIRST) * ((1.0 - last) / (1.0 - FIRST)).powf(along);
    0.5 * (even + shrinking)
}

/// `x` to [`DIGITS`] significant digits.
fn rounded(x: f64) -> f64 {
    format!("{x:.*e}", DIGITS - 1).parse().unwrap_or(x)
}
