//! The check that a permutation is an automorphism, and union-find over what it takes where.

use super::Orbit;
use crate::{ChannelId, Network, NodeId};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Nodes that are looked at together: fewer are not worth a task.
const CHUNK: usize = 4096;

fn chunk(nodes: usize, chunk: usize) -> Range<usize> {
    chunk * CHUNK..nodes.min((chunk + 1) * CHUNK)
}

/// What `of_chunk` makes of each chunk of `nodes` nodes, in their order.
fn in_chunks<T: Send>(nodes: usize, of_chunk: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    crate::parallel::map(nodes.div_ceil(CHUNK), |index| of_chunk(chunk(nodes, index)))
}

/// Whether `holds` says yes to each of `nodes` nodes.
fn all_in_chunks(nodes: usize, holds: &(dyn Fn(usize) -> bool + Sync)) -> bool {
    crate::parallel::all(nodes.div_ceil(CHUNK), |index| {
        chunk(nodes, index).all(holds)
    })
}

/// What a permutation of the nodes does to the channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It is an automorphism, and takes the i-th channel out of a node to the i-th out of its image.
    KeepsOrder,
    /// It is an automorphism.
    Automorphism,
    /// It is not an automorphism.
    Neither,
}

/// The image of every node.
pub(super) fn images(network: &Network, image: &(dyn Fn(NodeId) -> NodeId + Sync)) -> Vec<NodeId> {
    let of_node = |node: usize| image(NodeId(node as u32));
    in_chunks(network.nodes() as usize, |nodes| {
        nodes.map(of_node).collect::<Vec<_>>()
    })
    .concat()
}

/// Checks every node and every channel.
pub(super) fn kind(network: &Network, images: &[NodeId]) -> Kind {
    if !is_permutation(network, images) {
        return Kind::Neither;
    }
    let of_node = |scratch: &mut (Vec<NodeId>, Vec<NodeId>), node: usize| {
        let (here, there) = (NodeId(node as u32), images[node]);
        let (from, to) = (network.targets(here), network.targets(there));
        if from.len() != to.len() {
            return Kind::Neither;
        }
        let mut pairs = from.iter().map(|target| images[target.index()]).zip(to);
        if pairs.all(|(image, &target)| image == target) {
            return Kind::KeepsOrder;
        }
        let (wanted, found) = (&mut scratch.0, &mut scratch.1);
        wanted.clear();
        wanted.extend(from.iter().map(|target| images[target.index()]));
        found.clear();
        found.extend_from_slice(to);
        wanted.sort_unstable();
        found.sort_unstable();
        if wanted == found {
            Kind::Automorphism
        } else {
            Kind::Neither
        }
    };
    let worse = |a, b| match (a, b) {
        (Kind::Neither, _) | (_, Kind::Neither) => Kind::Neither,
        (Kind::Automorphism, _) | (_, Kind::Automorphism) => Kind::Automorphism,
        _ => Kind::KeepsOrder,
    };
    let kinds = in_chunks(images.len(), |nodes| {
        let mut scratch = Default::default();
        let kinds = nodes.map(|node| of_node(&mut scratch, node));
        kinds.fold(Kind::KeepsOrder, worse)
    });
    kinds.into_iter().fold(Kind::KeepsOrder, worse)
}

/// Whether an automorphism takes every channel to one of the same dimension.
pub(super) fn keeps_dimensions(network: &Network, images: &[NodeId]) -> bool {
    let sorted = |node: NodeId, image: &dyn Fn(NodeId) -> NodeId| {
        let out = network.outgoing(node).map(ChannelId);
        let pair = |channel| {
            (
                image(network.target(channel)),
                network.course(channel).dimension,
            )
        };
        let mut pairs: Vec<_> = out.map(pair).collect();
        pairs.sort_unstable();
        pairs
    };
    let is_kept = |node: usize| {
        let node = NodeId(node as u32);
        sorted(node, &|target| images[target.index()])
            == sorted(images[node.index()], &|target| target)
    };
    all_in_chunks(images.len(), &is_kept)
}

/// Whether every node is the image of one, and those with terminals of such.
fn is_permutation(network: &Network, images: &[NodeId]) -> bool {
    let met: Vec<AtomicU64> = (0..images.len().div_ceil(64))
        .map(|_| AtomicU64::new(0))
        .collect();
    let terminals = network.terminals();
    let is_first = |node: usize| {
        let image = images[node];
        image.0 < network.nodes()
            && (image.0 < terminals) == (node < terminals as usize)
            && met[image.index() / 64].fetch_or(1 << (image.0 % 64), Relaxed) >> (image.0 % 64) & 1
                == 0
    };
    all_in_chunks(images.len(), &is_first)
}

/// Classes of the numbers 0..n, joined by and by; each is known by its lowest member.
#[derive(Clone)]
pub(super) struct Classes {
    parents: Vec<u32>,
    count: usize,
}

