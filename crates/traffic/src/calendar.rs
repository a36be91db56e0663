//! Which nodes are due in a cycle: a time wheel, so that idle nodes cost nothing (Brown, "Calendar
//! queues", CACM 31(10), 1988; Varghese & Lauck, "Hashed and hierarchical timing wheels", SOSP
//! 1987, scheme 6).
//!
//! A slot of the wheel holds, as a list linked through flat arrays, the nodes due in a cycle that is
//! the slot's number modulo the wheel's size; those due in a later round stay where they are. A bit
//! for each slot says whether it holds any.
//!
//! Invariant: each node is in at most one list, that of its due cycle, and no due cycle is before
//! `now`. What is due comes out in ascending order of nodes, whatever the wheel's size, so results
//! do not depend on it. Nothing is allocated after set-up, but by
//! large networks of which very many nodes are due at once.

use flitsim_topology::archived;
use flitsim_topology::memory::bytes_of;

const NONE: u32 = u32::MAX;

/// Most nodes for which there is room among those taken ahead.
const TAKEN_ROOM_MAX: usize = 1 << 16;

/// The next due cycle of every node.
#[derive(Clone, Debug)]
pub(crate) struct Calendar {
    /// Every cycle before this one has been taken.
    now: u64,
    /// First node in each slot, `NONE` where there is none.
    head: Box<[u32]>,
    /// The node after each in its slot's list.
    next: Box<[u32]>,
    /// The cycle in which each listed node is due.
    due: Box<[u64]>,
    /// A bit for each slot: whether it holds a node.
    occupied: Box<[u64]>,
    /// The nodes taken last, with room for all of a small network.
    taken: Vec<u32>,
}

archived! { Calendar { now; fixed head, next, due, occupied; rebuilt taken } }

impl Calendar {
    const SLOTS_LEAST: u64 = 64;
    const SLOTS_MOST: u64 = 1 << 16;

    /// An empty calendar for the nodes `0..nodes`, whose wheel suits gaps of about `gap_cycles`.
    pub(crate) fn new(nodes: u32, gap_cycles: f64) -> Self {
        // Four mean gaps in a round: a node waits for a later round once in fifty times.
        let wanted = (4.0 * gap_cycles) as u64;
        let slots = wanted
            .clamp(Self::SLOTS_LEAST, Self::SLOTS_MOST)
            .next_power_of_two() as usize;
        Self {
            now: 0,
            head: vec![NONE; slots].into_boxed_slice(),
            next: vec![NONE; nodes as usize].into_boxed_slice(),
            due: vec![u64::MAX; nodes as usize].into_boxed_slice(),
            occupied: vec![0; slots / 64].into_boxed_slice(),
            taken: Vec::with_capacity((nodes as usize).min(TAKEN_ROOM_MAX)),
        }
    }

    /// Notes that `node`, which is in no list, is due in `cycle`; `u64::MAX` is never.
    #[inline]
    pub(crate) fn schedule(&mut self, node: u32, cycle: u64) {
        debug_assert!(cycle >= self.now, "due in a cycle that has been taken");
        if cycle == u64::MAX {
            return;
        }
        let slot = self.slot(cycle);
        self.due[node as usize] = cycle;
        self.next[node as usize] = self.head[slot];
        self.head[slot] = node;
        self.occupied[slot / 64] |= 1 << (slot % 64);
    }

    /// Takes out the nodes due in `cycle`, to be read by [`Calendar::taken`].
    ///
    /// # Panics
    /// In debug builds, if `cycle` has been taken before or a cycle with a due node is skipped.
    #[inline]
    pub(crate) fn take(&mut self, cycle: u64) {
        debug_assert!(cycle >= self.now, "cycle {cycle} was taken before");
        self.taken.clear();
        self.now = cycle.saturating_add(1);
        let slot = self.slot(cycle);
        if self.occupied[slot / 64] >> (slot % 64) & 1 == 0 {
            return;
        }
        let mut node = std::mem::replace(&mut self.head[slot], NONE);
        while node != NONE {
            let after = self.next[node as usize];
            let due = self.due[node as usize];
            if due == cycle {
                self.taken.push(node);
            } else {
                debug_assert!(
                    due > cycle,
                    "cycle {due}, in which {node} is due, was skipped"
                );
                self.next[node as usize] = self.head[slot];
                self.head[slot] = node;
            }
            node = after;
        }
        if self.head[slot] == NONE {
            self.occupied[slot / 64] &= !(1 << (slot % 64));
        }
        // Lists are short, or (where all nodes are due) descending: the sort is quick on both.
        self.taken.sort_unstable();
    }

