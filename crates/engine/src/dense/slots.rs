//! Slots: numbers of channels such that no two out of a router, and no two into one, have the same. In a
//! grid one is a dimension and a direction; where a dimension has two nodes and a link, both directions are one.

use super::block::SLOTS_MAX;
use flitsim_topology::{ChannelId, Direction, Ends, Grid, Network, NodeId};

/// The slots of a network's channels.
#[derive(Debug)]
pub(super) struct Slots {
    /// As many as a router has channels out or in, at most.
    pub(super) count: usize,
    /// Of a grid, by dimension, upward and downward.
    pub(super) by_step: [[u8; 2]; SLOTS_MAX + 1],
    by_channel: Vec<u8>,
}

/// How many slots the channels of `network` have.
pub(super) fn slots(network: &Network) -> usize {
    if let Some(grid) = network.grid() {
        let last = slots_of(grid).last();
        return last.map_or(0, |[_, down]| usize::from(down) + 1);
    }
    let degree = |node: NodeId| network.in_degree(node).max(network.outgoing(node).len());
    let degrees = (0..network.nodes()).map(|node| degree(NodeId(node)));
    degrees.max().unwrap_or(0)
}

/// The slots of a grid: by dimension, upward and downward.
fn slots_of(grid: &Grid) -> impl Iterator<Item = [u8; 2]> {
    let mut next = 0;
    (0..grid.dimensions()).map(move |dimension| {
        let up = next;
        let is_pair = grid.ends() != Ends::DirectedRing && grid.radices()[dimension] > 2;
        let down = up + u8::from(is_pair);
        next = down + 1;
        [up, down]
    })
}

impl Slots {
    /// Those of `network`, which has no more than [`SLOTS_MAX`].
    pub(super) fn of(network: &Network) -> Self {
        let mut by_step = [[0; 2]; SLOTS_MAX + 1];
        let count = slots(network);
        let Some(grid) = network.grid() else {
            let by_channel = coloured(network, count);
            return Self {
                count,
                by_step,
                by_channel,
            };
        };
        for (place, slots) in by_step.iter_mut().zip(slots_of(grid)) {
            *place = slots;
        }
        let channels = (0..network.channels()).map(ChannelId);
        let by_channel = channels.map(|channel| {
            let step = grid.step(channel);
            let down = usize::from(step.direction == Direction::Down);
            by_step[step.dimension as usize][down]
        });
        Self {
            count,
            by_channel: by_channel.collect(),
            by_step,
        }
    }

    #[inline(always)]
    pub(super) fn of_channel(&self, channel: ChannelId) -> usize {
        usize::from(self.by_channel[channel.index()])
    }

    /// Bytes of its lists.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.by_channel)
    }
}

/// By channel one of `count` slots. Senders and receivers are the two sides of a bipartite graph, and its edges have as many
/// colours as a vertex has edges at most (König): where no colour is free at both ends of a channel, one that is free at its
/// sender and one that is free at its receiver change places along the path that they make from there. Checkpoints keep state
/// by slot: other colours are another format.
fn coloured(network: &Network, count: usize) -> Vec<u8> {
    let nodes = network.nodes() as usize;
    let mut colours = vec![0; network.channels() as usize];
    // By side, node and colour: the channel.
    let mut taken = [(); 2].map(|()| vec![None; nodes * count]);
    for node in (0..network.nodes()).map(NodeId) {
        for (port, channel) in network.outgoing(node).map(ChannelId).enumerate() {
            let ends = [node, network.target(channel)].map(|end| end.index() * count);
            let is_free = |side: usize, colour: usize, taken: &[Vec<Option<ChannelId>>; 2]| {
                taken[side][ends[side] + colour].is_none()
            };
            // A channel's place among its sender's, first, is that of its generator in a Cayley graph.
            let mut both = std::iter::once(port).chain(0..count);
            let both = both.find(|&colour| (0..2).all(|side| is_free(side, colour, &taken)));
            let colour = both.unwrap_or_else(|| {
                let free = [0, 1].map(|side| {
                    let free = (0..count).find(|&colour| is_free(side, colour, &taken));
                    free.expect("no more channels than slots")
                });
                exchange(network, &mut taken, &mut colours, ends[1], free);
                free[0]
            });
            for side in 0..2 {
                taken[side][ends[side] + colour] = Some(channel);
            }
            colours[channel.index()] = colour as u8;
        }
    }
    colours
}

/// Exchanges two colours along the path that begins with the first one at the receiver whose channels are from `first` on.
fn exchange(
    network: &Network,
    taken: &mut [Vec<Option<ChannelId>>; 2],
    colours: &mut [u8],
    first: usize,
    [mut from, mut to]: [usize; 2],
) {
    let count = taken[0].len() / network.nodes() as usize;
    let (mut side, mut at) = (1, first);
    loop {
        let next = taken[side][at + from];
        taken[side].swap(at + from, at + to);
        let Some(channel) = next else {
            return;
        };
        colours[channel.index()] = to as u8;
        side = 1 - side;
        let end = match side {
            0 => network.source(channel),
            _ => network.target(channel),
        };
        at = end.index() * count;
        std::mem::swap(&mut from, &mut to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitsim_topology::{FatTree, RandomRegular, Star};
    use std::sync::Arc;

    fn check(network: &Network) {
        let slots = Slots::of(network);
        for node in (0..network.nodes()).map(NodeId) {
            let out = network.outgoing(node).map(ChannelId);
            let into = network.incoming(node).to_vec();
            for side in [out.collect(), into] {
                let mut own: Vec<usize> = side.iter().map(|&c| slots.of_channel(c)).collect();
                own.sort_unstable();
                own.dedup();
                assert_eq!(own.len(), side.len(), "{node:?}");
                assert!(own.iter().all(|&slot| slot < slots.count));
            }
        }
    }

    #[test]
    fn no_two_channels_of_a_router_have_a_slot() {
        check(&Star::new(5).expect("a star graph").into_network());
        check(&FatTree::pyramid(64).expect("a tree").into_network());
        for seed in 0..16 {
            let network = RandomRegular::new(60, 5, seed).expect("a graph");
            check(&network.into_network());
        }
        let mesh = Grid::new(&[6, 5], Ends::Open).expect("a mesh");
        let whole = Arc::new(mesh.into_network());
        for channel in (0..whole.channels()).map(ChannelId) {
            check(&Network::without(&whole, &[channel], &[]));
        }
    }
}
