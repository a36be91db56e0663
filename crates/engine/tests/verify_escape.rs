//! Duato's condition: proofs by an escape subrelation, planted examples of each kind of dependency
//! that deadlock when they run, and comparison with the definition on random relations.

use crate::common;
use crate::common::any::{Any, verify};

use crate::common::loaded::Delivered;
use common::definition::extended;
use common::dependencies::Dependencies;
use common::relations::{Duato, EnhancedNbc, Script, Step, network};
use flitsim_analysis::verify::{DependencyKind, Method, Proof, Reason, VerifyOptions};
use flitsim_engine::{
    Candidate, Candidates, Engine, EngineConfig, FlowControl, Head, NewPacket, Routing, VcMask,
    VcReallocation,
};
use flitsim_topology::{ChannelId, Ends, Grid, MinimalPaths, Network, NodeId, Star};

fn config(virtual_channels: u32, flow_control: FlowControl) -> EngineConfig {
    EngineConfig {
        virtual_channels,
        flow_control,
        vc_reallocation: VcReallocation::Atomic,
        ..EngineConfig::default()
    }
}

/// Under wormhole flow control with atomic reallocation.
fn proof(network: &Network, routing: &impl Routing, virtual_channels: u32) -> Proof {
    let config = config(virtual_channels, FlowControl::Wormhole);
    verify(network, routing, &VerifyOptions::of(&config))
}

