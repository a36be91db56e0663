//! All that packets to one destination may come to: breadth first from every source over the
//! relation itself, with the graph of what follows what.
//!
//! A configuration is what decides a packet's future: the virtual channel over which its head came
//! and the state that it carries. Sources are not configurations: nothing is held there. Where
//! automorphisms keep the destination, one configuration stands for all that they take it to.
//!
//! Memory: explorations run on all threads, and each may take a gigabyte and more. So one that grows
//! beyond a [`LARGE_FROM`]th of the bound waits until no other such is left, and gives back what it
//! took. What it finds does not depend on when it runs.

use super::dependencies::Dependencies;
use super::symmetry::Orbits;
use super::{Reason, cycle};
use flitsim_engine::{Candidate, Candidates, Head, Routing, VcMask};
use flitsim_random::mix;
use flitsim_topology::{ChannelId, Network, NodeId};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Up to this part of the bound all threads explore at once.
const LARGE_FROM: usize = 16;

/// The most hops kept, for each configuration that may be.
const HOPS_PER_CONFIGURATION: usize = 16;

/// Held by the one exploration that is large.
static LARGE: Mutex<()> = Mutex::new(());

/// The virtual channel that a head came over, and its packet's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Configuration {
    pub state: u64,
    pub channel: ChannelId,
    pub vc: u32,
}

/// A hop from one configuration to another, by index.
#[derive(Clone, Copy)]
pub(super) struct Hop(u32);

const ESCAPE: u32 = 1 << 31;

impl Hop {
    pub fn to(self) -> usize {
        (self.0 & !ESCAPE) as usize
    }

    /// Whether it is one of the escape subrelation.
    pub fn is_escape(self) -> bool {
        self.0 & ESCAPE != 0
    }
}

/// What was found of one destination.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pub configurations: u64,
    pub longest_route_hops: u32,
    pub pairs_unreachable: u64,
    pub reason: Option<Reason>,
}

/// The exploration of one destination at a time, with memory that is used again for the next.
pub(super) struct Explorer<'a, R> {
    network: &'a Network,
    routing: &'a R,
    virtual_channels: u32,
    configurations_most: usize,
    /// What the automorphisms that keep a destination take to each other.
    orbits: Option<Orbits<'a>>,
    candidates: Candidates,
    pub destination: NodeId,
    /// In the order of discovery.
    pub configurations: Vec<Configuration>,
    /// How many they stand for, with those that automorphisms take them to.
    stood_for: u64,
    /// By index: whether it is entered by a hop of the escape subrelation, and by another.
    pub entered: Vec<(bool, bool)>,
    /// Open addressing: one more than an index; 0 where empty. A power of two long.
    table: Vec<u32>,
    /// By index: where its hops begin, and one more.
    start: Vec<usize>,
    hops: Vec<Hop>,
    /// Every configuration after those that lead to it, once the exploration is done.
    pub order: Vec<u32>,
    /// The first head without an escape, in relations with an escape subrelation.
    without_escape: Option<Head>,
    /// By index, while the order is made: hops into it from configurations not in the order yet.
    entering: Vec<u32>,
    /// By index, while the order is made: the most hops that a packet has taken when it is there.
    depth: Vec<u32>,
    /// Its turn, while it is large.
    turn: Option<MutexGuard<'static, ()>>,
}

impl<'a, R: Routing> Explorer<'a, R> {
    pub fn new(
        network: &'a Network,
        routing: &'a R,
        virtual_channels: u32,
        configurations_most: u64,
        orbits: Option<Orbits<'a>>,
    ) -> Self {
        Self {
            network,
            routing,
            virtual_channels,
            configurations_most: configurations_most.min(u64::from(ESCAPE - 2)) as usize,
            orbits,
            candidates: Candidates::default(),
            destination: NodeId(0),
            configurations: Vec::new(),
            stood_for: 0,
            entered: Vec::new(),
            table: vec![0; 1 << 10],
            start: Vec::new(),
            hops: Vec::new(),
            order: Vec::new(),
            without_escape: None,
            entering: Vec::new(),
            depth: Vec::new(),
            turn: None,
        }
    }

    /// Gives back the memory of a large exploration, and lets the next one begin.
    pub fn rest(&mut self) {
        if self.turn.is_some() {
            let most = self.configurations_most as u64;
            let (network, routing, orbits) = (self.network, self.routing, self.orbits);
            *self = Self::new(network, routing, self.virtual_channels, most, orbits);
        }
    }

