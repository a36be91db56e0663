//! The passes over a block's routers, without a branch on what any of them does.

use super::block::{Block, Firsts, Kind, Scratch};
use super::row::{On, Row, Unit, Word};
use fearless_simd::{Level, Select, Simd, SimdBase, SimdMask, dispatch};

/// What the neighbours did in the last cycle: by router, which of its outputs sent a flit, and which
/// of its inputs passed one on, by slot.
pub(super) struct Inbox<'a, W> {
    pub(super) sent: &'a [W],
    pub(super) passed: &'a [W],
    /// The block's first router in both.
    pub(super) base: usize,
}

/// What leaves a block, as the neighbours read it in the next cycle.
pub(super) struct Outbox<'a, W> {
    pub(super) sent: &'a mut [W],
    pub(super) passed: &'a mut [W],
    pub(super) base: usize,
}

impl<W: Word> Outbox<'_, W> {
    /// Nothing left.
    pub(super) fn clear(&mut self) {
        self.sent[self.base..self.base + W::LANES].fill(W::of(0));
        self.passed[self.base..self.base + W::LANES].fill(W::of(0));
    }
}

/// Flits and credits arrive. Notes the heads that came to the front, which are taken for routed, the
/// virtual channels that are free, and the heads that wait for one of them. Whether anything is left to do
/// in this cycle.
#[inline(never)]
pub(super) fn deliver<W: Word, const V: usize>(
    level: Level,
    block: &mut Block<'_, W, V>,
    kind: &Kind<W, V>,
    inbox: &Inbox<'_, W>,
    emptied_at: Option<u64>,
    scratch: &mut Scratch<W, V>,
) -> bool {
    let mut is_busy = false;
    scratch.any_fresh = false;
    scratch.any_called = false;
    dispatch!(level, simd => along_row::<_, W>(simd, #[inline(always)] |unit| {
        is_busy |= flits_arrive(unit, block, kind, inbox, scratch);
        credits_arrive(unit, block, kind, inbox, emptied_at, scratch);
    }));
    is_busy
}

/// Does the same at every part of a row that a vector takes.
#[inline(always)]
fn along_row<S: Simd, W: Word>(simd: S, mut pass: impl FnMut(Unit<S>)) {
    let mut at = 0;
    while at + On::<W, S>::LEN <= W::LANES {
        pass(Unit { simd, at });
        at += On::<W, S>::LEN;
    }
}

/// Flits come into their buffers. Whether a packet is there now.
#[inline(always)]
fn flits_arrive<S: Simd, W: Word, const V: usize>(
    unit: Unit<S>,
    block: &mut Block<'_, W, V>,
    kind: &Kind<W, V>,
    inbox: &Inbox<'_, W>,
    scratch: &mut Scratch<W, V>,
) -> bool {
    let from = inbox.base + unit.at;
    let (zero, one) = (unit.splat::<W>(0), unit.splat::<W>(1));
    let mut filled = unit.load(&block.masks.injecting);
    let slots = block.flits.iter_mut().zip(&kind.bits).zip(&scratch.units);
    for (((flits, bits), units), reach) in slots.zip(&kind.sources) {
        let sent = reach.gather(unit, inbox.sent, from);
        for v in 0..V {
            let bit = unit.load(&units[v]);
            let comes = (sent & bit).simd_eq(bit);
            let count = unit.load(&flits[v]) + comes.select(one, zero);
            unit.store(&mut flits[v], count);
            filled |= unit.unless::<W>(unit.is_zero::<W>(count), unit.load(&bits[v]));
        }
    }
    let routed = unit.load(&block.masks.routed);
    let fresh = filled & !routed;
    let routed = routed | fresh;
    unit.store(&mut block.masks.routed, routed);
    let heads = unit.load(&block.masks.heads) | fresh;
    unit.store(&mut block.masks.heads, heads);
    unit.store(&mut scratch.filled, filled);
    unit.store(&mut scratch.fresh, fresh);
    scratch.any_fresh |= !unit.is_zero::<W>(fresh).all_true();
    !unit.is_zero::<W>(routed).all_true()
}

/// Credits come back to their senders, which say what is free.
#[inline(always)]
fn credits_arrive<S: Simd, W: Word, const V: usize>(
    unit: Unit<S>,
    block: &mut Block<'_, W, V>,
    kind: &Kind<W, V>,
    inbox: &Inbox<'_, W>,
    emptied_at: Option<u64>,
    scratch: &mut Scratch<W, V>,
) {
    let from = inbox.base + unit.at;
    let (zero, one) = (unit.splat::<W>(0), unit.splat::<W>(1));
    let (mut free, mut called) = (zero, zero);
    let outputs = (block.credits.iter_mut().zip(&*block.owners)).zip(&*block.wanted);
    let outputs = outputs.zip(&kind.targets).zip(&scratch.units);
    for ((((credits, owners), wanted), reach), units) in outputs {
        let passed = reach.gather(unit, inbox.passed, from);
        for v in 0..V {
            let bit = unit.load(&units[v]);
            let comes = (passed & bit).simd_eq(bit);
            let count = unit.load(&credits[v]) + comes.select(one, zero);
            unit.store(&mut credits[v], count);
            let mut is_free = unit.is_zero::<W>(unit.load(&owners[v]));
            if let Some(flits) = emptied_at {
                is_free &= count.simd_eq(unit.splat::<W>(flits));
            }
            free |= is_free.select(bit, zero);
            called |= is_free.select(unit.load(&wanted[v]), zero);
        }
    }
    unit.store(&mut scratch.called, called);
    scratch.any_called |= !unit.is_zero::<W>(called).all_true();
    unit.store(&mut scratch.free, free);
}

