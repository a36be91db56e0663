//! flitsim: a cycle-accurate, flit-level simulator of wormhole-routed interconnection networks.
//!
//! The program's parts as a library: [`scenario`] turns a file into a plan, [`dispatch`] simulates
//! a point of it, [`sweep`] every point, [`analytic`] asks the papers' models instead, [`saturation`]
//! searches for the load at which a network saturates, [`results`] and [`report`] keep what comes out,
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
//! A routing, a network, a pattern or a statistic of your own, [registered](register_routing) in a program of a few
//! lines, is in everything: scenarios, proofs, sweeps, reports, the schema. `examples/own_program.rs` is such a program.
//!
//! ```
//! use flitsim::{register_pattern, register_routing};
//! use flitsim::proof::ProvedPlan;
//! use flitsim::scenario::{Overrides, Plan};
//! use flitsim::sweep::{Options, Silent, into_folder};
//! use flitsim_topology::NodeId;
//! use flitsim_traffic::OwnPattern;
//! use flitsim_engine::routing::{Description, DimensionOrder, Fit, Needs, Own, OwnRelation, Spread, Tie};
//! use std::path::Path;
//!
//! register_routing(Own {
//!     description: Description {
//!         name: "mine",
//!         keys: &[],
//!         fits: |network| if network.grid().is_some() { Fit::Yes } else { Fit::No },
//!         needs: Needs::Whole,
//!         virtual_channels_min: |_| 2,
//!         is_minimal: true,
//!         spread: Spread::Fixed,
//!         escape_vcs: None,
//!     },
//!     // Any `Routing`; here one that is there already.
//!     build: |site| {
//!         let grid = site.network.grid().expect("it fits grids alone");
//!         let relation = DimensionOrder::new(grid, site.virtual_channels, Tie::Random, true)?;
//!         Ok(OwnRelation::new(relation))
//!     },
//! })?;
//! register_pattern(OwnPattern {
//!     name: "opposite",
//!     about: "To the node opposite in number, and now and then to node 0.",
//!     keys: &[],
//!     weights: |_, network, source| {
//!         let opposite = NodeId(network.terminals() - 1 - source.0);
//!         vec![(opposite, 9.0), (NodeId(0), 1.0)]
//!     },
//! })?;
//! let text = "topology = { kind = \"torus\", radix = 4, dimensions = 2 }\n\
//!     traffic.pattern = \"opposite\"\n\
//!     [sweep]\nload = [0.1, 0.2]\n[measure]\nrelative_error = 0.1\n\
//!     [grid]\nrouting.algorithm = [\"dimension-order\", \"mine\"]\n";
//! let plan = Plan::parse(Path::new("own.toml"), text.to_owned(), Overrides::default())?;
//! let plan = ProvedPlan::prove(plan, false, &|_, _| {}, |warning| eprintln!("{warning}"))?;
//! let folder = tempfile::tempdir()?;
//! let swept = into_folder(plan, &folder.path().join("out"), Options::default(), &Silent)?;
//! // The same relation gives the same numbers, whoever registers it.
//! let [a, b, mine_a, mine_b] = &swept.outcome.rows[..] else { panic!("four points") };
//! assert_eq!((&mine_a.routing[..], mine_b.load), ("mine", 0.2));
//! assert_eq!(mine_a.pattern, "opposite");
//! assert_eq!((a.latency_mean, b.latency_mean), (mine_a.latency_mean, mine_b.latency_mean));
//! assert!(flitsim::schema::text().contains("\"mine\""));
//! assert!(register_routing(Own { description: Description { name: "valiant", keys: &[],
//!     fits: |_| Fit::No, needs: Needs::Whole, virtual_channels_min: |_| 1, is_minimal: true,
//!     spread: Spread::Fixed, escape_vcs: None }, build: |_| unreachable!() }).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Networks, routing and traffic of one's own are for [`simulate`] and for the crates beneath:
//! `flitsim_topology`, `flitsim_engine` and `flitsim_traffic`. The folder `examples` has one of each.

pub use flitsim_analysis as analysis;
pub use flitsim_engine as engine;
pub use flitsim_engine::routing::register as register_routing;
pub use flitsim_keys as keys;
pub use flitsim_measure::measurement::details::register_statistic;
pub use flitsim_measure::{
    EngineChoice, Offered, OperatingPoint, measurement, point, simulate, workload,
};
pub use flitsim_report as report;
pub use flitsim_scenario::{self as scenario, dispatch, proof, schema, starter};
pub use flitsim_sweep::{self as sweep, results, saturation, simulate_point, threads};
pub use flitsim_topology as topology;
pub use flitsim_topology::register_network;
pub use flitsim_traffic as traffic;
pub use flitsim_traffic::register_pattern;

mod aligned;
pub mod analytic;
mod args;
mod commands;
mod console;
pub mod diagnostic;
mod error;
mod interrupt;
mod output;
mod program;
mod progress;
mod reproduce;
mod series;
mod slurm;
pub mod statistics;
mod stderr;
pub mod survey;
pub mod verdict;
pub mod watch;
mod workers;

pub use commands::saturate::{
    columns_of as saturation_columns, object as saturation_json, refuse_workloads,
    search as search_all, within_tolerances,
};
pub use commands::sweep::write_pictures;
pub use commands::{command_line, main, main_of};
pub use reproduce::library::{PAPERS, Paper};
