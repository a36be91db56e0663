//! The measurement of one operating point of a network: the loop in which traffic and engine meet, the
//! warm-up, confidence intervals, and when to stop.
//!
//! An [`OperatingPoint`] is simulated under a routing relation and gives a [`point::PointResult`]. The
//! loop is in [`simulate`], and traffic whose packets wait for others in [`workload`]; [`measurement`]
//! decides when to begin and when to stop measuring.

pub mod alone;
mod engine_choice;
pub mod live;
pub mod measurement;
pub mod operating_point;
pub mod point;
pub mod simulate;
pub mod threads;
mod watching;
pub mod workload;

pub use engine_choice::{EngineChoice, EngineUse};
pub use operating_point::{Offered, OperatingPoint};
