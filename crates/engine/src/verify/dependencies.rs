//! The channel dependency graph in bit rows: for each virtual channel that a packet may hold, one
//! bit for each virtual channel out of the router that it leads to.
//!
//! A packet that holds a channel asks for channels out of its target, so a row has as many bits as
//! that router has virtual channels out, and no edge is ever looked up or stored twice.
//!
//! Invariant: bits are only ever set, so the graph does not depend on the order in which threads
//! find its edges.

use super::cycle::Graph;
use crate::VcMask;
use flitsim_topology::{ChannelId, Network, NodeId};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The most memory that a graph and the search for a cycle of it may take, in bytes.
const BYTES_MOST: u64 = 4 << 30;

/// What the search takes for each vertex, in bytes: its stacks, and what it notes of components.
const BYTES_PER_VERTEX: u64 = 64;

/// Which channels count as one: those that an automorphism of a group takes to each other.
///
/// Every automorphism of these groups keeps the place of a channel among those out of its node, and
/// only the identity keeps a node. So a class of channels is a class of nodes and such a place,
/// channels out of one node are in different classes, and the classes with the dependencies between
/// them are a network's in small.
#[derive(Debug)]
pub(super) struct Frame {
    pub virtual_channels: u32,
    /// The class of a channel; empty where every channel is its own.
    class_of: Vec<u32>,
    /// By class: the first of the classes that leave the target.
    first: Vec<u32>,
    /// By class: how many leave the target.
    degree: Vec<u32>,
    /// How many channels each class has.
    pub copies: u64,
}

impl Frame {
    /// Every channel its own class.
    pub fn full(network: &Network, virtual_channels: u32) -> Self {
        let targets = (0..network.channels()).map(|c| network.target(ChannelId(c)));
        let ranges = || targets.clone().map(|node| network.outgoing(node));
        Self {
            virtual_channels,
            class_of: Vec::new(),
            first: ranges().map(|range| range.start).collect(),
            degree: ranges().map(|range| range.len() as u32).collect(),
            copies: 1,
        }
    }

    /// The classes of channels, given the class of each node, 0 to `classes` − 1; every node has
    /// `degree` channels out.
    pub fn quotient(
        network: &Network,
        virtual_channels: u32,
        classes: u32,
        degree: u32,
        class: impl Fn(NodeId) -> u32,
    ) -> Self {
        let mut first = vec![0; (classes * degree) as usize];
        let class_of: Vec<u32> = (0..network.channels())
            .map(|channel| {
                let source = network.source(ChannelId(channel));
                let place = channel - network.outgoing(source).start;
                let own = class(source) * degree + place;
                first[own as usize] = class(network.target(ChannelId(channel))) * degree;
                own
            })
            .collect();
        Self {
            virtual_channels,
            class_of,
            degree: vec![degree; first.len()],
            first,
            copies: u64::from(network.nodes() / classes),
        }
    }

    #[inline]
    fn class(&self, channel: ChannelId) -> u32 {
        match self.class_of.get(channel.index()) {
            Some(&class) => class,
            None => channel.0,
        }
    }

    /// Virtual channel `vc` of `channel` as a vertex.
    #[inline]
    pub fn vertex(&self, channel: ChannelId, vc: u32) -> u32 {
        self.class(channel) * self.virtual_channels + vc
    }

    /// How many vertices there are.
    pub fn vertices(&self) -> u32 {
        self.first.len() as u32 * self.virtual_channels
    }

    /// The virtual channel that `vertex` is, where every channel is its own class.
    pub fn virtual_channel(&self, vertex: u32) -> (ChannelId, u32) {
        let vcs = self.virtual_channels;
        (ChannelId(vertex / vcs), vertex % vcs)
    }
}

/// The dependencies found so far.
pub(super) struct Dependencies<'f> {
    pub frame: &'f Frame,
    /// By class: where the rows of its virtual channels begin, and one more.
    start: Vec<u64>,
    rows: Vec<AtomicU64>,
    /// By class: the virtual channels that some packet may take.
    taken: Vec<AtomicU64>,
    /// By class: those that some packet may take as an escape.
    escapes: Vec<AtomicU64>,
}

#[inline]
fn set(word: &AtomicU64, bits: u64) {
    // Most are set already: a load does not take the line from the other threads.
    if word.load(Relaxed) & bits != bits {
        word.fetch_or(bits, Relaxed);
    }
}

fn zeros(count: usize) -> Vec<AtomicU64> {
    (0..count).map(|_| AtomicU64::new(0)).collect()
}