impl Classes {
    pub(super) fn new(n: usize) -> Self {
        Self {
            parents: (0..n as u32).collect(),
            count: n,
        }
    }

    pub(super) fn of(&mut self, mut member: u32) -> u32 {
        loop {
            let parent = self.parents[member as usize];
            if parent == member {
                return member;
            }
            let next = self.parents[parent as usize];
            self.parents[member as usize] = next;
            member = next;
        }
    }

    pub(super) fn unite(&mut self, a: u32, b: u32) {
        let (a, b) = (self.of(a), self.of(b));
        if a != b {
            self.parents[a.max(b) as usize] = a.min(b);
            self.count -= 1;
        }
    }

    /// Joins every node with its image.
    pub(super) fn join(&mut self, images: &[NodeId]) {
        for (node, image) in (0..).zip(images) {
            if self.count == 1 {
                return;
            }
            self.unite(node, image.0);
        }
    }

    /// By member: the size of its class for the lowest one, 0 for any other.
    pub(super) fn sizes(&mut self) -> Vec<u32> {
        let mut sizes = vec![0; self.parents.len()];
        for member in 0..self.parents.len() as u32 {
            sizes[self.of(member) as usize] += 1;
        }
        sizes
    }
}

/// The orbits of nodes under automorphisms that keep the order of channels.
pub(super) fn orbits_in_order(network: &Network, ordered: &[Vec<NodeId>]) -> Classes {
    let mut classes = Classes::new(network.nodes() as usize);
    for images in ordered {
        classes.join(images);
    }
    classes
}

/// The orbits of the channels, and which one each channel is in.
pub(super) struct ChannelClasses {
    /// By node: the number of the first class of the channels out of it; the others' follow.
    first_class: Vec<u32>,
    classes: Classes,
    /// By class, for the lowest of each orbit: its first channel, and how many channels it has.
    representatives: Vec<u32>,
    sizes: Vec<u32>,
}

impl ChannelClasses {
    /// `alike` are the nodes that automorphisms that keep the order of channels take to each other:
    /// the i-th channels out of those are alike from the start, so that for a symmetric family only
    /// a handful of classes are joined, not every channel.
    pub(super) fn new(network: &Network, mut alike: Classes, others: &[Vec<NodeId>]) -> Self {
        let mut first_class = vec![0u32; network.nodes() as usize];
        let mut representatives = Vec::new();
        for node in 0..network.nodes() {
            let lowest = alike.of(node);
            if lowest == node {
                first_class[node as usize] = representatives.len() as u32;
                representatives.extend(network.outgoing(NodeId(node)));
            } else {
                first_class[node as usize] = first_class[lowest as usize];
            }
        }
        let mut classes = Classes::new(representatives.len());
        for images in others {
            join_channels(network, images, &first_class, &mut classes);
        }
        let mut sizes = vec![0u32; representatives.len()];
        for (node, of_node) in alike.sizes().into_iter().enumerate() {
            if of_node > 0 {
                let degree = network.outgoing(NodeId(node as u32)).len() as u32;
                for slot in 0..degree {
                    sizes[classes.of(first_class[node] + slot) as usize] += of_node;
                }
            }
        }
        Self {
            first_class,
            classes,
            representatives,
            sizes,
        }
    }

    pub(super) fn orbits(&self) -> Vec<Orbit<ChannelId>> {
        let orbits = self.sizes.iter().zip(&self.representatives);
        let orbits = orbits.filter(|&(&size, _)| size > 0);
        orbits
            .map(|(&size, &representative)| Orbit {
                representative: ChannelId(representative),
                size,
            })
            .collect()
    }

    /// By class: how many channels its orbit has for the lowest of each, 0 for any other.
    pub(super) fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// The lowest class of the orbit of the channel in place `slot` out of `node`.
    pub(super) fn of(&mut self, node: NodeId, slot: usize) -> usize {
        self.classes
            .of(self.first_class[node.index()] + slot as u32) as usize
    }
}

/// Joins the class of every channel with that of its image: the image of the j-th channel between
/// two nodes is the j-th between their images.
fn join_channels(network: &Network, images: &[NodeId], first_class: &[u32], classes: &mut Classes) {
    for (node, &image) in (0..).map(NodeId).zip(images) {
        if classes.count == 1 {
            return;
        }
        let (from, to) = (network.targets(node), network.targets(image));
        for (slot, &target) in from.iter().enumerate() {
            let wanted = images[target.index()];
            let before = from[..slot].iter().filter(|&&t| t == target).count();
            let mut there = (0..to.len()).filter(|&there| to[there] == wanted);
            let there = there.nth(before).expect("the automorphism was checked");
            classes.unite(
                first_class[node.index()] + slot as u32,
                first_class[image.index()] + there as u32,
            );
        }
    }
}
