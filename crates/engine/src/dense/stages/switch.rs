//! Switch allocation of a block of routers in stages, and the winners' leaving.

use super::block::{Output, StagedBlock, StagedScratch, lower_ones};
use super::pass::{call_at, heads_come};
use super::rules::Rules;
use crate::dense::block::Kind;
use crate::dense::block::MANY;
use crate::dense::dispatch::dispatch;
use crate::dense::packed::{Number, Packed};
use crate::dense::pass::{Outbox, along_row, ports_of, turn_after};
use crate::dense::row::{On, Row, Unit, Word};
use fearless_simd::{Level, Select, Simd};

/// Heads come to the front, and are called, unless that is done; switch allocation, and the winners leave. What is
/// done with heads and tails is noted in `scratch`. False where nothing was left to do.
#[inline(always)]
pub(super) fn switch<W: Word, const V: usize>(
    level: Level,
    rules: Rules,
    block: &mut StagedBlock<'_, W, V>,
    kind: &Kind<W, V>,
    outbox: &mut Outbox<'_, W>,
    scratch: &mut StagedScratch<W>,
) -> bool {
    scratch.common.moving.clear();
    scratch.common.delivered.clear();
    if !rules.speculates {
        scratch.forget_heads();
    }
    // Ports of one virtual channel have one way.
    match rules.ways > 1 && V > 1 {
        false => dispatch!(level, simd => {
            switch_all::<_, _, V, 1>(simd, rules, block, kind, outbox, scratch)
        }),
        true => dispatch!(level, simd => {
            switch_all::<_, _, V, 2>(simd, rules, block, kind, outbox, scratch)
        }),
    }
}

#[inline(always)]
fn switch_all<S: Simd, W: Word, const V: usize, const WAYS: usize>(
    simd: S,
    rules: Rules,
    block: &mut StagedBlock<'_, W, V>,
    kind: &Kind<W, V>,
    outbox: &mut Outbox<'_, W>,
    scratch: &mut StagedScratch<W>,
) -> bool {
    let is_busy = match rules.speculates {
        true => scratch.is_busy,
        false => heads_come(simd, block, kind, scratch),
    };
    if !is_busy {
        return false;
    }
    // Those who came to the front earlier.
    let calls = !rules.speculates && rules.asks_after > 0 && scratch.any_asking;
    along_row::<_, W>(
        simd,
        #[inline(always)]
        |unit| {
            if calls {
                call_at(unit, block, scratch);
            }
            switch_at::<_, _, V, WAYS>(unit, rules, block, kind, outbox, scratch);
        },
    );
    true
}

#[inline(always)]
fn switch_at<S: Simd, W: Word, const V: usize, const WAYS: usize>(
    unit: Unit<S>,
    rules: Rules,
    block: &mut StagedBlock<'_, W, V>,
    kind: &Kind<W, V>,
    outbox: &mut Outbox<'_, W>,
    scratch: &mut StagedScratch<W>,
) {
    let masks = &mut *block.masks;
    // Virtual channels of an input of the switch.
    let vcs = V / WAYS;
    let number = Number::load(unit, &masks.held);
    match rules.switches_input_first {
        true => inputs_choose(unit, rules, vcs, block.slots, number, &masks.older, scratch),
        false => outputs_choose(unit, rules, vcs, block.slots, number, &masks.older, scratch),
    }
    let [sent, freed, goes_on, ejected] =
        outputs_send(unit, rules, vcs, block.slots, number, &masks.last, scratch);
    masks.held.release(unit, freed);
    let won = goes_on | ejected;
    let (passed, last) = inputs_give::<_, _, V, WAYS>(unit, block.slots, kind, won, &masks.last);
    let to = outbox.base + unit.at;
    unit.store_to(outbox.sent, to, sent);
    unit.store_to(outbox.passed, to, passed);
    let mut turned = won;
    if rules.speculates {
        // A guess that won in vain has had its turn.
        for output in &scratch.outputs[..block.slots.len()] {
            turned |= unit.load(&output.bids);
        }
    }
    match rules.inputs_in_turn {
        false => served(unit, vcs, &mut masks.older, turned),
        true => turned_past(unit, vcs, &mut masks.older, turned),
    }

    let scratch = &mut scratch.common;
    let tails = won & unit.load(&masks.last);
    unit.store(&mut masks.last, last);
    let heads = unit.load(&masks.heads);
    unit.store(&mut masks.heads, heads & !won);
    let routed = unit.load(&masks.routed);
    unit.store(&mut masks.routed, routed & !tails);

    let moving = heads & goes_on;
    scratch.moving.note(unit, moving);
    scratch.delivered.note(unit, ejected & tails);
    unit.store(&mut scratch.won, won);
    unit.store(&mut scratch.led, heads & won);
    unit.store(&mut scratch.tails, tails);
}

