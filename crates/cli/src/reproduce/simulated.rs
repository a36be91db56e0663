//! The simulated points of many items, simulated together.
//!
//! Invariant: a point that several items show is simulated once; an item's rows are those that
//! `flitsim sweep` of its scenario gives, whatever else is simulated beside it.

use super::items::Quick;
use flitsim_scenario::SeriesPlan;
use flitsim_scenario::plan::{Load, Plan};
use flitsim_sweep::results::{Finished, Row, hash, points_of};
use std::collections::{BTreeMap, BTreeSet};

/// Finished points by key.
pub type Points = BTreeMap<String, Finished>;

/// The scenario of an item, and the keys of its points in scenario order.
#[derive(Clone, Debug)]
pub struct Simulated {
    /// The scenario.
    pub plan: Plan,
    keys: Vec<String>,
}

impl Simulated {
    /// The points of `plan`.
    pub fn new(plan: Plan) -> Self {
        let keys = flitsim_sweep::results::keys_of(&plan);
        Self { plan, keys }
    }

    /// The points of `plan` that `--quick` simulates.
    pub fn hurried(mut plan: Plan, quick: &Quick) -> Self {
        plan.series
            .retain(|series| series.network.terminals() <= quick.nodes_most);
        for series in &mut plan.series {
            let mut measure = series.measure;
            measure.relative_error = measure.relative_error.max(quick.relative_error);
            measure.max_cycles = measure.max_cycles.min(quick.max_cycles);
            series.set_measure(measure);
            series.loads = thinned(&series.loads, quick.loads_most);
        }
        Self::new(plan)
    }

    /// The keys of its points.
    pub fn keys(&self) -> &[String] {
        &self.keys
    }

    /// Its rows in scenario order, of the points that are done.
    pub fn rows(&self, points: &Points) -> Vec<Row> {
        let each = points_of(&self.plan).zip(&self.keys);
        each.filter_map(|((series, load), key)| {
            let mut row = points.get(key)?.row.clone();
            row.name(&self.plan, series, load);
            Some(row)
        })
        .collect()
    }

    /// Whether every point is done.
    pub fn is_done(&self, points: &Points) -> bool {
        self.keys.iter().all(|key| points.contains_key(key))
    }
}

/// `loads`, at most `most` of them, evenly chosen, first and last included.
fn thinned(loads: &[Load], most: usize) -> Vec<Load> {
    let last = loads.len().saturating_sub(1);
    if loads.len() <= most || most < 2 {
        return loads[..loads.len().min(most.max(1))].to_vec();
    }
    (0..most)
        .map(|i| loads[(i * last + (most - 1) / 2) / (most - 1)])
        .collect()
}

/// One plan of every point of `items` that is not yet in `points`, each once.
///
/// # Panics
/// If the items do not share a seed.
pub fn together<'i>(items: impl Iterator<Item = &'i Simulated>, points: &Points) -> Option<Plan> {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut whole: Option<Plan> = None;
    for item in items {
        let plan = whole.get_or_insert_with(|| Plan {
            series: Vec::new(),
            ..item.plan.clone()
        });
        assert_eq!(
            plan.seed, item.plan.seed,
            "every paper's scenario has one seed"
        );
        for series in &item.plan.series {
            let mut series: SeriesPlan = series.clone();
            series.name = format!("{} {}", item.plan.scenario, series.name);
            let loads = std::mem::take(&mut series.loads);
            for load in loads {
                let key = hash::point_key(&series, load, item.plan.seed);
                if !points.contains_key(&key) && seen.insert(key) {
                    series.loads.push(load);
                }
            }
            if !series.loads.is_empty() {
                plan.series.push(series);
            }
        }
    }
    whole.filter(|plan| !plan.series.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitsim_sweep::testing::{plan, row};

    fn finished(load: f64) -> Finished {
        Finished {
            row: row("whatever", load, 20.0),
            deadlock: None,
            spans: Vec::new(),
        }
    }

    #[test]
    fn a_point_of_two_items_is_simulated_once() {
        let one = Simulated::new(plan(&[("a", &[0.1, 0.2])]));
        let mut other = plan(&[("a", &[0.2, 0.3])]);
        other.scenario = "other".to_owned();
        let other = Simulated::new(other);
        let done = Points::from([(one.keys()[0].clone(), finished(0.1))]);
        let whole = together([&one, &other].into_iter(), &done).unwrap();
        let names: Vec<_> = points_of(&whole)
            .map(|(s, l)| (s.name.as_str(), l.flits))
            .collect();
        assert_eq!(names, [("test a", 0.2), ("other a", 0.3)]);
        // What is done serves both, under the names of each.
        let points: Points = one
            .keys()
            .iter()
            .chain(other.keys())
            .map(|key| (key.clone(), finished(0.2)))
            .collect();
        assert!(one.is_done(&points) && !other.is_done(&done));
        assert!(together([&one, &other].into_iter(), &points).is_none());
        let row = &other.rows(&points)[0];
        assert_eq!(
            (row.scenario.as_str(), row.series.as_str(), row.load),
            ("other", "a", 0.2)
        );
    }

    #[test]
    fn a_hurry_leaves_the_ends_of_a_curve() {
        let loads: Vec<f64> = (1..=20).map(|i| f64::from(i) / 100.0).collect();
        let quick = Quick {
            loads_most: 4,
            ..Quick::default()
        };
        let item = Simulated::hurried(plan(&[("a", &loads)]), &quick);
        let left: Vec<f64> = item.plan.series[0]
            .loads
            .iter()
            .map(|load| load.flits)
            .collect();
        assert_eq!(left.len(), 4);
        assert_eq!((left[0], left[3]), (0.01, 0.2));
        assert!(left.is_sorted());
        assert_ne!(
            Simulated::new(plan(&[("a", &loads)])).keys()[0],
            item.keys()[0]
        );
        let none = Quick {
            nodes_most: 15,
            ..Quick::default()
        };
        assert!(
            Simulated::hurried(plan(&[("a", &loads)]), &none)
                .keys()
                .is_empty()
        );
    }
}
