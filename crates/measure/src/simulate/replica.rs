//! One replica of a point, from cycle 0 to its end.

use super::begun::{Begun, unfit};
use super::machine::{Machine, Pair, Simulation, Source};
use super::monitor::{Monitor, Progress, SimulateError};
use crate::measurement::paired::Spans;
use crate::measurement::recorder::Recorder;
use crate::measurement::stopping::{Decide, Decision, Outcome, Status};
use crate::point::DeadlockReport;
use crate::point::replicas::Pool;
use flitsim_engine::{Deadlock, Watchdog};
use flitsim_topology::archive::{Archive, Archived};
use flitsim_topology::memory::available_bytes;
use flitsim_topology::{Network, NodeId, archived};

/// The most cycles between two looks at the monitor and for a deadlock.
const CYCLES_BETWEEN_LOOKS: u64 = 512;

/// Router-cycles between two looks where that is fewer cycles.
const ROUTER_CYCLES_BETWEEN_LOOKS: u64 = 1 << 24;

/// Flit-hops between two looks, about, where that is fewer cycles: a fraction of a second of the slowest
/// relations, for whoever asks a point to end waits for the next look.
const HOPS_BETWEEN_LOOKS: u64 = 1 << 17;

/// The first cycle after the start to look in.
const FIRST_LOOK: u64 = 16;

/// The most packets that a machine may have at a look: half of what it can number.
const PACKETS_MOST: u64 = 1 << 29;

/// Bytes that a packet takes, with what grows beside it.
const PACKET_BYTES: u64 = 80;

/// Packets for which nobody asks how much memory there is.
const PACKETS_FEW: u64 = 1 << 20;

/// Whether there is memory for more packets, looked at whenever there are an eighth more.
#[derive(Clone, Copy, Debug, Default)]
struct Room {
    packets: u64,
}

archived! { Room { packets } }

impl Room {
    fn look(&mut self, packets: u64, cycle: u64) -> Result<(), SimulateError> {
        if packets < PACKETS_FEW || packets < self.packets + self.packets / 8 {
            return Ok(());
        }
        self.packets = packets;
        match has_room(packets, available_bytes()) {
            true => Ok(()),
            false => Err(SimulateError::TooManyPackets { packets, cycle }),
        }
    }
}

/// How a run ends for which no more packets come. Where none ever came, nothing could have converged.
fn without_more(recorder: &Recorder) -> Status {
    match recorder.run().total().ejected_flits {
        0 => Status::MaxCycles,
        _ => Status::Converged,
    }
}

/// Whether half as many packets more can be held.
fn has_room(packets: u64, available: Option<u64>) -> bool {
    let grown = packets / 2 * PACKET_BYTES;
    packets <= PACKETS_MOST && available.is_none_or(|available| grown <= available)
}

/// A replica, and who watches it.
#[derive(Clone, Copy)]
pub(crate) struct Replica<'a> {
    pub(crate) network: &'a Network,
    /// Which of the point's it is, from 0.
    pub(crate) index: u32,
    /// Wanted half-width of the latency over its mean, for the monitor.
    pub(crate) relative_error: f64,
    pub(crate) monitor: &'a dyn Monitor,
}

/// Where the loop of a replica is.
#[derive(Default)]
struct Clock {
    /// The cycle to ask for a decision at.
    until: u64,
    /// The cycle to look at the monitor and for a deadlock at.
    look: u64,
    /// The cycle of the look before, and the flit-hops until then.
    looked: u64,
    hops: u64,
    watchdog: Watchdog,
    room: Room,
}

archived! { Clock { until, look, looked, hops, watchdog, room } }

