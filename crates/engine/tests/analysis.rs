//! Expectations by walking the relation, against what is known in closed form.

use crate::common::any::{expected, expected_sampled};
use crate::tier;
use flitsim_analysis::{AnalysisError, Expected, uniform};
use flitsim_engine::routing::{DimensionOrder, Tie};
use flitsim_engine::{Candidate, Candidates, ChannelDelay, EngineConfig, Head, Port, Routing};
use flitsim_topology::properties::grid_distances;
use flitsim_topology::{ChannelId, Direction, Ends, Grid, Network, NodeId};

const ALL_ENDS: [Ends; 3] = [Ends::Open, Ends::Ring, Ends::DirectedRing];

fn assert_close(actual: f64, expected: f64, what: &str) {
    assert!(
        (actual - expected).abs() <= 1e-12 * expected.abs().max(1.0),
        "{what}: {actual} is not {expected}"
    );
}

fn uniform_over(nodes: u32, with_self: bool) -> impl Fn(NodeId, &mut dyn FnMut(NodeId, f64)) {
    let others = nodes - u32::from(!with_self);
    move |source, send| {
        for destination in (0..nodes).map(NodeId) {
            if with_self || destination != source {
                send(destination, 1.0 / f64::from(others));
            }
        }
    }
}

fn dimension_order(
    network: &Network,
    tie: Tie,
    demand: impl Fn(NodeId, &mut dyn FnMut(NodeId, f64)),
) -> Expected {
    let config = EngineConfig::default();
    let routing =
        DimensionOrder::new(network.grid().unwrap(), config.virtual_channels, tie, true).unwrap();
    expected(network, &routing, &config, demand).unwrap()
}

fn of_uniform(grid: Grid, tie: Tie, with_self: bool) -> Expected {
    let network = grid.into_network();
    dimension_order(&network, tie, uniform_over(network.nodes(), with_self))
}

#[test]
fn uniform_traffic_saturates_a_mesh_at_4_over_k() {
    for k in [2, 4, 8] {
        let mesh = of_uniform(Grid::uniform(k, 2, Ends::Open).unwrap(), Tie::Random, true);
        assert_close(mesh.channel_load_max, f64::from(k) / 4.0, "mesh");
        let bound = (4.0 / f64::from(k)).min(1.0);
        assert_close(mesh.ideal_throughput, bound, "mesh");
    }
    // The bound that measured throughput is held against: 0.4922 without a node's own address.
    let mesh = of_uniform(Grid::uniform(8, 2, Ends::Open).unwrap(), Tie::Random, false);
    assert_close(mesh.ideal_throughput, 0.5 * 63.0 / 64.0, "8x8 mesh");
}

#[test]
fn uniform_traffic_saturates_a_torus_at_8_over_k() {
    for k in [4, 8, 16] {
        let grid = Grid::uniform(k, 2, Ends::Ring).unwrap();
        let torus = of_uniform(grid.clone(), Tie::Random, true);
        let k = f64::from(k);
        for &load in &torus.channel_loads {
            assert_close(load, k / 8.0, "every channel of a torus");
        }
        assert_close(torus.ideal_throughput, (8.0 / k).min(1.0), "torus");
        let lopsided = of_uniform(grid.clone(), Tie::Positive, true);
        assert_close(
            lopsided.channel_load_max,
            (k + 2.0) / 8.0,
            "torus, ties upward",
        );
        for (channel, &load) in (0..).map(ChannelId).zip(&lopsided.channel_loads) {
            let expected = match grid.step(channel).direction {
                Direction::Up => (k + 2.0) / 8.0,
                Direction::Down => (k - 2.0) / 8.0,
            };
            assert_close(load, expected, "torus, ties upward");
        }
    }
    let grid = Grid::uniform(8, 2, Ends::Ring).unwrap();
    assert_close(
        of_uniform(grid, Tie::Positive, true).ideal_throughput,
        0.8,
        "8x8 torus",
    );
}

