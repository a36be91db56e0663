//! A block: the state of as many routers as a row has lanes, a row for each thing that a router has.

use super::row::{Noted, On, Row, Unit, Word, ones};
use fearless_simd::{Select, Simd};
use flitsim_topology::archive::Archived;
use flitsim_topology::archived;
use std::fmt::Debug;

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

/// Virtual channels from which on it pays to do for all of a port at once what is as well done one by one.
pub(super) const MANY: usize = 3;

/// The most channels out of a router, and into it.
pub(super) const SLOTS_MAX: usize = 15;

/// A channel into a router and the one out of it in the same slot: what its virtual channels have, in rows. The last of a
/// router is its terminal's.
pub(super) trait Slots<W: Word, const V: usize>:
    Archived + Copy + Debug + Send + Sync + 'static
{
    /// What a block keeps besides of the virtual channels that are held.
    type Held: Archived + Copy + Debug + Send + Sync + 'static;
    /// What a pass reads of that.
    type Holding<S: Simd>: Copy;

    /// Empty, with all `credits`.
    fn new(credits: u32) -> Self;
    /// Nothing is held.
    fn none_held() -> Self::Held;

    /// Of virtual channel `vc` of the output.
    fn credits(&self, lane: usize, vc: usize) -> u64;
    /// A packet of `flits` flits has come to the front of virtual channel `vc` of the input.
    fn begin(&mut self, lane: usize, vc: usize, flits: u64);
    /// The input at `bit` holds virtual channel `vc` of this output, the `index`-th.
    fn hold(&mut self, held: &mut Self::Held, lane: usize, bit: usize, index: usize, vc: usize);
    /// The head at `bit` waits for one of `vcs`.
    fn want(&mut self, lane: usize, vcs: u64, bit: usize);
    /// It waits no more.
    fn unwant(&mut self, lane: usize, bit: usize);
    /// Of the `heads` that were called at `lane`, where `free` is free, those that wait for any of it, where more can have
    /// been called.
    #[inline(always)]
    fn called(_: &[Self], _: &Self::Held, _free: u64, _lane: usize, heads: u64) -> u64 {
        heads
    }
    /// The inputs that come first at the output.
    fn turn(&mut self) -> &mut Row<W>;

    /// Reads it.
    fn holding<S: Simd>(unit: Unit<S>, held: &Self::Held) -> Self::Holding<S>;
    /// The virtual channels that nobody holds, where that is known of all slots at once; else none yet.
    fn free<S: Simd>(unit: Unit<S>, held: &Self::Held, free: &mut Row<W>);
    /// Notes that nobody holds `freed` any more, and what was `free` when all heads had been served, where that is
    /// asked.
    fn release<S: Simd>(unit: Unit<S>, held: &mut Self::Held, freed: On<W, S>, free: &Row<W>);
    /// Flits come into the buffers; `first` is the slot's first bit in planes. Adds the inputs with a flit to `filled`.
    fn flits_arrive<S: Simd>(
        &mut self,
        unit: Unit<S>,
        input: &Input<W, V>,
        first: usize,
        sent: Reached<'_, W>,
        filled: &mut Row<W>,
    );
    /// Credits come back to the sender. Notes what is free, and calls the heads that wait for it, others perhaps among them.
    fn credits_arrive<S: Simd>(
        &mut self,
        unit: Unit<S>,
        held: &Self::Held,
        first: usize,
        passed: Reached<'_, W>,
        emptied_at: Option<u64>,
        scratch: &mut Scratch<W>,
    );
    /// The inputs that hold a virtual channel with a credit.
    fn able<S: Simd>(&self, unit: Unit<S>, holding: Self::Holding<S>) -> On<W, S>;
    /// The inputs that hold one.
    fn holders<S: Simd>(&self, unit: Unit<S>) -> On<W, S>;
    /// The `winner` uses up a credit, and holds nothing any more if it is a `tail`. What the slot sent.
    fn send<S: Simd>(
        &mut self,
        unit: Unit<S>,
        holding: Self::Holding<S>,
        place: Place<W, S>,
        winner: On<W, S>,
        tail: On<W, S>,
    ) -> On<W, S>;
    /// Those of the port's inputs that `won` have given their front flit away. What the slot passed on; and those of
    /// them at least whose next flit is a tail.
    fn give<S: Simd>(
        &mut self,
        unit: Unit<S>,
        input: &Input<W, V>,
        place: Place<W, S>,
        won: On<W, S>,
    ) -> (On<W, S>, On<W, S>);
    /// The same of the terminal's: of which the next flit is a tail.
    fn give_of_terminal<S: Simd>(
        &mut self,
        unit: Unit<S>,
        input: &Input<W, V>,
        won: On<W, S>,
    ) -> On<W, S>;
}

/// Where a slot's virtual channels are in planes.
#[derive(Clone, Copy)]
pub(super) struct Place<W: Word, S: Simd> {
    /// The slot's number.
    pub(super) index: usize,
    /// Its first bit.
    pub(super) first: On<W, S>,
}

