//! flitsim: a cycle-accurate, flit-level simulator of wormhole-routed interconnection networks.

pub mod measurement;
pub mod point;
pub mod scenario;
pub mod simulate;
