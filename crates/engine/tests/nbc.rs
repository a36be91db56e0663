//! Negative-hop routing with bonus cards, plain and as the escape of enhanced-nbc, on bipartite
//! networks of every kind: shortest paths, classes as the paper defines them in every state that
//! can be reached, no cycle of dependencies, and one class fewer is refused.

use crate::common;

use common::dependencies::Dependencies;
use common::loaded::run_uniform;
use common::routes::hops_of_all_routes;
use common::vcs_of;
use flitsim_engine::routing::{EnhancedNbc, HopClass, Nbc, NegativeHop, vc_range};
use flitsim_engine::{
    Candidate, Candidates, ConfigError, EngineConfig, Head, Routing, VcMask, VcReallocation,
};
use flitsim_topology::file::{Source, parse_csv};
use flitsim_topology::{
    ChannelId, Ends, FatTree, Grid, MinimalPaths, Network, NodeId, Paths, SparseTorus, Star,
    Thinning,
};
use std::collections::BTreeSet;

fn star(symbols: u32) -> Network {
    Star::new(symbols).unwrap().into_network()
}

fn grid(radices: &[u32], ends: Ends) -> Network {
    Grid::new(radices, ends).unwrap().into_network()
}

fn sparse(radix: u32, dimensions: u32, thinning: Thinning) -> Network {
    let torus = SparseTorus::new(radix, dimensions, thinning).unwrap();
    torus.into_network()
}

/// Five hosts on four switches in a ring, two of them side by side.
fn of_a_file() -> Network {
    let mut text = String::from("from,to,parallel\n");
    let links = [
        ("h0", "s0"),
        ("h1", "s1"),
        ("h2", "s2"),
        ("h3", "s3"),
        ("h4", "s0"),
        ("s0", "s1"),
        ("s1", "s2"),
        ("s2", "s3"),
        ("s3", "s0"),
    ];
    for (a, b) in links {
        text += &format!("{a},{b},0\n{b},{a},0\n");
    }
    text += "s0,s1,1\n\nnode,kind\n";
    for node in ["h0", "h1", "h2", "h3", "h4"] {
        text += &format!("{node},terminal\n");
    }
    for node in ["s0", "s1", "s2", "s3"] {
        text += &format!("{node},switch\n");
    }
    let (file, text) = ("net.csv", text.as_str());
    parse_csv(Source { file, text }, None).unwrap()
}

fn networks() -> Vec<Network> {
    vec![
        star(3),
        star(4),
        grid(&[2; 4], Ends::Open),
        grid(&[3, 4], Ends::Open),
        grid(&[4, 4], Ends::Ring),
        grid(&[4, 2], Ends::DirectedRing),
        sparse(4, 3, Thinning::Pruned),
        sparse(4, 2, Thinning::Manhattan),
        sparse(4, 3, Thinning::PrunedManhattan),
        FatTree::butterfly(16).unwrap().into_network(),
        of_a_file(),
    ]
}

fn terminals(network: &Network) -> impl Iterator<Item = NodeId> + use<> {
    (0..network.terminals()).map(NodeId)
}

#[test]
fn every_route_is_a_shortest_path() {
    for network in networks() {
        let paths = Paths::of(&network).unwrap();
        let nbc = Nbc::new(&paths, Nbc::virtual_channels_min(&paths)).unwrap();
        let vcs = EnhancedNbc::virtual_channels_min(&paths);
        let enhanced = EnhancedNbc::new(&paths, vcs, None).unwrap();
        for source in terminals(&network) {
            for destination in terminals(&network) {
                let ends = (source, destination);
                let distance = BTreeSet::from([paths.distance(source, destination)]);
                assert_eq!(hops_of_all_routes(&network, &nbc, ends, 0), distance);
                assert_eq!(hops_of_all_routes(&network, &enhanced, ends, 0), distance);
            }
        }
    }
}

/// A packet as the definition sees it: where it is, and b. `nhop` while it has kept to the classes
/// of negative-hop routing without bonus cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Seen {
    node: NodeId,
    state: u64,
    class: u32,
    nhop: Option<u32>,
}

/// The classes that a packet at `node` with `class` may take, as the definition counts them: the
/// negative hops among those to come except the last, one by one.
fn classes_by_definition(paths: &Paths<'_>, classes: u32, seen: Seen, to: NodeId) -> VcMask {
    let distance = paths.distance(seen.node, to);
    let mut colour = paths.colour(seen.node);
    let mut need = 0;
    for _ in 1..distance {
        need += u32::from(colour);
        colour = !colour;
    }
    assert!(seen.class + need < classes, "too few classes: {seen:?}");
    let bonus = classes - 1 - seen.class - need;
    vc_range(seen.class, seen.class + bonus + 1)
}

