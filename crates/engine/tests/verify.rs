//! Proofs of all relations, their negative twins, and the sizes of dependency graphs that are
//! known in closed form.

use crate::common;
use crate::common::any::{Any, verify};
use crate::tier;

use crate::common::loaded::Delivered;
use common::dependencies::Dependencies;
use common::relations::{Duato, FreeEscape, MinimalAdaptive, OneClass};
use flitsim_analysis::verify::{Coverage, Method, Proof, Reason, VerifyOptions};
use flitsim_engine::routing::{
    AdaptiveUpDown, DimensionOrder, Express, FatPyramid, HopClass, NearestCommonAncestor,
    NegativeHop, PrunedOrder, Tie, UpDown,
};
use flitsim_engine::{Engine, EngineConfig, NewPacket, Routing, VcReallocation, Watchdog};
use flitsim_topology::{
    ChannelId, Ends, ExpressCube, ExpressParameters, FatTree, Grid, Network, NodeId, SparseTorus,
    Star, Thinning,
};

fn options(virtual_channels: u32) -> VerifyOptions<'static> {
    let config = EngineConfig {
        virtual_channels,
        ..EngineConfig::default()
    };
    VerifyOptions::of(&config)
}

fn grid(radices: &[u32], ends: Ends) -> Network {
    Grid::new(radices, ends).unwrap().into_network()
}

fn dimension_order(network: &Network, vcs: u32, balance: bool) -> DimensionOrder<'_> {
    DimensionOrder::new(network.grid().unwrap(), vcs, Tie::Random, balance).unwrap()
}

/// Consecutive channels of a cycle meet, and so do the last and the first.
fn assert_is_closed(network: &Network, cycle: &[(ChannelId, u32)]) {
    assert!(!cycle.is_empty());
    for (i, &(channel, _)) in cycle.iter().enumerate() {
        let (next, _) = cycle[(i + 1) % cycle.len()];
        assert_eq!(network.target(channel), network.source(next));
    }
}

/// Proves `routing`, and compares what was counted with the naive enumeration.
fn proof(network: &Network, routing: &impl Routing, vcs: u32) -> Proof {
    let proof = verify(network, routing, &options(vcs));
    let naive = Dependencies::packet_by_packet(network, routing);
    assert_eq!(naive, Dependencies::of(network, routing));
    let counts = (proof.vertices as usize, proof.dependencies as usize);
    assert_eq!(counts, naive.counts());
    assert_eq!(proof.virtual_channels, vcs);
    assert!(proof.reaches_every_pair);
    assert_eq!(proof.coverage, Coverage::Full);
    if proof.method == Method::AcyclicCdg {
        assert_eq!(proof.is_free(), naive.is_acyclic());
    }
    if !proof.is_free() {
        assert_is_closed(network, proof.cycle());
        assert!(naive.closes(proof.cycle()), "{:?}", proof.cycle());
    }
    proof
}

fn assert_free(network: &Network, routing: &impl Routing, vcs: u32) {
    let proof = proof(network, routing, vcs);
    assert!(proof.is_free(), "{:?}", proof.verdict);
    assert_eq!(proof.method, Method::AcyclicCdg);
}

fn assert_cyclic(network: &Network, routing: &impl Routing, vcs: u32) {
    assert_eq!(proof(network, routing, vcs).reason(), Some(&Reason::Cycle));
}

#[test]
fn meshes_have_as_many_dependencies_as_counted() {
    for k in 2..=8 {
        let network = grid(&[k, k], Ends::Open);
        let proof = proof(&network, &dimension_order(&network, 1, true), 1);
        let k = u64::from(k);
        assert_eq!(proof.vertices, 4 * k * (k - 1));
        assert_eq!(proof.dependencies, 4 * k * (k - 2) + 4 * (k - 1) * (k - 1));
        assert_eq!(u64::from(proof.longest_route_hops), 2 * (k - 1));
        assert!(proof.is_free());
    }
}

#[test]
fn tori_have_as_many_dependencies_as_counted_and_one_virtual_channel_is_refused() {
    for (k, vertices, dependencies) in [(4, 80, 144), (5, 120, 220)] {
        let network = grid(&[k, k], Ends::Ring);
        let proof = proof(&network, &dimension_order(&network, 2, false), 2);
        assert_eq!(
            (proof.vertices, proof.dependencies),
            (vertices, dependencies)
        );
        assert!(proof.is_free());
    }
    let network = grid(&[4, 4], Ends::Ring);
    let refused = OneClass(dimension_order(&network, 2, false));
    let proof = proof(&network, &refused, 1);
    assert_eq!((proof.vertices, proof.dependencies), (64, 128));
    assert_eq!(proof.reason(), Some(&Reason::Cycle));
    // The shortest cycle is a ring, in one dimension and one direction.
    let steps: Vec<_> = proof
        .cycle()
        .iter()
        .map(|&(c, _)| network.grid().unwrap().step(c))
        .collect();
    assert_eq!(steps.len(), 4);
    assert!(
        steps
            .iter()
            .all(|s| s.dimension == steps[0].dimension && s.direction == steps[0].direction)
    );
    assert_eq!(steps.iter().filter(|s| s.wraps).count(), 1);
}

