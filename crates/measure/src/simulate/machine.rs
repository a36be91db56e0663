//! The parts of a point's loop beside the engine: where packets come from, and what watches.

use crate::measurement::details::{Detailed, PointDetails};
use crate::measurement::recorder::Recorder;
use flitsim_engine::{Deadlock, DenseEngine, Engine, NewPacket, Probe, Routing, Watchdog};
use flitsim_topology::NodeId;
use flitsim_topology::archive::{Archive, Archived};
use flitsim_topology::memory::Memory;
use flitsim_traffic::{Arrival, Traffic};

/// Where packets come from.
pub trait Source {
    /// Whether it waits to be told of deliveries.
    fn listens(&self) -> bool {
        false
    }

    /// Whether `node`, a terminal, sends anything.
    fn sends(&self, node: NodeId) -> bool;

    /// The next cycle in which there are packets, as far as is known now; `u64::MAX` where there is
    /// none.
    fn next_arrival(&self) -> u64;

    /// Hands the packets created in the machine's cycle over to it.
    fn offer<M: Machine>(&mut self, machine: &mut M)
    where
        Self: Sized;

    /// The bytes that it keeps, part by part.
    fn memory(&self) -> Memory {
        Memory::default()
    }

    /// Learns what the cycle just simulated has delivered.
    #[inline]
    fn observe(&mut self, _recorder: &mut Recorder) {}

    /// Writes its state between two cycles, or reads it into a source that has just been built.
    fn keep(&mut self, archive: &mut Archive<'_>) {
        archive.refuse("where packets come from does not say how it is kept");
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

    fn memory(&self) -> Memory {
        self.memory()
    }

    #[inline]
    fn offer<M: Machine>(&mut self, machine: &mut M) {
        let cycle = machine.cycle();
        self.arrivals(cycle, |packet| {
            machine.create(packet, cycle);
        });
    }

    fn keep(&mut self, archive: &mut Archive<'_>) {
        self.archive(archive);
    }
}

/// One cycle: `source` offers, `machine` steps, `source` sees what was delivered.
#[inline]
pub fn cycle<M: Machine, S: Source>(machine: &mut M, source: &mut S) {
    source.offer(machine);
    machine.step();
    source.observe(machine.recorder_mut());
}

/// A machine and where its packets come from: the part of the loop that is compiled for each pair of them.
pub(super) struct Pair<'a, M, S> {
    pub(super) machine: M,
    pub(super) source: &'a mut S,
}

/// A [`Pair`], whatever its types.
pub(super) trait Simulation {
    /// Its two.
    fn both(&mut self) -> (&mut dyn Machine, &mut dyn Source);

    /// Simulates cycles, at least one, up to cycle `until` or to the first before which the machine is idle or its
    /// recorder settled.
    fn advance(&mut self, until: u64);
}

impl<M: Machine, S: Source> Simulation for Pair<'_, M, S> {
    fn both(&mut self) -> (&mut dyn Machine, &mut dyn Source) {
        (&mut self.machine, self.source)
    }

    fn advance(&mut self, until: u64) {
        loop {
            cycle(&mut self.machine, self.source);
            let now = self.machine.cycle();
            let is_settled = self.machine.recorder().is_settled(now);
            if now >= until || is_settled || self.machine.is_idle() {
                return;
            }
        }
    }
}

/// The bit of [`Machine::parts`] that tells dense engines.
pub(crate) const DENSE: u32 = 1 << 31;

/// What simulates the network: an engine, or several threads of them.
pub trait Machine {
    /// The cycle that the next step simulates.
    fn cycle(&self) -> u64;

    /// Creates `packet` in `cycle`, the machine's. Returns its number, by which its delivery is told; a
    /// crew has none.
    fn create(&mut self, packet: Arrival, cycle: u64) -> Option<u32>;

    /// Simulates the current cycle.
    fn step(&mut self);

    /// Whether no packet is queued or in the network.
    fn is_idle(&self) -> bool;

    /// Lets empty cycles pass, up to `cycle`.
    fn skip_to(&mut self, cycle: u64);

    /// Packets queued or in the network.
    fn packets(&self) -> u64;

    /// Flits moved over router-to-router channels since cycle 0.
    fn flit_hops(&self) -> u64;

    /// The bytes that it keeps, part by part, its observer included.
    fn memory(&self) -> Memory;

    /// Packets that wait for each other for ever, if it is time to look for them.
    fn look(&mut self, watchdog: &mut Watchdog) -> Option<Deadlock>;

    /// Packets that wait for each other for ever.
    fn find_deadlock(&mut self) -> Option<Deadlock>;

