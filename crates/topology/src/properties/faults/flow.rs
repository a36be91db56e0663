//! How many disjoint paths lead from one node to another: unit flows, augmented path by path
//! (Menger's theorem; Even & Tarjan 1975).

use crate::{ChannelId, Network, NodeId};

const NONE: u32 = u32::MAX;

/// What paths may not share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Disjoint {
    /// Nodes, but for the two ends.
    Nodes,
    /// Channels.
    Channels,
}

/// A flow of whole units through a network: arcs in pairs, 2i and 2i + 1 against each other.
#[derive(Clone)]
pub(super) struct Flow {
    disjoint: Disjoint,
    /// By vertex: the first of its arcs in `arcs`, and the end.
    start: Vec<u32>,
    arcs: Vec<u32>,
    /// By arc.
    to: Vec<u32>,
    open: Vec<bool>,
    /// By vertex: the arc that the search came by, and the search that did.
    came_by: Vec<u32>,
    met_in: Vec<u32>,
    search: u32,
    queue: Vec<u32>,
    /// Arcs that are not as they were at first.
    used: Vec<u32>,
}

impl Flow {
    /// No flow yet. With `Disjoint::Nodes` a node is two vertices, 2n in and 2n + 1 out.
    pub(super) fn new(network: &Network, disjoint: Disjoint) -> Self {
        let nodes = network.nodes();
        let split = disjoint == Disjoint::Nodes;
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        if split {
            pairs.extend((0..nodes).map(|n| (2 * n, 2 * n + 1)));
        }
        for channel in (0..network.channels()).map(ChannelId) {
            let (from, to) = (network.source(channel).0, network.target(channel).0);
            pairs.push(if split {
                (2 * from + 1, 2 * to)
            } else {
                (from, to)
            });
        }
        let vertices = nodes as usize * (1 + split as usize);
        let mut start = vec![0u32; vertices + 1];
        for &(from, to) in &pairs {
            start[from as usize + 1] += 1;
            start[to as usize + 1] += 1;
        }
        for vertex in 0..vertices {
            start[vertex + 1] += start[vertex];
        }
        let mut fill = start.clone();
        let mut arcs = vec![0; 2 * pairs.len()];
        let mut to = Vec::with_capacity(2 * pairs.len());
        for (arc, &(a, b)) in (0u32..).step_by(2).zip(&pairs) {
            for (arc, tail) in [(arc, a), (arc + 1, b)] {
                arcs[fill[tail as usize] as usize] = arc;
                fill[tail as usize] += 1;
            }
            to.extend([b, a]);
        }
        Self {
            disjoint,
            start,
            arcs,
            open: (0..to.len()).map(|arc| arc % 2 == 0).collect(),
            to,
            came_by: vec![NONE; vertices],
            met_in: vec![0; vertices],
            search: 0,
            queue: Vec::with_capacity(vertices),
            used: Vec::new(),
        }
    }

    /// The most disjoint paths from one node to another, counted up to `limit`.
    ///
    /// With `Disjoint::Nodes` a channel from the one to the other counts as one path.
    pub(super) fn paths(&mut self, from: NodeId, to: NodeId, limit: u32) -> u32 {
        let (source, sink) = match self.disjoint {
            Disjoint::Nodes => (2 * from.0 + 1, 2 * to.0),
            Disjoint::Channels => (from.0, to.0),
        };
        let mut paths = 0;
        while paths < limit && self.augment(source, sink) {
            paths += 1;
        }
        for arc in self.used.drain(..) {
            self.open[arc as usize] = arc % 2 == 0;
            self.open[arc as usize ^ 1] = arc % 2 != 0;
        }
        paths
    }

    /// One path more, if there is one.
    fn augment(&mut self, source: u32, sink: u32) -> bool {
        self.search += 1;
        self.met_in[source as usize] = self.search;
        self.queue.clear();
        self.queue.push(source);
        let mut next = 0;
        while let Some(&vertex) = self.queue.get(next) {
            next += 1;
            let range = self.start[vertex as usize]..self.start[vertex as usize + 1];
            for &arc in &self.arcs[range.start as usize..range.end as usize] {
                let to = self.to[arc as usize];
                if self.open[arc as usize] && self.met_in[to as usize] != self.search {
                    self.met_in[to as usize] = self.search;
                    self.came_by[to as usize] = arc;
                    if to == sink {
                        self.turn(source, sink);
                        return true;
                    }
                    self.queue.push(to);
                }
            }
        }
        false
    }

    /// Sends a unit along the path found.
    fn turn(&mut self, source: u32, sink: u32) {
        let mut vertex = sink;
        while vertex != source {
            let arc = self.came_by[vertex as usize];
            self.open[arc as usize] = false;
            self.open[arc as usize ^ 1] = true;
            self.used.push(arc);
            vertex = self.to[arc as usize ^ 1];
        }
    }
}