#[test]
fn permutations_on_an_xy_mesh_saturate_where_the_textbook_says() {
    for k in [4, 8] {
        let network = Grid::uniform(k, 2, Ends::Open).unwrap().into_network();
        let grid = network.grid().unwrap();
        let transpose = dimension_order(&network, Tie::Random, |source, send| {
            let [x, y] = [0, 1].map(|i| grid.coordinate(source, i));
            send(grid.node_at(&[y, x]), 1.0);
        });
        assert_close(
            transpose.ideal_throughput,
            1.0 / f64::from(k - 1),
            "transpose",
        );
        assert_close(transpose.self_share, 1.0 / f64::from(k), "the diagonal");
        let complement = dimension_order(&network, Tie::Random, |source, send| {
            send(NodeId(k * k - 1 - source.0), 1.0);
        });
        assert_close(
            complement.ideal_throughput,
            2.0 / f64::from(k),
            "bit-complement",
        );
    }
}

#[test]
fn loads_and_hops_under_uniform_traffic_equal_the_closed_forms() {
    let lists: [&[u32]; 8] = [
        &[9],
        &[2],
        &[5, 5],
        &[5, 4, 3],
        &[2, 7],
        &[6, 2, 3],
        &[4, 4, 4],
        &[2, 2, 2, 2],
    ];
    for radices in lists {
        for ends in ALL_ENDS {
            for tie in [Tie::Random, Tie::Positive] {
                let grid = Grid::new(radices, ends).unwrap();
                let what = format!("{radices:?} {ends:?} {tie:?}");
                let with_self = of_uniform(grid.clone(), tie, true);
                let load = uniform::channel_load_max(&grid, tie);
                assert_close(with_self.channel_load_max, load, &what);
                let distances = grid_distances(&grid);
                assert_close(with_self.hops_mean, distances.mean_with_self, &what);
                assert_close(with_self.injection_load_max, 1.0, &what);
                assert_close(with_self.ejection_load_max, 1.0, &what);
                let nodes = f64::from(radices.iter().product::<u32>());
                assert_close(with_self.self_share, 1.0 / nodes, &what);
                let others = of_uniform(grid.clone(), tie, false);
                assert_close(others.hops_mean, distances.mean_without_self, &what);
                assert_close(others.channel_load_max, load * nodes / (nodes - 1.0), &what);
                assert_eq!(others.self_share, 0.0);
            }
        }
    }
}

#[test]
fn the_number_of_virtual_channels_does_not_move_the_loads() {
    let network = Grid::new(&[6, 5], Ends::Ring).unwrap().into_network();
    let config = EngineConfig::default();
    let of = |vcs, balance| {
        let grid = network.grid().unwrap();
        let routing = DimensionOrder::new(grid, vcs, Tie::Random, balance).unwrap();
        expected(&network, &routing, &config, uniform_over(30, false)).unwrap()
    };
    let reference = of(2, false);
    for vcs in [2, 3, 5, 64] {
        let other = of(vcs, true);
        for (a, b) in reference.channel_loads.iter().zip(&other.channel_loads) {
            assert_close(*a, *b, "a channel's load");
        }
    }
}

#[test]
fn directed_torus_of_dally_has_its_zero_load_latency() {
    // 25 flits on a directed 16-ary 2-cube, distinct destinations: H + F − 1 = 39.06 counted
    // without the source's router, 40.06 with it.
    let grid = Grid::uniform(16, 2, Ends::DirectedRing).unwrap();
    let cube = of_uniform(grid, Tie::Random, false);
    assert_close(cube.hops_mean, 15.0 * 256.0 / 255.0, "hops");
    let latency = cube.zero_load_latency_mean(25);
    assert_close(latency, 15.0 * 256.0 / 255.0 + 25.0, "latency");
    assert!((latency - 1.0 - 39.06).abs() < 0.005);
}

