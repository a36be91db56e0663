//! Where networks saturate, against the ideal bound of their busiest channel and against what is
//! known of other simulators.

use crate::tier;

use flitsim_analysis::expected;
use flitsim_engine::routing::{
    Duato, EnhancedNbc, Nbc, NegativeHop, Tie, TurnModel, TurnRule, Valiant,
};
use flitsim_engine::{Allocator, Crossbar, EngineConfig, VcReallocation};
use flitsim_simulations::Setup;
use flitsim_topology::{Ends, Star};
use flitsim_traffic::{PacketLength, Pattern, TrafficPlan};
use std::ops::Range;

/// The load that saturates the busiest channel: no router can do better.
fn ideal_throughput(setup: &Setup) -> f64 {
    let pattern = setup.traffic.pattern.compile(&setup.network).unwrap();
    expected(
        &setup.network,
        &setup.routing(),
        &setup.config,
        |source, visit| pattern.demand(source, visit),
    )
    .unwrap()
    .ideal_throughput
}

/// The highest load that is stable, in per cent of a flit per node per cycle: from the first of
/// `loads`, which is, to the last, which is not.
fn saturation(loads: Range<u32>, is_stable_at: impl Fn(f64) -> bool) -> u32 {
    let is_stable = |load: u32| is_stable_at(f64::from(load) / 100.0);
    let Range {
        start: mut stable,
        end: mut saturated,
    } = loads;
    assert!(is_stable(stable), "{stable} is not stable");
    assert!(!is_stable(saturated), "{saturated} is stable");
    while saturated - stable > 1 {
        let between = stable.midpoint(saturated);
        match is_stable(between) {
            true => stable = between,
            false => saturated = between,
        }
    }
    stable
}

#[test]
fn a_mesh_reaches_its_share_of_the_ideal_bound() {
    if tier::is_left_out() {
        return;
    }
    let mesh = |vcs| Setup::eight(Ends::Open, vcs, 8, 1);
    let bound = ideal_throughput(&mesh(4));
    assert!((bound - 0.5 * 63.0 / 64.0).abs() < 1e-12, "{bound}");

    assert!(mesh(4).is_stable_at(0.80 * bound));

    let mut islip = mesh(4);
    islip.config.allocator = Allocator::Islip { iterations: 3 };
    assert!(islip.is_stable_at(0.85 * bound));

    let mut wide = mesh(8);
    wide.config.crossbar = Crossbar::Vc;
    assert!(wide.is_stable_at(0.90 * bound));

    for setup in [mesh(4), islip, wide] {
        let accepted = setup.observe(0.9, 10_000, 1).accepted;
        assert!(accepted < bound, "{accepted} is past the bound");
    }
}

#[test]
fn a_torus_reaches_what_is_known_of_it() {
    if tier::is_left_out() {
        return;
    }
    let torus = Setup::eight(Ends::Ring, 4, 8, 1);
    assert!(torus.is_stable_at(0.64));

    let mut islip = Setup::eight(Ends::Ring, 4, 8, 1);
    islip.config.allocator = Allocator::Islip { iterations: 3 };
    assert!(islip.is_stable_at(0.67));
}

/// With every packet that goes half way round going upward, the upward channels carry (k + 2) / 8
/// times the load: 1.25 at k = 8.
#[test]
fn ties_all_one_way_cost_a_torus_a_fifth() {
    if tier::is_left_out() {
        return;
    }
    for (allocator, crossbar, vcs) in [
        (Allocator::RoundRobin, Crossbar::Port, 4),
        (Allocator::Islip { iterations: 3 }, Crossbar::Vc, 8),
    ] {
        let mut torus = Setup::eight(Ends::Ring, vcs, 8, 1);
        torus.tie = Tie::Positive;
        torus.config.allocator = allocator;
        torus.config.crossbar = crossbar;
        let bound = ideal_throughput(&torus);
        assert!((bound - 0.8 * 63.0 / 64.0).abs() < 1e-12, "{bound}");
        assert!(!torus.is_stable_at(0.8));
        for load in [0.8, 0.9] {
            assert!(torus.observe(load, 10_000, 1).accepted < bound);
        }
    }
}

/// Dally, "Virtual-channel flow control" (1992): the storage of a channel split among more virtual
/// channels lets packets pass those that are blocked. 16 flits of storage a channel, 16-flit
/// packets: the load accepted at offered 0.9 grows with the number of virtual channels.
#[test]
fn more_virtual_channels_at_fixed_storage_accept_more() {
    if tier::is_left_out() {
        return;
    }
    for (ends, counts) in [(Ends::Open, &[1, 2, 4, 8][..]), (Ends::Ring, &[2, 4, 8])] {
        let accepted: Vec<f64> = counts
            .iter()
            .map(|&vcs| {
                Setup::eight(ends, vcs, 16 / vcs, 16)
                    .observe(0.9, 20_000, 1)
                    .accepted
            })
            .collect();
        assert!(
            accepted.is_sorted_by(|a, b| a < b),
            "{ends:?}: {accepted:?}"
        );
    }
}

