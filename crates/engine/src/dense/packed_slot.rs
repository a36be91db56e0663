//! [`Packed`] slots of the default router, whose heads wait for some of a channel's virtual channels.

use super::block::{Input, Place, Reached, Scratch, Slots};
use super::packed::{Held, Number, Packed};
use super::row::{On, Row, Unit, Word, ones};
use fearless_simd::Simd;
use flitsim_topology::archived;

/// A slot, and by virtual channel the inputs whose head waits for it: one by one, for passes do not read it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct PackedSlot<W: Word, const V: usize> {
    packed: Packed<W, V>,
    wanted: [Row<W>; V],
}

archived! { PackedSlot<W, V> where [W: Word, const V: usize] { packed, wanted } }

/// The virtual channels that are held, and what was free when all heads of a cycle had been served: who waits is asked
/// anew when something is free that was not.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Watched<W: Word> {
    held: Held<W>,
    seen: Row<W>,
}

archived! { Watched<W> where [W: Word] { held, seen } }

impl<W: Word, const V: usize> Slots<W, V> for PackedSlot<W, V> {
    type Held = Watched<W>;
    type Holding<S: Simd> = Number<W, S>;

    fn new(credits: u32) -> Self {
        Self {
            packed: Packed::new(credits),
            wanted: [W::of(0).row(); V],
        }
    }

    fn none_held() -> Watched<W> {
        Watched {
            held: Held::new(),
            seen: W::of(u64::MAX).row(),
        }
    }

    #[inline(always)]
    fn credits(&self, lane: usize, vc: usize) -> u64 {
        self.packed.credits(lane, vc)
    }

    #[inline(always)]
    fn begin(&mut self, lane: usize, vc: usize, flits: u64) {
        self.packed.begin(lane, vc, flits);
    }

    #[inline(always)]
    fn hold(&mut self, held: &mut Watched<W>, lane: usize, bit: usize, index: usize, vc: usize) {
        self.packed.take(&mut held.held, lane, bit, index, vc);
    }

    #[inline(always)]
    fn want(&mut self, lane: usize, vcs: u64, bit: usize) {
        self.packed.wanted.insert(lane, 1 << bit);
        ones(vcs).for_each(|vc| self.wanted[vc % V].insert(lane, 1 << bit));
    }

    #[inline(always)]
    fn unwant(&mut self, lane: usize, bit: usize) {
        self.packed.wanted.remove(lane, 1 << bit);
        (self.wanted.iter_mut()).for_each(|row| row.remove(lane, 1 << bit));
    }

    #[inline(always)]
    fn called(slots: &[Self], held: &Watched<W>, free: u64, lane: usize, heads: u64) -> u64 {
        let newly = free & !held.seen.get(lane);
        let wanted = ones(newly).fold(0, |wanted, place| {
            let slot = slots.get(place / V);
            wanted | slot.map_or(0, |slot| slot.wanted[place % V].get(lane))
        });
        heads & wanted
    }

    #[inline(always)]
    fn turn(&mut self) -> &mut Row<W> {
        &mut self.packed.turn
    }

    #[inline(always)]
    fn holding<S: Simd>(unit: Unit<S>, held: &Watched<W>) -> Number<W, S> {
        Number::load(unit, &held.held)
    }

    #[inline(always)]
    fn free<S: Simd>(unit: Unit<S>, held: &Watched<W>, free: &mut Row<W>) {
        held.held.free(unit, free);
    }

    #[inline(always)]
    fn release<S: Simd>(unit: Unit<S>, held: &mut Watched<W>, freed: On<W, S>, free: &Row<W>) {
        held.held.release(unit, freed);
        let free = unit.load(free);
        unit.store(&mut held.seen, free);
    }

    #[inline(always)]
    fn flits_arrive<S: Simd>(
        &mut self,
        unit: Unit<S>,
        input: &Input<W, V>,
        first: usize,
        sent: Reached<'_, W>,
        filled: &mut Row<W>,
    ) {
        self.packed.flits_arrive(unit, input, first, sent, filled);
    }

    #[inline(always)]
    fn credits_arrive<S: Simd>(
        &mut self,
        unit: Unit<S>,
        held: &Watched<W>,
        first: usize,
        passed: Reached<'_, W>,
        emptied_at: Option<u64>,
        scratch: &mut Scratch<W>,
    ) {
        let free = &mut scratch.free;
        self.packed
            .credits_come(unit, first, passed, emptied_at, free);
        // Nobody waits for what was free when all had been served.
        let of_slot = unit.splat::<W>(((1 << V) - 1) << first);
        let newly = unit.load(free) & !unit.load(&held.seen) & of_slot;
        let none = unit.is_zero::<W>(newly);
        let called = unit.unless::<W>(none, unit.load(&self.packed.wanted));
        let called = unit.load(&scratch.called.row) | called;
        unit.store(&mut scratch.called.row, called);
    }

    #[inline(always)]
    fn able<S: Simd>(&self, unit: Unit<S>, number: Number<W, S>) -> On<W, S> {
        self.packed.able(unit, number)
    }

    #[inline(always)]
    fn holders<S: Simd>(&self, unit: Unit<S>) -> On<W, S> {
        unit.load(&self.packed.holders)
    }

    #[inline(always)]
    fn send<S: Simd>(
        &mut self,
        unit: Unit<S>,
        number: Number<W, S>,
        place: Place<W, S>,
        winner: On<W, S>,
        tail: On<W, S>,
    ) -> On<W, S> {
        self.packed.send(unit, number, place.index, winner, tail)
    }

    #[inline(always)]
    fn give<S: Simd>(
        &mut self,
        unit: Unit<S>,
        input: &Input<W, V>,
        place: Place<W, S>,
        won: On<W, S>,
    ) -> (On<W, S>, On<W, S>) {
        let (gone, last) = self.packed.leave::<_, true>(unit, input, won);
        (self.packed.pass_on(unit, place.index, gone), last)
    }

    #[inline(always)]
    fn give_of_terminal<S: Simd>(
        &mut self,
        unit: Unit<S>,
        input: &Input<W, V>,
        won: On<W, S>,
    ) -> On<W, S> {
        self.packed.leave::<_, true>(unit, input, won).1
    }
}
