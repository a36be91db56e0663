//! Slots in which each virtual channel has rows of its own.

use super::block::{Input, Place, Reached, Scratch, Slots};
use super::row::{On, Row, Unit, Word, ones};
use fearless_simd::{Select, Simd, SimdBase};
use flitsim_topology::archived;

/// A channel into a router and the one out of it in the same slot, by virtual channel, in a row of its own.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Slot<W: Word, const V: usize> {
    /// Flits in the buffer; unused of a terminal.
    pub(super) flits: [Row<W>; V],
    /// Flits of the front packet that have not left.
    pub(super) left: [Row<W>; V],
    /// The input virtual channel that holds the output, as a bit; unused of a terminal.
    pub(super) owners: [Row<W>; V],
    /// Of the output; unused of a terminal.
    pub(super) credits: [Row<W>; V],
    /// The input virtual channels whose head may claim the output; unused of a terminal.
    pub(super) wanted: [Row<W>; V],
    /// The input virtual channels that come first at the output.
    pub(super) turn: Row<W>,
}

archived! { Slot<W, V> where [W: Word, const V: usize] {
    flits, left, owners, credits, wanted, turn
} }

/// Nothing that the slots do not say.
#[derive(Clone, Copy, Debug)]
pub(super) struct BySlots;

archived! { BySlots {} }

impl<W: Word, const V: usize> Slots<W, V> for Slot<W, V> {
    type Held = BySlots;
    type Holding<S: Simd> = BySlots;

    fn new(credits: u32) -> Self {
        let none = W::of(0).row();
        Self {
            flits: [none; V],
            left: [none; V],
            owners: [none; V],
            credits: [W::of(u64::from(credits)).row(); V],
            wanted: [none; V],
            turn: W::of(u64::MAX).row(),
        }
    }

    fn none_held() -> BySlots {
        BySlots
    }

    #[inline(always)]
    fn credits(&self, lane: usize, vc: usize) -> u64 {
        self.credits[vc % V].get(lane)
    }

    #[inline(always)]
    fn begin(&mut self, lane: usize, vc: usize, flits: u64) {
        self.left[vc % V].set(lane, flits);
    }

    #[inline(always)]
    fn hold(&mut self, _: &mut BySlots, lane: usize, bit: usize, _index: usize, vc: usize) {
        self.owners[vc % V].set(lane, 1 << bit);
    }

    #[inline(always)]
    fn want(&mut self, lane: usize, vcs: u64, bit: usize) {
        ones(vcs).for_each(|vc| self.wanted[vc % V].insert(lane, 1 << bit));
    }

    #[inline(always)]
    fn unwant(&mut self, lane: usize, bit: usize) {
        (self.wanted.iter_mut()).for_each(|row| row.remove(lane, 1 << bit));
    }

    #[inline(always)]
    fn turn(&mut self) -> &mut Row<W> {
        &mut self.turn
    }

    #[inline(always)]
    fn holding<S: Simd>(_: Unit<S>, held: &BySlots) -> BySlots {
        *held
    }

    #[inline(always)]
    fn free<S: Simd>(unit: Unit<S>, _: &BySlots, free: &mut Row<W>) {
        unit.store(free, unit.splat::<W>(0));
    }

    #[inline(always)]
    fn release<S: Simd>(_: Unit<S>, _: &mut BySlots, _: On<W, S>, _: &Row<W>) {}

    #[inline(always)]
    fn flits_arrive<S: Simd>(
        &mut self,
        unit: Unit<S>,
        input: &Input<W, V>,
        first: usize,
        sent: Reached<'_, W>,
        filled: &mut Row<W>,
    ) {
        let (zero, one) = (unit.splat::<W>(0), unit.splat::<W>(1));
        let sent = sent.load(unit);
        let mut with_flit = unit.load(filled);
        let mut bit = unit.splat::<W>(1 << first);
        for v in 0..V {
            let comes = (sent & bit).simd_eq(bit);
            let flits = unit.load(&self.flits[v]) + comes.select(one, zero);
            unit.store(&mut self.flits[v], flits);
            let is_empty = unit.is_zero::<W>(flits);
            with_flit |= unit.unless::<W>(is_empty, unit.load(&input.bits[v]));
            bit = bit + bit;
        }
        unit.store(filled, with_flit);
    }

