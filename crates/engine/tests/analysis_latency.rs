//! Zero-load latency: the formulas, a lone packet followed flit by flit, and the mean over pairs.

use flitsim_engine::analysis::{expected, zero_load_latency_cycles};
use flitsim_engine::routing::{DimensionOrder, Tie};
use flitsim_engine::{
    Candidate, Candidates, ChannelDelay, EngineConfig, FlowControl, Head, Routing,
};
use flitsim_topology::{Ends, Grid, Network, NodeId};

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

#[test]
fn zero_load_latency_is_the_mean_over_pairs() {
    let network = Grid::new(&[4, 3], Ends::Ring).unwrap().into_network();
    let grid = network.grid().unwrap();
    let delays: Vec<u32> = (0..network.channels()).map(|c| c * 7 % 5).collect();
    for flow_control in [
        FlowControl::Wormhole,
        FlowControl::VirtualCutThrough,
        FlowControl::StoreAndForward,
    ] {
        for (delay, body_delay, period, flits) in
            [(1, 1, 1, 1), (3, 1, 2, 16), (1, 4, 1, 2), (2, 5, 2, 5)]
        {
            let config = EngineConfig {
                flow_control,
                delay,
                body_delay,
                channel_period: period,
                channel_delay: ChannelDelay::PerChannel(delays.clone()),
                ..EngineConfig::default()
            };
            let routing = DimensionOrder::new(grid, 4, Tie::Positive, true).unwrap();
            let found = expected(&network, &routing, &config, uniform_over(12, true)).unwrap();
            let mut sum = 0;
            for source in (0..12).map(NodeId) {
                for destination in (0..12).map(NodeId) {
                    let (hops, wires) = follow(&network, &routing, &config, source, destination);
                    sum += zero_load_latency_cycles(&config, hops, wires, flits);
                }
            }
            let mean = sum as f64 / 144.0;
            assert_close(found.zero_load_latency_mean(flits), mean, "latency");
        }
    }
}

/// Hops and wire delays from `source` to `destination`, on the lowest virtual channels.
fn follow(
    network: &Network,
    routing: &impl Routing,
    config: &EngineConfig,
    source: NodeId,
    destination: NodeId,
) -> (u32, u64) {
    let mut head = Head {
        node: source,
        arrived: None,
        destination,
        state: routing.initial(source, destination, 0),
    };
    let (mut hops, mut wires) = (0, 0);
    let mut candidates = Candidates::default();
    while head.node != destination {
        candidates.clear();
        routing.route(head, &mut candidates);
        let Candidate { channel, vcs, .. } = candidates.as_slice()[0];
        hops += 1;
        wires += u64::from(config.channel_delay_of(channel));
        head.arrived = Some((channel, vcs.trailing_zeros()));
        head.node = network.target(channel);
    }
    (hops, wires)
}

#[test]
fn zero_load_latency_follows_the_formulas() {
    let config = |flow_control, delay, period| EngineConfig {
        flow_control,
        delay,
        body_delay: delay,
        channel_period: period,
        ..EngineConfig::default()
    };
    for delay in [1, 2, 3] {
        for hops in [1u32, 4, 9] {
            for (flits, period) in [(1u32, 1u32), (2, 1), (16, 1), (16, 3)] {
                let (h, f) = (u64::from(hops), u64::from(flits));
                let (t, p) = (u64::from(delay), u64::from(period));
                let wires = 5 * h;
                let wormhole = config(FlowControl::Wormhole, delay, period);
                assert_eq!(
                    zero_load_latency_cycles(&wormhole, hops, wires, flits),
                    (h + 1) * t + wires + (f - 1) * p
                );
                let stored = config(FlowControl::StoreAndForward, delay, period);
                assert_eq!(
                    zero_load_latency_cycles(&stored, hops, wires, flits),
                    h * (t + (f - 1) * p) + wires + t
                );
                assert_eq!(zero_load_latency_cycles(&stored, 0, 0, flits), t + f - 1);
                assert_eq!(zero_load_latency_cycles(&wormhole, 0, 0, flits), t + f - 1);
            }
        }
    }
}

/// A lone packet flit by flit: when each leaves router after router, as early as it may.
fn lone_packet(config: &EngineConfig, hops: u32, wire: u64, flits: usize) -> u64 {
    let stored = config.flow_control == FlowControl::StoreAndForward;
    let mut ready = vec![u64::from(config.delay) - 1; flits];
    for _ in 0..hops {
        let (mut free, mut before) = (if stored { ready[flits - 1] } else { 0 }, 0);
        for (j, ready) in ready.iter_mut().enumerate() {
            let left = free.max(*ready);
            free = left + u64::from(config.channel_period);
            let as_head = j == 0 || stored && j == flits - 1;
            let delay = if as_head {
                config.delay
            } else {
                config.body_delay
            };
            *ready = before.max(left + wire + u64::from(delay));
            before = *ready;
        }
    }
    ready
        .iter()
        .fold(0, |ejected, &ready| (ejected + 1).max(ready + 1))
}

#[test]
fn zero_load_latency_is_that_of_a_lone_packet_flit_by_flit() {
    for flow_control in [FlowControl::Wormhole, FlowControl::StoreAndForward] {
        for delay in 1..=5 {
            for body_delay in 1..=8 {
                for channel_period in 1..=3 {
                    let config = EngineConfig {
                        flow_control,
                        delay,
                        body_delay,
                        channel_period,
                        ..EngineConfig::default()
                    };
                    for hops in 0..=4 {
                        for (flits, wire) in [(1, 0), (2, 3), (3, 0), (4, 1), (16, 2)] {
                            let wires = u64::from(hops) * wire;
                            assert_eq!(
                                zero_load_latency_cycles(&config, hops, wires, flits),
                                lone_packet(&config, hops, wire, flits as usize),
                                "{flow_control:?} {delay} {body_delay} {channel_period} {hops} {flits}"
                            );
                        }
                    }
                }
            }
        }
    }
}
