//! The oracle against what is known without it: the zero-load formula, examples computed by hand,
//! and the books of credits and flits.

use super::case::{Case, Dice, Relation};
use super::log::{Event, What};
use super::relation::{Adaptive, Ordered};
use super::router::{InputPort, Output, Sender};
use super::{Feed, Oracle};
use flitsim_engine::routing::{DimensionOrder, Tie};
use flitsim_engine::{
    ChannelDelay, EngineConfig, FlowControl, Head, NewPacket, Routing, VcReallocation,
};
use flitsim_topology::{ChannelId, Ends, Grid, Network, NodeId};

/// Places that came free and of which the sender is still to be told.
fn unsent_credits(port: &InputPort, vc: usize) -> usize {
    port.freed
        .iter()
        .filter(|freed| freed.1 == vc as u32)
        .count()
}

impl Oracle<'_> {
    /// Counts every flit and credit again.
    fn audit(&self) {
        for (channel, sender) in self.senders.iter().enumerate() {
            let channel = ChannelId(channel as u32);
            let end = &self.routers[self.network.target(channel).index()];
            let port = end.ports.iter().find(|p| p.channel == Some(channel));
            let port = port.expect("the channel's end");
            for (vc, input) in port.vcs.iter().enumerate() {
                let due = sender.due.iter().filter(|d| d.1 == vc as u32).count();
                let taken = sender.taken(vc as u32) as usize;
                let router = self.network.source(channel).index();
                let queued = self.queued(router, Output::Channel(channel, vc as u32));
                let held = input.flits.len() + unsent_credits(port, vc);
                assert_eq!(taken, due + held + queued, "{channel} #{vc}");
                assert!(input.flits.iter().is_sorted_by_key(|f| f.ready));
            }
        }
        let ports = self.routers.iter().flat_map(|r| &r.ports);
        let held: usize = ports.flat_map(|p| &p.vcs).map(|vc| vc.flits.len()).sum();
        let queued: u64 = self
            .queues
            .iter()
            .flatten()
            .map(|&p| u64::from(self.packets[p].flits))
            .sum();
        let unsent = |feed: &Feed| {
            let packet = feed.packet.map(|packet| self.packets[packet].flits);
            packet.map_or(0, |flits| u64::from(flits - feed.sent))
        };
        let unsent: u64 = self.feeds.iter().map(unsent).sum();
        let totals = self.totals();
        assert_eq!(
            totals.flits_offered,
            queued
                + unsent
                + (held + self.leaving.len() + self.queued_in_all()) as u64
                + totals.flits_ejected
        );
        self.audit_terminals();
        assert!(totals.packets_entered <= totals.packets_offered);
    }

    /// Counts the credits of the ways from and to terminals, where these have buffers.
    fn audit_terminals(&self) {
        let taken = |sender: &Sender, vc: usize| {
            let due = sender.due.iter().filter(|due| due.1 == vc as u32).count();
            sender.taken(vc as u32) as usize - due
        };
        for (router, number) in self.routers.iter().zip(0..) {
            for vc in 0..self.config.ejection_vcs as usize {
                let queued = self.queued(number, Output::Terminal(vc as u32));
                assert_eq!(taken(&router.to_terminal, vc), queued);
            }
            let injection = router.ports.iter().filter(|port| port.channel.is_none());
            for port in injection.filter(|_| self.config.injection_buffers) {
                for (vc, input) in port.vcs.iter().enumerate() {
                    let held = input.flits.len() + unsent_credits(port, vc);
                    assert_eq!(taken(&router.from_source, vc), held);
                }
            }
        }
    }

    fn run_until_idle(&mut self, limit: u64) {
        while !self.is_idle() {
            assert!(self.cycle() < limit, "not idle after {limit} cycles");
            self.step(&[]);
        }
    }
}

fn packet(source: u32, destination: u32, flits: u32, entropy: u64) -> NewPacket {
    NewPacket {
        source: NodeId(source),
        destination: NodeId(destination),
        flits,
        entropy,
    }
}

