//! One program for all tests of this folder: built and linked once, its tests run side by side. The
//! workspace's `tests/all.rs` holds this list to the folder. What simulates is tested here: a test within the
//! crate would compile the cycle loops of all relations once more.

mod dense;
mod lives;
mod occupancy;
mod refused;
#[path = "../../../tests/tier.rs"]
mod tier;
mod warmup;
