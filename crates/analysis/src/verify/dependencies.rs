//! The channel dependency graph in bit rows: for each virtual channel that a packet may hold, one
//! bit for each virtual channel out of the router that it leads to.
//!
//! A packet that holds a channel asks for channels out of its target, so a row has as many bits as
//! that router has virtual channels out, and no edge is ever looked up or stored twice.
//!
//! Invariant: bits are only ever set, so the graph does not depend on the order in which threads
//! find its edges.

use super::cycle::Graph;
use super::symmetry::{Group, Tree};
use flitsim_engine::VcMask;
use flitsim_topology::properties::Automorphisms;
use flitsim_topology::{ChannelId, Network, NodeId};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The most memory that a graph and the search for a cycle of it may take, in bytes.
const BYTES_MOST: u64 = 4 << 30;

/// What the search takes for each vertex, in bytes: its stacks, and what it notes of components.
const BYTES_PER_VERTEX: u64 = 64;

/// Which channels count as one: those that an automorphism of a group takes to each other.
///
/// Translations keep the place of a channel among those out of its node, and only the identity keeps
/// a node. So a class of channels is a class of nodes and such a place, channels out of one node are
/// in different classes, and the classes with the dependencies between them are a network's in small.
///
/// Where places move as well, in star graphs, all channels out of nodes of one class are a class. A
/// packet that holds a channel in place i and asks for one in place j is then one of two kinds, i = j
/// or not: a row has two columns, which lead to the same class.
///
/// In [trees](super::symmetry::Tree) only the children of a switch change places, and classes differ in
/// how many channels they have.
pub(super) struct Frame<'n> {
    pub virtual_channels: u32,
    /// Whether every virtual channel of a packet counts as the first.
    is_of_channels: bool,
    classes: Classes<'n>,
    /// By class: the first of the classes that leave the target.
    first: Vec<u32>,
    /// By class: how many columns its rows have, each as wide as there are virtual channels: the
    /// channels that leave the target, or one for each kind of them.
    columns: Vec<u32>,
    /// How many channels each class has, but in trees.
    copies: u64,
}

/// The class of each channel.
enum Classes<'n> {
    /// Every channel its own.
    Own,
    /// By channel.
    Table(Vec<u32>),
    /// That of its source.
    OfSource {
        group: Group<'n>,
        /// Channels out of each node.
        degree: u32,
    },
    OfTree(Tree<'n>),
    /// By channel, of any network: a row has a column for every class.
    Alike {
        network: &'n Network,
        automorphisms: &'n Automorphisms,
    },
}

impl<'n> Frame<'n> {
    /// Every channel its own class.
    pub fn full(network: &Network, virtual_channels: u32) -> Self {
        let targets = (0..network.channels()).map(|c| network.target(ChannelId(c)));
        let ranges = || targets.clone().map(|node| network.outgoing(node));
        Self {
            virtual_channels,
            is_of_channels: false,
            classes: Classes::Own,
            first: ranges().map(|range| range.start).collect(),
            columns: ranges().map(|range| range.len() as u32).collect(),
            copies: 1,
        }
    }

    /// The same, where `is_of_channels` with the virtual channels of a channel as one vertex.
    pub fn of_channels(self, is_of_channels: bool) -> Self {
        Self {
            is_of_channels,
            ..self
        }
    }

    /// `vcs` as the rows have them.
    #[inline]
    fn seen(&self, vcs: VcMask) -> VcMask {
        match self.is_of_channels {
            true => u64::from(vcs != 0),
            false => vcs,
        }
    }

