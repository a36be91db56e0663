//! How far a command is, on standard error: as bars for people, as lines of JSON for programs.

pub mod clock;
mod lines;
pub mod point;
pub mod search;
pub mod stages;
pub mod sweep;

pub use lines::Lines;

use clock::Clock;
use indicatif::ProgressDrawTarget;

/// Where it is shown: of the three, those that the user sees.
pub struct Shown {
    /// Bars, on a terminal.
    pub target: ProgressDrawTarget,
    /// Lines of JSON.
    pub lines: Lines,
    /// A line in words now and then.
    pub clock: Clock,
}