    /// Bytes of its lists.
    pub(crate) fn bytes(&self) -> u64 {
        let lists = size_of_val(&*self.head) + size_of_val(&*self.next);
        let words = size_of_val(&*self.due) + size_of_val(&*self.occupied);
        (lists + words) as u64 + bytes_of(&self.taken)
    }

    /// The nodes taken last, in ascending order.
    #[inline]
    pub(crate) fn taken(&self) -> &[u32] {
        &self.taken
    }

    /// The earliest due cycle of all; `u64::MAX` where no node is due any more.
    ///
    /// Looks at the occupied slots from `now` on, up to the first with a node due in this round. As
    /// later rounds are rare, that is next to always the first occupied slot.
    pub(crate) fn earliest(&self) -> u64 {
        let words = self.occupied.len();
        let start = self.slot(self.now);
        let mut earliest = u64::MAX;
        // The word that holds the start is looked at twice: from the start on, and at the end of
        // the round before it.
        for step in 0..=words {
            let index = (start / 64 + step) % words;
            let from_start = u64::MAX << (start % 64);
            let mut bits = self.occupied[index]
                & match step {
                    0 => from_start,
                    _ if step == words => !from_start,
                    _ => u64::MAX,
                };
            while bits != 0 {
                let slot = index * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let ahead = (slot.wrapping_sub(start) & (self.head.len() - 1)) as u64;
                earliest = earliest.min(self.earliest_in(slot));
                if earliest == self.now.saturating_add(ahead) {
                    return earliest;
                }
            }
        }
        earliest
    }

    fn earliest_in(&self, slot: usize) -> u64 {
        let mut earliest = u64::MAX;
        let mut node = self.head[slot];
        while node != NONE {
            earliest = earliest.min(self.due[node as usize]);
            node = self.next[node as usize];
        }
        earliest
    }

    #[inline]
    fn slot(&self, cycle: u64) -> usize {
        cycle as usize & (self.head.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitsim_random::{Draw, Pcg64Mcg};
    use rand::SeedableRng;
    use std::collections::BTreeSet;

    /// Gaps from 1 to many rounds of the smallest wheel.
    fn gap(rng: &mut Pcg64Mcg) -> u64 {
        1 + match rng.below(4) {
            0 => 0,
            1 => u64::from(rng.below(10)),
            2 => 63 + u64::from(rng.below(3)),
            _ => u64::from(rng.below(1000)),
        }
    }

    #[test]
    fn takes_what_an_ordered_set_takes() {
        for (nodes, gap_cycles) in [(1, 0.0), (7, 1.0), (100, 40.0), (30, 1e9)] {
            let mut rng = Pcg64Mcg::seed_from_u64(u64::from(nodes));
            let mut calendar = Calendar::new(nodes, gap_cycles);
            let mut set = BTreeSet::new();
            for node in 0..nodes {
                let due = gap(&mut rng) - 1;
                calendar.schedule(node, due);
                set.insert((due, node));
            }
            for cycle in 0..5000u64 {
                assert_eq!(calendar.earliest(), set.first().unwrap().0);
                calendar.take(cycle);
                let mut expected = Vec::new();
                while set.first().is_some_and(|&(due, _)| due == cycle) {
                    expected.push(set.pop_first().unwrap().1);
                }
                assert_eq!(calendar.taken(), expected);
                for node in expected {
                    let due = cycle + gap(&mut rng);
                    calendar.schedule(node, due);
                    set.insert((due, node));
                }
            }
        }
    }

    #[test]
    fn empty_is_never_due() {
        let mut calendar = Calendar::new(4, 10.0);
        assert_eq!(calendar.earliest(), u64::MAX);
        calendar.schedule(2, u64::MAX);
        assert_eq!(calendar.earliest(), u64::MAX);
        calendar.take(1_000_000);
        assert!(calendar.taken().is_empty());
    }

    #[test]
    fn far_cycles_are_kept() {
        let mut calendar = Calendar::new(2, 10.0);
        calendar.schedule(0, 1 << 60);
        calendar.schedule(1, (1 << 60) + 64);
        assert_eq!(calendar.earliest(), 1 << 60);
        calendar.take(1 << 60);
        assert_eq!(calendar.taken(), [0]);
        assert_eq!(calendar.earliest(), (1 << 60) + 64);
    }
}
