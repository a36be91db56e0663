//! What a cycle needs that is not of the routers.

use crate::packet::Packets;
use crate::{Candidates, Counters, Selection, VcMask};
use fearless_simd::Level;

/// What is not of the routers.
pub(super) struct Around<'a, R, P> {
    pub(super) routing: &'a R,
    pub(super) level: Level,
    pub(super) cycle: u64,
    pub(super) seed: u64,
    pub(super) selection: Selection,
    /// The virtual channels of a channel.
    pub(super) all: VcMask,
    /// Under atomic reallocation, the credits with which a virtual channel is free.
    pub(super) emptied_at: Option<u64>,
    pub(super) candidates: &'a mut Candidates,
    pub(super) packets: &'a mut Packets,
    /// Injection virtual channels that are free again, with their terminals.
    pub(super) vacant: &'a mut Vec<(u32, u8)>,
    pub(super) counters: &'a mut Counters,
    pub(super) probe: &'a mut P,
    /// Whether the caches do not hold the routers, so that it pays to fetch what the heads of a block are about
    /// to use for all of them at once.
    pub(super) fetches: bool,
}
