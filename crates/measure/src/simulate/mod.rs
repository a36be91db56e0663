//! The loop in which traffic and engine meet: [a source](Source) offers packets, [a machine](Machine)
//! steps, and [an observer](Observer) sees what happens.
//!
//! Invariant: what a run yields depends on the machine, its source and what decides, and on nothing
//! else; the monitor only watches.

pub(crate) mod begun;
pub(crate) mod crew;
mod keeper;
pub(crate) mod machine;
mod monitor;
pub(crate) mod replica;
mod seed;

pub use keeper::Keeper;
pub use machine::{Machine, Observer, Source, cycle};
pub use monitor::{Monitor, NoMonitor, Progress, SimulateError};
pub use seed::stream_seed;
