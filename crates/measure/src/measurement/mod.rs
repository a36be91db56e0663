//! Measurement: when the warm-up is over, when a mean is known well enough, when a point is
//! saturated. The method is in `docs/method.md`.

pub mod controller;
pub mod decide;
pub mod deliveries;
pub mod details;
pub mod drift;
pub mod estimates;
pub mod histogram;
pub mod mser;
pub mod pace;
pub mod recorder;
pub mod replicas;
pub mod rounds;
pub mod series;
pub mod stability;
pub mod stability_test;
pub mod statistics;
pub mod to_the_end;
#[cfg(test)]
mod toy;

use details::Details;

/// When the measurement window begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warmup {
    /// Where the transient is over, by MSER-5 with the guard that accepted equals offered.
    Auto,
    /// After this many cycles.
    Cycles(u64),
}

/// The scenario's `[measure]` table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasureSettings {
    /// When the measurement window begins.
    pub warmup: Warmup,
    /// Wanted half-width of the 95 % confidence interval of the mean latency over the mean.
    pub relative_error: f64,
    /// Cycles after which a point ends in any case.
    pub max_cycles: u64,
    /// Mean latency, in cycles, above which a point is saturated.
    pub latency_limit: f64,
    /// What to tell beyond a row of `points.csv`.
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