/// Walks every state that packets for every destination can reach, over every virtual channel.
/// `class_b` is what of the candidates are classes, from virtual channel 0 on.
fn check_classes<R: Routing>(network: &Network, paths: &Paths<'_>, routing: &R, classes: u32) {
    let class_b = vc_range(0, classes);
    let mut used: VcMask = 0;
    let mut candidates = Candidates::default();
    for destination in terminals(network) {
        let start = |source| Seen {
            node: source,
            state: routing.initial(source, destination, 0),
            class: 0,
            nhop: Some(u32::from(paths.colour(source))),
        };
        let mut waiting: Vec<Seen> = terminals(network).map(start).collect();
        let mut reached: BTreeSet<Seen> = BTreeSet::new();
        while let Some(seen) = waiting.pop() {
            if seen.node == destination {
                continue;
            }
            let head = Head {
                node: seen.node,
                arrived: None,
                destination,
                state: seen.state,
            };
            candidates.clear();
            routing.route(head, &mut candidates);
            let allowed = classes_by_definition(paths, classes, seen, destination);
            assert!(seen.nhop.is_none_or(|hops| allowed >> (hops / 2) & 1 == 1));
            let mut offered = 0;
            for candidate in candidates.as_slice() {
                offered |= candidate.vcs & class_b;
                for vc in vcs_of(candidate.vcs) {
                    let taken = if vc < classes { vc } else { seen.class };
                    let next = Seen {
                        node: network.target(candidate.channel),
                        state: routing.advance(head, candidate.channel, vc),
                        class: taken + u32::from(paths.colour(seen.node)),
                        nhop: seen.nhop.filter(|h| h / 2 == taken).map(|h| h + 1),
                    };
                    if reached.insert(next) {
                        waiting.push(next);
                    }
                }
            }
            assert_eq!(offered, allowed, "{seen:?} for {destination}");
            used |= offered;
        }
    }
    assert_eq!(used, class_b, "every class is in use");
}

#[test]
fn classes_are_those_of_the_definition_in_every_state() {
    for network in [
        star(4),
        star(5),
        grid(&[2; 4], Ends::Open),
        grid(&[4, 4], Ends::Ring),
        sparse(4, 2, Thinning::Manhattan),
    ] {
        let paths = Paths::of(&network).unwrap();
        let least = paths.diameter() / 2 + 1;
        let more = if network.nodes() > 100 { 0 } else { 2 };
        for classes in [least, least + more] {
            let nbc = Nbc::new(&paths, classes).unwrap();
            check_classes(&network, &paths, &nbc, classes);
            let enhanced = EnhancedNbc::new(&paths, classes + 2, Some(classes)).unwrap();
            check_classes(&network, &paths, &enhanced, classes);
        }
    }
}

#[test]
fn dependencies_are_acyclic_for_any_number_of_virtual_channels() {
    for network in networks() {
        let paths = Paths::of(&network).unwrap();
        for more in [0, 1, 3] {
            let vcs = Nbc::virtual_channels_min(&paths) + more;
            let routing = Nbc::new(&paths, vcs).unwrap();
            let found = Dependencies::of(&network, &routing);
            assert!(found.is_acyclic());
            let channels: BTreeSet<_> = found.vertices.iter().map(|v| v.0).collect();
            assert_eq!(channels.len(), network.channels() as usize);
        }
    }
}

/// From each escape virtual channel that a packet may hold to those that it may ask for as the next
/// of them, any number of others between: direct and indirect dependencies.
fn extended(network: &Network, routing: &impl Routing) -> Dependencies {
    let mut found = Dependencies::default();
    let mut candidates = Candidates::default();
    for destination in terminals(network) {
        let start = |source| (source, routing.initial(source, destination, 0), None);
        let mut waiting: Vec<_> = terminals(network).map(start).collect();
        let mut reached = BTreeSet::new();
        while let Some((node, state, held)) = waiting.pop() {
            if node == destination {
                continue;
            }
            let head = Head {
                node,
                arrived: None,
                destination,
                state,
            };
            candidates.clear();
            routing.route(head, &mut candidates);
            let mut ways_out = 0;
            for candidate in candidates.as_slice() {
                let escape = routing.escape_vcs(head, *candidate);
                ways_out += escape.count_ones();
                for vc in vcs_of(candidate.vcs) {
                    let to = (candidate.channel, vc);
                    let is_escape = escape >> vc & 1 == 1;
                    if is_escape {
                        found.vertices.insert(to);
                        found.edges.extend(held.map(|from| (from, to)));
                    }
                    let state = routing.advance(head, candidate.channel, vc);
                    let held = if is_escape { Some(to) } else { held };
                    let next = (network.target(candidate.channel), state, held);
                    if reached.insert(next) {
                        waiting.push(next);
                    }
                }
            }
            assert!(ways_out > 0, "no escape for {head:?}");
        }
    }
    found
}

