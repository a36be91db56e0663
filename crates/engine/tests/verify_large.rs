//! Proofs by symmetry and by product: they say what full enumeration says.

use crate::common;
use crate::common::any::verify;
use crate::tier;

use common::definition::extended;
use common::relations::{Duato, EnhancedNbc, FreeEscape, MinimalAdaptive};
use flitsim_analysis::verify::{Coverage, Extent, Proof, Reason, VerifyOptions, verify_by_product};
use flitsim_engine::routing::{
    DimensionOrder, EnhancedNbc as BonusCards, Folded, HopClass, MinimalAdaptive as ShortestPaths,
    NegativeHop, Order, RingClasses, Symmetry, Tie,
};
use flitsim_engine::{Candidate, Candidates, EngineConfig, Head, Routing, VcReallocation};
use flitsim_topology::{ChannelId, Ends, Grid, MinimalPaths, Network, NodeId, Star};

pub fn options(virtual_channels: u32, extent: Extent) -> VerifyOptions<'static> {
    let config = EngineConfig {
        virtual_channels,
        vc_reallocation: VcReallocation::Atomic,
        ..EngineConfig::default()
    };
    VerifyOptions {
        extent,
        ..VerifyOptions::of(&config)
    }
}

fn grid(radices: &[u32], ends: Ends) -> Network {
    Grid::new(radices, ends).unwrap().into_network()
}

/// The proof by `classes` destinations, which is the full one.
pub fn assert_symmetric(
    network: &Network,
    routing: &impl Routing,
    vcs: u32,
    classes: u32,
) -> Proof {
    let full = verify(network, routing, &options(vcs, Extent::Full));
    let symmetric = verify(network, routing, &options(vcs, Extent::Symmetric));
    // In a star graph (n − 1)! automorphisms keep a node; what is refused is shown without them.
    let fixing = match network.star() {
        Some(star) if full.is_free() => (1..u64::from(star.symbols())).product(),
        _ => 1,
    };
    let coverage = Coverage::BySymmetry {
        destinations: classes,
        automorphisms: u64::from(network.terminals() / classes) * fixing,
    };
    assert_eq!(symmetric.coverage, coverage);
    assert_eq!(full.coverage, Coverage::Full);
    let symmetric = Proof {
        coverage: Coverage::Full,
        ..symmetric
    };
    assert_eq!(symmetric, full);
    full
}

#[test]
fn one_destination_of_each_class_proves_as_much_as_all() {
    for n in [1, 3, 5] {
        let network = grid(&vec![2; n], Ends::Open);
        let grid = network.grid().unwrap();
        let order = DimensionOrder::new(grid, 2, Tie::Random, true).unwrap();
        assert!(assert_symmetric(&network, &order, 2, 1).is_free());
        let vcs = NegativeHop::virtual_channels_min(grid);
        let nhop = NegativeHop::new(grid, vcs).unwrap();
        assert!(assert_symmetric(&network, &nhop, vcs, 2).is_free());
        let duato = Duato {
            symmetry: Symmetry::Translations,
            ..Duato::new(grid, 3)
        };
        assert!(assert_symmetric(&network, &duato, 3, 1).is_free());
    }
    for radices in [&[4, 6][..], &[2, 4, 4], &[5, 3]] {
        for ends in [Ends::Ring, Ends::DirectedRing] {
            let network = grid(radices, ends);
            let grid = network.grid().unwrap();
            let vcs = HopClass::virtual_channels_min(grid);
            let hops = HopClass::new(grid, vcs).unwrap();
            assert!(assert_symmetric(&network, &hops, vcs, 1).is_free());
            // Refused with the very same witness.
            let adaptive = MinimalAdaptive {
                grid,
                virtual_channels: 2,
            };
            assert!(!assert_symmetric(&network, &adaptive, 2, 1).is_free());
            if radices[0] % 2 == 0 {
                let vcs = NegativeHop::virtual_channels_min(grid);
                let nhop = NegativeHop::new(grid, vcs).unwrap();
                assert!(assert_symmetric(&network, &nhop, vcs, 2).is_free());
            }
        }
    }
    for symbols in [3, 4, 5] {
        let network = Star::new(symbols).unwrap().into_network();
        let star = network.star().unwrap();
        let nhop = NegativeHop::new(star, 4).unwrap();
        assert!(assert_symmetric(&network, &nhop, 4, 2).is_free());
        let enhanced = EnhancedNbc {
            star,
            adaptive: 1,
            classes: 3,
        };
        if symbols < 5 {
            assert!(assert_symmetric(&network, &enhanced, 4, 2).is_free());
        }
        let vcs = BonusCards::virtual_channels_min(star);
        let cards = BonusCards::new(star, vcs, None).unwrap();
        assert!(assert_symmetric(&network, &cards, vcs, 2).is_free());
        let vcs = HopClass::virtual_channels_min(star);
        let hops = HopClass::new(star, vcs).unwrap();
        assert!(assert_symmetric(&network, &hops, vcs, 1).is_free());
        let adaptive = ShortestPaths::new(star, 2).unwrap();
        assert!(!assert_symmetric(&network, &adaptive, 2, 1).is_free());
    }
}

