//! Zero-load latency: the formulas, what the kernel takes, and the mean over pairs.

use crate::common::any::{Any, expected};
use crate::common::loaded::Delivered;
use flitsim_analysis::zero_load_latency_cycles;
use flitsim_engine::routing::{DimensionOrder, Tie};
use flitsim_engine::{
    Candidate, Candidates, ChannelDelay, Engine, EngineConfig, FlowControl, Head, NewPacket,
    Pipeline, Routing,
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

/// The latencies of packets from node 0 of a line to every node, each alone in the network.
fn measured(network: &Network, config: &EngineConfig, flits: u32) -> Vec<u64> {
    let grid = network.grid().unwrap();
    let routing = DimensionOrder::new(grid, 1, Tie::Random, true).unwrap();
    let mut engine = Engine::new(
        network,
        Any::<true>::new(&routing),
        config.clone(),
        1,
        Delivered::default(),
    )
    .unwrap();
    let mut latencies = Vec::new();
    for destination in (0..network.terminals()).map(NodeId) {
        engine.offer(NewPacket {
            source: NodeId(0),
            destination,
            flits,
            entropy: 0,
        });
        while !engine.is_idle() {
            engine.step();
        }
        engine.skip_to(engine.cycle() + 100);
        latencies.push(engine.probe_mut().only().0);
    }
    latencies
}

#[test]
fn zero_load_latency_is_what_the_kernel_takes_also_with_other_bodies_and_small_buffers() {
    let network = Grid::uniform(5, 1, Ends::Open).unwrap().into_network();
    for flow_control in [
        FlowControl::Wormhole,
        FlowControl::VirtualCutThrough,
        FlowControl::StoreAndForward,
    ] {
        for delay in 1..=5 {
            for body_delay in 1..=8 {
                for channel_period in 1..=3 {
                    let is_told = flow_control == FlowControl::Wormhole && body_delay == delay;
                    let lengths = [(1, 0), (2, 3), (3, 0), (4, 1), (16, 2)];
                    let buffers = [32, 1, 2, 3, 5, 8].map(|buffer| (buffer, lengths));
                    let all = buffers.iter().take(if is_told { 6 } else { 1 });
                    let all = all.flat_map(|&(buffer, lengths)| lengths.map(|of| (buffer, of)));
                    for (buffer_flits, (flits, wire)) in all {
                        let config = EngineConfig {
                            virtual_channels: 1,
                            injection_vcs: 1,
                            buffer_flits,
                            flow_control,
                            delay,
                            body_delay,
                            channel_period,
                            channel_delay: ChannelDelay::Uniform(wire),
                            ..EngineConfig::default()
                        };
                        let formula: Vec<u64> = (0..5)
                            .map(|hops| {
                                let wires = u64::from(hops * wire);
                                zero_load_latency_cycles(&config, hops, wires, flits)
                            })
                            .collect();
                        assert_eq!(formula, measured(&network, &config, flits), "{config:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn zero_load_latency_is_what_routers_in_stages_take_also_where_they_keep_ways() {
    let network = Grid::uniform(4, 1, Ends::Open).unwrap().into_network();
    for number in 0..2 * 3 * 3 * 3 * 2 * 2 {
        let digit = |place: u32, of: u32| number / place % of;
        let pipeline = Pipeline {
            routing: digit(2, 3),
            vc_allocation: 1 + digit(6, 3),
            switch_allocation: 1 + digit(18, 3),
            traversal: digit(54, 2),
        };
        let speeds = [(1, 1), (2, 1), (4, 1), (1, 3), (2, 3), (4, 3)];
        for (flits, (channel_period, internal_speedup)) in [1, 2, 3, 6]
            .into_iter()
            .flat_map(|flits| speeds.map(|speeds| (flits, speeds)))
        {
            let is_fast = internal_speedup > 1;
            let config = EngineConfig {
                internal_speedup,
                ejection_vcs: u32::from(is_fast),
                virtual_channels: 1,
                injection_vcs: 1,
                buffer_flits: 32,
                pipeline: Some(pipeline),
                speculative: digit(108, 2) == 1,
                hold_switch: digit(1, 2) == 1,
                injection_buffers: flits == 3 || is_fast,
                channel_period,
                channel_delay: ChannelDelay::Uniform(2),
                ..EngineConfig::default()
            };
            let formula = [0, 1, 2, 3]
                .map(|hops| zero_load_latency_cycles(&config, hops, u64::from(2 * hops), flits));
            let measured = measured(&network, &config, flits);
            assert_eq!(formula.to_vec(), measured, "{flits} flits, {config:?}");
        }
    }
}
