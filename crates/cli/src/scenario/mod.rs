//! Scenario files: read with their spans, resolved into a plan that needs no further checks.

pub mod plan;

pub use plan::{Plan, RoutingChoice, SeriesPlan};
