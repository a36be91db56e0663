//! From what a file says, taken as a whole, to a network: identifiers, and the checks that only the
//! whole graph can fail.

use super::error::{FileError, Problem, Source};
use crate::graph::Channel;
use crate::search::{UNREACHABLE, distances_from, distances_to};
use crate::{Annotations, ChannelId, Graph, NodeId};
use std::borrow::Cow;

/// A channel between two nodes by their place in the file, and its own place there.
#[derive(Clone, Copy, Debug)]
pub(super) struct DraftChannel {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) offset: u32,
}

/// The identifier of each node of the list: terminals first. Where nodes are not listed and their
/// names are the numbers from 0 on, these are the identifiers.
pub(super) fn ranks(names: &[Cow<'_, str>], is_switch: &[bool], is_listed: bool) -> Vec<u32> {
    if !is_listed {
        let number = |name: &Cow<'_, str>| {
            let number: usize = name.parse().ok()?;
            (number < names.len() && number.to_string() == **name).then_some(number as u32)
        };
        // Names are all different, so numbers below N are a permutation.
        if let Some(numbers) = names.iter().map(number).collect() {
            return numbers;
        }
    }
    let mut rank = vec![0; names.len()];
    let mut next = 0;
    for kind in [false, true] {
        for (node, _) in is_switch.iter().enumerate().filter(|&(_, &s)| s == kind) {
            rank[node] = next;
            next += 1;
        }
    }
    rank
}

/// `list` with the entry `i` at place `rank[i]`.
pub(super) fn arrange<T>(list: Vec<T>, rank: &[u32]) -> Vec<T> {
    let mut order: Vec<(u32, T)> = rank.iter().copied().zip(list).collect();
    order.sort_unstable_by_key(|&(rank, _)| rank);
    order.into_iter().map(|(_, entry)| entry).collect()
}

/// What is said of the channels, by their place in the file.
pub(super) struct Columns {
    pub(super) width: Option<Vec<u32>>,
    pub(super) length: Option<Vec<f32>>,
    pub(super) delay: Option<Vec<u32>>,
    pub(super) parallel: Option<Vec<u32>>,
}

/// The nodes by identifier.
pub(super) struct Nodes<'a> {
    pub(super) source: Source<'a>,
    pub(super) names: Vec<Cow<'a, str>>,
    pub(super) offsets: Vec<u32>,
    pub(super) positions: Option<Vec<[f32; 2]>>,
    pub(super) terminals: u32,
}

impl Nodes<'_> {
    /// The network of the channels in `list`, of which `rank` gives the ends' identifiers.
    pub(super) fn join(
        self,
        channels_in: Source<'_>,
        mut list: Vec<DraftChannel>,
        rank: &[u32],
        columns: Columns,
    ) -> Result<Graph, FileError> {
        for channel in &mut list {
            channel.from = rank[channel.from as usize];
            channel.to = rank[channel.to as usize];
        }
        let mut order: Vec<u32> = (0..list.len() as u32).collect();
        order.sort_by_key(|&entry| list[entry as usize].from);
        let pick = |values: Vec<u32>| -> Vec<u32> {
            order.iter().map(|&entry| values[entry as usize]).collect()
        };
        let parallel = columns.parallel.map(pick);
        let channels: Vec<Channel> = order
            .iter()
            .map(|&entry| Channel {
                source: NodeId(list[entry as usize].from),
                target: NodeId(list[entry as usize].to),
                length_pitches: columns.length.as_ref().map_or(1.0, |l| l[entry as usize]),
            })
            .collect();
        let network = Graph::new(self.names.len() as u32, self.terminals, &channels);
        let offset_of = |channel: u32| list[order[channel as usize] as usize].offset;
        self.refuse_repetitions(&network, channels_in, parallel.as_deref(), offset_of)?;
        self.refuse_lone_terminals(&network)?;
        self.refuse_parts(&network)?;
        let numbered = (0u32..)
            .zip(&self.names)
            .all(|(id, n)| id.to_string() == **n);
        let annotations = Annotations {
            width_bits: columns.width.map(pick),
            delay_cycles: columns.delay.map(pick),
            names: (!numbered).then(|| self.names.into_iter().map(Into::into).collect()),
            positions: self.positions,
        };
        Ok(network.with_annotations(annotations))
    }

    fn name(&self, node: NodeId) -> String {
        self.names[node.index()].clone().into_owned()
    }

    fn error(&self, node: NodeId, problem: Problem) -> FileError {
        self.source
            .error(self.offsets[node.index()] as usize, problem)
    }

    fn refuse_repetitions(
        &self,
        network: &Graph,
        channels_in: Source<'_>,
        parallel: Option<&[u32]>,
        offset_of: impl Fn(u32) -> u32,
    ) -> Result<(), FileError> {
        let mut out = Vec::new();
        for node in (0..network.nodes()).map(NodeId) {
            out.clear();
            out.extend(network.outgoing(node).map(|id| {
                let number = parallel.map_or(0, |numbers| numbers[id as usize]);
                (network.target(ChannelId(id)), number, offset_of(id))
            }));
            out.sort_unstable();
            for pair in out.windows(2) {
                let ((to, number, first), (next_to, next_number, again)) = (pair[0], pair[1]);
                if (to, number) == (next_to, next_number) {
                    let problem = Problem::RepeatedChannel {
                        from: self.name(node),
                        to: self.name(to),
                        first_line: channels_in.place(first as usize).line,
                    };
                    return Err(channels_in.error(again as usize, problem));
                }
            }
        }
        Ok(())
    }

    fn refuse_lone_terminals(&self, network: &Graph) -> Result<(), FileError> {
        for node in (0..network.terminals()).map(NodeId) {
            let name = self.name(node);
            if network.outgoing(node).is_empty() {
                return Err(self.error(node, Problem::NoChannelOut { name }));
            }
            if network.incoming(node).is_empty() {
                return Err(self.error(node, Problem::NoChannelIn { name }));
            }
        }
        Ok(())
    }

    /// Every node reaches every other if all reach node 0, and node 0 reaches all.
    fn refuse_parts(&self, network: &Graph) -> Result<(), FileError> {
        let first = NodeId(0);
        let cut_off = |distances: Vec<u32>| {
            let node = distances.iter().position(|&d| d == UNREACHABLE)?;
            Some(NodeId(node as u32))
        };
        let (from, to) = if let Some(node) = cut_off(distances_from(network, first)) {
            (first, node)
        } else if let Some(node) = cut_off(distances_to(network, first)) {
            (node, first)
        } else {
            return Ok(());
        };
        let problem = Problem::NoPath {
            from: self.name(from),
            to: self.name(to),
        };
        Err(self.error(from.max(to), problem))
    }
}