    /// Whether there is room for the hops of one more: not where there are too many configurations or
    /// hops of them. Waits for its turn where there are many.
    #[inline]
    fn has_room(&mut self) -> Result<(), Reason> {
        let (configurations, hops) = (self.configurations.len(), self.hops.len());
        let is_large = |most: usize| {
            configurations > most || hops > most.saturating_mul(HOPS_PER_CONFIGURATION)
        };
        if self.turn.is_none() && is_large(self.configurations_most / LARGE_FROM) {
            self.turn = Some(LARGE.lock().unwrap_or_else(PoisonError::into_inner));
        }
        let (destination, most) = (self.destination, self.configurations_most);
        if !is_large(most) {
            return Ok(());
        }
        let most = most as u64;
        Err(match configurations as u64 > most {
            true => Reason::TooManyConfigurations { destination, most },
            false => Reason::TooManyHops {
                destination,
                most: most.saturating_mul(HOPS_PER_CONFIGURATION as u64),
            },
        })
    }

    /// What configuration `index` may become with one hop.
    pub fn hops(&self, index: usize) -> &[Hop] {
        &self.hops[self.start[index]..self.start[index + 1]]
    }

    /// The head of configuration `index`.
    pub fn head(&self, index: usize) -> Head {
        let Configuration { state, channel, vc } = self.configurations[index];
        Head {
            node: self.network.target(channel),
            arrived: Some((channel, vc)),
            destination: self.destination,
            state,
        }
    }

    /// Explores `destination`, and adds what packets to it depend on to `dependencies`.
    pub fn explore(
        &mut self,
        destination: NodeId,
        dependencies: Option<&Dependencies<'_>>,
    ) -> Found {
        self.rest();
        self.destination = destination;
        self.configurations.clear();
        self.stood_for = 0;
        self.entered.clear();
        self.table.fill(0);
        self.start.clear();
        self.hops.clear();
        self.order.clear();
        self.without_escape = None;
        let mut found = Found::default();
        let explored = self
            .start_everywhere(dependencies, &mut found)
            .and_then(|()| self.follow(dependencies))
            .and_then(|()| self.arrange());
        match explored {
            Ok(longest) => {
                found.longest_route_hops = longest;
                let without_escape = self.without_escape;
                found.reason = without_escape.map(|head| Reason::EscapeNotConnected { head });
            }
            Err(reason) => found.reason = Some(reason),
        }
        found.configurations = self.stood_for;
        found
    }

    fn start_everywhere(
        &mut self,
        dependencies: Option<&Dependencies<'_>>,
        found: &mut Found,
    ) -> Result<(), Reason> {
        let destination = self.destination;
        let mut unreachable = None;
        let sources: Vec<(NodeId, u64)> = match self.orbits {
            Some(orbits) => orbits.nodes(destination),
            None => self.network.living_terminals().map(|n| (n, 1)).collect(),
        };
        for (node, count) in sources {
            if node == destination {
                continue;
            }
            let mut blocked = None;
            let choices = self.routing.choices(node, destination);
            let mut blocked_choices = 0;
            for choice in 0..choices {
                let head = Head {
                    node,
                    arrived: None,
                    destination,
                    state: self.routing.initial(node, destination, choice),
                };
                self.routing_step(head, dependencies)?;
                // Hops from a source are no dependencies, and nothing may follow a source.
                self.hops.clear();
                if self.candidates.as_slice().is_empty() {
                    blocked_choices += 1;
                    blocked = Some(head);
                }
            }
            if blocked_choices == choices {
                found.pairs_unreachable += count;
                unreachable.get_or_insert(Reason::UnreachablePair {
                    from: node,
                    to: destination,
                    pairs: 0,
                });
            } else if let Some(head) = blocked {
                return Err(Reason::DeadEnd { head });
            }
        }
        unreachable.map_or(Ok(()), Err)
    }

    fn follow(&mut self, dependencies: Option<&Dependencies<'_>>) -> Result<(), Reason> {
        let mut index = 0;
        while index < self.configurations.len() {
            self.start.push(self.hops.len());
            let head = self.head(index);
            if head.node != self.destination {
                self.routing_step(head, dependencies)?;
                if self.candidates.as_slice().is_empty() {
                    return Err(Reason::DeadEnd { head });
                }
            }
            index += 1;
        }
        self.start.push(self.hops.len());
        self.has_room()
    }

    /// Asks the relation for the ways on of `head`, and enters what they lead to.
    fn routing_step(
        &mut self,
        head: Head,
        dependencies: Option<&Dependencies<'_>>,
    ) -> Result<(), Reason> {
        self.has_room()?;
        self.candidates.clear();
        self.routing.route(head, &mut self.candidates);
        let mut has_escape = self.candidates.as_slice().is_empty();
        for position in 0..self.candidates.as_slice().len() {
            let candidate = self.candidates.as_slice()[position];
            let place = self.check(head, candidate)?;
            let Candidate { channel, vcs, .. } = candidate;
            let escapes = self.routing.escape_vcs(head, candidate) & vcs;
            has_escape |= escapes != 0;
            if let Some(dependencies) = dependencies {
                dependencies.take(channel, vcs, escapes);
                if let Some(held) = head.arrived {
                    dependencies.add(held, place, vcs);
                }
            }
            self.enter(head, channel, vcs, escapes)?;
        }
        // Whether packets arrive is still to be seen.
        if self.routing.has_escape() && !has_escape {
            self.without_escape.get_or_insert(head);
        }
        Ok(())
    }

