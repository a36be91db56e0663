//! The symmetry of networks: groups of automorphisms, and what they take to what.

mod group;
mod orbits;
mod tree;

pub(super) use group::Automorphism;
pub(crate) use group::Group;
pub(super) use orbits::Orbits;
pub(super) use tree::Tree;
