//! The passes that know neither relation nor probe, of every width: they are compiled here, and not once more wherever
//! an engine is built for a relation.

use super::block::{Block, Kind, Layout, Scratch};
use super::packed_slot::PackedSlot;
use super::pass::{Inbox, Outbox, deliver, switch};
use super::slot::Slot;
use fearless_simd::Level;

/// The passes over routers of `V` virtual channels a port.
pub(super) trait Passes<const V: usize>: Layout<V> {
    /// As [`deliver`].
    fn deliver(
        level: Level,
        block: &mut Block<'_, Self, V>,
        kind: &Kind<Self, V>,
        inbox: &Inbox<'_, Self>,
        emptied_at: Option<u64>,
        scratch: &mut Scratch<Self>,
    ) -> bool;

    /// As [`switch`].
    fn switch(
        level: Level,
        block: &mut Block<'_, Self, V>,
        kind: &Kind<Self, V>,
        outbox: &mut Outbox<'_, Self>,
        scratch: &mut Scratch<Self>,
    );
}

macro_rules! passes {
    ($($word:ty, $vcs:literal, $slot:ident;)*) => {$(
        impl Layout<$vcs> for $word {
            type Slot = $slot<Self, $vcs>;
        }

        impl Passes<$vcs> for $word {
            #[inline(never)]
            fn deliver(
                level: Level,
                block: &mut Block<'_, Self, $vcs>,
                kind: &Kind<Self, $vcs>,
                inbox: &Inbox<'_, Self>,
                emptied_at: Option<u64>,
                scratch: &mut Scratch<Self>,
            ) -> bool {
                deliver(level, block, kind, inbox, emptied_at, scratch)
            }

            #[inline(never)]
            fn switch(
                level: Level,
                block: &mut Block<'_, Self, $vcs>,
                kind: &Kind<Self, $vcs>,
                outbox: &mut Outbox<'_, Self>,
                scratch: &mut Scratch<Self>,
            ) {
                switch(level, block, kind, outbox, scratch);
            }
        }
    )*};
}

passes! {
    u16, 1, Slot;
    u16, 2, Slot;
    u16, 3, PackedSlot;
    u32, 2, Slot;
    u32, 4, PackedSlot;
    u32, 5, PackedSlot;
    u32, 6, PackedSlot;
    u64, 4, PackedSlot;
    u64, 8, PackedSlot;
}
