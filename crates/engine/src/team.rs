//! Threads inside one run: the routers of a large network in parts, a thread each.
//!
//! Nothing that a router does in a cycle decides what another does in it (see the README beside the
//! phases), so the parts simulate a cycle on their own, and exchange what crossed from one to another before the
//! next. What happens is the same, flit for flit, as in one [`Engine`], whatever the number of parts:
//! random draws are addressed by router and cycle, and arbitration never sees a part's own numbers.

use crate::Counters;
use crate::kernel::invariant::Places;
use crate::kernel::partition::{Far, Mailbox, Part, Partition, REMOTE};
use crate::{ConfigError, Deadlock, Engine, EngineConfig, NewPacket, Probe, Routing};
use flitsim_topology::memory::Memory;
use flitsim_topology::{ChannelId, Network, archived};
use rayon::prelude::*;
use std::ops::Range;

/// A network of routers in motion, on several threads: those of the rayon pool that it is called in.
///
/// Every part has a probe of its own, which sees what happens at its routers; of a packet whose head has
/// left the part, it sees what the packet was then. A team is for relations that are proved free of
/// deadlock: it sees when nothing moves any more, not which packets wait on which.
#[derive(Debug)]
pub struct Team<'n, R, P> {
    members: Vec<Engine<'n, R, P, Part>>,
}