#[test]
fn ports_and_slow_channels_bound_the_throughput() {
    let network = Grid::uniform(4, 1, Ends::Ring).unwrap().into_network();
    let routing = DimensionOrder::new(network.grid().unwrap(), 4, Tie::Random, true).unwrap();
    // Every node sends to node 0: it receives 4, and the channels into it carry 1 + 1/2 each.
    let hotspot = |_: NodeId, send: &mut dyn FnMut(NodeId, f64)| send(NodeId(0), 1.0);
    let mut config = EngineConfig::default();
    let found = expected(&network, &routing, &config, hotspot).unwrap();
    assert_close(found.ejection_load_max, 4.0, "ejection");
    assert_close(found.channel_load_max, 1.5, "channels");
    assert_close(found.ideal_throughput, 0.25, "the ejection port limits");
    config.ejection = Port::Unlimited;
    let found = expected(&network, &routing, &config, hotspot).unwrap();
    assert_close(found.ideal_throughput, 1.0 / 1.5, "the channels limit");
    config.channel_period = 2;
    let found = expected(&network, &routing, &config, hotspot).unwrap();
    assert_close(found.ideal_throughput, 1.0 / 3.0, "slow channels limit");
    config.injection = Port::Unlimited;
    let to_self = |node: NodeId, send: &mut dyn FnMut(NodeId, f64)| send(node, 1.0);
    let found = expected(&network, &routing, &config, to_self).unwrap();
    assert_eq!(found.ideal_throughput, f64::INFINITY);
    assert_eq!((found.hops_mean, found.self_share), (0.0, 1.0));
    assert_close(
        found.zero_load_latency_mean(5),
        5.0,
        "no channel is crossed",
    );
}

#[test]
fn one_source_of_a_torus_stands_for_all() {
    let network = Grid::new(&[6, 5], Ends::Ring).unwrap().into_network();
    let config = EngineConfig::default();
    let routing = DimensionOrder::new(network.grid().unwrap(), 4, Tie::Random, true).unwrap();
    let demand = uniform_over(30, false);
    let all = expected(&network, &routing, &config, &demand).unwrap();
    let one = expected_sampled(&network, &routing, &config, &[NodeId(17)], &demand).unwrap();
    assert_close(one.hops_mean, all.hops_mean, "hops");
    assert_close(
        one.zero_load_latency_mean(4),
        all.zero_load_latency_mean(4),
        "latency",
    );
    let total: f64 = one.channel_loads.iter().sum();
    assert_close(total, one.hops_mean, "one source sends one flit a cycle");
}

/// Routes on a 3 × 3 mesh that are wrong, or that test how choices are split.
enum Toy {
    /// Either way to any node, whatever the destination.
    Wander,
    /// Nowhere.
    Lost,
    /// Round the first square; the state counts the hops without end.
    Count,
    /// Any minimal channel; a second class is never used while the first is there.
    Adaptive,
    /// As `Adaptive`, but virtual channel 1 commits to the second dimension first.
    Sworn,
}

impl Toy {
    fn minimal(grid: &Grid, head: Head) -> Vec<ChannelId> {
        let mut channels = Vec::new();
        for dimension in 0..grid.dimensions() {
            let here = grid.coordinate(head.node, dimension);
            let there = grid.coordinate(head.destination, dimension);
            let way = if there > here {
                Direction::Up
            } else {
                Direction::Down
            };
            if here != there {
                channels.extend(grid.channel(head.node, dimension, way));
            }
        }
        channels
    }
}

struct OnMesh<'n>(&'n Network, Toy);

impl Routing for OnMesh<'_> {
    const DETERMINISTIC: bool = false;

    fn route(&self, head: Head, candidates: &mut Candidates) {
        let grid = self.0.grid().unwrap();
        let channels: Vec<ChannelId> = match self.1 {
            Toy::Wander | Toy::Count => self.0.outgoing(head.node).map(ChannelId).collect(),
            Toy::Lost => Vec::new(),
            Toy::Adaptive => Toy::minimal(grid, head),
            Toy::Sworn if head.state == 1 => {
                Toy::minimal(grid, head).split_off(Toy::minimal(grid, head).len() - 1)
            }
            Toy::Sworn => Toy::minimal(grid, head),
        };
        for &channel in &channels {
            candidates.push(Candidate {
                channel,
                vcs: 0b11,
                priority: 0,
            });
        }
        for channel in self.0.outgoing(head.node).map(ChannelId) {
            if matches!(self.1, Toy::Adaptive) {
                candidates.push(Candidate {
                    channel,
                    vcs: 0b100,
                    priority: 1,
                });
            }
        }
    }

    fn advance(&self, head: Head, _: ChannelId, vc: u32) -> u64 {
        match self.1 {
            Toy::Count => head.state + 1,
            Toy::Sworn => u64::from(vc),
            _ => head.state,
        }
    }
}

