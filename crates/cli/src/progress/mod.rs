//! How far a command is, on standard error: as bars for people, as lines of JSON for programs.

pub mod clock;
mod lines;
pub mod point;
pub mod search;
pub mod stages;
pub mod sweep;

pub use lines::Lines;