fn latencies(log: &[Event]) -> Vec<u64> {
    let latency = |e: &Event| match e.what {
        What::Delivered { latency, .. } => Some(latency),
        _ => None,
    };
    log.iter().filter_map(latency).collect()
}

/// The latency of a packet alone in the network: the sum over the channels of its way.
fn latency_at_zero_load(
    network: &Network,
    routing: &impl Routing,
    config: &EngineConfig,
    packet: &NewPacket,
) -> u64 {
    let (mut node, mut arrived) = (packet.source, None);
    let state = routing.initial(packet.source, packet.destination, 0);
    let (mut hops, mut wires) = (0, 0);
    while node != packet.destination {
        let mut candidates = Default::default();
        let head = Head {
            node,
            arrived,
            destination: packet.destination,
            state,
        };
        routing.route(head, &mut candidates);
        let candidate = candidates.as_slice()[0];
        hops += 1;
        wires += u64::from(config.channel_delay_of(candidate.channel));
        arrived = Some((candidate.channel, candidate.vcs.trailing_zeros()));
        node = network.target(candidate.channel);
    }
    let (delay, behind) = (u64::from(config.delay), u64::from(packet.flits - 1));
    let serial = behind * u64::from(config.channel_period);
    match (hops, config.flow_control) {
        (0, _) => delay + behind,
        (_, FlowControl::StoreAndForward) => hops * (delay + serial) + wires + delay,
        _ => (hops + 1) * delay + wires + serial,
    }
}

#[test]
fn alone_in_the_network_a_packet_takes_the_formulas_time() {
    let mut dice = Dice::new(1);
    let shapes: [(&[u32], Ends); 5] = [
        (&[3, 2], Ends::Open),
        (&[2, 2, 2], Ends::Open),
        (&[5, 3], Ends::Ring),
        (&[4], Ends::Ring),
        (&[3, 4], Ends::DirectedRing),
    ];
    for (radices, ends) in shapes {
        let grid = Grid::new(radices, ends).expect("a grid");
        let network = grid.clone().into_network();
        let routing = DimensionOrder::new(&grid, 2, Tie::Positive, true).expect("two VCs");
        for source in 0..network.nodes() {
            for destination in 0..network.nodes() {
                let (flits, delay) = (dice.from(1, 6), dice.from(1, 4));
                let delays = (0..network.channels()).map(|_| dice.from(0, 5)).collect();
                let config = EngineConfig {
                    virtual_channels: 2,
                    buffer_flits: 40,
                    flow_control: dice.pick(&[
                        FlowControl::Wormhole,
                        FlowControl::VirtualCutThrough,
                        FlowControl::StoreAndForward,
                    ]),
                    delay,
                    body_delay: delay,
                    channel_period: dice.from(1, 3),
                    channel_delay: ChannelDelay::PerChannel(delays),
                    ..EngineConfig::default()
                };
                let new = packet(source, destination, flits, 0);
                let expected = latency_at_zero_load(&network, &routing, &config, &new);
                let mut oracle = Oracle::new(&network, &routing, config.clone(), 1);
                oracle.step(&[]);
                oracle.step(&[new]);
                oracle.run_until_idle(1_000);
                assert_eq!(latencies(oracle.log()), [expected], "{new:?} {config:?}");
            }
        }
    }
}

/// A line of three nodes: a packet from 0 to 2 created in cycle 0 meets at node 1 one from 1 to 2
/// created in cycle 1, both of two flits. Returns the cycles in which the flits of the first and
/// of the second leave node 1, and both latencies.
fn meet(config: EngineConfig) -> ([Vec<u64>; 2], Vec<u64>) {
    let grid = Grid::new(&[3], Ends::Open).expect("a grid");
    let network = grid.clone().into_network();
    let routing = DimensionOrder::new(&grid, config.virtual_channels, Tie::Random, true).unwrap();
    let mut oracle = Oracle::new(&network, &routing, config, 1);
    oracle.step(&[packet(0, 2, 2, 0)]);
    oracle.step(&[packet(1, 2, 2, 0)]);
    oracle.run_until_idle(50);
    let onward = network.outgoing(NodeId(1)).end - 2;
    let onward = (onward..onward + 2)
        .map(ChannelId)
        .find(|&c| network.target(c) == NodeId(2))
        .expect("a channel from 1 to 2");
    let left = |source: u32| {
        let of_source = oracle.log().iter().filter(|e| {
            e.packet.source == source
                && matches!(e.what, What::Sent { channel, .. } if channel == onward.0)
        });
        of_source.map(|e| e.cycle).collect()
    };
    ([left(0), left(1)], latencies(oracle.log()))
}

