//! Virtual-channel allocation of a block of routers in stages, head by head.

use super::heads::{Here, Site};
use crate::config::Matching;
use crate::dense::border::EJECT;
use crate::dense::counts::count_of;
use crate::dense::row::{Places, Word, ones};
use crate::kernel::staged::DECLINED_MOST;

impl<W: Word, const V: usize> Site<'_, W, V> {
    /// Heads that ask get virtual channels, for which they bid from the next cycle on: a head alone at an
    /// output what it prefers, several as they are matched.
    #[inline(always)]
    pub(super) fn claim(&mut self) {
        match self.rules.ways {
            1 => self.claim_by::<1>(),
            _ => self.claim_by::<2>(),
        }
    }

    #[inline(never)]
    fn claim_by<const WAYS: usize>(&mut self) {
        let mut places = Places::of(&self.scratch.alone);
        while let Some((lane, bit)) = places.next(&self.scratch.alone) {
            self.claim_alone::<WAYS>(self.here(lane), bit);
        }
        if self.scratch.contesting.is_any() {
            self.claim_contested::<WAYS>();
        }
    }

    /// The head at `bit` takes what it prefers of what is free.
    #[inline(always)]
    fn claim_alone<const WAYS: usize>(&mut self, here: Here, bit: usize) {
        let ivc = &self.ivcs[here.first_ivc + bit];
        let output = usize::from(ivc.output);
        let free = self.scratch.common.free.get(here.lane) >> (output * V);
        let vcs = u64::from(ivc.vcs) & free;
        if vcs != 0 {
            let vc = ivc.next_in_turn(vcs);
            self.guess(here, bit, output, vcs);
            self.give::<WAYS>(here, bit, output, vc, true);
        }
    }

    /// Where heads speculate, the one at `bit` bids if any of `vcs`, which are free for it, has room.
    #[inline(always)]
    fn guess(&mut self, here: Here, bit: usize, output: usize, vcs: u64) {
        if !self.rules.speculates {
            return;
        }
        let credits = self.block.slots[output].credits.get(here.lane);
        if ones(vcs).any(|vc| count_of::<W, V>(credits, vc % V) > 0) {
            self.scratch.guesses.insert(here.lane, 1 << bit);
        }
    }

    /// Heads that ask for one output are matched with its virtual channels.
    #[inline(never)]
    fn claim_contested<const WAYS: usize>(&mut self) {
        for lane in self.scratch.contesting.lanes() {
            let mut heads = self.scratch.contesting.row.get(lane);
            let here = self.here(lane);
            while heads != 0 {
                let ivcs = &self.ivcs[here.first_ivc..];
                let output = ivcs[heads.trailing_zeros() as usize].output;
                let output = usize::from(output);
                let wanted = self.block.slots[output].wanted.get(lane);
                let free = self.scratch.common.free.get(lane) >> (output * V);
                // Only those that may have one that is free.
                let may = |&bit: &usize| u64::from(ivcs[bit].vcs) & free != 0;
                let asks = ones(heads & wanted).filter(may);
                let asks = asks.fold(0u64, |heads, bit| heads | 1 << bit);
                heads &= !wanted;
                match asks & asks.wrapping_sub(1) {
                    0 if asks == 0 => {}
                    0 => self.claim_alone::<WAYS>(here, asks.trailing_zeros() as usize),
                    _ => {
                        for bit in ones(asks) {
                            let vcs = u64::from(self.ivcs[here.first_ivc + bit].vcs) & free;
                            self.guess(here, bit, output, vcs);
                        }
                        self.match_heads::<WAYS>(here, output, asks, free);
                    }
                }
            }
        }
    }

    /// Several heads ask for virtual channels `free` of `output`: the rounds of a separable allocator.
    #[inline(never)]
    fn match_heads<const WAYS: usize>(
        &mut self,
        here: Here,
        output: usize,
        mut heads: u64,
        mut free: u64,
    ) {
        let matching = self.rules.vc_matching;
        let rounds = match matching {
            Matching::Islip { iterations } => iterations,
            _ => 1,
        };
        for round in 0..rounds {
            // By virtual channel: the heads that it is asked by, as bits in the order of arbiters.
            let mut asked = [0u64; V];
            for bit in ones(heads) {
                let ivc = &self.ivcs[here.first_ivc + bit];
                let vcs = u64::from(ivc.vcs) & free;
                let put_to = match matching {
                    Matching::SeparableInputFirst if vcs != 0 => 1 << ivc.next_in_turn(vcs),
                    _ => vcs,
                };
                let local = self.local_of::<WAYS>(bit);
                for (vc, heads) in asked.iter_mut().enumerate() {
                    *heads |= (put_to >> vc & 1) << local;
                }
            }
            // By virtual channel: the head that it takes; they are served from the lowest up.
            let turns = &self.outlets[here.first_outlet + output].turns;
            let takes = |vc: usize| {
                let last = usize::from(turns[vc]);
                let next = match WAYS {
                    1 => last,
                    _ => last
                        .checked_sub(1)
                        .map_or(0, |bit| self.local_of::<WAYS>(bit) + 1),
                };
                let ahead = asked[vc] & u64::MAX << (next & 63);
                let first = if ahead == 0 { asked[vc] } else { ahead };
                first & first.wrapping_neg()
            };
            let taken: [u64; V] = std::array::from_fn(takes);
            let served = taken.iter().fold(0, |all, head| all | head);
            if served == 0 {
                return;
            }
            if round == 0 {
                self.have_granted::<WAYS>(here, output, &taken);
            }
            for local in ones(served) {
                let granted = (0..V).fold(0, |vcs, vc| vcs | (taken[vc] >> local & 1) << vc);
                let bit = self.bit_of::<WAYS>(local);
                let vc = self.ivcs[here.first_ivc + bit].next_in_turn(granted);
                self.give::<WAYS>(here, bit, output, vc, round == 0);
                free &= !(1 << vc);
                heads &= !(1 << bit);
            }
        }
    }

    /// The virtual channels of `output` have granted themselves to the heads `taken`, which may decline.
    #[inline(always)]
    fn have_granted<const WAYS: usize>(&mut self, here: Here, output: usize, taken: &[u64; V]) {
        for (vc, head) in taken.iter().enumerate().filter(|&(_, &head)| head != 0) {
            let bit = self.bit_of::<WAYS>(head.trailing_zeros() as usize);
            let outlet = &mut self.outlets[here.first_outlet + output];
            outlet.declined[vc] += 1;
            if outlet.declined[vc] == DECLINED_MOST {
                (outlet.turns[vc], outlet.declined[vc]) = ((bit + 1) as u8, 0);
            }
        }
    }

    /// The number of the input virtual channel at `bit`, as arbiters have them: those of a port in order.
    #[inline(always)]
    fn local_of<const WAYS: usize>(&self, bit: usize) -> usize {
        match WAYS {
            1 => bit,
            _ => bit - bit % V + usize::from(self.links.vc_of[bit % V]),
        }
    }

    /// The bit of the input virtual channel `local`.
    #[inline(always)]
    fn bit_of<const WAYS: usize>(&self, local: usize) -> usize {
        match WAYS {
            1 => local,
            _ => local - local % V + usize::from(self.links.bit_of[local % V]),
        }
    }

    /// The head at `bit` gets virtual channel `vc` of `output`.
    #[inline(always)]
    fn give<const WAYS: usize>(
        &mut self,
        here: Here,
        bit: usize,
        output: usize,
        vc: usize,
        move_turns: bool,
    ) {
        let slots = self.block.slots.len() - 1;
        let slot = &mut self.block.slots[output];
        slot.wanted.remove(here.lane, 1 << bit);
        let masks = &mut *self.block.masks;
        slot.take(&mut masks.held, here.lane, bit, output, vc);
        masks.asking.remove(here.lane, 1 << bit);
        if self.rules.speculates {
            self.scratch.given.insert(here.lane, 1 << bit);
        }
        let place = self.bit_of::<WAYS>(vc);
        let ivc = &mut self.ivcs[here.first_ivc + bit];
        let outlet = &mut self.outlets[here.first_outlet + output];
        if move_turns {
            (ivc.turn, ivc.turn_output) = ((vc + 1) as u8, output as u8);
            (outlet.turns[vc % V], outlet.declined[vc % V]) = ((bit + 1) as u8, 0);
        }
        let end = outlet.end + place as u32;
        ivc.end = if output == slots { EJECT } else { end };
        ivc.end_vc = vc as u8;
    }
}
