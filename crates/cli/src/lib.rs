//! flitsim: a cycle-accurate, flit-level simulator of wormhole-routed interconnection networks.
//!
//! The program's parts as a library: [`scenario`] turns a file into a plan, [`dispatch`] simulates
//! a point of it, [`sweep`] every point, [`analytic`] asks the papers' models instead,
//! [`saturation`] searches for the load at which a network
//! gives up, [`survey`] measures its networks, [`results`] and [`report`] keep what comes out,
//! [`commands`] is what a user calls.

pub mod analytic;
pub mod args;
pub mod commands;
pub mod dispatch;
pub mod interrupt;
pub mod measurement;
pub mod point;
pub mod proof;
pub mod report;
pub mod reproduce;
pub mod results;
pub mod saturation;
pub mod scenario;
pub mod simulate;
pub mod survey;
pub mod sweep;
pub mod threads;
pub mod workload;
