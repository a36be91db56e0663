//! The examples of the folder `examples` run to their end. Each is a module here, so that it is built
//! once and lints hold for it.

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

#[test]
fn traffic_of_ones_own() {
    own_traffic::main().expect("it runs");
}
