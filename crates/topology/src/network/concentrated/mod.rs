//! Concentration: several terminals at every router of a network (Dally & Towles, section 3.3: a
//! concentrator before each; Balfour & Dally, "Design tradeoffs for tiled CMP on-chip networks", ICS 2006).
//!
//! Terminals are nodes of their own, as processors of trees are, with a channel to their router and one from
//! it. Of R routers with t terminals each, terminal i is at router ⌊i/t⌋, which is node R·t + ⌊i/t⌋. Channels:
//! that of each terminal to its router; then by router those of the network, in its order, and those to its
//! terminals.
//!
//! Layout: that of the routers, each in the middle of a block of its terminals.

mod family;

use crate::error::check_size;
use crate::families::common::raster;
use crate::memory::bytes_of;
use crate::{ChannelId, Graph, Network, NodeId, TopologyError};
use std::sync::Arc;

/// A network with several terminals at every router.
#[derive(Clone, Debug)]
pub struct Concentrated {
    routers: Arc<Network>,
    each: u32,
    /// By terminal.
    router_of: Vec<NodeId>,
}

impl Concentrated {
    /// `routers` with `each` terminals at every one of them that has one.
    ///
    /// # Errors
    /// [`TopologyError::NotANetwork`] unless every router has a terminal and there is one for it, and
    /// [`TopologyError::TooLarge`] before any memory is touched.
    pub fn new(routers: Network, each: u32) -> Result<Self, TopologyError> {
        if each == 0 || routers.terminals() < routers.nodes() {
            let reason =
                format!("{each} terminals for each of the routers, of which some take none");
            return Err(TopologyError::NotANetwork { reason });
        }
        let terminals = u128::from(routers.nodes()) * u128::from(each);
        let channels = u128::from(routers.channels()) + 2 * terminals;
        check_size(
            terminals + u128::from(routers.nodes()),
            channels,
            "fewer `terminals`",
        )?;
        let of_router = |router| std::iter::repeat_n(NodeId(router), each as usize);
        Ok(Self {
            router_of: (0..routers.nodes()).flat_map(of_router).collect(),
            routers: Arc::new(routers),
            each,
        })
    }

    /// The network of the routers, each with a terminal of its own.
    #[inline]
    pub fn routers(&self) -> &Network {
        &self.routers
    }

    /// Terminals of each router.
    pub fn each(&self) -> u32 {
        self.each
    }

    /// Terminals of all routers.
    #[inline]
    pub fn terminals(&self) -> u32 {
        self.router_of.len() as u32
    }

    /// The router of a terminal, or that `node` is, by its number among the routers.
    #[inline]
    pub fn router(&self, node: NodeId) -> NodeId {
        match self.router_of.get(node.index()) {
            Some(&router) => router,
            None => NodeId(node.0 - self.terminals()),
        }
    }

    /// The node that a router is.
    #[inline]
    pub fn node(&self, router: NodeId) -> NodeId {
        NodeId(self.terminals() + router.0)
    }

    /// The channel between routers that is `channel` among those of `router`'s network.
    #[inline]
    pub fn channel(&self, router: NodeId, channel: ChannelId) -> ChannelId {
        ChannelId(self.terminals() + channel.0 + router.0 * self.each)
    }

    /// What [`channel`](Self::channel) makes of it, undone, for a channel out of `router`; `None` where it
    /// leads to a terminal.
    #[inline]
    pub fn between_routers(&self, router: NodeId, channel: ChannelId) -> Option<ChannelId> {
        let own = ChannelId(channel.0 - self.terminals() - router.0 * self.each);
        (own.0 < self.routers.outgoing(router).end).then_some(own)
    }

    /// The channel from a terminal's router to it.
    #[inline]
    pub fn ejection(&self, terminal: NodeId) -> ChannelId {
        let router = self.router(terminal);
        ChannelId(self.terminals() + self.routers.outgoing(router).end + terminal.0)
    }

    /// The graph: terminals are the first nodes.
    pub(crate) fn graph(&self) -> Graph {
        let routers = &*self.routers;
        let up = (0..self.terminals()).map(NodeId);
        let up = up.map(|terminal| (terminal, self.node(self.router(terminal))));
        let out = (0..routers.nodes()).map(NodeId).flat_map(|router| {
            let others = routers.targets(router).iter().map(|&to| self.node(to));
            let first = router.0 * self.each;
            let own = (first..first + self.each).map(NodeId);
            others.chain(own).map(move |to| (self.node(router), to))
        });
        raster::graph(&self.places(), self.terminals(), up.chain(out))
    }

    fn bytes(&self) -> u64 {
        self.routers.memory().total() + bytes_of(&self.router_of)
    }
}
