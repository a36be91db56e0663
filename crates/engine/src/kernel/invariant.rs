//! The engine's books, recounted from scratch: slow, and independent of how they are kept.

use crate::kernel::lane::Lane;
use crate::kernel::partition::{Part, Partition};
use crate::kernel::vc_allocation::head_of;
use crate::kernel::wait::Wait;
use crate::kernel::wiring::NONE;
use crate::{Candidates, Engine, Probe, Routing};
use flitsim_topology::{ChannelId, NodeId};
use std::collections::{HashMap, HashSet};

impl<R: Routing, P: Probe> Engine<'_, R, P> {
    /// Checks, between two cycles, that flits are conserved, that buffers and credits add up for
    /// every virtual channel, that packets are whole and not interleaved, and that the masks which
    /// the routers work from say what is there.
    ///
    /// # Panics
    /// Where something does not hold: the engine is wrong.
    pub fn check_invariants(&self) {
        let mut flying = HashMap::new();
        for lane in self.flits_due.iter() {
            *flying.entry(lane).or_insert(0u32) += 1;
        }
        let mut returning = HashMap::new();
        for ovc in self.credits_due.iter() {
            *returning.entry(ovc).or_insert(0u32) += 1;
        }
        let kept = self.kept();
        let mut in_buffers = 0;
        for channel in 0..self.network.channels() {
            for vc in 0..self.config.virtual_channels {
                let ovc = channel << self.wiring.vc_shift | vc;
                let lane = self.state.lanes[ovc as usize];
                let held = lane.reader.ready() + flying.get(&ovc).copied().unwrap_or(0);
                let credits = returning.get(&ovc).copied().unwrap_or(0);
                assert_eq!(
                    held + credits,
                    self.taken(ovc),
                    "flits and credits of channel {channel}, virtual channel {vc}"
                );
                // Of the ways through ports terminals have the other ends.
                let port = ChannelId(channel);
                if !self.config.is_from_port(self.network, port)
                    && !self.config.is_to_port(self.network, port)
                {
                    self.check_order(ovc, held);
                }
                self.check_ownership(ovc, &kept);
                in_buffers += u64::from(held);
            }
        }
        let waiting = self.check_sources();
        assert_eq!(
            self.counters.flits_offered,
            self.counters.flits_ejected + in_buffers + waiting,
            "flits offered = ejected + in buffers + at the sources"
        );
        self.check_masks();
        self.check_sharing();
    }

    /// The `held` flits of a buffer are those of whole packets, but for the first, of which some may have
    /// left, and the last, the rest of which its sender still has.
    fn check_order(&self, ovc: u32, held: u32) {
        let lane = self.state.lanes[ovc as usize];
        let mut place = lane.reader.front();
        let mut left = held;
        // The last packet so far, and how many of its flits have not come.
        let mut last = (NONE, 0);
        if lane.output != NONE {
            let (slot, remaining) = (lane.packet(), lane.remaining());
            let flits = self.packets.get(slot).flits;
            assert!((1..=flits).contains(&remaining), "flits that remain");
            assert_eq!(lane.has_head(), remaining == flits, "the head leaves first");
            let here = remaining.min(left);
            last = (slot, remaining - here);
            (left, place) = (left - here, place.wrapping_add(here as u16));
        }
        while left > 0 {
            let slot = self.state.heads[self.state.buffers.place(ovc, place)];
            let flits = self.packets.get(slot).flits;
            let here = flits.min(left);
            last = (slot, flits - here);
            (left, place) = (left - here, place.wrapping_add(here as u16));
        }
        assert_eq!(
            place,
            lane.sender.back(),
            "the sender's end of the buffer is where its flits end"
        );
        let sender = self.owner_lane(ovc);
        match (last, sender) {
            ((_, 0), None) => {}
            ((_, 0), Some(sender)) => assert!(sender.has_head(), "a head after each tail"),
            ((slot, flits), sender) => assert_eq!(
                sender.map(|sender| (sender.packet(), sender.remaining())),
                Some((slot, flits)),
                "the rest of a packet is where it comes from"
            ),
        }
    }
}

