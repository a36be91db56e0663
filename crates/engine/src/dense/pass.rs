//! The passes over a block's routers, without a branch on what any of them does.

use super::block::{
    Block, Firsts, HeldOf, Input, Kind, Layout, Masks, Place, Scratch, Slots, Wires,
};
use super::dispatch::dispatch;
use super::row::{Noted, On, Row, Unit, Word};
use fearless_simd::{Level, Select, Simd, SimdBase, SimdMask};

/// What the neighbours did in the last cycle: which of their outputs sent a flit, and which of their inputs passed one
/// on. By router, or, gathered, by slot and router of the block.
pub(super) struct Inbox<'a, W> {
    pub(super) sent: &'a [W],
    pub(super) passed: &'a [W],
    /// The block's first router in both; 0 where they are gathered.
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
#[inline(always)]
pub(super) fn deliver<W: Layout<V>, const V: usize>(
    level: Level,
    block: &mut Block<'_, W, V>,
    kind: &Kind<W, V>,
    inbox: &Inbox<'_, W>,
    emptied_at: Option<u64>,
    scratch: &mut Scratch<W>,
) -> bool {
    scratch.filled = block.masks.injecting;
    scratch.fresh.clear();
    scratch.called = Noted::new();
    dispatch!(level, simd => match emptied_at {
        // Told apart here, so that no output asks.
        None => arrive(simd, block, kind, inbox, None, scratch),
        Some(flits) => arrive(simd, block, kind, inbox, Some(flits), scratch),
    })
}

#[inline(always)]
fn arrive<S: Simd, W: Layout<V>, const V: usize>(
    simd: S,
    block: &mut Block<'_, W, V>,
    kind: &Kind<W, V>,
    inbox: &Inbox<'_, W>,
    emptied_at: Option<u64>,
    scratch: &mut Scratch<W>,
) -> bool {
    along_row::<_, W>(
        simd,
        #[inline(always)]
        |unit| W::Slot::free(unit, block.held, &mut scratch.free),
    );
    for (index, (slot, wires)) in block.slots.iter_mut().zip(&kind.slots).enumerate() {
        let sent = wires.source.of(inbox.sent, inbox.base);
        let passed = wires.target.of(inbox.passed, inbox.base);
        along_row::<_, W>(
            simd,
            #[inline(always)]
            |unit| {
                slot.flits_arrive(unit, &wires.input, index * V, sent, &mut scratch.filled);
                slot.credits_arrive(unit, block.held, index * V, passed, emptied_at, scratch);
            },
        );
    }
    let mut is_busy = false;
    along_row::<_, W>(
        simd,
        #[inline(always)]
        |unit| {
            is_busy |= heads_come(unit, block.masks, scratch);
        },
    );
    is_busy
}

/// Does the same at every part of a row that a vector takes.
#[inline(always)]
pub(super) fn along_row<S: Simd, W: Word>(simd: S, mut pass: impl FnMut(Unit<S>)) {
    let mut at = 0;
    while at + On::<W, S>::LEN <= W::LANES {
        pass(Unit { simd, at });
        at += On::<W, S>::LEN;
    }
}

/// Heads come to the front. Whether a packet is there now.
#[inline(always)]
fn heads_come<S: Simd, W: Word>(
    unit: Unit<S>,
    masks: &mut Masks<W>,
    scratch: &mut Scratch<W>,
) -> bool {
    let called = unit.load(&scratch.called.row);
    scratch.called.note(unit, called);
    let routed = unit.load(&masks.routed);
    let fresh = unit.load(&scratch.filled) & !routed;
    scratch.fresh.note(unit, fresh);
    let routed = routed | fresh;
    unit.store(&mut masks.routed, routed);
    let heads = unit.load(&masks.heads) | fresh;
    unit.store(&mut masks.heads, heads);
    !unit.is_zero::<W>(routed).all_true()
}

/// Switch allocation, and the winners leave. What is done with heads and tails is noted in `scratch`.
#[inline(always)]
pub(super) fn switch<W: Layout<V>, const V: usize>(
    level: Level,
    block: &mut Block<'_, W, V>,
    kind: &Kind<W, V>,
    outbox: &mut Outbox<'_, W>,
    scratch: &mut Scratch<W>,
) {
    scratch.moving.clear();
    scratch.delivered.clear();
    scratch.injected.clear();
    let (terminal, slots) = block.slots.split_last_mut().expect("the terminal's");
    let mut ports = Ports {
        wires: &kind.slots[..slots.len()],
        slots,
        terminal,
        injection: &kind.injection,
        held: block.held,
    };
    dispatch!(level, simd => along_row::<_, W>(simd, #[inline(always)] |unit| {
        switch_at(unit, &mut ports, block.masks, outbox, scratch);
    }));
}

/// The ports of a block's routers.
struct Ports<'a, W: Layout<V>, const V: usize> {
    slots: &'a mut [W::Slot],
    wires: &'a [Wires<W, V>],
    terminal: &'a mut W::Slot,
    injection: &'a Input<W, V>,
    held: &'a mut HeldOf<W, V>,
}