/// The heads of a vector's routers that speculate.
#[derive(Clone, Copy)]
struct Speculating<W: Word, S: Simd> {
    /// Those that bid, and those that got a virtual channel in this cycle.
    guesses: On<W, S>,
    given: On<W, S>,
}

impl<W: Word, S: Simd> Speculating<W, S> {
    /// `None` where heads do not.
    #[inline(always)]
    fn load(unit: Unit<S>, rules: Rules, scratch: &StagedScratch<W>) -> Option<Self> {
        if !rules.speculates {
            return None;
        }
        Some(Self {
            guesses: unit.load(&scratch.guesses),
            given: unit.load(&scratch.given),
        })
    }

    /// Of `bits` those that are no guess; all where none are.
    #[inline(always)]
    fn sooner(this: Option<Self>, unit: Unit<S>, bits: On<W, S>) -> On<W, S> {
        match this {
            None => bits,
            Some(Self { guesses, .. }) => {
                let sooner = bits & !guesses;
                unit.is_zero::<W>(sooner).select(bits, sooner)
            }
        }
    }
}

/// The bids for an output: flits at the front of those that hold a virtual channel with a credit; and heads
/// that ask for one. Notes who can leave, where that is not all of them.
#[inline(always)]
fn bids<S: Simd, W: Word, const V: usize>(
    unit: Unit<S>,
    slot: &Packed<W, V>,
    number: Number<W, S>,
    front: On<W, S>,
    speculating: Option<Speculating<W, S>>,
    output: &mut Output<W>,
) -> On<W, S> {
    let able = slot.able(unit, number);
    let Some(Speculating { guesses, given }) = speculating else {
        return able & front;
    };
    unit.store(&mut output.able, able);
    // Of this output: those that still want it, and those that got it just now.
    let of_output = unit.load(&slot.wanted) | unit.load(&slot.holders);
    able & front & !given | guesses & of_output
}

/// Every output takes one of the bids put to it, and every input the first in turn of the outputs that
/// took it. Notes of every output the bid that it took, and the input where that goes.
#[inline(always)]
fn outputs_choose<S: Simd, W: Word, const V: usize>(
    unit: Unit<S>,
    rules: Rules,
    vcs: usize,
    slots: &[Packed<W, V>],
    number: Number<W, S>,
    older: &[Row<W>; V],
    scratch: &mut StagedScratch<W>,
) {
    let speculating = Speculating::load(unit, rules, scratch);
    let ranked = speculating.filter(|_| rules.guesses_last);
    let front = unit.load(&scratch.common.filled);
    let mut busy = unit.splat::<W>(0);
    for (slot, output) in slots.iter().zip(&mut scratch.outputs) {
        let bids = bids(unit, slot, number, front, speculating, output);
        let bids = Speculating::sooner(ranked, unit, bids);
        let first = unit.first::<W>(bids, unit.load(&slot.turn));
        let (input, _) = ports_of::<_, W>(unit, vcs, first);
        // Of an input's bids for one output, no guess if it can.
        let mut of_input = Speculating::sooner(speculating, unit, bids & input);
        if vcs < MANY {
            of_input = longest_waiting(unit, vcs, of_input, older);
        }
        let in_turn = input & unit.load(&slot.after) & !busy;
        busy |= in_turn;
        unit.store(&mut output.bids, of_input);
        unit.store(&mut output.inputs, input);
        unit.store(&mut output.in_turn, in_turn);
    }
    let outputs = &mut scratch.outputs[..slots.len()];
    if let Some(ranked) = ranked {
        (_, busy) = accept_by_rank(unit, vcs, slots, outputs, ranked);
    }
    let mut accepted = unit.splat::<W>(0);
    for output in &mut *outputs {
        let rest = unit.load(&output.inputs) & !busy;
        busy |= rest;
        let input = unit.load(&output.in_turn) | rest;
        unit.store(&mut output.inputs, input);
        let bids = unit.load(&output.bids) & input;
        accepted |= bids;
        unit.store(&mut output.bids, bids);
    }
    if vcs >= MANY {
        // All that are left of an input bid for one output.
        let taken = longest_waiting(unit, vcs, accepted, older);
        for output in outputs {
            let bids = unit.load(&output.bids) & taken;
            unit.store(&mut output.bids, bids);
        }
    }
}

