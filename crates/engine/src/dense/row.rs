//! Rows: one word of each of a block's routers, side by side, as vector units take them.

use fearless_simd::{Select, Simd, SimdBase, SimdInt, SimdIntElement, SimdInto, SimdMask};
use flitsim_topology::archive::{Archive, Archived};
use std::fmt::Debug;

/// Bytes of a row: a line of the cache, and the widest vector.
const ROW_BYTES: usize = 64;

/// What a router has in a row: counts, or a bit for each of its input virtual channels.
pub(super) trait Word:
    SimdIntElement + Archived + Copy + Debug + Send + Sync + 'static
{
    /// A vector of them, as wide as the unit `S` takes.
    type On<S: Simd>: SimdInt<S, Element = Self>;
    /// Those of a row.
    type Lanes: Copy + Debug + Send + Sync + AsRef<[Self]> + AsMut<[Self]>;
    /// Routers of a row.
    const LANES: usize = ROW_BYTES / size_of::<Self>();

    /// The low bits of `bits`.
    fn of(bits: u64) -> Self;
    /// The bits.
    fn bits(self) -> u64;
    /// A row of equals.
    fn row(self) -> Row<Self>;
}

/// A word of each router of a block.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Row<W: Word>(pub(super) W::Lanes);

impl<W: Word> Archived for Row<W> {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        (self.0.as_mut().iter_mut()).for_each(|word| word.archive(archive));
    }
}

impl<W: Word> Row<W> {
    /// That of router `lane`.
    #[inline(always)]
    pub(super) fn get(&self, lane: usize) -> u64 {
        self.0.as_ref()[lane % W::LANES].bits()
    }

    /// That of router `lane`, changed.
    #[inline(always)]
    pub(super) fn set(&mut self, lane: usize, bits: u64) {
        self.0.as_mut()[lane % W::LANES] = W::of(bits);
    }

    /// `bits` and what is there.
    #[inline(always)]
    pub(super) fn insert(&mut self, lane: usize, bits: u64) {
        self.set(lane, self.get(lane) | bits);
    }

    /// What is there without `bits`.
    #[inline(always)]
    pub(super) fn remove(&mut self, lane: usize, bits: u64) {
        self.set(lane, self.get(lane) & !bits);
    }
}

/// A row that is handled bit by bit, and the lanes that have any, as bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noted<W: Word> {
    pub(super) row: Row<W>,
    lanes: u32,
}

impl<W: Word> Noted<W> {
    /// Nothing.
    pub(super) fn new() -> Self {
        Self {
            row: W::of(0).row(),
            lanes: 0,
        }
    }

    /// Whether there is any bit.
    #[inline(always)]
    pub(super) fn is_any(&self) -> bool {
        self.lanes != 0
    }

    /// Forgets the lanes; the row is stored anew, or not looked at.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.lanes = 0;
    }

    /// Stores the part of the row at `unit`, whose lanes were cleared.
    #[inline(always)]
    pub(super) fn note<S: Simd>(&mut self, unit: Unit<S>, bits: On<W, S>) {
        unit.store(&mut self.row, bits);
        let lanes = (!unit.is_zero::<W>(bits)).to_bitmask();
        self.lanes |= (lanes as u32) << unit.at;
    }

    /// The lanes that have any bits.
    #[inline(always)]
    pub(super) fn lanes(&self) -> impl Iterator<Item = usize> + use<W> {
        ones(u64::from(self.lanes))
    }

    /// The only bit of `lane`.
    #[inline(always)]
    pub(super) fn only(&self, lane: usize) -> usize {
        let bits = self.row.get(lane);
        debug_assert!(bits.is_power_of_two());
        bits.trailing_zeros() as usize
    }

    /// The bits of `lane`.
    #[inline(always)]
    pub(super) fn bits(&self, lane: usize) -> impl Iterator<Item = usize> + use<W> {
        ones(self.row.get(lane))
    }
}

/// Goes through the bits of a row, lane by lane. Where one lane ends and the next begins is computed, not
/// branched on: few lanes have as many bits as the one before, which no branch predictor foresees.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    /// The lanes that are left, that of the next bit first, and its bits that are left.
    lanes: u64,
    bits: u64,
}

impl Places {
    /// The places of `noted`.
    #[inline(always)]
    pub(super) fn of<W: Word>(noted: &Noted<W>) -> Self {
        let lanes = u64::from(noted.lanes);
        Self {
            lanes,
            bits: Self::first(noted, lanes),
        }
    }

