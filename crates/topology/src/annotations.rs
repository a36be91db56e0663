//! What only some networks know of their nodes and channels: names, places, widths, delays.
//!
//! Invariant: every list that is there has an entry for each node, or each channel. A network that
//! knows none of it stores nothing.

use crate::NodeId;
use std::borrow::Cow;
use std::collections::HashMap;

/// What is known of the nodes and channels of a network beyond the graph and its wire lengths.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Annotations {
    /// The nodes' names, all different; `None` where each is called by its number.
    pub names: Option<Vec<Box<str>>>,
    /// Where the nodes are drawn: x to the right, y downward, in any unit.
    pub positions: Option<Vec<[f32; 2]>>,
    /// Bits that each channel takes side by side, at least 1.
    pub width_bits: Option<Vec<u32>>,
    /// Cycles on each channel's wire beyond the router's.
    pub delay_cycles: Option<Vec<u32>>,
}

impl Annotations {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub(crate) fn fits(&self, nodes: usize, channels: usize) -> bool {
        fn has<T>(list: &Option<Vec<T>>, count: usize) -> bool {
            list.as_ref().is_none_or(|list| list.len() == count)
        }
        has(&self.names, nodes)
            && has(&self.positions, nodes)
            && has(&self.width_bits, channels)
            && has(&self.delay_cycles, channels)
    }

    /// The name of `node`: its number where nodes have no names.
    pub fn name(&self, node: NodeId) -> Cow<'_, str> {
        match &self.names {
            Some(names) => Cow::Borrowed(&names[node.index()]),
            None => Cow::Owned(node.to_string()),
        }
    }
}

/// Nodes by name, for files that speak of the nodes of a network.
#[derive(Clone, Debug)]
pub struct NodeNames<'n> {
    names: Option<&'n [Box<str>]>,
    by_name: HashMap<&'n str, NodeId>,
    nodes: u32,
}

impl<'n> NodeNames<'n> {
    pub(crate) fn new(annotations: Option<&'n Annotations>, nodes: u32) -> Self {
        let names = annotations.and_then(|a| a.names.as_deref());
        let each = names.unwrap_or_default().iter();
        let by_name = each.zip((0..).map(NodeId)).map(|(name, id)| (&**name, id));
        Self {
            names,
            by_name: by_name.collect(),
            nodes,
        }
    }

    /// The node called `name`.
    pub fn find(&self, name: &str) -> Option<NodeId> {
        if self.names.is_some() {
            return self.by_name.get(name).copied();
        }
        let id: u32 = name.parse().ok()?;
        // The number as it is written: neither `+1` nor `01` is a name.
        (id < self.nodes && id.to_string() == name).then_some(NodeId(id))
    }

    /// The name nearest to `name`, where one is near enough to be meant.
    pub fn nearest(&self, name: &str) -> Option<String> {
        let names = self.names?.iter().map(|name| &**name);
        crate::nearest::nearest(name, names)
    }
}
