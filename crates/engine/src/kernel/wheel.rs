//! A delay wheel: events due a bounded number of cycles ahead, in one slot a cycle.
//!
//! Invariant: an event pushed with delay d at cycle t is taken at t + d, and events of one slot
//! come out in the order in which they went in.

use flitsim_topology::archive::{Archive, Archived};
use flitsim_topology::archived;
use flitsim_topology::memory::bytes_of;

/// Most bytes that the slots of one wheel reserve ahead; beyond, they grow as they are used.
const RESERVED_BYTES_MAX: usize = 64 << 20;

/// Most events for which a list of the next cycle has room ahead.
const NEXT_CYCLE_ROOM_MAX: usize = 1 << 16;

/// Events, each a 32-bit index, by the cycle in which they are due.
#[derive(Debug)]
pub(crate) struct Wheel {
    slots: Vec<Vec<u32>>,
    mask: u64,
    pending: usize,
}

archived! { Wheel { pending; fixed slots; rebuilt mask } }

impl Wheel {
    /// A wheel for delays of 0 to `delay_max` cycles and up to `events_a_cycle_max` events in one
    /// cycle.
    pub(crate) fn new(delay_max: u32, events_a_cycle_max: usize) -> Self {
        let slots = (delay_max as usize + 1).next_power_of_two();
        let reserve = events_a_cycle_max.min(RESERVED_BYTES_MAX / size_of::<u32>() / slots);
        Self {
            slots: (0..slots).map(|_| Vec::with_capacity(reserve)).collect(),
            mask: slots as u64 - 1,
            pending: 0,
        }
    }

    /// Events that are still to come.
    #[inline]
    pub(crate) fn pending(&self) -> usize {
        self.pending
    }

    /// Adds an event that is due in cycle `due`.
    #[inline]
    pub(crate) fn push(&mut self, due: u64, event: u32) {
        self.slots[(due & self.mask) as usize].push(event);
        self.pending += 1;
    }

    /// Adds `events`, all due in cycle `due`, and leaves them empty.
    #[inline]
    pub(crate) fn append(&mut self, due: u64, events: &mut Vec<u32>) {
        self.pending += events.len();
        self.slots[(due & self.mask) as usize].append(events);
    }

    /// The events due in cycle `cycle`, exchanged for the empty list `taken`, whose memory the
    /// slot goes on with.
    #[inline]
    pub(crate) fn take(&mut self, cycle: u64, taken: &mut Vec<u32>) {
        debug_assert!(taken.is_empty());
        std::mem::swap(&mut self.slots[(cycle & self.mask) as usize], taken);
        self.pending -= taken.len();
    }

    /// Bytes that the slots have room for.
    pub(crate) fn bytes(&self) -> u64 {
        bytes_of(&self.slots) + self.slots.iter().map(bytes_of).sum::<u64>()
    }

    /// Every event still to come, in no particular order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        self.slots.iter().flatten().copied()
    }
}

/// Events of the next cycle, where all are: a list that has room for as many as there ever are in one
/// cycle of a small network, and grows where a large one needs more.
#[derive(Debug)]
pub(crate) struct NextCycle {
    events: Box<[u32]>,
    count: usize,
}

impl Archived for NextCycle {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        let mut events = self.as_slice().to_vec();
        events.archive(archive);
        self.clear();
        events.into_iter().for_each(|event| self.push(event));
    }
}

impl NextCycle {
    /// For up to `events_max` events in one cycle. Few cycles come near, so large networks begin with
    /// room for a part of that.
    pub(crate) fn new(events_max: usize) -> Self {
        let room = events_max.min(NEXT_CYCLE_ROOM_MAX);
        Self {
            events: vec![0; room].into_boxed_slice(),
            count: 0,
        }
    }

    /// Adds an event.
    #[inline]
    pub(crate) fn push(&mut self, event: u32) {
        match self.events.get_mut(self.count) {
            Some(place) => *place = event,
            None => self.grow(event),
        }
        self.count += 1;
    }

    /// Makes room for half as many events more, and adds one.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, event: u32) {
        let room = self.count + self.count / 2 + 64;
        let mut events = std::mem::take(&mut self.events).into_vec();
        events.push(event);
        events.reserve_exact(room - events.len());
        events.resize(room, 0);
        self.events = events.into_boxed_slice();
    }

    /// Bytes that the list has room for.
    pub(crate) fn bytes(&self) -> u64 {
        size_of_val(&*self.events) as u64
    }

    /// The events, in the order in which they were added.
    #[inline]
    pub(crate) fn as_slice(&self) -> &[u32] {
        &self.events[..self.count]
    }

    /// Forgets all events.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.count = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_grows_and_keeps_what_it_holds() {
        let mut list = NextCycle::new(3);
        for round in 1..=3 {
            let events: Vec<u32> = (0..round * 1_000).collect();
            events.iter().for_each(|&event| list.push(event));
            assert_eq!(list.as_slice(), events);
            list.clear();
            assert!(list.as_slice().is_empty());
        }
        // Half of the largest cycle more, at most.
        assert!(list.bytes() <= 4 * (3_000 * 3 / 2 + 64));
        assert_eq!(NextCycle::new(1 << 30).bytes(), 4 << 16);
    }

    #[test]
    fn slots_reserve_no_more_than_they_may() {
        let bytes =
            |delay, events| Wheel::new(delay, events).bytes() - Wheel::new(delay, 0).bytes();
        assert_eq!(bytes(7, 100), 8 * 100 * 4);
        assert_eq!(bytes(7, usize::MAX), RESERVED_BYTES_MAX as u64);
        assert_eq!(bytes(1_000, usize::MAX), RESERVED_BYTES_MAX as u64);
    }

    #[test]
    fn events_come_out_when_due_and_in_order() {
        let mut wheel = Wheel::new(5, 4);
        wheel.push(5, 1);
        wheel.push(2, 2);
        wheel.push(5, 3);
        let mut taken = Vec::new();
        for cycle in 0..=5 {
            taken.clear();
            wheel.take(cycle, &mut taken);
            let expected: &[u32] = match cycle {
                2 => &[2],
                5 => &[1, 3],
                _ => &[],
            };
            assert_eq!(taken, expected, "cycle {cycle}");
        }
        assert_eq!(wheel.pending(), 0);
    }
}
