//! Claim virtual channels first come, first served, as `allocate_vc` says, where a head has one way on
//! that never changes and only a virtual channel set free can help it: a head that finds none *parks* at
//! its channel, and costs nothing until one is freed.
//!
//! A head asks the relation once at each router. What it wants is remembered with its packet, and the
//! packets are linked to the queue of their channel ([`Link::parked`](crate::kernel::state::Link)). Whoever
//! frees a virtual channel where heads are parked notes the channel in its router's `freed`. A head that
//! parked before cannot claim but what was freed since: only the queues of such channels are looked at,
//! and who comes later takes what is left.

use super::vc_allocation::{Front, VcAllocation, head_of};
use crate::Routing;
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

    /// Serves the heads that parked before, where there is something new for them; then those that
    /// have come.
    #[inline(always)]
    fn allocate_or_park_at(&mut self, here: Here) {
        let router = &mut self.routers[here.first_word];
        let mut freed = std::mem::take(&mut router.freed);
        let mut waiting = router.waiting;
        while freed != 0 {
            let output = freed.trailing_zeros();
            freed &= freed - 1;
            self.serve(here, ChannelId(here.first_channel + output));
        }
        while waiting != 0 {
            let local = waiting.trailing_zeros();
            waiting &= waiting - 1;
            let lane = lane_into(self.inputs, here.ivc(local), self.wiring);
            let slot = self.front_packet(lane);
            let packet = self.packets.get(slot);
            let front = Front::new(local, lane, slot, packet);
            if packet.destination == self.partition.node(here.router) {
                self.take_ejection(here, front);
                continue;
            }
            let head = head_of(here, lane, packet, self.wiring, self.partition);
            let Some(wanted) = self.routing.only(head, self.candidates) else {
                // A relation that answers nothing leaves its head where it is, for the watchdog.
                self.waiting.insert(here.router);
                continue;
            };
            let channel = match E::IS_PART {
                true => self.partition.local_id(wanted.channel),
                false => wanted.channel,
            };
            let link = &mut self.links[channel.index()];
            let available = link.free_vcs & wanted.vcs;
            if available != 0 {
                self.grant(here, front, head, channel, available);
            } else {
                let ivc = here.ivc(local);
                self.packets.park(&mut link.parked, slot, ivc, wanted.vcs);
                link.is_wanted = true;
                self.routers[here.first_word].waiting &= !(1 << local);
            }
        }
    }

    /// The heads parked at `channel` claim, in the order in which they came.
    #[inline(always)]
    fn serve(&mut self, here: Here, channel: ChannelId) {
        let link = self.links[channel.index()];
        let (mut place, mut free_vcs) = (link.parked.front(), link.free_vcs);
        while free_vcs != 0
            && let Some(parked) = self.packets.parked(place)
        {
            let available = free_vcs & parked.vcs;
            if available == 0 {
                place = parked.next;
                continue;
            }
            let slot = place.slot;
            let packet = self.packets.get(slot);
            let lane = lane_into(self.inputs, parked.ivc, self.wiring);
            let head = head_of(here, lane, packet, self.wiring, self.partition);
            let front = Front::new(self.wiring.local_of(parked.ivc), lane, slot, packet);
            let link = &mut self.links[channel.index()];
            place = self.packets.unpark(&mut link.parked, place);
            self.grant(here, front, head, channel, available);
            free_vcs = self.links[channel.index()].free_vcs;
        }
        let link = &mut self.links[channel.index()];
        link.is_wanted = !link.parked.is_empty();
    }
}
