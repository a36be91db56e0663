//! One program for all tests of this folder: built and linked once, its tests run side by side. The
//! workspace's `tests/all.rs` holds this list to the folder.

mod definitions;
mod faults;
mod format;
mod grid;
mod robust;
