//! The butterfly, or k-ary n-fly: kⁿ terminals, n stages of kⁿ⁻¹ switches with k channels in and k out, all
//! one-way, and one route from each terminal to each (Dally & Towles, chapter 4).
//!
//! A terminal is a node that sends into the first stage and receives from the last: the networks of the
//! literature have its source on one side and its sink on the other. It has the digits a_(n−1), …, a_0; a
//! switch the digits n − 1 to 1. Terminals send to the switch of their upper digits. Output o of a switch of
//! stage s leads to the switch of stage s + 1 with the same digits but o as digit n − 1 − s; of the last
//! stage, to the terminal of its digits and o.
//!
//! Nodes: the terminals, then stage by stage. Channels: that of each terminal, then by switch and output.
//!
//! Layout: terminals in a rectangle, row by row; the switches of a stage half way between the first and the
//! last of the k terminals of their numbers.

mod definition;
mod family;

pub use definition::ButterflyDefinition;

use super::common::coordinates::{Coordinates, nodes_of, uniform};
use super::common::raster;
use crate::error::{check_size, refused};
use crate::memory::bytes_of;
use crate::{ChannelId, Graph, NodeId, TopologyError};

/// A butterfly.
#[derive(Clone, Debug)]
pub struct Butterfly {
    arity: u32,
    /// Of the terminals.
    digits: Coordinates,
    /// By node: the digit of the destination that says which channel leads on; for terminals none.
    resolves: Vec<u8>,
}

impl Butterfly {
    /// The k-ary n-fly of `arity` k and `stages` n.
    ///
    /// # Errors
    /// [`TopologyError::Parameter`] with an arity below 2 or above 65,535, or without stages;
    /// [`TopologyError::TooLarge`] before any memory is touched.
    pub fn new(arity: u32, stages: u32) -> Result<Self, TopologyError> {
        if !(2..=u32::from(u16::MAX)).contains(&arity) || stages == 0 {
            let message = format!(
                "there is no {arity}-ary {stages}-fly: the arity is 2 to 65,535, and it has a stage"
            );
            return Err(refused("arity", "out of range", "`arity = 2`", message).into());
        }
        let radices = uniform(arity, stages);
        let terminals = nodes_of(&radices);
        let switches = terminals / u128::from(arity) * u128::from(stages);
        let channels = terminals.saturating_mul(u128::from(stages) + 1);
        check_size(
            terminals + switches,
            channels,
            "fewer `stages`, or a smaller `arity`",
        )?;
        let terminals = terminals as usize;
        let mut resolves = vec![u8::MAX; terminals];
        for stage in 0..stages {
            let digit = (stages - 1 - stage) as u8;
            resolves.resize(resolves.len() + terminals / arity as usize, digit);
        }
        Ok(Self {
            arity,
            digits: Coordinates::new(radices),
            resolves,
        })
    }

    /// Channels in and out of a switch: k.
    pub fn arity(&self) -> u32 {
        self.arity
    }

    /// Stages: n.
    pub fn stages(&self) -> u32 {
        self.digits.radices().len() as u32
    }

    fn terminals(&self) -> u32 {
        self.digits.nodes()
    }

    /// The switches of a stage.
    fn switches(&self) -> u32 {
        self.terminals() / self.arity
    }

    /// Stage and number within it; `None` for a terminal.
    fn switch(&self, node: NodeId) -> Option<(u32, u32)> {
        let number = node.0.checked_sub(self.terminals())?;
        Some((number / self.switches(), number % self.switches()))
    }

    fn node_at(&self, stage: u32, number: u32) -> NodeId {
        NodeId(self.terminals() + stage * self.switches() + number)
    }

    /// The channel from `node` on the way to `destination`.
    #[inline]
    pub fn channel(&self, node: NodeId, destination: NodeId) -> ChannelId {
        match node.0.checked_sub(self.terminals()) {
            None => ChannelId(node.0),
            Some(switch) => {
                let digit = usize::from(self.resolves[node.index()]);
                let output = self.digits.at(destination, digit);
                ChannelId(self.terminals() + switch * self.arity + output)
            }
        }
    }

    fn target(&self, node: NodeId, output: u32) -> NodeId {
        let Some((stage, number)) = self.switch(node) else {
            return self.node_at(0, node.0 / self.arity);
        };
        match usize::from(self.resolves[node.index()]) {
            0 => NodeId(number * self.arity + output),
            // Switches lack digit 0.
            digit => {
                let stride = self.digits.stride(digit - 1);
                let old = number / stride % self.arity;
                self.node_at(stage + 1, number - old * stride + output * stride)
            }
        }
    }

    /// The graph.
    pub(crate) fn graph(&self) -> Graph {
        let nodes = (0..self.resolves.len() as u32).map(NodeId);
        let channels = nodes.flat_map(|node| {
            let outputs = if self.switch(node).is_some() {
                self.arity
            } else {
                1
            };
            (0..outputs).map(move |output| (node, self.target(node, output)))
        });
        raster::graph(&self.places(), self.terminals(), channels)
    }

    fn bytes(&self) -> u64 {
        self.digits.bytes() + bytes_of(&self.resolves)
    }
}
