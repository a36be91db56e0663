//! Fewest descents on tori with missing channels: shortest paths, on a virtual channel of the class
//! that is the number of steps down so far in a fixed order of the channels; as many classes as the
//! shortest paths need that step down least often (virtual channels in a fixed order: Dally & Seitz
//! 1987; the networks: Parhami & Kwai, section 2).
//!
//! The order: give every node a height, the sum of its coordinates; in two dimensions with the first
//! of them counted backward. Channels up the height, wrap channels taken as their neighbours in the
//! ring, are ordered by the height that they leave, channels down it by how far they leave below the
//! top. A packet that goes only up, or only down, ascends in this order; it descends where it wraps,
//! and at some changes between up and down. By count, two descents are enough in Manhattan tori of two
//! dimensions up to radix 32 at least; in three dimensions up to radix 16, two to four are, or three
//! to five where they are pruned.
//!
//! Why no cycle of dependencies can close: order virtual channels by class, then by the channel
//! order. A packet that asks for a channel not further up in the channel order asks for the next
//! class.
//!
//! A packet that need not descend as often as others starts in any class from which the rest
//! suffices, drawn for each packet, or else the low classes would carry nearly everything; and it
//! may take every shortest path that does not descend beyond the last class, or else few channels
//! would.
//!
//! The order is not the same seen from every node, so that there is a table of the descents that
//! are left, a byte for each destination and channel; networks beyond
//! [`FewestDescents::TABLE_LIMIT`] are refused.

use super::classes::Classes;
use super::description::{Description, Fit, Needs, Site, Spread, of_family};
use super::options::OptionKey;
use super::relation::{Candidates, Head, Routing, all_virtual_channels};
use super::tables::Table;
use crate::ConfigError;
use flitsim_topology::memory::bytes_of;
use flitsim_topology::{ChannelId, Direction, Network, NodeId, SparseTorus, Step, Thinning};
use std::sync::Arc;

/// What the registry knows of it.
pub(super) const ROUTING: Description = Description {
    name: "fewest-descents",
    keys: &[OptionKey::Escape],
    fits: |network| match network.sparse_torus() {
        Some(torus) if torus.thinning().is_one_way() && FewestDescents::fits_torus(torus) => {
            Fit::Default
        }
        // Beyond the limit of its table it is refused with the reason.
        Some(_) => Fit::Last,
        None => Fit::No,
    },
    needs: Needs::Whole,
    virtual_channels_min: |site| build_with(site, 64).map_or(1, |routing| routing.descents.count),
    is_minimal: true,
    spread: Spread::Even,
    escape_vcs: None,
};

/// The relation that `site` asks for.
pub(super) fn build(site: &Site<'_, '_>) -> Result<FewestDescents, ConfigError> {
    build_with(site, site.virtual_channels)
}

fn build_with(site: &Site<'_, '_>, virtual_channels: u32) -> Result<FewestDescents, ConfigError> {
    all_virtual_channels(virtual_channels)?;
    let descents = site.tables.get(0, || Descents::of(site.network))?;
    FewestDescents::with(descents, virtual_channels)
}

/// No shortest path begins with this channel.
const NOT_MINIMAL: u8 = u8::MAX;

/// Minimal adaptive routing with one class of virtual channels for each descent in a channel order.
#[derive(Clone, Debug)]
pub struct FewestDescents {
    descents: Arc<Descents>,
    classes: Classes,
}

/// The descents of a network's shortest paths.
#[derive(Debug)]
struct Descents {
    degree: u32,
    channels: u32,
    /// The channel order.
    ranks: Vec<u32>,
    /// `left[destination * channels + channel]`: descents after `channel`, at the least, on
    /// shortest paths that begin with it; [`NOT_MINIMAL`] where none does.
    left: Vec<u8>,
    /// Classes that suffice: the most descents of any pair, and one.
    count: u32,
}

impl Table for Descents {
    fn bytes(&self) -> u64 {
        bytes_of(&self.ranks) + bytes_of(&self.left)
    }
}

