//! The flits that won the switch leave their buffers.

use crate::flit::Flit;
use crate::kernel::partition::Partition;
use crate::kernel::parts::Parts;
use crate::kernel::staged::{Scratch, Stages};
use crate::kernel::state::{NO_OWNER, lane_into};
use crate::kernel::traverse::Leaves;
use crate::kernel::wiring::{EJECT, NONE};
use crate::{Engine, Probe, Routing, VcReallocation};

impl<R: Routing, P: Probe, E: Partition> Engine<'_, R, P, E> {
    /// What left together is under way.
    pub(super) fn set_off(&mut self, stages: &mut Stages) {
        if let Some([flit, credit]) = stages.timing.alike {
            let Scratch { sent, returned, .. } = &mut stages.scratch;
            self.flits_due.append(self.cycle + flit, sent);
            self.credits_due.append(self.cycle + credit, returned);
        }
    }
}

impl Stages {
    /// Whether routers have injection buffers, all channels are alike, and there are no terminal ports, shared buffers,
    /// output queues, internal cycles, kept ways or channels of one packet: as BookSim2's are by default.
    pub(super) fn is_simple(&self) -> bool {
        // Wires that are alike have no output queues before them, and so there is one internal cycle.
        let has_more = self.has_ports() || self.sharing.is_on();
        let keeps = !self.holding.is_empty() || !self.others.is_empty();
        let is_simple = self.timing.alike.is_some() && self.has_buffers() && !has_more && !keeps;
        debug_assert!(!is_simple || !self.has_queues && self.returns.is_empty());
        is_simple
    }
}

