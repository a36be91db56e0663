//! The flow that a routing relation makes of a demand, one destination at a time.
//!
//! All that a relation may look at is where a head is, how it came and its state. So the heads that
//! go to one destination are the vertices of a graph, an edge is a choice that a head has, and the
//! load of a channel is the flow through the heads that came over it. The relation ends exactly
//! when the graph has no cycle; then flow is carried in topological order.
//!
//! Virtual channels that a head may take alike are one vertex, with flow spread evenly over them:
//! vertices do not multiply with the number of virtual channels.

use super::demand::Share;
use super::heads::{Edge, Heads, Vertex};
use super::{AnalysisError, Loads};
use flitsim_engine::routing::{each_vc, vc_range};
use flitsim_engine::{Candidates, EngineConfig, Head, Routing, VcMask};
use flitsim_random::mix;
use flitsim_topology::{ChannelId, Network, NodeId};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// The most heads, times terminals by way of which they go, times terminals that they go to: seconds.
const LEG_MOST: usize = 1 << 33;

/// Heads that came over `channel`, on any of `vcs` with equal probability, in one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Arrival {
    channel: ChannelId,
    vcs: VcMask,
    state: u64,
    slowest: u32,
}

/// One word of all: the keys come from the relation, not from an adversary.
impl Hash for Arrival {
    #[inline]
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let way = u64::from(self.channel.0) << 32 | u64::from(self.slowest);
        hasher.write_u64(mix(mix(way) ^ self.state) ^ self.vcs);
    }
}

/// Takes the word for the hash.
#[derive(Default)]
struct WordHasher(u64);

impl Hasher for WordHasher {
    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }
    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.0 = mix(self.0 ^ word);
    }
}

/// Adds up the flow of destination after destination.
pub(super) struct Flow<'a, R> {
    network: &'a Network,
    routing: &'a R,
    config: &'a EngineConfig,
    heads: Heads,
    vertex_of: HashMap<Arrival, u32, BuildHasherDefault<WordHasher>>,
    candidates: Candidates,
    /// Whether packets begin in the first of their initial states; else in any.
    begin_first: bool,
}

impl<'a, R: Routing> Flow<'a, R> {
    /// No flow yet.
    pub(super) fn new(network: &'a Network, routing: &'a R, config: &'a EngineConfig) -> Self {
        Self {
            network,
            routing,
            config,
            heads: Heads::new(network),
            vertex_of: HashMap::default(),
            candidates: Candidates::default(),
            begin_first: false,
        }
    }

    /// Where `first`, packets begin in the first of their initial states alone.
    pub(super) fn beginning(mut self, first: bool) -> Self {
        self.begin_first = first;
        self
    }

    /// The flits a cycle on each channel; and those that arrive from elsewhere, by the longest
    /// period of the channels on their way.
    pub(super) fn into_loads(self) -> Loads {
        self.heads.into_loads()
    }

    /// Adds the flow of `shares`, all of them for `destination`.
    ///
    /// # Errors
    /// [`AnalysisError::DeadEnd`], [`AnalysisError::Endless`], [`AnalysisError::TooManyStates`].
    pub(super) fn add(
        &mut self,
        destination: NodeId,
        shares: &[Share],
    ) -> Result<(), AnalysisError> {
        self.find_heads(destination, shares)?;
        self.heads.carry(destination);
        Ok(())
    }

