//! Channel loads found from one destination are those of all destinations walked one by one.

use crate::common::any::{expected, expected_sampled};
use crate::tier;
use flitsim_analysis::Expected;
use flitsim_engine::routing::{
    Algorithm, DimensionOrder, Order, RoutingChoice, Symmetry, Tables, Tie, XgftAncestor,
};
use flitsim_engine::{Candidates, ChannelDelay, EngineConfig, Head, Port, Routing};
use flitsim_topology::{
    Arrangement, Butterfly, ChannelId, Dragonfly, Ends, FatTree, Grid, HyperX, Network, NodeId,
    SlimFly, SparseTorus, Star, Thinning, Xgft,
};

/// Uniform traffic, each terminal's own address included or not.
fn uniform(network: &Network, own: bool) -> impl Fn(NodeId, &mut dyn FnMut(NodeId, f64)) {
    let terminals = network.terminals();
    move |source, send| {
        let others = (0..terminals).map(NodeId).filter(|&to| own || to != source);
        others.for_each(|to| send(to, 1.0 / f64::from(terminals - u32::from(!own))));
    }
}

/// From one destination where it can be, and from all: what is asked of sources in another order is
/// walked whole.
fn both(
    network: &Network,
    routing: &impl Routing,
    config: &EngineConfig,
    own: bool,
) -> [Expected; 2] {
    let found = expected(network, routing, config, uniform(network, own)).unwrap();
    let sources: Vec<NodeId> = (0..network.terminals()).rev().map(NodeId).collect();
    let walked = expected_sampled(network, routing, config, &sources, uniform(network, own));
    [found, walked.unwrap()]
}

fn is_close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * b.abs().max(1.0)
}

fn assert_equal(routing: &impl Routing, network: &Network, what: &str) {
    let delays = (0..network.channels()).map(|channel| channel * 7 % 5);
    let config = EngineConfig {
        virtual_channels: 8,
        channel_delay: ChannelDelay::PerChannel(delays.collect()),
        ejection: Port::Unlimited,
        ..EngineConfig::default()
    };
    for own in [false, true] {
        let [found, walked] = both(network, routing, &config, own);
        let pairs = found.channel_loads.iter().zip(&walked.channel_loads);
        for (channel, (&a, &b)) in pairs.enumerate() {
            assert!(
                is_close(a, b),
                "{what}: {a} is not {b} on channel {channel}"
            );
        }
        for of in [
            |e: &Expected| e.ideal_throughput,
            |e: &Expected| e.hops_mean,
            |e: &Expected| e.wire_cycles_mean,
            |e: &Expected| e.self_share,
            |e: &Expected| e.zero_load_latency_mean(4),
        ] {
            assert!(is_close(of(&found), of(&walked)), "{what}");
        }
    }
}

#[test]
fn one_destination_tells_of_all_under_every_routing() {
    let grid = |radices: &[u32], ends| Grid::new(radices, ends).unwrap().into_network();
    let dragonfly = Dragonfly::new(3, 1, 4, Arrangement::Relative);
    let thinned = SparseTorus::new(4, 2, Thinning::Manhattan);
    let concentrated = grid(&[3, 3], Ends::Open).concentrated(2);
    let networks = [
        grid(&[4, 3], Ends::Ring),
        grid(&[2, 5, 4], Ends::Ring),
        grid(&[4, 5], Ends::DirectedRing),
        grid(&[2; 4], Ends::Open),
        grid(&[4, 3], Ends::Open),
        Star::new(4).unwrap().into_network(),
        FatTree::butterfly(16).unwrap().into_network(),
        FatTree::pyramid(16).unwrap().into_network(),
        Xgft::new(&[3, 2, 2], &[1, 2, 2]).unwrap().into_network(),
        HyperX::new(&[3, 4], &[2, 1]).unwrap().into_network(),
        dragonfly.unwrap().into_network(),
        SlimFly::new(5).unwrap().into_network(),
        Butterfly::new(2, 3).unwrap().into_network(),
        thinned.unwrap().into_network(),
        concentrated.unwrap(),
    ];
    let mut compared = 0;
    for network in &networks {
        for algorithm in Algorithm::fitting(network) {
            let choice = RoutingChoice::from(algorithm);
            let Ok(relation) = choice.relation(network, 8, &Tables::default()) else {
                continue;
            };
            assert_equal(&relation, network, algorithm.name());
            compared += 1;
        }
    }
    assert!(compared > 70, "{compared}");
}

/// Dally & Towles, section 3.2: k / 8 flits a cycle on every channel of a k-ary n-cube. A walk to each of
/// 4,096 terminals takes minutes.
#[test]
fn every_channel_of_a_large_torus_carries_an_eighth_of_its_radix() {
    let network = Grid::uniform(16, 3, Ends::Ring).unwrap().into_network();
    let routing = DimensionOrder::new(network.grid().unwrap(), 8, Tie::Random, true).unwrap();
    let config = EngineConfig::default();
    let found = expected(&network, &routing, &config, uniform(&network, true)).unwrap();
    assert!(found.channel_loads.iter().all(|&load| is_close(load, 2.0)));
    assert!(is_close(found.hops_mean, 12.0));
}