impl<P: Probe, E: Partition> Parts<'_, P, E> {
    /// The front flits of `moves`, ivcs that won the switch, leave; the list goes back to `stages`.
    pub(super) fn all_depart(self, stages: &mut Stages, mut moves: Vec<u32>) {
        match stages.is_simple() {
            true => self.depart_all::<true>(stages, &moves),
            false => self.depart_all::<false>(stages, &moves),
        }
        moves.clear();
        stages.scratch.moves = moves;
    }

    /// The same of those in `moves`. `SIMPLE`: see [`Stages::is_simple`].
    #[inline(never)]
    fn depart_all<const SIMPLE: bool>(mut self, stages: &mut Stages, moves: &[u32]) {
        debug_assert_eq!(SIMPLE, stages.is_simple());
        let words = self.wiring.words;
        debug_assert!(words <= 2);
        for &ivc in moves {
            let word = self.depart::<SIMPLE>(stages, ivc);
            let first = word & !(words - 1);
            let is_idle = self.routers[word].requesting == 0
                && (words == 1 || self.routers[word ^ 1].requesting == 0);
            if is_idle && (SIMPLE || !stages.keeps_ways(first..first + words)) {
                self.requesting.remove(self.wiring.router_of(ivc));
            }
        }
    }

    /// The front flit of `ivc` leaves, and the next one requests if it may. Returns the index of its mask word.
    #[inline(always)]
    pub(super) fn depart<const SIMPLE: bool>(&mut self, stages: &mut Stages, ivc: u32) -> usize {
        let requests = self.send_front::<SIMPLE>(stages, ivc);
        let (word, bit) = self.wiring.word_of(ivc);
        let requesting = &mut self.routers[word].requesting;
        *requesting &= !bit;
        if requests {
            *requesting |= bit;
        }
        word
    }

    /// The front flit of `ivc` leaves. Whether the next one requests.
    #[inline(always)]
    #[must_use]
    fn send_front<const SIMPLE: bool>(&mut self, stages: &mut Stages, ivc: u32) -> bool {
        let router = self.wiring.router_of(ivc);
        let name = lane_into(self.inputs, ivc, self.wiring);
        let is_injection = self.wiring.is_injection(name);
        let lane = &mut self.lanes[name as usize];
        let (output, flit) = (lane.output, lane.take_next());
        let is_tail = flit.kind.tail;
        if is_tail {
            lane.output = NONE;
        }
        let is_whole = !SIMPLE && is_injection && !stages.has_buffers();
        if is_tail || !is_whole {
            lane.reader = lane.reader.without_front();
        }
        let has_flit = lane.reader.ready() > 0;
        if is_injection {
            let node = self.partition.node(router);
            self.probe.flit_drawn(self.cycle, node);
        }
        if is_whole {
            if is_tail {
                let vc = self.wiring.vc_of(name);
                self.sources[router as usize].free |= 1 << vc;
                self.vacant.push(router);
            }
        } else {
            self.return_place::<SIMPLE>(stages, name);
        }
        self.ways().has_had_its_turn(self.served, ivc, stages.now);
        *self.progress = true;
        let has_room = self.go::<SIMPLE>(stages, router, output, flit);
        let has_room = match !SIMPLE && stages.sharing.is_on() && output != EJECT {
            true => self.place_taken(stages, output),
            false => has_room,
        };
        if !SIMPLE && is_tail {
            self.give_back(stages, output);
        }
        if !has_flit {
            return false;
        }
        if !SIMPLE && !is_tail {
            let (word, bit) = self.wiring.word_of(ivc);
            if let Some(holding) = stages.holding.get_mut(word) {
                *holding |= bit;
            }
        }
        let (after, wheel) = match is_tail {
            true => (stages.timing.asks_after, &mut stages.asking),
            false if stages.timing.bids_after_front > 0 => {
                (stages.timing.bids_after_front, &mut stages.timers)
            }
            // The head's time is past: that of one that guessed ends with this cycle. Others have none.
            false => {
                debug_assert!(stages.acts_from[ivc as usize] <= stages.now + 1);
                return has_room;
            }
        };
        let from = stages.now + 1 + after;
        stages.acts_from[ivc as usize] = from;
        wheel.push(from, ivc);
        false
    }

    /// `flit` goes through the switch of `router` and on to `output`. Whether there is room for another.
    #[inline(always)]
    fn go<const SIMPLE: bool>(
        &mut self,
        stages: &mut Stages,
        router: u32,
        output: u32,
        flit: Flit,
    ) -> bool {
        // The lanes to terminals come last, and then what stands for them.
        let is_out = output >= self.wiring.first_ejection
            || !SIMPLE && stages.has_ports() && self.is_to_port(output);
        if is_out {
            return self.set_out(stages, output, flit);
        }
        if !SIMPLE && stages.has_queues {
            return self.queue_up(router, output, flit, self.cycle + stages.crossing);
        }
        let leaves = match SIMPLE || stages.timing.alike.is_some() {
            true => Leaves::With(&mut stages.scratch.sent),
            false => Leaves::Now,
        };
        self.send::<false>(router, output, flit, leaves)
    }

    /// `flit` sets out over `lane` when its channel takes it, not before cycle `from`. Whether there is room for
    /// another.
    #[inline(never)]
    fn queue_up(&mut self, router: u32, lane: u32, flit: Flit, from: u64) -> bool {
        self.send::<false>(router, lane, flit, Leaves::Queued { from })
    }

    /// The place of a flit that has left the buffer of `lane` goes back to its sender.
    #[inline(always)]
    fn return_place<const SIMPLE: bool>(&mut self, stages: &mut Stages, lane: u32) {
        let channel = self.wiring.channel_of(lane);
        let is_injection = self.wiring.is_injection(lane);
        if !is_injection {
            let vc = self.wiring.vc_of(lane);
            let channel = self.partition.global_id(channel);
            self.probe.flit_unbuffered(self.cycle, channel, vc);
        }
        if !is_injection && (SIMPLE || lane >= stages.ports_end) {
            let (returned, wait) = match SIMPLE || stages.timing.alike.is_some() {
                true => (Some(&mut stages.scratch.returned), 0),
                false => (None, stages.credit_wait(channel, self.cycle)),
            };
            return self.return_credit::<false>(lane, returned, wait);
        }
        let wire = match is_injection {
            true => 0,
            false => u64::from(self.config.channel_delay_of(channel)),
        };
        let wait = match SIMPLE {
            true => 0,
            false => stages.credit_wait(channel, self.cycle),
        };
        let due = self.cycle + wait + stages.timing.injection_credit + wire;
        self.credits_due.push(due, lane);
    }

    /// The channel of `output` is no more one packet's.
    fn give_back(&mut self, stages: &mut Stages, output: u32) {
        let channel = self.wiring.channel_of(output).index();
        if let Some(others) = stages.others.get_mut(channel) {
            self.links[channel].free_vcs |= std::mem::take(others);
        }
    }

    /// `flit` sets out for its terminal. Whether there is room for another.
    fn set_out(&mut self, stages: &mut Stages, output: u32, flit: Flit) -> bool {
        let wire = match stages.has_ports() {
            true => self.sent_out_of_port(output, flit),
            false => 0,
        };
        let wait = match stages.has_queues && output != EJECT {
            true => self.wait_at(output, stages.crossing),
            false => stages.crossing,
        };
        match stages.timing.to_terminal + wait {
            0 => self.eject_in_stages(flit),
            cycles => stages.leaving.push(self.cycle + cycles + wire, flit.word()),
        }
        if output == EJECT {
            return true;
        }
        let sender = &mut self.lanes[output as usize].sender;
        *sender = sender.after_flit();
        let has_room = sender.credits() > 0;
        self.credits_due.push(
            self.cycle + wait + stages.timing.ejection_credit + 2 * wire,
            output,
        );
        if flit.kind.tail {
            self.owners[output as usize] = NO_OWNER;
            if self.config.vc_reallocation == VcReallocation::NonAtomic {
                let link = &mut self.links[self.wiring.channel_of(output).index()];
                link.free_vcs |= 1 << self.wiring.vc_of(output);
            }
        }
        has_room
    }

    /// What a flit waits behind others for the way to its terminal over `lane`, which takes one a cycle, and this one
    /// when it has crossed the switch, in `crossing` cycles.
    fn wait_at(&mut self, lane: u32, crossing: u64) -> u64 {
        let channel = self.wiring.channel_of(lane).index();
        // One way out of the switch has no queue to a terminal.
        let Some(free) = self.next_free.get_mut(channel) else {
            return 0;
        };
        let leaves = (self.cycle + crossing).max(*free);
        *free = leaves + 1;
        leaves - self.cycle
    }

    /// Whether `lane` leads out of a port to its terminal.
    fn is_to_port(&self, lane: u32) -> bool {
        self.config
            .is_to_port(self.network, self.wiring.channel_of(lane))
    }

    /// `flit` goes over `lane` out of a port to its terminal: what the wire takes.
    fn sent_out_of_port(&mut self, lane: u32, flit: Flit) -> u64 {
        let (channel, vc) = (self.wiring.channel_of(lane), self.wiring.vc_of(lane));
        let packet = self.packets.get_mut(flit.packet);
        packet.hops += u32::from(flit.kind.head);
        self.counters.flit_hops += 1;
        self.probe
            .flit_sent(self.cycle, channel, vc, flit.kind, packet);
        u64::from(self.config.channel_delay_of(channel))
    }
}
