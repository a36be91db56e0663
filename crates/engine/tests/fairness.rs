//! No input is starved: flows that compete for one channel share it, whatever else passes the
//! router.

use flitsim_engine::routing::{DimensionOrder, Tie};
use flitsim_engine::{Allocator, Engine, EngineConfig, NewPacket, Packet, Probe, VcReallocation};
use flitsim_topology::{Ends, Grid, NodeId};

/// Packets delivered, by source.
#[derive(Default)]
struct BySource([u64; 9]);

impl Probe for BySource {
    fn packet_delivered(&mut self, _: u64, packet: &Packet) {
        self.0[packet.source.index()] += 1;
    }
}

/// On a 3×3 mesh, 1 → 7 and 5 → 7 compete for the channel from 4 to 7; 3 → 5 passes 4 as well and
/// competes with neither. All sources always have a packet.
#[test]
fn a_third_flow_does_not_decide_between_two_rivals() {
    let network = Grid::uniform(3, 2, Ends::Open).unwrap().into_network();
    let grid = network.grid().unwrap();
    for allocator in [
        Allocator::RoundRobin,
        Allocator::Islip { iterations: 2 },
        Allocator::Random,
        Allocator::OldestFirst,
    ] {
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
                let mut engine =
                    Engine::new(&network, routing, config, 1, BySource::default()).unwrap();
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
                let delivered = engine.probe().0;
                let rivals = delivered[1] + delivered[5];
                let least = delivered[1].min(delivered[5]);
                assert!(
                    least as f64 > 0.4 * rivals as f64,
                    "{delivered:?} by source: {allocator:?}, {vc_reallocation:?}, {flits} flits, \
                     {virtual_channels} virtual channels"
                );
            }
        }
    }
}