/// The escape subrelation alone.
struct Escape<R>(R);

impl<R: Routing> Routing for Escape<R> {
    const DETERMINISTIC: bool = false;

    fn choices(&self, source: NodeId, destination: NodeId) -> u32 {
        self.0.choices(source, destination)
    }

    fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64 {
        self.0.initial(source, destination, choice)
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        let mut all = Candidates::default();
        self.0.route(head, &mut all);
        for &candidate in all.as_slice() {
            let vcs = self.0.escape_vcs(head, candidate);
            if vcs != 0 {
                candidates.push(Candidate { vcs, ..candidate });
            }
        }
    }

    fn advance(&self, head: Head, channel: ChannelId, vc: u32) -> u64 {
        self.0.advance(head, channel, vc)
    }
}

#[test]
fn the_escape_of_enhanced_nbc_is_acyclic_by_itself_and_with_class_a_between() {
    for network in networks() {
        let paths = Paths::of(&network).unwrap();
        let least = EnhancedNbc::escape_classes_min(&paths);
        for (vcs, escape) in [(least + 1, None), (least + 3, Some(least + 1))] {
            let routing = EnhancedNbc::new(&paths, vcs, escape).unwrap();
            let alone = Dependencies::of(&network, &Escape(routing));
            let extended = extended(&network, &routing);
            assert!(alone.is_acyclic() && extended.is_acyclic());
            assert!(alone.edges.is_subset(&extended.edges));
            let escapes = escape.unwrap_or(least);
            assert!(extended.vertices.iter().all(|&(_, vc)| vc < escapes));
        }
    }
}

/// Class b does not advance on negative hops over class a: what the enhancement must not do.
struct Forgetful<R>(R);

impl<R: Routing> Routing for Forgetful<R> {
    const DETERMINISTIC: bool = false;

    fn has_escape(&self) -> bool {
        true
    }

    fn choices(&self, source: NodeId, destination: NodeId) -> u32 {
        self.0.choices(source, destination)
    }

    /// A packet at a node is as one that begins there.
    fn initial(&self, _: NodeId, _: NodeId, _: u32) -> u64 {
        0
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        let state = self.0.initial(head.node, head.destination, 0);
        self.0.route(Head { state, ..head }, candidates);
    }

    fn escape_vcs(&self, head: Head, candidate: Candidate) -> VcMask {
        self.0.escape_vcs(head, candidate)
    }
}

#[test]
fn an_escape_that_forgets_its_class_closes_cycles() {
    let network = star(4);
    let paths = Paths::of(&network).unwrap();
    let routing = EnhancedNbc::new(&paths, 4, None).unwrap();
    assert!(!Dependencies::of(&network, &routing).is_acyclic());
    assert!(!extended(&network, &Forgetful(routing)).is_acyclic());
}

#[test]
fn star_graphs_of_5_and_6_symbols_need_four_escape_classes() {
    let needs = |symbols| EnhancedNbc::escape_classes_min(&Star::new(symbols).unwrap());
    assert_eq!([4, 5, 6, 7].map(needs), [3, 4, 4, 5]);
}

fn reason<T>(result: Result<T, ConfigError>) -> String {
    match result {
        Err(ConfigError::Routing { reason }) => reason,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("not refused"),
    }
}

#[test]
fn one_class_fewer_is_refused() {
    for network in networks() {
        let paths = Paths::of(&network).unwrap();
        let least = Nbc::virtual_channels_min(&paths);
        assert!(Nbc::new(&paths, least).is_ok());
        let refused = reason(Nbc::new(&paths, least - 1));
        assert!(refused.contains(&format!("at least {least} virtual channels")));
        assert!(EnhancedNbc::new(&paths, least + 1, None).is_ok());
        let refused = reason(EnhancedNbc::new(&paths, least, None));
        assert!(refused.contains(&format!("at least {} virtual channels", least + 1)));
        let refused = reason(EnhancedNbc::new(&paths, 64, Some(least - 1)));
        assert!(refused.contains(&format!("at least {least} escape classes")));
        let refused = reason(EnhancedNbc::new(&paths, 10, Some(10)));
        assert!(refused.contains("at least 11 virtual channels"));
    }
    let paths = Star::new(4).unwrap();
    for vcs in [0, 65] {
        let refused = Nbc::new(&paths, vcs).map(|_| ());
        assert!(matches!(refused, Err(ConfigError::OutOfRange { .. })));
        let refused = EnhancedNbc::new(&paths, vcs, None).map(|_| ());
        assert!(matches!(refused, Err(ConfigError::OutOfRange { .. })));
    }
    for network in [
        grid(&[3, 4], Ends::Ring),
        FatTree::pyramid(16).unwrap().into_network(),
    ] {
        let paths = Paths::of(&network).unwrap();
        assert!(reason(Nbc::new(&paths, 64)).contains("two colours"));
        assert!(reason(EnhancedNbc::new(&paths, 64, None)).contains("two colours"));
    }
}

