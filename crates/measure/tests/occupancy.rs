//! Buffer occupancy is exact: it equals a count of every flit's stay, flit by flit, clipped to the
//! window, under every way of moving flits, and Little's law ties it to the flits' mean stay.

use flitsim_engine::routing::{Algorithm, RoutingChoice, Tables};
use flitsim_engine::{
    ChannelDelay, Crossbar, Engine, EngineConfig, FlitKind, FlowControl, NewPacket, Packet,
    Pipeline, Probe,
};
use flitsim_measure::measurement::details::{BufferTotal, Detail, Detailed, Details};
use flitsim_topology::{ChannelId, Ends, Grid, Network, NodeId};
use flitsim_traffic::{PacketLength, Pattern, Traffic, TrafficPlan, Uniform};
use std::collections::VecDeque;

const START: u64 = 1_000;
const END: u64 = 4_000;

/// Every flit's arrival, in the order of its buffer.
struct Stays {
    /// By channel: the cycles from the switch, or from the terminal, to the buffer; none to a terminal.
    on_the_way: Vec<Option<u64>>,
    vcs: u32,
    queues: Vec<VecDeque<u64>>,
    sent: Vec<u64>,
    stay_cycles: Vec<u64>,
    /// By buffer: whether some flit was there in a cycle of the window.
    occupied: Vec<Vec<bool>>,
    left_within: u64,
    stay_within: u64,
}

impl Stays {
    fn new(network: &Network, config: &EngineConfig, wire_cycles: u64) -> Self {
        let vcs = config.virtual_channels;
        let buffers = (network.channels() * vcs) as usize;
        let is_terminal = |node: NodeId| config.terminal_ports && node.0 < network.terminals();
        let from_switch = config.pipeline.map_or(1, |stages| stages.traversal + 2);
        let on_the_way = (0..network.channels()).map(ChannelId).map(|channel| {
            if is_terminal(network.target(channel)) {
                None
            } else if is_terminal(network.source(channel)) {
                Some(wire_cycles)
            } else {
                Some(u64::from(from_switch) + wire_cycles)
            }
        });
        Self {
            on_the_way: on_the_way.collect(),
            vcs,
            queues: vec![VecDeque::new(); buffers],
            sent: vec![0; buffers],
            stay_cycles: vec![0; buffers],
            occupied: vec![vec![false; (END - START) as usize]; buffers],
            left_within: 0,
            stay_within: 0,
        }
    }

    /// A flit was in the buffer in the cycles from `arrived` to `left`, both included.
    fn stay(&mut self, buffer: usize, arrived: u64, left: u64) {
        for cycle in arrived.max(START)..(left + 1).min(END) {
            self.stay_cycles[buffer] += 1;
            self.occupied[buffer][(cycle - START) as usize] = true;
        }
    }

    fn total(&self, buffer: usize) -> BufferTotal {
        BufferTotal {
            sent_flits: self.sent[buffer],
            flit_cycles: self.stay_cycles[buffer],
            occupied_cycles: self.occupied[buffer].iter().filter(|o| **o).count() as u64,
        }
    }
}

/// What is tested beside what it is tested against.
struct Both<'n>(Detailed<'n>, Stays);

impl Probe for Both<'_> {
    fn flit_sent(
        &mut self,
        cycle: u64,
        channel: ChannelId,
        vc: u32,
        kind: FlitKind,
        packet: &Packet,
    ) {
        self.0.flit_sent(cycle, channel, vc, kind, packet);
        let buffer = (channel.0 * self.1.vcs + vc) as usize;
        if let Some(on_the_way) = self.1.on_the_way[channel.index()] {
            self.1.queues[buffer].push_back(cycle + on_the_way);
        }
        self.1.sent[buffer] += u64::from((START..END).contains(&cycle));
    }

    fn flit_unbuffered(&mut self, cycle: u64, channel: ChannelId, vc: u32) {
        self.0.flit_unbuffered(cycle, channel, vc);
        let buffer = (channel.0 * self.1.vcs + vc) as usize;
        let arrived = self.1.queues[buffer].pop_front().expect("a flit that came");
        assert!(arrived <= cycle, "it left before it came");
        self.1.stay(buffer, arrived, cycle);
        if (START..END).contains(&cycle) {
            self.1.left_within += 1;
            self.1.stay_within += cycle + 1 - arrived;
        }
    }

    fn flit_ejected(&mut self, cycle: u64, node: NodeId, kind: FlitKind, packet: &Packet) {
        self.0.flit_ejected(cycle, node, kind, packet);
    }

    fn packet_delivered(&mut self, arrived: u64, packet: &Packet) {
        self.0.packet_delivered(arrived, packet);
    }
}