    /// Adds the flow to `between` of what `sent` says, a row of loads of each terminal to each. Packets that reach their
    /// destination on the way leave there. Adds what arrives to `arrived`, by destination.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub(super) fn add_leg(
        &mut self,
        between: NodeId,
        sent: &[f64],
        arrived: &mut [f64],
    ) -> Result<(), AnalysisError> {
        let sources = (0..arrived.len() as u32).map(NodeId);
        let each: Vec<Share> = sources.map(|source| Share { source, load: 1.0 }).collect();
        self.find_heads(between, &each)?;
        let limit = LEG_MOST / (arrived.len() * arrived.len()).max(1);
        if self.heads.vertices.len() > limit {
            return Err(AnalysisError::TooManyStates {
                destination: between,
                limit,
            });
        }
        self.heads.carry_leg(between, sent, arrived);
        Ok(())
    }

    /// Finds all heads for `destination` of packets of `shares`, and an order of them.
    fn find_heads(&mut self, destination: NodeId, shares: &[Share]) -> Result<(), AnalysisError> {
        self.heads.clear();
        self.vertex_of.clear();
        for share in shares {
            if share.source != destination {
                self.start(destination, *share)?;
            } else if self.config.terminal_ports {
                self.start_from_port(*share)?;
            }
        }
        let mut next = 0;
        while next < self.heads.vertices.len() {
            self.expand(destination, next)?;
            next += 1;
        }
        self.heads.sort(destination)
    }

    fn start(&mut self, destination: NodeId, share: Share) -> Result<(), AnalysisError> {
        let choices = match self.begin_first {
            true => 0..1,
            false => self.routing.at_rest(share.source, destination),
        };
        let count = choices.len() as f64;
        debug_assert!(!choices.is_empty(), "a packet without an initial state");
        for choice in choices {
            let state = self.routing.initial(share.source, destination, choice);
            let flow = share.load / count;
            let vertex = Vertex::new(share.source, None, state, 0, flow);
            self.heads.push(destination, vertex)?;
        }
        Ok(())
    }

    /// A packet to its own terminal, of which the relation is not asked there: on any virtual channel of its port.
    fn start_from_port(&mut self, share: Share) -> Result<(), AnalysisError> {
        let channel = ChannelId(self.network.outgoing(share.source).start);
        let choices = self.routing.at_rest(share.source, share.source);
        let count = choices.len() as f64;
        for choice in choices {
            let arrival = Arrival {
                channel,
                vcs: vc_range(0, self.config.virtual_channels),
                state: self.routing.initial(share.source, share.source, choice),
                slowest: self.period(channel),
            };
            let index = self.vertex(share.source, arrival)?;
            self.heads.vertices[index as usize].flow += share.load / count;
        }
        Ok(())
    }

    /// The period of `channel`; 0 where all are alike.
    fn period(&self, channel: ChannelId) -> u32 {
        let period = self.config.channel_periods.get(channel.index());
        period.copied().unwrap_or(0)
    }

    /// Finds the edges of vertex `index`, and the vertices that they lead to.
    fn expand(&mut self, destination: NodeId, index: usize) -> Result<(), AnalysisError> {
        let vertex = self.heads.vertices[index];
        let edges_start = self.heads.edges.len();
        if vertex.node != destination {
            let head = |arrived| Head {
                node: vertex.node,
                arrived,
                destination,
                state: vertex.state,
            };
            match vertex.arrived {
                None => self.route(head(None), 0, 1.0, edges_start)?,
                Some((channel, vcs)) => {
                    let share = 1.0 / f64::from(vcs.count_ones());
                    for vc in each_vc(vcs) {
                        let head = head(Some((channel, vc)));
                        self.route(head, vertex.slowest, share, edges_start)?;
                    }
                }
            }
        }
        self.heads.vertices[index].edges_end = self.heads.edges.len();
        Ok(())
    }

    /// Adds the edges of one head, which is its vertex with probability `share` and has met channels
    /// of a period of at most `slowest`.
    fn route(
        &mut self,
        head: Head,
        slowest: u32,
        share: f64,
        edges_start: usize,
    ) -> Result<(), AnalysisError> {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        self.routing.route(head, &mut candidates);
        let all = candidates.as_slice();
        let Some(first) = all.first() else {
            return Err(AnalysisError::DeadEnd {
                node: head.node,
                destination: head.destination,
            });
        };
        let best = all.partition_point(|c| c.priority == first.priority);
        for candidate in &all[..best] {
            debug_assert_eq!(self.network.source(candidate.channel), head.node);
            let each = share / (best as f64 * f64::from(candidate.vcs.count_ones()));
            // One edge for each state that the claim of a virtual channel may lead to.
            let mut rest = candidate.vcs;
            while rest != 0 {
                let advance = |vc| self.routing.advance(head, candidate.channel, vc);
                let state = advance(rest.trailing_zeros());
                let mut vcs: VcMask = 0;
                for vc in each_vc(rest).filter(|&vc| advance(vc) == state) {
                    vcs |= 1 << vc;
                }
                rest &= !vcs;
                let probability = each * f64::from(vcs.count_ones());
                let channel = candidate.channel;
                let arrival = Arrival {
                    channel,
                    vcs,
                    state,
                    slowest: self.period(channel).max(slowest),
                };
                let to = self.vertex(head.destination, arrival)?;
                self.join(to, probability, edges_start);
            }
        }
        self.candidates = candidates;
        Ok(())
    }

    /// The vertex of heads that came so, made where it is new.
    fn vertex(&mut self, destination: NodeId, mut arrival: Arrival) -> Result<u32, AnalysisError> {
        let node = self.network.target(arrival.channel);
        if node == destination {
            // Nothing more depends on how it came.
            (arrival.vcs, arrival.state) = (0, 0);
        }
        match self.vertex_of.entry(arrival) {
            Entry::Occupied(known) => Ok(*known.get()),
            Entry::Vacant(place) => {
                let Arrival { channel, vcs, .. } = arrival;
                let (came, state) = (Some((channel, vcs)), arrival.state);
                let vertex = Vertex::new(node, came, state, arrival.slowest, 0.0);
                Ok(*place.insert(self.heads.push(destination, vertex)?))
            }
        }
    }

    /// Adds `probability` to the edge to `to` of the vertex whose edges start at `edges_start`.
    fn join(&mut self, to: u32, probability: f64, edges_start: usize) {
        let vertex = &mut self.heads.vertices[to as usize];
        let last = vertex.last_edge as usize;
        match self.heads.edges.get_mut(last) {
            Some(edge) if last >= edges_start => edge.probability += probability,
            _ => {
                vertex.last_edge = self.heads.edges.len() as u32;
                vertex.awaited += 1;
                self.heads.edges.push(Edge { to, probability });
            }
        }
    }
}