/// Where a packet goes depends on the place of the channel that it came over, which translations
/// keep and other automorphisms of a star graph do not.
#[derive(Clone, Copy)]
struct Placed<'n>(NegativeHop<&'n Star>, Symmetry);

impl Routing for Placed<'_> {
    const DETERMINISTIC: bool = false;

    fn initial(&self, source: NodeId, destination: NodeId, _: u32) -> u64 {
        self.0.initial(source, destination, 0)
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        let mut all = Candidates::default();
        self.0.route(head, &mut all);
        for &candidate in all.as_slice() {
            // One of the two virtual channels of the class out of place 0, both out of the others.
            let vcs = match candidate.channel.0 % 3 {
                0 => candidate.vcs & !(candidate.vcs - 1),
                _ => candidate.vcs,
            };
            candidates.push(Candidate { vcs, ..candidate });
        }
    }

    fn advance(&self, head: Head, channel: ChannelId, vc: u32) -> u64 {
        self.0.advance(head, channel, vc)
    }

    fn symmetry(&self) -> Symmetry {
        self.1
    }
}

#[test]
fn a_relation_that_translations_alone_respect_is_proved_by_translations() {
    let network = Star::new(4).unwrap().into_network();
    let nhop = NegativeHop::new(network.star().unwrap(), 6).unwrap();
    let coverage = Coverage::BySymmetry {
        destinations: 2,
        automorphisms: 12,
    };
    // The second says more than is true.
    for symmetry in [
        Symmetry::ColourPreservingTranslations,
        Symmetry::ColourPreservingAutomorphisms,
    ] {
        let placed = Placed(nhop, symmetry);
        let proof = verify(&network, &placed, &options(6, Extent::Symmetric));
        assert_eq!((proof.is_free(), proof.coverage), (true, coverage));
        let full = verify(&network, &placed, &options(6, Extent::Full));
        assert_eq!(full.dependencies, proof.dependencies);
    }
}

/// With more virtual channels out of a node than a word has bits.
#[test]
fn what_is_wrong_on_a_star_graph_is_shown_on_the_network() {
    let network = Star::new(5).unwrap().into_network();
    let star = network.star().unwrap();
    let vcs = 17;
    let adaptive = ShortestPaths::new(star, vcs).unwrap();
    let proof = verify(&network, &adaptive, &options(vcs, Extent::Symmetric));
    assert_eq!(proof.reason(), Some(&Reason::Cycle));
    let cycle = proof.cycle();
    for (i, &(channel, _)) in cycle.iter().enumerate() {
        let next = cycle[(i + 1) % cycle.len()].0;
        assert_eq!(network.target(channel), network.source(next));
    }
    assert!(cycle.len() >= 6, "{cycle:?}");
}

/// What cannot be shown for its size is refused all the same, and at once.
#[test]
fn a_cycle_of_orbits_is_a_refusal() {
    let network = Star::new(7).unwrap().into_network();
    let star = network.star().unwrap();
    let adaptive = ShortestPaths::new(star, 2).unwrap();
    let few = VerifyOptions {
        configurations_most: 1_000,
        ..options(2, Extent::Symmetric)
    };
    let proof = verify(&network, &adaptive, &few);
    assert_eq!(proof.reason(), Some(&Reason::Cycle));
    assert_eq!(proof.cycle(), []);
    let escape = verify(&network, &FreeEscape(star), &few);
    let dependencies = Vec::new();
    assert_eq!(
        escape.reason(),
        Some(&Reason::ExtendedCycle { dependencies })
    );
}

/// 40,320 nodes, of which 45 are left.
#[test]
fn large_star_graphs_are_proved_by_cycles_of_permutations() {
    let network = Star::new(8).unwrap().into_network();
    let star = network.star().unwrap();
    let vcs = NegativeHop::virtual_channels_min(star);
    let nhop = NegativeHop::new(star, vcs).unwrap();
    let proof = verify(&network, &nhop, &options(vcs, Extent::Auto));
    assert!(proof.is_free());
    assert_eq!(proof.longest_route_hops, star.diameter());
    let vcs = BonusCards::virtual_channels_min(star);
    let cards = BonusCards::new(star, vcs, None).unwrap();
    let proof = verify(&network, &cards, &options(vcs, Extent::Auto));
    assert!(proof.is_free());
    assert_eq!(
        proof.vertices,
        u64::from(network.channels()) * u64::from(vcs)
    );
}