/// Switch allocation, and the winners leave. What is done with heads and tails is noted in `scratch`.
#[inline(never)]
pub(super) fn switch<W: Word, const V: usize>(
    level: Level,
    block: &mut Block<'_, W, V>,
    kind: &Kind<W, V>,
    outbox: &mut Outbox<'_, W>,
    scratch: &mut Scratch<W, V>,
) {
    scratch.any_moving = false;
    scratch.any_ended = false;
    dispatch!(level, simd => along_row::<_, W>(simd, #[inline(always)] |unit| {
        switch_at(unit, block, kind, outbox, scratch);
    }));
}

#[inline(always)]
fn switch_at<S: Simd, W: Word, const V: usize>(
    unit: Unit<S>,
    block: &mut Block<'_, W, V>,
    kind: &Kind<W, V>,
    outbox: &mut Outbox<'_, W>,
    scratch: &mut Scratch<W, V>,
) {
    let last = unit.load(&block.masks.last);
    let [sent, goes_on, ejected] = outputs_take(unit, block, last, scratch);
    let won = goes_on | ejected;
    let passed = inputs_give(unit, block, kind, won, scratch);
    let to = outbox.base + unit.at;
    unit.store_to(outbox.sent, to, sent);
    unit.store_to(outbox.passed, to, passed);

    let masks = &mut *block.masks;
    let tails = won & last;
    let ahead = unit.load(&masks.ahead);
    unit.store(&mut masks.ahead, after_turns::<_, W, V>(unit, ahead, won));
    let heads = unit.load(&masks.heads);
    unit.store(&mut masks.heads, heads & !won);
    let routed = unit.load(&masks.routed);
    unit.store(&mut masks.routed, routed & !tails);
    let ejecting = unit.load(&masks.ejecting);
    unit.store(&mut masks.ejecting, ejecting & !tails);
    let injecting = unit.load(&masks.injecting);
    unit.store(&mut masks.injecting, injecting & !tails);

    let moving = heads & goes_on;
    scratch.any_moving |= !unit.is_zero::<W>(moving).all_true();
    unit.store(&mut scratch.moving, moving);
    let ended = (ejected | injecting) & tails;
    scratch.any_ended |= !unit.is_zero::<W>(ended).all_true();
    unit.store(&mut scratch.ended, ended);
    unit.store(&mut scratch.ejected, ejected);
    unit.store(&mut scratch.won, won);
    unit.store(&mut scratch.led, heads & won);
    unit.store(&mut scratch.tails, tails);
}

/// Every output takes one of the requests that input ports put to it, and channels use up a credit. What
/// channels sent, by slot, and the inputs whose flit goes on over a channel, or to the terminal.
#[inline(always)]
fn outputs_take<S: Simd, W: Word, const V: usize>(
    unit: Unit<S>,
    block: &mut Block<'_, W, V>,
    last: On<W, S>,
    scratch: &mut Scratch<W, V>,
) -> [On<W, S>; 3] {
    let (zero, one) = (unit.splat::<W>(0), unit.splat::<W>(1));
    let less = unit.splat::<W>(u64::MAX);
    let ejecting = unit.load(&block.masks.ejecting);
    let mut able = ejecting;
    for (owners, credits) in block.owners.iter().zip(&*block.credits) {
        for v in 0..V {
            let is_empty = unit.is_zero::<W>(unit.load(&credits[v]));
            able |= unit.unless::<W>(is_empty, unit.load(&owners[v]));
        }
    }
    let requests = able & unit.load(&scratch.filled);
    let chosen = one_each::<_, W, V>(unit, requests, unit.load(&block.masks.ahead));

    let (turns, ejection_turn) = block.turns.split_at_mut(block.owners.len());
    let (mut goes_on, mut sent) = (zero, zero);
    let mut moves = unit.load(&scratch.moves);
    let outputs = block.owners.iter_mut().zip(block.credits.iter_mut());
    for (((owners, credits), turn), units) in outputs.zip(turns).zip(&scratch.units) {
        let mut held = unit.load(&owners[0]);
        for owner in &owners[1..] {
            held |= unit.load(owner);
        }
        let winner = first_in_turn::<_, W, V>(unit, chosen & held, turn);
        goes_on |= winner;
        moves += unit.unless::<W>(unit.is_zero::<W>(winner), one);
        let done = !(winner & last);
        for v in 0..V {
            let owner = unit.load(&owners[v]);
            let stays = unit.is_zero::<W>(winner & owner);
            unit.store(&mut owners[v], owner & done);
            let count = unit.load(&credits[v]) + unit.unless::<W>(stays, less);
            unit.store(&mut credits[v], count);
            sent |= unit.unless::<W>(stays, unit.load(&units[v]));
        }
    }
    unit.store(&mut scratch.moves, moves);
    let ejected = first_in_turn::<_, W, V>(unit, chosen & ejecting, &mut ejection_turn[0]);
    let leaves = unit.unless::<W>(unit.is_zero::<W>(ejected), one);
    let ejections = unit.load(&scratch.ejections) + leaves;
    unit.store(&mut scratch.ejections, ejections);
    [sent, goes_on, ejected]
}

