//! The long simulations that the tests of the program drive. They are compiled here, optimised for tests too; the
//! program and its tests are then built fast, not to be fast.

#[path = "../../crates/engine/tests/common/any.rs"]
#[allow(
    missing_docs,
    dead_code,
    unused_imports,
    reason = "a part of it is for the tests of the engine"
)]
mod any;
mod census;
#[path = "../../crates/engine/tests/common/crowd.rs"]
mod crowd;
#[path = "../../crates/engine/tests/common/dependencies.rs"]
#[allow(missing_docs, dead_code, reason = "the engine's tests use the rest")]
mod dependencies;
mod driven;
mod setup;

pub use census::{Inside, Seen, observe};
pub use driven::driven;
pub use setup::{Observed, Setup, new_packet};
