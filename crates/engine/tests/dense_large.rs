//! The dense engine on more routers than its counts of a cycle have room for.

use crate::common::any::Any;
use crate::compare::dense_fit;
use crate::oracle::log::Deliveries;
use crate::tier;
use flitsim_engine::routing::{DimensionOrder, Tie};
use flitsim_engine::{DenseEngine, EngineConfig, NewPacket};
use flitsim_topology::{Ends, Grid, NodeId};

/// Moves are counted in 16 bits, of so many blocks of 32 routers at a time, also where the last of them has no
/// packet.
#[test]
fn moves_of_two_million_routers_are_all_counted() {
    if tier::is_left_out() {
        return;
    }
    let grid = Grid::new(&[2048, 1056], Ends::Open).expect("a mesh");
    let network = grid.into_network();
    let grid = network.grid().expect("a grid");
    let routing = DimensionOrder::new(grid, 1, Tie::Random, true).expect("enough VCs");
    let config = EngineConfig {
        virtual_channels: 1,
        injection_vcs: 1,
        ..EngineConfig::default()
    };
    let routing = Any::<true>::new(&routing);
    let probe = Deliveries::nothing();
    let fit = dense_fit(&network, &config, 4);
    let engine = DenseEngine::new(&network, routing, &config, 1, fit, probe);
    let mut engine = engine.expect("an engine");
    let mut packets = 0;
    for node in (0..network.terminals()).filter(|node| node / 32 % 1024 != 1023) {
        packets += 1;
        let packet = NewPacket {
            source: NodeId(node),
            destination: NodeId(node ^ 1),
            flits: 1,
            entropy: 0,
        };
        engine.offer_tagged(packet, 0);
    }
    while !engine.is_idle() {
        engine.step();
    }
    let counters = engine.counters();
    assert_eq!([counters.flit_hops, counters.flits_ejected], [packets; 2]);
}
