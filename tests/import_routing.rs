//! Routings of BookSim2's configurations: what is written runs as there.

use crate::import::{BASE, imported, plan};
use flitsim::scenario::dispatch::expected_of;
use flitsim_engine::{VcReallocation, VcRequests};

#[test]
fn ways_that_are_drawn_are_by_the_names_that_they_have_here() {
    for (function, algorithm) in [("xy_yx", "o1turn"), ("romm", "romm")] {
        let said = imported(&format!("{BASE}routing_function = {function};\n"), &[]);
        let wanted = format!("algorithm = \"{algorithm}\" # routing_function");
        assert!(said.expect(function).contains(&wanted), "{function}");
    }
}

/// As BookSim2 routes on rings and up trees.
#[test]
fn rings_and_trees_are_routed_as_there() {
    let torus = "topology = torus;\nk = 4;\nn = 2;\nrouting_function = dim_order;\n";
    let of = |vcs: u32| imported(&format!("{torus}num_vcs = {vcs};"), &[]).expect("a scenario");
    assert!(of(4).contains("ring_classes = \"fixed\"") && !of(4).contains("share the virtual"));
    assert!(of(3).contains("share the virtual channel in the middle"));
    // Proved by the ways of all draws: one by one they would be billions.
    let large = "topology = fattree;\nk = 4;\nn = 5;\nrouting_function = nca;\nnum_vcs = 1;\n";
    let large = plan(large, &["injection_rate=0.01"]);
    assert!(expected_of(&large.series[0]).is_ok());
    let tree = "topology = fattree;\nk = 4;\nn = 2;\nrouting_function = nca;\n";
    assert!(
        imported(tree, &[])
            .expect("a scenario")
            .contains("ascent = \"drawn\"")
    );
}

/// BookSim2 keeps one channel of each priority. What it then runs is written, and proved (by `plan`) although a virtual
/// channel may be claimed before it is empty.
#[test]
fn an_adaptive_routing_is_what_booksim_makes_of_it() {
    let adaptive = format!("{BASE}routing_function = min_adapt;\n");
    let said = imported(&adaptive, &[]).expect("a scenario");
    assert!(said.contains("algorithm = \"dimension-order\""), "{said}");
    assert!(
        said.contains("keeps one channel of each priority"),
        "{said}"
    );
    for (setting, wanted) in [
        ("num_vcs=1", "`num_vcs = 2;`"),
        ("speculative=1", "cannot bid for the switch"),
    ] {
        let said = imported(&adaptive, &[setting]).expect_err(setting);
        assert!(said.contains(wanted), "{said}");
    }
    let adaptive = plan(&adaptive, &["injection_rate=0.01"]);
    let router = &adaptive.series[0].engine;
    assert_eq!(router.vc_requests, VcRequests::AllChannels);
    assert_eq!(router.vc_reallocation, VcReallocation::NonAtomic);
}
