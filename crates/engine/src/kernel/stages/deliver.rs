//! What is due in this cycle: credits, flits, stages that are over, and flits at their terminals.

use super::switch::has_got_room;
use crate::flit::Flit;
use crate::kernel::deliver::{has_room, requests, waits};
use crate::kernel::lane::Lane;
use crate::kernel::partition::Partition;
use crate::kernel::parts::Parts;
use crate::kernel::staged::Stages;
use crate::kernel::state::{NO_OWNER, end_of, lane_into};
use crate::kernel::wiring::{NONE, Wiring};
use crate::{Engine, Probe, Routing};
use flitsim_topology::ChannelId;

impl<R: Routing, P: Probe, E: Partition> Engine<'_, R, P, E> {
    pub(super) fn deliver_in_stages(&mut self, stages: &mut Stages) {
        let mut events = std::mem::take(&mut self.scratch.events);
        self.parts().deliver_all_in_stages(stages, &mut events);
        self.scratch.events = events;
    }

    /// What waited in its stage until this internal cycle asks or bids.
    pub(super) fn end_stages(&mut self, stages: &mut Stages) {
        let mut events = std::mem::take(&mut self.scratch.events);
        self.parts().look_at_timed(stages, &mut events);
        self.scratch.events = events;
    }

    /// The first lane of `channel` that a packet holds.
    pub(crate) fn holder_of(&self, channel: ChannelId) -> Option<u32> {
        holder_of(channel, &self.state.owners, self.wiring)
    }
}

