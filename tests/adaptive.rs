//! The adaptive algorithms by their names in scenario files: each runs on the networks that it
//! claims, over as many hops as its routing says, with the reallocation that it needs.

use flitsim::dispatch::expected_of;
use flitsim::point::Status;
use flitsim::proof::ProvedSeries;
use flitsim::scenario::{Overrides, Plan, SeriesPlan};
use flitsim::simulate::NoMonitor;
use flitsim::simulate_point;
use flitsim_engine::VcReallocation;
use std::path::Path;

const MESH: &str = "kind = \"mesh\"\nradix = 6\ndimensions = 2";
const TORUS: &str = "kind = \"torus\"\nradices = [5, 4]";
const ONE_WAY: &str = "kind = \"torus\"\nradix = 4\ndimensions = 2\ndirected = true";
const CUBE: &str = "kind = \"hypercube\"\ndimensions = 5";
const STAR: &str = "kind = \"star\"\nsymbols = 4";
const PRUNED: &str = "kind = \"pruned-torus\"\nradix = 4\ndimensions = 3";

/// One series on `topology` with `virtual_channels`, the keys `routing` and those of the router.
fn series(topology: &str, virtual_channels: u32, routing: &str, router: &str) -> SeriesPlan {
    let text = format!(
        "[topology]\n{topology}\n[router]\nvirtual_channels = {virtual_channels}\n{router}\n\
         [routing]\n{routing}\n[traffic]\npacket_flits = 4\n\
         [measure]\nrelative_error = 0.1\nmax_cycles = 20_000\n[sweep]\nload = 0.1\n"
    );
    let allowed = Overrides {
        allow_deadlock: true,
        ..Overrides::default()
    };
    let plan = Plan::parse(Path::new("a.toml"), text, allowed);
    let mut plan = plan.unwrap_or_else(|error| panic!("{error}"));
    plan.series.remove(0)
}

fn check(topology: &str, virtual_channels: u32, routing: &str, reallocation: VcReallocation) {
    let series = series(topology, virtual_channels, routing, "");
    let name = format!("{routing} on {topology}");
    assert_eq!(series.engine.vc_reallocation, reallocation, "{name}");
    let expected = expected_of(&series).expect("a routing that delivers");
    let allowed = ProvedSeries::prove(&series, true).expect("whatever its proof");
    let point = simulate_point(&allowed, series.loads[0], 5, &NoMonitor).expect("a plan runs");
    assert_eq!(point.status, Status::Converged, "{name}: {point:?}");
    let latency = point.latency.expect("a converged point has latencies");
    let hops = latency.hops_mean / expected.hops_mean;
    assert!((hops - 1.0).abs() < 0.05, "{name}: {hops} of the hops");
}

#[test]
fn relations_without_an_escape() {
    let plain = |topology: &str, vcs, routing: &str| {
        check(topology, vcs, routing, VcReallocation::NonAtomic)
    };
    for rule in ["west-first", "north-last", "negative-first"] {
        let routing = format!("algorithm = \"{rule}\"");
        plain(MESH, 1, &routing);
        plain(CUBE, 2, &routing);
    }
    plain(MESH, 1, "algorithm = \"odd-even\"");
    plain(MESH, 2, "algorithm = \"valiant\"");
    plain(TORUS, 4, "algorithm = \"valiant\"\nvc_balance = false");
    plain(ONE_WAY, 4, "algorithm = \"valiant\"");
    plain(MESH, 4, "algorithm = \"minimal-adaptive\"");
    plain(MESH, 1, "order = \"highest-first\"");
    plain(TORUS, 2, "order = \"highest-first\"");
}

#[test]
fn relations_with_an_escape_are_atomic() {
    let atomic =
        |topology: &str, vcs, routing: &str| check(topology, vcs, routing, VcReallocation::Atomic);
    for (topology, vcs) in [(MESH, 2), (CUBE, 2), (TORUS, 3), (ONE_WAY, 3)] {
        atomic(topology, vcs, "algorithm = \"duato\"");
        let over = |escape| format!("algorithm = \"minimal-adaptive\"\nescape = \"{escape}\"");
        atomic(topology, vcs, &over("dimension-order"));
        if topology != ONE_WAY {
            atomic(topology, vcs, &over("up-down"));
        }
        if topology == MESH {
            atomic(topology, vcs, &over("negative-first"));
        }
    }
    let tree = "algorithm = \"minimal-adaptive\"\nescape = \"up-down\"";
    atomic(STAR, 2, tree);
    atomic(PRUNED, 2, tree);
}

#[test]
fn reallocation_may_be_chosen_where_whole_packets_move() {
    let by = |router| {
        series(MESH, 2, "algorithm = \"duato\"", router)
            .engine
            .vc_reallocation
    };
    let cut_through = "flow_control = \"virtual-cut-through\"";
    assert_eq!(by(cut_through), VcReallocation::Atomic);
    let both = format!("{cut_through}\nvc_reallocation = \"non-atomic\"");
    assert_eq!(by(&both), VcReallocation::NonAtomic);
    // Under wormhole only because the user insists.
    let insists = by("vc_reallocation = \"non-atomic\"");
    assert_eq!(insists, VcReallocation::NonAtomic);
}

#[test]
fn without_an_escape_a_point_may_end_in_a_deadlock() {
    let algorithm = "algorithm = \"minimal-adaptive\"";
    let mut series = series(MESH, 1, algorithm, "buffer_flits = 1");
    series.loads[0].flits = 0.8;
    let allowed = ProvedSeries::prove(&series, true).expect("whatever its proof");
    let point = simulate_point(&allowed, series.loads[0], 5, &NoMonitor).expect("a plan runs");
    assert_eq!(point.status, Status::Deadlock, "{point:?}");
}
