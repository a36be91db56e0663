//! The watchdog: whether packets wait on one another for ever, all of them or some while others
//! flow, and which.
//!
//! A proof of freedom from deadlock comes before the run; this is for those who go without, and for
//! proofs that are wrong. It looks at the state between two cycles and costs the cycles themselves
//! nothing.
//!
//! Invariant: no false alarm. What is called deadlocked never moves again (see `wait_for`). What is
//! deadlocked is found once the flits that can still close up behind it have done so.

mod still;
mod wait_for;
mod witness;

use crate::kernel::lane::Lane;
use crate::kernel::partition::Partition;
use crate::kernel::wiring::NONE;
use crate::{Engine, Probe, Routing};
use flitsim_topology::{ChannelId, NodeId, archived};
use std::collections::HashMap;
use still::Still;
use wait_for::WaitForGraph;
use witness::Step;

/// A packet that can never move again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StuckPacket {
    /// The terminal that sent it.
    pub source: NodeId,
    /// The terminal that it does not reach.
    pub destination: NodeId,
    /// The cycle in which it was created.
    pub created: u64,
    /// The router where its head is.
    pub at: NodeId,
}

/// A packet of a circle: what it holds that the one before waits for, and what it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitFor {
    /// The packet.
    pub packet: StuckPacket,
    /// The channel and virtual channel that it holds, or whose buffer its flits fill.
    pub holds: (ChannelId, u32),
    /// The channel and virtual channel that it waits for: to claim it, or for room in its buffer.
    pub waits_for: (ChannelId, u32),
}

/// Packets that wait on one another for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// The next cycle when they were found. They may have waited for long.
    pub cycle: u64,
    /// Every packet in the network that can never move again, those behind the circle included;
    /// not those in source queues.
    pub packets: Vec<StuckPacket>,
    /// The fewest packets that close a circle, in a very large deadlock a few: each waits for what
    /// the next one holds, the last for what the first one holds. Empty where a packet waits for
    /// nothing: its relation gave it no way on.
    pub witness: Vec<WaitFor>,
    /// The channels and virtual channels that these packets hold, once round: each leads to where
    /// the next begins.
    pub circle: Vec<(ChannelId, u32)>,
}

/// Cycles between two looks.
const CYCLES_MIN: u64 = 1_024;

/// Cycles after which it looks however little has moved.
const CYCLES_MAX: u64 = 16_384;

/// Input virtual channels that a look may visit for each flit moved since the last one, so that
/// looking stays far below the cost of moving.
const VISITS_PER_MOVE: u64 = 8;

/// Looks for deadlocks now and then.
#[derive(Clone, Copy, Debug, Default)]
pub struct Watchdog {
    last_look: u64,
    moves_before: u64,
}

archived! { Watchdog { last_look, moves_before } }

impl Watchdog {
    /// One that has not looked yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Looks for a deadlock where it is time to: at once where nothing can move, else every 1,024
    /// cycles, or 16,384 where so little moves that looking would cost more. To be called between
    /// cycles, as often as one likes.
    pub fn look<R: Routing, P: Probe>(&mut self, engine: &Engine<'_, R, P>) -> Option<Deadlock> {
        let passed = engine.cycle.saturating_sub(self.last_look);
        let moves = engine.counters.flit_hops + engine.counters.flits_ejected;
        let visits = engine.ivcs() as u64;
        let is_due = passed >= CYCLES_MIN
            && (passed >= CYCLES_MAX || (moves - self.moves_before) * VISITS_PER_MOVE >= visits);
        if !is_due && !engine.is_frozen() {
            return None;
        }
        self.last_look = engine.cycle;
        self.moves_before = moves;
        engine.find_deadlock()
    }
}

impl<R: Routing, P: Probe> Engine<'_, R, P> {
    /// The packets that can never move again, if there are any; `None` also while flits can still
    /// close up behind them. To be called between cycles. Takes time in proportion to the input
    /// virtual channels of the network.
    pub fn find_deadlock(&self) -> Option<Deadlock> {
        let still: &dyn Still = self;
        still.find_deadlock()
    }
}

impl dyn Still + '_ {
    fn find_deadlock(&self) -> Option<Deadlock> {
        if self.is_idle() {
            return None;
        }
        let waits = WaitForGraph::of(self);
        debug_assert!(!self.is_frozen() || !waits.stuck.is_empty());
        if waits.stuck.is_empty() && !self.is_frozen() {
            return None;
        }
        let heads = waits.heads(self);
        let packets = heads
            .iter()
            .map(|&(slot, ivc)| self.stuck_packet(slot, ivc));
        let packet_of = |&ivc: &u32| waits.packet_of(self, ivc);
        let holders: Vec<u32> = waits.stuck.iter().map(packet_of).collect();
        let circle = witness::shortest(&waits, &holders);
        let mut channels: Vec<_> = circle.iter().map(|s| self.name_of(s.wait.ovc)).collect();
        // One packet waits to claim it; the one that holds it, for room in its buffer.
        channels.dedup();
        if channels.len() > 1 && channels.first() == channels.last() {
            channels.pop();
        }
        Some(Deadlock {
            cycle: self.cycle(),
            packets: packets.collect(),
            witness: self.witness(&circle, &heads.iter().copied().collect()),
            circle: channels,
        })
    }

    /// The packets of `circle`. `heads`: by slot, the input virtual channel where the packet's head
    /// is.
    fn witness(&self, circle: &[Step], heads: &HashMap<u32, u32>) -> Vec<WaitFor> {
        let counting = circle.iter().filter(|step| step.counts);
        let Some(mut before) = counting.clone().next_back() else {
            return Vec::new();
        };
        let mut witness = Vec::with_capacity(circle.len());
        for step in counting {
            let ivc = heads.get(&step.packet).copied().unwrap_or(step.wait.from);
            witness.push(WaitFor {
                packet: self.stuck_packet(step.packet, ivc),
                holds: self.name_of(before.wait.ovc),
                waits_for: self.name_of(step.wait.ovc),
            });
            before = step;
        }
        witness
    }

    /// The packet in `slot`, whose head is in the input virtual channel `ivc`.
    fn stuck_packet(&self, slot: u32, ivc: u32) -> StuckPacket {
        let packet = self.packets().get(slot);
        StuckPacket {
            source: packet.source,
            destination: packet.destination,
            created: packet.created,
            at: NodeId(self.wiring().router_of(ivc)),
        }
    }
}

impl<R: Routing, P: Probe, E: Partition> Engine<'_, R, P, E> {
    /// The packets in the network whose head waits for an output.
    pub(crate) fn waiting_packets(&self) -> impl Iterator<Item = StuckPacket> + '_ {
        let lanes = self.state.lanes.iter().zip(0u32..);
        let waits = |lane: &Lane| lane.reader.ready() > 0 && lane.output == NONE;
        lanes.filter(move |(lane, _)| waits(lane)).map(|(_, name)| {
            let packet = self.packets.get(self.first_packet(name));
            let ivc = self.state.end_of(name, self.wiring);
            StuckPacket {
                source: packet.source,
                destination: packet.destination,
                created: packet.created,
                at: self.partition.node(self.wiring.router_of(ivc)),
            }
        })
    }
}
