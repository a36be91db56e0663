//! One program for all tests of this folder: built and linked once, its tests run side by side. The
//! workspace's `tests/all.rs` holds this list to the folder.

mod booksim;
mod definitions;
mod escapes;
mod exported;
mod faults;
mod format;
mod grid;
mod hash;
#[path = "../../../tests/limited.rs"]
mod limited;
mod loads;
mod robust;
mod room;
mod router;
mod series;
mod spec;
