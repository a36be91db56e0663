//! Heads and virtual channels are matched: the rounds of a separable allocator or iSLIP.

use super::claim::reserve;
use super::mask::Mask;
use super::uncontested::contested;
use crate::Probe;
use crate::config::{Arbiter, Begins, Matching};
use crate::kernel::ask::Ask;
use crate::kernel::best::{Best, Key};
use crate::kernel::bits::{cyclic_distance, first_from, ones};
use crate::kernel::cells::{Cell, Start};
use crate::kernel::engine::Here;
use crate::kernel::partition::Partition;
use crate::kernel::parts::Parts;
use crate::kernel::rotation::Requests;
use crate::kernel::staged::{DECLINED_MOST, Stages};
use crate::kernel::wiring::Wiring;
use crate::random::{Purpose, draw};
use crate::routing::VcMask;

/// A virtual channel fits so many bits.
const VC_BITS: u32 = 6;

/// Where a virtual channel's turn is, and above it how many heads in a row have declined what it granted them.
const TURN_BITS: u32 = 16;

impl<P: Probe, E: Partition> Parts<'_, P, E> {
    /// The head of `ask` is to have virtual channel `vc`.
    fn grant_vc(&mut self, stages: &mut Stages, ask: Ask, vc: u32) {
        reserve(self.links, stages, ask.channel, vc);
        stages.scratch.granted_vcs.push((ask, vc));
    }

    /// Matches the heads that have asked: `granted_vcs` says who gets what. Nothing here knows the relation.
    #[inline(never)]
    pub(super) fn match_vcs(mut self, stages: &mut Stages, here: Here, matching: Matching) {
        let mut asks = std::mem::take(&mut stages.scratch.asks);
        let rotates = stages.vc_begins == Begins::OneFurther;
        if matching.looks_at_all() && asks.len() > 1 || rotates && !asks.is_empty() {
            self.match_heads_at_once(stages, here, matching, &asks);
            asks.clear();
        }
        if matching == Matching::SeparableInputFirst {
            self.keep_best(stages, here, &mut asks);
        }
        let has_choice = asks.windows(2).any(|two| two[0].local == two[1].local);
        if !has_choice {
            self.serve_alone(stages, here, &mut asks);
        }
        let rounds = match matching {
            Matching::Islip { iterations } | Matching::Pim { iterations } => iterations,
            _ => 1,
        };
        // A head's own arbiter goes first: the others see it ask for one.
        if matching == Matching::SeparableInputFirst {
            for ask in &mut asks {
                ask.vcs = 1 << self.preferred(stages, here, ask);
            }
        }
        // Where turns decide, the next head is found in a mask, if two words hold the router's.
        let in_turn = stages.vc_arbiter == Arbiter::RoundRobin;
        let by_masks = self.wiring.words <= 2 && in_turn && !has_choice;
        for round in 0..rounds {
            if asks.is_empty() {
                break;
            }
            if by_masks {
                self.match_by_masks(stages, here, &asks, round == 0);
            } else {
                for (ask, place) in asks.iter().zip(0u32..) {
                    for vc in ones(ask.vcs) {
                        self.put_to(stages, here, (ask, place), vc, round);
                    }
                }
                self.offer_granted(stages, here, &asks, round);
                self.accept_granted(stages, here, &asks, round == 0);
            }
            if round + 1 == rounds {
                break;
            }
            // Who has got a virtual channel asks no more, and what was taken is not asked for.
            let granted = &stages.scratch.granted_vcs;
            asks.retain_mut(|ask| {
                ask.vcs &= self.links[ask.channel.index()].free_vcs;
                let has_none = granted.iter().all(|(other, _)| other.local != ask.local);
                has_none && ask.vcs != 0
            });
        }
        asks.clear();
        stages.scratch.asks = asks;
    }

    /// Whoever matches them, the only head that asks for a channel gets what it prefers. The others are left.
    fn serve_alone(&mut self, stages: &mut Stages, here: Here, asks: &mut Vec<Ask>) {
        let contested = contested(asks);
        // Outputs that are 64 apart share a bit.
        let mut outs = std::mem::take(&mut stages.scratch.touched);
        if contested != 0 && here.ejection >= u64::BITS {
            outs.extend(asks.iter().map(|ask| ask.out));
            outs.sort_unstable();
        }
        let is_asked_once = |out: u32| {
            let next = outs.partition_point(|&other| other < out) + 1;
            !outs.is_empty() && outs.get(next) != Some(&out)
        };
        asks.retain(|&ask| {
            let is_alone = contested >> (ask.out & 63) & 1 == 0 || is_asked_once(ask.out);
            if is_alone {
                let vc = self.preferred(stages, here, &ask);
                self.grant_vc(stages, ask, vc);
                stages.have_had_their_turns(here, &ask, vc, self.wiring);
            }
            !is_alone
        });
        outs.clear();
        stages.scratch.touched = outs;
    }

    /// Serves the heads `asks` by an allocator that looks at all of them: who came first has waited longest,
    /// and goes for virtual channels in turn.
    fn match_heads_at_once(
        &mut self,
        stages: &mut Stages,
        here: Here,
        matching: Matching,
        asks: &[Ask],
    ) {
        let rotates = stages.vc_begins == Begins::OneFurther;
        debug_assert!(asks.len() < 1 << (u32::BITS - VC_BITS));
        for (ask, place) in asks.iter().zip(0u32..) {
            let ivc = here.ivc(ask.local) as usize;
            let turn = u32::from(stages.accept_turns[ivc]);
            for vc in ones(ask.vcs) {
                let column = ask.target(vc, self.wiring);
                let ahead = u64::from(cyclic_distance(turn, column));
                let numbers = match rotates {
                    false => [ask.local, column],
                    true => self.numbers_of_vcs(stages, here, ask, vc),
                };
                stages.scratch.cells.all.push(Cell {
                    order: [stages.acts_from[ivc], u64::from(ask.local) << 32 | ahead],
                    row: ask.local,
                    column,
                    numbers,
                    class: ask.class,
                    place: place << VC_BITS | vc,
                });
            }
        }
        let start = match rotates {
            true => {
                let each = self.config.most_vcs();
                Start::At(stages.rotation.begin(here.router, Requests::Heads, each))
            }
            false => Start::Oldest(self.ports_at(here) << self.wiring.vc_shift),
        };
        stages.scratch.cells.choose_by(matching, start, false);
        while let Some(chosen) = stages.scratch.cells.chosen.pop() {
            let ask = asks[(chosen >> VC_BITS) as usize];
            let vc = chosen & ((1 << VC_BITS) - 1);
            self.grant_vc(stages, ask, vc);
            stages.have_had_their_turns(here, &ask, vc, self.wiring);
        }
    }

    /// Of a head's requests the one that it puts forward is left.
    fn keep_best(&self, stages: &Stages, here: Here, asks: &mut Vec<Ask>) {
        let key = |ask: &Ask| {
            let vc = self.preferred(stages, here, ask);
            self.key_at_head(stages, here, ask, vc, 0)
        };
        asks.dedup_by(|next, best| {
            let is_of_one = next.local == best.local;
            if is_of_one && key(next) < key(best) {
                *best = *next;
            }
            is_of_one
        });
    }

    /// Which virtual channel a head asks for first.
    fn preferred(&self, stages: &Stages, here: Here, ask: &Ask) -> u32 {
        if stages.takes_in_turn() {
            return stages.next_in_turn(here, ask, self.wiring);
        }
        let key = |&vc: &u32| self.key_at_head(stages, here, ask, vc, 0);
        ones(ask.vcs).min_by_key(key).unwrap_or(0)
    }

    /// What a head compares the virtual channels by that it could take in `round`.
    fn key_at_head(&self, stages: &Stages, here: Here, ask: &Ask, vc: u32, round: u32) -> [u64; 2] {
        let target = ask.target(vc, self.wiring);
        let local = ask.local;
        match stages.vc_arbiter {
            Arbiter::Random if stages.vc_begins == Begins::AtDrawnPlaces => {
                [self.vcs_behind_drawn(stages, here, ask, vc, round)[0], 0]
            }
            Arbiter::Random => {
                let router = self.partition.node(here.router).0;
                let index = local | target << 16;
                let word = draw(self.seed, Purpose::VcInput, router, stages.now, index);
                [word, u64::from(target)]
            }
            Arbiter::Matrix => {
                let taken = stages.taken_at(ask, vc, self.wiring);
                [taken, u64::from(target)]
            }
            Arbiter::RoundRobin | Arbiter::OldestFirst => {
                let pointer = stages.accept_turns[here.ivc(local) as usize];
                [u64::from(cyclic_distance(u32::from(pointer), target)), 0]
            }
        }
    }

    /// What a virtual channel compares the heads by that ask for it in `round`.
    fn key_at_vc(&self, stages: &Stages, here: Here, ask: &Ask, vc: u32, round: u32) -> Key {
        let lane = self.wiring.ovc(ask.channel, vc);
        let local = ask.local;
        match stages.vc_arbiter {
            Arbiter::RoundRobin => {
                let ahead = cyclic_distance(stages.turn(lane), local);
                [u64::from(ahead), 0, 0, 0]
            }
            Arbiter::Matrix => {
                let taken = stages.taken_at(ask, vc, self.wiring);
                [taken, u64::from(local), 0, 0]
            }
            Arbiter::OldestFirst => {
                let (created, source) = self.age(stages, here, local);
                [created, source, 0, 0]
            }
            Arbiter::Random if stages.vc_begins == Begins::AtDrawnPlaces => {
                let [_, behind] = self.vcs_behind_drawn(stages, here, ask, vc, round);
                [behind, 0, 0, 0]
            }
            Arbiter::Random => {
                let target = ask.target(vc, self.wiring);
                let (router, index) = (self.partition.node(here.router).0, local | target << 16);
                let word = draw(self.seed, Purpose::VcOrder, router, stages.now, index);
                [word, u64::from(local), 0, 0]
            }
        }
    }

    /// Every virtual channel grants itself to the head next in turn of those that ask for it, and every head takes the
    /// next in turn of those that it was granted.
    fn match_by_masks(&mut self, stages: &mut Stages, here: Here, asks: &[Ask], move_turns: bool) {
        for (ask, index) in asks.iter().zip(0usize..) {
            let channel = ask.channel;
            if asks[..index].iter().any(|other| other.channel == channel) {
                continue;
            }
            let rivals = || asks[index..].iter().filter(|ask| ask.channel == channel);
            let all = u128::union(rivals().map(|ask| ask.local));
            let [any, every] = rivals().fold([0, VcMask::MAX], |[any, every], ask| {
                [any | ask.vcs, every & ask.vcs]
            });
            for vc in ones(any) {
                let heads = match every >> vc & 1 {
                    1 => all,
                    _ => {
                        let heads = rivals().filter(|ask| ask.vcs >> vc & 1 == 1);
                        u128::union(heads.map(|ask| ask.local))
                    }
                };
                let lane = self.wiring.ovc(channel, vc);
                let head = heads.first_from(stages.turn(lane));
                if move_turns {
                    stages.has_granted(lane, head);
                }
                stages.scratch.offered[head as usize] |= 1 << vc;
            }
            for &ask in rivals() {
                let vcs = std::mem::take(&mut stages.scratch.offered[ask.local as usize]);
                if vcs == 0 {
                    continue;
                }
                let vc = stages.next_in_turn(here, &Ask { vcs, ..ask }, self.wiring);
                self.grant_vc(stages, ask, vc);
                if move_turns {
                    stages.have_had_their_turns(here, &ask, vc, self.wiring);
                }
            }
        }
    }

    fn put_to(
        &self,
        stages: &mut Stages,
        here: Here,
        (ask, place): (&Ask, u32),
        vc: u32,
        round: u32,
    ) {
        let target = ask.target(vc, self.wiring);
        let key = self.key_at_vc(stages, here, ask, vc, round);
        let scratch = &mut stages.scratch;
        let offered = Best { key, place, target };
        if scratch.best[target as usize].offer(offered) {
            scratch.touched.push(target);
        }
    }

    /// Every virtual channel that was asked for grants itself to the head that it prefers.
    fn offer_granted(&self, stages: &mut Stages, here: Here, asks: &[Ask], round: u32) {
        while let Some(target) = stages.scratch.touched.pop() {
            let granted = std::mem::replace(&mut stages.scratch.best[target as usize], Best::NONE);
            let ask = &asks[granted.place as usize];
            let vc = self.wiring.vc_of(target);
            if round == 0 {
                stages.has_granted(self.wiring.ovc(ask.channel, vc), ask.local);
            }
            let [first, second] = self.key_at_head(stages, here, ask, vc, round);
            let key = [first, second, 0, 0];
            let local = ask.local;
            let scratch = &mut stages.scratch;
            if scratch.granted[local as usize].offer(Best { key, ..granted }) {
                scratch.accepting.push(local);
            }
        }
    }

    /// Every head with a grant takes the virtual channel that it prefers.
    fn accept_granted(&mut self, stages: &mut Stages, here: Here, asks: &[Ask], move_turns: bool) {
        while let Some(local) = stages.scratch.accepting.pop() {
            let granted = &mut stages.scratch.granted[local as usize];
            let Best { place, target, .. } = std::mem::replace(granted, Best::NONE);
            let ask = asks[place as usize];
            let vc = self.wiring.vc_of(target);
            self.grant_vc(stages, ask, vc);
            if move_turns {
                stages.have_had_their_turns(here, &ask, vc, self.wiring);
            }
        }
    }
}

