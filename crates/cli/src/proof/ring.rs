//! The cycle of too few virtual channels in dimension order on a large grid: a packet that goes round
//! in one dimension stays in one ring, so that ring alone shows it.

use super::prove;
use crate::scenario::RoutingChoice;
use flitsim_engine::EngineConfig;
use flitsim_topology::{ChannelId, Grid, Network, NodeId};

/// A cycle of virtual channels in the first dimension that has one, through the node of coordinate 0
/// in all others; `None` for any other algorithm or network.
pub(super) fn cycle(
    choice: &RoutingChoice,
    network: &Network,
    config: &EngineConfig,
) -> Option<Vec<(ChannelId, u32)>> {
    let (RoutingChoice::DimensionOrder { .. }, Some(grid)) = (choice, network.grid()) else {
        return None;
    };
    let rings = (0..grid.dimensions()).filter(|&dimension| grid.is_ring(dimension));
    rings
        .filter_map(|dimension| cycle_in(dimension, choice, grid, config))
        .next()
}

fn cycle_in(
    dimension: usize,
    choice: &RoutingChoice,
    grid: &Grid,
    config: &EngineConfig,
) -> Option<Vec<(ChannelId, u32)>> {
    let radices = grid.radices();
    let line = Grid::new(&[radices[dimension]], grid.ends()).ok()?;
    let line = line.into_network();
    let proof = prove(choice, &line, config, &|_, _| {}).ok()?;
    let ring = line.grid()?;
    // Nodes are numbered with dimension 0 fastest.
    let stride: u32 = radices[..dimension].iter().product();
    let in_grid = |&(channel, vc): &(ChannelId, u32)| {
        let node = NodeId(line.source(channel).0 * stride);
        let direction = ring.step(channel).direction;
        Some((grid.channel(node, dimension, direction)?, vc))
    };
    let cycle: Option<Vec<_>> = proof.cycle().iter().map(in_grid).collect();
    cycle.filter(|cycle| !cycle.is_empty())
}