#[inline(always)]
fn switch_at<S: Simd, W: Layout<V>, const V: usize>(
    unit: Unit<S>,
    ports: &mut Ports<'_, W, V>,
    masks: &mut Masks<W>,
    outbox: &mut Outbox<'_, W>,
    scratch: &mut Scratch<W>,
) {
    let [sent, goes_on, ejected] = outputs_take(unit, ports, masks, scratch);
    let won = goes_on | ejected;
    let (passed, last) = inputs_give(unit, ports, won, &masks.last);
    let to = outbox.base + unit.at;
    unit.store_to(outbox.sent, to, sent);
    unit.store_to(outbox.passed, to, passed);

    let tails = won & unit.load(&masks.last);
    unit.store(&mut masks.last, last);
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
    scratch.moving.note(unit, moving);
    scratch.delivered.note(unit, ejected & tails);
    scratch.injected.note(unit, injecting & tails);
    unit.store(&mut scratch.won, won);
    unit.store(&mut scratch.led, heads & won);
    unit.store(&mut scratch.tails, tails);
}

/// Every output takes one of the requests that input ports put to it, and channels use up a credit. What
/// channels sent, by slot, and the inputs whose flit goes on over a channel, or to the terminal.
#[inline(always)]
fn outputs_take<S: Simd, W: Layout<V>, const V: usize>(
    unit: Unit<S>,
    ports: &mut Ports<'_, W, V>,
    masks: &Masks<W>,
    scratch: &mut Scratch<W>,
) -> [On<W, S>; 3] {
    let (zero, one) = (unit.splat::<W>(0), unit.splat::<W>(1));
    let (ejecting, last) = (unit.load(&masks.ejecting), unit.load(&masks.last));
    let holding = W::Slot::holding(unit, ports.held);
    let mut able = ejecting;
    for slot in &*ports.slots {
        able |= slot.able(unit, holding);
    }
    let requests = able & unit.load(&scratch.filled);
    let chosen = one_each::<_, W, V>(unit, requests, unit.load(&masks.ahead));

    let (mut goes_on, mut sent, mut freed) = (zero, zero, zero);
    let mut moves = unit.load(&scratch.moves);
    for (slot, place) in ports.slots.iter_mut().zip(Place::each(unit, V)) {
        let bids = chosen & slot.holders(unit);
        let winner = first_in_turn::<_, W, V>(unit, bids, slot.turn());
        goes_on |= winner;
        moves += unit.unless::<W>(unit.is_zero::<W>(winner), one);
        let tail = winner & last;
        let used = slot.send(unit, holding, place, winner, tail);
        sent |= used;
        freed |= unit.unless::<W>(unit.is_zero::<W>(tail), used);
    }
    W::Slot::release(unit, ports.held, freed, &scratch.free);
    unit.store(&mut scratch.moves, moves);
    let ejected = first_in_turn::<_, W, V>(unit, chosen & ejecting, ports.terminal.turn());
    let leaves = unit.unless::<W>(unit.is_zero::<W>(ejected), one);
    let ejections = unit.load(&scratch.ejections) + leaves;
    unit.store(&mut scratch.ejections, ejections);
    [sent, goes_on, ejected]
}

/// The inputs `won` give their front flit away; `last` are those whose next flit was a tail. Which they are, by slot,
/// injection left out; and the inputs whose next flit is a tail now.
#[inline(always)]
fn inputs_give<S: Simd, W: Layout<V>, const V: usize>(
    unit: Unit<S>,
    ports: &mut Ports<'_, W, V>,
    won: On<W, S>,
    last: &Row<W>,
) -> (On<W, S>, On<W, S>) {
    let mut passed = unit.splat::<W>(0);
    // Only who gives a flit can come to its tail.
    let mut next = unit.load(last) & !won;
    let places = Place::each(unit, V);
    for ((slot, wires), place) in ports.slots.iter_mut().zip(ports.wires).zip(places) {
        let (of_slot, of_port) = slot.give(unit, &wires.input, place, won);
        passed |= of_slot;
        next |= of_port;
    }
    let of_port = ports.terminal.give_of_terminal(unit, ports.injection, won);
    (passed, next | of_port)
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
    unit.store(turn, turn_after::<_, W>(unit, V, winner, ahead));
    winner
}

/// What comes first at an output whose turn was `ahead`, once `winner` has had its turn, if there is one: the
/// ports, of `vcs` bits each, behind its own.
#[inline(always)]
pub(super) fn turn_after<S: Simd, W: Word>(
    unit: Unit<S>,
    vcs: usize,
    winner: On<W, S>,
    ahead: On<W, S>,
) -> On<W, S> {
    // Of the winner's port and of those behind it the last bits; one up, the first bits behind it.
    let zero = unit.splat::<W>(0);
    let lasts = unit.splat::<W>(W::FIRSTS[vcs] << (vcs - 1));
    let behind = (zero - winner) & lasts;
    let behind = behind + behind;
    let behind = behind | (zero - behind);
    let none = unit.is_zero::<W>(winner);
    none.select(ahead, behind)
}

/// The ports, of `vcs` bits each, with any of `bits`: all of their bits, and their first ones.
#[inline(always)]
pub(super) fn ports_of<S: Simd, W: Word>(
    unit: Unit<S>,
    vcs: usize,
    bits: On<W, S>,
) -> (On<W, S>, On<W, S>) {
    let firsts = unit.splat::<W>(W::FIRSTS[vcs]);
    let last = vcs as u32 - 1;
    let lasts = firsts << last;
    let any = (((bits | lasts) - firsts) | bits) & lasts;
    let first = any >> last;
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
    let (ports, _) = ports_of::<_, W>(unit, V, preferred);
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
    let (ports, first) = ports_of::<_, W>(unit, V, won);
    let behind = ports & !(won | (won - first));
    (ahead & !ports) | behind
}
