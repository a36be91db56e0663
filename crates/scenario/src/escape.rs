//! What an algorithm falls back on: the key `escape` of `[routing]`.

use crate::error::{Fault, list};
use crate::topology::Topology;
use flitsim_engine::routing::TurnRule;
use flitsim_keys::{Placed, Words};
use flitsim_topology::Network;
use flitsim_topology::properties::unpaired_channel;

impl Words for Escape {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("dimension-order", Self::DimensionOrder),
        ("west-first", Self::TurnModel(TurnRule::WestFirst)),
        ("north-last", Self::TurnModel(TurnRule::NorthLast)),
        ("negative-first", Self::TurnModel(TurnRule::NegativeFirst)),
        ("up-down", Self::UpDown),
    ];
}

/// What an algorithm falls back on where none of its own virtual channels is to be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escape {
    /// Dimension order, on grids.
    DimensionOrder,
    /// A turn model, on meshes.
    TurnModel(TurnRule),
    /// Up-down from a spanning tree, on any network of links.
    UpDown,
}

impl Escape {
    /// Refuses an escape that does not fit the network.
    ///
    /// # Errors
    /// Which do.
    pub fn check(
        escape: &Placed<Self>,
        topology: &Topology,
        network: &Network,
    ) -> Result<(), Fault> {
        let fitting = match network.damage() {
            Some(_) => adapting(network),
            None => fitting(topology, network),
        };
        let name = escape.value.name();
        if fitting.contains(&name) {
            return Ok(());
        }
        let faults = match network.damage() {
            Some(_) => " with faults",
            None => "",
        };
        let message = format!("{name} is no escape on {}{faults}", topology.word());
        let help = match fitting.is_empty() {
            true => "none fits a network with one-way channels: leave `escape` out".to_owned(),
            false => format!("these are: {}", list(&fitting, "\"")),
        };
        Err(Fault::new(escape.place.clone(), message)
            .about_routing()
            .label("does not fit the topology")
            .help(help))
    }

    /// The name in scenario files and results.
    pub fn name(self) -> &'static str {
        self.word()
    }
}

/// The escapes that go round what has failed of `network`.
fn adapting(network: &Network) -> Vec<&'static str> {
    match unpaired_channel(network) {
        None => vec![Escape::UpDown.name()],
        Some(_) => Vec::new(),
    }
}

/// The escapes that fit a topology and its network.
fn fitting(topology: &Topology, network: &Network) -> Vec<&'static str> {
    // Seen on the network: interchanges of many modules have one-way channels between these.
    let has_links = unpaired_channel(network).is_none();
    let fits = |escape: Escape| match (escape, topology) {
        (Escape::UpDown, _) => has_links,
        (Escape::DimensionOrder, Topology::Grid(_)) => true,
        (Escape::TurnModel(_), Topology::Grid(grid)) => !grid.has_rings(),
        _ => false,
    };
    let fitting = Escape::WORDS.iter().filter(|(_, escape)| fits(*escape));
    fitting.map(|(name, _)| *name).collect()
}