/// Of 4,096 processors, 16 share a leaf switch, and 256 a switch of the level above: the rest of what each is sent comes
/// over the level in question. So large a tree is walked whole in a minute.
#[test]
fn every_channel_of_a_level_of_a_large_tree_carries_what_comes_from_beyond_it() {
    let tree = Xgft::new(&[16; 3], &[1, 16, 16]).unwrap().into_network();
    let relation = RoutingChoice::from(Algorithm::NearestCommonAncestor);
    let relation = relation.relation(&tree, 1, &Tables::default()).unwrap();
    let found = expected(
        &tree,
        &relation,
        &EngineConfig::default(),
        uniform(&tree, true),
    )
    .unwrap();
    let mut loads = found.channel_loads;
    loads.sort_by(f64::total_cmp);
    let levels = [4096.0 - 256.0, 4096.0 - 16.0, 4096.0 - 1.0].map(|beyond| beyond / 4096.0);
    for (of_level, load) in loads.chunks(2 * 4096).zip(levels) {
        assert!(of_level.iter().all(|&found| is_close(found, load)));
    }
    assert_eq!(loads.len(), 3 * 2 * 4096);
}

/// The nearest common ancestor by the first parent alone to some destinations, which says that automorphisms change
/// nothing.
struct Straight<'n>(XgftAncestor<'n>, fn(NodeId) -> bool);

impl Routing for Straight<'_> {
    const DETERMINISTIC: bool = false;

    fn route(&self, head: Head, candidates: &mut Candidates) {
        self.0.route(head, candidates);
        if (self.1)(head.destination) {
            let first = candidates.as_slice()[0];
            candidates.clear();
            candidates.add(first.channel, first.vcs);
        }
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::Automorphisms
    }
}

#[test]
fn a_relation_that_goes_up_elsewhere_is_walked_whole() {
    let tree = Xgft::new(&[2; 4], &[1, 2, 2, 2]).unwrap().into_network();
    let ancestor = XgftAncestor::new(tree.xgft().unwrap(), 2).unwrap();
    let breaks: [fn(NodeId) -> bool; 2] = [|to| to.0 == 6, |to| to.0 % 4 > 1];
    for is_other in breaks {
        let routing = Straight(ancestor, is_other);
        let [found, walked] = both(&tree, &routing, &EngineConfig::default(), false);
        assert!(walked.channel_load_max > 1.01);
        for (&a, &b) in found.channel_loads.iter().zip(&walked.channel_loads) {
            assert!(is_close(a, b), "{a} is not {b}");
        }
    }
}

/// Dimension order that goes down from a destination's neighbours in one dimension, and says that translations
/// change nothing.
struct Liar<'n>(DimensionOrder<'n>, fn(NodeId) -> bool);

impl Routing for Liar<'_> {
    const DETERMINISTIC: bool = true;

    fn route(&self, head: Head, candidates: &mut Candidates) {
        self.0.route(head, candidates);
    }

    fn initial(&self, source: NodeId, destination: NodeId, _: u32) -> u64 {
        self.0
            .initial(source, destination, u32::from((self.1)(destination)))
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::Translations
    }
}

/// Dimension order that goes through the highest dimension first to odd columns, and says that translations change
/// nothing: to whatever destination, channels of a dimension and direction carry the same together.
struct Turner<'n>([DimensionOrder<'n>; 2]);

impl<'n> Turner<'n> {
    fn to(&self, destination: NodeId) -> &DimensionOrder<'n> {
        &self.0[(destination.0 % 2) as usize]
    }
}

impl Routing for Turner<'_> {
    const DETERMINISTIC: bool = true;

    fn choices(&self, source: NodeId, destination: NodeId) -> u32 {
        self.to(destination).choices(source, destination)
    }

    fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64 {
        self.to(destination).initial(source, destination, choice)
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        self.to(head.destination).route(head, candidates);
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::Translations
    }
}

#[test]
fn a_relation_that_turns_elsewhere_is_walked_whole() {
    let network = Grid::uniform(4, 2, Ends::Ring).unwrap().into_network();
    let order = DimensionOrder::new(network.grid().unwrap(), 2, Tie::Random, true).unwrap();
    let routing = Turner([order.clone(), order.with_order(Order::HighestFirst)]);
    let [found, walked] = both(&network, &routing, &EngineConfig::default(), false);
    // Most that go up or down do so in an even column.
    assert!(is_close(walked.channel_load_max, 0.8));
    assert!(is_close(found.channel_load_max, 0.8));
}

#[test]
fn a_relation_that_breaks_its_word_is_walked_whole() {
    if tier::is_left_out() {
        return;
    }
    let network = Grid::uniform(4, 2, Ends::Ring).unwrap().into_network();
    let order = DimensionOrder::new(network.grid().unwrap(), 2, Tie::Random, true).unwrap();
    let breaks: [fn(NodeId) -> bool; 2] = [|to| to.0 == 15, |to| to.0 % 4 > 1];
    for is_other in breaks {
        let [found, walked] = both(
            &network,
            &Liar(order.clone(), is_other),
            &EngineConfig::default(),
            false,
        );
        for channel in (0..network.channels()).map(ChannelId) {
            let [a, b] = [&found, &walked].map(|e| e.channel_loads[channel.index()]);
            assert!(is_close(a, b), "{a} is not {b} on {channel:?}");
        }
    }
}
