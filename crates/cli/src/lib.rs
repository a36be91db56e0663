//! flitsim: a cycle-accurate, flit-level simulator of wormhole-routed interconnection networks.
//!
//! The program's parts as a library: [`scenario`] turns a file into a plan, [`dispatch`] simulates
//! a point of it, [`commands`] prints what comes out.

pub mod args;
pub mod commands;
pub mod dispatch;
pub mod measurement;
pub mod point;
pub mod scenario;
pub mod simulate;
