//! The translations of a butterfly fat-tree, and what they take to each other.
//!
//! A translation takes the processor at (X, Y) to that at (X ⊕ a, Y ⊕ b), and the switch (h, c, x, y) to
//! (h, c, x ⊕ ⌊a/2^(h+1)⌋, y ⊕ ⌊b/2^(h+1)⌋). There is one for each processor. The parents of a switch of
//! level h keep their places, its children change them by the bits h of a and b. So the channels down
//! from the switches of one level and copy are a class, and those up to each parent are one.
//!
//! What a packet that holds a channel may ask for is told up to translations too. Those that keep a
//! channel up keep all children of the switch that it leads to: a child is known by its place next to
//! that from which the packet came. Those that keep a channel down take each child of the switch that it
//! leads to to every other.

use flitsim_topology::fat_tree::Switch;
use flitsim_topology::{ChannelId, FatTree, FatTreeKind, Network, NodeId};

/// Classes of the channels out of the nodes of one class: down, to the first parent, to the second.
const KINDS: u32 = 3;

/// Channels out of a switch to its children; those to its parents follow.
const CHILDREN: u32 = 4;

/// A butterfly fat-tree and its translations, each named by the image of processor 0.
#[derive(Clone, Copy)]
pub(crate) struct Tree<'n> {
    network: &'n Network,
    tree: &'n FatTree,
}

impl<'n> Tree<'n> {
    /// `None` for a fat-pyramid: its meshes have other automorphisms.
    pub fn of(network: &'n Network, tree: &'n FatTree) -> Option<Self> {
        (tree.kind() == FatTreeKind::Butterfly).then_some(Self { network, tree })
    }

    /// The bits that the translation `by` changes in the places of the children of a switch of `level`.
    fn turned(&self, by: NodeId, level: u32) -> u32 {
        let (a, b) = self.tree.position(by);
        (a >> level & 1) | (b >> level & 1) << 1
    }

    /// The image of `node` under the translation `by`.
    pub fn image(&self, by: NodeId, node: NodeId) -> NodeId {
        let (a, b) = self.tree.position(by);
        match self.tree.switch(node) {
            None => NodeId(node.0 ^ by.0),
            Some(switch) => self.tree.node_at(Switch {
                x: switch.x ^ a >> (switch.level + 1),
                y: switch.y ^ b >> (switch.level + 1),
                ..switch
            }),
        }
    }

    /// Where the translation `by` takes the channel in `place` out of `node`.
    pub fn image_of_place(&self, by: NodeId, node: NodeId, place: u32) -> u32 {
        match self.tree.switch(node) {
            Some(switch) if place < CHILDREN => place ^ self.turned(by, switch.level),
            _ => place,
        }
    }

    /// The node that `channel` leaves, and its place there.
    #[inline]
    fn place(&self, channel: ChannelId) -> (NodeId, u32) {
        let node = self.network.source(channel);
        (node, channel.0 - self.network.outgoing(node).start)
    }

    /// The class of a node: 0 for processors.
    fn class_of(&self, node: NodeId) -> u32 {
        let switch = self.tree.switch(node);
        switch.map_or(0, |switch| (1 << switch.level) + switch.copy)
    }

    /// The class of `channel`.
    #[inline]
    pub fn class(&self, channel: ChannelId) -> u32 {
        let (node, place) = self.place(channel);
        let kind = match self.tree.switch(node) {
            None => 1,
            Some(_) => (place + 1).saturating_sub(CHILDREN),
        };
        KINDS * self.class_of(node) + kind
    }

    /// Classes of channels, those that no channel is in included.
    pub fn classes(&self) -> u32 {
        KINDS << self.tree.levels()
    }

    /// The first class of the channels out of the nodes that those of `class` lead to.
    pub fn first(&self, class: u32) -> u32 {
        let node = class / KINDS;
        KINDS
            * match class % KINDS {
                // Half the copy, a level below; from level 0 to a processor.
                0 => node / 2,
                parent if node > 0 => 2 * node + parent - 1,
                _ => 1,
            }
    }

    /// Columns of a row: a child each, then a parent each.
    pub fn columns(&self) -> u32 {
        CHILDREN + 2
    }

    /// The column of the channel in `place` out of the target of `held`.
    #[inline]
    pub fn column(&self, held: ChannelId, place: u32) -> u32 {
        let target = self.network.target(held);
        if self.tree.switch(target).is_none() {
            return CHILDREN;
        }
        let (from, from_place) = self.place(held);
        let comes_down = self.tree.switch(from).is_some() && from_place < CHILDREN;
        match (place < CHILDREN, comes_down) {
            (false, _) => place,
            (true, true) => 0,
            (true, false) => place ^ self.child(from),
        }
    }

    /// Which child of its parents `node` is.
    fn child(&self, node: NodeId) -> u32 {
        let (x, y) = match self.tree.switch(node) {
            None => self.tree.position(node),
            Some(switch) => (switch.x, switch.y),
        };
        (x & 1) | (y & 1) << 1
    }

    /// The class of a column, counted from the first of its row.
    #[inline]
    pub fn kind(&self, column: u32) -> u32 {
        (column + 1).saturating_sub(CHILDREN)
    }

    /// How many channels `column` of a row of `class` stands for.
    pub fn channels_of(&self, class: u32, column: u32) -> u64 {
        match class.is_multiple_of(KINDS) && column < CHILDREN {
            true => u64::from(CHILDREN),
            false => 1,
        }
    }

    /// How many channels are in `class`.
    pub fn copies(&self, class: u32) -> u64 {
        let processors = u64::from(self.tree.processors());
        match class / KINDS {
            0 => processors,
            // Level h has a switch of each copy over 4^(h + 1) processors.
            node => {
                let nodes = processors >> (2 * (node.ilog2() + 1));
                let each = if class.is_multiple_of(KINDS) {
                    CHILDREN
                } else {
                    1
                };
                nodes * u64::from(each)
            }
        }
    }
}