/// The refusal by one destination, whose cycle is one of the network.
fn assert_lifts<M: MinimalPaths>(network: &Network, paths: &M) {
    let routing = FreeEscape(paths);
    let full = verify(network, &routing, &options(2, Extent::Full));
    let symmetric = verify(network, &routing, &options(2, Extent::Symmetric));
    assert!(matches!(symmetric.coverage, Coverage::BySymmetry { .. }));
    let by_definition = extended(network, &routing, true);
    for proof in [&full, &symmetric] {
        let Some(Reason::ExtendedCycle { dependencies }) = proof.reason() else {
            panic!("{:?}", proof.verdict);
        };
        let cycle = proof.cycle();
        assert_eq!(dependencies.len(), cycle.len());
        for (i, dependency) in dependencies.iter().enumerate() {
            let to = cycle[(i + 1) % cycle.len()];
            assert!(by_definition.edges.contains(&(cycle[i], to)));
            let held = dependency.via.last().unwrap_or(&cycle[i]);
            assert_eq!(network.target(held.0), network.source(to.0));
            assert!(dependency.via.iter().all(|&(_, vc)| vc == 1));
        }
    }
    assert!(symmetric.cycle().len() >= full.cycle().len());
}

#[test]
fn relations_folded_onto_too_few_virtual_channels_keep_their_symmetry() {
    let network = Star::new(4).unwrap().into_network();
    let nhop = NegativeHop::new(network.star().unwrap(), 3).unwrap();
    let folded = Folded::new(&nhop, 2);
    assert!(!assert_symmetric(&network, &folded, 2, 2).is_free());
    let network = grid(&[4, 4], Ends::Ring);
    let hops = HopClass::new(network.grid().unwrap(), 4).unwrap();
    let folded = Folded::new(&hops, 2);
    assert!(!assert_symmetric(&network, &folded, 2, 1).is_free());
}

#[test]
fn a_cycle_of_classes_is_shown_on_the_network() {
    let cube = grid(&[2; 4], Ends::Open);
    assert_lifts(&cube, cube.grid().unwrap());
    let torus = grid(&[5, 4], Ends::Ring);
    assert_lifts(&torus, torus.grid().unwrap());
    let star = Star::new(4).unwrap().into_network();
    assert_lifts(&star, star.star().unwrap());
}

/// `R`, which says of itself that it respects what it does not.
struct Claims<R>(R, Symmetry);

impl<R: Routing> Routing for Claims<R> {
    const DETERMINISTIC: bool = R::DETERMINISTIC;

    fn choices(&self, source: NodeId, destination: NodeId) -> u32 {
        self.0.choices(source, destination)
    }

    fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64 {
        self.0.initial(source, destination, choice)
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        self.0.route(head, candidates);
    }

    fn advance(&self, head: Head, channel: ChannelId, vc: u32) -> u64 {
        self.0.advance(head, channel, vc)
    }

    fn symmetry(&self) -> Symmetry {
        self.1
    }
}

#[test]
fn a_relation_that_breaks_its_word_is_enumerated_in_full() {
    let torus = grid(&[5, 5], Ends::Ring);
    let dateline = DimensionOrder::new(torus.grid().unwrap(), 2, Tie::Random, true).unwrap();
    let star = Star::new(4).unwrap().into_network();
    let coloured = NegativeHop::new(star.star().unwrap(), 3).unwrap();
    let mesh = grid(&[4, 4], Ends::Open);
    let no_rings = DimensionOrder::new(mesh.grid().unwrap(), 2, Tie::Random, true).unwrap();
    let coverage = |network: &Network, claims: &dyn Fn(&VerifyOptions<'_>) -> Proof, vcs| {
        assert_eq!(network.nodes(), network.terminals());
        claims(&options(vcs, Extent::Symmetric)).coverage
    };
    let translations = Symmetry::Translations;
    let dateline = Claims(dateline, translations);
    let coloured = Claims(coloured, translations);
    let no_rings = Claims(no_rings, translations);
    assert_eq!(
        coverage(&torus, &|o| verify(&torus, &dateline, o), 2),
        Coverage::Full
    );
    assert_eq!(
        coverage(&star, &|o| verify(&star, &coloured, o), 3),
        Coverage::Full
    );
    // A mesh has no translations, but a reversal of its dimensions, which dimension order respects.
    let by_reversal = Coverage::ByOrbits {
        destinations: 8,
        generators: 1,
    };
    assert_eq!(
        coverage(&mesh, &|o| verify(&mesh, &no_rings, o), 2),
        by_reversal
    );
}

