//! The express cube's own rule (Dally, "Express cubes", section III-C): lowest dimension first; at
//! an interchange, the highest level whose channel does not pass the destination; of channels side
//! by side, any.
//!
//! Why one virtual channel is enough: the ends of a line are open and a packet never turns back in
//! it. In one direction every channel leads forward, from boundary to boundary and, within a
//! boundary, along its modules in a fixed order; upward and downward packets share no channel. So
//! order channels by dimension, then, in either direction, by the place that they lead to: along
//! every route the order ascends. Where interchanges of several dimensions are one, a packet turns
//! there to a higher dimension, or ends over the channel of the highest.

use super::{Candidate, Candidates, Head, Routing, VcMask, all_virtual_channels};
use crate::ConfigError;
use flitsim_topology::{ChannelId, ExpressCube, NodeId};

/// The deterministic routing of express cubes.
#[derive(Clone, Copy, Debug)]
pub struct Express<'n> {
    cube: &'n ExpressCube,
    all: VcMask,
}

impl<'n> Express<'n> {
    /// The algorithm on `cube` with `virtual_channels` virtual channels a channel.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels.
    pub fn new(cube: &'n ExpressCube, virtual_channels: u32) -> Result<Self, ConfigError> {
        Ok(Self {
            cube,
            all: all_virtual_channels(virtual_channels)?,
        })
    }
}

impl Routing for Express<'_> {
    // Channels side by side are so many candidates.
    const DETERMINISTIC: bool = false;

    fn choices(&self, _: NodeId, _: NodeId) -> u32 {
        1
    }

    fn initial(&self, _: NodeId, _: NodeId, _: u32) -> u64 {
        0
    }

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        let Some(way) = self.cube.way(head.node, head.destination) else {
            return;
        };
        for offset in 0..way.channels {
            candidates.push(Candidate {
                channel: ChannelId(way.first.0 + offset),
                vcs: self.all,
                priority: 0,
            });
        }
    }
}
