//! One program for all tests of this folder: built and linked once, its tests run side by side. The
//! workspace's `tests/all.rs` holds this list to the folder.

mod acyclic;
mod analysis;
mod analysis_latency;
mod common;
mod compare;
mod dense;
mod dimension_order;
mod duato;
mod equivalence;
mod equivalence_relations;
mod express;
mod fairness;
mod fat_pyramid;
mod faults;
mod fewest_descents;
mod high_radix;
mod hop_classes;
mod memory;
mod nbc;
mod nearest_common_ancestor;
mod no_allocation;
mod nobody_starves;
mod numbers;
mod oracle;
mod pruned_order;
mod source_routes;
mod stages;
mod starvation;
mod table;
#[path = "../../../tests/tier.rs"]
mod tier;
mod turn_models;
mod twins;
mod up_down;
mod valiant;
mod verify;
mod verify_adaptive;
mod verify_alike;
mod verify_bounds;
mod verify_escape;
mod verify_large;
mod verify_legs;
mod verify_tree;
mod watchdog;
mod zero_load;
