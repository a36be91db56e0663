//! Parts that the sparse engine simulates.

use super::{Member, Team};
use crate::kernel::invariant::Places;
use crate::kernel::partition::{Far, Mailbox, Part, Partition, REMOTE};
use crate::post::Post;
use crate::{ConfigError, Counters, Deadlock, Engine, EngineConfig, NewPacket, Probe, Routing};
use flitsim_topology::memory::Memory;
use flitsim_topology::{ChannelId, Network};
use std::ops::Range;

/// A team of sparse engines.
pub type SparseTeam<'n, R, P> = Team<Engine<'n, R, P, Part>>;

impl<R: Routing, P: Probe + Send> Member for Engine<'_, R, P, Part> {
    type Probe = P;
    type Mailbox = Mailbox;

    fn routers(&self) -> &Range<u32> {
        self.partition.range()
    }

    #[inline]
    fn cycle(&self) -> u64 {
        self.cycle
    }

    fn pass_to(&mut self, cycle: u64) {
        self.cycle = self.cycle.max(cycle);
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn memory(&self) -> Memory {
        Engine::memory(self)
    }

    fn probe_mut(&mut self) -> &mut P {
        &mut self.probe
    }

    fn post(&mut self) -> &mut Post<Mailbox> {
        &mut self.partition.border().post
    }

    #[inline]
    fn offer(&mut self, new: NewPacket, tag: u32) {
        self.offer_tagged(new, tag);
    }

    fn step_with_mail(&mut self) {
        self.receive();
        self.step();
    }

    fn is_settled(&mut self) -> bool {
        self.credits_due.pending() == 0 && self.has_no_mail()
    }

    fn find_frozen(members: &mut [Self]) -> Option<Deadlock> {
        let counters: Counters = members.iter().map(|member| member.counters).sum();
        let is_empty = counters.packets_entered == counters.packets_delivered;
        let mut all = members.iter_mut();
        if is_empty || !all.all(|member| member.has_no_mail() && member.is_still()) {
            return None;
        }
        Some(Deadlock {
            cycle: members[0].cycle,
            packets: members.iter().flat_map(Engine::waiting_packets).collect(),
            witness: Vec::new(),
            circle: Vec::new(),
        })
    }
}

impl<R: Routing, P: Probe> Engine<'_, R, P, Part> {
    fn has_no_mail(&mut self) -> bool {
        let incoming = &self.partition.border().post.incoming;
        incoming.iter().all(Mailbox::is_empty)
    }
}

impl<'n, R: Routing + Clone, P: Probe + Send> SparseTeam<'n, R, P> {
    /// The routers of `network` in `parts` parts, or fewer where there are fewer routers, all empty, at
    /// cycle 0; in one under a relation that [looks](Routing::LOOKS) at queues, and where terminals are ports. `probe` makes
    /// the probe of each part.
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
        let parts = parts.min(Self::parts_most(network, routing, config));
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

    /// How many parts it can have.
    pub fn parts_most(network: &Network, routing: &R, config: &EngineConfig) -> u32 {
        // Who looks at queues may look at any, and a source feeds a port in the cycle in which it sends.
        match R::LOOKS && routing.looks().is_some() || config.terminal_ports {
            true => 1,
            false => network.nodes(),
        }
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
