//! Sweeps: every point of every series of a plan is simulated, on every core, into a folder of results
//! that can be resumed. Also the search for the load at which a network saturates.
//!
//! [`into_folder`] does all of it in one call, watched by a [`SweepProgress`]. Its parts can be called
//! too: [`run`] hands each finished point to its caller, [`simulate_point`] simulates one point, and
//! [`saturation::find`] searches.

pub mod checkpoint;
pub mod claims;
pub mod disk;
mod into_folder;
pub mod merge;
mod progress;
pub mod results;
mod run;
pub mod saturation;
mod shard;
mod simulator;
pub mod status;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod threads;

pub use into_folder::{IntoFolderError, Options, Swept, into_folder, into_open_folder};
pub use progress::{Silent, SweepProgress};
pub use run::{Outcome, Simulated, SweepError, Todo, order, run, summary};
pub use shard::{Shard, ShardError, Share};
pub use simulator::{Kernel, PointError, Simulator, operating_point, simulate_point};