/// The inputs `won` give their front flit away. Which they are, by slot, injection left out.
#[inline(always)]
fn inputs_give<S: Simd, W: Word, const V: usize>(
    unit: Unit<S>,
    block: &mut Block<'_, W, V>,
    kind: &Kind<W, V>,
    won: On<W, S>,
    scratch: &Scratch<W, V>,
) -> On<W, S> {
    let (zero, one) = (unit.splat::<W>(0), unit.splat::<W>(1));
    let less = unit.splat::<W>(u64::MAX);
    let (mut passed, mut last) = (zero, zero);
    let mut left = block.left.iter_mut();
    let inputs = block.flits.iter_mut().zip(&kind.bits).zip(&scratch.units);
    for (((flits, bits), units), left) in inputs.zip(&mut left) {
        for v in 0..V {
            let bit = unit.load(&bits[v]);
            let stays = unit.is_zero::<W>(won & bit);
            let off = unit.unless::<W>(stays, less);
            let count = unit.load(&flits[v]) + off;
            unit.store(&mut flits[v], count);
            let rest = unit.load(&left[v]) + off;
            unit.store(&mut left[v], rest);
            passed |= unit.unless::<W>(stays, unit.load(&units[v]));
            last |= rest.simd_eq(one).select(bit, zero);
        }
    }
    let injection = left.next().expect("the injection port comes last");
    for (left, bit) in injection.iter_mut().zip(&kind.injection) {
        let bit = unit.load(bit);
        let stays = unit.is_zero::<W>(won & bit);
        let rest = unit.load(left) + unit.unless::<W>(stays, less);
        unit.store(left, rest);
        last |= rest.simd_eq(one).select(bit, zero);
    }
    unit.store(&mut block.masks.last, last);
    passed
}

/// The first of `requests` in an output's turn, which then is behind the winner's port.
#[inline(always)]
fn first_in_turn<S: Simd, W: Word, const V: usize>(
    unit: Unit<S>,
    requests: On<W, S>,
    turn: &mut Row<W>,
) -> On<W, S> {
    let ahead = unit.load(turn);
    let winner = unit.first::<W>(requests, ahead);
    // Of the winner's port and of those behind it the last bits; one up, the first bits behind it.
    let zero = unit.splat::<W>(0);
    let lasts = unit.splat::<W>(W::FIRSTS[V] << (V - 1));
    let behind = (zero - winner) & lasts;
    let behind = behind + behind;
    let behind = behind | (zero - behind);
    let none = unit.is_zero::<W>(winner);
    unit.store(turn, none.select(ahead, behind));
    winner
}

/// The ports with any of `bits`: all of their bits, and their first ones.
#[inline(always)]
fn ports_of<S: Simd, W: Word, const V: usize>(
    unit: Unit<S>,
    bits: On<W, S>,
) -> (On<W, S>, On<W, S>) {
    let firsts = unit.splat::<W>(W::FIRSTS[V]);
    let lasts = firsts << (V as u32 - 1);
    let any = (((bits | lasts) - firsts) | bits) & lasts;
    let first = any >> (V as u32 - 1);
    ((any + any) - first, first)
}

/// Of every port the first of `requests` that `ahead` has too; where it has none, the first.
#[inline(always)]
fn one_each<S: Simd, W: Word, const V: usize>(
    unit: Unit<S>,
    requests: On<W, S>,
    ahead: On<W, S>,
) -> On<W, S> {
    if V == 1 {
        return requests;
    }
    let firsts = unit.splat::<W>(W::FIRSTS[V]);
    let lasts = firsts << (V as u32 - 1);
    let preferred = requests & ahead;
    let (ports, _) = ports_of::<_, W, V>(unit, preferred);
    let rest = preferred | (requests & !ports);
    rest & !(rest & ((rest | lasts) - firsts))
}

/// `ahead` once the bits `won`, one a port, have had their turn.
#[inline(always)]
fn after_turns<S: Simd, W: Word, const V: usize>(
    unit: Unit<S>,
    ahead: On<W, S>,
    won: On<W, S>,
) -> On<W, S> {
    if V == 1 {
        return ahead;
    }
    let (ports, first) = ports_of::<_, W, V>(unit, won);
    let behind = ports & !(won | (won - first));
    (ahead & !ports) | behind
}
