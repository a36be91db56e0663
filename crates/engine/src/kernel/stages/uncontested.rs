//! Heads that ask for a channel that no other head of their router asks for, as nearly all do: whoever
//! allocates virtual channels, they get what they prefer.

use crate::kernel::active::for_each_member;
use crate::kernel::engine::Here;
use crate::kernel::partition::Partition;
use crate::kernel::staged::{Ask, Stages};
use crate::kernel::vc_allocation::{VcAllocation, next_vc};
use crate::{Engine, Probe, Routing};

impl<R: Routing, P: Probe, E: Partition> Engine<'_, R, P, E> {
    /// Whether it can be told before heads are served which channels are contested: each head has one way on,
    /// whatever the others get, and takes virtual channels in turn.
    pub(super) fn tells_uncontested(&self, stages: &Stages) -> bool {
        let in_turn = stages.vc_matching.is_none() || stages.takes_in_turn();
        R::DETERMINISTIC && self.wiring.words <= 2 && self.state.kept.is_empty() && in_turn
    }
}

impl<R: Routing, E: Partition> VcAllocation<'_, R, E> {
    /// Heads ask for their one way on, and get it where no other does. The routers where several want one
    /// channel are left in `contested`.
    #[inline(never)]
    pub(super) fn claim_uncontested<const WORDS: usize>(mut self, stages: &mut Stages) {
        debug_assert_eq!(self.wiring.words, WORDS);
        for_each_member!(self.waiting, router => {
            let first_word = router as usize * WORDS;
            let state = &self.routers[first_word];
            let here = Here { words: WORDS, ..Here::new(router, first_word, self.wiring, state) };
            let contested = match self.only_waiting(here) {
                Some(local) => {
                    if let Some(ask) = self.only(stages, here, local) {
                        self.give_preferred(stages, here, ask);
                    }
                    0
                }
                None => {
                    self.ask_for_only(stages, here);
                    self.give_uncontested(stages, here)
                }
            };
            if contested != 0 {
                stages.scratch.contested.push(router);
            } else if self.routers[here.own_words()].iter().all(|router| router.waiting == 0) {
                self.waiting.remove(router);
            }
        });
    }

    /// The local ivc whose head waits, where no other does.
    #[inline(always)]
    fn only_waiting(&self, here: Here) -> Option<u32> {
        let mut words = self.routers[here.own_words()].iter().enumerate();
        let (word, first) = words.find(|(_, router)| router.waiting != 0)?;
        let is_only =
            first.waiting.is_power_of_two() && words.all(|(_, router)| router.waiting == 0);
        is_only.then(|| word as u32 * 64 + first.waiting.trailing_zeros())
    }

    /// Those that ask and meet no other get what they prefer. The outputs that are contested, as a mask.
    #[inline(always)]
    fn give_uncontested(&mut self, stages: &mut Stages, here: Here) -> u64 {
        let mut asks = std::mem::take(&mut stages.scratch.asks);
        let looks_at_all = stages
            .vc_matching
            .is_some_and(|matching| matching.looks_at_all());
        let contested = match looks_at_all && asks.len() > 1 {
            true => u64::MAX,
            false => contested(&asks),
        };
        for &ask in &asks {
            if contested >> (ask.out & 63) & 1 == 0 {
                self.give_preferred(stages, here, ask);
            } else if stages.vc_matching.is_none() {
                // It bids only if those before it leave something.
                let word = here.first_word + (ask.local >> 6) as usize;
                stages.speculating[word] &= !(1 << (ask.local & 63));
            }
        }
        asks.clear();
        stages.scratch.asks = asks;
        contested
    }

    /// The head `ask` gets the virtual channel that it prefers.
    #[inline(always)]
    fn give_preferred(&mut self, stages: &mut Stages, here: Here, ask: Ask) {
        let vc = match stages.vc_matching {
            None => {
                let link = self.links[ask.channel.index()];
                next_vc(ask.vcs, link, ask.channel, self.lanes, self.wiring)
            }
            Some(_) => {
                let vc = stages.next_in_turn(here, &ask, self.wiring);
                stages.have_had_their_turns(here, &ask, vc, self.wiring);
                vc
            }
        };
        self.claim(stages, here, ask, vc);
    }
}

/// The local outputs that several of `asks` are for, as a mask in which outputs that are 64 apart share a bit.
#[inline]
pub(super) fn contested(asks: &[Ask]) -> u64 {
    let [mut asked, mut contested] = [0u64; 2];
    for ask in asks {
        let out = 1 << (ask.out & 63);
        contested |= asked & out;
        asked |= out;
    }
    contested
}