/// Every input puts one bid forward, for the output next in turn, and every output takes one of those put
/// to it. Notes the same.
#[inline(always)]
fn inputs_choose<S: Simd, W: Word, const V: usize>(
    unit: Unit<S>,
    rules: Rules,
    vcs: usize,
    slots: &[Packed<W, V>],
    number: Number<W, S>,
    older: &[Row<W>; V],
    scratch: &mut StagedScratch<W>,
) {
    let ranked = Speculating::load(unit, rules, scratch);
    let front = unit.load(&scratch.common.filled);
    let mut busy = unit.splat::<W>(0);
    for (slot, output) in slots.iter().zip(&mut scratch.outputs) {
        let bids = bids(unit, slot, number, front, ranked, output);
        let (inputs, _) = ports_of::<_, W>(unit, vcs, bids);
        let in_turn = inputs & unit.load(&slot.after) & !busy;
        busy |= in_turn;
        unit.store(&mut output.bids, bids);
        unit.store(&mut output.inputs, inputs);
        unit.store(&mut output.in_turn, in_turn);
    }
    let outputs = &mut scratch.outputs[..slots.len()];
    let mut put = unit.splat::<W>(0);
    match ranked {
        Some(ranked) => (put, _) = accept_by_rank(unit, vcs, slots, outputs, ranked),
        None => {
            for output in &*outputs {
                let rest = unit.load(&output.inputs) & !busy;
                busy |= rest;
                put |= unit.load(&output.bids) & (unit.load(&output.in_turn) | rest);
            }
        }
    }
    // All that are left of an input bid for one output.
    let put = longest_waiting(unit, vcs, put, older);
    for (slot, output) in slots.iter().zip(outputs) {
        let bids = unit.load(&output.bids) & put;
        let bids = Speculating::sooner(ranked, unit, bids);
        let taken = unit.first::<W>(bids, unit.load(&slot.turn));
        let (input, _) = ports_of::<_, W>(unit, vcs, taken);
        unit.store(&mut output.bids, taken);
        unit.store(&mut output.inputs, input);
    }
}

/// Every input accepts the output next in turn among those with a bid of its that is no guess, else among
/// all. Notes of every output the inputs that accept it. The bids accepted, and the inputs that have any.
#[inline(always)]
fn accept_by_rank<S: Simd, W: Word, const V: usize>(
    unit: Unit<S>,
    vcs: usize,
    slots: &[Packed<W, V>],
    outputs: &mut [Output<W>],
    Speculating { guesses, .. }: Speculating<W, S>,
) -> (On<W, S>, On<W, S>) {
    let (mut put, mut busy) = (unit.splat::<W>(0), unit.splat::<W>(0));
    for output in &mut *outputs {
        unit.store(&mut output.in_turn, put);
    }
    for rank in [!guesses, guesses] {
        let behind = unit.splat::<W>(u64::MAX);
        for is_ahead in [true, false] {
            for (slot, output) in slots.iter().zip(&mut *outputs) {
                let bids = unit.load(&output.bids) & rank;
                let (inputs, _) = ports_of::<_, W>(unit, vcs, bids);
                let next = if is_ahead {
                    unit.load(&slot.after)
                } else {
                    behind
                };
                let accepted = inputs & next & !busy;
                busy |= accepted;
                put |= bids & accepted;
                let accepted = unit.load(&output.in_turn) | accepted;
                unit.store(&mut output.in_turn, accepted);
            }
        }
    }
    (put, busy)
}

