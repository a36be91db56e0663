//! The channel dependency graph of a relation, by enumeration, and whether it has a cycle.

use super::any::Any;
use flitsim_engine::{Candidate, Candidates, Head, Routing};
use flitsim_topology::{ChannelId, Network, NodeId};
use std::collections::{BTreeMap, BTreeSet};

/// A virtual channel of a physical channel.
pub type Vertex = (ChannelId, u32);

/// Calls `each` with every packet between two terminals before its first hop, and its choice.
fn for_each_start(network: &Network, routing: Any<'_, false>, each: &mut dyn FnMut(Head, u32)) {
    let terminals = || (0..network.terminals()).map(NodeId);
    for (source, destination) in terminals().flat_map(|a| terminals().map(move |b| (a, b))) {
        for choice in 0..routing.choices(source, destination) {
            let head = Head {
                node: source,
                arrived: None,
                destination,
                state: routing.initial(source, destination, choice),
            };
            each(head, choice);
        }
    }
}

/// Calls `each` with what the packet of `start` may hold, `None` before its first hop, and may then ask for.
fn walk(
    network: &Network,
    routing: Any<'_, false>,
    start: Head,
    each: &mut dyn FnMut(Option<Vertex>, Vertex),
) {
    let mut seen = BTreeSet::new();
    let mut waiting = vec![start];
    let mut candidates = Candidates::default();
    while let Some(head) = waiting.pop() {
        if head.node == head.destination {
            continue;
        }
        candidates.clear();
        routing.route(head, &mut candidates);
        for candidate in candidates.as_slice() {
            let Candidate { channel, vcs, .. } = *candidate;
            assert_eq!(network.source(channel), head.node);
            let mut rest = vcs;
            while rest != 0 {
                let vc = rest.trailing_zeros();
                rest &= rest - 1;
                let to = (channel, vc);
                each(head.arrived, to);
                let state = routing.advance(head, channel, vc);
                if seen.insert((to, state)) {
                    waiting.push(Head {
                        node: network.target(channel),
                        arrived: Some(to),
                        state,
                        ..head
                    });
                }
            }
        }
    }
}

/// What packets may hold, and ask for while they hold it.
#[derive(Debug, Default)]
pub struct Dependencies {
    /// The virtual channels that some packet may take.
    pub vertices: BTreeSet<Vertex>,
    /// From one that a packet may hold to the next that it may ask for.
    pub edges: BTreeSet<(Vertex, Vertex)>,
}

impl Dependencies {
    /// Of every packet between two terminals, in every initial state, on every virtual channel that
    /// the relation allows.
    pub fn of(network: &Network, routing: &impl Routing) -> Self {
        let mut dependencies = Self::default();
        let routing = Any::new(routing);
        for_each_start(network, routing, &mut |start, _| {
            walk(network, routing, start, &mut |from, to| {
                dependencies.vertices.insert(to);
                dependencies.edges.extend(from.map(|from| (from, to)));
            });
        });
        dependencies
    }

    /// The packets that may hold a virtual channel of `circle` and ask for the next: their sources,
    /// destinations and choices.
    pub fn packets_of(
        network: &Network,
        routing: &impl Routing,
        circle: &[Vertex],
    ) -> Vec<(NodeId, NodeId, u32)> {
        let next = circle.iter().cycle().skip(1);
        let steps: BTreeSet<_> = circle.iter().copied().zip(next.copied()).collect();
        let mut packets = Vec::new();
        let routing = Any::new(routing);
        for_each_start(network, routing, &mut |start, choice| {
            let mut is_of_circle = false;
            walk(network, routing, start, &mut |from, to| {
                is_of_circle |= from.is_some_and(|from| steps.contains(&(from, to)));
            });
            if is_of_circle {
                packets.push((start.node, start.destination, choice));
            }
        });
        packets
    }

    /// The same with the virtual channels of a channel taken as one.
    pub fn of_channels(&self) -> Self {
        let flat = |&(channel, _): &Vertex| (channel, 0);
        Self {
            vertices: self.vertices.iter().map(flat).collect(),
            edges: self.edges.iter().map(|(a, b)| (flat(a), flat(b))).collect(),
        }
    }

    /// Whether `circle` is a cycle of them: each is followed by the next, and the last by the first.
    pub fn closes(&self, circle: &[Vertex]) -> bool {
        let next = circle.iter().cycle().skip(1);
        let mut steps = circle.iter().zip(next);
        !circle.is_empty() && steps.all(|(&from, &to)| self.edges.contains(&(from, to)))
    }

    /// How many vertices and edges there are.
    pub fn counts(&self) -> (usize, usize) {
        (self.vertices.len(), self.edges.len())
    }

    /// Depth-first search with an explicit stack: a vertex that is met again while it is still on
    /// the stack closes a cycle.
    pub fn is_acyclic(&self) -> bool {
        #[derive(Clone, Copy, PartialEq)]
        enum Colour {
            OnStack,
            Done,
        }
        let mut next: BTreeMap<Vertex, Vec<Vertex>> = BTreeMap::new();
        for &(from, to) in &self.edges {
            next.entry(from).or_default().push(to);
        }
        let mut colours: BTreeMap<Vertex, Colour> = BTreeMap::new();
        for &root in &self.vertices {
            if colours.contains_key(&root) {
                continue;
            }
            colours.insert(root, Colour::OnStack);
            let mut stack = vec![(root, 0)];
            while let Some((vertex, tried)) = stack.last_mut() {
                let following = next.get(vertex).map_or(&[][..], Vec::as_slice);
                if let Some(&to) = following.get(*tried) {
                    *tried += 1;
                    match colours.get(&to) {
                        Some(Colour::OnStack) => return false,
                        Some(Colour::Done) => {}
                        None => {
                            colours.insert(to, Colour::OnStack);
                            stack.push((to, 0));
                        }
                    }
                } else {
                    colours.insert(*vertex, Colour::Done);
                    stack.pop();
                }
            }
        }
        true
    }
}
