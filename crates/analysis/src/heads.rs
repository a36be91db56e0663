//! The heads for one destination as vertices of a graph, and the flow along its edges. Nothing here depends on the type of a
//! relation.

use super::{AnalysisError, Loads, add_to};
use flitsim_engine::VcMask;
use flitsim_topology::{ChannelId, Network, NodeId};
use std::ops::Range;

/// Destinations whose flow is carried at once, where there are many.
const COLUMNS: usize = 64;

/// The most flows carried at once: 64 MB.
const FLOWS_MOST: usize = 1 << 23;

/// The most heads for one destination: some 200 MB, of each thread.
const HEADS_LIMIT: usize = 1 << 20;

#[derive(Clone, Copy, Debug)]
pub(super) struct Vertex {
    pub(super) node: NodeId,
    /// `None` at the source.
    pub(super) arrived: Option<(ChannelId, VcMask)>,
    pub(super) state: u64,
    /// The longest period of the channels so far; 0 where all are alike.
    pub(super) slowest: u32,
    /// Flits a cycle.
    pub(super) flow: f64,
    /// Edges into this vertex that have not brought their flow yet.
    pub(super) awaited: u32,
    /// Where the vertex's edges end; they start where those of the vertex before end.
    pub(super) edges_end: usize,
    /// The last edge that was made into this vertex; `u32::MAX` before the first.
    pub(super) last_edge: u32,
}

impl Vertex {
    /// Heads at `node` that came over `arrived`, without edges.
    pub(super) fn new(
        node: NodeId,
        arrived: Option<(ChannelId, VcMask)>,
        state: u64,
        slowest: u32,
        flow: f64,
    ) -> Self {
        Self {
            node,
            arrived,
            state,
            slowest,
            flow,
            awaited: 0,
            edges_end: 0,
            last_edge: u32::MAX,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) to: u32,
    pub(super) probability: f64,
}

/// The heads for one destination, and what those for it and others before have carried.
pub(super) struct Heads {
    pub(super) vertices: Vec<Vertex>,
    /// Vertex by vertex.
    pub(super) edges: Vec<Edge>,
    /// All vertices, in topological order.
    order: Vec<u32>,
    channel_loads: Vec<f64>,
    /// Flits a cycle that arrive, by the longest period on their way.
    slowest: Vec<(u32, f64)>,
}

impl Heads {
    /// None, which have carried nothing.
    pub(super) fn new(network: &Network) -> Self {
        Self {
            vertices: Vec::new(),
            edges: Vec::new(),
            order: Vec::new(),
            channel_loads: vec![0.0; network.channels() as usize],
            slowest: Vec::new(),
        }
    }

    /// What they have carried.
    pub(super) fn into_loads(self) -> Loads {
        (self.channel_loads, self.slowest)
    }

    /// Without a head.
    pub(super) fn clear(&mut self) {
        self.vertices.clear();
        self.edges.clear();
    }

    /// Adds `vertex`, of heads for `destination`. Its index.
    ///
    /// # Errors
    /// [`AnalysisError::TooManyStates`].
    pub(super) fn push(
        &mut self,
        destination: NodeId,
        vertex: Vertex,
    ) -> Result<u32, AnalysisError> {
        if self.vertices.len() == HEADS_LIMIT {
            return Err(AnalysisError::TooManyStates {
                destination,
                limit: HEADS_LIMIT,
            });
        }
        self.vertices.push(vertex);
        Ok((self.vertices.len() - 1) as u32)
    }

    /// The edges of vertex `index`.
    fn edges_of(&self, index: u32) -> Range<usize> {
        let start = match index as usize {
            0 => 0,
            index => self.vertices[index - 1].edges_end,
        };
        start..self.vertices[index as usize].edges_end
    }

    /// Sorts the vertices topologically (Kahn 1962).
    ///
    /// # Errors
    /// [`AnalysisError::Endless`].
    pub(super) fn sort(&mut self, destination: NodeId) -> Result<(), AnalysisError> {
        let sources = self.vertices.iter().zip(0..);
        let sources = sources.filter(|(v, _)| v.awaited == 0).map(|(_, i)| i);
        self.order.clear();
        self.order.extend(sources);
        let mut next = 0;
        while let Some(&index) = self.order.get(next) {
            next += 1;
            for edge in self.edges_of(index) {
                let to = self.edges[edge].to;
                let awaited = &mut self.vertices[to as usize].awaited;
                *awaited -= 1;
                if *awaited == 0 {
                    self.order.push(to);
                }
            }
        }
        match self.vertices.iter().find(|vertex| vertex.awaited > 0) {
            Some(vertex) => Err(AnalysisError::Endless {
                node: vertex.node,
                destination,
            }),
            None => Ok(()),
        }
    }

    /// Carries flow along the edges, and on to the channels.
    pub(super) fn carry(&mut self, destination: NodeId) {
        for next in 0..self.order.len() {
            let index = self.order[next];
            let vertex = self.vertices[index as usize];
            if let Some((channel, _)) = vertex.arrived {
                self.channel_loads[channel.index()] += vertex.flow;
                if vertex.node == destination {
                    add_to(&mut self.slowest, vertex.slowest, vertex.flow);
                }
            }
            for edge in self.edges_of(index) {
                let Edge { to, probability } = self.edges[edge];
                self.vertices[to as usize].flow += vertex.flow * probability;
            }
        }
    }

    /// As `Flow::add_leg` says of the heads that it finds. The flow of a vertex without a channel is a share of what its
    /// node sends.
    pub(super) fn carry_leg(&mut self, between: NodeId, sent: &[f64], arrived: &mut [f64]) {
        let terminals = arrived.len();
        let from = |source: NodeId, columns: &Range<usize>| {
            let row = &sent[source.index() * terminals..][..terminals];
            &row[columns.clone()]
        };
        let (mut rows, mut carried) = (Vec::new(), Vec::new());
        let width = (FLOWS_MOST / self.vertices.len().max(1)).clamp(1, COLUMNS);
        for first in (0..terminals).step_by(width) {
            let columns = first..terminals.min(first + width);
            rows.clear();
            rows.resize(self.vertices.len() * columns.len(), 0.0);
            if between.index() < terminals {
                add_all(&mut arrived[columns.clone()], 1.0, from(between, &columns));
            }
            for &index in &self.order {
                let vertex = &self.vertices[index as usize];
                let row = &mut rows[index as usize * columns.len()..][..columns.len()];
                match vertex.arrived {
                    None => add_all(row, vertex.flow, from(vertex.node, &columns)),
                    Some((channel, _)) => {
                        self.channel_loads[channel.index()] += sum(row);
                        if columns.contains(&vertex.node.index()) {
                            row[vertex.node.index() - first] = 0.0;
                        }
                        if vertex.node == between {
                            add_all(&mut arrived[columns.clone()], 1.0, row);
                        }
                    }
                }
                carried.clear();
                carried.extend_from_slice(row);
                for edge in &self.edges[self.edges_of(index)] {
                    let row = &mut rows[edge.to as usize * columns.len()..][..columns.len()];
                    add_all(row, edge.probability, &carried);
                }
            }
        }
    }
}

/// The sum of `loads`, several at a time.
fn sum(loads: &[f64]) -> f64 {
    let (several, rest) = loads.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for loads in several {
        add_all(&mut sums, 1.0, loads);
    }
    sums.iter().chain(rest).sum()
}

/// Adds `share` of each of `loads` to what stands in `sums`.
fn add_all(sums: &mut [f64], share: f64, loads: &[f64]) {
    for (sum, load) in sums.iter_mut().zip(loads) {
        *sum += share * load;
    }
}
