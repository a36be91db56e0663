//! Who waits, seen from outside: an observer that knows what flits did, and nothing of allocators.
//!
//! It replays the probe's events. A virtual channel is taken from the head that it carries to the
//! tail, and has a credit for each place of its own in its buffer that no flit takes. So it knows of every flit
//! at the front of a buffer whether it could have left in a cycle, and which heads were sent past it.
//! (Routers, credits and wires take one cycle each here.)

use crate::common::loaded::{Way, What};
use crate::common::vcs_of;
use flitsim_engine::{
    Candidates, EngineConfig, FlitKind, FlowControl, Head, Packet, Routing, VcReallocation,
};
use flitsim_topology::{Network, NodeId};
use patience::{Patience, is_by_age};

pub mod case;
pub mod crossing;
mod layers;
mod patience;

/// Of what happened in a cycle, the packets that entered the network, by their tags.
pub fn entered(events: &[(u64, What, Packet)]) -> impl Iterator<Item = u32> {
    let entered = events
        .iter()
        .filter(|(_, what, _)| matches!(what, What::Entered));
    entered.map(|(.., packet)| packet.tag)
}

/// A packet in a router.
#[derive(Clone, Debug)]
struct Stay {
    packet: Packet,
    /// Over what it came; each packet at its source is in a buffer of its own.
    from: Option<Way>,
    /// Flits that are there or have left, and those that have left.
    come: u32,
    gone: u32,
    /// What its head may take; empty at its destination.
    ways: Vec<Way>,
    /// What it holds, once its head has left.
    on: Option<Way>,
    /// By way: heads of others that left over it past this one.
    passed: Vec<u32>,
    /// Cycles since it last moved in which it could have.
    missed: u32,
}

/// What is known of a virtual channel.
#[derive(Clone, Copy, Debug, Default)]
struct Lane {
    is_held: bool,
    flits: u32,
}

/// The observer of one engine.
pub struct Observer<'n, R> {
    network: &'n Network,
    routing: R,
    config: EngineConfig,
    patience: Patience,
    now: u64,
    /// By node: who is there, in the order in which they came.
    stays: Vec<Vec<Stay>>,
    /// By channel and virtual channel.
    lanes: Vec<Lane>,
    /// By channel: the cycle from which it takes a flit again.
    free_from: Vec<u64>,
    /// Flits that wait for their channel behind the switch, and when it takes them.
    queued: Vec<(u64, Packet, Way, FlitKind)>,
    /// The longest waits, as shares of what is allowed: heads passed by others, flits that missed.
    pub worst: [f64; 2],
}

impl<'n, R: Routing> Observer<'n, R> {
    /// Of an empty network, at whose sources `packets` packets will wait at most.
    /// Heads come to each node over so many virtual channels of a channel as `come_over` says.
    pub fn new(
        network: &'n Network,
        routing: R,
        config: &EngineConfig,
        packets: u32,
        come_over: impl Fn(NodeId) -> u32,
    ) -> Self {
        let channels = network.channels() as usize;
        Self {
            network,
            routing,
            config: config.clone(),
            patience: Patience::new(network, config, packets, come_over),
            now: 0,
            stays: vec![Vec::new(); network.nodes() as usize],
            lanes: vec![Lane::default(); channels * config.virtual_channels as usize],
            free_from: vec![0; channels],
            queued: Vec::new(),
            worst: [0.0; 2],
        }
    }

    /// Takes in what happened in a cycle; says who has waited too long.
    pub fn look(&mut self, events: &mut Vec<(u64, What, Packet)>) -> Result<(), String> {
        let (entered, moved): (Vec<_>, Vec<_>) = events
            .drain(..)
            .map(|(_, what, packet)| (what, packet))
            .partition(|(what, _)| matches!(what, What::Entered));
        // A packet that follows a tail into its buffer is told with that tail, a cycle early.
        let (now, later): (Vec<_>, Vec<_>) =
            (entered.iter()).partition(|(_, packet)| packet.entered == self.now);
        now.iter()
            .for_each(|(_, packet)| self.arrive(*packet, None));
        self.count_misses(&moved)?;
        self.count_passes(&moved)?;
        for &(what, packet) in &moved {
            match what {
                What::Sent(way, kind) => self.send(packet, way, kind),
                What::Ejected(kind) => self.leave(packet.destination, packet, kind, None),
                What::Entered => unreachable!(),
            }
        }
        later
            .iter()
            .for_each(|(_, packet)| self.arrive(*packet, None));
        let all = std::mem::take(&mut self.queued);
        for (leaves, packet, way, kind) in all {
            match leaves == self.now {
                true => self.come(packet, way, kind),
                false => self.queued.push((leaves, packet, way, kind)),
            }
        }
        self.now += 1;
        Ok(())
    }

