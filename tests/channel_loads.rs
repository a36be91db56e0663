//! Mean hops equal the closed forms, and measured channel loads equal γ × load, under uniform
//! traffic well below saturation.

use crate::common;

use common::Setup;
use flitsim_engine::EngineConfig;
use flitsim_engine::analysis::expected;
use flitsim_engine::routing::Tie;
use flitsim_topology::{Ends, Grid};
use flitsim_traffic::{PacketLength, Pattern, TrafficPlan, Uniform};

const LOAD: f64 = 0.2;
const CYCLES: u64 = 20_000;
const PACKET_FLITS: u32 = 2;

fn check(grid: Grid, hops_with_self: f64) {
    let nodes = grid.clone().into_network().terminals();
    for include_self in [true, false] {
        let setup = Setup {
            network: grid.clone().into_network(),
            config: EngineConfig::default(),
            tie: Tie::Random,
            vc_balance: true,
            traffic: TrafficPlan {
                pattern: Pattern::Uniform(Uniform { include_self }),
                length: PacketLength::Fixed(PACKET_FLITS),
                ..TrafficPlan::default()
            },
        };
        let observed = setup.observe(LOAD, CYCLES, 3);
        let nodes = f64::from(nodes);
        let hops = if include_self {
            hops_with_self
        } else {
            hops_with_self * nodes / (nodes - 1.0)
        };
        assert!(
            (observed.hops_mean - hops).abs() < 4.0 * observed.hops_error,
            "{} hops for {hops} ± {}",
            observed.hops_mean,
            observed.hops_error
        );
        check_channels(&setup, &observed.channel_flits);
    }
}

/// Packets choose their channels independently, so the flits of a channel vary like
/// PACKET_FLITS times a Poisson number of packets.
fn check_channels(setup: &Setup, channel_flits: &[f64]) {
    let pattern = setup.traffic.pattern.compile(&setup.network).unwrap();
    let expected = expected(
        &setup.network,
        &setup.routing(),
        &setup.config,
        |source, visit| pattern.demand(source, visit),
    )
    .unwrap();
    let window = (CYCLES / 2) as f64;
    let mut squares = 0.0;
    for (&measured, &gamma) in channel_flits.iter().zip(&expected.channel_loads) {
        let load = gamma * LOAD;
        let deviation = (load * f64::from(PACKET_FLITS) / window).sqrt();
        let score = (measured - load) / deviation;
        assert!(score.abs() < 5.0, "{measured} flits a cycle for {load}");
        squares += score * score;
    }
    // The scores are standard normal: their squares average 1, not 10 and not 0.
    let mean_square = squares / channel_flits.len() as f64;
    assert!((0.5..1.6).contains(&mean_square), "{mean_square}");
}

#[test]
fn torus_of_even_radix() {
    check(Grid::uniform(8, 2, Ends::Ring).unwrap(), 2.0 * 8.0 / 4.0);
}

#[test]
fn torus_of_odd_radix() {
    let k = 5.0;
    check(
        Grid::uniform(5, 2, Ends::Ring).unwrap(),
        2.0 * (k / 4.0 - 1.0 / (4.0 * k)),
    );
}

#[test]
fn torus_of_one_way_rings() {
    check(
        Grid::uniform(4, 2, Ends::DirectedRing).unwrap(),
        2.0 * (4.0 - 1.0) / 2.0,
    );
}

#[test]
fn mesh() {
    let k = 6.0;
    check(
        Grid::uniform(6, 2, Ends::Open).unwrap(),
        2.0 * (k / 3.0 - 1.0 / (3.0 * k)),
    );
}

#[test]
fn hypercube() {
    check(Grid::hypercube(6).unwrap(), 6.0 / 2.0);
}
