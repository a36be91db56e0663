//! No input is starved: flows that compete for one channel share it, whatever else passes the
//! router.

use crate::common::any::Any;
use crate::common::loaded::Delivered;
use flitsim_engine::routing::{DimensionOrder, Tie};
use flitsim_engine::{
    Allocator, Candidates, Engine, EngineConfig, FlowControl, Head, NewPacket, Port, Routing,
    VcReallocation,
};
use flitsim_topology::file::{Source, parse_csv};
use flitsim_topology::{ChannelId, Ends, Grid, Network, NodeId};

const ALLOCATORS: [Allocator; 4] = [
    Allocator::RoundRobin,
    Allocator::Islip { iterations: 2 },
    Allocator::Random,
    Allocator::OldestFirst,
];

/// What of one channel each source got, in flits a cycle, in `cycles` cycles: `flows` are pairs of
/// source and destination and a length in flits, and always have a packet.
fn shares<R: Routing>(
    network: &Network,
    routing: R,
    config: EngineConfig,
    flows: &[(u32, u32, u32)],
    cycles: u64,
) -> Vec<f64> {
    let routing = Any::<true>::new(&routing);
    let mut engine = Engine::new(network, routing, config, 1, Delivered::default()).unwrap();
    for cycle in 0..cycles {
        for &(source, destination, flits) in flows {
            if cycle % u64::from(flits) == 0 {
                engine.offer(NewPacket {
                    source: NodeId(source),
                    destination: NodeId(destination),
                    flits,
                    entropy: 0,
                });
            }
        }
        engine.step();
    }
    let delivered = engine.probe();
    let share = |&(source, _, flits): &(u32, u32, u32)| {
        delivered.from(source) as f64 * f64::from(flits) / cycles as f64
    };
    flows.iter().map(share).collect()
}

fn network(text: &'static str) -> Network {
    let source = Source {
        file: "network.csv",
        text,
    };
    parse_csv(source, None).unwrap()
}

/// At a node, for a destination: the next node, and the virtual channels that may be claimed.
#[derive(Clone, Copy)]
struct Ways<'n> {
    network: &'n Network,
    ways: &'n [[u32; 4]],
}

impl Routing for Ways<'_> {
    const DETERMINISTIC: bool = true;

    fn route(&self, head: Head, candidates: &mut Candidates) {
        let wanted = [head.node.0, head.destination.0];
        let way = self.ways.iter().find(|way| way[..2] == wanted).unwrap();
        let mut channels = self.network.outgoing(head.node).map(ChannelId);
        let channel = channels.find(|&channel| self.network.target(channel).0 == way[2]);
        candidates.add(channel.unwrap(), way[3].into());
    }
}

/// On a 3×3 mesh, 1 → 7 and 5 → 7 compete for the channel from 4 to 7; 3 → 5 passes 4 as well and
/// competes with neither. All sources always have a packet.
#[test]
fn a_third_flow_does_not_decide_between_two_rivals() {
    let network = Grid::uniform(3, 2, Ends::Open).unwrap().into_network();
    let grid = network.grid().unwrap();
    for allocator in ALLOCATORS {
        for vc_reallocation in [VcReallocation::Atomic, VcReallocation::NonAtomic] {
            for (flits, virtual_channels) in [(1, 1), (2, 1), (2, 2), (2, 4), (16, 1), (16, 4)] {
                let config = EngineConfig {
                    virtual_channels,
                    injection_vcs: virtual_channels,
                    allocator,
                    vc_reallocation,
                    ..EngineConfig::default()
                };
                let routing =
                    DimensionOrder::new(grid, virtual_channels, Tie::Random, true).unwrap();
                let routing = Any::<true>::new(&routing);
                let mut engine =
                    Engine::new(&network, routing, config, 1, Delivered::default()).unwrap();
                for cycle in 0..20_000 {
                    if cycle % u64::from(flits) == 0 {
                        for (source, destination) in [(1, 7), (5, 7), (3, 5)] {
                            engine.offer(NewPacket {
                                source: NodeId(source),
                                destination: NodeId(destination),
                                flits,
                                entropy: 0,
                            });
                        }
                    }
                    engine.step();
                }
                let delivered = [1, 5].map(|source| engine.probe().from(source));
                let rivals = delivered[0] + delivered[1];
                let least = delivered[0].min(delivered[1]);
                assert!(
                    least as f64 > 0.4 * rivals as f64,
                    "{delivered:?} by source: {allocator:?}, {vc_reallocation:?}, {flits} flits, \
                     {virtual_channels} virtual channels"
                );
            }
        }
    }
}