impl<W: Word, S: Simd> Place<W, S> {
    /// That of every slot in turn, of `vcs` virtual channels each.
    #[inline(always)]
    pub(super) fn each(unit: Unit<S>, vcs: usize) -> impl Iterator<Item = Self> {
        let mut first = unit.splat::<W>(1);
        (0..).map(move |index| {
            let place = Self { index, first };
            first <<= vcs as u32;
            place
        })
    }
}

/// Words of routers with `V` virtual channels a port: how their slots are laid out.
pub(super) trait Layout<const V: usize>: Word {
    type Slot: Slots<Self, V>;
}

/// What a block keeps of the virtual channels that are held.
pub(super) type HeldOf<W, const V: usize> = <<W as Layout<V>>::Slot as Slots<W, V>>::Held;

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

/// A block's rows.
pub(super) struct Block<'a, W: Layout<V>, const V: usize> {
    /// The terminal's comes last.
    pub(super) slots: &'a mut [W::Slot],
    pub(super) held: &'a mut HeldOf<W, V>,
    pub(super) masks: &'a mut Masks<W>,
}

/// The rows of all blocks.
#[derive(Debug)]
pub(super) struct Blocks<W: Layout<V>, const V: usize> {
    /// Those of a block side by side.
    slots: Vec<W::Slot>,
    held: Vec<HeldOf<W, V>>,
    masks: Vec<Masks<W>>,
    /// Of a router, its terminal's included.
    each: usize,
}

archived! { Blocks<W, V> where [W: Layout<V>, const V: usize] {
    ; fixed slots, held, masks; rebuilt each
} }

impl<W: Layout<V>, const V: usize> Blocks<W, V> {
    /// `blocks` of them, with `slots` channels each way, all empty and with all `credits`.
    pub(super) fn new(blocks: usize, slots: usize, credits: u32) -> Self {
        let (none, all) = (W::of(0).row(), W::of(u64::MAX).row());
        let masks = Masks {
            ahead: all,
            routed: none,
            heads: none,
            ejecting: none,
            injecting: none,
            last: none,
        };
        let each = slots + 1;
        Self {
            slots: vec![W::Slot::new(credits); blocks * each],
            held: vec![W::Slot::none_held(); blocks],
            masks: vec![masks; blocks],
            each,
        }
    }

    /// Block `index`.
    #[inline(always)]
    pub(super) fn block(&mut self, index: usize) -> Block<'_, W, V> {
        Block {
            slots: &mut self.slots[index * self.each..][..self.each],
            held: &mut self.held[index],
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
        let slots = size_of_val(&*self.slots) + size_of_val(&*self.held);
        (slots + size_of_val(&*self.masks)) as u64
    }
}

/// How far the ends of the channels of one slot are, and as bits by lane whether it is the farther way.
pub(super) struct Span {
    near: i32,
    far: Option<i32>,
    wraps: u32,
}

impl Span {
    pub(super) fn of(ends: impl Iterator<Item = Option<i32>> + Clone) -> Self {
        let mut known = ends.clone().flatten();
        let near = known.next().unwrap_or(0);
        let far = known.find(|&ahead| ahead != near);
        let wraps = ends.enumerate().map(|(lane, end)| {
            let ahead = end.unwrap_or(near);
            assert!(ahead == near || Some(ahead) == far, "a slot leads two ways");
            u32::from(ahead != near) << lane
        });
        Self {
            near,
            far,
            wraps: wraps.sum(),
        }
    }
}

/// Where the neighbours of a block's routers over one slot are: so many routers ahead, or, where
/// the grid wraps, so many.
#[derive(Clone, Debug)]
pub(super) struct Reach<W: Word> {
    pub(super) near: isize,
    /// `None` where it wraps nowhere.
    pub(super) far: Option<isize>,
    /// All bits where it wraps.
    pub(super) wraps: Row<W>,
}

impl<W: Word> Reach<W> {
    pub(super) fn new(span: &Span) -> Self {
        let mut wraps = W::of(0).row();
        for lane in ones(u64::from(span.wraps)) {
            wraps.set(lane, u64::MAX);
        }
        Self {
            near: span.near as isize,
            far: span.far.map(|far| far as isize),
            wraps,
        }
    }

    /// The words of `plane` that are the neighbours' of the routers from `base` on.
    #[inline(always)]
    pub(super) fn of<'a>(&'a self, plane: &'a [W], base: usize) -> Reached<'a, W> {
        let row = |ahead| &plane[base.wrapping_add_signed(ahead)..][..W::LANES];
        Reached {
            near: row(self.near),
            far: self.far.map(|far| (row(far), &self.wraps)),
        }
    }
}

/// Words of a plane, and those that take their place where there is a bit of the row.
#[derive(Clone, Copy)]
pub(super) struct Reached<'a, W: Word> {
    near: &'a [W],
    far: Option<(&'a [W], &'a Row<W>)>,
}

