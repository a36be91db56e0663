//! Threads inside one run: the routers of a large network in parts, a thread each.
//!
//! Within a cycle no router looks at what another one does in it (see the README beside the phases), so
//! the parts simulate a cycle on their own, and exchange what crossed from one to another before the
//! next. What happens is the same, flit for flit, as in one [`Engine`], whatever the number of parts:
//! random draws are addressed by router and cycle, and arbitration never sees a part's own numbers.

use crate::engine::Counters;
use crate::extent::{ABROAD, Extent, Far, Mail, Part};
use crate::{ConfigError, Engine, EngineConfig, NewPacket, Probe, Routing};
use flitsim_topology::{ChannelId, Network};
use rayon::prelude::*;
use std::ops::Range;

/// A network of routers in motion, on several threads: those of the rayon pool that it is called in.
///
/// Every part has a probe of its own, which sees what happens at its routers. A team does not look for
/// deadlocks: it is for relations that are proved free of them.
#[derive(Debug)]
pub struct Team<'n, R, P> {
    members: Vec<Engine<'n, R, P, Part>>,
}

impl<'n, R: Routing + Clone, P: Probe + Send> Team<'n, R, P> {
    /// The routers of `network` in `parts` parts, or fewer where there are fewer routers, all empty, at
    /// cycle 0. `probe` makes the probe of each part.
    ///
    /// # Errors
    /// As [`EngineConfig::validate`].
    ///
    /// # Panics
    /// If `parts` is 0.
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
        let ranges = split(network, parts.min(network.nodes()));
        let parts = ranges.into_iter().map(|range| Part::new(network, range));
        let engine = |part| {
            let (routing, config) = (routing.clone(), config.clone());
            Engine::of(network, part, routing, config, seed, probe())
        };
        let mut team = Self {
            members: parts.map(engine).collect(),
        };
        team.connect(network);
        Ok(team)
    }

    /// Tells the parts where the channels between them end.
    fn connect(&mut self, network: &Network) {
        let starts = self.members.iter().map(|m| m.extent.routers().start);
        let starts: Vec<_> = starts.collect();
        let part_of = |router: u32| starts.partition_point(|&start| start <= router) - 1;
        let count = self.members.len();
        let mut exits: Vec<Vec<(ChannelId, Far)>> = vec![Vec::new(); count];
        for (index, member) in self.members.iter().enumerate() {
            for &channel in member.extent.entries() {
                let far = Far {
                    part: index as u32,
                    lane: member.extent.entering(channel) << member.wiring.vc_shift,
                };
                exits[part_of(network.source(channel).0)].push((channel, far));
            }
        }
        let origins: Vec<Vec<Far>> = (self.members.iter())
            .map(|member| {
                let entries = member.extent.entries().iter();
                let far = |&channel| {
                    let part = part_of(network.source(channel).0);
                    let sender = &self.members[part];
                    Far {
                        part: part as u32,
                        lane: sender.extent.own(channel).0 << sender.wiring.vc_shift,
                    }
                };
                entries.map(far).collect()
            })
            .collect();
        for (member, (exits, origins)) in self.members.iter_mut().zip(exits.iter().zip(origins)) {
            for ((channel, _), mark) in exits.iter().zip(ABROAD..) {
                let first = member.extent.own(*channel).0 << member.wiring.vc_shift;
                for lane in first..first + member.wiring.vcs() {
                    member.state.lanes[lane as usize].ivc = mark;
                }
            }
            let exits = exits.iter().map(|&(_, far)| far).collect();
            let border = member.extent.border();
            border.set(count, exits, origins, member.wiring);
        }
    }

    /// The cycle that the next [`Team::step`] simulates.
    #[inline]
    pub fn cycle(&self) -> u64 {
        self.members[0].cycle
    }

    /// Totals since cycle 0.
    pub fn counters(&self) -> Counters {
        self.members.iter().map(|member| member.counters).sum()
    }

    /// The probes of the parts, in the order of their routers.
    pub fn probes_mut(&mut self) -> impl Iterator<Item = &mut P> {
        self.members.iter_mut().map(|member| &mut member.probe)
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
        let index = members.partition_point(|member| member.extent.routers().end <= source);
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
            let receiver = rest[0].extent.border();
            for (from, sender) in before.iter_mut().enumerate() {
                let sender = sender.extent.border();
                std::mem::swap(&mut sender.outgoing[to], &mut receiver.incoming[from]);
                std::mem::swap(&mut receiver.outgoing[from], &mut sender.incoming[to]);
            }
        }
    }

    /// Checks, between two cycles, that flits are conserved over the parts, the mail between them
    /// included. What a part does is held to the oracle, and its own books to
    /// [`Engine::check_invariants`] where one has the whole network.
    ///
    /// # Panics
    /// Where something does not hold: the engine is wrong.
    pub fn check_invariants(&self) {
        let counters = self.counters();
        let inside: u64 = self.members.iter().map(Engine::flits_inside).sum();
        assert_eq!(
            counters.flits_offered,
            counters.flits_ejected + inside,
            "flits offered = ejected + in buffers + between parts + at the sources"
        );
    }

    /// Lets empty cycles pass, up to `cycle`, at once.
    ///
    /// # Panics
    /// In debug builds, if a packet is queued or in the network.
    pub fn skip_to(&mut self, cycle: u64) {
        debug_assert!(self.is_idle(), "only empty cycles can be skipped");
        let is_settled = |member: &mut Engine<'n, R, P, Part>| {
            let mail = &member.extent.border().incoming;
            member.credits_due.pending() == 0 && mail.iter().all(Mail::is_empty)
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
