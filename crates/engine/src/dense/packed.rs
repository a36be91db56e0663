//! Slots in which the counts of a port's virtual channels stand side by side in one word: fewer rows, and all of a port at once.

use super::block::{Input, Reached};
use super::counts::{
    any_each, are_all, count_at, count_mask, count_of, each_count, each_one, one_each, ones_among,
    whole_counts, width, with_any,
};
use super::row::{On, Row, Unit, Word};
use fearless_simd::{Select, Simd};
use flitsim_topology::archived;

/// A slot's rows. In stages the terminal's is used like any other: its input is the injection buffers, its output the
/// way to the terminal. Else it has what is left of packets and its turn alone.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Packed<W: Word, const V: usize> {
    /// By virtual channel, counts: flits of the input; flits of its front packet that have not left;
    /// credits of the output.
    pub(super) flits: Row<W>,
    pub(super) left: Row<W>,
    pub(super) credits: Row<W>,
    /// The inputs that hold a virtual channel of the output.
    pub(super) holders: Row<W>,
    /// The heads that want a virtual channel of the output.
    pub(super) wanted: Row<W>,
    /// The inputs that are ahead in the output's turn.
    pub(super) turn: Row<W>,
    /// In stages: the inputs, all of their bits, whose turn the output is still ahead of.
    pub(super) after: Row<W>,
}

archived! { Packed<W, V> where [W: Word, const V: usize] {
    flits, left, credits, holders, wanted, turn, after
} }

/// Bits of the number of a virtual channel.
const NUMBER_BITS: usize = 3;

/// The virtual channels that are held, and by whom.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Held<W: Word> {
    /// Those of outputs, by slot.
    pub(super) vcs: Row<W>,
    /// The number of the one that an input holds, of its output's: of each of its bits, the inputs where it is set. Of
    /// inputs that hold none it says nothing.
    number: [Row<W>; NUMBER_BITS],
}

archived! { Held<W> where [W: Word] { vcs, number } }

impl<W: Word> Held<W> {
    /// None.
    pub(super) fn new() -> Self {
        let none = W::of(0).row();
        Self {
            vcs: none,
            number: [none; NUMBER_BITS],
        }
    }

    /// Those of outputs that nobody holds.
    #[inline(always)]
    pub(super) fn free<S: Simd>(&self, unit: Unit<S>, free: &mut Row<W>) {
        let held = unit.load(&self.vcs);
        unit.store(free, !held);
    }

    /// Nobody holds `freed` any more.
    #[inline(always)]
    pub(super) fn release<S: Simd>(&mut self, unit: Unit<S>, freed: On<W, S>) {
        let vcs = unit.load(&self.vcs) & !freed;
        unit.store(&mut self.vcs, vcs);
    }

    /// Notes that the input at `bit` of `lane` holds virtual channel `vc` of `output`.
    #[inline(always)]
    fn take<const V: usize>(&mut self, lane: usize, bit: usize, output: usize, vc: usize) {
        let taken = 1 << (output * V + vc);
        debug_assert_eq!(self.vcs.get(lane) & taken, 0);
        self.vcs.insert(lane, taken);
        for (b, row) in self.number.iter_mut().enumerate() {
            if 1 << b < V {
                let others = row.get(lane) & !(1 << bit);
                row.set(lane, others | (vc as u64 >> b & 1) << bit);
            }
        }
    }
}

/// The number of the virtual channel that an input holds, bit by bit.
#[derive(Clone, Copy)]
pub(super) struct Number<W: Word, S: Simd>([On<W, S>; NUMBER_BITS]);

impl<W: Word, S: Simd> Number<W, S> {
    #[inline(always)]
    pub(super) fn load(unit: Unit<S>, held: &Held<W>) -> Self {
        Self(held.number.each_ref().map(|row| unit.load(row)))
    }

    /// The inputs that would hold virtual channel `vc` of `V`.
    #[inline(always)]
    fn is<const V: usize>(self, unit: Unit<S>, vc: usize) -> On<W, S> {
        let mut inputs = unit.splat::<W>(u64::MAX);
        for (b, row) in self.0.into_iter().enumerate() {
            if 1 << b < V {
                inputs &= if vc >> b & 1 == 1 { row } else { !row };
            }
        }
        inputs
    }

    /// One of the virtual channel, of `V`, that the `winner` holds, if there is one.
    #[inline(always)]
    fn one_of<const V: usize>(self, unit: Unit<S>, winner: On<W, S>) -> On<W, S> {
        let mut one = unit.unless::<W>(unit.is_zero::<W>(winner), unit.splat::<W>(1));
        for (b, row) in self.0.into_iter().enumerate() {
            if 1 << b < V {
                let is_clear = unit.is_zero::<W>(winner & row);
                let moved = one << (width::<W, V>() << b) as u32;
                one = is_clear.select(one, moved);
            }
        }
        one
    }
}

impl<W: Word, const V: usize> Packed<W, V> {
    /// Empty, with all `credits`.
    pub(super) fn new(credits: u32) -> Self {
        let (none, all) = (W::of(0).row(), W::of(u64::MAX).row());
        Self {
            flits: none,
            left: none,
            credits: W::of(each_count::<W, V>(u64::from(credits))).row(),
            holders: none,
            wanted: none,
            turn: all,
            after: all,
        }
    }

