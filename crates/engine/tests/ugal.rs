//! Routing that looks at queues: the engine equals the oracle, which decides by sentences of its own, in
//! networks of every kind; what is decided is of the relation that is proved; nothing queued, packets go
//! the shortest way.

use crate::common::any::expected;
use crate::common::numbered::run_each;
use crate::compare::{compare_looking, suit_channels};
use crate::oracle::case::Case;
use crate::tier;

use crate::common::loaded::Delivered;
use flitsim_engine::routing::{
    Algorithm, DimensionOrder, Empty, Knowledge, Options, OwnRelation, Queues, Relation,
    RoutingChoice, Tables, Tie, Undecided,
};
use flitsim_engine::{
    Candidate, Candidates, Engine, EngineConfig, Head, NewPacket, Routing, VcMask,
};
use flitsim_keys::Words;
use flitsim_topology::{
    Arrangement, ChannelId, Dragonfly, Ends, FatTree, Grid, HyperX, Network, NodeId, RandomRegular,
    SlimFly, SparseTorus, Star, Thinning, Xgft,
};

fn networks() -> Vec<Network> {
    let grid = |radices: &[u32], ends| Grid::new(radices, ends).unwrap().into_network();
    let hyperx = |sizes: &[u32]| HyperX::new(sizes, &[]).unwrap().into_network();
    let dragonfly = |global, groups| {
        let dragonfly = Dragonfly::new(3, global, groups, Arrangement::Absolute);
        dragonfly.unwrap().into_network()
    };
    vec![
        dragonfly(1, 4),
        dragonfly(1, 4).concentrated(2).unwrap(),
        // Several channels from group to group.
        dragonfly(2, 3),
        hyperx(&[3, 4]),
        hyperx(&[3, 3]).concentrated(2).unwrap(),
        hyperx(&[6]),
        grid(&[4, 3], Ends::Ring),
        grid(&[4, 2], Ends::Ring).concentrated(2).unwrap(),
        grid(&[3, 4], Ends::Open),
        grid(&[5], Ends::DirectedRing),
        SlimFly::new(3).unwrap().into_network(),
        RandomRegular::new(8, 4, 1).unwrap().into_network(),
        Xgft::new(&[2, 3], &[2, 2]).unwrap().into_network(),
        FatTree::pyramid(16).unwrap().into_network(),
        Star::new(3).unwrap().into_network(),
        SparseTorus::new(4, 2, Thinning::Manhattan)
            .unwrap()
            .into_network(),
    ]
}

/// On a ring, either way round; it decides on a way that there is not.
struct Wrong;

impl Routing for Wrong {
    const DETERMINISTIC: bool = true;
    const LOOKS: bool = true;

    fn choices(&self, _: NodeId, _: NodeId) -> u32 {
        2
    }

    fn initial(&self, _: NodeId, _: NodeId, choice: u32) -> u64 {
        assert!(choice < 2, "only what a proof has seen");
        choice.into()
    }

    fn decide(&self, _: Undecided, _: &dyn Queues, _: &mut Candidates) -> Option<u32> {
        Some(7)
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        // Channels of a ring are numbered by node, the one upwards first.
        candidates.push(Candidate {
            channel: ChannelId(2 * head.node.0 + head.state as u32),
            vcs: 1 << head.state,
            priority: 0,
        });
    }

    fn advance(&self, head: Head, _: ChannelId, _: u32) -> u64 {
        head.state
    }
}

#[test]
fn what_no_proof_has_seen_is_not_done() {
    let ring = Grid::new(&[5], Ends::Ring).unwrap().into_network();
    let config = EngineConfig::default();
    // Looks, and then has one way on: no other relation of the tests is both.
    let mut engine = Engine::new(&ring, Wrong, config, 1, Delivered::default()).unwrap();
    for number in 0..20 {
        engine.offer(NewPacket {
            source: NodeId(0),
            destination: NodeId(2),
            flits: 1,
            entropy: u64::MAX * (number % 2),
        });
        (0..20).for_each(|_| engine.step());
    }
    // Half were drawn each way: two hops, and three.
    let hops = engine.counters().flit_hops;
    assert!(engine.is_idle());
    assert_eq!(hops, 10 * 2 + 10 * 3);
}

fn choice(knowledge: Knowledge) -> RoutingChoice {
    RoutingChoice {
        options: Options {
            knowledge,
            ..Options::default()
        },
        ..RoutingChoice::from(Algorithm::named("ugal").unwrap())
    }
}

/// UGAL, with its decision in the words of the documents.
struct Sentences<'n> {
    network: &'n Network,
    relation: &'n Relation<'n>,
    knowledge: Knowledge,
}

