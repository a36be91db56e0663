//! The passes over a block of routers in stages.

use super::block::{StagedBlock, StagedScratch};
use crate::dense::block::{Kind, Reached, Slot};
use crate::dense::pass::{along_row, flits_arrive};
use crate::dense::row::{On, Row, Unit, Word};
use fearless_simd::{Level, Select, Simd, SimdBase, SimdMask, dispatch};

/// What was sent and passed on as long ago as it takes to arrive, by router and slot, the terminal's
/// included.
pub(super) struct StagedInbox<'a, W> {
    /// Flits to channels.
    pub(super) sent: &'a [W],
    /// Places at the ends of channels.
    pub(super) passed: &'a [W],
    /// Places of the terminal, and of the injection buffers, of the router itself.
    pub(super) ejected: &'a [W],
    pub(super) drawn: &'a [W],
    /// The block's first router in all of them.
    pub(super) base: usize,
}

/// Flits and credits arrive. Notes which virtual channels are free.
#[inline(never)]
pub(super) fn arrive<W: Word, const V: usize>(
    level: Level,
    block: &mut StagedBlock<'_, W, V>,
    kind: &Kind<W, V>,
    inbox: &StagedInbox<'_, W>,
    emptied_at: Option<u64>,
    scratch: &mut StagedScratch<W>,
) {
    scratch.common.filled = W::of(0).row();
    scratch.common.free = W::of(0).row();
    dispatch!(level, simd => match emptied_at {
        // Told apart here, so that no output asks.
        None => arrive_at(simd, block, kind, inbox, None, scratch),
        Some(flits) => arrive_at(simd, block, kind, inbox, Some(flits), scratch),
    });
}

#[inline(always)]
fn arrive_at<S: Simd, W: Word, const V: usize>(
    simd: S,
    block: &mut StagedBlock<'_, W, V>,
    kind: &Kind<W, V>,
    inbox: &StagedInbox<'_, W>,
    emptied_at: Option<u64>,
    scratch: &mut StagedScratch<W>,
) {
    let scratch = &mut scratch.common;
    let (terminal, slots) = block.slots.split_last_mut().expect("the terminal's");
    for (index, (slot, wires)) in slots.iter_mut().zip(&kind.slots).enumerate() {
        let sent = wires.source.of(inbox.sent, inbox.base);
        let passed = wires.target.of(inbox.passed, inbox.base);
        let slot = &mut slot.ports;
        along_row::<_, W>(
            simd,
            #[inline(always)]
            |unit| {
                flits_arrive(unit, slot, wires, index * V, sent, scratch);
                let free = &mut scratch.free;
                credits_arrive(unit, slot, index * V, passed, emptied_at, free);
            },
        );
    }
    let first = kind.slots.len() * V;
    let ejected = Reached::own(inbox.ejected, inbox.base);
    let drawn = Reached::own(inbox.drawn, inbox.base);
    let (terminal, room) = (&mut terminal.ports, &mut block.masks.room);
    along_row::<_, W>(
        simd,
        #[inline(always)]
        |unit| {
            let free = &mut scratch.free;
            credits_arrive(unit, terminal, first, ejected, emptied_at, free);
            let drawn = drawn.load(unit);
            let mut bit = unit.splat::<W>(1 << first);
            for room in room.iter_mut() {
                let more = unit.load(room) + one_where::<_, W>(unit, drawn, bit);
                unit.store(room, more);
                bit = bit + bit;
            }
        },
    );
}

/// One where `bits` has `bit`.
#[inline(always)]
fn one_where<S: Simd, W: Word>(unit: Unit<S>, bits: On<W, S>, bit: On<W, S>) -> On<W, S> {
    let comes = (bits & bit).simd_eq(bit);
    comes.select(unit.splat::<W>(1), unit.splat::<W>(0))
}

