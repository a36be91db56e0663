//! One program for all tests of this folder: built and linked once, its tests run side by side. The
//! workspace's `tests/all.rs` holds this list to the folder.

mod bisection;
mod common;
mod cost;
mod damage;
mod distance_profile;
mod draw;
mod drawn;
mod express;
mod express_interleaved;
mod express_lines;
mod express_variants;
mod fat_tree;
mod faults;
mod file;
mod file_refused;
mod grid;
mod high_radix;
mod layout;
mod minimal;
mod minimal_table;
mod networks;
mod properties;
mod refusals;
mod sparse_torus;
mod star;
mod symmetry;