impl<'a, W: Word> Reached<'a, W> {
    /// The words of `plane` that are those of the routers from `base` on themselves.
    #[inline(always)]
    pub(super) fn own(plane: &'a [W], base: usize) -> Self {
        Self {
            near: &plane[base..][..W::LANES],
            far: None,
        }
    }

    #[inline(always)]
    pub(super) fn load<S: Simd>(self, unit: Unit<S>) -> On<W, S> {
        let near = unit.load_from(self.near, unit.at);
        let Some((far, wraps)) = self.far else {
            return near;
        };
        let stays = unit.is_zero::<W>(unit.load(wraps));
        stays.select(near, unit.load_from(far, unit.at))
    }
}

/// A slot of blocks whose routers are wired alike.
#[derive(Clone, Debug)]
pub(super) struct Wires<W: Word, const V: usize> {
    /// Who sends there, and who receives.
    pub(super) source: Reach<W>,
    pub(super) target: Reach<W>,
    pub(super) input: Input<W, V>,
}

/// A port of blocks whose routers are wired alike: where its virtual channels are in masks. Ports are in the order of
/// their channels' numbers, which differs where a grid wraps or has a dimension of two nodes.
#[derive(Clone, Debug)]
pub(super) struct Input<W: Word, const V: usize> {
    /// By virtual channel, where counts are no bytes or there are few: its bit.
    pub(super) bits: [Row<W>; MANY - 1],
    /// All of them.
    pub(super) all: Row<W>,
    /// Its first bit, where that is the same at all routers; and of each router.
    pub(super) first: Option<u32>,
    pub(super) firsts: Row<W>,
    /// Its ways into the switch: the virtual channels of a way stand side by side.
    pub(super) ways: usize,
}

impl<W: Word, const V: usize> Input<W, V> {
    /// That of routers which have it at the places `ranks` of masks, by lane; none where there is no such port.
    pub(super) fn new(ways: usize, ranks: &[Option<u8>]) -> Self {
        let none = W::of(0).row();
        let (mut bits, mut all, mut firsts) = ([none; MANY - 1], none, none);
        let places = || ranks.iter().flatten();
        for (lane, rank) in ranks.iter().enumerate() {
            let Some(rank) = *rank else { continue };
            let first = usize::from(rank) * V;
            // They have one way, or one each: as bits they are in the order of their numbers.
            debug_assert!(V >= MANY || ways == 1 || ways == V);
            for (vc, bits) in bits.iter_mut().enumerate().take(V) {
                bits.set(lane, u64::from(V < MANY) << (first + vc));
            }
            all.set(lane, ((1 << V) - 1) << first);
            firsts.set(lane, first as u64);
        }
        let rank = places().next().copied();
        Self {
            bits,
            all,
            first: (rank.filter(|rank| places().all(|other| other == rank)))
                .map(|rank| u32::from(rank) * V as u32),
            firsts,
            ways,
        }
    }
}

/// What blocks have in common whose routers are wired alike.
#[derive(Clone, Debug)]
pub(super) struct Kind<W: Word, const V: usize> {
    pub(super) slots: Vec<Wires<W, V>>,
    pub(super) injection: Input<W, V>,
}

/// What the passes hand to the rest of a cycle.
#[derive(Debug)]
pub(super) struct Scratch<W: Word> {
    /// The input virtual channels with a flit.
    pub(super) filled: Row<W>,
    /// Those with a head to be routed.
    pub(super) fresh: Noted<W>,
    /// The virtual channels that are free, by slot; where counts are bytes with bits beyond the last slot.
    pub(super) free: Row<W>,
    /// The input virtual channels whose head waits for one of them, and some others that wait.
    pub(super) called: Noted<W>,
    /// The input virtual channels whose flit left, and those of them whose head, whose tail; then those
    /// whose head left over a channel; and, one a router at most, whose tail left for the terminal, and
    /// from it; of the last, routers in stages note none.
    pub(super) won: Row<W>,
    pub(super) led: Row<W>,
    pub(super) tails: Row<W>,
    pub(super) moving: Noted<W>,
    pub(super) delivered: Noted<W>,
    pub(super) injected: Noted<W>,
    /// By lane: flits that left over channels, and those that left for terminals, since last counted.
    pub(super) moves: Row<W>,
    pub(super) ejections: Row<W>,
}

impl<W: Word> Scratch<W> {
    pub(super) fn new() -> Self {
        let none = W::of(0).row();
        Self {
            filled: none,
            fresh: Noted::new(),
            free: none,
            called: Noted::new(),
            won: none,
            led: none,
            tails: none,
            moving: Noted::new(),
            delivered: Noted::new(),
            injected: Noted::new(),
            moves: none,
            ejections: none,
        }
    }

    /// The flits that left over channels, and those that left for terminals, since last counted.
    pub(super) fn count(&mut self) -> [u64; 2] {
        [&mut self.moves, &mut self.ejections].map(|row| {
            let counts = std::mem::replace(row, W::of(0).row());
            // 32 bits are room enough, and half the work.
            let counts = counts.0.as_ref().iter().map(|count| count.bits() as u32);
            u64::from(counts.sum::<u32>())
        })
    }
}