impl<R: Routing, P: Probe, E: Partition> Engine<'_, R, P, E> {
    /// The lanes that heads keep from others.
    fn kept(&self) -> HashSet<u32> {
        let kept = self.state.kept.iter().copied();
        kept.filter(|&lane| lane != NONE).collect()
    }

    fn check_ownership(&self, ovc: u32, kept: &HashSet<u32>) {
        let channel = self.wiring.channel_of(ovc);
        let of_network = self.partition.global_id(channel);
        if self.config.is_from_port(self.network, of_network) {
            return;
        }
        let stages = self.stages.as_ref();
        let others = stages.and_then(|stages| stages.others.get(channel.index()));
        let free = self.state.links[channel.index()].free_vcs | others.copied().unwrap_or(0);
        let free = free >> self.wiring.vc_of(ovc) & 1 == 1;
        let is_kept = kept.contains(&ovc);
        let Some(owner) = self.owner_lane(ovc) else {
            let empty = self.taken(ovc) == 0;
            assert_eq!(
                free,
                !is_kept && (empty || !self.is_atomic()),
                "an unclaimed channel is free"
            );
            return;
        };
        assert!(!free && !is_kept, "a claimed virtual channel is free");
        assert_eq!(owner.output, ovc);
    }

    /// Places of the buffer at the far end of `ovc` that are not free, as its sender knows.
    pub(crate) fn taken(&self, ovc: u32) -> u32 {
        let stages = self.stages.as_ref();
        let used = stages.and_then(|stages| stages.sharing.used(ovc));
        let credits = self.state.lanes[ovc as usize].sender.credits();
        used.unwrap_or_else(|| self.config.buffer_flits - credits)
    }

    /// Of every port the places taken are no more than there are, and credits are what is left of them.
    fn check_sharing(&self) {
        let stages = self.stages.as_ref();
        let Some(stages) = stages.filter(|stages| stages.sharing.is_on()) else {
            return;
        };
        let (buffer, reserve) = (self.config.buffer_flits, self.config.buffer_reserve());
        for lane in (0..self.state.lanes.len() as u32).step_by(self.wiring.vcs() as usize) {
            let lanes = stages.sharing.lanes_beside(lane, self.wiring);
            let used = lanes.clone().filter_map(|lane| stages.sharing.used(lane));
            let beyond = used.map(|used| used.saturating_sub(reserve)).sum::<u32>();
            let shared = lanes.len() as u32 * (buffer - reserve);
            let left = shared.checked_sub(beyond).expect("shared places are left");
            for lane in lanes {
                if let Some(used) = stages.sharing.used(lane) {
                    let credits = self.state.lanes[lane as usize].sender.credits();
                    assert_eq!(credits, reserve.saturating_sub(used) + left, "{lane}");
                }
            }
        }
    }

    /// The lane whose packet holds `ovc`.
    fn owner_lane(&self, ovc: u32) -> Option<Lane> {
        let owner = self.owner_of(ovc)?;
        let name = self.state.lane_into(owner, self.wiring);
        Some(self.state.lanes[name as usize])
    }

    fn check_masks(&self) {
        if self.stages.is_some() {
            return self.check_stages();
        }
        let waits_next: HashSet<&u32> = self.waits_next.as_slice().iter().collect();
        let requests_next: HashSet<&u32> = self.requests_next.as_slice().iter().collect();
        for router in 0..self.partition.routers(self.network) {
            let first = self.wiring.first_ivc(router);
            let parked = self.check_parked(router);
            let [mut any_waits, mut any_requests] = [false; 2];
            for ivc in first..self.wiring.first_ivc(router + 1) {
                let name = self.state.lane_into(ivc, self.wiring);
                if name == NONE {
                    continue;
                }
                let lane = self.state.lanes[name as usize];
                assert_eq!(self.state.end_of(name, self.wiring), ivc);
                let (word, bit) = self.mask_place(ivc);
                let is_parked = self.fast_paths.parks && parked & bit != 0;
                let is_waiting = self.state.routers[word].waiting & bit != 0;
                let is_bidding = self.state.routers[word].requesting & bit != 0;
                let has_credit = lane.output != NONE && self.has_room(lane.output);
                let waits = lane.reader.ready() > 0 && lane.output == NONE;
                let requests = lane.reader.ready() > 0 && has_credit;
                assert!(!(is_parked && is_waiting), "parked and waiting at {router}");
                let will_wait = is_parked || is_waiting || waits_next.contains(&ivc);
                assert_eq!(will_wait, waits, "waiting at router {router}");
                let will_request = is_bidding || requests_next.contains(&ivc);
                assert_eq!(will_request, requests, "requesting at router {router}");
                if waits {
                    let packet = self.packets.get(self.front_packet(name));
                    assert!(packet.destination < NodeId(self.network.terminals()));
                }
                self.check_rest(router, ivc, is_waiting);
                any_waits |= is_waiting;
                any_requests |= is_bidding;
            }
            let first_word = router as usize * self.wiring.words;
            any_waits |= self.state.routers[first_word].freed != 0;
            assert_eq!(
                self.waiting.contains(router),
                any_waits,
                "heads at {router}"
            );
            assert_eq!(
                self.requesting.contains(router),
                any_requests,
                "requests at {router}"
            );
        }
    }

    /// A head that need not ask could not claim, and will be called when it can.
    fn check_rest(&self, router: u32, ivc: u32, is_waiting: bool) {
        let wait = self.state.waits.get(ivc as usize).copied();
        let Some(wait) = wait.filter(|wait| wait.wanted() != 0) else {
            return;
        };
        assert!(is_waiting, "no head to rest at {router}");
        let here = self.here(router);
        let freed = Wait::outputs(self.state.routers[here.first_word].freed);
        let lane = self.state.lane_into(ivc, self.wiring);
        let packet = self.packets.get(self.front_packet(lane));
        let head = head_of(here, lane, packet, self.wiring, &self.partition);
        let mut candidates = Candidates::default();
        self.routing.route(head, &mut candidates);
        for candidate in candidates.as_slice() {
            let channel = self.partition.local_id(candidate.channel);
            let link = &self.state.links[channel.index()];
            let bit = Wait::outputs(1 << ((channel.0 - here.first_channel) & 63));
            assert_ne!(wait.wanted() & bit, 0, "an output that is not wanted");
            let is_free = link.free_vcs & candidate.vcs != 0;
            assert!(!is_free || freed & bit != 0, "rests beside a free channel");
            assert!(
                link.is_wanted || freed & bit != 0,
                "rests where nobody calls"
            );
        }
    }

    /// The heads parked at the channels out of `router`: none of them could claim.
    fn check_parked(&self, router: u32) -> u64 {
        let mut all = 0;
        let channels = self.partition.outgoing(self.network, router);
        let first = channels.start;
        for channel in channels {
            let link = self.state.links[channel as usize];
            let freed = self.state.routers[router as usize * self.wiring.words].freed;
            let is_freed = freed >> ((channel - first) & 63) & 1 == 1;
            let mut place = link.parked.front();
            while let Some(parked) = self.packets.parked(place) {
                let lane = self.state.lane_into(parked.ivc, self.wiring);
                assert_eq!(place.slot, self.front_packet(lane), "parked, not in front");
                let bit = 1 << self.wiring.local_of(parked.ivc);
                assert_eq!(all & bit, 0, "parked at two channels of {router}");
                all |= bit;
                let could_claim = parked.vcs & link.free_vcs != 0;
                assert!(!could_claim || is_freed, "parked beside a free channel");
                assert!(link.is_wanted || is_freed, "parked where nobody calls");
                place = parked.next;
            }
        }
        all
    }

    /// In stages, what waits or requests can, and what can act will: now, or when a stage is over.
    fn check_stages(&self) {
        let Some(stages) = self.stages.as_ref() else {
            return;
        };
        for router in 0..self.partition.routers(self.network) {
            let words = self.here(router).own_words();
            let masks = &self.state.routers[words.clone()];
            let waits = masks.iter().any(|masks| masks.waiting != 0);
            let bids = masks.iter().any(|masks| masks.requesting != 0);
            let sets = [&self.waiting, &self.requesting].map(|set| set.contains(router));
            let wanted = [waits, bids || stages.keeps_ways(words)];
            assert_eq!(sets, wanted, "heads and bids at router {router}");
            let first = self.wiring.first_ivc(router);
            for ivc in first..self.wiring.first_ivc(router + 1) {
                let name = self.state.lane_into(ivc, self.wiring);
                if name == NONE {
                    continue;
                }
                let lane = self.state.lanes[name as usize];
                let (word, bit) = self.mask_place(ivc);
                let masks = &self.state.routers[word];
                let has_flit = lane.reader.ready() > 0;
                let can_wait = has_flit && lane.output == NONE;
                let can_bid = has_flit && lane.output != NONE && self.has_room(lane.output);
                let is_waiting = masks.waiting & bit != 0;
                let is_bidding = masks.requesting & bit != 0;
                assert!(!is_waiting || can_wait, "waiting at router {router}");
                assert!(!is_bidding || can_bid, "bidding at router {router}");
                let is_timed = |is_head| stages.is_timed(ivc, self.cycle, is_head);
                assert!(
                    !can_wait || is_waiting || is_timed(true),
                    "a head is forgotten"
                );
                assert!(
                    !can_bid || is_bidding || is_timed(false),
                    "a flit is forgotten"
                );
            }
        }
    }

    /// Flits that have not left their source, or are on their way to a terminal.
    fn check_sources(&self) -> u64 {
        let mut flits = 0;
        let buffers = self.stages.as_ref().filter(|stages| stages.has_buffers());
        if let Some(stages) = &self.stages {
            flits += stages.flits_to_feed() + stages.leaving.pending() as u64;
        }
        for (node, source) in self.state.sources.iter().enumerate() {
            for vc in 0..self.config.injection_vcs {
                if buffers.is_some() {
                    let port =
                        self.wiring.first_injection as usize + (node << self.wiring.vc_shift);
                    flits += u64::from(self.state.lanes[port | vc as usize].reader.ready());
                } else if source.free >> vc & 1 == 0 {
                    let port =
                        self.wiring.first_injection as usize + (node << self.wiring.vc_shift);
                    flits += u64::from(self.state.lanes[port | vc as usize].remaining());
                }
            }
            for slot in self.packets.iter_queue(&source.queue) {
                flits += u64::from(self.packets.get(slot).flits);
            }
            assert!(
                source.free == 0 || source.queue.is_empty(),
                "a packet waits beside a free injection virtual channel"
            );
        }
        flits
    }
}