    /// Credits of virtual channel `vc`.
    #[inline(always)]
    pub(super) fn credits(&self, lane: usize, vc: usize) -> u64 {
        count_of::<W, V>(self.credits.get(lane), vc)
    }

    /// A packet of `flits` flits has come to the front of virtual channel `vc`.
    #[inline(always)]
    pub(super) fn begin(&mut self, lane: usize, vc: usize, flits: u64) {
        debug_assert_eq!(count_of::<W, V>(self.left.get(lane), vc), 0);
        self.left.insert(lane, count_at::<W, V>(flits, vc));
    }

    /// Flits come into the buffers; `first` is the slot's first bit in planes. Adds the inputs with a flit to `filled`.
    #[inline(always)]
    pub(super) fn flits_arrive<S: Simd>(
        &mut self,
        unit: Unit<S>,
        input: &Input<W, V>,
        first: usize,
        sent: Reached<'_, W>,
        filled: &mut Row<W>,
    ) {
        let come = one_each::<_, W, V>(unit, sent.load(unit), first);
        let flits = unit.load(&self.flits) + come;
        unit.store(&mut self.flits, flits);
        let now = unit.load(filled) | with_any(unit, flits, input);
        unit.store(filled, now);
    }

    /// The inputs that hold a virtual channel with a credit.
    #[inline(always)]
    pub(super) fn able<S: Simd>(&self, unit: Unit<S>, number: Number<W, S>) -> On<W, S> {
        let credits = unit.load(&self.credits);
        let able = unit.load(&self.holders);
        // Mostly there are credits of all. Of few virtual channels it takes as long to see that.
        if V > 4 && are_all::<_, W, V>(unit, credits) {
            return able;
        }
        let mut have = unit.splat::<W>(0);
        for v in 0..V {
            let is_empty = unit.is_zero::<W>(credits & count_mask::<_, W, V>(unit, v));
            have |= unit.unless::<W>(is_empty, number.is::<V>(unit, v));
        }
        able & have
    }

    /// The `winner` uses up a credit, and holds nothing any more if it is a `tail`. What the slot, the `index`-th, sent.
    #[inline(always)]
    pub(super) fn send<S: Simd>(
        &mut self,
        unit: Unit<S>,
        number: Number<W, S>,
        index: usize,
        winner: On<W, S>,
        tail: On<W, S>,
    ) -> On<W, S> {
        let used = number.one_of::<V>(unit, winner);
        let credits = unit.load(&self.credits) - used;
        unit.store(&mut self.credits, credits);
        let holders = unit.load(&self.holders) & !tail;
        unit.store(&mut self.holders, holders);
        each_one::<_, W, V>(unit, used) << (index * V) as u32
    }

    /// The input at `bit` holds virtual channel `vc` of this output, the `index`-th.
    #[inline(always)]
    pub(super) fn take(
        &mut self,
        held: &mut Held<W>,
        lane: usize,
        bit: usize,
        index: usize,
        vc: usize,
    ) {
        self.holders.insert(lane, 1 << bit);
        held.take::<V>(lane, bit, index, vc);
    }

    /// Credits come back to the sender. Where a virtual channel is given anew only when it is empty, those that
    /// are not are not free.
    #[inline(always)]
    pub(super) fn credits_come<S: Simd>(
        &mut self,
        unit: Unit<S>,
        first: usize,
        passed: Reached<'_, W>,
        emptied_at: Option<u64>,
        free: &mut Row<W>,
    ) {
        let come = one_each::<_, W, V>(unit, passed.load(unit), first);
        let credits = unit.load(&self.credits) + come;
        unit.store(&mut self.credits, credits);
        if let Some(flits) = emptied_at {
            let missing = credits ^ unit.splat::<W>(each_count::<W, V>(flits));
            let filled = any_each::<_, W, V>(unit, missing) << first as u32;
            let rest = unit.load(free) & !filled;
            unit.store(free, rest);
        }
    }

    /// Those of the port's inputs that `won` have one flit less of their packet: one of each, and, where
    /// `CARRIES`, those of them whose next flit is a tail; else all inputs of the port of which that holds.
    #[inline(always)]
    pub(super) fn leave<S: Simd, const CARRIES: bool>(
        &mut self,
        unit: Unit<S>,
        input: &Input<W, V>,
        won: On<W, S>,
    ) -> (On<W, S>, On<W, S>) {
        let gone = ones_among::<_, W, V>(unit, won, input);
        let left = unit.load(&self.left) - gone;
        unit.store(&mut self.left, left);
        let but_one = left ^ unit.splat::<W>(each_count::<W, V>(1));
        let all = unit.load(&input.all);
        if CARRIES {
            // Of one winner a port.
            let of_winner = but_one & whole_counts::<_, W, V>(gone);
            let is_last = unit.is_zero::<W>(of_winner);
            return (gone, is_last.select(won & all, unit.splat::<W>(0)));
        }
        (gone, all & !with_any::<_, W, V>(unit, but_one, input))
    }

    /// The flits `gone` leave their buffers. Who gave one, by slot, of which this is `index`.
    #[inline(always)]
    pub(super) fn pass_on<S: Simd>(
        &mut self,
        unit: Unit<S>,
        index: usize,
        gone: On<W, S>,
    ) -> On<W, S> {
        let flits = unit.load(&self.flits) - gone;
        unit.store(&mut self.flits, flits);
        each_one::<_, W, V>(unit, gone) << (index * V) as u32
    }
}