#[test]
fn hypercubes_have_as_many_dependencies_as_counted() {
    let network = grid(&[2; 4], Ends::Open);
    let proof = proof(&network, &dimension_order(&network, 1, true), 1);
    assert_eq!((proof.vertices, proof.dependencies), (64, 96));
    assert!(proof.is_free());
    // Each node is reached from one neighbour for each dimension up to the first that differs from
    // the destination: no state, one virtual channel, so as many configurations as channels used.
    assert_eq!(proof.configurations, 16 * 15);
}

#[test]
fn grids_are_proved_and_refused_without_datelines() {
    for (radices, ends) in [
        (&[9][..], Ends::Ring),
        (&[5, 4], Ends::Ring),
        (&[3, 2, 4], Ends::Ring),
        (&[5, 3], Ends::DirectedRing),
    ] {
        let network = grid(radices, ends);
        for (vcs, balance) in [(2, false), (2, true), (3, true), (5, true)] {
            assert_free(&network, &dimension_order(&network, vcs, balance), vcs);
        }
        assert_cyclic(&network, &OneClass(dimension_order(&network, 2, true)), 1);
    }
}

#[test]
fn thinned_out_tori_are_proved_and_refused_without_classes() {
    if tier::is_left_out() {
        return;
    }
    for radix in [4, 6] {
        let torus = SparseTorus::new(radix, 3, Thinning::Pruned).unwrap();
        let network = torus.into_network();
        let torus = network.sparse_torus().unwrap();
        for (vcs, balance) in [(4, false), (4, true), (7, true)] {
            let routing = PrunedOrder::new(torus, vcs, Tie::Random, balance).unwrap();
            assert_free(&network, &routing, vcs);
        }
        let routing = PrunedOrder::new(torus, 4, Tie::Random, true).unwrap();
        assert_cyclic(&network, &OneClass(routing), 1);
    }
}

#[test]
fn hop_classes_are_proved_and_refused_without_classes() {
    for symbols in [3, 4] {
        let network = Star::new(symbols).unwrap().into_network();
        let star = network.star().unwrap();
        for more in [0, 2] {
            let vcs = NegativeHop::virtual_channels_min(star) + more;
            assert_free(&network, &NegativeHop::new(star, vcs).unwrap(), vcs);
            let vcs = HopClass::virtual_channels_min(star) + more;
            assert_free(&network, &HopClass::new(star, vcs).unwrap(), vcs);
        }
        let vcs = NegativeHop::virtual_channels_min(star);
        assert_cyclic(&network, &OneClass(NegativeHop::new(star, vcs).unwrap()), 1);
    }
    for radices in [&[4, 4][..], &[6, 4]] {
        let network = grid(radices, Ends::Ring);
        let torus = network.grid().unwrap();
        let vcs = NegativeHop::virtual_channels_min(torus);
        assert_free(&network, &NegativeHop::new(torus, vcs).unwrap(), vcs);
        assert_cyclic(
            &network,
            &OneClass(NegativeHop::new(torus, vcs).unwrap()),
            1,
        );
    }
}

#[test]
fn trees_and_express_cubes_need_one_virtual_channel() {
    for processors in [4, 16, 64] {
        let network = FatTree::butterfly(processors).unwrap().into_network();
        let tree = network.fat_tree().unwrap();
        assert_free(&network, &NearestCommonAncestor::new(tree, 1).unwrap(), 1);
        let network = FatTree::pyramid(processors).unwrap().into_network();
        let tree = network.fat_tree().unwrap();
        assert_free(&network, &FatPyramid::new(tree, 2, 1).unwrap(), 2);
    }
    for parameters in [
        ExpressParameters::new(9, 2, 2, 2),
        ExpressParameters::new(16, 1, 4, 1),
    ] {
        let network = ExpressCube::new(parameters).unwrap().into_network();
        let cube = network.express_cube().unwrap();
        assert_free(&network, &Express::new(cube, 1).unwrap(), 1);
    }
}

#[test]
fn up_and_down_is_proved_where_shortest_paths_are_refused() {
    let network = grid(&[5, 5], Ends::Ring);
    assert_free(&network, &UpDown::new(&network, 1, None).unwrap(), 1);
    assert_free(
        &network,
        &AdaptiveUpDown::new(&network, 2, None).unwrap(),
        2,
    );
    let grid = network.grid().unwrap();
    let virtual_channels = 2;
    let free_for_all = MinimalAdaptive {
        grid,
        virtual_channels,
    };
    assert_cyclic(&network, &free_for_all, 2);
}

