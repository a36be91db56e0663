//! Measurement: what is [recorded](recorder) of a run, when its [warm-up](warmup) is over, how well a
//! mean ([intervals], [controls]) and the difference of two means ([paired]) are known, and when to
//! [stop](stopping). `docs/method.md` describes the method.

pub mod backlog;
pub mod controls;
pub mod details;
pub mod intervals;
pub mod paired;
pub mod recorder;
pub mod rounds;
mod settings;
pub mod statistics;
pub mod stopping;
#[cfg(test)]
mod toy;
#[cfg(test)]
mod toy_recorded;
pub mod warmup;

pub use controls::Controls;
pub use settings::{MeasureSettings, Warmup};