/// Round a one-way ring, 7 → 2 has crossed the dateline and may take half of the virtual channels
/// from 1 to 2; 1 → 3 may take all of them. It got nothing while it waited for one beside a channel
/// that was idle half the time.
#[test]
fn who_may_take_few_virtual_channels_gets_its_share() {
    let network = Grid::new(&[8], Ends::DirectedRing).unwrap().into_network();
    for allocator in ALLOCATORS {
        for (virtual_channels, flits) in [(2, 1), (2, 4), (2, 16), (4, 4), (4, 16)] {
            let config = EngineConfig {
                virtual_channels,
                injection_vcs: virtual_channels,
                allocator,
                ..EngineConfig::default()
            };
            let grid = network.grid().unwrap();
            let routing = DimensionOrder::new(grid, virtual_channels, Tie::Random, true).unwrap();
            let flows = [(7, 2, flits), (1, 3, flits)];
            let shares = shares(&network, routing, config, &flows, 20_000);
            let least = match allocator {
                Allocator::Random => 0.12,
                _ => 0.2,
            };
            assert!(
                shares[0] > least && shares[0] + shares[1] > 0.7,
                "{shares:?} of the channel: {allocator:?}, {flits} flits, {virtual_channels} \
                 virtual channels"
            );
        }
    }
}

/// 2, 3 and 4 enter the switch 0 and share its channel to 1; from there each goes its own way, over
/// channels that take a flit every other cycle. 8 goes the way of 3. Two of a port that alternated hid
/// the third whenever the port's pointer came by.
#[test]
fn who_shares_a_port_with_two_that_alternate_gets_its_share() {
    let network = network("from,to\n0,1\n2,0\n3,0\n4,0\n8,1\n1,5\n1,6\n1,7\n5,2\n6,3\n7,4\n5,8\n");
    let any = 0b1111;
    let routing = Ways {
        network: &network,
        ways: &[
            [2, 5, 0, any],
            [3, 6, 0, any],
            [4, 7, 0, any],
            [0, 5, 1, 0b1],
            [0, 7, 1, 0b10],
            [0, 6, 1, 0b100],
            [8, 6, 1, any],
            [1, 5, 5, any],
            [1, 6, 6, any],
            [1, 7, 7, any],
        ],
    };
    let channels = (0..network.channels()).map(ChannelId);
    let is_slow = |&channel: &ChannelId| (5..8).contains(&network.target(channel).0);
    let periods: Vec<u32> = channels.map(|c| 1 + u32::from(is_slow(&c))).collect();
    for allocator in ALLOCATORS {
        for flits in [1, 4, 16] {
            let config = EngineConfig {
                virtual_channels: 4,
                injection_vcs: 4,
                allocator,
                ejection: Port::Unlimited,
                channel_periods: periods.clone(),
                ..EngineConfig::default()
            };
            let flows = [(2, 5, flits), (3, 6, flits), (4, 7, flits), (8, 6, flits)];
            let shares = shares(&network, routing, config, &flows, 20_000);
            // 3 and 8 share half a flit a cycle.
            let least = match allocator {
                Allocator::Random => 0.07,
                _ => 0.15,
            };
            assert!(
                shares[1] > least && shares[1] + shares[3] > 0.45,
                "{shares:?} flits a cycle: {allocator:?}, {flits} flits"
            );
        }
    }
}

/// Packets as long as a buffer share a channel with packets of one flit, which never left them an
/// empty one.
#[test]
fn who_needs_a_whole_buffer_gets_its_share() {
    let network = network("from,to\n2,0\n3,0\n4,0\n0,1\n1,5\n1,6\n5,2\n6,3\n5,4\n");
    let any = 0b11;
    let routing = Ways {
        network: &network,
        ways: &[
            [2, 5, 0, any],
            [3, 6, 0, any],
            [4, 5, 0, any],
            [0, 5, 1, any],
            [0, 6, 1, any],
            [1, 5, 5, any],
            [1, 6, 6, any],
        ],
    };
    for allocator in ALLOCATORS {
        for virtual_channels in [1, 2] {
            for flow_control in [FlowControl::VirtualCutThrough, FlowControl::StoreAndForward] {
                let config = EngineConfig {
                    virtual_channels,
                    buffer_flits: 16,
                    allocator,
                    flow_control,
                    ..EngineConfig::default()
                };
                let flows = [(2, 5, 1), (3, 6, 16), (4, 5, 1)];
                let shares = shares(&network, routing, config, &flows, 20_000);
                assert!(
                    shares[1] > 0.2 && shares[0].min(shares[2]) > 0.02,
                    "{shares:?} flits a cycle: {allocator:?}, {flow_control:?}, \
                     {virtual_channels} virtual channels"
                );
            }
        }
    }
}
