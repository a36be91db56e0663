//! What a head asks for in virtual-channel allocation, where heads and virtual channels are matched.

use super::wiring::Wiring;
use crate::routing::VcMask;
use flitsim_topology::ChannelId;

/// A head with what it would take: any of some virtual channels of one channel. Those of one head stand side by side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ask {
    /// The local ivc and the lane of its front, and the packet's slot and length.
    pub(super) local: u32,
    pub(super) lane: u32,
    pub(super) slot: u32,
    pub(super) flits: u32,
    pub(super) channel: ChannelId,
    /// The channel as a local output.
    pub(super) out: u32,
    pub(super) vcs: VcMask,
    /// Its priority class, where the allocator goes by classes; a lower one goes first.
    pub(super) class: u8,
}

impl Ask {
    /// Virtual channel `vc` of its output, counted through all outputs of the router.
    pub(super) const fn target(&self, vc: u32, wiring: Wiring) -> u32 {
        (self.out << wiring.vc_shift) + vc
    }
}