impl<P: Probe, E: Partition> Parts<'_, P, E> {
    #[inline(never)]
    fn deliver_all_in_stages(mut self, stages: &mut Stages, events: &mut Vec<u32>) {
        self.credits_due.take(self.cycle, events);
        for &lane in &*events {
            self.credit_in_stages(stages, lane);
        }
        if stages.sharing.is_on() {
            for &lane in &*events {
                self.place_back(stages, lane);
            }
        }
        events.clear();
        self.flits_due.take(self.cycle, events);
        for &lane in &*events {
            self.flit_in_stages(stages, lane);
        }
        events.clear();
        self.look_at_timed(stages, events);
        stages.leaving.take(self.cycle, events);
        for &flit in &*events {
            self.eject_in_stages(Flit::of_word(flit));
        }
        events.clear();
    }

    #[inline(always)]
    fn look_at_timed(&mut self, stages: &mut Stages, events: &mut Vec<u32>) {
        stages.asking.take(stages.now, events);
        for &ivc in &*events {
            debug_assert!(self.can_ask(stages, ivc));
            waits(ivc, self.routers, self.wiring, self.waiting);
        }
        events.clear();
        stages.bidding.take(stages.now, events);
        for &ivc in &*events {
            debug_assert!(self.can_bid(stages, ivc));
            requests(ivc, self.routers, self.wiring, self.requesting);
        }
        events.clear();
        stages.timers.take(stages.now, events);
        for &ivc in &*events {
            self.look(stages, ivc);
        }
        events.clear();
    }

    /// One more credit for `lane`.
    #[inline(always)]
    fn credit_in_stages(&mut self, stages: &mut Stages, lane: u32) {
        let sender = &mut self.lanes[lane as usize].sender;
        *sender = sender.with_credit();
        let credits = sender.credits();
        debug_assert!(credits <= self.config.buffer_most());
        if credits == 1 || credits == self.fast_paths.emptied_at {
            self.first_or_last_credit_in_stages(stages, lane, credits);
        }
    }

    fn first_or_last_credit_in_stages(&mut self, stages: &mut Stages, lane: u32, credits: u32) {
        if self.wiring.is_injection(lane) && !self.wiring.is_ejection(lane) {
            return;
        }
        if self.owners[lane as usize] == NO_OWNER {
            if credits == self.fast_paths.emptied_at {
                self.free_emptied(stages, lane);
            }
        } else if credits == 1 {
            self.first_credit(stages, lane);
        }
    }

    /// `lane`, which no packet holds, may be claimed again: its buffer is empty.
    pub(super) fn free_emptied(&mut self, stages: &mut Stages, lane: u32) {
        let channel = self.wiring.channel_of(lane);
        let free = match stages.others.get_mut(channel.index()) {
            Some(others) if holder_of(channel, self.owners, self.wiring).is_some() => others,
            _ => &mut self.links[channel.index()].free_vcs,
        };
        *free |= 1 << self.wiring.vc_of(lane);
    }

    /// There is room again for the packet that holds `lane`, if one does.
    pub(super) fn first_credit(&mut self, stages: &Stages, lane: u32) {
        let owner = self.owners[lane as usize];
        if owner != NO_OWNER {
            let ivc = self.wiring.first_ivc(self.sender_of(lane)) + u32::from(owner);
            self.look(stages, ivc);
        }
    }

    /// The router that sends over `lane`, of a channel or an ejection.
    pub(super) fn sender_of(&self, lane: u32) -> u32 {
        let channel = self.wiring.channel_of(lane);
        match self.wiring.is_ejection(lane) {
            true => channel.0 - self.wiring.channel_of(self.wiring.first_ejection).0,
            false => {
                let source = self.network.source(self.partition.global_id(channel));
                self.partition.router(source)
            }
        }
    }

    /// A flit comes into `lane`.
    #[inline(always)]
    pub(super) fn flit_in_stages(&mut self, stages: &mut Stages, lane: u32) {
        let Lane { reader, output, .. } = &mut self.lanes[lane as usize];
        *reader = reader.with_flit();
        if reader.ready() > 1 {
            return;
        }
        let output = *output;
        let ivc = end_of(self.ends, lane, self.wiring);
        let (after, wheel) = match output {
            NONE => (stages.timing.asks_after, &mut stages.asking),
            _ => (stages.timing.bids_after_front, &mut stages.timers),
        };
        if after == 0 && output != NONE {
            // The head's time is past, and others have none.
            debug_assert!(stages.acts_from[ivc as usize] <= stages.now);
            return self.asks_or_bids(ivc, output);
        }
        stages.acts_from[ivc as usize] = stages.now + after;
        match after {
            0 => self.asks_or_bids(ivc, output),
            _ => wheel.push(stages.now + after, ivc),
        }
    }

    /// Whether a head stands at the front of `ivc`, has no output, and may ask for one.
    fn can_ask(&self, stages: &Stages, ivc: u32) -> bool {
        let lane = &self.lanes[lane_into(self.inputs, ivc, self.wiring) as usize];
        let is_time = stages.acts_from[ivc as usize] <= stages.now;
        is_time && lane.reader.ready() > 0 && lane.output == NONE
    }

    /// Whether the flit at the front of `ivc` has an output with room, and may bid for it.
    fn can_bid(&self, stages: &Stages, ivc: u32) -> bool {
        let lane = lane_into(self.inputs, ivc, self.wiring);
        let is_time = stages.acts_from[ivc as usize] <= stages.now;
        let has_flit = self.lanes[lane as usize].reader.ready() > 0;
        is_time && has_flit && has_got_room(lane, self.lanes)
    }

    /// The flit at the front of `ivc` asks for an output or bids for it, if it is time.
    #[inline(always)]
    fn look(&mut self, stages: &Stages, ivc: u32) {
        let lane = &self.lanes[lane_into(self.inputs, ivc, self.wiring) as usize];
        if stages.acts_from[ivc as usize] <= stages.now && lane.reader.ready() > 0 {
            let output = lane.output;
            self.asks_or_bids(ivc, output);
        }
    }

    /// The flit at the front of `ivc`, whose output is `output`, asks for one or bids for it.
    #[inline(always)]
    pub(super) fn asks_or_bids(&mut self, ivc: u32, output: u32) {
        if output == NONE {
            waits(ivc, self.routers, self.wiring, self.waiting);
        } else if has_room(output, self.lanes) {
            requests(ivc, self.routers, self.wiring, self.requesting);
        }
    }

    /// `flit` is at the end of the way to its terminal.
    pub(super) fn eject_in_stages(&mut self, flit: Flit) {
        *self.progress = true;
        let destination = self.packets.get(flit.packet).destination;
        let router = self.partition.router(destination);
        self.eject(router, flit);
    }
}

/// The first lane of `channel` that a packet holds.
fn holder_of(channel: ChannelId, owners: &[u16], wiring: Wiring) -> Option<u32> {
    let mut lanes = (0..wiring.vcs()).map(|vc| wiring.ovc(channel, vc));
    lanes.find(|&lane| owners[lane as usize] != NO_OWNER)
}
