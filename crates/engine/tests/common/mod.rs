//! What tests of several relations need: each is enumerated, not sampled.

// A test program that uses a part of this would otherwise be told of the rest.
#![allow(dead_code)]

pub mod any;
pub mod crowd;
pub mod definition;
pub mod dependencies;
pub mod extended;
pub mod loaded;
pub mod numbered;
pub mod relations;
pub mod routes;

use flitsim_engine::Pipeline;
use flitsim_engine::routing::VcMask;

/// Stages of a cycle each, as BookSim2's are by default.
pub const STAGES: Pipeline = Pipeline {
    routing: 1,
    vc_allocation: 1,
    switch_allocation: 1,
    traversal: 1,
};

/// The virtual channels of a mask, ascending.
pub fn vcs_of(mut mask: VcMask) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let vc = (mask != 0).then(|| mask.trailing_zeros());
        mask &= mask.wrapping_sub(1);
        vc
    })
}

/// The mask of these virtual channels.
pub fn mask_of(vcs: impl Iterator<Item = u32>) -> VcMask {
    vcs.fold(0, |mask, vc| mask | 1 << vc)
}
