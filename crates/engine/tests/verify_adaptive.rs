//! Proofs of the adaptive algorithms, and what is refused of them.

use crate::common::any::verify;
use flitsim_analysis::verify::{
    Coverage, DependencyKind, Extent, Method, Proof, Reason, VerifyOptions,
};
use flitsim_engine::routing::{
    AfterEscape, DimensionOrder, Duato, ECube, MinimalAdaptive, OddEven, Tie, TurnModel, TurnRule,
    UpDown, Valiant, WithEscape,
};
use flitsim_engine::{EngineConfig, Routing, VcReallocation};
use flitsim_topology::{Ends, Grid, Network};

fn grid(radices: &[u32], ends: Ends) -> Network {
    Grid::new(radices, ends).unwrap().into_network()
}

fn proof(network: &Network, routing: &impl Routing, virtual_channels: u32) -> Proof {
    let config = EngineConfig {
        virtual_channels,
        vc_reallocation: VcReallocation::Atomic,
        ..EngineConfig::default()
    };
    verify(network, routing, &VerifyOptions::of(&config))
}

#[test]
fn duato_is_proved_on_every_grid_with_atomic_reallocation_only() {
    let cubes = (3..=8).map(|n| grid(&vec![2; n], Ends::Open));
    let others = [
        grid(&[5, 4], Ends::Open),
        grid(&[4, 4], Ends::Ring),
        grid(&[5, 3], Ends::Ring),
        grid(&[3, 2, 4], Ends::Ring),
        grid(&[4, 3], Ends::DirectedRing),
    ];
    for network in cubes.chain(others) {
        let grid = network.grid().unwrap();
        let vcs = ECube::virtual_channels_min(grid) + 1;
        let duato = Duato::new(grid, vcs).unwrap();
        let free = proof(&network, &duato, vcs);
        assert!(free.is_free(), "{:?}", free.verdict);
        assert_eq!(free.method, Method::AcyclicExtendedCdg);
        let options = VerifyOptions::of(&EngineConfig {
            virtual_channels: vcs,
            ..EngineConfig::default()
        });
        let refused = verify(&network, &duato, &options);
        assert_eq!(refused.reason(), Some(&Reason::NonAtomicReallocation));
        let free_for_all = MinimalAdaptive::new(grid, vcs).unwrap();
        let refused = proof(&network, &free_for_all, vcs);
        assert_eq!(refused.reason(), Some(&Reason::Cycle));
    }
}

#[test]
fn duato_on_the_hypercube_is_proved_by_one_destination() {
    let network = grid(&[2; 5], Ends::Open);
    let duato = Duato::new(network.grid().unwrap(), 3).unwrap();
    let config = EngineConfig {
        virtual_channels: 3,
        vc_reallocation: VcReallocation::Atomic,
        ..EngineConfig::default()
    };
    let of = |extent| {
        let options = VerifyOptions {
            extent,
            ..VerifyOptions::of(&config)
        };
        verify(&network, &duato, &options)
    };
    let (full, symmetric) = (of(Extent::Full), of(Extent::Symmetric));
    let coverage = Coverage::BySymmetry {
        destinations: 1,
        automorphisms: 32,
    };
    assert_eq!(symmetric.coverage, coverage);
    let coverage = full.coverage;
    assert_eq!(
        full,
        Proof {
            coverage,
            ..symmetric
        }
    );
}

#[test]
fn turn_models_and_valiant_are_proved_without_escape() {
    let mesh = grid(&[5, 4], Ends::Open);
    for rule in [
        TurnRule::WestFirst,
        TurnRule::NorthLast,
        TurnRule::NegativeFirst,
    ] {
        let routing = TurnModel::new(mesh.grid().unwrap(), 2, rule).unwrap();
        let proof = proof(&mesh, &routing, 2);
        assert!(proof.is_free(), "{rule:?} {:?}", proof.verdict);
        assert_eq!(proof.method, Method::AcyclicCdg);
    }
    let routing = OddEven::new(mesh.grid().unwrap(), 1).unwrap();
    assert!(proof(&mesh, &routing, 1).is_free());
    for (network, vcs) in [(mesh, 2), (grid(&[4, 3], Ends::Ring), 4)] {
        let routing = Valiant::new(network.grid().unwrap(), vcs, true).unwrap();
        let proof = proof(&network, &routing, vcs);
        assert!(proof.is_free(), "{:?}", proof.verdict);
    }
}

#[test]
fn a_dateline_that_remembers_is_an_escape_only_for_packets_that_stay() {
    let network = grid(&[5, 5], Ends::Ring);
    let grid = network.grid().unwrap();
    let composed = |after| {
        let adaptive = |vcs| MinimalAdaptive::new(grid, vcs);
        let escape = |vcs| DimensionOrder::new(grid, vcs, Tie::Positive, false);
        WithEscape::compose("it", 3, 2, after, adaptive, escape).unwrap()
    };
    let stay = proof(&network, &composed(AfterEscape::Stay), 3);
    assert!(stay.is_free(), "{:?}", stay.verdict);
    let refused = proof(&network, &composed(AfterEscape::Return), 3);
    let Some(Reason::ExtendedCycle { dependencies }) = refused.reason() else {
        panic!("{:?}", refused.verdict);
    };
    let is_indirect = |kind| kind == DependencyKind::Indirect;
    assert!(dependencies.iter().any(|d| is_indirect(d.kind)));
}

#[test]
fn up_and_down_is_an_escape_for_packets_that_stay() {
    let network = grid(&[4, 4], Ends::Ring);
    let adaptive = |vcs| MinimalAdaptive::new(network.grid().unwrap(), vcs);
    let escape = |vcs| UpDown::new(&network, vcs, None);
    let routing = WithEscape::compose("it", 2, 1, AfterEscape::Stay, adaptive, escape).unwrap();
    let proof = proof(&network, &routing, 2);
    assert!(proof.is_free(), "{:?}", proof.verdict);
}
