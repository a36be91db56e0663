//! A point simulated cycle by cycle, to be looked at while it runs.
//!
//! The packets are those of the point [simulated](OperatingPoint::simulate), in its first replica. Where
//! the load is changed on the way, new traffic begins in that cycle.

mod packets;

pub use crate::watching::{Gauge, SLOT_CYCLES, Slot};

use crate::point::DeadlockReport;
use crate::simulate::{SimulateError, Source, cycle};
use crate::watching::{WatchedEngine, Watching};
use crate::{Offered, OperatingPoint};
use flitsim_engine::Watchdog;
use flitsim_engine::routing::Relation;
use flitsim_random::mix;
use flitsim_topology::Network;
use packets::{OpenLoop, Packets};

/// Why nothing more happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Every packet of a trace, a batch or a closed loop has arrived.
    AllArrived,
    /// Packets wait for each other for ever: what the watchdog says of them.
    Deadlock(String),
}

/// A simulation under way.
pub struct Live<'a> {
    network: &'a Network,
    engine: WatchedEngine<'a>,
    packets: Packets<'a>,
    watchdog: Watchdog,
    stopped: Option<Stopped>,
}

impl<'a> Live<'a> {
    /// `point` under `routing` before its first cycle.
    ///
    /// # Errors
    /// A router or traffic that cannot be built, and packets that would never move.
    pub fn new(point: &OperatingPoint<'a>, routing: Relation<'a>) -> Result<Self, SimulateError> {
        point.check_packets()?;
        let (network, stream) = (point.network, point.stream(0));
        let packets = match point.offered {
            Offered::Flits(flits) => Packets::Open(Box::new(OpenLoop::new(point, flits, 0)?)),
            Offered::Work(work) => {
                let source = work.packets(network, point.traffic, stream)?;
                Packets::Workload(Box::new(source))
            }
        };
        let config = point.router.clone();
        // The gauge looks at delays by channel, which are there only then.
        config.validate(network)?;
        let mut gauge = Gauge::new(network, &config);
        if packets.listens() {
            gauge.listen();
        }
        let watching = Watching::Gauge(gauge);
        let engine = WatchedEngine::new(network, routing, config, mix(stream), watching)?;
        Ok(Self {
            network,
            engine,
            packets,
            watchdog: Watchdog::new(),
            stopped: None,
        })
    }

    /// Simulates `cycles` cycles, or fewer if it stops.
    pub fn advance(&mut self, cycles: u64) {
        for _ in 0..cycles {
            if self.stopped.is_some() {
                return;
            }
            if self.packets.may_end()
                && self.engine.is_idle()
                && self.packets.next_arrival() == u64::MAX
            {
                self.stopped = Some(Stopped::AllArrived);
                return;
            }
            cycle(&mut self.engine, &mut self.packets);
            self.engine.probe_mut().gauge_mut().pass();
            // The watchdog decides itself when a look is worth its while.
            if self.engine.cycle() % 64 == 0
                && let Some(deadlock) = self.watchdog.look(&self.engine)
            {
                let report = DeadlockReport::new(&deadlock, self.network);
                self.stopped = Some(Stopped::Deadlock(report.sentence(usize::MAX)));
            }
        }
    }

    /// Offers the load of `point` from now on. Does nothing for a workload, which has no load.
    ///
    /// # Errors
    /// A load that the traffic cannot have; the load offered before goes on.
    pub fn set_load(&mut self, point: &OperatingPoint<'a>) -> Result<(), SimulateError> {
        if let (Packets::Open(open), Offered::Flits(flits)) = (&mut self.packets, point.offered) {
            **open = OpenLoop::new(point, flits, self.engine.cycle())?;
        }
        Ok(())
    }

    /// The cycle that comes next.
    pub fn cycle(&self) -> u64 {
        self.engine.cycle()
    }

    /// What was counted.
    pub fn gauge(&self) -> &Gauge {
        self.engine.probe().gauge()
    }

    /// Packets in the network.
    pub fn under_way(&self) -> u64 {
        let counters = self.engine.counters();
        counters.packets_entered - counters.packets_delivered
    }

    /// Why it has stopped; `None` while it goes on.
    pub fn stopped(&self) -> Option<&Stopped> {
        self.stopped.as_ref()
    }
}