fn kinds(proof: &Proof) -> Vec<DependencyKind> {
    match proof.reason() {
        Some(Reason::ExtendedCycle { dependencies }) => {
            assert_eq!(dependencies.len(), proof.cycle().len());
            dependencies.iter().map(|d| d.kind).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn duato_on_hypercubes_and_meshes_is_proved_with_atomic_reallocation_only() {
    let cubes = (3..=6).map(|n| (vec![2; n], Ends::Open));
    for (radices, ends) in cubes.chain([(vec![5, 4], Ends::Open), (vec![3, 3, 3], Ends::Open)]) {
        let network = Grid::new(&radices, ends).unwrap().into_network();
        for virtual_channels in [2, 3] {
            let routing = Duato::new(network.grid().unwrap(), virtual_channels);
            let free = proof(&network, &routing, virtual_channels);
            assert!(free.is_free());
            assert_eq!(free.method, Method::AcyclicExtendedCdg);
            assert_eq!(free.escape_vertices, u64::from(network.channels()));
            let diameter = network.grid().unwrap().diameter();
            assert_eq!(free.longest_route_hops, diameter);
            let of = |vc_reallocation, flow_control| {
                let config = EngineConfig {
                    vc_reallocation,
                    ..config(virtual_channels, flow_control)
                };
                verify(&network, &routing, &VerifyOptions::of(&config))
            };
            let refused = of(VcReallocation::NonAtomic, FlowControl::Wormhole);
            assert_eq!(refused.reason(), Some(&Reason::NonAtomicReallocation));
            assert!(!refused.cycle().is_empty());
            for whole in [FlowControl::VirtualCutThrough, FlowControl::StoreAndForward] {
                assert!(of(VcReallocation::NonAtomic, whole).is_free());
            }
        }
    }
}

#[test]
fn duato_on_tori_needs_two_escapes() {
    for radices in [&[4, 4][..], &[5, 4], &[7], &[3, 2, 4]] {
        let network = Grid::new(radices, Ends::Ring).unwrap().into_network();
        let grid = network.grid().unwrap();
        let free = proof(&network, &Duato::new(grid, 3), 3);
        assert!(free.is_free(), "{radices:?} {:?}", free.verdict);
        assert_eq!(free.method, Method::AcyclicExtendedCdg);
        let one_escape = Duato {
            has_dateline: false,
            ..Duato::new(grid, 3)
        };
        let refused = proof(&network, &one_escape, 3);
        assert!(!kinds(&refused).is_empty());
        assert!(!extended(&network, &one_escape, true).is_acyclic());
    }
}

#[test]
fn an_escape_relation_without_any_cycle_may_be_reallocated_at_once() {
    // On a line the adaptive virtual channels close no cycle either.
    let network = Grid::new(&[6], Ends::Open).unwrap().into_network();
    let routing = Duato::new(network.grid().unwrap(), 2);
    let options = VerifyOptions::of(&EngineConfig {
        vc_reallocation: VcReallocation::NonAtomic,
        ..config(2, FlowControl::Wormhole)
    });
    let proof = verify(&network, &routing, &options);
    assert!(proof.is_free());
    assert_eq!(proof.method, Method::AcyclicCdg);
}

#[test]
fn enhanced_nbc_needs_as_many_classes_as_nhop() {
    for (symbols, classes) in [(3, 2), (4, 3)] {
        let network = Star::new(symbols).unwrap().into_network();
        let routing = |classes| EnhancedNbc {
            star: network.star().unwrap(),
            adaptive: 2,
            classes,
        };
        for more in [0, 1] {
            let proof = proof(&network, &routing(classes + more), 2 + classes + more);
            assert!(proof.is_free(), "{:?}", proof.verdict);
        }
        let refused = proof(&network, &routing(classes - 1), 1 + classes);
        let reason = refused.reason();
        assert!(
            matches!(reason, Some(Reason::EscapeNotConnected { .. })),
            "{reason:?}"
        );
    }
}

/// Sends one packet of 24 flits for each pair at cycle 0; whether nothing can ever move again.
fn freezes(
    network: &Network,
    routing: &impl Routing,
    config: EngineConfig,
    pairs: &[(u32, u32)],
) -> bool {
    let routing = Any::<false>::new(routing);
    let mut engine = Engine::new(network, routing, config, 1, Delivered::default()).unwrap();
    for &(source, destination) in pairs {
        engine.offer(NewPacket {
            source: NodeId(source),
            destination: NodeId(destination),
            flits: 24,
            entropy: 0,
        });
    }
    for _ in 0..500 {
        engine.step();
    }
    assert!(engine.is_idle() != engine.is_frozen());
    engine.is_frozen()
}

/// A ring of six with chords from odd nodes to odd nodes. A packet from an even node to the one
/// three further takes ring, ring, ring, or ring, chord: its escapes are the first and third hop and
/// the chord, and between escapes on the ring lies a hop that is none. So every escape is followed
/// by an escape only where the packet arrives, but each of three such packets can wait for the
/// escape that the next one holds. With `cross` the first hop is no escape, and a chord from even
/// to odd is. All others go round on virtual channels 2 and 3 with a dateline.
fn ring_of_six(cross: bool) -> impl Fn(u32, u32, u32) -> Vec<Step> {
    move |source, at, destination| {
        let next = (at + 1) % 6;
        if source % 2 == 1 || destination != (source + 3) % 6 {
            return vec![(next, if at < source { 3 } else { 2 }, true)];
        }
        match (at + 6 - source) % 6 {
            0 if cross => vec![(next, 0, false), (destination, 0, true)],
            1 => vec![(next, 1, false), (destination, 0, true)],
            _ => vec![(next, 0, true)],
        }
    }
}

const RING_OF_SIX: &str = "0>1 1>2 2>3 3>4 4>5 5>0 1>3 3>5 5>1 0>3 2>5 4>1";

#[test]
fn indirect_dependencies_are_seen() {
    let network = network(RING_OF_SIX);
    let pairs = [(0, 3), (2, 5), (4, 1)];
    for (cross, kind) in [
        (false, DependencyKind::Indirect),
        (true, DependencyKind::IndirectCross),
    ] {
        let routing = Script::<_, true> {
            network: &network,
            next: ring_of_six(cross),
        };
        // Without what lies behind other hops, escapes have an order.
        assert!(extended(&network, &routing, false).is_acyclic());
        let refused = proof(&network, &routing, 4);
        assert_eq!(kinds(&refused), [kind; 3]);
        assert!(refused.reaches_every_pair);
        let Some(Reason::ExtendedCycle { dependencies }) = refused.reason() else {
            panic!("{:?}", refused.verdict);
        };
        assert!(dependencies.iter().all(|d| matches!(d.via[..], [(_, 1)])));
        let wormhole = config(4, FlowControl::Wormhole);
        assert!(freezes(&network, &routing, wormhole, &pairs));

        // A packet that waits in one buffer holds nothing behind it.
        let whole = EngineConfig {
            buffer_flits: 24,
            vc_reallocation: VcReallocation::NonAtomic,
            ..config(4, FlowControl::VirtualCutThrough)
        };
        assert!(verify(&network, &routing, &VerifyOptions::of(&whole)).is_free());
        assert!(!freezes(&network, &routing, whole, &pairs));
    }
}

#[test]
fn direct_cross_dependencies_are_seen() {
    // Each packet may hold, not as its escape, what is the escape of the one before it.
    let network = network("0>1 1>2 2>0 0>2 1>0 2>1");
    let next = |source: u32, at: u32, destination: u32| match (source + 1) % 3 {
        next if next == destination => vec![(next, 1, true)],
        next if at == source => vec![(next, 0, false), (destination, 0, true)],
        _ => vec![(destination, 0, true)],
    };
    let routing = Script::<_, true> {
        network: &network,
        next,
    };
    let refused = proof(&network, &routing, 2);
    assert_eq!(kinds(&refused), [DependencyKind::DirectCross; 3]);
    let pairs = [(0, 2), (1, 0), (2, 1)];
    assert!(freezes(
        &network,
        &routing,
        config(2, FlowControl::Wormhole),
        &pairs
    ));
    let whole = EngineConfig {
        buffer_flits: 24,
        ..config(2, FlowControl::VirtualCutThrough)
    };
    assert!(!verify(&network, &routing, &VerifyOptions::of(&whole)).is_free());
    assert!(freezes(&network, &routing, whole, &pairs));
}

#[test]
fn escapes_that_wait_for_each_other_are_no_escape() {
    let network = network("0>1 1>2 2>3 3>0");
    let routing = Script::<_, true> {
        network: &network,
        next: |_, at, _| vec![((at + 1) % 4, 1, false), ((at + 1) % 4, 0, true)],
    };
    let whole = config(2, FlowControl::VirtualCutThrough);
    let refused = verify(&network, &routing, &VerifyOptions::of(&whole));
    assert_eq!(kinds(&refused), [DependencyKind::Direct; 4]);
    // What lies between counts under wormhole flow control: two packets are enough.
    let refused = proof(&network, &routing, 2);
    assert_eq!(kinds(&refused), [DependencyKind::Indirect; 2]);
}

#[test]
fn a_packet_without_escape_is_named() {
    let network = network("0>1 1>2 2>3 3>0");
    let routing = Script::<_, true> {
        network: &network,
        // At node 2 there is none.
        next: |_, at, _| vec![((at + 1) % 4, 0, at != 2)],
    };
    let refused = proof(&network, &routing, 1);
    let Some(Reason::EscapeNotConnected { head }) = refused.reason() else {
        panic!("{:?}", refused.verdict);
    };
    assert_eq!(head.node, NodeId(2));
    assert!(refused.cycle().is_empty() && refused.reaches_every_pair);
}

fn refused<F: Fn(u32, u32, u32) -> Vec<Step> + Send + Sync>(network: &Network, next: F) -> Proof {
    let proof = proof(network, &Script::<_, false> { network, next }, 1);
    assert!(!proof.is_free() && !proof.reaches_every_pair);
    proof
}

#[test]
fn dead_ends_unreachable_pairs_and_rounds_without_end_are_named() {
    let network = network("0>1 1>2 2>3 3>0 1>0");
    let ring = |at| vec![((at + 1) % 4, 0, true)];
    let found = refused(&network, |source, at, to| match (source, at, to) {
        (3, 1, 2) => Vec::new(),
        _ => ring(at),
    });
    let Some(Reason::DeadEnd { head }) = found.reason() else {
        panic!("{:?}", found.verdict);
    };
    assert_eq!((head.node, head.destination), (NodeId(1), NodeId(2)));
    assert!(head.arrived.is_some() && found.cycle().is_empty());
    let text = found.reason().unwrap().describe(&network);
    assert_eq!(
        text,
        "a packet to `2` at `1` that came from `0` on virtual channel 0 has no way on"
    );

    let found = refused(&network, |source, at, to| match (source, at, to) {
        (1, 1, 3) | (0, 0, 3) => Vec::new(),
        _ => ring(at),
    });
    let (from, to, pairs) = (NodeId(0), NodeId(3), 2);
    let expected = Reason::UnreachablePair { from, to, pairs };
    assert_eq!(found.reason(), Some(&expected));

    // From 1 back to 0 as well: packets to 2 and 3 may go to and fro.
    let found = refused(&network, |_, at, to| match at {
        1 if to >= 2 => vec![(0, 0, true), (2, 0, true)],
        _ => ring(at),
    });
    let Some(Reason::Livelock { heads }) = found.reason() else {
        panic!("{:?}", found.verdict);
    };
    assert_eq!(heads.len(), 2);
    assert_eq!(found.cycle().len(), 2);
    assert_eq!(heads[0].destination, NodeId(2));
}

/// Offers one candidate, whatever it is, or the first channel out, and counts hops without end.
struct Offers<'n> {
    network: &'n Network,
    candidate: Option<Candidate>,
}

impl Routing for Offers<'_> {
    const DETERMINISTIC: bool = true;

    fn route(&self, head: Head, candidates: &mut Candidates) {
        let first = Candidate {
            channel: ChannelId(self.network.outgoing(head.node).start),
            vcs: 1,
            priority: 0,
        };
        candidates.push(self.candidate.unwrap_or(first));
    }

    fn advance(&self, head: Head, _: ChannelId, _: u32) -> u64 {
        head.state + 1
    }
}

#[test]
fn candidates_that_are_not_there_are_named() {
    let network = network("0>1 1>2 2>0");
    // Channel 1 leaves node 1 alone; there is no channel 7, and no virtual channel 1.
    for (channel, vcs) in [(1, 1), (7, 1), (0, 2), (0, 3)] {
        let candidate = Candidate {
            channel: ChannelId(channel),
            vcs,
            priority: 0,
        };
        let routing = Offers {
            network: &network,
            candidate: Some(candidate),
        };
        let found = proof(&network, &routing, 1);
        assert!(matches!(found.reason(), Some(Reason::BadCandidate { .. })));
    }
}

#[test]
fn states_without_end_are_refused_within_bounds() {
    // Round and round between 1 and 2, with a count of hops for a state.
    let network = network("0>1 1>2 2>1 2>0");
    let config = config(1, FlowControl::Wormhole);
    let mut options = VerifyOptions::of(&config);
    options.configurations_most = 1000;
    let routing = Offers {
        network: &network,
        candidate: None,
    };
    let found = verify(&network, &routing, &options);
    let destination = NodeId(0);
    let expected = Reason::TooManyConfigurations {
        destination,
        most: 1000,
    };
    assert_eq!(found.reason(), Some(&expected));
}

/// Shortest paths on a mesh, each virtual channel of each open to a packet, as an escape or not, or
/// closed, as a hash of where it is and goes has it.
struct Scattered<'n> {
    grid: &'n Grid,
    seed: u64,
}