fn config(virtual_channels: u32, vc_reallocation: VcReallocation) -> EngineConfig {
    EngineConfig {
        virtual_channels,
        injection_vcs: virtual_channels,
        vc_reallocation,
        ..EngineConfig::default()
    }
}

/// Delivered flits per terminal and cycle under `load`; everything arrives, over shortest paths.
fn accepted<R: Routing>(network: &Network, routing: R, config: EngineConfig, load: f64) -> f64 {
    let cycles = 1_000;
    let (counters, delivered) = run_uniform(network, routing, config, 8, load, cycles);
    assert_eq!(delivered.packets, counters.packets_offered);
    counters.flits_ejected as f64 / (cycles as f64 * f64::from(network.terminals()))
}

#[test]
fn uniform_traffic_drains_below_and_above_saturation() {
    use VcReallocation::{Atomic, NonAtomic};
    for network in [
        star(4),
        grid(&[2; 5], Ends::Open),
        grid(&[6, 6], Ends::Ring),
        sparse(4, 3, Thinning::PrunedManhattan),
        FatTree::butterfly(64).unwrap().into_network(),
        of_a_file(),
    ] {
        let paths = Paths::of(&network).unwrap();
        for load in [0.1, 1.0] {
            let vcs = Nbc::virtual_channels_min(&paths) + 1;
            let nbc = Nbc::new(&paths, vcs).unwrap();
            let of_nbc = accepted(&network, nbc, config(vcs, NonAtomic), load);
            let enhanced = EnhancedNbc::new(&paths, vcs, None).unwrap();
            let of_enhanced = accepted(&network, enhanced, config(vcs, Atomic), load);
            for accepted in [of_nbc, of_enhanced] {
                assert!(accepted > 0.09, "{accepted} of {load}");
            }
        }
    }
}

/// Hop-class routing where nothing is known but the table, and nhop on a tree.
#[test]
fn the_other_minimal_relations_take_a_table_too() {
    for network in [
        of_a_file(),
        FatTree::butterfly(16).unwrap().into_network(),
        FatTree::pyramid(16).unwrap().into_network(),
    ] {
        let paths = Paths::of(&network).unwrap();
        let vcs = HopClass::virtual_channels_min(&paths);
        assert_eq!(vcs, paths.diameter());
        let hop_class = HopClass::new(&paths, vcs).unwrap();
        assert!(Dependencies::of(&network, &hop_class).is_acyclic());
        accepted(
            &network,
            hop_class,
            config(vcs, VcReallocation::NonAtomic),
            0.5,
        );
        if let Ok(nhop) = NegativeHop::new(&paths, paths.diameter() / 2 + 1) {
            assert!(Dependencies::of(&network, &nhop).is_acyclic());
        }
    }
}

/// Kiasari & Sarbazi-Azad, section 2.2: bonus cards balance the load of the classes, and virtual
/// channels in class a do better still. With five virtual channels the classes of nhop are as uneven
/// as the paper says; with more, its extra ones go to the first classes, which are the busiest.
#[test]
fn on_a_star_graph_enhanced_nbc_accepts_more_than_nbc_and_nbc_more_than_nhop() {
    let network = star(5);
    let paths = Paths::of(&network).unwrap();
    let (vcs, load) = (5, 0.7);
    let config = || config(vcs, VcReallocation::Atomic);
    let nhop = NegativeHop::new(&paths, vcs).unwrap();
    let nhop = accepted(&network, nhop, config(), load);
    let nbc = Nbc::new(&paths, vcs).unwrap();
    let nbc = accepted(&network, nbc, config(), load);
    let enhanced = EnhancedNbc::new(&paths, vcs, None).unwrap();
    let enhanced = accepted(&network, enhanced, config(), load);
    assert!(nbc > 1.05 * nhop, "{nbc} and {nhop}");
    assert!(enhanced > 1.03 * nbc, "{enhanced} and {nbc}");
}
