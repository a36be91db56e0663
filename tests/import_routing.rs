//! Routings of BookSim2's configurations: what is written runs as there.

use crate::import::{BASE, imported, plan};
use flitsim::scenario::dispatch::expected_of;
use flitsim_engine::routing::RingClasses;
use flitsim_engine::{VcReallocation, VcRequests};
use flitsim_topology::ChannelId;

/// Routers with four terminals each, or one each.
const CMESH: &str =
    "topology = cmesh;\nk = 4;\nn = 2;\nc = 4;\nx = 4;\ny = 4;\nxr = 2;\nyr = 2;\nnum_vcs = 4;\n";
const FLATFLY: &str = "topology = flatfly;\nk = 3;\nn = 2;\nx = 3;\ny = 3;\nnum_vcs = 4;\n";

#[test]
fn ways_that_are_drawn_are_by_the_names_that_they_have_here() {
    for (network, function, algorithm) in [
        (BASE, "xy_yx", "o1turn"),
        (BASE, "romm", "romm"),
        (CMESH, "xy_yx_no_express", "o1turn"),
        (FLATFLY, "xyyx", "o1turn"),
        (FLATFLY, "valiant", "valiant"),
    ] {
        let text = format!("{network}routing_function = {function};\n");
        let of = &plan(&text, &["injection_rate=0.01"]).series[0].routing;
        assert_eq!(of.name(), algorithm, "{text}");
        let odd = imported(&text, &["num_vcs=3"]).expect_err(&text);
        assert!(odd.contains("share the one in the middle"), "{odd}");
        if algorithm == "o1turn" && network != CMESH {
            let said = imported(&text, &["n=1"]).expect_err(&text);
            assert!(said.contains("`n = 2;`"), "{said}");
        }
    }
}

/// Each of the functions that no scenario says is refused for a reason of its own.
#[test]
fn functions_that_cannot_be_said_are_refused_with_a_reason() {
    const MESH: &str = "topology = mesh;\n";
    const TORUS: &str = "topology = torus;\n";
    const TREE: &str = "topology = fattree;\n";
    for (network, function, why, near) in [
        (MESH, "adaptive_xy_yx", "fewer credits", "xy_yx"),
        (MESH, "dim_order_ni", "each destination", "dim_order"),
        (MESH, "dim_order_pni", "each coordinate", "dim_order"),
        (MESH, "romm_ni", "each destination", "romm"),
        (MESH, "planar_adapt", "each priority", "planar-adaptive"),
        (MESH, "valiant", "passes through", "valiant"),
        (MESH, "chaos", "each priority", "num_vcs = 1;"),
        (TORUS, "dim_order_ni", "each destination", "dim_order"),
        (TORUS, "min_adapt", "virtual channel 3", "all-channels"),
        (TORUS, "min_adapt", "virtual channel 3", "stay"),
        (TORUS, "valiant", "failed assertion", "valiant"),
        (TORUS, "valiant_ni", "failed assertion", "valiant"),
        (TORUS, "chaos", "for ever", "dim_order"),
        (TREE, "anca", "fewer credits", "nca"),
        (CMESH, "dor", "edges", "dor_no_express"),
        (CMESH, "xy_yx", "edges", "xy_yx_no_express"),
        (FLATFLY, "adaptive_xyyx", "fewer credits", "xyyx"),
        (FLATFLY, "ugal", "terminal between", "ugal"),
        (FLATFLY, "ugal_xyyx", "terminal between", "ugal"),
        (FLATFLY, "ugal_pni", "terminal between", "ugal"),
        (MESH, "min_adaptive", "no routing of this name", "dim_order"),
    ] {
        let text = format!("{network}routing_function = {function};\n");
        let said = imported(&text, &[]).expect_err(&text);
        assert!(said.contains(why) && said.contains(near), "{said}");
    }
}

/// As BookSim2 routes on rings and up trees.
#[test]
fn rings_and_trees_are_routed_as_there() {
    let torus = "topology = torus;\nk = 4;\nn = 2;\nrouting_function = dim_order;\n";
    let of = |vcs: u32| imported(&format!("{torus}num_vcs = {vcs};"), &[]).expect("a scenario");
    assert!(of(4).contains("ring_classes = \"fixed\"") && !of(4).contains("share the virtual"));
    assert!(of(3).contains("share the virtual channel in the middle"));
    let balanced = plan(torus, &["num_vcs=4", "routing_function=dim_order_bal"]);
    let options = &balanced.series[0].routing.options;
    assert_eq!(options.ring_classes, RingClasses::Drawn);
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

/// Of dragonflies the wiring, the delays and the one virtual channel of each hop are BookSim2's.
#[test]
fn dragonflies_are_wired_and_routed_as_there() {
    let minimal =
        "topology = dragonflynew;\nrouting_function = min;\nk = 2;\nn = 1;\nnum_vcs = 2;\n";
    let worst = format!("{minimal}traffic = bad_dragon;\n");
    let series = &plan(&worst, &["injection_rate=0.01"]).series[0];
    let network = &series.network;
    // 9 groups of 4 routers with 2 terminals, 3 channels within the group and 2 out of it each.
    let counts = (network.terminals(), network.nodes(), network.channels());
    assert_eq!(counts, (72, 72 + 36, 2 * 72 + 36 * (3 + 2)));
    let delays =
        (0..network.channels()).map(|channel| series.engine.channel_delay_of(ChannelId(channel)));
    let of = |delay| delays.clone().filter(|&found| found == delay).count();
    assert_eq!([0, 9, 99].map(of), [2 * 72, 36 * 3, 36 * 2]);
    let said = imported(&worst, &[]).expect("a scenario");
    for wanted in [
        "group_classes = \"dateline\"",
        "arrangement = \"absolute\"",
        "pattern = \"next-group\"",
        "terminal_ports = true",
    ] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    for (setting, wanted) in [
        ("num_vcs=1", "`num_vcs = 2;`"),
        ("k=1", "`k = 2;`"),
        ("n=2", "`n = 1;`"),
        ("c=2", "`c = 1;`"),
        ("routing_function=ugal", "`algorithm = \"ugal\"`"),
        ("routing_function=ugal", "here they count by hops"),
        ("routing_function=valiant", "`routing_function = min;`"),
        ("traffic=bitcomp", "a power of two of nodes"),
        ("traffic=bad_dragon({2,1})", "has no parameters"),
        ("traffic=hotspot({72})", "are not there"),
    ] {
        let said = imported(minimal, &[setting]).expect_err(setting);
        assert!(said.contains(wanted), "{said}");
    }
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
