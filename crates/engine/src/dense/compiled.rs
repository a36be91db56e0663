//! The passes that know neither relation nor probe, of every width: they are compiled here, and not once more wherever
//! an engine is built for a relation.

use super::block::{Block, Kind, Scratch};
use super::pass::{Inbox, Outbox, deliver, switch};
use super::row::Word;
use fearless_simd::Level;

/// The passes over routers of `V` virtual channels a port.
pub(super) trait Passes<const V: usize>: Word {
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
    ($($word:ty, $vcs:literal;)*) => {$(
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
    u16, 1;
    u16, 2;
    u32, 2;
    u32, 4;
    u64, 4;
    u64, 8;
}
