//! What a cycle needs that is not of the routers. The probe is not in it: what tells it nothing is compiled once for all.

use super::border::{Border, is_beyond};
use super::row::{Noted, Word};
use crate::packet::Packets;
use crate::{Candidates, Counters, Selection, VcMask};
use fearless_simd::Level;

/// What is not of the routers.
pub(super) struct Around<'a, R> {
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
    pub(super) border: &'a mut Border,
    /// Injection virtual channels that are free again, with the places of their terminals.
    pub(super) vacant: &'a mut Vec<(u32, u8)>,
    pub(super) counters: &'a mut Counters,
    /// Whether the probe is told of each flit.
    pub(super) tells_flits: bool,
    /// Whether the caches do not hold the routers, so that it pays to fetch what the heads of a block are about
    /// to use for all of them at once.
    pub(super) fetches: bool,
}

impl<R> Around<'_, R> {
    /// The head of the packet in `slot` crosses to another part, as [`Border::send`] has it. Where each flit is
    /// told, the packet stays as it is for those behind.
    #[cold]
    pub(super) fn send(&mut self, beyond: usize, vcs: usize, slot: u32) {
        self.border.send(beyond, vcs, *self.packets.get(slot));
        if !self.tells_flits {
            self.packets.remove(slot);
        }
    }

    /// Where each flit is told, a packet that crossed to another part is kept until the next one is at the front, as one
    /// is now at the places `fresh`. `front` tells of a lane and bit where the front packet goes, one of `own` input
    /// virtual channels or beyond, and its slot.
    #[cold]
    pub(super) fn forget_crossed<W: Word>(
        &mut self,
        fresh: &Noted<W>,
        own: usize,
        front: impl Fn(usize, usize) -> (u32, u32),
    ) {
        for lane in fresh.lanes() {
            for bit in fresh.bits(lane) {
                let (end, packet) = front(lane, bit);
                if is_beyond(end, own) {
                    self.packets.remove(packet);
                }
            }
        }
    }
}