impl Descents {
    fn of(network: &Network) -> Result<Self, ConfigError> {
        let family = "a Manhattan, pruned or pruned Manhattan torus";
        let torus = of_family(network.sparse_torus(), ROUTING.name, family)?;
        if !FewestDescents::fits_torus(torus) {
            return Err(ConfigError::routing(format!(
                "fewest-descents keeps a byte for each node and channel, and {} nodes times {} \
                     channels are more than {}: nhop does without a table",
                network.nodes(),
                network.channels(),
                FewestDescents::TABLE_LIMIT
            )));
        }
        let ranks = ranks(torus);
        let left = Count::all(network, &ranks);
        let fewest = left.chunks(torus.degree() as usize);
        let most = fewest.filter_map(|of_node| of_node.iter().filter(|&&d| d != NOT_MINIMAL).min());
        Ok(Self {
            degree: torus.degree(),
            channels: network.channels(),
            count: 1 + most.max().map_or(0, |&most| u32::from(most)),
            ranks,
            left,
        })
    }

    /// The descents that are left after each channel out of `node`, in the order of the channels.
    #[inline]
    fn left(&self, node: NodeId, destination: NodeId) -> &[u8] {
        let first = destination.index() * self.channels as usize;
        let first = first + (node.0 * self.degree) as usize;
        &self.left[first..first + self.degree as usize]
    }

    /// Whether a packet that came over `arrived` descends when it goes on over `channel`.
    #[inline]
    fn descends(&self, arrived: Option<(ChannelId, u32)>, channel: ChannelId) -> bool {
        arrived.is_some_and(|(before, _)| self.ranks[channel.index()] <= self.ranks[before.index()])
    }
}

impl FewestDescents {
    /// The most entries of the table, nodes times channels: 64 MiB.
    pub const TABLE_LIMIT: u64 = 1 << 26;

    /// The algorithm on `network`, a torus without some of its channels, with `virtual_channels`
    /// virtual channels a channel, spread evenly over the classes.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels, and
    /// [`ConfigError::Routing`] on another network, on one whose table would be beyond
    /// [`FewestDescents::TABLE_LIMIT`], or with fewer virtual channels than
    /// [`FewestDescents::virtual_channels_min`].
    pub fn new(network: &Network, virtual_channels: u32) -> Result<Self, ConfigError> {
        all_virtual_channels(virtual_channels)?;
        Self::with(Arc::new(Descents::of(network)?), virtual_channels)
    }

    fn with(descents: Arc<Descents>, virtual_channels: u32) -> Result<Self, ConfigError> {
        let why = "one class for each descent in the channel order, and one more";
        let classes = Classes::new(virtual_channels, descents.count, ROUTING.name, why)?;
        Ok(Self { descents, classes })
    }

    /// Whether the table for the torus of these radix and dimensions is within
    /// [`FewestDescents::TABLE_LIMIT`].
    pub fn fits(radix: u32, dimensions: u32, thinning: Thinning) -> bool {
        let nodes = u64::from(radix).saturating_pow(dimensions);
        let degree = u64::from(thinning.degree(radix, dimensions));
        nodes.saturating_mul(nodes).saturating_mul(degree) <= Self::TABLE_LIMIT
    }

    fn fits_torus(torus: &SparseTorus) -> bool {
        Self::fits(torus.radix(), torus.dimensions(), torus.thinning())
    }

    /// The virtual channels that it needs on `network`: the most descents of any pair, and one;
    /// `None` where it does not apply.
    pub fn virtual_channels_min(network: &Network) -> Option<u32> {
        Descents::of(network).ok().map(|descents| descents.count)
    }
}

impl Routing for FewestDescents {
    const DETERMINISTIC: bool = false;

    fn choices(&self, source: NodeId, destination: NodeId) -> u32 {
        let descents = self.descents.left(source, destination).iter().min();
        match descents {
            Some(&descents) if descents != NOT_MINIMAL => self.descents.count - u32::from(descents),
            _ => 1,
        }
    }

