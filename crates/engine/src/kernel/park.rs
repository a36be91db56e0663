//! Claim virtual channels in turn, as `allocate_vc` says, where a head has one way on that never
//! changes and only a virtual channel set free can help it: a head that finds none *parks* at its
//! channel, and costs nothing until one is freed.
//!
//! A head asks the relation once at each router. What it wants is remembered with its packet, that
//! it wants it as a bit of its channel ([`Link::parked`](crate::kernel::state::Link)): the heads that stand
//! in turn for the channel. Whoever frees a virtual channel where heads are parked notes the channel
//! in its router's `freed`. A head that parked before cannot claim but what was freed since, so only
//! channels freed or newly wanted are served.

use super::vc_allocation::{Front, VcAllocation, head_of};
use crate::Routing;
use crate::kernel::bits::first_from;
use crate::kernel::engine::Here;
use crate::kernel::partition::Partition;
use crate::kernel::state::lane_into;
use flitsim_topology::ChannelId;

impl<R: Routing, E: Partition> VcAllocation<'_, R, E> {
    /// Every router where heads wait claims outputs for them, or parks them.
    #[inline(never)]
    pub(crate) fn allocate_or_park(mut self) {
        for s in 0..self.waiting.summaries() {
            // Nearly all of them have nothing to wait for but their channel when this is over.
            let mut summary = self.waiting.take_summary(s);
            while summary != 0 {
                let word = s * 64 + summary.trailing_zeros() as usize;
                summary &= summary - 1;
                let mut routers = self.waiting.take_word(word);
                if self.reads_ahead {
                    self.read_ahead(word, routers);
                }
                while routers != 0 {
                    let router = word as u32 * 64 + routers.trailing_zeros();
                    routers &= routers - 1;
                    let state = &self.routers[router as usize];
                    let here = Here::new(router, router as usize, self.wiring, state);
                    self.allocate_or_park_at(here);
                }
            }
        }
    }

    /// Sends the new heads of a router to their channels, and serves the channels.
    #[inline(always)]
    fn allocate_or_park_at(&mut self, here: Here) {
        let router = &mut self.routers[here.first_word];
        let mut outputs = std::mem::take(&mut router.freed);
        let mut waiting = router.waiting;
        while waiting != 0 {
            let local = waiting.trailing_zeros();
            waiting &= waiting - 1;
            let lane = lane_into(self.inputs, here.first_ivc | local, self.wiring);
            let slot = self.front_packet(lane);
            let packet = self.packets.get(slot);
            if packet.destination == self.partition.node(here.router) {
                let front = Front::new(local, lane, slot, packet);
                self.take_ejection(here, front);
                continue;
            }
            let front = Front::new(local, lane, slot, packet);
            let head = head_of(here, lane, packet, self.wiring, self.partition);
            let Some(wanted) = self.routing.only(head, self.candidates) else {
                // A relation that answers nothing leaves its head where it is, for the watchdog.
                self.waiting.insert(here.router);
                continue;
            };
            let mut wanted = wanted;
            if E::IS_PART {
                wanted.channel = self.partition.local_id(wanted.channel);
            }
            let link = &mut self.links[wanted.channel.index()];
            let available = link.free_vcs & wanted.vcs;
            if waiting | outputs == 0 && available != 0 {
                // Nobody else claims here in this cycle: there is no turn to wait for.
                link.claim_pointer = local as u16 + 1;
                self.grant(here, front, head, wanted.channel, available);
                break;
            }
            link.parked |= 1 << local;
            self.packets.set_wanted(slot, wanted);
            self.routers[here.first_word].waiting &= !(1 << local);
            outputs |= 1 << (wanted.channel.0 - here.first_channel);
        }
        while outputs != 0 {
            let output = outputs.trailing_zeros();
            outputs &= outputs - 1;
            self.serve(here, ChannelId(here.first_channel + output));
        }
    }

    /// The heads parked at `channel` claim, in turn from the one after the last that did.
    #[inline(always)]
    fn serve(&mut self, here: Here, channel: ChannelId) {
        let link = self.links[channel.index()];
        let first = u32::from(link.claim_pointer) & 63;
        let (mut heads, mut free_vcs) = (link.parked, link.free_vcs);
        while heads != 0 && free_vcs != 0 {
            let local = first_from(heads, first);
            heads &= !(1 << local);
            let lane = lane_into(self.inputs, here.first_ivc | local, self.wiring);
            let slot = self.front_packet(lane);
            let available = free_vcs & self.packets.wanted(slot).vcs;
            if available != 0 {
                let packet = self.packets.get(slot);
                let head = head_of(here, lane, packet, self.wiring, self.partition);
                let front = Front::new(local, lane, slot, packet);
                self.grant(here, front, head, channel, available);
                let link = &mut self.links[channel.index()];
                link.parked &= !(1 << local);
                link.claim_pointer = local as u16 + 1;
                free_vcs = link.free_vcs;
            }
        }
    }
}
