//! One program for all tests of this folder: built and linked once, its tests run side by side. The
//! workspace's `tests/all.rs` holds this list to the folder.

mod anynet;
mod archive;
mod bisection;
mod common;
mod cost;
mod damage;
mod definition;
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
mod from_channels;
mod grid;
mod high_radix;
mod large;
mod lattice;
mod layout;
#[path = "../../../tests/limited.rs"]
mod limited;
mod markup;
mod minimal;
mod minimal_table;
mod networks;
mod parallel;
mod paths;
mod properties;
mod refusals;
mod slim_fly;
mod sparse_torus;
mod star;
mod svg;
mod symmetry;
mod wire_model;