fn check(config: EngineConfig, wire_cycles: u32, load: f64) {
    let torus = Grid::uniform(4, 2, Ends::Ring).unwrap().into_network();
    let network = match config.terminal_ports {
        true => torus.concentrated(2).unwrap(),
        false => torus,
    };
    let config = EngineConfig {
        channel_delay: ChannelDelay::Uniform(wire_cycles),
        ..config
    };
    let include_self = config.terminal_ports;
    let pattern = Pattern::Uniform(Uniform { include_self });
    let plan = TrafficPlan {
        pattern: pattern.clone(),
        length: PacketLength::Fixed(5),
        ..TrafficPlan::default()
    };
    let details: Details = Detail::Channels.into();
    let mut detailed = Detailed::new(details, &pattern, &network, &config);
    // The end moves once, past cycles that were counted apart.
    detailed.recorder_mut().reach(0);
    let stays = Stays::new(&network, &config, u64::from(wire_cycles));
    let choice = RoutingChoice::from(Algorithm::DimensionOrder);
    let vcs = config.virtual_channels;
    let routing = choice.relation(&network, vcs, &Tables::default()).unwrap();
    let mut traffic = Traffic::new(&plan, &network, load, 7).unwrap();
    let mut engine = Engine::new(&network, routing, config, 7, Both(detailed, stays)).unwrap();
    for cycle in 0..END + 500 {
        let Both(detailed, _) = engine.probe_mut();
        match cycle {
            START => detailed.recorder_mut().begin_window(START, 2_500),
            3_000 => detailed.recorder_mut().extend_window(3_000, END),
            _ => {}
        }
        detailed.follow();
        traffic.arrivals(cycle, |packet| {
            engine.offer(NewPacket {
                source: packet.source,
                destination: packet.destination,
                flits: packet.flits,
                entropy: packet.entropy,
            });
            engine.probe_mut().0.created(cycle, &packet);
        });
        engine.step();
    }
    let now = engine.cycle();
    let Both(detailed, stays) = engine.probe_mut();
    let found = detailed.finish(now);
    assert_eq!(found.window_cycles, END - START);
    let channels = found.channels.expect("asked for");
    // What has not left yet.
    for buffer in 0..stays.queues.len() {
        for arrived in std::mem::take(&mut stays.queues[buffer]) {
            stays.stay(buffer, arrived, now);
        }
    }
    let mut flit_cycles = 0;
    for channel in (0..network.channels()).map(ChannelId) {
        let mut occupied = vec![false; (END - START) as usize];
        let mut whole = BufferTotal::default();
        for vc in 0..vcs {
            let buffer = (channel.0 * vcs + vc) as usize;
            let total = channels.virtual_channel(channel, vc);
            assert_eq!(total, stays.total(buffer), "{channel:?}, {vc}");
            whole.sent_flits += total.sent_flits;
            whole.flit_cycles += total.flit_cycles;
            for (all, one) in occupied.iter_mut().zip(&stays.occupied[buffer]) {
                *all |= one;
            }
        }
        whole.occupied_cycles = occupied.iter().filter(|o| **o).count() as u64;
        assert_eq!(channels.channel(channel), whole, "{channel:?}");
        flit_cycles += whole.flit_cycles;
    }
    // Little: mean flits buffered = rate of departures × mean stay, but for stays across an end.
    let little = flit_cycles as f64 / stays.stay_within as f64;
    assert!(
        stays.left_within > 1_000 && (little - 1.0).abs() < 0.05,
        "{little}"
    );
}

#[test]
fn occupancy_is_the_sum_of_all_stays() {
    let config = EngineConfig::default();
    check(config.clone(), 0, 0.3);
    check(config.clone(), 3, 0.2);
    let piped = EngineConfig {
        delay: 3,
        body_delay: 1,
        crossbar: Crossbar::Vc,
        ..config.clone()
    };
    check(piped, 1, 0.3);
    for flow_control in [FlowControl::VirtualCutThrough, FlowControl::StoreAndForward] {
        let config = EngineConfig {
            flow_control,
            ..config.clone()
        };
        check(config, 2, 0.15);
    }
}

/// From a flit's first stage to the one in which it wins the switch, whether it comes from a router or a port.
#[test]
fn stages_before_the_switch_are_in_the_buffer() {
    for (routing, traversal, terminal_ports) in
        [(1, 1, false), (0, 0, false), (1, 1, true), (0, 0, true)]
    {
        let config = EngineConfig {
            pipeline: Some(Pipeline {
                routing,
                vc_allocation: 1,
                switch_allocation: 1,
                traversal,
            }),
            speculative: routing == 0,
            injection_buffers: terminal_ports,
            terminal_ports,
            ..EngineConfig::default()
        };
        check(config.clone(), 0, 0.2);
        check(config, 2, 0.2);
    }
}

/// Past saturation buffers are full, and the count goes on.
#[test]
fn full_buffers_are_counted_too() {
    check(EngineConfig::default(), 0, 0.9);
}
