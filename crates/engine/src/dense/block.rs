//! A block: the state of as many routers as a row has lanes, a row for each thing that a router has.

use super::row::{On, Row, Unit, Word};
use fearless_simd::{Select, Simd};
use flitsim_topology::archived;

/// By virtual channels a port: the first bit of every port.
pub(super) trait Firsts {
    const FIRSTS: [u64; 9] = {
        let mut firsts = [0; 9];
        let mut vcs = 1;
        while vcs <= 8 {
            let mut bit = 0;
            while bit < 64 {
                firsts[vcs] |= 1 << bit;
                bit += vcs;
            }
            vcs += 1;
        }
        firsts
    };
}

impl<W: Word> Firsts for W {}

/// The most channels out of a router.
pub(super) const SLOTS_MAX: usize = 15;

/// Sets of input virtual channels, as bits.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Masks<W: Word> {
    /// Of every port, those that it puts forward before the others.
    pub(super) ahead: Row<W>,
    /// Those whose front packet is routed.
    pub(super) routed: Row<W>,
    /// Those of them whose head has not left.
    pub(super) heads: Row<W>,
    /// Those whose packet takes the ejection.
    pub(super) ejecting: Row<W>,
    /// The injection virtual channels that hold a packet.
    pub(super) injecting: Row<W>,
    /// Those whose next flit is a tail.
    pub(super) last: Row<W>,
}

archived! { Masks<W> where [W: Word] { ahead, routed, heads, ejecting, injecting, last } }

/// A block's rows. By slot and virtual channel, where nothing else is said.
pub(super) struct Block<'a, W: Word, const V: usize> {
    /// By input: flits in the buffer.
    pub(super) flits: &'a mut [[Row<W>; V]],
    /// By input, injection last: flits of the front packet that have not left.
    pub(super) left: &'a mut [[Row<W>; V]],
    /// By output: the input virtual channel that holds it, as a bit.
    pub(super) owners: &'a mut [[Row<W>; V]],
    /// By output.
    pub(super) credits: &'a mut [[Row<W>; V]],
    /// By output: the input virtual channels whose head may claim it.
    pub(super) wanted: &'a mut [[Row<W>; V]],
    /// By output, ejection last: the input virtual channels that come first.
    pub(super) turns: &'a mut [Row<W>],
    pub(super) masks: &'a mut Masks<W>,
}

/// The rows of all blocks.
#[derive(Debug)]
pub(super) struct Blocks<W: Word, const V: usize> {
    /// By slot and virtual channel, as in [`Block`], those of a block side by side.
    lanes: Vec<[Row<W>; V]>,
    turns: Vec<Row<W>>,
    masks: Vec<Masks<W>>,
    slots: usize,
}

archived! { Blocks<W, V> where [W: Word, const V: usize] { ; fixed lanes, turns, masks; rebuilt slots } }

impl<W: Word, const V: usize> Blocks<W, V> {
    /// `blocks` of them, with `slots` channels each way, all empty and with all `credits`.
    pub(super) fn new(blocks: usize, slots: usize, credits: u32) -> Self {
        let (none, all) = (W::of(0).row(), W::of(u64::MAX).row());
        let credits = W::of(u64::from(credits)).row();
        let of_block = [
            vec![[none; V]; slots],
            vec![[none; V]; slots + 1],
            vec![[none; V]; slots],
            vec![[credits; V]; slots],
            vec![[none; V]; slots],
        ]
        .concat();
        let masks = Masks {
            ahead: all,
            routed: none,
            heads: none,
            ejecting: none,
            injecting: none,
            last: none,
        };
        Self {
            lanes: of_block.repeat(blocks),
            turns: vec![all; blocks * (slots + 1)],
            masks: vec![masks; blocks],
            slots,
        }
    }

    /// Block `index`.
    #[inline(always)]
    pub(super) fn block(&mut self, index: usize) -> Block<'_, W, V> {
        let slots = self.slots;
        let rows = 5 * slots + 1;
        let lanes = &mut self.lanes[index * rows..][..rows];
        let (flits, lanes) = lanes.split_at_mut(slots);
        let (left, lanes) = lanes.split_at_mut(slots + 1);
        let (owners, lanes) = lanes.split_at_mut(slots);
        let (credits, wanted) = lanes.split_at_mut(slots);
        Block {
            flits,
            left,
            owners,
            credits,
            wanted,
            turns: &mut self.turns[index * (slots + 1)..][..slots + 1],
            masks: &mut self.masks[index],
        }
    }

    /// The sets of block `index`.
    #[inline(always)]
    pub(super) fn masks(&mut self, index: usize) -> &mut Masks<W> {
        &mut self.masks[index]
    }

    /// Bytes that they take.
    pub(super) fn bytes(&self) -> u64 {
        let lanes = size_of_val(&*self.lanes) + size_of_val(&*self.turns);
        (lanes + size_of_val(&*self.masks)) as u64
    }
}

