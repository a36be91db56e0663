//! A point on several threads: a team of engines, and one recorder that gets what each saw.
//!
//! Invariant: after a step the recorder has what that of one engine would have. Its sums do not depend
//! on the order in which the packets of a cycle arrive.

use super::machine::{Machine, new_packet};
use crate::measurement::details::PointDetails;
use crate::measurement::recorder::Recorder;
use flitsim_engine::{Deadlock, FlitKind, Member, Packet, Probe, Team, Watchdog};
use flitsim_topology::archive::{Archive, Archived};
use flitsim_topology::memory::Memory;
use flitsim_topology::{NodeId, archived};
use flitsim_traffic::Arrival;

/// A team and its recorder. Of deadlocks it sees those in which all has come to a stop: see [`Team`].
#[derive(Debug)]
pub(crate) struct Crew<T> {
    team: T,
    recorder: Recorder,
    /// 0, or [`DENSE`] of dense engines.
    kind: u32,
}

// What the engines saw, the recorder has by the end of a cycle.
archived! { Crew<T> where [T: Archived] { team, recorder; rebuilt kind } }

/// What one engine of a team saw in a cycle, of what a [`Recorder`] counts.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    flits_ejected: u32,
    delivered: Vec<Packet>,
}

impl Probe for Seen {
    const EACH_FLIT: bool = false;

    #[inline]
    fn flit_ejected(&mut self, _: u64, _: NodeId, _: FlitKind, _: &Packet) {
        self.flits_ejected += 1;
    }

    #[inline]
    fn flits_ejected(&mut self, _: u64, flits: u32) {
        self.flits_ejected += flits;
    }

    #[inline]
    fn packet_delivered(&mut self, _: u64, packet: &Packet) {
        self.delivered.push(*packet);
    }
}

impl<T> Crew<T> {
    /// Of `team`, whose engines are of `kind`: 0 for the sparse one.
    pub(crate) fn new(kind: u32, team: T, recorder: Recorder) -> Self {
        Self {
            team,
            recorder,
            kind,
        }
    }
}

impl<M: Member<Probe = Seen>> Machine for Crew<Team<M>> {
    #[inline]
    fn cycle(&self) -> u64 {
        self.team.cycle()
    }

    #[inline]
    fn create(&mut self, packet: Arrival, cycle: u64) -> Option<u32> {
        self.team.offer_tagged(new_packet(&packet), packet.part);
        self.recorder.created(cycle, packet.flits);
        None
    }

    fn step(&mut self) {
        let cycle = self.team.cycle();
        self.team.step();
        for seen in self.team.probes_mut() {
            if seen.flits_ejected > 0 {
                self.recorder.ejected(cycle, seen.flits_ejected);
                seen.flits_ejected = 0;
            }
            for packet in seen.delivered.drain(..) {
                self.recorder.packet_delivered(cycle + 1, &packet);
            }
        }
    }

    fn is_idle(&self) -> bool {
        self.team.is_idle()
    }

    fn skip_to(&mut self, cycle: u64) {
        self.team.skip_to(cycle);
    }

    fn packets(&self) -> u64 {
        let counters = self.team.counters();
        counters.packets_offered - counters.packets_delivered
    }

    fn flit_hops(&self) -> u64 {
        self.team.counters().flit_hops
    }

    fn memory(&self) -> Memory {
        let mut memory = self.team.memory();
        memory.extend(&self.recorder.memory());
        memory
    }

    fn look(&mut self, _: &mut Watchdog) -> Option<Deadlock> {
        self.team.find_frozen()
    }

    fn find_deadlock(&mut self) -> Option<Deadlock> {
        self.team.find_frozen()
    }

    #[inline]
    fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    #[inline]
    fn recorder_mut(&mut self) -> &mut Recorder {
        &mut self.recorder
    }

    fn follow(&mut self) {}

    fn details(&mut self, _: u64) -> Option<PointDetails> {
        None
    }

    fn parts(&self) -> u32 {
        self.kind | self.team.parts()
    }

    fn keep(&mut self, archive: &mut Archive<'_>) {
        self.archive(archive);
    }
}