archived! { Team<'_, R, P> where [R, P] { ; fixed members } }

impl<'n, R: Routing + Clone, P: Probe + Send> Team<'n, R, P> {
    /// The routers of `network` in `parts` parts, or fewer where there are fewer routers, all empty, at
    /// cycle 0; in one under a relation that [looks](Routing::LOOKS) at queues, and where terminals are ports. `probe` makes the probe of each
    /// part.
    ///
    /// # Errors
    /// As [`EngineConfig::validate`].
    ///
    /// # Panics
    /// If `parts` is 0, or a part would have 2³¹ input virtual channels or more.
    pub fn new(
        network: &'n Network,
        routing: &R,
        config: &EngineConfig,
        seed: u64,
        parts: u32,
        probe: impl Fn() -> P,
    ) -> Result<Self, ConfigError> {
        assert!(parts > 0, "somebody has to do it");
        config.validate(network)?;
        // Who looks at queues may look at any, and a source feeds a port in the cycle in which it sends.
        let parts = match R::LOOKS && routing.looks().is_some() || config.terminal_ports {
            true => 1,
            false => parts.min(network.nodes()),
        };
        let ranges = split(network, parts);
        let parts = ranges.into_iter().map(|range| Part::new(network, range));
        let engine = |part: Part| {
            let (routing, config) = (routing.clone(), config.clone());
            Engine::of(network, part, routing, config, seed, probe())
        };
        let mut team = Self {
            members: parts.map(engine).collect(),
        };
        let is_small = |member: &Engine<'n, R, P, Part>| member.ivcs() < REMOTE as usize;
        assert!(team.members.iter().all(is_small), "a part is too large");
        team.connect(network);
        Ok(team)
    }

    /// How many parts there are.
    pub fn parts(&self) -> u32 {
        self.members.len() as u32
    }

    /// Tells the parts where the channels between them end.
    fn connect(&mut self, network: &Network) {
        let starts = self.members.iter().map(|m| m.partition.range().start);
        let starts: Vec<_> = starts.collect();
        let part_of = |router: u32| starts.partition_point(|&start| start <= router) - 1;
        let count = self.members.len();
        let mut exits: Vec<Vec<(ChannelId, Far)>> = vec![Vec::new(); count];
        for (index, member) in self.members.iter().enumerate() {
            for &channel in member.partition.entries() {
                let far = Far {
                    part: index as u32,
                    lane: member.partition.entering(channel) << member.wiring.vc_shift,
                };
                exits[part_of(network.source(channel).0)].push((channel, far));
            }
        }
        let origins: Vec<Vec<Far>> = (self.members.iter())
            .map(|member| {
                let entries = member.partition.entries().iter();
                let far = |&channel| {
                    let part = part_of(network.source(channel).0);
                    let sender = &self.members[part];
                    Far {
                        part: part as u32,
                        lane: sender.partition.local_id(channel).0 << sender.wiring.vc_shift,
                    }
                };
                entries.map(far).collect()
            })
            .collect();
        for (member, (exits, origins)) in self.members.iter_mut().zip(exits.iter().zip(origins)) {
            for ((channel, _), mark) in exits.iter().zip(REMOTE..) {
                let own = member.partition.local_id(*channel);
                member.state.ends[own.index()] = mark;
            }
            let exits = exits.iter().map(|&(_, far)| far).collect();
            let border = member.partition.border();
            border.set(count, exits, origins, member.wiring);
        }
    }

    /// The cycle that the next [`Team::step`] simulates.
    #[inline]
    pub fn cycle(&self) -> u64 {
        self.members[0].cycle
    }

    /// The bytes that the parts keep, as [`Engine::memory`]; what borders them, and the mailbox, is small
    /// beside it and not counted.
    pub fn memory(&self) -> Memory {
        let mut memory = Memory::default();
        for member in &self.members {
            memory.extend(&member.memory());
        }
        memory
    }

    /// Totals since cycle 0.
    pub fn counters(&self) -> Counters {
        self.members.iter().map(|member| member.counters).sum()
    }

    /// The probes of the parts, in the order of their routers.
    pub fn probes_mut(&mut self) -> impl Iterator<Item = &mut P> {
        self.members.iter_mut().map(|member| &mut member.probe)
    }

    /// The packets whose heads wait, where packets are in the network and nothing can ever move again:
    /// a proof that was wrong. Which wait on which is not told. To be called between cycles.
    pub fn find_frozen(&mut self) -> Option<Deadlock> {
        let is_still = |member: &mut Engine<'n, R, P, Part>| {
            let no_mail = member
                .partition
                .border()
                .incoming
                .iter()
                .all(Mailbox::is_empty);
            no_mail && member.is_still()
        };
        let counters = self.counters();
        let is_empty = counters.packets_entered == counters.packets_delivered;
        if is_empty || !self.members.iter_mut().all(is_still) {
            return None;
        }
        let members = self.members.iter();
        Some(Deadlock {
            cycle: self.cycle(),
            packets: members.flat_map(Engine::waiting_packets).collect(),
            witness: Vec::new(),
            circle: Vec::new(),
        })
    }

    /// Whether no packet is queued or in the network.
    pub fn is_idle(&self) -> bool {
        let counters = self.counters();
        counters.packets_offered == counters.packets_delivered
    }

    /// Creates a packet in the current cycle, as [`Engine::offer_tagged`]. Numbers of packets are a
    /// part's own here, so there is none to return.
    ///
    /// # Panics
    /// As [`Engine::offer_tagged`].
    #[inline]
    pub fn offer_tagged(&mut self, new: NewPacket, tag: u32) {
        let source = new.source.0;
        let members = &mut self.members;
        let index = members.partition_point(|member| member.partition.range().end <= source);
        members[index].offer_tagged(new, tag);
    }

    /// Simulates the current cycle.
    pub fn step(&mut self) {
        self.members.par_iter_mut().for_each(|member| {
            member.receive();
            member.step();
        });
        self.exchange();
    }

    /// Hands over what crossed in the last cycle.
    fn exchange(&mut self) {
        for to in 1..self.members.len() {
            let (before, rest) = self.members.split_at_mut(to);
            let receiver = rest[0].partition.border();
            for (from, sender) in before.iter_mut().enumerate() {
                let sender = sender.partition.border();
                std::mem::swap(&mut sender.outgoing[to], &mut receiver.incoming[from]);
                std::mem::swap(&mut receiver.outgoing[from], &mut sender.incoming[to]);
            }
        }
    }

    /// Checks, between two cycles, that flits are conserved, that buffers and credits add up for every
    /// virtual channel, those between parts included, and that the masks which the routers work from
    /// say what is there.
    ///
    /// # Panics
    /// Where something does not hold: the engine is wrong.
    pub fn check_invariants(&self) {
        let mut places: Vec<Vec<Places>> = self.members.iter().map(Engine::places).collect();
        // A channel between two parts has its sender's end in one, and its reader's in the other.
        for (index, member) in self.members.iter().enumerate() {
            let part = &member.partition;
            for (&channel, &far) in part.entries().iter().zip(part.origins()) {
                let first = part.entering(channel) << member.wiring.vc_shift;
                for vc in 0..member.wiring.vcs() {
                    let held = std::mem::take(&mut places[index][(first | vc) as usize].held);
                    let sender = &mut places[far.part as usize][(far.lane | vc) as usize];
                    assert_eq!(sender.held, 0, "flits at the end that sends them");
                    sender.held = held;
                }
            }
        }
        let mut flits = 0;
        for (member, places) in self.members.iter().zip(&places) {
            member.check_part();
            let own = (member.partition.channels(member.network) as usize
                - member.partition.entries().len())
                << member.wiring.vc_shift;
            for (lane, places) in (0..).zip(&places[..own]) {
                if member.wiring.vc_of(lane) < member.config.virtual_channels {
                    assert_eq!(places.held, places.taken, "places of lane {lane}");
                    flits += u64::from(places.held);
                }
            }
            flits += member.flits_at_sources();
        }
        let counters = self.counters();
        assert_eq!(
            counters.flits_offered,
            counters.flits_ejected + flits,
            "flits offered = ejected + in buffers + at the sources"
        );
    }

    /// Lets empty cycles pass, up to `cycle`, at once.
    ///
    /// # Panics
    /// In debug builds, if a packet is queued or in the network.
    pub fn skip_to(&mut self, cycle: u64) {
        debug_assert!(self.is_idle(), "only empty cycles can be skipped");
        let is_settled = |member: &mut Engine<'n, R, P, Part>| {
            let mailbox = &member.partition.border().incoming;
            member.credits_due.pending() == 0 && mailbox.iter().all(Mailbox::is_empty)
        };
        while self.cycle() < cycle && !self.members.iter_mut().all(is_settled) {
            self.step();
        }
        for member in &mut self.members {
            member.cycle = member.cycle.max(cycle);
        }
    }
}

/// The routers of `network` in `parts` ranges of about the same number of channels out of them.
fn split(network: &Network, parts: u32) -> Vec<Range<u32>> {
    let (nodes, channels) = (network.nodes(), u64::from(network.channels()));
    let mut ranges = Vec::with_capacity(parts as usize);
    let mut start = 0;
    for part in 1..=parts {
        let wanted = channels * u64::from(part) / u64::from(parts);
        let has_enough =
            |node: u32| u64::from(network.outgoing(flitsim_topology::NodeId(node)).end) >= wanted;
        // Every part gets a router, and leaves one for each part after it.
        let last = nodes - (parts - part);
        let mut end = start + 1;
        while end < last && !has_enough(end - 1) {
            end += 1;
        }
        let end = if part == parts { nodes } else { end };
        ranges.push(start..end);
        start = end;
    }
    ranges
}