impl Sentences<'_> {
    fn router(&self, node: NodeId) -> NodeId {
        let family = self.network.concentration();
        family.map_or(node, |family| family.router(node))
    }

    /// The channels of a way between routers, with what is known to wait at each, and the virtual channels that
    /// may be asked for on the first: over the least queued known, of those that come first.
    fn way(
        &self,
        packet: Undecided,
        choice: u32,
        queues: &dyn Queues,
    ) -> (Vec<(ChannelId, u64)>, VcMask) {
        let state = self
            .relation
            .initial(packet.source, packet.destination, choice);
        let (mut node, mut arrived, mut state) = (packet.node, None, state);
        let (mut way, mut first) = (Vec::new(), 0);
        while self.router(node) != self.router(packet.destination) {
            let head = Head {
                node,
                arrived,
                destination: packet.destination,
                state,
            };
            let mut all = Candidates::default();
            self.relation.route(head, &mut all);
            let best = all.as_slice()[0].priority;
            let known = way.is_empty() || self.knowledge == Knowledge::Global;
            let waits = |channel| if known { queues.flits(channel, !0) } else { 0 };
            let mut of_class: Vec<_> = all
                .as_slice()
                .iter()
                .filter(|c| c.priority == best)
                .collect();
            of_class.sort_by_key(|c| waits(c.channel));
            let next = of_class[0];
            if way.is_empty() {
                first = next.vcs;
            }
            way.push((next.channel, waits(next.channel)));
            let vc = next.vcs.trailing_zeros();
            state = self.relation.advance(head, next.channel, vc);
            node = self.network.target(next.channel);
            arrived = Some((next.channel, vc));
        }
        (way, first)
    }
}

impl Routing for Sentences<'_> {
    const DETERMINISTIC: bool = false;
    const LOOKS: bool = true;

    fn looks(&self) -> Option<Knowledge> {
        Some(self.knowledge)
    }

    /// At the source's router, the way by the router drawn or by the source's own, which is the shortest, as a
    /// whole if the queues that are known, with the packet itself in each, say less for it. Of both with one first channel, only what waits on the virtual
    /// channels of each.
    fn decide(&self, packet: Undecided, queues: &dyn Queues, _: &mut Candidates) -> Option<u32> {
        if self
            .network
            .concentration()
            .is_some_and(|family| packet.node.0 < family.terminals())
        {
            return None;
        }
        let source = self.router(packet.source);
        if source == self.router(packet.destination) {
            return Some(0);
        }
        let bits = self.network.routers().grid().map_or(0, |grid| {
            let even = |&i: &usize| grid.is_ring(i) && grid.radices()[i] % 2 == 0;
            (0..grid.dimensions())
                .filter(|i| grid.ends() == Ends::Ring && even(i))
                .count()
        });
        let direct = (source.0 << bits) + packet.choice % (1 << bits);
        let (shortest, own) = self.way(packet, direct, queues);
        let (by_way, other) = self.way(packet, packet.choice, queues);
        let flits = u64::from(packet.flits);
        let [least, most] = match self.knowledge {
            Knowledge::Global => {
                let with_packet = |(_, waits): &(ChannelId, u64)| waits + flits;
                [&shortest, &by_way].map(|way| way.iter().map(with_packet).sum::<u64>())
            }
            Knowledge::Local => {
                let together = shortest[0].0 == by_way[0].0;
                [(&shortest, own), (&by_way, other)].map(|(way, vcs)| {
                    let vcs = if together { vcs } else { !0 };
                    (queues.flits(way[0].0, vcs) + flits) * way.len() as u64
                })
            }
        };
        Some(if most < least { packet.choice } else { direct })
    }

    fn choices(&self, source: NodeId, destination: NodeId) -> u32 {
        self.relation.choices(source, destination)
    }

    fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64 {
        self.relation.initial(source, destination, choice)
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        self.relation.route(head, candidates);
    }

    fn advance(&self, head: Head, channel: ChannelId, vc: u32) -> u64 {
        self.relation.advance(head, channel, vc)
    }
}

/// The router and the traffic of case `number` under UGAL.
fn run_case(number: u64) -> String {
    let networks = networks();
    let network = &networks[number as usize % networks.len()];
    let knowledge = match number / networks.len() as u64 % 2 {
        0 => Knowledge::Local,
        _ => Knowledge::Global,
    };
    let (choice, tables) = (choice(knowledge), Tables::default());
    let mut case = Case::new(number);
    case.permutation = None;
    suit_channels(&mut case.config, network);
    let least = choice.virtual_channels_min(network, &tables);
    let vcs = case.config.virtual_channels.max(least);
    case.config.virtual_channels = vcs;
    let relation = choice.relation(network, vcs, &tables).unwrap();
    let sentences = Sentences {
        network,
        relation: &relation,
        knowledge,
    };
    let report = compare_looking(&case, network, &relation, &sentences);
    match report.is_empty() {
        true => report,
        false => format!("case {number}, {:?}: {report}{case:#?}\n", network.shape()),
    }
}

#[test]
fn the_engine_equals_the_oracle_under_ugal() {
    run_each(tier::cases(600), run_case);
}

/// A routing of another crate, behind its pointer: on two tori of virtual channels, the one behind whose first
/// channel less waits.
struct LessQueued<'n>([DimensionOrder<'n>; 2]);

impl LessQueued<'_> {
    const VCS: u32 = 2;

    fn first(&self, packet: Undecided, choice: u32) -> Candidate {
        let head = Head {
            node: packet.node,
            arrived: None,
            destination: packet.destination,
            state: self.initial(packet.source, packet.destination, choice),
        };
        let mut candidates = Candidates::default();
        self.route(head, &mut candidates);
        candidates.as_slice()[0]
    }
}

