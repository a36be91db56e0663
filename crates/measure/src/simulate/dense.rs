//! The dense engine as what simulates the network.

use super::machine::{DENSE, Machine, Observer, new_packet};
use crate::measurement::details::PointDetails;
use crate::measurement::recorder::Recorder;
use flitsim_engine::{Deadlock, DenseEngine, Routing, Watchdog};
use flitsim_topology::archive::{Archive, Archived};
use flitsim_topology::memory::Memory;
use flitsim_traffic::Arrival;

/// Under routings alone that cannot deadlock: there is nothing to look for.
impl<R: Routing, O: Observer> Machine for DenseEngine<'_, R, O> {
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

    fn look(&mut self, _: &mut Watchdog) -> Option<Deadlock> {
        None
    }

    fn find_deadlock(&mut self) -> Option<Deadlock> {
        None
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
        DENSE | 1
    }

    fn keep(&mut self, archive: &mut Archive<'_>) {
        self.archive(archive);
        self.probe_mut().keep(archive);
    }
}