#[test]
fn minimal_adaptive_on_a_mesh_waits_round_a_square() {
    for vcs in [1, 3] {
        let network = grid(&[4, 4], Ends::Open);
        let routing = MinimalAdaptive {
            grid: network.grid().unwrap(),
            virtual_channels: vcs,
        };
        let proof = proof(&network, &routing, vcs);
        assert_eq!(proof.reason(), Some(&Reason::Cycle));
        assert_eq!(proof.cycle().len(), 4, "four turns the same way round");
    }
}

#[test]
fn proofs_are_the_same_on_one_two_and_three_threads() {
    let torus = grid(&[6, 5], Ends::Ring);
    let cube = grid(&[2; 5], Ends::Open);
    let on = |threads| {
        let pool = rayon_core::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let proofs = [
                proof(&torus, &dimension_order(&torus, 3, true), 3),
                proof(&torus, &OneClass(dimension_order(&torus, 2, true)), 1),
            ];
            let duato = Duato::new(cube.grid().unwrap(), 3);
            let refused = FreeEscape(torus.grid().unwrap());
            let mut options = options(3);
            options.vc_reallocation = VcReallocation::Atomic;
            let escapes = [
                verify(&cube, &duato, &options),
                verify(&torus, &refused, &options),
            ];
            assert_eq!(escapes.each_ref().map(Proof::is_free), [true, false]);
            (proofs, escapes)
        })
    };
    let one = on(1);
    assert_eq!(one, on(2));
    assert_eq!(one, on(3));
}

#[test]
fn progress_counts_the_destinations() {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    let network = grid(&[4, 4], Ends::Open);
    let (calls, most) = (AtomicU64::new(0), AtomicU64::new(0));
    let progress = |done, total| {
        assert_eq!(total, 16);
        calls.fetch_add(1, Relaxed);
        most.fetch_max(done, Relaxed);
    };
    let mut options = options(1);
    options.progress = Some(&progress);
    assert!(verify(&network, &dimension_order(&network, 1, true), &options).is_free());
    // Once before the first.
    assert_eq!((calls.into_inner(), most.into_inner()), (17, 16));
}

/// Where a packet has a channel to itself, datelines keep nobody from waiting for one another round a ring.
#[test]
fn virtual_channels_of_a_channel_that_a_packet_has_to_itself_are_one_vertex() {
    let alone = |virtual_channels| VerifyOptions {
        interleaves: false,
        ..options(virtual_channels)
    };
    let mesh = grid(&[4, 3], Ends::Open);
    for vcs in [1, 3] {
        let proof = verify(&mesh, &dimension_order(&mesh, vcs, true), &alone(vcs));
        assert!(proof.is_free());
        assert_eq!(proof.vertices, u64::from(mesh.channels()));
    }
    let ring = grid(&[6], Ends::DirectedRing);
    let routing = dimension_order(&ring, 2, false);
    assert_free(&ring, &routing, 2);
    let proof = verify(&ring, &routing, &alone(2));
    assert_eq!(proof.reason(), Some(&Reason::Cycle));
    assert_is_closed(&ring, proof.cycle());
    // And an escape on virtual channels of its own is none.
    let square = grid(&[3, 3], Ends::Open);
    let duato = Duato::new(square.grid().unwrap(), 2);
    let atomic = VerifyOptions {
        vc_reallocation: VcReallocation::Atomic,
        ..alone(2)
    };
    assert_eq!(
        verify(&square, &duato, &atomic).reason(),
        Some(&Reason::Cycle)
    );
    // The engine does what the proofs say.
    for interleave_flits in [true, false] {
        let config = EngineConfig {
            virtual_channels: 2,
            buffer_flits: 2,
            interleave_flits,
            ..EngineConfig::default()
        };
        let relation = Any::<true>::new(&routing);
        let mut engine = Engine::new(&ring, relation, config, 1, Delivered::default()).unwrap();
        for source in 0..6 {
            engine.offer(NewPacket {
                source: NodeId(source),
                destination: NodeId((source + 3) % 6),
                flits: 16,
                entropy: 0,
            });
        }
        (0..500).for_each(|_| engine.step());
        engine.check_invariants();
        let ends = (engine.is_idle(), engine.is_frozen());
        assert_eq!(ends, (interleave_flits, !interleave_flits));
        // Each packet waits for the one that has the next channel to itself.
        let deadlock = Watchdog::new().look(&engine);
        let named = deadlock.map(|deadlock| deadlock.witness.len());
        assert_eq!(named, (!interleave_flits).then_some(6));
    }
}
