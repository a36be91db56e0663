//! As `dense::compiled`, of routers in stages.

use super::block::{StagedBlock, StagedScratch};
use super::heads::Site;
use super::pass::{StagedInbox, arrive, call, come};
use super::rules::Rules;
use super::switch::switch;
use crate::dense::block::Kind;
use crate::dense::pass::Outbox;
use crate::dense::row::Word;
use fearless_simd::Level;

/// The passes over routers in stages of `V` virtual channels a port, and what else knows neither relation nor probe.
pub(in crate::dense) trait StagedPasses<const V: usize>: Word {
    /// As [`arrive`].
    fn arrive(
        level: Level,
        block: &mut StagedBlock<'_, Self, V>,
        kind: &Kind<Self, V>,
        inbox: &StagedInbox<'_, Self>,
        emptied_at: Option<u64>,
        scratch: &mut StagedScratch<Self>,
    );

    /// As [`come`].
    fn come(
        level: Level,
        block: &mut StagedBlock<'_, Self, V>,
        kind: &Kind<Self, V>,
        scratch: &mut StagedScratch<Self>,
    ) -> bool;

    /// As [`call`].
    fn call(level: Level, block: &StagedBlock<'_, Self, V>, scratch: &mut StagedScratch<Self>);

    /// As [`switch`].
    fn switch(
        level: Level,
        rules: Rules,
        block: &mut StagedBlock<'_, Self, V>,
        kind: &Kind<Self, V>,
        outbox: &mut Outbox<'_, Self>,
        scratch: &mut StagedScratch<Self>,
    ) -> bool;

    /// As [`Site::claim`].
    fn claim(site: &mut Site<'_, Self, V>);
}

macro_rules! passes {
    ($($word:ty, $vcs:literal;)*) => {$(
        impl StagedPasses<$vcs> for $word {
            #[inline(never)]
            fn arrive(
                level: Level,
                block: &mut StagedBlock<'_, Self, $vcs>,
                kind: &Kind<Self, $vcs>,
                inbox: &StagedInbox<'_, Self>,
                emptied_at: Option<u64>,
                scratch: &mut StagedScratch<Self>,
            ) {
                arrive(level, block, kind, inbox, emptied_at, scratch);
            }

            #[inline(never)]
            fn come(
                level: Level,
                block: &mut StagedBlock<'_, Self, $vcs>,
                kind: &Kind<Self, $vcs>,
                scratch: &mut StagedScratch<Self>,
            ) -> bool {
                come(level, block, kind, scratch)
            }

            #[inline(never)]
            fn call(
                level: Level,
                block: &StagedBlock<'_, Self, $vcs>,
                scratch: &mut StagedScratch<Self>,
            ) {
                call(level, block, scratch);
            }

            #[inline(never)]
            fn switch(
                level: Level,
                rules: Rules,
                block: &mut StagedBlock<'_, Self, $vcs>,
                kind: &Kind<Self, $vcs>,
                outbox: &mut Outbox<'_, Self>,
                scratch: &mut StagedScratch<Self>,
            ) -> bool {
                switch(level, rules, block, kind, outbox, scratch)
            }

            #[inline(never)]
            fn claim(site: &mut Site<'_, Self, $vcs>) {
                site.claim();
            }
        }
    )*};
}

passes! {
    u16, 1;
    u16, 2;
    u32, 4;
    u64, 8;
}