/// Without balance, packets that never wrap crowd into class 0, and an overloaded torus collapses.
#[test]
fn balanced_classes_keep_an_overloaded_torus_going() {
    if tier::is_left_out() {
        return;
    }
    let accepted = [true, false].map(|vc_balance| {
        let mut torus = Setup::eight(Ends::Ring, 4, 8, 1);
        torus.vc_balance = vc_balance;
        torus.observe(0.9, 20_000, 1).accepted
    });
    assert!(accepted[0] > 1.15 * accepted[1], "{accepted:?}");
}

/// In dimension order all of a row share the channel before the diagonal: 7 sources in the corner.
/// Duato's adaptive routing does without, and delivers more than one and a half times as much.
#[test]
fn adaptive_routing_passes_the_wall_of_dimension_order_under_transpose() {
    let mut mesh = Setup::eight(Ends::Open, 4, 8, 8);
    mesh.traffic.pattern = Pattern::Transpose(flitsim_traffic::Transpose);
    let bound = ideal_throughput(&mesh);
    assert!((bound - 1.0 / 7.0).abs() < 1e-12, "{bound}");
    assert!(!mesh.is_stable_at(1.05 * bound));

    mesh.config.vc_reallocation = VcReallocation::Atomic;
    let grid = mesh.network.grid().unwrap();
    let duato = Duato::new(grid, 4).unwrap();
    assert!(mesh.is_stable_under(duato, 2.0 * bound));
    // Every packet has one negative and one positive direction: no choice.
    let negative_first = TurnModel::new(grid, 4, TurnRule::NegativeFirst).unwrap();
    assert!(!mesh.is_stable_under(negative_first, 1.05 * bound));
}

/// Valiant & Brebner (1981): by way of a random node, every permutation is twice uniform traffic. Half
/// way round in each dimension, packets in dimension order load half the channels alone.
#[test]
fn valiant_makes_tornado_uniform_at_half_the_load() {
    if tier::is_left_out() {
        return;
    }
    let mut torus = Setup::eight(Ends::Ring, 8, 8, 1);
    let direct = saturation(64..68, |load| torus.is_stable_at(load));
    let valiant = Valiant::new(torus.network.grid().unwrap(), 8, true).unwrap();
    let uniform = saturation(32..36, |load| torus.is_stable_under(valiant.clone(), load));
    torus.traffic.pattern = Pattern::Tornado(flitsim_traffic::Tornado);
    let valiant = Valiant::new(torus.network.grid().unwrap(), 8, true).unwrap();
    let tornado = saturation(32..36, |load| torus.is_stable_under(valiant.clone(), load));
    assert!(!torus.is_stable_at(0.28), "tornado in dimension order");
    let found = (direct, uniform, tornado);
    assert!(uniform.abs_diff(tornado) <= 1, "{found:?}");
    assert!(direct.abs_diff(2 * tornado) <= 3, "{found:?}");
}

/// Kiasari & Sarbazi-Azad, section 2.2: bonus cards even out the classes of negative hops, and
/// virtual channels in class a do better still. As many virtual channels each, as few as class a
/// leaves: with more, `nhop` catches up with `nbc`, for all but the first classes are idle then.
#[test]
fn on_the_star_enhanced_nbc_saturates_last_and_nhop_first() {
    if tier::is_left_out() {
        return;
    }
    let virtual_channels = 5;
    let star = |vc_reallocation| Setup {
        network: Star::new(5).unwrap().into_network(),
        config: EngineConfig {
            virtual_channels,
            injection_vcs: virtual_channels,
            buffer_flits: 4,
            vc_reallocation,
            ..EngineConfig::default()
        },
        tie: Tie::Random,
        vc_balance: true,
        traffic: TrafficPlan {
            length: PacketLength::Fixed(8),
            ..TrafficPlan::default()
        },
    };
    // Each with the reallocation that it takes by default.
    let (plain, atomic) = (
        star(VcReallocation::NonAtomic),
        star(VcReallocation::Atomic),
    );
    let paths = plain.network.star().unwrap();
    let nhop = NegativeHop::new(paths, virtual_channels).unwrap();
    let nbc = Nbc::new(paths, virtual_channels).unwrap();
    let enhanced = EnhancedNbc::new(paths, virtual_channels, None).unwrap();
    // At 52, 60 and 62 per cent of a flit a node and cycle, found by bisection.
    assert!(!plain.is_stable_under(nhop, 0.56));
    assert!(plain.is_stable_under(nbc, 0.59));
    assert!(!plain.is_stable_under(nbc, 0.61));
    assert!(atomic.is_stable_under(enhanced, 0.61));
}
