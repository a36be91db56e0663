//! Virtual-channel allocation: heads ask, and are served one after another or matched.

use crate::config::Arbiter;
use crate::kernel::active::for_each_member;
use crate::kernel::bits::{after_vc, ones};
use crate::kernel::engine::Here;
use crate::kernel::partition::Partition;
use crate::kernel::staged::{Ask, Stages};
use crate::kernel::state::{Key, NO_OWNER};
use crate::kernel::vc_allocation::{Front, head_of, next_vc};
use crate::kernel::wiring::{EJECT, NONE};
use crate::random::{Purpose, draw};
use crate::{Engine, Probe, Routing};
use flitsim_topology::ChannelId;

impl<R: Routing, P: Probe, E: Partition> Engine<'_, R, P, E> {
    /// In every router where heads ask, they get virtual channels.
    pub(super) fn claim_in_stages(&mut self, stages: &mut Stages) {
        for_each_member!(self.waiting, router => self.claim_at(stages, self.here(router)));
    }

    fn claim_at(&mut self, stages: &mut Stages, here: Here) {
        match stages.vc_matching {
            None => self.claim_in_turn(stages, here),
            Some(matching) => {
                for word in 0..here.words {
                    for bit in ones(self.state.routers[here.first_word + word].waiting) {
                        self.ask(stages, here, word as u32 * 64 + bit);
                    }
                }
                self.match_vcs(stages, here, matching);
            }
        }
        let words = here.first_word..here.first_word + here.words;
        if self.state.routers[words].iter().all(|r| r.waiting == 0) {
            self.waiting.remove(here.router);
        }
    }

    /// Heads are served one after another.
    fn claim_in_turn(&mut self, stages: &mut Stages, here: Here) {
        let mut heads = std::mem::take(&mut self.scratch.heads);
        for word in 0..here.words {
            for bit in ones(self.state.routers[here.first_word + word].waiting) {
                let local = word as u32 * 64 + bit;
                heads.push((self.turn_in_stages(stages, here, local), local));
            }
        }
        heads.sort_unstable();
        for &(_, local) in &heads {
            self.ask(stages, here, local);
        }
        heads.clear();
        self.scratch.heads = heads;
    }

    /// When the head at the front of local ivc `local` is served: the least goes first.
    fn turn_in_stages(&self, stages: &Stages, here: Here, local: u32) -> Key {
        match stages.vc_arbiter {
            Arbiter::RoundRobin | Arbiter::Matrix => {
                // It came as long before as every other.
                let asks = stages.acts_from[(here.first_ivc | local) as usize];
                (asks, u64::from(local))
            }
            Arbiter::OldestFirst => self.age(stages, here, local),
            Arbiter::Random => {
                let router = self.partition.node(here.router).0;
                let word = draw(self.seed, Purpose::VcOrder, router, self.cycle, local);
                (word, u64::from(local))
            }
        }
    }

    /// When the packet at the front of local ivc `local` was created, and by whom.
    pub(super) fn age(&self, stages: &Stages, here: Here, local: u32) -> Key {
        let lane = self.lane_at(here, local);
        let slot = match self.state.lanes[lane as usize].output {
            NONE => self.head_in_front(stages, lane),
            _ => self.state.lanes[lane as usize].packet(),
        };
        let packet = self.packets.get(slot);
        let source = u64::from(packet.source.0);
        (packet.created, source << 32 | u64::from(local))
    }

    /// The packet whose head is at the front of `lane`.
    pub(crate) fn head_in_front(&self, stages: &Stages, lane: u32) -> u32 {
        let is_whole = self.wiring.is_injection(lane) && !stages.has_buffers();
        let state = &self.state.lanes[lane as usize];
        match is_whole {
            true => state.packet(),
            false => self.state.heads[self.state.buffers.place(lane, state.reader.front())],
        }
    }

    /// Whether `lane` is an injection virtual channel that has its packets as a whole.
    pub(crate) fn holds_whole(&self, lane: u32) -> bool {
        let has_buffers = self
            .stages
            .as_ref()
            .is_some_and(|stages| stages.has_buffers());
        self.wiring.is_injection(lane) && !has_buffers
    }

    /// The packet of the flit at the front of `lane`, which has one, in any router.
    pub(crate) fn first_packet(&self, lane: u32) -> u32 {
        match &self.stages {
            Some(stages) if self.state.lanes[lane as usize].output == NONE => {
                self.head_in_front(stages, lane)
            }
            _ => self.next_packet(lane),
        }
    }

    /// The head at the front of local ivc `local` takes what is free for it or, where heads are matched,
    /// says what it would take.
    fn ask(&mut self, stages: &mut Stages, here: Here, local: u32) {
        let ivc = here.first_ivc | local;
        let lane = self.lane_at(here, local);
        let slot = self.head_in_front(stages, lane);
        let packet = self.packets.get(slot);
        let front = Front::new(local, lane, slot, packet);
        let head = head_of(here, lane, packet, self.wiring, &self.partition);
        let has_arrived = head.node == head.destination;
        let (channel, vcs) = if has_arrived {
            if stages.ejection_vcs == 0 {
                self.waits_no_more(ivc);
                self.take(stages, here, front, EJECT, here.ejection);
                return;
            }
            let first = self.wiring.channel_of(self.wiring.first_ejection).0;
            let ejection = ChannelId(first + here.router);
            (ejection, self.state.links[ejection.index()].free_vcs)
        } else {
            let Some(chosen) = self.choose(head, front, ivc) else {
                return;
            };
            chosen
        };
        if vcs == 0 {
            return;
        }
        let out = match has_arrived {
            true => here.ejection,
            false => channel.0 - here.first_channel,
        };
        let ask = Ask {
            local,
            lane,
            slot,
            channel,
            out,
            vcs,
        };
        self.speculate(stages, here, ask);
        if stages.vc_matching.is_some() {
            stages.scratch.asks.push(ask);
            return;
        }
        let link = self.state.links[channel.index()];
        let vc = next_vc(vcs, link, channel, &self.state.lanes, self.wiring);
        self.claim(stages, here, ask, vc);
    }

    /// A head that asks bids as well, where it is time and one of the virtual channels has room.
    fn speculate(&mut self, stages: &mut Stages, here: Here, ask: Ask) {
        let Ask {
            local,
            out,
            channel,
            mut vcs,
            ..
        } = ask;
        let ivc = (here.first_ivc | local) as usize;
        let Some(after) = stages.timing.speculates_after else {
            return;
        };
        // `acts_from` is when it may ask.
        if self.cycle + stages.timing.asks_after < stages.acts_from[ivc] + after {
            return;
        }
        while vcs != 0 {
            let lane = self.wiring.ovc(channel, vcs.trailing_zeros());
            vcs &= vcs - 1;
            if self.state.lanes[lane as usize].sender.credits() > 0 {
                stages.out[ivc] = out as u16;
                let word = here.first_word + (local >> 6) as usize;
                stages.speculating[word] |= 1 << (local & 63);
                self.requesting.insert(here.router);
                return;
            }
        }
    }

    /// The head that asks gets virtual channel `vc`.
    pub(super) fn claim(&mut self, stages: &mut Stages, here: Here, ask: Ask, vc: u32) {
        let Ask {
            local,
            lane,
            slot,
            channel,
            out,
            ..
        } = ask;
        let packet = self.packets.get(slot);
        let front = Front::new(local, lane, slot, packet);
        let head = head_of(here, lane, packet, self.wiring, &self.partition);
        self.waits_no_more(here.first_ivc | local);
        let link = &mut self.state.links[channel.index()];
        link.vc_pointer = after_vc(vc);
        link.free_vcs &= !(1 << vc);
        if let Some(others) = stages.others.get_mut(channel.index()) {
            *others = std::mem::take(&mut link.free_vcs);
        }
        let output = self.wiring.ovc(channel, vc);
        let owner = &mut self.state.owners[output as usize];
        debug_assert_eq!(*owner, NO_OWNER);
        *owner = local as u16;
        self.take(stages, here, front, output, out);
        self.progress = true;
        if self.wiring.is_ejection(output) {
            return;
        }
        let global = self.partition.global_id(channel);
        let state = self.routing.advance(head, global, vc);
        self.packets.get_mut(slot).state = state;
        self.packets.clear_wanted(slot);
    }

    /// The packet `front` has its output, local output `out`; it bids when its time comes.
    fn take(&mut self, stages: &mut Stages, here: Here, front: Front, output: u32, out: u32) {
        let ivc = here.first_ivc | front.local;
        let lane = &mut self.state.lanes[front.lane as usize];
        lane.output = output;
        lane.begin(front.slot, front.flits);
        stages.out[ivc as usize] = out as u16;
        let word = here.first_word + (front.local >> 6) as usize;
        self.state.routers[word].waiting &= !(1 << (front.local & 63));
        let timing = stages.timing;
        let acts_from = &mut stages.acts_from[ivc as usize];
        *acts_from = match timing.speculates_after {
            None => self.cycle + timing.bids_after_claim,
            Some(after) => {
                let came = *acts_from - timing.asks_after;
                // Who needed no virtual channel has not guessed.
                let next = self.cycle + u64::from(output != EJECT);
                next.max(came + after)
            }
        };
        match *acts_from > self.cycle {
            true => stages.timers.push(*acts_from, ivc),
            false => self.wake(front.lane),
        }
    }
}