    /// The class of the next hop, but for its descent.
    fn initial(&self, _: NodeId, _: NodeId, choice: u32) -> u64 {
        u64::from(choice)
    }

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        let first = head.node.0 * self.descents.degree;
        let left = self.descents.left(head.node, head.destination).iter();
        for (&descents, channel) in left.zip((first..).map(ChannelId)) {
            let class =
                head.state as u32 + u32::from(self.descents.descends(head.arrived, channel));
            if descents != NOT_MINIMAL && class + u32::from(descents) < self.descents.count {
                candidates.add(channel, self.classes.vcs(class));
            }
        }
    }

    #[inline]
    fn advance(&self, head: Head, channel: ChannelId, _: u32) -> u64 {
        head.state + u64::from(self.descents.descends(head.arrived, channel))
    }
}

/// The place of every channel in the order.
fn ranks(torus: &SparseTorus) -> Vec<u32> {
    let (k, n) = (torus.radix(), torus.dimensions());
    // Which of the two is better was counted: backward wins in two dimensions from radix 6 on.
    let is_backward = |dimension: u32| dimension == 0 && n == 2 && k > 4;
    let height = |node: NodeId| -> u32 {
        (0..n)
            .map(|dimension| {
                let a = torus.coordinate(node, dimension);
                if is_backward(dimension) { k - 1 - a } else { a }
            })
            .sum()
    };
    let channels = torus.nodes() * torus.degree();
    (0..channels)
        .map(|channel| {
            let height = height(NodeId(channel / torus.degree()));
            let Step {
                dimension,
                direction,
                ..
            } = torus.step(ChannelId(channel));
            let climbs = (direction == Direction::Up) != is_backward(dimension);
            // No two neighbouring channels of different ways are alike.
            if climbs {
                2 * height + 1
            } else {
                2 * (n * k - height)
            }
        })
        .collect()
}

/// The count of descents on shortest paths, one destination after the other.
struct Count<'n> {
    network: &'n Network,
    ranks: &'n [u32],
    distances: Vec<u32>,
    /// Nodes by distance from the destination.
    queue: Vec<NodeId>,
}

impl Count<'_> {
    /// What is left after each channel: see [`Descents::left`].
    fn all(network: &Network, ranks: &[u32]) -> Vec<u8> {
        let nodes = network.nodes();
        let channels = network.channels() as usize;
        let mut of = Count {
            network,
            ranks,
            distances: vec![u32::MAX; nodes as usize],
            queue: Vec::with_capacity(nodes as usize),
        };
        let mut table = vec![NOT_MINIMAL; nodes as usize * channels];
        for (row, destination) in table.chunks_mut(channels).zip(0..) {
            of.search(NodeId(destination));
            of.fill(row);
        }
        table
    }

    /// Breadth first, against the channels.
    fn search(&mut self, destination: NodeId) {
        self.distances.fill(u32::MAX);
        self.distances[destination.index()] = 0;
        self.queue.clear();
        self.queue.push(destination);
        let mut next = 0;
        while let Some(&node) = self.queue.get(next) {
            next += 1;
            for &channel in self.network.incoming(node).iter() {
                let source = self.network.source(channel);
                if self.distances[source.index()] == u32::MAX {
                    self.distances[source.index()] = self.distances[node.index()] + 1;
                    self.queue.push(source);
                }
            }
        }
    }

    /// From near to far: what is left after a channel follows from the channels at its end.
    fn fill(&self, row: &mut [u8]) {
        for &node in &self.queue[1..] {
            for channel in self.network.outgoing(node) {
                let to = self.network.target(ChannelId(channel));
                let left = self.distances[to.index()];
                if left + 1 != self.distances[node.index()] {
                    continue;
                }
                let rank = self.ranks[channel as usize];
                let onward = self.network.outgoing(to).map(|next| next as usize);
                let fewest = onward
                    .filter(|&next| row[next] != NOT_MINIMAL)
                    .map(|next| row[next] + u8::from(self.ranks[next] <= rank))
                    .min();
                row[channel as usize] = fewest.unwrap_or(0);
            }
        }
    }
}
