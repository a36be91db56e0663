//! What a search finds.

use flitsim_measure::point::DeadlockReport;

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With an interval as narrow as was wanted.
    Found,
    /// The network delivers the most that can be offered.
    NotSaturated,
    /// Some loads could not be decided within the limit of cycles: the interval is wider.
    Undecided,
}

impl Ending {
    /// The word in results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::NotSaturated => "not-saturated",
            Self::Undecided => "undecided",
        }
    }
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Saturation {
    /// The middle of the interval.
    pub load: f64,
    /// The interval that holds the saturation: below the highest load found stable by as much as
    /// the test of a load may not see.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// The load at which the first channel or port is always busy; `None` where none is, or where
    /// it cannot be found.
    pub ideal_bound: Option<f64>,
    /// The load of the run at full overload.
    pub overload: f64,
    /// What is accepted there.
    pub accepted_at_overload: f64,
    /// Cycles simulated in all.
    pub cycles: u64,
    /// Loads tried, the overload included.
    pub points: u32,
    /// How the search ended.
    pub ending: Ending,
    /// The lowest load at which packets came to wait on one another for ever, and how.
    pub deadlock: Option<(f64, DeadlockReport)>,
}