/// Hop classes; packets to one destination take the first class all the way.
pub struct AstrayTo<R>(pub R, pub NodeId, pub Symmetry);

impl<R: Routing> Routing for AstrayTo<R> {
    const DETERMINISTIC: bool = R::DETERMINISTIC;

    fn choices(&self, source: NodeId, destination: NodeId) -> u32 {
        self.0.choices(source, destination)
    }

    fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64 {
        self.0.initial(source, destination, choice)
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        let mut own = Candidates::default();
        self.0.route(head, &mut own);
        for &candidate in own.as_slice() {
            let vcs = match head.destination == self.1 {
                true => 1,
                false => candidate.vcs,
            };
            candidates.push(Candidate { vcs, ..candidate });
        }
    }

    fn advance(&self, head: Head, channel: ChannelId, vc: u32) -> u64 {
        self.0.advance(head, channel, vc)
    }

    fn symmetry(&self) -> Symmetry {
        self.2
    }
}

#[test]
fn a_relation_that_breaks_its_word_for_one_destination_is_enumerated_in_full() {
    if tier::is_left_out() {
        return;
    }
    let network = grid(&[30, 20], Ends::Ring);
    let torus = network.grid().unwrap();
    let vcs = HopClass::virtual_channels_min(torus);
    let hops = HopClass::new(torus, vcs).unwrap();
    let coverage = |node| {
        let routing = AstrayTo(&hops, NodeId(node), Symmetry::Translations);
        verify(&network, &routing, &options(vcs, Extent::Symmetric)).coverage
    };
    assert_eq!(coverage(417), Coverage::Full);
    let nobody = network.nodes();
    assert!(matches!(coverage(nobody), Coverage::BySymmetry { .. }));
    let network = Star::new(5).unwrap().into_network();
    let star = network.star().unwrap();
    let vcs = HopClass::virtual_channels_min(star);
    let hops = HopClass::new(star, vcs).unwrap();
    for node in (0..=network.nodes()).step_by(8) {
        let routing = AstrayTo(&hops, NodeId(node), Symmetry::Automorphisms);
        let coverage = verify(&network, &routing, &options(vcs, Extent::Symmetric)).coverage;
        assert_eq!(coverage == Coverage::Full, node < network.nodes(), "{node}");
    }
}

#[test]
fn rings_and_their_order_prove_as_much_as_the_whole() {
    let lists: [&[u32]; 6] = [&[7], &[6, 6], &[4, 5], &[2, 4, 3], &[3, 2, 6], &[2, 2, 2]];
    for radices in lists {
        for ends in [Ends::Open, Ends::Ring, Ends::DirectedRing] {
            let network = grid(radices, ends);
            for (vcs, tie, balance) in [
                (2, Tie::Random, false),
                (3, Tie::Random, true),
                (4, Tie::Positive, true),
                (5, Tie::Random, true),
            ] {
                let grid = network.grid().unwrap();
                let order = match vcs {
                    3 => Order::HighestFirst,
                    _ => Order::LowestFirst,
                };
                let routing = DimensionOrder::new(grid, vcs, tie, balance).unwrap();
                // On one-way rings they close cycles.
                let classes = match (vcs, ends) {
                    (_, Ends::DirectedRing) | (3 | 4, _) => RingClasses::Dateline,
                    (5, _) => RingClasses::Drawn,
                    _ => RingClasses::Fixed,
                };
                let routing = routing.with_order(order).with_ring_classes(classes);
                let options = options(vcs, Extent::Full);
                let full = verify(&network, &routing, &options);
                let product = verify_by_product(&routing, &options).unwrap();
                assert!(full.is_free());
                assert!(matches!(product.coverage, Coverage::ByProduct { .. }));
                let product = Proof {
                    coverage: Coverage::Full,
                    ..product
                };
                assert_eq!(
                    product, full,
                    "{radices:?} {ends:?} {vcs} {tie:?} {balance}"
                );
            }
        }
    }
}

#[test]
fn large_tori_are_proved_ring_by_ring() {
    let network = grid(&[256, 256], Ends::Ring);
    let grid = network.grid().unwrap();
    let routing = DimensionOrder::new(grid, 4, Tie::Random, true).unwrap();
    let proof = verify_by_product(&routing, &options(4, Extent::Auto)).unwrap();
    assert!(proof.is_free());
    assert_eq!(proof.longest_route_hops, 256);
}
