//! Proofs by automorphisms that were checked: of every routing on random small networks they are what
//! enumeration in whole says, and of relations that break their word about them nothing is believed.

use crate::common::any::verify;
use crate::oracle::case::Dice;
use crate::tier;
use crate::verify_large::options;
use flitsim_analysis::verify::{Coverage, Extent, Proof, verify_leg_by_leg};
use flitsim_engine::routing::{Algorithm, Relation, RoutingChoice, Symmetry, Tables};
use flitsim_engine::{Candidate, Candidates, Head, Routing};
use flitsim_keys::Words;
use flitsim_topology::{
    Arrangement, Butterfly, ChannelId, Dragonfly, Ends, ExpressCube, ExpressParameters, FatTree,
    Grid, HyperX, Network, NodeId, RandomRegular, SlimFly, SparseTorus, Star, Thinning, Xgft,
};

/// The proof by symmetry, held against that of the whole.
fn prove(network: &Network, routing: &impl Routing, vcs: u32, what: &str) -> Proof {
    let [full, alike] = [Extent::Full, Extent::Symmetric]
        .map(|extent| verify(network, routing, &options(vcs, extent)));
    let counted = |proof: &Proof| {
        let taken = (proof.vertices, proof.escape_vertices, proof.configurations);
        proof.is_free().then_some((taken, proof.longest_route_hops))
    };
    assert_eq!(
        counted(&alike),
        counted(&full),
        "{what}: {full:?} {alike:?}"
    );
    alike
}

fn network(number: u64, dice: &mut Dice) -> Network {
    let sizes = |dice: &mut Dice, most: u32| -> Vec<u32> {
        let dimensions = dice.from(1, 3);
        (0..dimensions).map(|_| dice.from(2, most)).collect()
    };
    let ends = dice.pick(&[Ends::Open, Ends::Ring, Ends::DirectedRing]);
    match number % 13 {
        0 => Grid::new(&sizes(dice, 4), ends).map(Grid::into_network),
        1 => Grid::uniform(dice.from(2, 5), 2, ends).map(Grid::into_network),
        2 => HyperX::new(&sizes(dice, 3), &[]).map(HyperX::into_network),
        3 => {
            let parallel = [dice.from(1, 2), dice.from(1, 2)];
            HyperX::new(&[3, 3], &parallel).map(HyperX::into_network)
        }
        4 => {
            let (routers, global) = (dice.from(2, 4), dice.from(1, 2));
            let groups = dice.from(2, (routers * global + 1).min(6));
            let all = [
                Arrangement::Absolute,
                Arrangement::Relative,
                Arrangement::Circulant,
            ];
            let dragonfly = Dragonfly::new(routers, global, groups, dice.pick(&all));
            // Not every number of groups goes with every arrangement.
            let any = Dragonfly::new(routers, global, routers * global + 1, Arrangement::Relative);
            dragonfly.or(any).map(Dragonfly::into_network)
        }
        5 => SlimFly::new(dice.pick(&[3, 4])).map(SlimFly::into_network),
        6 => {
            let seed = dice.word();
            RandomRegular::new(2 * dice.from(3, 5), 3, seed).map(RandomRegular::into_network)
        }
        7 => {
            let levels = dice.from(1, 3);
            let mut some = || (0..levels).map(|_| dice.from(1, 2)).collect::<Vec<_>>();
            let (mut children, parents) = (some(), some());
            children[0] = 3;
            Xgft::new(&children, &parents).map(Xgft::into_network)
        }
        8 => Butterfly::new(dice.from(2, 3), dice.from(1, 3)).map(Butterfly::into_network),
        9 => Star::new(dice.from(3, 4)).map(Star::into_network),
        10 => match dice.coin() {
            true => FatTree::butterfly(16).map(FatTree::into_network),
            false => FatTree::pyramid(16).map(FatTree::into_network),
        },
        11 => {
            let all = [Thinning::Pruned, Thinning::Manhattan];
            SparseTorus::new(4, 2, dice.pick(&all)).map(SparseTorus::into_network)
        }
        _ => ExpressCube::new(ExpressParameters::new(8, 1, dice.from(2, 4), 1))
            .map(ExpressCube::into_network),
    }
    .expect("a network")
}

