//! What a network keeps of its channels beside where they lead, without keeping what follows from
//! the rest: of the largest networks, lists of their own would be most of it.
//!
//! - Where as many channels leave every node, where they begin and which node one leaves is
//!   arithmetic ([`OutOf`]).
//! - Where every channel has one back, the channels into a node are those back, and large networks
//!   look for them ([`Into`]).
//! - Wires are of few different lengths ([`Lengths`]).

use crate::memory::bytes_of;
use crate::{ChannelId, NodeId};
use std::ops::{Deref, Range};

/// Channels from which on those into a node are looked for and not listed. Below, a list is small
/// and quicker.
const LISTED_MOST: usize = 1 << 20;

/// Channels out of a node up to which it is looked for a channel back.
const BACK_MOST: usize = 24;

/// Which channels leave which node. The channels are sorted by it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum OutOf {
    /// As many out of every node.
    Regular { degree: u32, reciprocal: u64 },
    /// By node, and one more: the first channel. By channel: the node.
    Listed {
        start: Vec<u32>,
        source: Vec<NodeId>,
    },
}

/// A channel over a degree is a product shifted by so much, see [`OutOf::source`].
const SHIFT: u32 = 36;

/// Degrees below this, and networks of up to so many channels, divide so.
const DEGREES: u32 = 1 << 9;
const CHANNELS_MOST: usize = 1 << 27;

// No test builds the largest.
const _: () = assert!(DEGREES as u64 * CHANNELS_MOST as u64 <= 1 << SHIFT);

impl OutOf {
    /// Of `nodes` nodes, from the node that each channel leaves.
    pub(crate) fn new(nodes: u32, source: Vec<NodeId>) -> Self {
        let degree = (source.len() / nodes.max(1) as usize) as u32;
        let in_turn =
            || (0..nodes).flat_map(|node| std::iter::repeat_n(NodeId(node), degree as usize));
        let fits = (1..DEGREES).contains(&degree) && source.len() <= CHANNELS_MOST;
        if fits && in_turn().eq(source.iter().copied()) {
            return Self::regular(degree);
        }
        let mut start = vec![0u32; nodes as usize + 1];
        for from in &source {
            start[from.index() + 1] += 1;
        }
        for n in 0..nodes as usize {
            start[n + 1] += start[n];
        }
        Self::Listed { start, source }
    }

    fn regular(degree: u32) -> Self {
        Self::Regular {
            degree,
            reciprocal: (1u64 << SHIFT).div_ceil(u64::from(degree)),
        }
    }

    #[inline]
    pub(crate) fn range(&self, node: NodeId) -> Range<u32> {
        match self {
            Self::Regular { degree, .. } => node.0 * degree..(node.0 + 1) * degree,
            Self::Listed { start, .. } => start[node.index()]..start[node.index() + 1],
        }
    }

    /// The quotient of a channel c and a degree d is (c · r) >> 36 with r = ⌈2^36 / d⌉: r · d exceeds
    /// 2^36 by less than d < 2^9, and c < 2^27 times that stays below 2^36, so the excess does not
    /// reach the next integer.
    #[inline]
    pub(crate) fn source(&self, channel: ChannelId) -> NodeId {
        match self {
            Self::Regular { reciprocal, .. } => {
                NodeId(((u64::from(channel.0) * reciprocal) >> SHIFT) as u32)
            }
            Self::Listed { source, .. } => source[channel.index()],
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Self::Regular { .. } => 0,
            Self::Listed { start, source } => bytes_of(start) + bytes_of(source),
        }
    }
}

/// Which channels enter which node.
#[derive(Clone, Debug)]
pub(crate) enum Into {
    /// The one back of each channel out.
    Back,
    /// By node, and one more: where its channels begin; then the channels, ascending.
    Listed {
        start: Vec<u32>,
        channels: Vec<ChannelId>,
    },
}

impl Into {
    pub(crate) fn new(nodes: u32, out_of: &OutOf, target: &[NodeId]) -> Self {
        if target.len() > LISTED_MOST && has_one_back_each(nodes, out_of, target) {
            Self::Back
        } else {
            Self::listed(nodes, target)
        }
    }

    fn listed(nodes: u32, target: &[NodeId]) -> Self {
        let mut start = vec![0u32; nodes as usize + 1];
        for to in target {
            start[to.index() + 1] += 1;
        }
        for n in 0..nodes as usize {
            start[n + 1] += start[n];
        }
        let mut fill = start.clone();
        let mut channels = vec![ChannelId(0); target.len()];
        for (id, to) in (0..).map(ChannelId).zip(target) {
            let slot = &mut fill[to.index()];
            channels[*slot as usize] = id;
            *slot += 1;
        }
        Self::Listed { start, channels }
    }

