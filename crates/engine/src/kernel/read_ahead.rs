//! Read ahead, in a large network: what the heads of 64 routers are about to touch is read a little before,
//! all of it at once.
//!
//! The routers of a large network do not fit the caches near a core. A head asks for a chain of lines of
//! memory, each of which says where the next is, and serving it is full of unpredictable
//! branches: a core that meets these lines there waits for them, one head after the other. The same loads
//! in a short loop wait together. Nothing is done with what they find. (The README has figures, and where
//! it did not pay.)

use super::vc_allocation::VcAllocation;
use crate::Routing;
use crate::kernel::partition::Partition;
use crate::kernel::state::lane_into;
use std::hint::black_box;

impl<R: Routing, E: Partition> VcAllocation<'_, R, E> {
    /// Reads what the heads will touch that wait in the routers `routers`, bits of word `word` of the
    /// set: their lanes, their places in the buffers, and their packets.
    #[inline(never)]
    pub(super) fn read_ahead(&self, word: usize, mut routers: u64) {
        let mut seen = 0;
        while routers != 0 {
            let router = word as u32 * 64 + routers.trailing_zeros();
            routers &= routers - 1;
            let mut heads = self.routers[router as usize].waiting;
            while heads != 0 {
                let ivc = self.wiring.first_ivc(router) + heads.trailing_zeros();
                heads &= heads - 1;
                let slot = self.front_packet(lane_into(self.inputs, ivc, self.wiring));
                seen ^= self.packets.get(slot).destination.0;
            }
        }
        black_box(seen);
    }
}
