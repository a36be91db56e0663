//! The dense engine gives the points that the sparse one gives, on any number of threads.

use crate::lives::in_lives;
use flitsim_engine::routing::{
    Algorithm, DimensionOrder, OwnRelation, Relation, RoutingChoice, Tables, Tie,
};
use flitsim_engine::{
    ChannelDelay, EngineConfig, Matching, Pipeline, Routing, Unfit, VcReallocation,
};
use flitsim_measure::measurement::MeasureSettings;
use flitsim_measure::measurement::stopping::StabilitySettings;
use flitsim_measure::simulate::{Monitor, NoMonitor};
use flitsim_measure::{EngineChoice, EngineUse, Offered, OperatingPoint};
use flitsim_random::Address;
use flitsim_topology::{Ends, Grid, Network};
use flitsim_traffic::{PacketLength, TrafficPlan};
use std::num::NonZeroUsize;

const STAGES: Pipeline = Pipeline {
    routing: 1,
    vc_allocation: 1,
    switch_allocation: 1,
    traversal: 1,
};

fn network(radices: &[u32], ends: Ends) -> Network {
    Grid::new(radices, ends).expect("a grid").into_network()
}

fn relation(network: &Network, vcs: u32) -> Relation<'_> {
    let grid = network.grid().expect("a grid");
    let routing = DimensionOrder::new(grid, vcs, Tie::Random, true);
    routing.expect("enough virtual channels").into()
}

/// That of `algorithm`, where there are virtual channels for it.
fn of(algorithm: Algorithm, network: &Network, vcs: u32) -> Option<Relation<'_>> {
    let choice = RoutingChoice::from(algorithm);
    choice.relation(network, vcs, &Tables::default()).ok()
}

#[test]
fn both_engines_give_the_same_point() {
    let cases: [(&[u32], Ends, u32, f64); 6] = [
        (&[8, 8], Ends::Open, 2, 0.3),
        (&[8, 8], Ends::Ring, 2, 0.4),
        (&[7, 5], Ends::Ring, 4, 0.9),
        (&[3, 4, 5], Ends::Open, 8, 0.3),
        (&[2, 2, 2, 2, 2], Ends::Open, 1, 0.2),
        (&[6, 6], Ends::DirectedRing, 2, 0.1),
    ];
    for (radices, ends, vcs, load) in cases {
        let network = network(radices, ends);
        let router = EngineConfig {
            virtual_channels: vcs,
            injection_vcs: vcs,
            ..EngineConfig::default()
        };
        let traffic = TrafficPlan {
            length: PacketLength::Fixed(5),
            ..TrafficPlan::default()
        };
        let staged = EngineConfig {
            pipeline: Some(STAGES),
            vc_allocator: Some(Matching::Islip { iterations: 2 }),
            ejection_vcs: vcs,
            injection_buffers: true,
            channel_delay: ChannelDelay::Uniform(1),
            ..router.clone()
        };
        let relations = [
            Some((relation(&network, vcs), router.clone())),
            Some((relation(&network, vcs), staged.clone())),
            // Adaptive; and of those with one way on the one that is not compiled by itself.
            of(Algorithm::Duato, &network, vcs).map(|relation| (relation, router.clone())),
            of(Algorithm::Valiant, &network, vcs).map(|relation| (relation, router)),
            of(Algorithm::Valiant, &network, vcs).map(|relation| (relation, staged.clone())),
            of(Algorithm::O1Turn, &network, vcs).map(|relation| (relation, staged.clone())),
            Some((
                Relation::Own(OwnRelation::new(relation(&network, vcs))),
                staged,
            )),
        ];
        for (relation, router) in relations.into_iter().flatten() {
            let router = EngineConfig {
                vc_reallocation: match relation.has_escape() {
                    true => VcReallocation::Atomic,
                    false => VcReallocation::NonAtomic,
                },
                ..router
            };
            let results = [EngineChoice::Sparse, EngineChoice::Dense].map(|engine| {
                let point = OperatingPoint {
                    settings: MeasureSettings {
                        relative_error: 0.1,
                        max_cycles: 20_000,
                        ..MeasureSettings::default()
                    },
                    replicas: 2,
                    is_proved: true,
                    engine,
                    ..OperatingPoint::new(&network, &router, &traffic, Offered::Flits(load))
                };
                let is_dense = engine == EngineChoice::Dense;
                assert_eq!(point.engine_for(&relation).is_dense(), is_dense);
                let result = point.simulate_under(relation.clone(), &NoMonitor);
                let tested = point.is_delivered_under(
                    relation.clone(),
                    StabilitySettings {
                        resolution_flits: 0.02,
                        share: 1.0,
                        max_cycles: 5_000,
                    },
                    &NoMonitor,
                );
                format!("{result:?} {tested:?}")
            });
            assert_eq!(results[0], results[1], "{radices:?}, {ends:?}");
        }
    }
}

