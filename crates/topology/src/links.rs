//! Channels as they are drawn: one line for the two channels of a link.

use crate::{ChannelId, Graph, NodeId};
use std::collections::HashMap;

/// One line of a picture: a channel, and the opposite one where the two are a link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// The channel that the line is drawn for.
    pub channel: ChannelId,
    /// The channel of the other way, which has the same line.
    pub opposite: Option<ChannelId>,
    /// Where `channel` leaves.
    pub source: NodeId,
    /// Where `channel` enters.
    pub target: NodeId,
    /// Which of the lines between the two nodes it is.
    pub index: u32,
    /// How many lines there are between the two nodes.
    pub parallel: u32,
}

/// The lines of `graph`, in the order of the first channel of each. The j-th channel from one
/// node to another and the j-th one back are a link.
pub(crate) fn links(graph: &Graph) -> Vec<Link> {
    // For each ordered pair of nodes, its channels in ascending order.
    let mut between: HashMap<(NodeId, NodeId), Vec<ChannelId>> = HashMap::new();
    for channel in (0..graph.channels()).map(ChannelId) {
        let ends = (graph.source(channel), graph.target(channel));
        between.entry(ends).or_default().push(channel);
    }
    let mut links = Vec::new();
    for channel in (0..graph.channels()).map(ChannelId) {
        let (source, target) = (graph.source(channel), graph.target(channel));
        let along = &between[&(source, target)];
        let back = between.get(&(target, source)).map_or(&[][..], |b| b);
        let index = along.iter().position(|&c| c == channel).unwrap_or(0);
        let opposite = back.get(index).copied();
        // The line of a link belongs to the channel with the lower number.
        if opposite.is_some_and(|opposite| opposite < channel) {
            continue;
        }
        links.push(Link {
            channel,
            opposite,
            source,
            target,
            index: index as u32,
            parallel: along.len().max(back.len()) as u32,
        });
    }
    links
}

impl Link {
    /// How far this one of several lines between two nodes is set off, in steps from their middle,
    /// to the left of its own way; links of both ways between two nodes count from the same side.
    pub(crate) fn set_off(&self) -> f64 {
        let steps = f64::from(self.index) - f64::from(self.parallel - 1) / 2.0;
        if self.source < self.target {
            steps
        } else {
            -steps
        }
    }
}