/// Credits come back to the sender, which says what is free.
#[inline(always)]
fn credits_arrive<S: Simd, W: Word, const V: usize>(
    unit: Unit<S>,
    slot: &mut Slot<W, V>,
    first: usize,
    passed: Reached<'_, W>,
    emptied_at: Option<u64>,
    free: &mut Row<W>,
) {
    let passed = passed.load(unit);
    let mut now = unit.load(free);
    let mut bit = unit.splat::<W>(1 << first);
    for v in 0..V {
        let credits = unit.load(&slot.credits[v]) + one_where::<_, W>(unit, passed, bit);
        unit.store(&mut slot.credits[v], credits);
        let mut is_free = unit.is_zero::<W>(unit.load(&slot.owners[v]));
        if let Some(flits) = emptied_at {
            is_free &= credits.simd_eq(unit.splat::<W>(flits));
        }
        now |= is_free.select(bit, unit.splat::<W>(0));
        bit = bit + bit;
    }
    unit.store(free, now);
}

/// As [`heads_come`], of a block in which heads are served before the switch is allocated. Noted there too.
#[inline(never)]
pub(super) fn come<W: Word, const V: usize>(
    level: Level,
    block: &mut StagedBlock<'_, W, V>,
    kind: &Kind<W, V>,
    scratch: &mut StagedScratch<W>,
) -> bool {
    scratch.forget_heads();
    scratch.is_busy = dispatch!(level, simd => heads_come(simd, block, kind, scratch));
    scratch.is_busy
}

/// Heads come to the front, and those that came early enough may ask. Whether anything is left to do in
/// this cycle.
#[inline(always)]
pub(super) fn heads_come<S: Simd, W: Word, const V: usize>(
    simd: S,
    block: &mut StagedBlock<'_, W, V>,
    kind: &Kind<W, V>,
    scratch: &mut StagedScratch<W>,
) -> bool {
    let terminal = &block.slots.last().expect("the terminal's").ports;
    let (masks, came) = (&mut *block.masks, &mut block.came);
    let mut is_busy = false;
    along_row::<_, W>(
        simd,
        #[inline(always)]
        |unit| {
            let mut filled = unit.load(&scratch.common.filled);
            for (flits, bit) in terminal.flits.iter().zip(&kind.injection) {
                let is_empty = unit.is_zero::<W>(unit.load(flits));
                filled |= unit.unless::<W>(is_empty, unit.load(bit));
            }
            unit.store(&mut scratch.common.filled, filled);
            let routed = unit.load(&masks.routed);
            let fresh = filled & !routed;
            scratch.common.fresh.note(unit, fresh);
            let routed = routed | fresh;
            unit.store(&mut masks.routed, routed);
            let heads = unit.load(&masks.heads) | fresh;
            unit.store(&mut masks.heads, heads);
            let ready = match came {
                None => fresh,
                Some(came) => {
                    let ready = unit.load(came);
                    unit.store(came, fresh);
                    ready
                }
            };
            let asking = unit.load(&masks.asking) | ready;
            unit.store(&mut masks.asking, asking);
            scratch.any_asking |= !unit.is_zero::<W>(asking).all_true();
            is_busy |= !unit.is_zero::<W>(routed).all_true();
        },
    );
    is_busy
}

/// Notes the heads that ask where a virtual channel is free.
#[inline(never)]
pub(super) fn call<W: Word, const V: usize>(
    level: Level,
    block: &StagedBlock<'_, W, V>,
    scratch: &mut StagedScratch<W>,
) {
    scratch.alone.clear();
    scratch.contesting.clear();
    dispatch!(level, simd => along_row::<_, W>(simd, #[inline(always)] |unit| {
        call_at(unit, block, scratch);
    }));
}

#[inline(always)]
pub(super) fn call_at<S: Simd, W: Word, const V: usize>(
    unit: Unit<S>,
    block: &StagedBlock<'_, W, V>,
    scratch: &mut StagedScratch<W>,
) {
    let (asking, free) = (
        unit.load(&block.masks.asking),
        unit.load(&scratch.common.free),
    );
    let zero = unit.splat::<W>(0);
    let (mut alone, mut contesting) = (zero, zero);
    let mut vcs = unit.splat::<W>((1 << V) - 1);
    for slot in &*block.slots {
        let none = unit.is_zero::<W>(free & vcs);
        let heads = unit.unless::<W>(none, asking & unit.load(&slot.ports.wanted[0]));
        let several = heads & (heads - unit.splat::<W>(1));
        let is_one = unit.is_zero::<W>(several);
        alone |= is_one.select(heads, zero);
        contesting |= is_one.select(zero, heads);
        vcs <<= V as u32;
    }
    scratch.alone.note(unit, alone);
    scratch.contesting.note(unit, contesting);
}