#[test]
fn by_symmetry_or_in_whole_the_verdict_is_the_same() {
    let tables = || Tables::default();
    for number in 0..tier::cases(130) {
        let mut dice = Dice::new(number ^ 0x0061_6c69_6b65);
        let mut network = network(number, &mut dice);
        let is_regular = network.terminals() == network.nodes();
        if is_regular && network.nodes() <= 12 && dice.coin() {
            network = network.concentrated(2).expect("terminals");
        }
        let fitting = Algorithm::fitting(&network).into_iter();
        let file = |a: &Algorithm| matches!(a, Algorithm::Table | Algorithm::Source);
        for algorithm in fitting.filter(|a| !file(a)) {
            let mut choice = RoutingChoice::from(algorithm);
            let escapes: Vec<_> = Algorithm::escapes(&network).collect();
            if algorithm == Algorithm::MinimalAdaptive && dice.coin() && !escapes.is_empty() {
                choice.escape = Some(dice.pick(&escapes));
            }
            let least = choice.virtual_channels_min(&network, &tables());
            for vcs in [least.max(2) - 1, least, least + 1] {
                let escape = choice.escape.map_or("", Algorithm::name);
                let what = format!(
                    "case {number}: {} {escape} with {vcs} virtual channels on {:?} of {} nodes",
                    choice.name(),
                    network.shape(),
                    network.nodes()
                );
                let Ok(relation) = choice.relation_merged(&network, vcs, &tables()) else {
                    continue;
                };
                let proof = prove(&network, &relation, vcs, &what);
                if let Relation::Detour(detour) = &relation {
                    let options = options(vcs, Extent::Symmetric);
                    let by_legs = verify_leg_by_leg(&network, detour, &options);
                    assert_eq!(by_legs.is_free(), proof.is_free(), "{what}");
                }
            }
        }
    }
}

/// A relation whose classes of virtual channels are exchanged where `is_astray` says, and which claims what
/// `inner` respects.
struct Astray<'n, F> {
    inner: Relation<'n>,
    virtual_channels: u32,
    is_astray: F,
}

impl<F: Fn(NodeId, NodeId) -> bool + Send + Sync> Routing for Astray<'_, F> {
    const DETERMINISTIC: bool = false;

    fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64 {
        self.inner.initial(source, destination, choice)
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        let mut own = Candidates::default();
        self.inner.route(head, &mut own);
        for &candidate in own.as_slice() {
            let vcs = match (self.is_astray)(head.node, head.destination) {
                true => candidate.vcs.reverse_bits() >> (64 - self.virtual_channels),
                false => candidate.vcs,
            };
            candidates.push(Candidate { vcs, ..candidate });
        }
    }

    fn advance(&self, head: Head, channel: ChannelId, vc: u32) -> u64 {
        self.inner.advance(head, channel, vc)
    }

    fn symmetry(&self) -> Symmetry {
        self.inner.symmetry()
    }
}

#[test]
fn who_goes_astray_to_one_terminal_or_at_one_router_is_not_believed() {
    for (network, name) in [
        (HyperX::new(&[8, 8], &[]).unwrap().into_network(), "minimal"),
        (SlimFly::new(5).unwrap().into_network(), "minimal"),
        (
            Grid::uniform(6, 2, Ends::Ring).unwrap().into_network(),
            "hop-class",
        ),
        (Star::new(4).unwrap().into_network(), "hop-class"),
    ] {
        let choice = RoutingChoice::from(Algorithm::named(name).unwrap());
        let tables = Tables::default();
        let vcs = choice.virtual_channels_min(&network, &tables);
        for at in (0..network.nodes()).map(NodeId) {
            for is_router in [false, true] {
                let routing = Astray {
                    inner: choice.relation(&network, vcs, &tables).unwrap(),
                    virtual_channels: vcs,
                    is_astray: move |node: NodeId, destination: NodeId| match is_router {
                        true => node == at,
                        false => destination == at,
                    },
                };
                let what = format!("{name} on {:?}, astray at {at}", network.shape());
                let proof = prove(&network, &routing, vcs, &what);
                assert_eq!(proof.coverage, Coverage::Full, "{what}");
            }
        }
    }
}

/// To the terminals at two opposite corners of a rectangle the second class comes first. With the packets
/// to the other two that closes a cycle, and there alone.
#[test]
fn a_cycle_far_from_the_sample_is_found() {
    let network = HyperX::new(&[16, 16], &[]).unwrap().into_network();
    let choice = RoutingChoice::from(Algorithm::named("minimal").unwrap());
    let tables = Tables::default();
    let routing = Astray {
        inner: choice.relation(&network, 2, &tables).unwrap(),
        virtual_channels: 2,
        is_astray: |_, destination: NodeId| [53, 155].contains(&destination.0),
    };
    let whole = verify(&network, &routing, &options(2, Extent::Full));
    let proof = verify(&network, &routing, &options(2, Extent::Symmetric));
    assert!(!whole.is_free() && !proof.is_free(), "{whole:?} {proof:?}");
}