impl Scattered<'_> {
    fn role(&self, head: Head, channel: u32, vc: u32) -> u64 {
        let place = u64::from(channel) << 8 | u64::from(vc);
        let word = u64::from(head.destination.0) << 40 | place << 8 | head.state;
        flitsim_random::mix(self.seed << 50 ^ word.wrapping_mul(0x9e37_79b9_7f4a_7c15)) % 8
    }
}

impl Routing for Scattered<'_> {
    const DETERMINISTIC: bool = false;

    fn has_escape(&self) -> bool {
        true
    }

    fn choices(&self, source: NodeId, _: NodeId) -> u32 {
        1 + source.0 % 2
    }

    fn initial(&self, _: NodeId, _: NodeId, choice: u32) -> u64 {
        u64::from(choice)
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        let mut found = [Vec::new(), Vec::new()];
        self.grid
            .for_each_minimal_channel(head.node, head.destination, |channel| {
                let in_role = |roles: std::ops::Range<u64>| -> VcMask {
                    let open = |&vc: &u32| roles.contains(&self.role(head, channel.0, vc));
                    (0..2).filter(open).map(|vc| 1 << vc).sum()
                };
                for (priority, roles) in [(0, 0..3), (1, 3..6)] {
                    let vcs = in_role(roles);
                    if vcs != 0 {
                        found[priority].push((channel, vcs));
                    }
                }
            });
        if found[1].is_empty() {
            // Virtual channel 2 in the order of dimensions, so that there is always an escape.
            self.grid
                .for_each_minimal_channel(head.node, head.destination, |channel| {
                    if found[1].is_empty() {
                        found[1].push((channel, 0b100));
                    }
                });
        }
        for (priority, of) in (0..).zip(found) {
            for (channel, vcs) in of {
                candidates.push(Candidate {
                    channel,
                    vcs,
                    priority,
                });
            }
        }
    }

    fn advance(&self, head: Head, channel: ChannelId, vc: u32) -> u64 {
        (head.state + u64::from(channel.0 * vc)) % 3
    }

    fn escape_vcs(&self, _: Head, candidate: Candidate) -> VcMask {
        candidate.vcs * u64::from(candidate.priority)
    }
}

