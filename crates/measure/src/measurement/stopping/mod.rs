//! When a run ends, and how: [`Controller`] measures a steady state to the precision wanted,
//! [`StabilityTest`] tells whether a load is delivered, [`ToTheEnd`] waits for the last packet.

mod controller;
mod drift;
mod outcome;
mod pace;
mod phase;
mod stability_test;
mod to_the_end;

pub use controller::Controller;
pub use drift::{Drift, drift};
pub use outcome::{Decide, Decision, Outcome, Status};
pub use pace::Pace;
pub use stability_test::{StabilitySettings, StabilityTest};
pub use to_the_end::ToTheEnd;