impl Clock {
    /// Sets the cycle of the next look, at most `cycles_most` after `now`, when there were `hops` flit-hops.
    fn set_look(&mut self, now: u64, hops: u64, cycles_most: u64) {
        let (passed, moved) = (now - self.looked, hops - self.hops);
        let as_many = passed.saturating_mul(HOPS_BETWEEN_LOOKS).checked_div(moved);
        let cycles = as_many.map_or(cycles_most, |cycles| cycles.min(cycles_most));
        // Who begins does not know yet how much moves.
        let cycles = cycles.min(now.max(FIRST_LOOK)).max(1);
        (self.looked, self.hops) = (now, hops);
        self.look = now + (1 << cycles.ilog2());
    }

    /// Writes or reads a replica between two cycles.
    fn archive_all(
        &mut self,
        machine: &mut dyn Machine,
        source: &mut dyn Source,
        controller: &mut dyn Decide,
        archive: &mut Archive<'_>,
    ) {
        self.archive(archive);
        controller.archive(archive);
        source.keep(archive);
        machine.keep(archive);
    }
}

impl Replica<'_> {
    /// Simulates it, from where `begun` has it, and adds it to `pool`.
    pub(crate) fn run<M: Machine, S: Source>(
        &self,
        machine: M,
        source: &mut S,
        controller: &mut dyn Decide,
        pool: &mut Pool,
        begun: &mut Begun<'_>,
    ) -> Result<(), SimulateError> {
        self.run_both(&mut Pair { machine, source }, controller, pool, begun)
    }

    /// Compiled once for all machines and sources, hence `dyn`: under load, what it calls, it calls every few hundred cycles.
    fn run_both(
        &self,
        simulation: &mut dyn Simulation,
        controller: &mut dyn Decide,
        pool: &mut Pool,
        begun: &mut Begun<'_>,
    ) -> Result<(), SimulateError> {
        let (machine, source) = simulation.both();
        if source.listens() {
            machine.recorder_mut().deliveries_mut().listen();
        }
        let mut clock = Clock {
            until: controller.first_checkpoint(),
            ..Clock::default()
        };
        if let Some(mut archive) = begun.take_rest(machine.parts()) {
            clock.archive_all(machine, source, controller, &mut archive);
            archive.finish().map_err(unfit)?;
        }
        let mut deadlock = None;
        let outcome: Outcome = loop {
            let (machine, source) = simulation.both();
            let now = machine.cycle();
            if now >= clock.until || machine.recorder().is_settled(now) {
                let decision = controller.decide(now, machine.recorder_mut());
                machine.follow();
                match decision {
                    Decision::Continue { until: next } => clock.until = next,
                    Decision::Done(outcome) => {
                        // Some packets may be stuck while the others give a result.
                        deadlock = machine.find_deadlock();
                        if deadlock.is_none() {
                            break outcome;
                        }
                    }
                }
            }
            if deadlock.is_none() && now >= clock.look {
                clock.set_look(now, machine.flit_hops(), self.cycles_between_looks());
                clock.room.look(machine.packets(), now)?;
                deadlock = machine.look(&mut clock.watchdog);
                // Else what has just been decided would be decided again.
                if deadlock.is_none() && now < clock.until && !machine.recorder().is_settled(now) {
                    self.keep(&mut clock, machine, source, controller, pool);
                }
                self.report(now, controller)?;
            }
            if deadlock.is_some() {
                break controller.stop(Status::Deadlock, now, machine.recorder_mut());
            }
            if machine.is_idle() {
                let next = source.next_arrival();
                if next == u64::MAX {
                    let status = without_more(machine.recorder());
                    break controller.stop(status, now, machine.recorder_mut());
                }
                if next > now {
                    machine.skip_to(next.min(clock.until));
                    continue;
                }
            }
            simulation.advance(clock.until.min(clock.look));
        };
        let (machine, source) = simulation.both();
        self.collect(machine, source, outcome, deadlock, pool);
        Ok(())
    }

    fn cycles_between_looks(&self) -> u64 {
        let cycles = ROUTER_CYCLES_BETWEEN_LOOKS / u64::from(self.network.nodes());
        cycles.clamp(FIRST_LOOK, CYCLES_BETWEEN_LOOKS)
    }

    /// Keeps the state of the point where it is time to, or where the point is given up.
    fn keep(
        &self,
        clock: &mut Clock,
        machine: &mut dyn Machine,
        source: &mut dyn Source,
        controller: &mut dyn Decide,
        pool: &mut Pool,
    ) {
        let Some(keeper) = self.monitor.keeper() else {
            return;
        };
        if keeper.is_due(machine.cycle(), self.monitor.is_cancelled()) {
            keeper.keep(&mut |archive| {
                machine.parts().archive(archive);
                self.index.clone().archive(archive);
                pool.archive(archive);
                clock.archive_all(machine, source, controller, archive);
            });
        }
    }

    /// Tells the monitor how far the replica is.
    fn report(&self, cycles: u64, controller: &dyn Decide) -> Result<(), SimulateError> {
        if self.monitor.is_cancelled() {
            return Err(SimulateError::Cancelled);
        }
        let half_width = controller.relative_half_width();
        self.monitor.progress(Progress {
            replica: self.index,
            cycles,
            relative_half_width: half_width.map(|now| (now, self.relative_error)),
        });
        Ok(())
    }

    /// Adds what `machine` and `source` hold at the end to `pool`.
    fn collect(
        &self,
        machine: &mut dyn Machine,
        source: &dyn Source,
        outcome: Outcome,
        deadlock: Option<Deadlock>,
        pool: &mut Pool,
    ) {
        if let Some(deadlock) = deadlock {
            pool.add_deadlock(DeadlockReport::new(&deadlock, self.network));
        }
        let mut memory = machine.memory();
        memory.extend(&source.memory());
        self.monitor.memory(&memory);
        let (flit_hops, now) = (machine.flit_hops(), machine.cycle());
        let recorder = machine.recorder();
        pool.add(outcome, recorder.tagged(), flit_hops);
        if outcome
            .latency
            .is_some_and(|mean| mean.half_width.is_finite())
        {
            pool.add_spans(Spans::of(recorder, now));
        }
        let accepted = (0..).map(NodeId).zip(recorder.accepted_by_source());
        let accepted = accepted.filter(|&(node, _)| source.sends(node));
        let end = recorder.window_end().min(now);
        let window = end.saturating_sub(recorder.window_start());
        pool.add_sources(accepted.map(|(_, flits)| flits), window);
        if let Some(details) = machine.details(now) {
            pool.add_details(details);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_come_sooner_the_more_moves() {
        let mut clock = Clock::default();
        let mut looks = |hops_per_cycle: u64, until: u64| {
            let mut looks = Vec::new();
            while clock.look <= until {
                let now = clock.look;
                let hops = clock.hops + hops_per_cycle * (now - clock.looked);
                clock.set_look(now, hops, CYCLES_BETWEEN_LOOKS);
                looks.push(clock.look);
            }
            looks
        };
        // Of few flits, every 512 cycles.
        assert_eq!(looks(9, 1100), [16, 32, 64, 128, 256, 512, 1024, 1536]);
        // Of many, after about as many hops.
        assert_eq!(looks(HOPS_BETWEEN_LOOKS / 100, 1600), [1600, 1664]);
        // Of a network in which a cycle takes as long.
        assert_eq!(looks(HOPS_BETWEEN_LOOKS * 3, 1665), [1665, 1666]);
        assert_eq!(looks(0, 1666), [2178]);
    }

    #[test]
    fn queues_that_outgrow_memory_are_told() {
        assert!(has_room(1_000_000, Some(40_000_000)));
        assert!(!has_room(1_000_000, Some(39_999_999)));
        assert!(has_room(PACKETS_MOST, None) && !has_room(PACKETS_MOST + 1, None));
        let mut room = Room::default();
        assert_eq!(room.look(PACKETS_FEW - 1, 1), Ok(()));
        let error = SimulateError::TooManyPackets {
            packets: PACKETS_MOST + 1,
            cycle: 9,
        };
        assert_eq!(room.look(PACKETS_MOST + 1, 9), Err(error));
    }
}
