//! Everything that a screen shows.

use super::control::Control;
use super::map::Map;
use super::moment::Moment;
use flitsim_engine::EngineConfig;
use flitsim_topology::{Network, NodeId};

/// What does not change while a series runs.
#[derive(Clone, Debug)]
pub struct Heading {
    /// Scenario, series, network, routing, traffic.
    pub title: String,
    /// The unit of its load.
    pub load_unit: String,
}

/// Everything that a screen shows.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// What stands at the top.
    pub heading: &'a Heading,
    /// The network.
    pub network: &'a Network,
    /// Its routers.
    pub config: &'a EngineConfig,
    /// Its map, where it has one.
    pub map: Option<&'a Map>,
    /// What is happening.
    pub moment: &'a Moment,
    /// How the display runs.
    pub control: Control,
    /// The load that is asked for, in its unit.
    pub load: f64,
    /// What became of the last key, where there is something to say.
    pub message: Option<&'a str>,
}

impl View<'_> {
    /// Flits that the buffers of `node` can hold.
    pub fn room_flits(&self, node: NodeId) -> u32 {
        let channels = self.network.incoming(node).len() as u32;
        channels * self.config.virtual_channels * self.config.buffer_flits
    }
}
