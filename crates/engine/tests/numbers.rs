//! The numbers by which whoever offers packets knows them again.

use crate::common::any::Any;
use crate::common::loaded::Delivered;
use flitsim_engine::routing::{DimensionOrder, Tie};
use flitsim_engine::{Engine, EngineConfig, NewPacket};
use flitsim_random::mix;
use flitsim_topology::{Ends, Grid, NodeId};
use std::collections::HashMap;

#[test]
fn a_number_is_that_of_one_packet_alive_and_comes_back_with_it() {
    let network = Grid::uniform(4, 2, Ends::Open).unwrap().into_network();
    let config = EngineConfig::default();
    let grid = network.grid().unwrap();
    let routing = DimensionOrder::new(grid, config.virtual_channels, Tie::Random, true).unwrap();
    let routing = Any::<true>::new(&routing);
    let mut engine = Engine::new(&network, routing, config, 1, Delivered::default()).unwrap();
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
        for (arrived, packet, number) in engine.probe_mut().each.drain(..) {
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

/// A pair of routers with one virtual channel of `buffer_flits` flits between them.
fn pair(buffer_flits: u32, then: impl FnOnce(&mut Engine<'_, Any<'_, true>, Delivered>)) {
    let network = Grid::uniform(2, 1, Ends::Open).unwrap().into_network();
    let config = EngineConfig {
        virtual_channels: 1,
        buffer_flits,
        ..EngineConfig::default()
    };
    let grid = network.grid().unwrap();
    let routing = DimensionOrder::new(grid, 1, Tie::Random, true).unwrap();
    let routing = Any::<true>::new(&routing);
    then(&mut Engine::new(&network, routing, config, 1, Delivered::default()).unwrap());
}

const PACKET: NewPacket = NewPacket {
    source: NodeId(0),
    destination: NodeId(1),
    flits: 1,
    entropy: 0,
};

/// More flits than a lane can count places for: they go round, in order.
#[test]
fn a_lane_goes_round_its_places() {
    pair(5, |engine| {
        const PACKETS: u64 = 70_000;
        while engine.counters().packets_delivered < PACKETS {
            if engine.counters().packets_offered < PACKETS {
                engine.offer_tagged(PACKET, engine.cycle() as u32);
            }
            engine.step();
            if engine.cycle().is_multiple_of(1_000) {
                engine.check_invariants();
            }
        }
        let tags = engine.probe().each.iter().map(|(_, packet, _)| packet.tag);
        assert!(tags.eq(0..PACKETS as u32));
    });
}

/// What was offered and has not been simulated yet does not stand still for ever.
#[test]
fn an_offer_is_not_frozen() {
    pair(5, |engine| {
        engine.step();
        engine.offer(PACKET);
        assert!(!engine.is_frozen() && engine.find_deadlock().is_none());
    });
}
