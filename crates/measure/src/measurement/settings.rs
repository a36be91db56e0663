//! What a user asks of a measurement.

use super::details::Details;

/// When the measurement window begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warmup {
    /// Once the transient is over, by MSER-5 with the guard that the accepted load equals the offered load.
    Auto,
    /// After this many cycles, fewer than [`MeasureSettings::max_cycles`].
    Cycles(u64),
}

/// The scenario's `[measure]` table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasureSettings {
    /// When the measurement window begins.
    pub warmup: Warmup,
    /// Wanted half-width of the 95 % confidence interval of the mean latency, divided by the mean: 0 or more.
    /// At 0 a point goes on to `max_cycles`.
    pub relative_error: f64,
    /// Cycles after which a point ends in any case: 1 or more.
    pub max_cycles: u64,
    /// Mean latency, in cycles, above which a point counts as saturated: more than 0, and infinite for no
    /// limit.
    pub latency_limit: f64,
    /// What to report beyond a row of `points.csv`.
    pub details: Details,
}

impl Default for MeasureSettings {
    fn default() -> Self {
        Self {
            warmup: Warmup::Auto,
            relative_error: 0.02,
            max_cycles: 1_000_000,
            latency_limit: 500.0,
            details: Details::default(),
        }
    }
}