    fn lane(&mut self, way: Way) -> &mut Lane {
        let vcs = self.config.virtual_channels;
        &mut self.lanes[(way.channel.0 * vcs + way.vc) as usize]
    }

    /// Places that no other virtual channel can take first.
    fn credits(&self, way: Way) -> u32 {
        (self.config.buffer_reserve()).saturating_sub(self.flits(way))
    }

    fn flits(&self, way: Way) -> u32 {
        let vcs = self.config.virtual_channels;
        self.lanes[(way.channel.0 * vcs + way.vc) as usize].flits
    }

    fn is_held(&self, way: Way) -> bool {
        let vcs = self.config.virtual_channels;
        self.lanes[(way.channel.0 * vcs + way.vc) as usize].is_held
    }

    /// The head of `packet` comes to a router.
    fn arrive(&mut self, packet: Packet, from: Option<Way>) {
        let node = from.map_or(packet.source, |way| self.network.target(way.channel));
        let mut ways = Vec::new();
        if node != packet.destination {
            let mut candidates = Candidates::default();
            let head = Head {
                node,
                arrived: from.map(|way| (way.channel, way.vc)),
                destination: packet.destination,
                state: packet.state,
            };
            self.routing.route(head, &mut candidates);
            for candidate in candidates.as_slice() {
                let vcs = vcs_of(candidate.vcs);
                let channel = candidate.channel;
                ways.extend(vcs.map(|vc| Way { channel, vc }));
            }
        }
        self.stays[node.index()].push(Stay {
            packet,
            from,
            come: if from.is_none() { packet.flits } else { 1 },
            gone: 0,
            passed: vec![0; ways.len()],
            ways,
            on: None,
            missed: 0,
        });
    }

    fn send(&mut self, packet: Packet, way: Way, kind: FlitKind) {
        let node = self.network.source(way.channel);
        self.leave(node, packet, kind, Some(way));
        let period = self.config.channel_period_of(way.channel);
        let free_from = &mut self.free_from[way.channel.index()];
        let leaves = self.now.max(*free_from);
        assert!(leaves == self.now || self.config.has_output_queues());
        *free_from = leaves + u64::from(period);
        self.queued.push((leaves, packet, way, kind));
        let lane = self.lane(way);
        lane.flits += 1;
        lane.is_held = !kind.tail;
    }

    /// A flit comes into the buffer at the end of `way`.
    fn come(&mut self, packet: Packet, way: Way, kind: FlitKind) {
        if kind.head {
            self.arrive(packet, Some(way));
        } else {
            let next = &mut self.stays[self.network.target(way.channel).index()];
            let stay = next.iter_mut().rfind(|s| s.packet.tag == packet.tag);
            stay.expect("its head has come").come += 1;
        }
    }

    fn leave(&mut self, node: NodeId, packet: Packet, kind: FlitKind, on: Option<Way>) {
        let stays = &mut self.stays[node.index()];
        let is_it = |s: &Stay| s.packet.tag == packet.tag;
        let index = stays.iter().position(is_it).expect("it was there");
        let stay = &mut stays[index];
        stay.gone += 1;
        stay.missed = 0;
        stay.on = on;
        let from = stay.from;
        if kind.tail {
            stays.remove(index);
        }
        if let Some(way) = from {
            self.lane(way).flits -= 1;
        }
    }

    /// Whether the channel, or the queue before it, and the buffer at its end can take a flit in this cycle.
    fn could_send(&self, way: Way) -> bool {
        let is_ready = self.free_from[way.channel.index()] <= self.now;
        (is_ready || self.config.has_output_queues()) && self.credits(way) > 0
    }

    /// Whether a packet could have claimed `way`, or gone on over it, in this cycle.
    fn could_take(&self, way: Way, stay: &Stay) -> bool {
        if stay.on.is_some() || !self.could_send(way) {
            return self.could_send(way);
        }
        let is_empty = self.flits(way) == 0;
        // Where whole packets have to fit, an empty buffer has room for whoever keeps it.
        let has_room = match self.config.flow_control {
            FlowControl::Wormhole => true,
            FlowControl::VirtualCutThrough | FlowControl::StoreAndForward => is_empty,
        };
        let is_atomic = self.config.vc_reallocation == VcReallocation::Atomic;
        !self.is_held(way) && has_room && (is_empty || !is_atomic)
    }