impl<'f> Dependencies<'f> {
    /// No dependencies yet.
    ///
    /// # Errors
    /// The bytes that they would take, where they are too many.
    pub fn new(frame: &'f Frame) -> Result<Self, u64> {
        let vcs = u64::from(frame.virtual_channels);
        let mut start = Vec::with_capacity(frame.first.len() + 1);
        let mut words = 0;
        for &degree in &frame.degree {
            start.push(words);
            words += vcs * (u64::from(degree) * vcs).div_ceil(64);
        }
        start.push(words);
        let bytes = words * 8 + vcs * frame.first.len() as u64 * BYTES_PER_VERTEX;
        if bytes > BYTES_MOST {
            return Err(bytes);
        }
        Ok(Self {
            frame,
            start,
            rows: zeros(words as usize),
            taken: zeros(frame.first.len()),
            escapes: zeros(frame.first.len()),
        })
    }

    /// Some packet may take `vcs` of `channel`, `escapes` of them as escapes.
    #[inline]
    pub fn take(&self, channel: ChannelId, vcs: VcMask, escapes: VcMask) {
        let class = self.frame.class(channel) as usize;
        set(&self.taken[class], vcs);
        set(&self.escapes[class], escapes);
    }

    /// A packet that holds virtual channel `vc` of `channel` may ask for `vcs` of the channel in
    /// place `place` out of its target.
    #[inline]
    pub fn add(&self, (channel, vc): (ChannelId, u32), place: u32, vcs: VcMask) {
        let class = self.frame.class(channel);
        let bit = place * self.frame.virtual_channels;
        let word = self.row(class, vc) + (bit / 64) as usize;
        let shift = bit % 64;
        set(&self.rows[word], vcs << shift);
        let rest = if shift == 0 { 0 } else { vcs >> (64 - shift) };
        if rest != 0 {
            set(&self.rows[word + 1], rest);
        }
    }

    /// The virtual channels of `channel` that some packet may take.
    pub fn taken(&self, channel: ChannelId) -> VcMask {
        self.taken[self.frame.class(channel) as usize].load(Relaxed)
    }

    fn words_per_row(&self, class: u32) -> usize {
        let (from, to) = (self.start[class as usize], self.start[class as usize + 1]);
        (to - from) as usize / self.frame.virtual_channels as usize
    }

    #[inline]
    fn row(&self, class: u32, vc: u32) -> usize {
        self.start[class as usize] as usize + vc as usize * self.words_per_row(class)
    }

    fn count(&self, words: &[AtomicU64]) -> u64 {
        let ones = |word: &AtomicU64| u64::from(word.load(Relaxed).count_ones());
        words.iter().map(ones).sum::<u64>() * self.frame.copies
    }

    /// The virtual channels of the network that some packet may take.
    pub fn vertices(&self) -> u64 {
        self.count(&self.taken)
    }

    /// Those that some packet may take as an escape.
    pub fn escapes(&self) -> u64 {
        self.count(&self.escapes)
    }

    /// The dependencies of the network.
    pub fn edges(&self) -> u64 {
        self.count(&self.rows)
    }

    /// The same graph with every channel its own class, as it is in `full`.
    ///
    /// # Errors
    /// As [`Dependencies::new`].
    pub fn unfold<'g>(&self, full: &'g Frame) -> Result<Dependencies<'g>, u64> {
        let unfolded = Dependencies::new(full)?;
        for channel in 0..full.first.len() {
            let class = self.frame.class(ChannelId(channel as u32)) as usize;
            let from = self.start[class] as usize..self.start[class + 1] as usize;
            let to = unfolded.start[channel] as usize..unfolded.start[channel + 1] as usize;
            for (to, from) in unfolded.rows[to].iter().zip(&self.rows[from]) {
                to.store(from.load(Relaxed), Relaxed);
            }
        }
        Ok(unfolded)
    }
}

impl Graph for Dependencies<'_> {
    fn vertices(&self) -> u32 {
        self.frame.vertices()
    }

    #[inline]
    fn next(&self, vertex: u32, cursor: &mut u64) -> Option<u32> {
        let vcs = self.frame.virtual_channels;
        let (class, vc) = (vertex / vcs, vertex % vcs);
        let words = self.words_per_row(class);
        let row = &self.rows[self.row(class, vc)..][..words];
        let bit = next_bit(row, cursor)?;
        Some(self.frame.first[class as usize] * vcs + bit)
    }
}

/// The first bit of `row` that is set from `cursor` on, which is moved past it.
#[inline]
pub(super) fn next_bit(row: &[AtomicU64], cursor: &mut u64) -> Option<u32> {
    while let Some(word) = row.get((*cursor / 64) as usize) {
        let rest = word.load(Relaxed) >> (*cursor % 64);
        if rest != 0 {
            let bit = *cursor + u64::from(rest.trailing_zeros());
            *cursor = bit + 1;
            return Some(bit as u32);
        }
        *cursor = (*cursor / 64 + 1) * 64;
    }
    None
}