/// The network is large enough for two threads; whole, and in several lives.
#[test]
fn threads_give_the_same_point() {
    let (network, traffic) = (network(&[32, 32], Ends::Ring), TrafficPlan::default());
    let plain = EngineConfig::default();
    let staged = EngineConfig {
        pipeline: Some(STAGES),
        vc_allocator: Some(Matching::Islip { iterations: 1 }),
        ejection_vcs: 4,
        injection_buffers: true,
        ..plain.clone()
    };
    for router in [plain, staged] {
        let told = |threads, is_interrupted| {
            let point = OperatingPoint {
                settings: MeasureSettings {
                    relative_error: 0.05,
                    max_cycles: 800,
                    ..MeasureSettings::default()
                },
                threads: NonZeroUsize::new(threads).expect("threads"),
                engine: EngineChoice::Dense,
                ..OperatingPoint::new(&network, &router, &traffic, Offered::Flits(0.2))
            };
            let relation = || relation(&network, 4);
            let settings = StabilitySettings {
                resolution_flits: 0.05,
                share: 1.0,
                max_cycles: 400,
            };
            let tested = point.is_delivered_under(relation(), settings, &NoMonitor);
            let simulate = |monitor: &dyn Monitor| point.simulate_under(relation(), monitor);
            let result = match is_interrupted {
                false => simulate(&NoMonitor).expect("a result"),
                true => {
                    let dice = &mut Address::new(3).generator();
                    let (result, lives) = in_lives(dice, simulate);
                    assert!(lives > 1, "{lives}");
                    result
                }
            };
            format!("{result:?} {tested:?}")
        };
        let one = told(1, false);
        assert_eq!(one, told(2, false));
        assert_eq!(one, told(2, true));
    }
}

#[test]
fn the_load_chooses() {
    let network = network(&[8, 8], Ends::Open);
    let (router, traffic) = (EngineConfig::default(), TrafficPlan::default());
    let engine = |load| {
        let point = OperatingPoint::new(&network, &router, &traffic, Offered::Flits(load));
        point.engine_for(&relation(&network, 4))
    };
    assert!(matches!(engine(0.001), EngineUse::SparseIdle(_)));
    assert!(matches!(engine(0.4), EngineUse::DenseBusy(hops) if (1.8..2.5).contains(&hops)));
    let mut slow = router.clone();
    slow.delay = 2;
    let point = OperatingPoint::new(&network, &slow, &traffic, Offered::Flits(0.4));
    let only = EngineUse::SparseOnly(Unfit::Router("delay"));
    assert_eq!(point.engine_for(&relation(&network, 4)), only);
    let staged = EngineConfig {
        pipeline: Some(STAGES),
        vc_allocator: Some(Matching::SeparableInputFirst),
        ejection_vcs: 2,
        injection_buffers: true,
        ..router
    };
    let point = OperatingPoint::new(&network, &staged, &traffic, Offered::Flits(0.4));
    assert!(point.engine_for(&relation(&network, 4)).is_dense());
    let odd_even = of(Algorithm::OddEven, &network, 4);
    let point = OperatingPoint {
        is_proved: true,
        ..point
    };
    let only = EngineUse::SparseOnly(Unfit::Adaptive);
    assert_eq!(point.engine_for(&odd_even.expect("it fits")), only);
}
