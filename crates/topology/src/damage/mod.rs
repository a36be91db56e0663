//! Networks that have lost channels or nodes: which, drawn at random, and what they part.

mod parted;
mod random;

pub use crate::network::Damage;
pub use parted::PartedPairs;
pub use random::{random_links, random_nodes};
