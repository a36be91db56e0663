//! What the loop of a point is made of beside the engine: where packets come from, and what watches.

use crate::measurement::details::{Detailed, PointDetails};
use crate::measurement::recorder::Recorder;
use flitsim_engine::{Engine, NewPacket, Probe, Routing};
use flitsim_topology::NodeId;
use flitsim_traffic::{Arrival, Traffic};

/// Where packets come from.
pub(crate) trait Source {
    /// Whether it waits for what is delivered.
    fn listens(&self) -> bool {
        false
    }

    /// Whether `node`, a terminal, sends anything.
    fn sends(&self, node: NodeId) -> bool;

    /// The next cycle in which there are packets, as far as is known now; `u64::MAX` where there is
    /// none.
    fn next_arrival(&self) -> u64;

    /// Hands the packets created in the engine's cycle over to it.
    fn offer<R: Routing, O: Observer>(&mut self, engine: &mut Engine<'_, R, O>);

    /// Learns what the cycle just simulated has delivered.
    #[inline]
    fn observe(&mut self, recorder: &mut Recorder) {
        let _ = recorder;
    }
}

/// An open loop: it does not care what is delivered.
impl Source for Traffic {
    fn sends(&self, node: NodeId) -> bool {
        self.destinations().sends(node)
    }

    fn next_arrival(&self) -> u64 {
        self.next_arrival()
    }

    #[inline]
    fn offer<R: Routing, O: Observer>(&mut self, engine: &mut Engine<'_, R, O>) {
        let cycle = engine.cycle();
        self.arrivals(cycle, |packet| {
            create(packet, cycle, engine);
        });
    }
}

/// Hands `packet`, created in `cycle`, the engine's, over to it. Returns the engine's number for it.
#[inline]
pub(crate) fn create<R: Routing, O: Observer>(
    packet: Arrival,
    cycle: u64,
    engine: &mut Engine<'_, R, O>,
) -> u32 {
    let new = NewPacket {
        source: packet.source,
        destination: packet.destination,
        flits: packet.flits,
        entropy: packet.entropy,
    };
    let number = engine.offer_tagged(new, packet.part);
    engine.probe_mut().created(cycle, &packet);
    number
}

/// What watches a run: a [`Recorder`], alone or with more around it. Compiled into the cycle loop.
pub(crate) trait Observer: Probe {
    /// What decides.
    fn recorder(&self) -> &Recorder;

    /// What decides, to change.
    fn recorder_mut(&mut self) -> &mut Recorder;

    /// A packet was created in cycle `cycle`.
    fn created(&mut self, cycle: u64, packet: &Arrival);

    /// The recorder's window may have begun or moved.
    fn follow(&mut self) {}

    /// What there is to tell beyond the recorder, when the next cycle is `now`.
    fn details(&mut self, now: u64) -> Option<PointDetails> {
        let _ = now;
        None
    }
}

impl Observer for Recorder {
    fn recorder(&self) -> &Recorder {
        self
    }

    fn recorder_mut(&mut self) -> &mut Recorder {
        self
    }

    #[inline]
    fn created(&mut self, cycle: u64, packet: &Arrival) {
        self.created(cycle, packet.flits);
    }
}

impl Observer for Detailed {
    fn recorder(&self) -> &Recorder {
        self.recorder()
    }

    fn recorder_mut(&mut self) -> &mut Recorder {
        self.recorder_mut()
    }

    #[inline]
    fn created(&mut self, cycle: u64, packet: &Arrival) {
        self.created(cycle, packet);
    }

    fn follow(&mut self) {
        self.follow();
    }

    fn details(&mut self, now: u64) -> Option<PointDetails> {
        Some(self.finish(now))
    }
}