    /// The place of the candidate's channel among those out of the node.
    #[inline]
    fn check(&self, head: Head, candidate: Candidate) -> Result<u32, Reason> {
        let outgoing = self.network.outgoing(head.node);
        let Candidate { channel, vcs, .. } = candidate;
        let beyond = vcs.checked_shr(self.virtual_channels).unwrap_or(0);
        if !outgoing.contains(&channel.0) || vcs == 0 || beyond != 0 {
            return Err(Reason::BadCandidate { head, candidate });
        }
        Ok(channel.0 - outgoing.start)
    }

    #[inline]
    fn enter(
        &mut self,
        head: Head,
        channel: ChannelId,
        vcs: VcMask,
        escapes: VcMask,
    ) -> Result<(), Reason> {
        let mut rest = vcs;
        while rest != 0 {
            let vc = rest.trailing_zeros();
            rest &= rest - 1;
            let state = self.routing.advance(head, channel, vc);
            let index = self.index_of(Configuration { state, channel, vc });
            let is_escape = escapes >> vc & 1 == 1;
            let entered = &mut self.entered[index as usize];
            entered.0 |= is_escape;
            entered.1 |= !is_escape;
            let flag = if is_escape { ESCAPE } else { 0 };
            self.hops.push(Hop(index | flag));
        }
        Ok(())
    }

    /// The index of a configuration, which is new where it was not known.
    #[inline]
    fn index_of(&mut self, mut configuration: Configuration) -> u32 {
        let mut count = 1;
        if let Some(orbits) = self.orbits {
            let channel = configuration.channel;
            (configuration.channel, count) = orbits.channel(self.destination, channel);
        }
        if 2 * self.configurations.len() >= self.table.len() {
            self.grow();
        }
        let slot = self.slot(configuration);
        if self.table[slot] == 0 {
            self.configurations.push(configuration);
            self.stood_for += count;
            self.entered.push((false, false));
            self.table[slot] = self.configurations.len() as u32;
        }
        self.table[slot] - 1
    }

    /// Where the configuration is in the table, or would be.
    #[inline]
    fn slot(&self, configuration: Configuration) -> usize {
        let Configuration { state, channel, vc } = configuration;
        let place = u64::from(channel.0) << 6 | u64::from(vc);
        // States are small numbers as a rule: turned, they do not meet the places.
        let hash = mix(state.rotate_left(38) ^ place);
        let mask = self.table.len() - 1;
        let mut slot = (hash >> 32) as usize & mask;
        loop {
            let known = self.table[slot];
            if known == 0 || self.configurations[known as usize - 1] == configuration {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let factor = if self.turn.is_some() { 2 } else { 4 };
        self.table = vec![0; factor * self.table.len()];
        for index in 0..self.configurations.len() {
            let slot = self.slot(self.configurations[index]);
            self.table[slot] = index as u32 + 1;
        }
    }

    /// Puts the configurations in an order that every hop goes up in (Kahn 1962); the most hops of
    /// a route.
    fn arrange(&mut self) -> Result<u32, Reason> {
        let count = self.configurations.len();
        self.entering.clear();
        self.entering.resize(count, 0);
        for hop in &self.hops {
            self.entering[hop.to()] += 1;
        }
        self.depth.clear();
        self.depth.resize(count, 1);
        let free = (0..count as u32).filter(|&index| self.entering[index as usize] == 0);
        self.order.extend(free);
        let mut longest = 0;
        let mut position = 0;
        while let Some(&index) = self.order.get(position) {
            position += 1;
            let depth = self.depth[index as usize];
            longest = longest.max(depth);
            let range = self.start[index as usize]..self.start[index as usize + 1];
            for hop in &self.hops[range] {
                let to = hop.to();
                self.depth[to] = self.depth[to].max(depth + 1);
                self.entering[to] -= 1;
                if self.entering[to] == 0 {
                    self.order.push(to as u32);
                }
            }
        }
        if self.order.len() == count {
            return Ok(longest);
        }
        let left = (0..count).find(|&index| self.entering[index] > 0);
        let heads = left.map(|index| self.head(index)).into_iter().collect();
        Err(Reason::Livelock { heads })
    }

    /// The heads of a shortest round of a packet to the destination explored, if it may go round.
    pub fn round(&self) -> Vec<Head> {
        let cycle = cycle::shortest(self, cycle::EDGES_MOST).unwrap_or_default();
        cycle
            .iter()
            .map(|&index| self.head(index as usize))
            .collect()
    }
}

impl<R: Routing> cycle::Graph for Explorer<'_, R> {
    fn vertices(&self) -> u32 {
        self.configurations.len() as u32
    }

    fn next(&self, vertex: u32, cursor: &mut u64) -> Option<u32> {
        let hop = self.hops(vertex as usize).get(*cursor as usize)?;
        *cursor += 1;
        Some(hop.to() as u32)
    }
}
