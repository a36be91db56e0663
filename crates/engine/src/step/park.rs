//! Claim virtual channels in turn, as `allocate_vc` says, where a head has one way on that never
//! changes and only a virtual channel set free can help it: a head that finds none *parks* at its
//! channel, and costs nothing until one is freed.
//!
//! A head asks the relation once at each router. What it wants is remembered with its packet, that
//! it wants it as a bit of its channel ([`Link::parked`](crate::state::Link)): the heads that stand
//! in turn for the channel. Whoever frees a virtual channel where heads are parked notes the channel
//! in its router's `freed`. A head that parked before cannot claim but what was freed since, so only
//! channels freed or newly wanted are served.

use crate::bits::first_from;
use crate::engine::Here;
use crate::{Engine, Probe, Routing};
use flitsim_topology::ChannelId;

impl<R: Routing, P: Probe> Engine<'_, R, P> {
    /// Sends the new heads of a router to their channels, and serves the channels.
    #[inline(always)]
    pub(super) fn claim_or_park(&mut self, here: Here) {
        let router = &mut self.state.routers[here.first_word];
        let mut outputs = std::mem::take(&mut router.freed);
        let mut waiting = router.waiting;
        while waiting != 0 {
            let local = waiting.trailing_zeros();
            waiting &= waiting - 1;
            let lane = self.lane_at(here, local);
            let slot = self.front_packet(lane);
            let packet = self.packets.get(slot);
            if packet.destination.0 == here.router {
                self.take_ejection(here, local);
                continue;
            }
            let head = self.head(here, lane, packet);
            // A relation that answers nothing leaves its head where it is, for the watchdog.
            let Some(wanted) = self.routing.only(head, &mut self.scratch.candidates) else {
                continue;
            };
            let link = &mut self.state.links[wanted.channel.index()];
            let available = link.free_vcs & wanted.vcs;
            if waiting | outputs == 0 && available != 0 {
                // Nobody else claims here in this cycle: there is no turn to wait for.
                link.claim_pointer = local as u16 + 1;
                self.grant_vc(here, local, slot, head, wanted.channel, available);
                break;
            }
            link.parked |= 1 << local;
            self.packets.set_wanted(slot, wanted);
            self.state.routers[here.first_word].waiting &= !(1 << local);
            outputs |= 1 << (wanted.channel.0 - here.first_channel);
        }
        while outputs != 0 {
            let output = outputs.trailing_zeros();
            outputs &= outputs - 1;
            self.serve(here, ChannelId(here.first_channel + output));
        }
        if self.state.routers[here.first_word].waiting == 0 {
            self.waiting.remove(here.router);
        }
    }

    /// The heads parked at `channel` claim, in turn from the one after the last that did.
    fn serve(&mut self, here: Here, channel: ChannelId) {
        let link = self.state.links[channel.index()];
        let first = u32::from(link.claim_pointer) & 63;
        let (mut heads, mut free_vcs) = (link.parked, link.free_vcs);
        while heads != 0 && free_vcs != 0 {
            let local = first_from(heads, first);
            heads &= !(1 << local);
            let lane = self.lane_at(here, local);
            let slot = self.front_packet(lane);
            let available = free_vcs & self.packets.wanted(slot).vcs;
            if available != 0 {
                let head = self.head(here, lane, self.packets.get(slot));
                self.grant_vc(here, local, slot, head, channel, available);
                let link = &mut self.state.links[channel.index()];
                link.parked &= !(1 << local);
                link.claim_pointer = local as u16 + 1;
                free_vcs = link.free_vcs;
            }
        }
    }
}