    #[inline]
    pub(crate) fn of(&self, node: NodeId, out_of: &OutOf, target: &[NodeId]) -> Incoming<'_> {
        match self {
            Self::Listed { start, channels } => {
                let range = start[node.index()] as usize..start[node.index() + 1] as usize;
                Incoming(Entering::Listed(&channels[range]))
            }
            Self::Back => Incoming(channels_back(node, out_of, target)),
        }
    }

    #[inline]
    pub(crate) fn count(&self, node: NodeId, out_of: &OutOf) -> usize {
        match self {
            Self::Listed { start, .. } => (start[node.index() + 1] - start[node.index()]) as usize,
            Self::Back => out_of.range(node).len(),
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Self::Back => 0,
            Self::Listed { start, channels } => bytes_of(start) + bytes_of(channels),
        }
    }
}

/// The channels back of those out of `node`: at most [`BACK_MOST`].
#[inline(never)]
fn channels_back<'n>(node: NodeId, out_of: &OutOf, target: &[NodeId]) -> Entering<'n> {
    let out = out_of.range(node);
    let mut found = [ChannelId(0); BACK_MOST];
    let mut count = 0;
    for neighbour in &target[out.start as usize..out.end as usize] {
        let back = out_of.range(*neighbour);
        let there = &target[back.start as usize..back.end as usize];
        if let Some(place) = there.iter().position(|&to| to == node) {
            found[count] = ChannelId(back.start + place as u32);
            count += 1;
        }
    }
    found[..count].sort_unstable();
    Entering::Found {
        channels: found,
        count,
    }
}

/// Whether every channel has exactly one back, and is the only one between its ends.
fn has_one_back_each(nodes: u32, out_of: &OutOf, target: &[NodeId]) -> bool {
    let targets = |node: NodeId| {
        let range = out_of.range(node);
        &target[range.start as usize..range.end as usize]
    };
    let count = |from: NodeId, to: NodeId| targets(from).iter().filter(|&&t| t == to).count();
    crate::parallel::all(nodes as usize, |node| {
        let node = NodeId(node as u32);
        let out = targets(node);
        out.len() <= BACK_MOST
            && out
                .iter()
                .all(|&to| to != node && count(node, to) == 1 && count(to, node) == 1)
    })
}

/// The channels into a node, in ascending order: a slice, whether it was kept or found.
#[derive(Clone, Copy, Debug)]
pub struct Incoming<'n>(Entering<'n>);

#[derive(Clone, Copy, Debug)]
enum Entering<'n> {
    Listed(&'n [ChannelId]),
    Found {
        channels: [ChannelId; BACK_MOST],
        count: usize,
    },
}

impl Deref for Incoming<'_> {
    type Target = [ChannelId];

    #[inline]
    fn deref(&self) -> &[ChannelId] {
        match &self.0 {
            Entering::Listed(channels) => channels,
            Entering::Found { channels, count } => &channels[..*count],
        }
    }
}

/// The wire length of every channel, in node pitches.
#[derive(Clone, Debug)]
pub(crate) enum Lengths {
    /// Up to 256 different ones: what they are, and by channel which; the latter empty where there
    /// is one only.
    Few { lengths: Vec<f32>, which: Vec<u8> },
    /// By channel.
    Each(Vec<f32>),
}

impl Lengths {
    pub(crate) fn new(each: Vec<f32>) -> Self {
        let mut lengths: Vec<f32> = Vec::new();
        let mut which = Vec::with_capacity(each.len());
        let mut last = 0;
        for length in &each {
            // The same bits: -0 stays -0.
            let is_same = |other: &f32| other.to_bits() == length.to_bits();
            if !lengths.get(last).is_some_and(is_same) {
                last = match lengths.iter().position(is_same) {
                    Some(place) => place,
                    None if lengths.len() < 256 => {
                        lengths.push(*length);
                        lengths.len() - 1
                    }
                    None => return Self::Each(each),
                };
            }
            which.push(last as u8);
        }
        if lengths.len() <= 1 {
            which = Vec::new();
        }
        Self::Few { lengths, which }
    }

    #[inline]
    pub(crate) fn of(&self, channel: ChannelId) -> f32 {
        match self {
            Self::Few { lengths, which } => {
                lengths[which.get(channel.index()).map_or(0, |&w| usize::from(w))]
            }
            Self::Each(each) => each[channel.index()],
        }
    }

    fn len_at_least(&self) -> usize {
        match self {
            Self::Few { which, .. } => which.len(),
            Self::Each(each) => each.len(),
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Self::Few { lengths, which } => bytes_of(lengths) + bytes_of(which),
            Self::Each(each) => bytes_of(each),
        }
    }
}

/// Channel by channel; of as many channels.
impl PartialEq for Lengths {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Few { lengths: a, .. }, Self::Few { lengths: b, .. })
                if a.len() <= 1 && b.len() <= 1 =>
            {
                a == b
            }
            _ => {
                let channels = self.len_at_least().max(other.len_at_least()) as u32;
                (0..channels)
                    .map(ChannelId)
                    .all(|channel| self.of(channel) == other.of(channel))
            }
        }
    }
}
