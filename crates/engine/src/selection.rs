//! The selection function: which of its ways an adaptive head takes, in both engines.

use crate::Selection;
use crate::routing::{Candidate, VcMask};
use flitsim_topology::ChannelId;
use std::hint::select_unpredictable;

/// What a selection function sees: the ways on of one head.
pub(crate) trait Outputs {
    /// The virtual channels of `candidate` that the head may claim now.
    fn available(&self, candidate: Candidate) -> VcMask;

    /// All free virtual channels of `channel`.
    fn free(&self, channel: ChannelId) -> VcMask;

    /// The credits of the virtual channels `vcs` of `channel`, together.
    fn credits(&self, channel: ChannelId, vcs: VcMask) -> u32;

    /// One of the numbers below `bound`, by a draw of the head's own in this cycle.
    fn draw(&self, bound: u32) -> u32;
}

/// The candidate that a head prefers, of those with a virtual channel to claim: of the first class of priority that
/// has one, the one with the highest score, of equals a random one; under zigzag, the first.
#[inline(always)]
pub(crate) fn select(
    candidates: &[Candidate],
    selection: Selection,
    outputs: &impl Outputs,
) -> Option<Candidate> {
    // Better, or as good, without a branch: no predictor foresees which.
    let key = |candidate: Candidate| {
        let vcs = outputs.available(candidate);
        let score = 1 + score(selection, candidate.channel, vcs, outputs);
        select_unpredictable(vcs != 0, score, 0)
    };
    for class in candidates.chunk_by(|a, b| a.priority == b.priority) {
        // The best key, how many have it, and, of no more than 64, which.
        let (mut best, mut equals, mut which) = (0, 0, 0u64);
        for (&candidate, place) in class.iter().zip(0u32..) {
            let key = key(candidate);
            let is_better = key > best;
            let is_best = key >= best;
            equals = select_unpredictable(is_better, 0, equals) + u32::from(is_best);
            which = select_unpredictable(is_better, 0, which) | u64::from(is_best) << (place % 64);
            best = best.max(key);
        }
        if best == 0 {
            continue;
        }
        let skip = match selection {
            Selection::Zigzag => 0,
            _ if equals == 1 => 0,
            _ => outputs.draw(equals),
        };
        if class.len() > 64 {
            let mut equals = class.iter().filter(|&&candidate| key(candidate) == best);
            return equals.nth(skip as usize).copied();
        }
        (0..skip).for_each(|_| which &= which - 1);
        return Some(class[which.trailing_zeros() as usize]);
    }
    None
}

/// What the selection function prefers: the most.
#[inline(always)]
fn score(selection: Selection, channel: ChannelId, vcs: VcMask, outputs: &impl Outputs) -> u32 {
    match selection {
        // Zigzag takes the first of all, random any.
        Selection::Random | Selection::Zigzag => 0,
        Selection::LeastLoaded => outputs.free(channel).count_ones(),
        Selection::MostCredits => outputs.credits(channel, vcs),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, below, draw};

    /// Outputs that are free, have credits and are drawn at random.
    struct Any(u64);

    impl Any {
        fn of(&self, part: u32, channel: ChannelId) -> u64 {
            draw(self.0, Purpose::Route, part, 0, channel.0)
        }
    }

    impl Outputs for Any {
        fn available(&self, candidate: Candidate) -> VcMask {
            candidate.vcs & self.free(candidate.channel)
        }

        fn free(&self, channel: ChannelId) -> VcMask {
            self.of(0, channel) & 0b111
        }

        fn credits(&self, channel: ChannelId, vcs: VcMask) -> u32 {
            (self.of(1, channel) & vcs).count_ones()
        }

        fn draw(&self, bound: u32) -> u32 {
            below(draw(self.0, Purpose::Selection, 2, 0, 0), bound)
        }
    }

    /// As it is said: the best of the first class with any, one of equals by the draw.
    fn as_said(candidates: &[Candidate], selection: Selection, outputs: &Any) -> Option<Candidate> {
        let free = |c: &&Candidate| outputs.available(**c) != 0;
        let class = candidates.iter().filter(free).map(|c| c.priority).min()?;
        let of_class = candidates
            .iter()
            .filter(free)
            .filter(|c| c.priority == class);
        let score = |c: &Candidate| score(selection, c.channel, outputs.available(*c), outputs);
        let best = of_class.clone().map(score).max()?;
        let equals: Vec<_> = of_class.filter(|c| score(c) == best).collect();
        let drawn = match selection {
            Selection::Zigzag => 0,
            _ if equals.len() == 1 => 0,
            _ => outputs.draw(equals.len() as u32) as usize,
        };
        Some(*equals[drawn])
    }

    /// Also of more candidates than a word has bits.
    #[test]
    fn the_best_is_selected() {
        for case in 0..2_000u32 {
            let outputs = Any(u64::from(case));
            let counts = [1, 2, 3, 10, 64, 65, 200];
            let count = counts[case as usize % counts.len()];
            let candidate = |i: u32| Candidate {
                channel: ChannelId(i),
                vcs: 1 << (i % 3),
                priority: u8::from(i > count / 2) * u8::from(case % 2 == 0),
            };
            let candidates: Vec<_> = (0..count).map(candidate).collect();
            for selection in [
                Selection::Random,
                Selection::MostCredits,
                Selection::LeastLoaded,
                Selection::Zigzag,
            ] {
                assert_eq!(
                    select(&candidates, selection, &outputs),
                    as_said(&candidates, selection, &outputs),
                    "case {case}, {selection:?}"
                );
            }
        }
    }
}
