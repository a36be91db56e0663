//! A block of routers in stages.

use super::rules::Rules;
use crate::dense::block::{Firsts, SLOTS_MAX, Scratch};
use crate::dense::counts::each_count;
use crate::dense::packed::{Held, Packed};
use crate::dense::row::{Noted, Row, Word};
use flitsim_topology::archived;

/// Sets of input virtual channels, as bits, and places in the injection buffers.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct StagedMasks<W: Word, const V: usize> {
    /// Those whose front packet is routed.
    pub(super) routed: Row<W>,
    /// Those of them whose head has not left.
    pub(super) heads: Row<W>,
    /// Those whose head may get a virtual channel.
    pub(super) asking: Row<W>,
    /// Those whose next flit is a tail: of whose front packet one flit is left.
    pub(super) last: Row<W>,
    /// The virtual channels of outputs that are held.
    pub(super) held: Held<W>,
    /// By distance less one: those that go before the virtual channel that is so far ahead in their input of the
    /// switch, going round. Those for more distances than an input has virtual channels, less one, are not used.
    pub(super) older: [Row<W>; V],
    /// By injection virtual channel, a byte each: places that its source knows to be free.
    pub(super) room: Row<W>,
}

archived! { StagedMasks<W, V> where [W: Word, const V: usize] {
    routed, heads, asking, last, held, older, room
} }

/// A block's rows.
pub(in crate::dense) struct StagedBlock<'a, W: Word, const V: usize> {
    /// The terminal's comes last.
    pub(super) slots: &'a mut [Packed<W, V>],
    pub(super) masks: &'a mut StagedMasks<W, V>,
    /// The heads that came to the front as long ago as a head asks after that; none where it asks at once.
    pub(super) came: Option<&'a mut Row<W>>,
}

/// The rows of all blocks.
#[derive(Debug)]
pub(super) struct StagedBlocks<W: Word, const V: usize> {
    slots: Vec<Packed<W, V>>,
    masks: Vec<StagedMasks<W, V>>,
    /// By block and cycle, modulo `asks_after`.
    came: Vec<Row<W>>,
    each: usize,
    asks_after: usize,
}

archived! { StagedBlocks<W, V> where [W: Word, const V: usize] {
    ; fixed slots, masks, came; rebuilt each, asks_after
} }

impl<W: Word, const V: usize> StagedBlocks<W, V> {
    /// `blocks` of them, with `slots` channels each way, all empty and with all `credits`, as `rules` say.
    pub(super) fn new(blocks: usize, slots: usize, credits: u32, rules: Rules) -> Self {
        let (asks_after, vcs) = (rules.asks_after, V / rules.ways);
        let none = W::of(0).row();
        let masks = StagedMasks {
            routed: none,
            heads: none,
            asking: none,
            last: none,
            held: Held::new(),
            // Of those never served the lower comes first.
            older: std::array::from_fn(|less| match less + 1 {
                distance if distance < vcs => W::of(lower_ones::<W>(vcs, distance)).row(),
                _ => none,
            }),
            room: W::of(each_count::<W, V>(u64::from(credits))).row(),
        };
        let each = slots + 1;
        Self {
            slots: vec![Packed::new(credits); blocks * each],
            masks: vec![masks; blocks],
            came: vec![none; blocks * asks_after],
            each,
            asks_after,
        }
    }

    /// Block `index`, in a cycle of which `turn` counts.
    #[inline(always)]
    pub(super) fn block(&mut self, index: usize, turn: usize) -> StagedBlock<'_, W, V> {
        StagedBlock {
            slots: &mut self.slots[index * self.each..][..self.each],
            masks: &mut self.masks[index],
            came: match self.asks_after {
                0 => None,
                cycles => Some(&mut self.came[index * cycles + turn % cycles]),
            },
        }
    }

    /// Bytes that they take.
    pub(super) fn bytes(&self) -> u64 {
        let slots = size_of_val(&*self.slots) + size_of_val(&*self.masks);
        (slots + size_of_val(&*self.came)) as u64
    }
}

/// Of inputs of `vcs` virtual channels, those that are followed by one `ahead` of them in their input.
pub(super) const fn lower_ones<W: Firsts>(vcs: usize, ahead: usize) -> u64 {
    W::FIRSTS[vcs] * ((1 << (vcs - ahead)) - 1)
}

/// An output during switch allocation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output<W: Word> {
    /// The bids for it, then the one that it takes.
    pub(super) bids: Row<W>,
    /// The inputs, all of their bits, that it could have, then that it has.
    pub(super) inputs: Row<W>,
    /// Those of them whose turn it is ahead of.
    pub(super) in_turn: Row<W>,
    /// Where heads speculate: who can leave over it.
    pub(super) able: Row<W>,
}

/// What the passes hand to the rest of a cycle.
#[derive(Debug)]
pub(in crate::dense) struct StagedScratch<W: Word> {
    pub(super) common: Scratch<W>,
    pub(super) any_asking: bool,
    /// Where heads speculate: whether anything is left to do once they have been served.
    pub(super) is_busy: bool,
    /// The heads that ask where a virtual channel is free: those that do so alone at their output, and
    /// the others.
    pub(super) alone: Noted<W>,
    pub(super) contesting: Noted<W>,
    pub(super) outputs: [Output<W>; SLOTS_MAX + 1],
    /// Where heads speculate: those that bid while they ask, and those that got a virtual channel in this
    /// cycle.
    pub(super) guesses: Row<W>,
    pub(super) given: Row<W>,
}

impl<W: Word> StagedScratch<W> {
    pub(super) fn new() -> Self {
        let none = W::of(0).row();
        let output = Output {
            bids: none,
            inputs: none,
            in_turn: none,
            able: none,
        };
        Self {
            common: Scratch::new(),
            any_asking: false,
            is_busy: false,
            alone: Noted::new(),
            contesting: Noted::new(),
            outputs: [output; SLOTS_MAX + 1],
            guesses: none,
            given: none,
        }
    }

    /// Forgets the heads of the last block.
    #[inline(always)]
    pub(super) fn forget_heads(&mut self) {
        self.common.fresh.clear();
        self.alone.clear();
        self.contesting.clear();
        self.any_asking = false;
    }
}
