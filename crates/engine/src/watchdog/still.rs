//! An engine between two cycles, whatever its relation and its probe: what looks for deadlocks is compiled once.

use crate::kernel::staged::Stages;
use crate::kernel::state::State;
use crate::kernel::wheel::Wheel;
use crate::kernel::wiring::Wiring;
use crate::packet::Packets;
use crate::routing::{Empty, Undecided};
use crate::{Candidates, Engine, EngineConfig, Head, Probe, Routing};
use flitsim_topology::ChannelId;

/// What there is to look at, and what there is to ask, each as in [`Engine`].
pub(super) trait Still {
    fn cycle(&self) -> u64;
    fn wiring(&self) -> Wiring;
    fn config(&self) -> &EngineConfig;
    fn state(&self) -> &State;
    fn packets(&self) -> &Packets;
    fn credits_due(&self) -> &Wheel;
    fn stages(&self) -> Option<&Stages>;
    fn is_idle(&self) -> bool;
    fn is_frozen(&self) -> bool;
    fn ivcs(&self) -> usize;
    fn owner_of(&self, ovc: u32) -> Option<u32>;
    fn holder_of(&self, channel: ChannelId) -> Option<u32>;
    fn taken(&self, ovc: u32) -> u32;
    fn holds_whole(&self, lane: u32) -> bool;
    fn first_packet(&self, lane: u32) -> u32;

    /// The ways on for `head`.
    fn route(&self, head: Head, candidates: &mut Candidates);

    /// Whether the relation looks at queues and `packet` decides where it is, even with nothing queued.
    fn decides(&self, packet: Undecided) -> bool;
}

impl<R: Routing, P: Probe> Still for Engine<'_, R, P> {
    fn cycle(&self) -> u64 {
        self.cycle
    }

    fn wiring(&self) -> Wiring {
        self.wiring
    }

    fn config(&self) -> &EngineConfig {
        &self.config
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn packets(&self) -> &Packets {
        &self.packets
    }

    fn credits_due(&self) -> &Wheel {
        &self.credits_due
    }

    fn stages(&self) -> Option<&Stages> {
        self.stages.as_deref()
    }

    fn is_idle(&self) -> bool {
        self.is_idle()
    }

    fn is_frozen(&self) -> bool {
        self.is_frozen()
    }

    fn ivcs(&self) -> usize {
        self.ivcs()
    }

    fn owner_of(&self, ovc: u32) -> Option<u32> {
        self.owner_of(ovc)
    }

    fn holder_of(&self, channel: ChannelId) -> Option<u32> {
        self.holder_of(channel)
    }

    fn taken(&self, ovc: u32) -> u32 {
        self.taken(ovc)
    }

    fn holds_whole(&self, lane: u32) -> bool {
        self.holds_whole(lane)
    }

    fn first_packet(&self, lane: u32) -> u32 {
        self.first_packet(lane)
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        self.routing.route(head, candidates);
    }

    fn decides(&self, packet: Undecided) -> bool {
        let candidates = &mut Candidates::default();
        R::LOOKS && self.routing.decide(packet, &Empty, candidates).is_some()
    }
}