    /// Whether the head waits for the rest of its packet.
    fn waits_for_tail(&self, stay: &Stay) -> bool {
        self.config.flow_control == FlowControl::StoreAndForward && stay.come < stay.packet.flits
    }

    /// Whether the flit at the front of a buffer could have left in this cycle.
    fn could_leave(&self, stay: &Stay) -> bool {
        if stay.come == stay.gone {
            return false;
        }
        match stay.on {
            _ if stay.ways.is_empty() => true,
            Some(way) => self.could_take(way, stay),
            None if self.waits_for_tail(stay) => false,
            // It may have claimed any of those that seem free, one without room among them.
            None => {
                let mut unheld = stay.ways.iter().filter(|&&way| !self.is_held(way));
                stay.ways.iter().any(|&way| self.could_take(way, stay))
                    && unheld.all(|&way| self.could_send(way))
            }
        }
    }

    /// Of the packets at a node, those at the front of their buffers.
    fn fronts(&self, node: usize) -> Vec<usize> {
        let stays = &self.stays[node];
        let is_front = |&index: &usize| {
            let from = stays[index].from;
            from.is_none() || stays[..index].iter().all(|before| before.from != from)
        };
        (0..stays.len()).filter(is_front).collect()
    }

    /// Under oldest-first, whoever is not the oldest in its router has nothing to complain of.
    fn may_complain(&self, node: usize, index: usize) -> bool {
        let age = |s: &Stay| (s.packet.created, s.packet.source);
        let own = age(&self.stays[node][index]);
        !is_by_age(&self.config) || self.stays[node].iter().all(|stay| own <= age(stay))
    }

    /// Who could have left and did not.
    fn count_misses(&mut self, moved: &[(What, Packet)]) -> Result<(), String> {
        for node in 0..self.stays.len() {
            for index in self.fronts(node) {
                let stay = &self.stays[node][index];
                let leaves = |&(what, packet): &(What, Packet)| {
                    packet.tag == stay.packet.tag
                        && match what {
                            What::Sent(way, _) => self.network.source(way.channel).index() == node,
                            _ => stay.packet.destination.index() == node,
                        }
                };
                if !self.could_leave(stay) || moved.iter().any(leaves) {
                    continue;
                }
                if !self.may_complain(node, index) {
                    continue;
                }
                let is_head = stay.gone == 0 && !stay.ways.is_empty();
                let ways = is_head.then_some(stay.ways.len());
                let allowed = self.patience.misses(node, ways);
                let stay = &mut self.stays[node][index];
                stay.missed += 1;
                let share = f64::from(stay.missed) / f64::from(allowed);
                self.worst[1] = self.worst[1].max(share);
                if stay.missed > allowed {
                    return Err(format!(
                        "a flit could have left node {node} in {} cycles and did not, the last of them {}: {stay:?}",
                        stay.missed, self.now
                    ));
                }
            }
        }
        Ok(())
    }

    /// Which heads saw others leave over what they may take.
    fn count_passes(&mut self, moved: &[(What, Packet)]) -> Result<(), String> {
        for &(what, packet) in moved {
            let What::Sent(way, FlitKind { head: true, .. }) = what else {
                continue;
            };
            let node = self.network.source(way.channel).index();
            for index in self.fronts(node) {
                let stay = &self.stays[node][index];
                let place = stay.ways.iter().position(|&w| w == way);
                let (Some(place), 0) = (place, stay.gone) else {
                    continue;
                };
                if stay.packet.tag == packet.tag || !self.may_complain(node, index) {
                    continue;
                }
                let allowed = self.patience.passes(node, stay.ways.len());
                let is_wormhole = self.config.flow_control == FlowControl::Wormhole;
                if self.waits_for_tail(stay) || is_wormhole && !self.could_leave(stay) {
                    continue;
                }
                let stay = &mut self.stays[node][index];
                stay.passed[place] += 1;
                // A head waits for room in one virtual channel only, while others use the rest.
                let passed = match is_wormhole {
                    true => stay.passed.iter().sum(),
                    false => stay.passed.iter().copied().min().unwrap_or(0),
                };
                self.worst[0] = self.worst[0].max(f64::from(passed) / f64::from(allowed));
                if passed > allowed {
                    return Err(format!(
                        "a head at node {node} saw {passed} others leave on what it may take, the last in cycle {}: {stay:?}",
                        self.now
                    ));
                }
            }
        }
        Ok(())
    }
}
