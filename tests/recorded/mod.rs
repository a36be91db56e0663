//! An open loop written down as a trace, with what became of it.

use flitsim::scenario::SeriesPlan;
use flitsim_engine::routing::{DimensionOrder, Tie};
use flitsim_engine::{Engine, NewPacket, Packet, Probe};
use flitsim_traffic::Traffic;
use std::fmt::Write;

/// A run and its packets.
#[derive(Default)]
pub struct Recorded {
    /// The trace.
    pub csv: String,
    pub packets: u64,
    pub latency_cycles: u64,
    pub last_arrival: u64,
}

#[derive(Default)]
struct Arrivals {
    latency_cycles: u64,
    last: u64,
}

impl Probe for Arrivals {
    fn packet_delivered(&mut self, arrived: u64, packet: &Packet) {
        self.latency_cycles += arrived - packet.created;
        self.last = self.last.max(arrived);
    }
}

/// The packets that `series`, on a mesh in dimension order, creates before cycle `cycles`, all of them
/// delivered.
pub fn record(series: &SeriesPlan, load: f64, cycles: u64) -> Recorded {
    let network = &*series.network;
    let grid = network.grid().expect("a mesh");
    let config = series.engine.clone();
    let routing = DimensionOrder::new(grid, config.virtual_channels, Tie::Positive, true);
    let routing = routing.expect("enough virtual channels");
    let mut engine =
        Engine::new(network, routing, config, 7, Arrivals::default()).expect("a router");
    let mut traffic = Traffic::new(&series.traffic, network, load, 3).expect("traffic");
    let mut recorded = Recorded {
        csv: "cycle,source,destination,flits\n".to_owned(),
        ..Recorded::default()
    };
    while engine.cycle() < cycles || !engine.is_idle() {
        let cycle = engine.cycle();
        if cycle < cycles {
            traffic.arrivals(cycle, |packet| {
                let (from, to, flits) = (packet.source, packet.destination, packet.flits);
                writeln!(recorded.csv, "{cycle},{from},{to},{flits}").expect("memory");
                recorded.packets += 1;
                engine.offer(NewPacket {
                    source: from,
                    destination: to,
                    flits,
                    entropy: 0,
                });
            });
        }
        engine.step();
    }
    recorded.latency_cycles = engine.probe().latency_cycles;
    recorded.last_arrival = engine.probe().last;
    recorded
}