/// Where the neighbours of a block's routers over one slot are: so many routers ahead, or, where
/// the grid wraps, so many.
#[derive(Clone, Debug)]
pub(super) struct Reach<W: Word> {
    pub(super) near: isize,
    pub(super) far: isize,
    /// All bits where it wraps.
    pub(super) wraps: Row<W>,
}

impl<W: Word> Reach<W> {
    /// The words of `plane` that are the neighbours' of the routers from `from` on.
    #[inline(always)]
    pub(super) fn gather<S: Simd>(&self, unit: Unit<S>, plane: &[W], from: usize) -> On<W, S> {
        let near = unit.load_from(plane, from.wrapping_add_signed(self.near));
        if self.near == self.far {
            return near;
        }
        let far = unit.load_from(plane, from.wrapping_add_signed(self.far));
        let stays = unit.is_zero::<W>(unit.load(&self.wraps));
        stays.select(near, far)
    }
}

/// What blocks have in common whose routers are wired alike.
#[derive(Clone, Debug)]
pub(super) struct Kind<W: Word, const V: usize> {
    /// By input slot: who sends there; by output slot: who receives.
    pub(super) sources: Vec<Reach<W>>,
    pub(super) targets: Vec<Reach<W>>,
    /// By input slot and virtual channel: its bit in masks. Ports are in the order of their channels'
    /// numbers, which differs where a grid wraps.
    pub(super) bits: Vec<[Row<W>; V]>,
    pub(super) injection: [Row<W>; V],
}

/// What the passes hand to the rest of a cycle, and constants.
#[derive(Debug)]
pub(super) struct Scratch<W: Word, const V: usize> {
    /// By slot and virtual channel: a bit.
    pub(super) units: Vec<[Row<W>; V]>,
    /// The input virtual channels with a flit.
    pub(super) filled: Row<W>,
    /// Those with a head to be routed.
    pub(super) fresh: Row<W>,
    pub(super) any_fresh: bool,
    /// The virtual channels that are free, by slot.
    pub(super) free: Row<W>,
    /// The input virtual channels whose head waits for one of them.
    pub(super) called: Row<W>,
    pub(super) any_called: bool,
    /// The input virtual channels whose flit left, and those of them whose head, whose tail; then those
    /// whose head left over a channel; whose flit left for the terminal; and whose tail left for the
    /// terminal or from it.
    pub(super) won: Row<W>,
    pub(super) led: Row<W>,
    pub(super) tails: Row<W>,
    pub(super) moving: Row<W>,
    pub(super) ejected: Row<W>,
    pub(super) ended: Row<W>,
    pub(super) any_moving: bool,
    pub(super) any_ended: bool,
    /// By lane: flits that left over channels, and those that left for terminals, since last counted.
    pub(super) moves: Row<W>,
    pub(super) ejections: Row<W>,
}

impl<W: Word, const V: usize> Scratch<W, V> {
    pub(super) fn new(slots: usize) -> Self {
        let none = W::of(0).row();
        let unit = |bit: usize| W::of(1 << bit).row();
        Self {
            units: (0..slots)
                .map(|slot| std::array::from_fn(|v| unit(slot * V + v)))
                .collect(),
            filled: none,
            fresh: none,
            any_fresh: false,
            free: none,
            called: none,
            any_called: false,
            won: none,
            led: none,
            tails: none,
            moving: none,
            ejected: none,
            ended: none,
            any_moving: false,
            any_ended: false,
            moves: none,
            ejections: none,
        }
    }

    /// The flits that left over channels, and those that left for terminals, since last counted.
    pub(super) fn count(&mut self) -> [u64; 2] {
        [&mut self.moves, &mut self.ejections].map(|row| {
            let counts = std::mem::replace(row, W::of(0).row());
            counts.0.as_ref().iter().map(|count| count.bits()).sum()
        })
    }
}