    /// The recorder, which decides.
    fn recorder(&self) -> &Recorder;

    /// The recorder, to change it.
    fn recorder_mut(&mut self) -> &mut Recorder;

    /// The recorder's window may have begun or moved.
    fn follow(&mut self);

    /// What there is to tell beyond the recorder, when the next cycle is `now`.
    fn details(&mut self, now: u64) -> Option<PointDetails>;

    /// The number of its parts, 1 for a single engine, with one more bit for dense engines: only a machine
    /// with the same parts can read its state.
    fn parts(&self) -> u32;

    /// Writes its state between two cycles, or reads it into a machine that has just been built.
    fn keep(&mut self, archive: &mut Archive<'_>);
}

/// `packet` as an engine wants it.
#[inline]
pub(super) fn new_packet(packet: &Arrival) -> NewPacket {
    NewPacket {
        source: packet.source,
        destination: packet.destination,
        flits: packet.flits,
        entropy: packet.entropy,
    }
}

/// An engine as a machine: its parts, and how deadlocks are looked for and found in it.
macro_rules! machine {
    ($engine:ident, $parts:expr, $look:expr, $find:expr) => {
        impl<R: Routing, O: Observer> Machine for $engine<'_, R, O> {
            #[inline]
            fn cycle(&self) -> u64 {
                self.cycle()
            }

            #[inline]
            fn create(&mut self, packet: Arrival, cycle: u64) -> Option<u32> {
                let number = self.offer_tagged(new_packet(&packet), packet.part);
                self.probe_mut().created(cycle, &packet);
                Some(number)
            }

            #[inline]
            fn step(&mut self) {
                self.step();
            }

            #[inline]
            fn is_idle(&self) -> bool {
                self.is_idle()
            }

            fn skip_to(&mut self, cycle: u64) {
                self.skip_to(cycle);
            }

            fn packets(&self) -> u64 {
                let counters = self.counters();
                counters.packets_offered - counters.packets_delivered
            }

            fn flit_hops(&self) -> u64 {
                self.counters().flit_hops
            }

            fn memory(&self) -> Memory {
                let mut memory = self.memory();
                memory.extend(&self.probe().recorder().memory());
                memory
            }

            fn look(&mut self, watchdog: &mut Watchdog) -> Option<Deadlock> {
                let look: fn(&mut Self, &mut Watchdog) -> Option<Deadlock> = $look;
                look(self, watchdog)
            }

            fn find_deadlock(&mut self) -> Option<Deadlock> {
                let find: fn(&mut Self) -> Option<Deadlock> = $find;
                find(self)
            }

            #[inline]
            fn recorder(&self) -> &Recorder {
                self.probe().recorder()
            }

            #[inline]
            fn recorder_mut(&mut self) -> &mut Recorder {
                self.probe_mut().recorder_mut()
            }

            fn follow(&mut self) {
                self.probe_mut().follow();
            }

            fn details(&mut self, now: u64) -> Option<PointDetails> {
                self.probe_mut().details(now)
            }

            fn parts(&self) -> u32 {
                $parts
            }

            fn keep(&mut self, archive: &mut Archive<'_>) {
                self.archive(archive);
                self.probe_mut().keep(archive);
            }
        }
    };
}

machine!(
    Engine,
    1,
    |engine, watchdog| watchdog.look(engine),
    // By the engine's name, for the trait's comes first for what may change.
    |engine| Engine::find_deadlock(engine)
);
// It looks for none: what it simulates is proved.
machine!(DenseEngine, DENSE | 1, |_, _| None, |_| None);

/// What watches a run: a [`Recorder`], alone or with more around it. Compiled into the cycle loop.
pub trait Observer: Probe {
    /// The recorder, which decides.
    fn recorder(&self) -> &Recorder;

    /// The recorder, to change it.
    fn recorder_mut(&mut self) -> &mut Recorder;

    /// A packet was created in cycle `cycle`.
    fn created(&mut self, cycle: u64, packet: &Arrival);

    /// The recorder's window may have begun or moved.
    fn follow(&mut self) {}

    /// What there is to tell beyond the recorder, when the next cycle is `now`.
    fn details(&mut self, _now: u64) -> Option<PointDetails> {
        None
    }

    /// Writes its state between two cycles, or reads it into an observer that has just been built.
    fn keep(&mut self, archive: &mut Archive<'_>) {
        archive.refuse("what observes it does not say how it is kept");
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

    fn keep(&mut self, archive: &mut Archive<'_>) {
        self.archive(archive);
    }
}

impl Observer for Detailed<'_> {
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

    fn keep(&mut self, archive: &mut Archive<'_>) {
        self.archive(archive);
    }
}