#[test]
fn verdicts_are_those_of_the_definition_on_random_relations() {
    let (mut free, mut refused) = (0, 0);
    for seed in 0..400 {
        let radices: &[u32] = [&[2, 2][..], &[3, 2], &[2, 2, 2]][seed as usize % 3];
        let network = Grid::new(radices, Ends::Open).unwrap().into_network();
        let routing = Scattered {
            grid: network.grid().unwrap(),
            seed,
        };
        let whole = Dependencies::packet_by_packet(&network, &routing);
        for flow_control in [FlowControl::Wormhole, FlowControl::VirtualCutThrough] {
            let options = config(3, flow_control);
            let proof = verify(&network, &routing, &VerifyOptions::of(&options));
            let counts = (proof.vertices as usize, proof.dependencies as usize);
            assert_eq!(counts, whole.counts());
            let by_definition = extended(&network, &routing, flow_control == FlowControl::Wormhole);
            assert_eq!(proof.escape_vertices as usize, by_definition.vertices.len());
            let expected = whole.is_acyclic() || by_definition.is_acyclic();
            assert_eq!(proof.is_free(), expected, "{seed} {:?}", proof.verdict);
            if whole.is_acyclic() {
                assert_eq!(proof.method, Method::AcyclicCdg);
                continue;
            }
            free += u32::from(proof.is_free());
            refused += u32::from(!proof.is_free());
            for (i, &from) in proof.cycle().iter().enumerate() {
                let to = proof.cycle()[(i + 1) % proof.cycle().len()];
                assert!(by_definition.edges.contains(&(from, to)), "{seed}");
            }
            if !proof.is_free() {
                assert!(!kinds(&proof).is_empty());
            }
        }
    }
    assert!(free > 20 && refused > 20, "{free} {refused}");
}