impl Stages {
    /// Whether heads take virtual channels in turn.
    pub(super) fn takes_in_turn(&self) -> bool {
        matches!(self.vc_arbiter, Arbiter::RoundRobin | Arbiter::OldestFirst)
    }

    /// The cycle after that in which `ask`'s input virtual channel last took `vc`; 0: never.
    #[inline(always)]
    fn taken_at(&self, ask: &Ask, vc: u32, wiring: Wiring) -> u64 {
        self.vc_taken[wiring.taken(wiring.ovc(ask.channel, vc), ask.local)]
    }

    /// The local ivc that the virtual channel `lane` takes first.
    #[inline(always)]
    fn turn(&self, lane: u32) -> u32 {
        self.grant_turns[lane as usize] & ((1 << TURN_BITS) - 1)
    }

    /// The virtual channel `lane` has granted itself to the head of `local`, which may decline.
    #[inline(always)]
    fn has_granted(&mut self, lane: u32, local: u32) {
        let turn = &mut self.grant_turns[lane as usize];
        *turn += 1 << TURN_BITS;
        if *turn >> TURN_BITS == u32::from(DECLINED_MOST) {
            *turn = local + 1;
        }
    }

    /// Of the virtual channels that `ask` would take the next in turn.
    #[inline(always)]
    pub(super) fn next_in_turn(&self, here: Here, ask: &Ask, wiring: Wiring) -> u32 {
        let turn = u32::from(self.accept_turns[here.ivc(ask.local) as usize]);
        let ahead = turn.wrapping_sub(ask.out << wiring.vc_shift);
        first_from(ask.vcs, if ahead < wiring.vcs() { ahead } else { 0 })
    }

    /// `ask` and virtual channel `vc` have matched in the first round: its declined grants are counted anew.
    #[inline(always)]
    pub(super) fn have_had_their_turns(&mut self, here: Here, ask: &Ask, vc: u32, wiring: Wiring) {
        let lane = wiring.ovc(ask.channel, vc);
        let target = ask.target(vc, wiring);
        self.accept_turns[here.ivc(ask.local) as usize] = target as u16 + 1;
        self.grant_turns[lane as usize] = ask.local + 1;
        let place = wiring.taken(lane, ask.local);
        if let Some(taken) = self.vc_taken.get_mut(place) {
            *taken = self.now + 1;
        }
    }
}
