//! The passes over a block of routers in stages.

use super::block::{StagedBlock, StagedScratch};
use crate::dense::block::{Kind, Reached};
use crate::dense::counts::{one_each, with_any};
use crate::dense::dispatch::dispatch;
use crate::dense::pass::along_row;
use crate::dense::row::{Unit, Word};
use fearless_simd::{Level, Select, Simd, SimdMask};

/// What was sent and passed on as long ago as it takes to arrive, by router and slot, the terminal's
/// included.
pub(in crate::dense) struct StagedInbox<'a, W> {
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
#[inline(always)]
pub(super) fn arrive<W: Word, const V: usize>(
    level: Level,
    block: &mut StagedBlock<'_, W, V>,
    kind: &Kind<W, V>,
    inbox: &StagedInbox<'_, W>,
    emptied_at: Option<u64>,
    scratch: &mut StagedScratch<W>,
) {
    scratch.common.filled = W::of(0).row();
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
    along_row::<_, W>(
        simd,
        #[inline(always)]
        |unit| {
            block.masks.held.free(unit, &mut scratch.free);
        },
    );
    let (terminal, slots) = block.slots.split_last_mut().expect("the terminal's");
    for (index, (slot, wires)) in slots.iter_mut().zip(&kind.slots).enumerate() {
        let sent = wires.source.of(inbox.sent, inbox.base);
        let passed = wires.target.of(inbox.passed, inbox.base);
        along_row::<_, W>(
            simd,
            #[inline(always)]
            |unit| {
                slot.flits_arrive(unit, &wires.input, index * V, sent, &mut scratch.filled);
                slot.credits_come(unit, index * V, passed, emptied_at, &mut scratch.free);
            },
        );
    }
    let first = kind.slots.len() * V;
    let ejected = Reached::own(inbox.ejected, inbox.base);
    let drawn = Reached::own(inbox.drawn, inbox.base);
    let room = &mut block.masks.room;
    along_row::<_, W>(
        simd,
        #[inline(always)]
        |unit| {
            terminal.credits_come(unit, first, ejected, emptied_at, &mut scratch.free);
            let drawn = one_each::<_, W, V>(unit, drawn.load(unit), first);
            let more = unit.load(room) + drawn;
            unit.store(room, more);
        },
    );
}

/// As [`heads_come`], of a block in which heads are served before the switch is allocated. Noted there too.
#[inline(always)]
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
    let terminal = block.slots.last().expect("the terminal's");
    let (masks, came) = (&mut *block.masks, &mut block.came);
    let mut is_busy = false;
    along_row::<_, W>(
        simd,
        #[inline(always)]
        |unit| {
            let filled = &mut scratch.common.filled;
            let have = with_any(unit, unit.load(&terminal.flits), &kind.injection);
            let have = unit.load(filled) | have;
            unit.store(filled, have);
            let routed = unit.load(&masks.routed);
            let fresh = have & !routed;
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
#[inline(always)]
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
        let heads = unit.unless::<W>(none, asking & unit.load(&slot.wanted));
        let several = heads & (heads - unit.splat::<W>(1));
        let is_one = unit.is_zero::<W>(several);
        alone |= is_one.select(heads, zero);
        contesting |= is_one.select(zero, heads);
        vcs <<= V as u32;
    }
    scratch.alone.note(unit, alone);
    scratch.contesting.note(unit, contesting);
}
