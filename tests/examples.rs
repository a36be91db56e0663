//! The examples of the folder `examples` run to their end. Each is a module here, so that it is built
//! once and lints hold for it.

use flitsim_engine::EngineConfig;
use flitsim_engine::routing::{Options, Site, Tables};
use flitsim_engine::verify::{VerifyOptions, verify};
use flitsim_topology::{Ends, Grid};
use std::process::ExitCode;

#[path = "../examples/own_program.rs"]
mod own_program;
#[path = "../examples/own_routing.rs"]
mod own_routing;
#[path = "../examples/own_topology.rs"]
mod own_topology;
#[path = "../examples/own_traffic.rs"]
mod own_traffic;
#[path = "../examples/sweep_from_code.rs"]
mod sweep_from_code;

#[test]
fn a_sweep_from_code() {
    sweep_from_code::main().expect("it runs");
}

#[test]
fn a_topology_of_ones_own() {
    own_topology::main().expect("it runs");
}

#[test]
fn a_routing_of_ones_own() {
    own_routing::main().expect("it runs");
}

/// Its `main` is the program; here only what it registers: the other tests share this process.
#[test]
fn a_program_of_ones_own() {
    let _: fn() -> ExitCode = own_program::main;
    let romm = own_program::romm();
    let options = Options::default();
    let config = EngineConfig::default();
    for radices in [[4, 4], [5, 3], [2, 6]] {
        let network = Grid::new(&radices, Ends::Open).unwrap().into_network();
        let site = Site {
            network: &network,
            virtual_channels: config.virtual_channels,
            options: &options,
            tables: &Tables::default(),
        };
        let relation = (romm.build)(&site).unwrap();
        let proof = verify(&network, &relation, &VerifyOptions::of(&config));
        assert!(proof.reason().is_none(), "{:?}", proof.reason());
    }
}

#[test]
fn traffic_of_ones_own() {
    own_traffic::main().expect("it runs");
}
