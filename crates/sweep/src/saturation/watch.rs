//! Who watches searches.

use flitsim_measure::point::PointResult;
use flitsim_scenario::SeriesPlan;

/// Watches a search.
pub trait Watch: Sync {
    /// A load is about to be tried, the saturation known to lie in `low..high`.
    fn trying(&self, load: f64, low: f64, high: f64) {
        let _ = (load, low, high);
    }

    /// How far the point under way is.
    fn cycles(&self, cycles: u64) {
        let _ = cycles;
    }

    /// A load was tried.
    fn tried(&self, point: &PointResult) {
        let _ = point;
    }

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