impl Routing for LessQueued<'_> {
    const DETERMINISTIC: bool = true;
    const LOOKS: bool = true;

    fn decide(&self, packet: Undecided, queues: &dyn Queues, _: &mut Candidates) -> Option<u32> {
        (0..2).min_by_key(|&choice| {
            let Candidate { channel, vcs, .. } = self.first(packet, choice);
            (queues.flits(channel, vcs), choice != packet.choice)
        })
    }

    fn choices(&self, _: NodeId, _: NodeId) -> u32 {
        2
    }

    fn initial(&self, _: NodeId, _: NodeId, choice: u32) -> u64 {
        u64::from(choice)
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        let half = head.state as u32;
        let below = |(channel, vc)| (channel, vc - half * Self::VCS);
        let own = Head {
            arrived: head.arrived.map(below),
            state: 0,
            ..head
        };
        let mut all = Candidates::default();
        self.0[half as usize].route(own, &mut all);
        for way in all.as_slice() {
            candidates.add(way.channel, way.vcs << (half * Self::VCS));
        }
    }
}

#[test]
fn the_engine_equals_the_oracle_under_a_routing_of_another_crate() {
    let network = Grid::new(&[4, 3], Ends::Ring).unwrap().into_network();
    let half = || DimensionOrder::new(network.grid().unwrap(), 2, Tie::Positive, false).unwrap();
    let routing = OwnRelation::new(LessQueued([half(), half()]));
    assert_eq!(routing.looks(), Some(Knowledge::Local));
    for number in 0..tier::cases(50) {
        let mut case = Case::new(number);
        case.permutation = None;
        suit_channels(&mut case.config, &network);
        case.config.virtual_channels = 4;
        let report = compare_looking(&case, &network, &routing, &routing);
        assert!(report.is_empty(), "\ncase {number}: {report}{case:#?}\n");
    }
}

#[test]
fn with_nothing_queued_packets_go_as_the_relation_says_that_they_do_at_rest() {
    for network in networks() {
        let tables = Tables::default();
        let choice = choice(Knowledge::Global);
        let vcs = choice.virtual_channels_min(&network, &tables);
        let relation = choice.relation(&network, vcs, &tables).unwrap();
        let terminals = || (0..network.terminals()).map(NodeId);
        for (source, destination) in terminals().flat_map(|s| terminals().map(move |d| (s, d))) {
            let at_rest = relation.at_rest(source, destination);
            for drawn in 0..relation.choices(source, destination) {
                let node = match network.concentration() {
                    Some(family) => family.node(family.router(source)),
                    None => source,
                };
                let packet = Undecided {
                    node,
                    source,
                    destination,
                    flits: 1,
                    choice: drawn,
                };
                let decided = relation.decide(packet, &Empty, &mut Candidates::default());
                assert!(decided.is_some_and(|choice| at_rest.contains(&choice)));
            }
        }
    }
}

/// A packet's flits times the hops of its way may not fit 32 bits.
#[test]
fn the_longest_packets_go_the_shortest_way_too() {
    let network = Grid::uniform(2100, 1, Ends::Open).unwrap().into_network();
    for knowledge in [Knowledge::Local, Knowledge::Global] {
        let tables = Tables::default();
        let relation = choice(knowledge).relation(&network, 2, &tables).unwrap();
        let [source, destination] = [NodeId(0), NodeId(10)];
        for drawn in (0..relation.choices(source, destination)).rev().take(60) {
            let packet = Undecided {
                node: source,
                source,
                destination,
                flits: 1 << 20,
                choice: drawn,
            };
            let decided = relation.decide(packet, &Empty, &mut Candidates::default());
            let at_rest = relation.at_rest(source, destination);
            assert!(decided.is_some_and(|choice| at_rest.contains(&choice)));
        }
    }
}

#[test]
fn a_dragonfly_at_rest_is_as_far_across_as_by_minimal_routing() {
    let dragonfly = Dragonfly::new(4, 2, 9, Arrangement::Relative).unwrap();
    let network = dragonfly.into_network().concentrated(2).unwrap();
    let hops = |name| {
        let routing = RoutingChoice::from(Algorithm::named(name).unwrap());
        let relation = routing.relation(&network, 4, &Tables::default()).unwrap();
        let uniform = |_: NodeId, send: &mut dyn FnMut(NodeId, f64)| {
            (0..72).for_each(|to| send(NodeId(to), 1.0 / 72.0));
        };
        let expected = expected(&network, &relation, &EngineConfig::default(), uniform).unwrap();
        (expected.hops_mean, expected.channel_load_max)
    };
    let (minimal, ugal) = (hops("minimal"), hops("ugal"));
    let apart = (minimal.0 - ugal.0).abs() + (minimal.1 - ugal.1).abs();
    assert!(apart < 1e-9, "{minimal:?} {ugal:?}");
    assert!(hops("valiant").0 > 1.4 * ugal.0);
}
