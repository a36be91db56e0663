//! flitsim: a cycle-accurate, flit-level simulator of wormhole-routed interconnection networks.
//!
//! The program's parts as a library: [`scenario`] turns a file into a plan, [`dispatch`] simulates
//! a point of it, [`sweep`] every point, [`analytic`] asks the papers' models instead, [`saturation`]
//! searches for the load at which a network gives up, [`results`] and [`report`] keep what comes out,
//! [`watch`] shows it while it happens; [`main`] is the program.
//!
//! ```
//! use flitsim::simulate_point;
//! use flitsim::proof::ProvedPlan;
//! use flitsim::scenario::{Overrides, Plan};
//! use flitsim::simulate::NoMonitor;
//! use std::path::Path;
//!
//! let text = r#"
//!     [topology]
//!     kind = "mesh"
//!     radix = 4
//!     dimensions = 2
//!     [measure]
//!     relative_error = 0.1
//!     [sweep]
//!     load = [0.1, 0.2]
//! "#;
//! let plan = Plan::parse(Path::new("mine.toml"), text.to_owned(), Overrides::default())?;
//! // Only what is proved free of deadlock can be simulated.
//! let plan = ProvedPlan::prove(plan, false, &|_, _| {}, |warning| eprintln!("{warning}"))?;
//! for series in plan.proved_series() {
//!     for &load in &series.loads {
//!         let point = simulate_point(&series, load, plan.seed, &NoMonitor)?;
//!         let latency = point.latency.expect("far below saturation");
//!         println!("{}: {} ± {} cycles", load.in_unit, latency.mean, latency.ci95);
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Networks, routing and traffic of one's own are for [`simulate`] and for the crates beneath:
//! `flitsim_topology`, `flitsim_engine` and `flitsim_traffic`. The folder `examples` has one of each.

pub use flitsim_measure::{
    EngineChoice, Offered, OperatingPoint, measurement, point, simulate, workload,
};
pub use flitsim_report as report;
pub use flitsim_scenario::{self as scenario, dispatch, proof, schema, starter};
pub use flitsim_sweep::{self as sweep, results, saturation, simulate_point, threads};

mod aligned;
pub mod analytic;
mod args;
mod commands;
mod console;
pub mod diagnostic;
mod error;
mod interrupt;
mod output;
mod progress;
mod reproduce;
mod series;
mod slurm;
mod statistics;
mod stderr;
mod survey;
mod verdict;
pub mod watch;
mod workers;

pub use commands::{Arguments, Command, main};
pub use reproduce::library::{PAPERS, Paper};
