//! Heads that ask for a channel that no other head of their router asks for, as nearly all do: whoever
//! allocates virtual channels, they get what they prefer. And flits that bid where no two meet at an input or an output
//! of the switch: whoever allocates it, all win.

use super::by_masks::SwitchAllocation;
use super::mask::Mask;
use super::ways::Ways;
use crate::config::Begins;
use crate::kernel::active::for_each_member;
use crate::kernel::ask::Ask;
use crate::kernel::deliver::requests;
use crate::kernel::engine::Here;
use crate::kernel::partition::Partition;
use crate::kernel::parts::Parts;
use crate::kernel::rotation::Requests;
use crate::kernel::staged::{Bid, Stages};
use crate::kernel::vc_allocation::{VcAllocation, next_vc};
use crate::{Crossbar, Engine, Port, Probe, Routing};

impl<R: Routing, P: Probe, E: Partition> Engine<'_, R, P, E> {
    /// Whether it can be told before heads are served which channels are contested: each head has one way on,
    /// whatever the others get, and takes virtual channels in turn.
    pub(super) fn tells_uncontested(&self, stages: &Stages) -> bool {
        let rotates = stages.vc_begins == Begins::OneFurther;
        let in_turn = stages.vc_matching.is_none() || stages.takes_in_turn() && !rotates;
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

impl<P: Probe, E: Partition> Parts<'_, P, E> {
    /// Whether it can be told from masks which bids meet others, and all who win can leave.
    pub(super) fn tells_who_meets(&self, stages: &Stages) -> bool {
        // Two that leave by one channel could take the last place that its virtual channels share.
        let may_run_short = stages.sharing.is_on() && self.config.output_speedup > 1;
        self.wiring.words <= 2
            && stages.holding.is_empty()
            && self.config.crossbar == Crossbar::Port
            && [self.config.injection, self.config.ejection] == [Port::Channel; 2]
            && (self.next_free.is_empty() || stages.has_queues)
            && !may_run_short
    }
}

impl SwitchAllocation<'_> {
    /// The ivcs that leave routers where no two bids meet are added to `moves`; the other routers are `contested`. With
    /// an allocator that rotates, of so many rows or columns a port.
    pub(super) fn find_uncontested(
        mut self,
        stages: &mut Stages,
        rows_a_port: Option<u32>,
        moves: &mut Vec<u32>,
        contested: &mut Vec<u32>,
    ) {
        match self.wiring.words {
            1 => self.find_all_uncontested::<u64>(stages, rows_a_port, moves, contested),
            _ => self.find_all_uncontested::<u128>(stages, rows_a_port, moves, contested),
        }
    }

    #[inline(never)]
    fn find_all_uncontested<M: Mask>(
        &mut self,
        stages: &mut Stages,
        rows_a_port: Option<u32>,
        moves: &mut Vec<u32>,
        contested: &mut Vec<u32>,
    ) {
        let speculates = stages.timing.speculates_after.is_some();
        for_each_member!(self.requesting, router => {
            let first_word = router as usize * M::WORDS;
            let here = Here {
                words: M::WORDS,
                ..Here::new(router, first_word, self.wiring, &self.routers[first_word])
            };
            let guesses = match speculates {
                true => M::of_words(|word| stages.speculating[first_word + word]),
                false => M::NONE,
            };
            let requesting = M::of_words(|word| self.routers[first_word + word].requesting);
            let bids = requesting | guesses;
            if do_meet(stages, self.ways, here, bids) {
                contested.push(router);
                continue;
            }
            // All win, wherever the allocator begins, and it rotates.
            if let Some(each) = rows_a_port.filter(|_| bids != M::NONE) {
                stages.rotation.begin(router, Requests::Flits, each);
            }
            let found = moves.len();
            for local in bids.ones() {
                let bid = bid_of(stages, self.ways, here, local);
                self.ways.move_turns(self.out_pointers, stages, here, &bid);
                // A guess leaves only if it got a virtual channel with room; until it has left its router does not rest.
                if guesses.has(local) {
                    if !self.has_got_room(here, local) {
                        self.guessed_in_vain(stages, here, local);
                        continue;
                    }
                    requests(here.ivc(local), self.routers, self.wiring, self.requesting);
                }
                debug_assert!(self.has_got_room(here, local));
                moves.push(here.ivc(local));
            }
            if speculates {
                stages.speculating[here.own_words()].fill(0);
            }
            // Guesses may all have failed, and bids have been called back.
            if moves.len() == found && requesting == M::NONE {
                self.requesting.remove(router);
            }
        });
    }
}

#[inline(always)]
fn bid_of(stages: &Stages, ways: Ways, here: Here, local: u32) -> Bid {
    ways.bid(local, u32::from(stages.out[here.ivc(local) as usize]))
}

/// Whether two of `bids` meet, where outputs that are 64 apart count as one.
#[inline(always)]
fn do_meet<M: Mask>(stages: &Stages, ways: Ways, here: Here, bids: M) -> bool {
    if bids.beyond_first() == M::NONE {
        return false;
    }
    let (mut inputs, mut outputs) = (M::NONE, 0u64);
    bids.ones().fold(false, |do_meet, local| {
        let bid = bid_of(stages, ways, here, local);
        let (input, output) = (M::bit(bid.position), 1 << (bid.way_out & 63));
        let meets = inputs & input != M::NONE || outputs & output != 0;
        inputs |= input;
        outputs |= output;
        do_meet | meets
    })
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
