//! The selection function: which of its ways an adaptive head takes, in both engines.

use crate::Selection;
use crate::routing::{Candidate, VcMask};
use flitsim_topology::ChannelId;

/// What a selection function sees: the ways on of one head.
pub(crate) trait Outputs {
    /// The virtual channels of `candidate` that the head may claim now.
    fn available(&self, candidate: Candidate) -> VcMask;

    /// All free virtual channels of `channel`.
    fn free(&self, channel: ChannelId) -> VcMask;

    /// The credits of virtual channel `vc` of `channel`.
    fn credits(&self, channel: ChannelId, vc: u32) -> u32;

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
    let mut best_score = 0;
    let mut equals = 0;
    // Two passes over a class: find the best score and how many have it, then draw among them.
    for class in candidates.chunk_by(|a, b| a.priority == b.priority) {
        for &candidate in class {
            let vcs = outputs.available(candidate);
            if vcs == 0 {
                continue;
            }
            let score = score(selection, candidate.channel, vcs, outputs);
            if equals == 0 || score > best_score {
                (best_score, equals) = (score, 0);
            }
            equals += u32::from(score == best_score);
        }
        if equals == 0 {
            continue;
        }
        let mut skip = match selection {
            Selection::Zigzag => 0,
            _ if equals == 1 => 0,
            _ => outputs.draw(equals),
        };
        for &candidate in class {
            let vcs = outputs.available(candidate);
            if vcs != 0 && score(selection, candidate.channel, vcs, outputs) == best_score {
                if skip == 0 {
                    return Some(candidate);
                }
                skip -= 1;
            }
        }
        break;
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
        Selection::MostCredits => {
            let mut rest = vcs;
            let mut sum = 0;
            while rest != 0 {
                sum += outputs.credits(channel, rest.trailing_zeros());
                rest &= rest - 1;
            }
            sum
        }
    }
}