fn corner_to_corner(toy: Toy) -> Result<Expected, AnalysisError> {
    let network = Grid::uniform(3, 2, Ends::Open).unwrap().into_network();
    let routing = OnMesh(&network, toy);
    expected(
        &network,
        &routing,
        &EngineConfig::default(),
        |source, send| {
            if source == NodeId(0) {
                send(NodeId(8), 1.0);
            }
        },
    )
}

fn load(found: &Expected, from: &[u32], dimension: usize) -> f64 {
    let grid = Grid::uniform(3, 2, Ends::Open).unwrap();
    let channel = grid
        .channel(grid.node_at(from), dimension, Direction::Up)
        .unwrap();
    found.channel_loads[channel.index()]
}

#[test]
fn adaptive_flow_splits_evenly_over_the_best_class() {
    let found = corner_to_corner(Toy::Adaptive).unwrap();
    assert_close(found.hops_mean, 4.0, "hops");
    for dimension in 0..2 {
        assert_close(load(&found, &[0, 0], dimension), 0.5, "out of the corner");
        assert_close(load(&found, &[1, 1], dimension), 0.25, "out of the middle");
    }
    assert_close(load(&found, &[1, 0], 0), 0.25, "along the edge");
    assert_close(load(&found, &[2, 0], 1), 0.25, "along the far edge");
    assert_close(load(&found, &[2, 1], 1), 0.5, "into the corner");
}

#[test]
fn the_state_that_a_virtual_channel_leads_to_is_followed() {
    let found = corner_to_corner(Toy::Sworn).unwrap();
    assert_close(found.hops_mean, 4.0, "hops");
    // After (0,0) → (1,0): half are free to choose, half must turn.
    assert_close(load(&found, &[1, 0], 0), 0.5 * 0.25, "along the edge");
    assert_close(load(&found, &[1, 0], 1), 0.5 * 0.75, "turning");
    assert_close(load(&found, &[0, 1], 1), 0.5 * 0.75, "going on");
}

#[test]
fn relations_that_do_not_deliver_are_told() {
    if tier::is_left_out() {
        return;
    }
    assert_eq!(
        corner_to_corner(Toy::Lost),
        Err(AnalysisError::DeadEnd {
            node: NodeId(0),
            destination: NodeId(8)
        })
    );
    assert!(matches!(
        corner_to_corner(Toy::Wander),
        Err(AnalysisError::Endless {
            destination: NodeId(8),
            ..
        })
    ));
    assert!(matches!(
        corner_to_corner(Toy::Count),
        Err(AnalysisError::TooManyStates {
            destination: NodeId(8),
            ..
        })
    ));
}

#[test]
fn demands_that_are_none_are_told() {
    let network = Grid::uniform(3, 2, Ends::Open).unwrap().into_network();
    let routing = OnMesh(&network, Toy::Adaptive);
    let config = EngineConfig::default();
    let of = |to: NodeId, share: f64| {
        expected(&network, &routing, &config, |_, send| send(to, share)).map(|_| ())
    };
    assert_eq!(of(NodeId(1), 0.0), Err(AnalysisError::NoTraffic));
    assert_eq!(
        of(NodeId(9), 1.0),
        Err(AnalysisError::NotATerminal {
            node: NodeId(9),
            terminals: 9
        })
    );
    for share in [-0.5, f64::INFINITY] {
        assert_eq!(
            of(NodeId(1), share),
            Err(AnalysisError::Probability {
                origin: NodeId(0),
                destination: NodeId(1),
                probability: share
            })
        );
    }
    assert!(matches!(
        of(NodeId(1), f64::NAN),
        Err(AnalysisError::Probability { .. })
    ));
    let nobody = expected_sampled(&network, &routing, &config, &[], |_, _| {});
    assert_eq!(nobody, Err(AnalysisError::NoTraffic));
    let slow = EngineConfig {
        channel_delay: ChannelDelay::PerChannel(vec![1]),
        ..config.clone()
    };
    let found = expected(&network, &routing, &slow, uniform_over(9, true));
    assert!(matches!(found, Err(AnalysisError::Config(_))));
}
