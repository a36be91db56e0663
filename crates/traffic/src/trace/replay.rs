//! A trace as packets, cycle by cycle: rows without dependencies from the file's order, the others
//! from a queue that they join when the last of their dependencies is delivered.
//!
//! Invariant: what comes depends on the trace and on the cycles of the deliveries only, not on the
//! order in which those of a cycle are told.

use super::packets::Trace;
use crate::Arrival;
use crate::stream::{Purpose, Streams};
use flitsim_topology::archived;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The packets of a [`Trace`] as they are created.
///
/// ```
/// use flitsim_topology::file::Source;
/// use flitsim_topology::{Ends, Grid};
/// use flitsim_traffic::{Replay, Trace};
///
/// let network = Grid::uniform(8, 1, Ends::Open)?.into_network();
/// let text = "cycle,source,destination,flits,packet,depends_on,delay\n\
///             7,0,5,1,ask,,\n\
///             ,5,0,16,answer,ask,20\n";
/// let trace = Trace::parse(&network, Source { file: "a.csv", text }, None)?;
/// let mut replay = Replay::new(&trace, 1.0, 1);
/// assert_eq!(replay.next_arrival(), 7);
/// let mut tags = Vec::new();
/// replay.arrivals(7, |packet, tag| tags.push((packet.flits, tag)));
/// assert_eq!(tags, [(1, 0)]);
/// assert_eq!(replay.next_arrival(), u64::MAX);
/// replay.delivered(0, 13);
/// assert_eq!(replay.next_arrival(), 33);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Replay<'t> {
    trace: &'t Trace,
    /// Cycles of the trace that a cycle takes.
    cycle_time: f64,
    streams: Streams,
    /// The first row that has not been looked at.
    next_row: usize,
    /// By packet: deliveries still waited for; none where nobody waits.
    needs: Box<[u32]>,
    /// Packets whose dependencies are met: the cycle in which they are due, and their rows.
    due: BinaryHeap<Reverse<(u64, u32)>>,
    /// The rows of the cycle at hand.
    now: Vec<u32>,
}

archived! { Replay<'_> { next_row, due; fixed needs; rebuilt trace, cycle_time, streams, now } }

impl<'t> Replay<'t> {
    /// The packets of `trace` on a network each of whose cycles takes `cycle_time` of the trace's:
    /// what falls between two of them waits for the second. `seed` addresses the random words.
    ///
    /// # Panics
    /// If `cycle_time` is not above 0.
    pub fn new(trace: &'t Trace, cycle_time: f64, seed: u64) -> Self {
        assert!(cycle_time > 0.0, "a cycle takes time");
        let waits = trace.waits.as_ref();
        let mut replay = Self {
            trace,
            cycle_time,
            streams: Streams::new(seed),
            next_row: 0,
            needs: waits.map_or_else(Box::default, |waits| waits.needs.clone()),
            due: BinaryHeap::new(),
            now: Vec::new(),
        };
        replay.pass_dependents();
        replay
    }

    /// Hands every packet created in cycle `cycle` to `offer` with its tag, in the order of the
    /// rows. Cycles are asked for in ascending order; none that has an arrival may be skipped.
    #[inline]
    pub fn arrivals(&mut self, cycle: u64, mut offer: impl FnMut(Arrival, u64)) {
        if self.next_arrival() > cycle {
            return;
        }
        self.take(cycle);
        for i in 0..self.now.len() {
            let row = self.now[i];
            let source = self.trace.source[row as usize];
            let arrival = Arrival {
                source,
                destination: self.trace.destination[row as usize],
                flits: self.trace.flits[row as usize],
                entropy: (self.streams)
                    .address(Purpose::Row, source.0, u64::from(row))
                    .word(),
                part: 0,
            };
            offer(arrival, u64::from(row));
        }
    }

    /// The packet of the tag `tag` is delivered at the start of cycle `cycle`, before which every
    /// cycle has been asked for.
    pub fn delivered(&mut self, tag: u64, cycle: u64) {
        let Some(waits) = &self.trace.waits else {
            return;
        };
        let row = tag as usize;
        let dependents = waits.first_dependent[row]..waits.first_dependent[row + 1];
        for at in dependents {
            let dependent = waits.dependents[at as usize];
            let needs = &mut self.needs[dependent as usize];
            *needs -= 1;
            if *needs == 0 {
                let after = self.cycles(u64::from(waits.delay[dependent as usize]));
                let due = self
                    .created(dependent as usize)
                    .max(cycle.saturating_add(after).min(u64::MAX - 1));
                self.due.push(Reverse((due, dependent)));
            }
        }
    }

    /// The next cycle that has an arrival, as far as is known now; `u64::MAX` where there is none
    /// before something else is delivered.
    #[inline]
    pub fn next_arrival(&self) -> u64 {
        let by_itself = match self.next_row < self.trace.cycle.len() {
            true => self.created(self.next_row),
            false => u64::MAX,
        };
        let due = self.due.peek();
        due.map_or(by_itself, |Reverse((cycle, _))| by_itself.min(*cycle))
    }

    /// Collects the rows of `cycle`.
    fn take(&mut self, cycle: u64) {
        self.now.clear();
        while self.next_row < self.trace.cycle.len() && self.created(self.next_row) <= cycle {
            self.now.push(self.next_row as u32);
            self.next_row += 1;
            self.pass_dependents();
        }
        while let Some(Reverse((due, row))) = self.due.peek().copied()
            && due <= cycle
        {
            self.due.pop();
            self.now.push(row);
        }
        self.now.sort_unstable();
    }

    fn pass_dependents(&mut self) {
        while self.next_row < self.trace.cycle.len() && self.trace.needs(self.next_row) > 0 {
            self.next_row += 1;
        }
    }

    /// The first cycle in which the packet of a row may be created.
    fn created(&self, row: usize) -> u64 {
        self.cycles(self.trace.cycle[row])
    }

    /// Cycles in which `cycles` of the trace are over; never is later than any.
    fn cycles(&self, cycles: u64) -> u64 {
        let cycles = match self.cycle_time == 1.0 {
            true => cycles,
            false => (cycles as f64 / self.cycle_time).ceil() as u64,
        };
        cycles.min(u64::MAX - 1)
    }
}