    #[inline(always)]
    fn credits_arrive<S: Simd>(
        &mut self,
        unit: Unit<S>,
        _: &BySlots,
        first: usize,
        passed: Reached<'_, W>,
        emptied_at: Option<u64>,
        scratch: &mut Scratch<W>,
    ) {
        let (zero, one) = (unit.splat::<W>(0), unit.splat::<W>(1));
        let passed = passed.load(unit);
        let mut free = unit.load(&scratch.free);
        let mut called = unit.load(&scratch.called.row);
        let mut bit = unit.splat::<W>(1 << first);
        for v in 0..V {
            let comes = (passed & bit).simd_eq(bit);
            let credits = unit.load(&self.credits[v]) + comes.select(one, zero);
            unit.store(&mut self.credits[v], credits);
            let mut is_free = unit.is_zero::<W>(unit.load(&self.owners[v]));
            if let Some(flits) = emptied_at {
                is_free &= credits.simd_eq(unit.splat::<W>(flits));
            }
            free |= is_free.select(bit, zero);
            called |= is_free.select(unit.load(&self.wanted[v]), zero);
            bit = bit + bit;
        }
        unit.store(&mut scratch.free, free);
        unit.store(&mut scratch.called.row, called);
    }

    #[inline(always)]
    fn able<S: Simd>(&self, unit: Unit<S>, _: BySlots) -> On<W, S> {
        let mut able = unit.splat::<W>(0);
        for v in 0..V {
            let is_empty = unit.is_zero::<W>(unit.load(&self.credits[v]));
            able |= unit.unless::<W>(is_empty, unit.load(&self.owners[v]));
        }
        able
    }

    #[inline(always)]
    fn holders<S: Simd>(&self, unit: Unit<S>) -> On<W, S> {
        let mut held = unit.load(&self.owners[0]);
        for owner in &self.owners[1..] {
            held |= unit.load(owner);
        }
        held
    }

    #[inline(always)]
    fn send<S: Simd>(
        &mut self,
        unit: Unit<S>,
        _: BySlots,
        place: Place<W, S>,
        winner: On<W, S>,
        tail: On<W, S>,
    ) -> On<W, S> {
        let less = unit.splat::<W>(u64::MAX);
        let mut sent = unit.splat::<W>(0);
        let mut bit = place.first;
        for v in 0..V {
            let owner = unit.load(&self.owners[v]);
            let stays = unit.is_zero::<W>(winner & owner);
            unit.store(&mut self.owners[v], owner & !tail);
            let credits = unit.load(&self.credits[v]) + unit.unless::<W>(stays, less);
            unit.store(&mut self.credits[v], credits);
            sent |= unit.unless::<W>(stays, bit);
            bit = bit + bit;
        }
        sent
    }

    #[inline(always)]
    fn give<S: Simd>(
        &mut self,
        unit: Unit<S>,
        input: &Input<W, V>,
        place: Place<W, S>,
        won: On<W, S>,
    ) -> (On<W, S>, On<W, S>) {
        let (zero, one) = (unit.splat::<W>(0), unit.splat::<W>(1));
        let less = unit.splat::<W>(u64::MAX);
        let (mut passed, mut last) = (zero, zero);
        let mut at = place.first;
        for v in 0..V {
            let bit = unit.load(&input.bits[v]);
            let stays = unit.is_zero::<W>(won & bit);
            let off = unit.unless::<W>(stays, less);
            let flits = unit.load(&self.flits[v]) + off;
            unit.store(&mut self.flits[v], flits);
            let left = unit.load(&self.left[v]) + off;
            unit.store(&mut self.left[v], left);
            passed |= unit.unless::<W>(stays, at);
            last |= left.simd_eq(one).select(bit, zero);
            at = at + at;
        }
        (passed, last)
    }

    #[inline(always)]
    fn give_of_terminal<S: Simd>(
        &mut self,
        unit: Unit<S>,
        input: &Input<W, V>,
        won: On<W, S>,
    ) -> On<W, S> {
        let (zero, one) = (unit.splat::<W>(0), unit.splat::<W>(1));
        let mut last = zero;
        for (left, bit) in self.left.iter_mut().zip(&input.bits) {
            let bit = unit.load(bit);
            let stays = unit.is_zero::<W>(won & bit);
            let rest = unit.load(left) + unit.unless::<W>(stays, unit.splat::<W>(u64::MAX));
            unit.store(left, rest);
            last |= rest.simd_eq(one).select(bit, zero);
        }
        last
    }
}
