//! Sweeps: every point of every series of a plan, on every core, into a folder of results that can be
//! resumed; and the search for the load at which a network saturates.

pub mod results;
mod run;
pub mod saturation;
mod simulator;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod threads;

pub use run::{
    Outcome, PointError, Silent, Simulator, SweepError, SweepProgress, order, run, summary,
};
pub use simulator::{Kernel, operating_point, simulate_point};
