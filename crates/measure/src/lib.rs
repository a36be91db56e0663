//! One operating point of a network, measured: the loop in which traffic and engine meet, warm-up,
//! confidence intervals, and when to stop.
//!
//! [`simulate`] runs a point, [`workload`] one whose packets wait for others, [`measurement`] decides
//! from when to measure and until when, [`point`] is what comes out.

pub mod measurement;
pub mod point;
pub mod simulate;
pub mod workload;
