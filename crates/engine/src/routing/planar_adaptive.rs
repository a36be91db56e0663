//! Planar-adaptive routing on meshes: in the plane of the lowest dimension that differs and the next, any
//! shortest path, until that dimension is done (Chien & Kim, "Planar-adaptive routing: low-cost adaptive
//! networks for multiprocessors", ISCA 1992).
//!
//! A dimension has three classes of virtual channels: 0 and 1 as the second of a plane, for packets that go
//! up or down in the first; 2 as the first of a plane. The lowest dimension is never a second, and has all
//! of them; in two dimensions class 2 is not needed. The last dimension by itself takes class 0.
//!
//! Why no cycle of dependencies can close: planes come in order. In a plane, packets that go up in its first
//! dimension share no virtual channel with those that go down, and none of either turns back in either
//! dimension; what is left of the last dimension comes behind both.

use super::classes::Classes;
use super::description::{Description, Fit, Needs, Site, Spread, of_family};
use super::options::OptionKey;
use super::relation::{Candidates, Head, Routing, VcMask, all_virtual_channels};
use crate::ConfigError;
use flitsim_topology::{Direction, Ends, Grid};

/// What the registry knows of it.
pub(super) const ROUTING: Description = Description {
    name: "planar-adaptive",
    keys: &[OptionKey::Escape],
    fits: |network| Fit::yes_if(network.grid().is_some_and(|grid| grid.ends() == Ends::Open)),
    needs: Needs::Whole,
    virtual_channels_min: |site| site.network.grid().map_or(3, classes),
    is_minimal: true,
    spread: Spread::Adaptive,
    escape_vcs: None,
};

fn classes(grid: &Grid) -> u32 {
    grid.dimensions().min(3) as u32
}

/// The relation that `site` asks for.
pub(super) fn build<'n>(site: &Site<'n, '_>) -> Result<PlanarAdaptive<'n>, ConfigError> {
    let grid = of_family(site.network.grid(), ROUTING.name, "a mesh or hypercube")?;
    let why =
        "two as the second dimension of a plane and, with more than one plane, one as the first";
    Ok(PlanarAdaptive {
        grid,
        classes: Classes::new(site.virtual_channels, classes(grid), ROUTING.name, why)?,
        all: all_virtual_channels(site.virtual_channels)?,
    })
}

/// Planar-adaptive routing on a mesh or hypercube.
#[derive(Clone, Copy, Debug)]
pub struct PlanarAdaptive<'n> {
    grid: &'n Grid,
    classes: Classes,
    all: VcMask,
}

impl Routing for PlanarAdaptive<'_> {
    const DETERMINISTIC: bool = false;

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        let [here, there] = [head.node, head.destination].map(|node| self.grid.coordinates(node));
        let Some(first) = (0..here.len()).find(|&i| here[i] != there[i]) else {
            return;
        };
        let direction = |i: usize| Direction::up_if(here[i] < there[i]);
        let mut add = |i: usize, vcs| {
            if let Some(channel) = self.grid.channel(head.node, i, direction(i)) {
                candidates.add(channel, vcs);
            }
        };
        let second = first + 1;
        let own = match first {
            0 => self.all,
            _ if second == here.len() => self.classes.vcs(0),
            _ => self.classes.vcs(2),
        };
        add(first, own);
        if second < here.len() && here[second] != there[second] {
            let class = u32::from(direction(first) == Direction::Down);
            add(second, self.classes.vcs(class));
        }
    }
}
