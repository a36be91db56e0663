//! The numbers by which whoever offers packets knows them again.

use flitsim_engine::random::mix;
use flitsim_engine::routing::{DimensionOrder, Tie};
use flitsim_engine::{Engine, EngineConfig, NewPacket, Packet, Probe};
use flitsim_topology::{Ends, Grid, NodeId};
use std::collections::HashMap;

#[derive(Default)]
struct Retired(Vec<(u32, u64, Packet)>);

impl Probe for Retired {
    fn packet_retired(&mut self, arrived: u64, packet: &Packet, number: u32) {
        self.0.push((number, arrived, *packet));
    }
}

#[test]
fn a_number_is_that_of_one_packet_alive_and_comes_back_with_it() {
    let network = Grid::uniform(4, 2, Ends::Open).unwrap().into_network();
    let config = EngineConfig::default();
    let grid = network.grid().unwrap();
    let routing = DimensionOrder::new(grid, config.virtual_channels, Tie::Random, true).unwrap();
    let mut engine = Engine::new(&network, routing, config, 1, Retired::default()).unwrap();
    let mut alive: HashMap<u32, (NewPacket, u64)> = HashMap::new();
    let (mut delivered, mut most) = (0, 0);
    while engine.cycle() < 500 || !engine.is_idle() {
        let cycle = engine.cycle();
        for node in (0..16).filter(|&node| cycle < 500 && mix(cycle << 4 | node).is_multiple_of(16))
        {
            let packet = NewPacket {
                source: NodeId(node as u32),
                destination: NodeId((mix(node << 32 | cycle) % 16) as u32),
                flits: 1 + (mix(cycle) % 9) as u32,
                entropy: 0,
            };
            let number = engine.offer(packet);
            assert!(alive.insert(number, (packet, cycle)).is_none(), "{number}");
        }
        most = most.max(alive.len());
        engine.step();
        for (number, arrived, packet) in engine.probe_mut().0.drain(..) {
            let (new, created) = alive.remove(&number).expect("a packet alive");
            assert_eq!(
                (packet.source, packet.destination),
                (new.source, new.destination)
            );
            assert_eq!((packet.flits, packet.created), (new.flits, created));
            assert_eq!(arrived, cycle + 1);
            delivered += 1;
        }
    }
    assert!(alive.is_empty() && delivered > 300 && most > 10);
}
