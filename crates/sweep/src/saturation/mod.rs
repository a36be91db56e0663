//! The saturation throughput of a series by search: the highest offered load that the network
//! accepts, its source queues not growing.
//!
//! A run at full overload gives the first guess. From there loads are tried, each in the shortest
//! run that tells whether it is stable ([`StabilityTest`]), in growing steps until one
//! stable and one unstable load are known, then by bisection. No load above the ideal bound of the
//! channel loads is tried where that bound is a theorem.
//!
//! [`StabilityTest`]: flitsim_measure::measurement::stopping::StabilityTest

pub mod auto;
pub mod bracket;
mod found;
mod search;
mod watch;

pub use found::{Ending, Saturation};
pub use search::{SearchSettings, cycles_least, find};
pub use watch::{NoWatch, Searches, Watch};

/// The width of the interval wanted, over the ideal bound, where nobody says.
pub const TOLERANCE: f64 = 0.02;
