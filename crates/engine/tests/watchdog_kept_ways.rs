//! Ways through the switch that packets keep, as the watchdog sees them.

use crate::common::any::Any;
use crate::common::loaded::Delivered;
use flitsim_engine::routing::{DimensionOrder, Tie};
use flitsim_engine::{Engine, EngineConfig, NewPacket};
use flitsim_topology::{Ends, Grid, NodeId};

/// A flit that keeps its way through the switch and has no room lets another go in the next cycle only: nothing
/// moves until then, and nothing is stuck.
#[test]
fn a_way_that_is_kept_in_vain_is_no_deadlock() {
    let network = Grid::new(&[2], Ends::Open).unwrap().into_network();
    let order = DimensionOrder::new(network.grid().unwrap(), 2, Tie::Positive, true).unwrap();
    let relation = Any::<true>::new(&order);
    for (buffer_flits, credit_delay) in [(1, 1), (1, 2), (2, 2), (2, 3), (3, 3), (4, 4)] {
        let config = EngineConfig {
            virtual_channels: 2,
            injection_vcs: 2,
            // One packet has it, and the other fills the buffer before it whenever the first lacks credits.
            ejection_vcs: 1,
            hold_switch: true,
            buffer_flits,
            credit_delay,
            ..EngineConfig::default()
        };
        let mut engine = Engine::new(&network, relation, config, 1, Delivered::default()).unwrap();
        for _ in 0..2 {
            engine.offer(NewPacket {
                source: NodeId(0),
                destination: NodeId(1),
                flits: 24,
                entropy: 0,
            });
        }
        while !engine.is_idle() {
            engine.step();
            let now = engine.cycle();
            assert!(!engine.is_frozen(), "{buffer_flits} flits, cycle {now}");
            assert_eq!(engine.find_deadlock(), None);
        }
    }
}