    /// The classes of channels, given the class of each node, 0 to `classes` − 1; every node has
    /// `degree` channels out.
    fn quotient(
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
            is_of_channels: false,
            classes: Classes::Table(class_of),
            columns: vec![degree; first.len()],
            first,
            copies: u64::from(network.nodes() / classes),
        }
    }

    /// What the automorphisms of `group` take to each other is one.
    pub fn of(group: Group<'n>, virtual_channels: u32) -> Self {
        if group.moves_places() {
            return Self::places_alike(group, virtual_channels);
        }
        if let Some(tree) = group.tree() {
            return Self::of_tree(tree, virtual_channels);
        }
        let network = group.network();
        let degree = network.outgoing(NodeId(0)).len() as u32;
        let class = |node| group.class(node);
        Self::quotient(network, virtual_channels, group.classes(), degree, class)
    }

    /// All channels out of nodes of one class together: the classes of `group`, whose automorphisms
    /// take every place to every other, and two places to any two.
    fn places_alike(group: Group<'n>, virtual_channels: u32) -> Self {
        let network = group.network();
        let degree = network.outgoing(NodeId(0)).len() as u32;
        let target = |node: NodeId| network.target(ChannelId(network.outgoing(node).start));
        let ends = group.representatives().into_iter().map(target);
        let first: Vec<u32> = ends.map(|end| group.class(end)).collect();
        Self {
            virtual_channels,
            is_of_channels: false,
            columns: vec![2; first.len()],
            copies: u64::from(network.channels()) / first.len() as u64,
            first,
            classes: Classes::OfSource { group, degree },
        }
    }

    fn of_tree(tree: Tree<'n>, virtual_channels: u32) -> Self {
        let classes = tree.classes();
        Self {
            virtual_channels,
            is_of_channels: false,
            columns: vec![tree.columns(); classes as usize],
            copies: 1,
            first: (0..classes).map(|class| tree.first(class)).collect(),
            classes: Classes::OfTree(tree),
        }
    }

    /// What `automorphisms` take to each other is one.
    pub fn alike(
        network: &'n Network,
        automorphisms: &'n Automorphisms,
        virtual_channels: u32,
    ) -> Self {
        let classes = automorphisms.sizes().len();
        Self {
            virtual_channels,
            is_of_channels: false,
            classes: Classes::Alike {
                network,
                automorphisms,
            },
            first: vec![0; classes],
            columns: vec![classes as u32; classes],
            copies: 1,
        }
    }

    #[inline]
    fn class(&self, channel: ChannelId) -> u32 {
        match &self.classes {
            Classes::Own => channel.0,
            Classes::Table(class_of) => class_of[channel.index()],
            Classes::OfSource { group, .. } => group.class(group.network().source(channel)),
            Classes::OfTree(tree) => tree.class(channel),
            Classes::Alike { automorphisms, .. } => automorphisms.class_of()[channel.index()],
        }
    }

    /// The column of the channel in `place` out of the target of `held`.
    #[inline]
    fn column(&self, held: ChannelId, place: u32) -> u32 {
        match &self.classes {
            Classes::OfSource { group, .. } => u32::from(group.place(held) != place),
            Classes::OfTree(tree) => tree.column(held, place),
            Classes::Alike {
                network,
                automorphisms,
            } => {
                let first = network.outgoing(network.target(held)).start;
                automorphisms.class_of()[(first + place) as usize]
            }
            _ => place,
        }
    }

    /// How many channels a column of a row of `class` stands for.
    fn channels_of(&self, class: u32, column: u32) -> u64 {
        match &self.classes {
            Classes::OfSource { degree, .. } if column == 1 => u64::from(degree - 1),
            Classes::OfTree(tree) => tree.channels_of(class, column),
            _ => 1,
        }
    }

    /// How many channels are in `class`.
    fn copies(&self, class: u32) -> u64 {
        match &self.classes {
            Classes::OfTree(tree) => tree.copies(class),
            Classes::Alike { automorphisms, .. } => automorphisms.sizes()[class as usize].into(),
            _ => self.copies,
        }
    }

    /// The vertex at bit `bit` of the rows of `class`.
    #[inline]
    fn vertex_at(&self, class: u32, bit: u32) -> u32 {
        let vcs = self.virtual_channels;
        let bit = match &self.classes {
            Classes::OfSource { .. } => bit % vcs,
            Classes::OfTree(tree) => tree.kind(bit / vcs) * vcs + bit % vcs,
            _ => bit,
        };
        self.first[class as usize] * vcs + bit
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
    pub frame: &'f Frame<'f>,
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
    pub fn new(frame: &'f Frame<'f>) -> Result<Self, u64> {
        let vcs = u64::from(frame.virtual_channels);
        let mut start = Vec::with_capacity(frame.first.len() + 1);
        let mut words = 0;
        for &columns in &frame.columns {
            start.push(words);
            words += vcs * (u64::from(columns) * vcs).div_ceil(64);
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
        set(&self.taken[class], self.frame.seen(vcs));
        set(&self.escapes[class], self.frame.seen(escapes));
    }

    /// A packet that holds virtual channel `vc` of `channel` may ask for `vcs` of the channel in
    /// place `place` out of its target.
    #[inline]
    pub fn add(&self, (channel, vc): (ChannelId, u32), place: u32, vcs: VcMask) {
        let class = self.frame.class(channel);
        let vcs = self.frame.seen(vcs);
        let vc = if self.frame.is_of_channels { 0 } else { vc };
        let bit = self.frame.column(channel, place) * self.frame.virtual_channels;
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

    #[inline]
    fn words_per_row(&self, class: u32) -> usize {
        let columns = u64::from(self.frame.columns[class as usize]);
        (columns * u64::from(self.frame.virtual_channels)).div_ceil(64) as usize
    }

    #[inline]
    fn row(&self, class: u32, vc: u32) -> usize {
        self.start[class as usize] as usize + vc as usize * self.words_per_row(class)
    }

    /// How many virtual channels of the network are set in `words`, one for each class.
    fn count(&self, words: &[AtomicU64]) -> u64 {
        let ones = (0..).zip(words).map(|(class, word)| {
            u64::from(word.load(Relaxed).count_ones()) * self.frame.copies(class)
        });
        ones.sum()
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
        let classes = 0..self.frame.first.len() as u32;
        classes.map(|class| self.edges_of(class)).sum()
    }

    fn edges_of(&self, class: u32) -> u64 {
        let rows = self.start[class as usize] as usize..self.start[class as usize + 1] as usize;
        let rows = &self.rows[rows];
        let edges: u64 = match &self.frame.classes {
            Classes::Own | Classes::Table(_) | Classes::Alike { .. } => {
                let ones = rows.iter().map(|word| word.load(Relaxed).count_ones());
                ones.map(u64::from).sum()
            }
            Classes::OfSource { .. } | Classes::OfTree(_) => {
                let vcs = self.frame.virtual_channels;
                let rows = rows.chunks(self.words_per_row(class).max(1));
                let bits = rows.flat_map(|row| {
                    let mut cursor = 0;
                    std::iter::from_fn(move || next_bit(row, &mut cursor))
                });
                bits.map(|bit| self.frame.channels_of(class, bit / vcs))
                    .sum()
            }
        };
        match &self.frame.classes {
            // How many there are of each is not known.
            Classes::Alike { .. } => edges,
            _ => edges * self.frame.copies(class),
        }
    }

    /// The same graph with every channel its own class, as it is in `full`.
    ///
    /// # Errors
    /// As [`Dependencies::new`].
    pub fn unfold<'g>(&self, full: &'g Frame<'g>) -> Result<Dependencies<'g>, u64> {
        debug_assert!(matches!(
            self.frame.classes,
            Classes::Own | Classes::Table(_)
        ));
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
        Some(self.frame.vertex_at(class, bit))
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
