//! The groups of automorphisms that a [`Symmetry`] names on a network.
//!
//! Families whose channels out of a node have places that every translation keeps: grids of rings and
//! binary dimensions, and star graphs; and [butterfly fat-trees](super::tree), whose children change
//! places. A translation is named by the image of node 0. Star graphs have automorphisms that move the
//! places as well ([`orbits`](super::orbits)); the group with them is tried first.

use super::orbits::Orbits;
use super::tree::Tree;
use crate::verify::proof::Coverage;
use flitsim_engine::routing::Symmetry;
use flitsim_topology::{ChannelId, Ends, Grid, MinimalPaths, Network, NodeId, Shape, Star};

#[derive(Clone, Copy)]
enum Family<'n> {
    Grid(&'n Grid),
    Star(&'n Star),
    Tree(Tree<'n>),
}

/// A group of automorphisms.
#[derive(Clone, Copy)]
pub(crate) struct Group<'n> {
    network: &'n Network,
    family: Family<'n>,
    /// Whether colours are kept, so that nodes of one colour only are images of node 0.
    keeps_colour: bool,
    /// Whether there are automorphisms that move the places of channels: then all that do.
    moves_places: bool,
}

/// An element of a group: the translation that takes node 0 to a node, after places are moved.
pub(crate) struct Automorphism {
    pub by: NodeId,
    /// Where each position of a star graph goes, from 1 on; empty where they stay.
    pub order: Vec<u32>,
}

impl From<NodeId> for Automorphism {
    fn from(by: NodeId) -> Self {
        let order = Vec::new();
        Self { by, order }
    }
}

impl<'n> Group<'n> {
    /// The groups that `symmetry` names on `network`, the largest first, and none that has no other
    /// element than the identity.
    pub fn all_of(network: &'n Network, symmetry: Symmetry) -> impl Iterator<Item = Self> {
        let translations = Self::of(network, symmetry);
        let moves_places = true;
        let is_larger = |group: &Self| symmetry.has_all() && group.star().is_some();
        let whole = translations.filter(is_larger);
        let whole = whole.map(|group| Self {
            moves_places,
            ..group
        });
        whole.into_iter().chain(translations)
    }

    /// The translations that `symmetry` names on `network`, where they keep the places of channels.
    pub fn of_places(network: &'n Network, symmetry: Symmetry) -> Option<Self> {
        Self::of(network, symmetry).filter(|group| group.tree().is_none())
    }

    /// The translations.
    fn of(network: &'n Network, symmetry: Symmetry) -> Option<Self> {
        let family = match network.shape() {
            Shape::Grid(grid) => Family::Grid(grid),
            Shape::Star(star) => Family::Star(star),
            Shape::FatTree(tree) => Family::Tree(Tree::of(network, tree)?),
            _ => return None,
        };
        let group = Self {
            network,
            family,
            // Translations of trees keep every level.
            keeps_colour: symmetry.keeps_colour() && !matches!(family, Family::Tree(_)),
            moves_places: false,
        };
        let is_cyclic = match family {
            Family::Grid(grid) => {
                grid.ends() != Ends::Open || grid.radices().iter().all(|&k| k == 2)
            }
            Family::Star(_) | Family::Tree(_) => true,
        };
        let has_colours = match family {
            Family::Grid(grid) => grid.is_bipartite(),
            Family::Star(star) => star.is_bipartite(),
            Family::Tree(_) => true,
        };
        let is_named = symmetry != Symmetry::None && (has_colours || !symmetry.keeps_colour());
        (is_cyclic && is_named && group.is_regular()).then_some(group)
    }

    /// Whether all nodes are terminals with as many channels out, but for trees.
    fn is_regular(&self) -> bool {
        let network = self.network;
        if self.tree().is_some() {
            return true;
        }
        let degree = network.outgoing(NodeId(0)).len();
        network.terminals() == network.nodes()
            && (0..network.nodes()).all(|n| network.outgoing(NodeId(n)).len() == degree)
    }

    pub fn network(&self) -> &'n Network {
        self.network
    }

    pub fn star(&self) -> Option<&'n Star> {
        match self.family {
            Family::Star(star) => Some(star),
            _ => None,
        }
    }

    pub fn tree(&self) -> Option<Tree<'n>> {
        match self.family {
            Family::Tree(tree) => Some(tree),
            _ => None,
        }
    }

    /// What the automorphisms that keep a destination take to each other; `None` in a group of
    /// translations, of which only the identity does.
    pub fn orbits(&self) -> Option<Orbits<'n>> {
        let star = self.star().filter(|_| self.moves_places)?;
        Some(Orbits::new(star))
    }

    /// The class of a terminal: those of one class are images of each other.
    #[inline]
    pub fn class(&self, node: NodeId) -> u32 {
        if !self.keeps_colour {
            return 0;
        }
        let colour = match self.family {
            Family::Grid(grid) => grid.colour(node),
            Family::Star(star) => star.colour(node),
            Family::Tree(_) => return 0,
        };
        u32::from(colour != self.colour_of_origin())
    }

    fn colour_of_origin(&self) -> bool {
        match self.family {
            Family::Grid(grid) => grid.colour(NodeId(0)),
            Family::Star(star) => star.colour(NodeId(0)),
            Family::Tree(_) => false,
        }
    }

    pub fn classes(&self) -> u32 {
        1 + u32::from(self.keeps_colour)
    }

    /// How many terminals each class has.
    pub fn nodes_of_class(&self) -> u64 {
        u64::from(self.network.terminals() / self.classes())
    }

    fn automorphisms(&self) -> u64 {
        self.nodes_of_class() * self.orbits().map_or(1, Orbits::automorphisms)
    }

    /// The place of `channel` among those out of its source.
    #[inline]
    pub fn place(&self, channel: ChannelId) -> u32 {
        channel.0 - self.network.outgoing(self.network.source(channel)).start
    }

    /// The first terminal of each class.
    pub fn representatives(&self) -> Vec<NodeId> {
        let mut nodes = (0..self.network.terminals()).map(NodeId);
        let first = |class| nodes.find(|&node| self.class(node) == class);
        (0..self.classes()).filter_map(first).collect()
    }

    pub fn coverage(&self) -> Coverage {
        Coverage::BySymmetry {
            destinations: self.classes(),
            automorphisms: self.automorphisms(),
        }
    }

    /// Whether there are automorphisms that move the places of channels.
    pub fn moves_places(&self) -> bool {
        self.moves_places
    }

    /// The image of `node` under the automorphism that takes node 0 to `by`.
    pub fn image(&self, by: NodeId, node: NodeId) -> NodeId {
        let grid = match self.family {
            Family::Star(star) => return star.translate(by, node),
            Family::Tree(tree) => return tree.image(by, node),
            Family::Grid(grid) => grid,
        };
        let ends = grid.coordinates(by).iter().zip(grid.coordinates(node));
        let sums = ends
            .zip(grid.radices())
            .map(|((&a, &b), &k)| (u32::from(a) + u32::from(b)) % k);
        grid.node_at(&sums.collect::<Vec<_>>())
    }

    /// The automorphism that takes `from` to `to`, two channels of one class, by its image of node 0.
    pub fn element(&self, from: ChannelId, to: ChannelId) -> NodeId {
        let [from, to] = [from, to].map(|channel| self.network.source(channel));
        self.translation(from, to)
    }

    /// The translation that takes `from` to `to`, two nodes of one class, by its image of node 0.
    pub fn translation(&self, from: NodeId, to: NodeId) -> NodeId {
        let mut elements = (0..self.network.nodes()).map(NodeId);
        elements
            .find(|&by| self.class(by) == 0 && self.image(by, from) == to)
            .expect("nodes of one class are images of each other")
    }

    /// The image of `channel` under the automorphism that takes node 0 to `by`.
    pub fn image_of_channel(&self, by: NodeId, channel: ChannelId) -> ChannelId {
        self.channel_under(&by.into(), channel)
    }

    pub fn node_under(&self, element: &Automorphism, node: NodeId) -> NodeId {
        match self.family {
            Family::Star(star) if !element.order.is_empty() => {
                star.translate(element.by, star.move_positions(&element.order, node))
            }
            _ => self.image(element.by, node),
        }
    }

    pub fn channel_under(&self, element: &Automorphism, channel: ChannelId) -> ChannelId {
        let place = self.place(channel);
        // The channel in place 0 swaps the symbols in positions 1 and 2.
        let moved = element.order.get(place as usize + 1);
        let place = moved.map_or(place, |position| position - 2);
        let source = self.network.source(channel);
        let place = match self.family {
            Family::Tree(tree) => tree.image_of_place(element.by, source, place),
            _ => place,
        };
        let source = self.node_under(element, source);
        ChannelId(self.network.outgoing(source).start + place)
    }
}