#[test]
fn the_second_of_two_packets_waits_for_the_only_virtual_channel() {
    let config = EngineConfig {
        virtual_channels: 1,
        buffer_flits: 4,
        ..EngineConfig::default()
    };
    // The first head reaches node 1 in cycle 1, and its input port comes before the injection
    // port: it claims the channel, and its flits leave in cycles 1 and 2. The second follows.
    let (left, latencies) = meet(config.clone());
    assert_eq!(left, [vec![1, 2], vec![3, 4]]);
    assert_eq!(latencies, [4, 5]);
    // Atomic: the first tail is seen at node 2 in cycle 3 and leaves at once; its credit is back
    // in cycle 4.
    let (left, latencies) = meet(EngineConfig {
        vc_reallocation: VcReallocation::Atomic,
        ..config
    });
    assert_eq!(left, [vec![1, 2], vec![4, 5]]);
    assert_eq!(latencies, [4, 6]);
}

#[test]
fn two_virtual_channels_share_a_channel_by_turns() {
    // Both claim a virtual channel in cycle 1. The output then alternates between the port from
    // node 0, which is first, and the injection port.
    let (left, latencies) = meet(EngineConfig {
        virtual_channels: 2,
        ..EngineConfig::default()
    });
    assert_eq!(left, [vec![1, 3], vec![2, 4]]);
    assert_eq!(latencies, [5, 5]);
}

#[test]
fn one_place_in_the_buffer_makes_a_channel_wait_for_its_credit() {
    // The packet from node 1 is alone there in cycle 1. Its head is seen at node 2 in cycle
    // 1 + 1 + 2 = 4 and leaves at once; its credit is back in cycle 4 + 1 + 2 = 7, and the tail
    // leaves node 1. The other head claims the virtual channel in cycle 8, and waits for that
    // tail's credit: seen in 10, back in 13. Its own tail goes six cycles later.
    let (left, latencies) = meet(EngineConfig {
        virtual_channels: 1,
        buffer_flits: 1,
        channel_delay: ChannelDelay::Uniform(2),
        ..EngineConfig::default()
    });
    assert_eq!(left, [vec![13, 19], vec![1, 7]]);
    assert_eq!(latencies, [10, 23]);
}

fn conserves<R: Routing, const D: bool>(case: &Case, network: &Network, routing: Ordered<R, D>) {
    let offers = case.offers(network, &routing);
    let mut oracle = Oracle::new(network, &routing, case.config.clone(), case.seed);
    for offered in &offers {
        oracle.step(offered);
        oracle.audit();
    }
    oracle.run_until_idle(super::case::DRAIN_LIMIT);
    oracle.audit();
    let delivered = latencies(oracle.log()).len() as u64;
    assert_eq!(delivered, oracle.totals().packets_offered);
}

#[test]
fn flits_and_credits_are_conserved() {
    for number in 0..60 {
        let case = Case::new(1 << 40 | number);
        let network = case.network();
        let grid = network.grid().expect("a grid");
        let vcs = case.config.virtual_channels;
        match case.relation {
            Relation::Adaptive => {
                conserves(
                    &case,
                    &network,
                    Ordered::<_, false>(Adaptive::new(grid, vcs)),
                );
            }
            Relation::DimensionOrder {
                tie, vc_balance, ..
            } => {
                let routing = DimensionOrder::new(grid, vcs, tie, vc_balance).expect("enough VCs");
                conserves(&case, &network, Ordered::<_, true>(routing));
            }
        }
    }
}