    /// The bits of the first of `lanes`; any if there is none.
    #[inline(always)]
    fn first<W: Word>(noted: &Noted<W>, lanes: u64) -> u64 {
        noted.row.get((lanes | 1 << 32).trailing_zeros() as usize)
    }

    /// The next lane and bit of `noted`, which must not have changed.
    #[inline(always)]
    pub(super) fn next<W: Word>(&mut self, noted: &Noted<W>) -> Option<(usize, usize)> {
        if self.lanes == 0 {
            return None;
        }
        let place = (
            self.lanes.trailing_zeros() as usize,
            self.bits.trailing_zeros() as usize,
        );
        let rest = self.bits & self.bits.wrapping_sub(1);
        let is_last = u64::from(rest == 0);
        self.lanes &= self.lanes - is_last;
        self.bits = rest | Self::first(noted, self.lanes) & 0u64.wrapping_sub(is_last);
        Some(place)
    }
}

/// The set bits of `bits`, lowest first.
#[inline(always)]
pub(super) fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (bits != 0).then(|| {
            let bit = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            bit
        })
    })
}

macro_rules! word {
    ($word:ty, $vector:ident) => {
        impl Word for $word {
            type On<S: Simd> = S::$vector;
            type Lanes = [$word; ROW_BYTES / size_of::<$word>()];

            #[inline(always)]
            fn of(bits: u64) -> Self {
                bits as Self
            }

            #[inline(always)]
            fn bits(self) -> u64 {
                u64::from(self)
            }

            fn row(self) -> Row<Self> {
                Row([self; ROW_BYTES / size_of::<$word>()])
            }
        }
    };
}

word!(u16, u16s);
word!(u32, u32s);
word!(u64, u64s);

/// A vector unit at the lanes of a row from `at` on: as many as it takes at once.
#[derive(Clone, Copy)]
pub(super) struct Unit<S> {
    pub(super) simd: S,
    pub(super) at: usize,
}

/// The vector and its masks.
pub(super) type On<W, S> = <W as Word>::On<S>;
pub(super) type Mask<W, S> = <On<W, S> as SimdBase<S>>::Mask;

impl<S: Simd> Unit<S> {
    #[inline(always)]
    pub(super) fn load<W: Word>(self, row: &Row<W>) -> On<W, S> {
        self.load_from(row.0.as_ref(), self.at)
    }

    /// The words of a plane from `from` on.
    #[inline(always)]
    pub(super) fn load_from<W: Word>(self, words: &[W], from: usize) -> On<W, S> {
        SimdBase::from_slice(self.simd, &words[from..from + On::<W, S>::LEN])
    }

    #[inline(always)]
    pub(super) fn store<W: Word>(self, row: &mut Row<W>, vector: On<W, S>) {
        self.store_to(row.0.as_mut(), self.at, vector);
    }

    #[inline(always)]
    pub(super) fn store_to<W: Word>(self, words: &mut [W], from: usize, vector: On<W, S>) {
        vector.store_slice(&mut words[from..from + On::<W, S>::LEN]);
    }

    #[inline(always)]
    pub(super) fn splat<W: Word>(self, bits: u64) -> On<W, S> {
        W::of(bits).simd_into(self.simd)
    }

    /// Where `vector` is zero.
    #[inline(always)]
    pub(super) fn is_zero<W: Word>(self, vector: On<W, S>) -> Mask<W, S> {
        vector.simd_eq(self.splat::<W>(0))
    }

    /// `vector` where `mask` is not, zero elsewhere.
    #[inline(always)]
    pub(super) fn unless<W: Word>(self, mask: Mask<W, S>, vector: On<W, S>) -> On<W, S> {
        mask.select(self.splat::<W>(0), vector)
    }

    /// The lowest bit of each word.
    #[inline(always)]
    pub(super) fn lowest<W: Word>(self, vector: On<W, S>) -> On<W, S> {
        vector & (self.splat::<W>(0) - vector)
    }

    /// Of each word the first bit in `ahead`, else the first.
    #[inline(always)]
    pub(super) fn first<W: Word>(self, bits: On<W, S>, ahead: On<W, S>) -> On<W, S> {
        let preferred = bits & ahead;
        let none = self.is_zero::<W>(preferred);
        self.lowest::<W>(none.select(bits, preferred))
    }
}
