//! Who watches searches.

use flitsim_measure::point::PointResult;
use flitsim_scenario::SeriesPlan;

/// Watches a search.
pub trait Watch: Sync {
    /// A load is about to be tried, the saturation known to lie in `low..high`.
    fn trying(&self, _load: f64, _low: f64, _high: f64) {}

    /// How far the point under way is.
    fn cycles(&self, _cycles: u64) {}

    /// A load was tried.
    fn tried(&self, _point: &PointResult) {}

    /// Whether to give the search up.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Watches the searches of several series.
pub trait Searches: Sync {
    /// The search in `series` begins; it is over when what is returned is dropped.
    fn started<'s>(&'s self, series: &'s SeriesPlan) -> Box<dyn Watch + 's>;
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoWatch;

impl Watch for NoWatch {}
