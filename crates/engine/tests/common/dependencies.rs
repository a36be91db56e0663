//! The channel dependency graph of a relation, by enumeration, and whether it has a cycle.

use super::any::Any;
use flitsim_engine::{Candidate, Candidates, Head, Routing};
use flitsim_topology::{ChannelId, Network, NodeId};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// A virtual channel of a physical channel.
pub type Vertex = (ChannelId, u32);

/// A virtual channel that a packet holds, and the state that it has there.
type Place = (Vertex, u64);

/// Every packet between two terminals before its first hop, with its choice.
fn starts(
    routing: Any<'_, false>,
    source: NodeId,
    destination: NodeId,
) -> impl Iterator<Item = (Head, u32)> {
    let choices = 0..routing.choices(source, destination);
    choices.map(move |choice| {
        let head = Head {
            node: source,
            arrived: None,
            destination,
            state: routing.initial(source, destination, choice),
        };
        (head, choice)
    })
}

/// Every terminal.
fn terminals(network: &Network) -> impl Iterator<Item = NodeId> {
    (0..network.terminals()).map(NodeId)
}

/// Calls `each` with what the packet of `start` may hold, `None` before its first hop, and may then ask for, until it
/// breaks. It goes on from places that are new, as each must be once only.
fn walk(
    network: &Network,
    routing: Any<'_, false>,
    start: Head,
    is_new: &mut dyn FnMut(Place) -> bool,
    each: &mut dyn FnMut(Option<Vertex>, Vertex) -> ControlFlow<()>,
) -> ControlFlow<()> {
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
                each(head.arrived, to)?;
                let state = routing.advance(head, channel, vc);
                if is_new((to, state)) {
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
    ControlFlow::Continue(())
}

/// What packets may hold, and ask for while they hold it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Dependencies {
    /// The virtual channels that some packet may take.
    pub vertices: BTreeSet<Vertex>,
    /// From one that a packet may hold to the next that it may ask for.
    pub edges: BTreeSet<(Vertex, Vertex)>,
}

impl Dependencies {
    /// Of every packet between two terminals, in every initial state, on every virtual channel that
    /// the relation allows, each by itself: nothing is supposed of the relation.
    pub fn packet_by_packet(network: &Network, routing: &impl Routing) -> Self {
        let mut dependencies = Self::default();
        let routing = Any::new(routing);
        for source in terminals(network) {
            for destination in terminals(network) {
                for (start, _) in starts(routing, source, destination) {
                    dependencies.gather(network, routing, start, &mut BTreeSet::new());
                }
            }
        }
        dependencies
    }

    /// The same, faster: to one destination, packets that hold a virtual channel in one state have the same
    /// head there, and a relation sees nothing else.
    pub fn of(network: &Network, routing: &impl Routing) -> Self {
        let mut dependencies = Self::default();
        let routing = Any::new(routing);
        for destination in terminals(network) {
            let mut seen = BTreeSet::new();
            for source in terminals(network) {
                for (start, _) in starts(routing, source, destination) {
                    dependencies.gather(network, routing, start, &mut seen);
                }
            }
        }
        dependencies
    }

    fn gather(
        &mut self,
        network: &Network,
        routing: Any<'_, false>,
        start: Head,
        seen: &mut BTreeSet<Place>,
    ) {
        let is_new = &mut |place| seen.insert(place);
        let _ = walk(network, routing, start, is_new, &mut |from, to| {
            self.vertices.insert(to);
            self.edges.extend(from.map(|from| (from, to)));
            ControlFlow::Continue(())
        });
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
        for destination in terminals(network) {
            // From where no step of the circle is reached.
            let mut clear = BTreeSet::new();
            for source in terminals(network) {
                for (start, choice) in starts(routing, source, destination) {
                    let mut seen = BTreeSet::new();
                    let is_new = &mut |place| !clear.contains(&place) && seen.insert(place);
                    let found = walk(network, routing, start, is_new, &mut |from, to| match from
                        .is_some_and(|from| steps.contains(&(from, to)))
                    {
                        true => ControlFlow::Break(()),
                        false => ControlFlow::Continue(()),
                    });
                    match found {
                        ControlFlow::Break(()) => packets.push((source, destination, choice)),
                        ControlFlow::Continue(()) => clear.extend(seen),
                    }
                }
            }
        }
        packets.sort_unstable();
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