/// The winners use up a credit, and turns move. What was sent, by slot, and which of it were tails; and the
/// inputs whose flit goes on over a channel, or to the terminal.
#[inline(always)]
fn outputs_send<S: Simd, W: Word, const V: usize>(
    unit: Unit<S>,
    rules: Rules,
    vcs: usize,
    slots: &mut [Packed<W, V>],
    number: Number<W, S>,
    last: &Row<W>,
    scratch: &mut StagedScratch<W>,
) -> [On<W, S>; 4] {
    let (zero, one) = (unit.splat::<W>(0), unit.splat::<W>(1));
    let last = unit.load(last);
    let mut busy = zero;
    for output in &scratch.outputs[..slots.len()] {
        busy |= unit.load(&output.inputs);
    }
    let (mut all, mut before, mut winner) = (zero, zero, zero);
    let (mut sent, mut freed) = (zero, zero);
    let mut moves = unit.load(&scratch.common.moves);
    for (index, (slot, output)) in slots.iter_mut().zip(&scratch.outputs).enumerate() {
        // Those before went on over channels; the terminal's comes last.
        moves += unit.unless::<W>(unit.is_zero::<W>(winner), one);
        all |= winner;
        let taken = unit.load(&output.bids);
        winner = match rules.speculates {
            true => taken & unit.load(&output.able),
            false => taken,
        };
        let after = unit.load(&slot.after) & !busy | before;
        unit.store(&mut slot.after, after);
        before |= unit.load(&output.inputs);
        let turn = turn_after::<_, W>(unit, vcs, taken, unit.load(&slot.turn));
        unit.store(&mut slot.turn, turn);
        let tail = winner & last;
        let used = slot.send(unit, number, index, winner, tail);
        sent |= used;
        freed |= unit.unless::<W>(unit.is_zero::<W>(tail), used);
    }
    unit.store(&mut scratch.common.moves, moves);
    let leaves = unit.unless::<W>(unit.is_zero::<W>(winner), one);
    let ejections = unit.load(&scratch.common.ejections) + leaves;
    unit.store(&mut scratch.common.ejections, ejections);
    [sent, freed, all, winner]
}

/// The inputs `won`, of `WAYS` a port, give their front flit away; `last` are those whose next flit was a tail. Who
/// gave one, by slot, and the inputs whose next flit is a tail now.
#[inline(always)]
fn inputs_give<S: Simd, W: Word, const V: usize, const WAYS: usize>(
    unit: Unit<S>,
    slots: &mut [Packed<W, V>],
    kind: &Kind<W, V>,
    won: On<W, S>,
    last: &Row<W>,
) -> (On<W, S>, On<W, S>) {
    let mut passed = unit.splat::<W>(0);
    // Of one winner a port that is seen at once.
    let carries = V >= MANY && WAYS == 1;
    let mut last = match carries {
        true => unit.load(last) & !won,
        false => passed,
    };
    let inputs = kind.slots.iter().map(|wires| &wires.input);
    let ports = slots.iter_mut().zip(inputs.chain([&kind.injection]));
    for (index, (slot, input)) in ports.enumerate() {
        let (gone, of_port) = match carries {
            true => slot.leave::<_, true>(unit, input, won),
            false => slot.leave::<_, false>(unit, input, won),
        };
        passed |= slot.pass_on(unit, index, gone);
        last |= of_port;
    }
    (passed, last)
}

/// Whether the virtual channel so far ahead of the `vcs` of an input, going round, is among `bits`.
#[inline(always)]
fn ahead<S: Simd, W: Word>(unit: Unit<S>, vcs: usize, bits: On<W, S>, distance: usize) -> On<W, S> {
    let lower = unit.splat::<W>(lower_ones::<W>(vcs, distance));
    let beyond = bits << (vcs - distance) as u32;
    bits >> distance as u32 & lower | beyond & !lower
}

/// Of the `bits` of each input, of `vcs` virtual channels, the one served longest ago.
#[inline(always)]
fn longest_waiting<S: Simd, W: Word, const V: usize>(
    unit: Unit<S>,
    vcs: usize,
    bits: On<W, S>,
    older: &[Row<W>; V],
) -> On<W, S> {
    let mut longest = bits;
    for distance in 1..vcs {
        let other = ahead::<_, W>(unit, vcs, bits, distance);
        longest &= unit.load(&older[distance - 1]) | !other;
    }
    longest
}

/// The bits `won`, one an input, were served last.
#[inline(always)]
fn served<S: Simd, W: Word, const V: usize>(
    unit: Unit<S>,
    vcs: usize,
    older: &mut [Row<W>; V],
    won: On<W, S>,
) {
    for distance in 1..vcs {
        let row = &mut older[distance - 1];
        let before = unit.load(row) & !won | ahead::<_, W>(unit, vcs, won, distance);
        unit.store(row, before);
    }
}

/// The same where virtual channels take turns: the one behind `won` goes first, and the others in their order.
#[inline(always)]
fn turned_past<S: Simd, W: Word, const V: usize>(
    unit: Unit<S>,
    vcs: usize,
    older: &mut [Row<W>; V],
    won: On<W, S>,
) {
    let (inputs, _) = ports_of::<_, W>(unit, vcs, won);
    let mut first = unit.splat::<W>(0);
    for distance in (1..vcs).rev() {
        let row = &mut older[distance - 1];
        first |= ahead::<_, W>(unit, vcs, won, distance);
        let before = unit.load(row) & !inputs | first;
        unit.store(row, before);
    }
}
