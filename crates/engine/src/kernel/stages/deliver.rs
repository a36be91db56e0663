//! What is due in this cycle: credits, flits, stages that are over, and flits at their terminals.

use crate::flit::Flit;
use crate::kernel::partition::Partition;
use crate::kernel::staged::Stages;
use crate::kernel::state::NO_OWNER;
use crate::kernel::wiring::NONE;
use crate::{Engine, FlitKind, Probe, Routing};
use flitsim_topology::ChannelId;

impl<R: Routing, P: Probe, E: Partition> Engine<'_, R, P, E> {
    pub(super) fn deliver_in_stages(&mut self, stages: &mut Stages) {
        let mut events = std::mem::take(&mut self.scratch.events);
        self.credits_due.take(self.cycle, &mut events);
        for &lane in &events {
            self.credit_in_stages(stages, lane);
        }
        events.clear();
        self.flits_due.take(self.cycle, &mut events);
        for &lane in &events {
            if self.flit_in(lane) == 1 {
                self.comes_to_front(stages, lane);
            }
        }
        events.clear();
        stages.timers.take(self.cycle, &mut events);
        for &ivc in &events {
            self.look(stages, ivc);
        }
        events.clear();
        stages.leaving.take(self.cycle, &mut events);
        for &flit in &events {
            self.eject_in_stages(unpack(flit));
        }
        events.clear();
        self.scratch.events = events;
    }

    /// One more credit for `lane`.
    fn credit_in_stages(&mut self, stages: &mut Stages, lane: u32) {
        let sender = &mut self.state.lanes[lane as usize].sender;
        *sender = sender.with_credit();
        let credits = sender.credits();
        debug_assert!(credits <= self.config.buffer_flits);
        let is_injection = self.wiring.is_injection(lane) && !self.wiring.is_ejection(lane);
        if is_injection || credits != 1 && credits != self.fast_paths.emptied_at {
            return;
        }
        let owner = self.state.owners[lane as usize];
        if owner == NO_OWNER {
            if credits == self.fast_paths.emptied_at {
                let channel = self.wiring.channel_of(lane);
                let free = match stages.others.get_mut(channel.index()) {
                    Some(others) if self.holder_of(channel).is_some() => others,
                    _ => &mut self.state.links[channel.index()].free_vcs,
                };
                *free |= 1 << self.wiring.vc_of(lane);
            }
        } else if credits == 1 {
            let ivc = self.wiring.first_ivc(self.sender_of(lane)) | u32::from(owner);
            self.look(stages, ivc);
        }
    }

    /// The first lane of `channel` that a packet holds.
    pub(crate) fn holder_of(&self, channel: ChannelId) -> Option<u32> {
        let mut lanes = (0..self.wiring.vcs()).map(|vc| self.wiring.ovc(channel, vc));
        lanes.find(|&lane| self.state.owners[lane as usize] != NO_OWNER)
    }

    /// The router that sends over `lane`, of a channel or an ejection.
    fn sender_of(&self, lane: u32) -> u32 {
        let channel = self.wiring.channel_of(lane);
        match self.wiring.is_ejection(lane) {
            true => channel.0 - self.wiring.channel_of(self.wiring.first_ejection).0,
            false => {
                let source = self.network.source(self.partition.global_id(channel));
                self.partition.router(source)
            }
        }
    }

    /// A flit has come into `lane`, which was empty.
    pub(super) fn comes_to_front(&mut self, stages: &mut Stages, lane: u32) {
        let is_head = self.state.lanes[lane as usize].output == NONE;
        let timing = stages.timing;
        let after = match is_head {
            true => timing.asks_after,
            false => timing.bids_after_front,
        };
        let ivc = self.state.end_of(lane, self.wiring);
        stages.acts_from[ivc as usize] = self.cycle + after;
        if is_head {
            self.state.came[ivc as usize] = self.cycle + 1;
        }
        match after {
            0 => self.wake(lane),
            _ => stages.timers.push(self.cycle + after, ivc),
        }
    }

    /// The flit at the front of `ivc` asks for an output or bids for it, if it is time.
    fn look(&mut self, stages: &Stages, ivc: u32) {
        if stages.acts_from[ivc as usize] <= self.cycle {
            self.wake(self.state.lane_into(ivc, self.wiring));
        }
    }

    /// `flit` is at the end of the way to its terminal.
    pub(super) fn eject_in_stages(&mut self, flit: Flit) {
        self.progress = true;
        let destination = self.packets.get(flit.packet).destination;
        let router = self.partition.router(destination);
        self.parts().eject(router, flit);
    }
}

/// `flit` in a word: an engine has fewer than 2³⁰ packets.
pub(super) fn pack(flit: Flit) -> u32 {
    flit.packet << 2 | u32::from(flit.kind.head) << 1 | u32::from(flit.kind.tail)
}

fn unpack(word: u32) -> Flit {
    Flit {
        packet: word >> 2,
        kind: FlitKind {
            head: word & 2 != 0,
            tail: word & 1 != 0,
        },
    }
}