impl<R: Routing, P: Probe> Engine<'_, R, P, Part> {
    /// Checks the books of a part, all but those of channels from and to others.
    ///
    /// # Panics
    /// Where something does not hold: the engine is wrong.
    pub(crate) fn check_part(&self) {
        self.check_masks();
        self.check_sharing();
        let kept = self.kept();
        for router in 0..self.partition.routers(self.network) {
            for channel in self.partition.outgoing(self.network, router) {
                for vc in 0..self.config.virtual_channels {
                    self.check_ownership(channel << self.wiring.vc_shift | vc, &kept);
                }
            }
        }
    }

    /// Flits at the sources.
    pub(crate) fn flits_at_sources(&self) -> u64 {
        self.check_sources()
    }

    /// By lane, injection excepted: places of the buffer that this part knows to hold flits, those under way to it
    /// included; and those that the sender takes for taken, but for credits under way.
    pub(crate) fn places(&self) -> Vec<Places> {
        let mut places: Vec<Places> = (0..self.wiring.first_injection)
            .map(|name| Places {
                held: self.state.lanes[name as usize].reader.ready(),
                taken: self.taken(name),
            })
            .collect();
        let arriving = self.flits_due.iter().chain(self.partition.flits_incoming());
        for name in arriving.filter(|&name| !self.wiring.is_injection(name)) {
            places[name as usize].held += 1;
        }
        let credits = self
            .credits_due
            .iter()
            .chain(self.partition.credits_incoming());
        for name in credits.filter(|&name| !self.wiring.is_injection(name)) {
            places[name as usize].taken -= 1;
        }
        places
    }
}

/// What is known of a buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places {
    pub(crate) held: u32,
    pub(crate) taken: u32,
}
